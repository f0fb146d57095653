"""The same write twice is one write: a key of the caller's choosing, and its first answer again.

A key belongs to whoever sent it: subject, client and route are part of its mark, so that nobody
meets another's answer. What is remembered is what was committed, in the same transaction: a request
that failed was no write and may be sent again with its key.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import ClassVar, Final, Self

import msgspec

from guard.amend import Amendment, amend
from guard.errors import InvalidError, NotFoundError, UnreadableError
from guard.gather import tag
from guard.nouns import Answer, Draft, Later
from guard.outcomes import Rejected, Skipped, Told, WriteOutcome
from guard.ports import Record
from guard.principal import Principal
from guard.remember import decided
from guard.restore import restore
from guard.rooms import Rooms
from memory.types import MemoryId, Owner

_outcomes: Final = msgspec.msgpack.Decoder[WriteOutcome](WriteOutcome)


class Once(msgspec.Struct, frozen=True):
    """The caller's key, as bounded by the edge, and the route or tool that it was sent to."""

    key: str
    route: str


class KeyReusedError(InvalidError):
    """The key was used before, for another request."""

    code: ClassVar[str] = "idempotency_key_reused"

    def __init__(self) -> None:
        super().__init__("idempotency key: used before, for another request")


async def remember_once(principal: Principal, draft: Draft, once: Once, rooms: Rooms) -> Told:
    """Remember a draft, unless this key has its answer already: then return that answer.

    Raises KeyReusedError when it was given to another request, and whatever `remember` raises. Of
    two at the same time one commits, and the other returns the answer of the first.
    """
    # (1) Has it been answered?
    asked = await Asked.of(principal, draft, once, rooms)
    told = await asked.told()
    if told is not None:
        return told

    # (2) If not, the whole pipeline, with the answer in the transaction that it ends in.
    outcome = await decided(await tag(principal, draft, rooms), rooms, asked)
    return Told(outcome, asked.replayed)


async def amend_once(
    principal: Principal, id: MemoryId, amendment: Amendment, once: Once, rooms: Rooms
) -> Told:
    """Write a revision of a memory, unless this key has its answer already: then return that.

    Raises as `remember_once` does, and whatever `amend` raises.
    """
    asked = await Asked.of(principal, (id, amendment), once, rooms)
    return await _once(asked, lambda: amend(principal, id, amendment, rooms, asked))


async def restore_once(principal: Principal, id: MemoryId, once: Once, rooms: Rooms) -> Told:
    """Undo a wrong supersede, unless this key has its answer already: then return that.

    Raises as `remember_once` does, and whatever `restore` raises.
    """
    asked = await Asked.of(principal, id, once, rooms)
    return await _once(asked, lambda: restore(principal, id, rooms, asked))


async def _once(asked: "Asked", write: Callable[[], Awaitable[WriteOutcome]]) -> Told:
    told = await asked.told()
    if told is not None:
        return told
    try:
        return Told(await write(), asked.replayed)
    except NotFoundError:
        # The memory may have changed its state since, by this very request made elsewhere.
        told = await asked.told()
        if told is None:
            raise
        return told


class Asked:
    """One request with a key: fulfils `guard.remember.Beside` with its answer."""

    def __init__(self, owner: Owner, mark: bytes, request: bytes, rooms: Rooms) -> None:
        self.replayed = False
        """Whether the answer is one that stood already."""
        self._owner = owner
        self._mark = mark
        self._request = request
        self._rooms = rooms

    @classmethod
    async def of(cls, principal: Principal, content: object, once: Once, rooms: Rooms) -> Self:
        """Return the request, known by keyed ids of key and content."""
        owner, keyed = principal.owner, rooms.marks.keyed
        mark = await keyed(owner, "key", once.route, principal.client, once.key)
        body = msgspec.json.encode(content, order="deterministic").decode()
        return cls(owner, mark, await keyed(owner, "request", once.route, body), rooms)

    async def told(self) -> Told | None:
        """Return the first answer, told again; None when there is none."""
        outcome = await self.standing()
        return None if outcome is None else Told(outcome, replayed=True)

    async def standing(self) -> WriteOutcome | None:
        """Return the first answer, None when there is none. Raises KeyReusedError."""
        owner, rooms = self._owner, self._rooms
        found = await rooms.answers.answer(owner.tenant, owner.subject, self._mark, rooms.clock())
        if found is None:
            return None
        # The answer opens for the request that it was given to, and for no other.
        if found.request != self._request:
            raise KeyReusedError
        place = (self._mark, self._request)
        outcome = await outcome_in(owner, Record.ANSWER, place, found.token, rooms)
        self.replayed = True
        return outcome

    async def along(self, outcome: WriteOutcome) -> tuple[Answer | None, Later | None]:
        """Return the sealed answer, to be committed with what it tells of."""
        return await self.answer(outcome), None

    async def answer(self, outcome: WriteOutcome) -> Answer:
        """Return the sealed answer."""
        rooms = self._rooms
        plain = msgspec.msgpack.encode(outcome)
        place = (self._mark, self._request)
        return Answer(
            mark=self._mark,
            request=self._request,
            memory=memory_in(outcome),
            expires_at=rooms.clock() + timedelta(hours=rooms.bounds.answer_hours),
            token=await rooms.envelopes.wrap(self._owner, Record.ANSWER, place, plain),
        )


def memory_in(outcome: WriteOutcome) -> MemoryId | None:
    """Return the id of the memory that an outcome names, if it names one."""
    return None if isinstance(outcome, Rejected | Skipped) else outcome.id


async def outcome_in(
    owner: Owner, record: Record, place: tuple[bytes, ...], token: bytes, rooms: Rooms
) -> WriteOutcome:
    """Return a sealed outcome. Raises UnreadableError."""
    plain = await rooms.envelopes.unwrap(owner, record, place, token)
    try:
        return _outcomes.decode(plain)
    except msgspec.MsgspecError:
        raise UnreadableError from None
