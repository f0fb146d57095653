"""The door for what was said: turns that an application posts, and what an agent quotes of them.

An agent with the subject's token is not the subject (W3). What it relays becomes the subject's own
word only when an application, which sees the conversation itself, has posted a turn in which the
user says just that. Turns are sealed under the subject's key and kept for a short while.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from guard.errors import ForbiddenError, UnreadableError
from guard.leaves import leaf_of
from guard.nouns import Draft
from guard.outcomes import Heard
from guard.ports import Record, SealedTurn, Window
from guard.principal import Principal
from guard.rooms import Rooms
from memory.origin import TRUST_OF_SUBJECT, Quoted
from memory.quotation import copied, shown, vouching
from memory.types import LeafId, Owner, Role, SessionId, Turn, TurnId

_turns: Final = msgspec.msgpack.Decoder(Turn)
_STEP: Final = timedelta(microseconds=1)
"""Between the turns of one call, so that they keep their order."""


async def hear(
    principal: Principal, session: SessionId, turns: Sequence[Turn], rooms: Rooms
) -> Heard:
    """Keep turns of a session of the caller's for a while; return their ids.

    Raises ForbiddenError for a client that can't speak for the subject: an agent that could post
    turns would vouch for itself.
    """
    owner, at = principal.owner, rooms.clock()
    # (1) Only an application hears the user; an agent's channel never does.
    if principal.ceiling.trust < TRUST_OF_SUBJECT:
        raise ForbiddenError

    # (2) Seal each turn, bound to its session. Plaintext stops here.
    mark = await rooms.marks.source(owner.tenant, session)
    expires_at = at + timedelta(minutes=rooms.bounds.turn_minutes)
    kept = [turn for _, turn in await _heard(owner, mark, at, rooms)]
    every = await asyncio.to_thread(_with_copies, kept, turns)
    sealed: list[SealedTurn] = []
    posted: list[TurnId] = []
    for number, (turn, is_copy) in enumerate(every):
        id = TurnId(rooms.new_id())
        plain = msgspec.msgpack.encode(turn)
        token = await rooms.envelopes.wrap(owner, Record.TURN, _place(mark, id), plain)
        sealed.append(SealedTurn(id, at + number * _STEP, expires_at, token))
        if not is_copy:
            posted.append(id)

    # (3) Who posted them is in the audit before any of them counts.
    leaf = leaf_of(
        principal,
        LeafId(rooms.new_id()),
        at,
        action="hear",
        object=mark,
        outcome="kept",
        reasons=tuple(f"turn.{id}" for id in posted),
    )
    await rooms.audit.note([leaf])
    window = Window(rooms.bounds.session_turns, rooms.bounds.session_bytes)
    await rooms.transcript.add(owner.tenant, owner.subject, mark, sealed, window)
    return Heard(tuple(posted), expires_at)


async def said(owner: Owner, session: SessionId, now: datetime, rooms: Rooms) -> list[Turn]:
    """Return the turns that are kept of a session of this owner, oldest first.

    Sealed to him: the name of another subject's session leads to nothing.
    """
    mark = await rooms.marks.source(owner.tenant, session)
    return [turn for _, turn in await _heard(owner, mark, now, rooms)]


async def quoted(owner: Owner, draft: Draft, rooms: Rooms) -> Quoted | None:
    """Return the turn in which the subject says exactly what the draft does, None if none does.

    A draft that carries more than its text (labels, a reference, a time, entities that stand
    nowhere in the text) says more than the subject did. Of two memories the later one stands.
    """
    if draft.session is None or draft.metadata or draft.hint.reference is not None:
        return None
    if draft.occurred_at is not None:
        return None
    if any(entity not in draft.text for entity in draft.entities):
        return None
    mark = await rooms.marks.source(owner.tenant, draft.session)
    opened = await _heard(owner, mark, rooms.clock(), rooms)
    # In a thread: hundreds of turns take milliseconds, and everybody waits for the loop.
    found = await asyncio.to_thread(vouching, [turn for _, turn in opened], draft.text)
    return None if found is None else Quoted(opened[found][0].id, opened[found][0].at)


async def _heard(
    owner: Owner, mark: str, now: datetime, rooms: Rooms
) -> list[tuple[SealedTurn, Turn]]:
    """Return what is kept of a session, oldest first, as far back as it opens."""
    kept = await rooms.transcript.turns(owner.tenant, owner.subject, mark, now)
    opened: list[tuple[SealedTurn, Turn]] = []
    for one in kept:
        try:
            plain = await rooms.envelopes.unwrap(
                owner, Record.TURN, _place(mark, one.id), one.token
            )
            opened.append((one, _turns.decode(plain)))
        except (UnreadableError, msgspec.MsgspecError):
            # Moved, edited or sealed under a key that is gone: it vouches for nothing. Nor does
            # anything that was said before it, since it may have taken that back.
            opened.clear()
    return opened


def _with_copies(kept: Sequence[Turn], turns: Sequence[Turn]) -> list[tuple[Turn, bool]]:
    """Return the turns, and after one of the user's what of it a tool put out before, as a tool's.

    The original goes first, by age or by the window; without the copy, what he pasted would pass
    for his own from then on.
    """
    found: list[tuple[Turn, bool]] = []
    texts = shown(kept) if any(turn.role is Role.USER for turn in turns) else []
    for turn in turns:
        found.append((turn, False))
        texts += shown([turn])
        lines = copied(texts, turn.text) if turn.role is Role.USER else ()
        if lines:
            found.append((Turn(Role.TOOL, "\n".join(lines)), True))
    return found


def _place(session: str, id: TurnId) -> tuple[bytes, bytes]:
    return session.encode(), id.encode()
