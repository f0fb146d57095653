"""Remembered text on its way to a model: inside the fence of a recall, and nowhere else (R8)."""

from collections.abc import Sequence
from typing import Final

import msgspec

from gateway.mcp.arguments import MOST_LISTED
from gateway.settings import MAX_TEXT_CHARS
from guard.outcomes import Memory
from guard.rooms import Rooms
from memory.assembly import ContextBounds, Excerpt, assemble

EMPTY: Final = "No memories. 没有记忆。"
MOST_IN_PROFILE: Final = 50
_NONCE_CHARACTERS: Final = 16
_ROOMY: Final = 1_000_000
"""Tokens that no page comes near: what it names is in its fence, whole or cut, never left out."""
_LOOKED_AT: Final = 4
"""Times the characters that may be shown: a block is put together often before it fits."""

PAGE: Final = ContextBounds(MOST_LISTED, MOST_LISTED, _ROOMY)
PROFILE: Final = ContextBounds(MOST_IN_PROFILE, MOST_IN_PROFILE, _ROOMY)
WHOLE: Final = ContextBounds(1, 1, _ROOMY, MAX_TEXT_CHARS)


class Fenced(msgspec.Struct, frozen=True):
    """The block, and how many of the memories are in it."""

    context: str
    shown: int
    tokens: int


def fenced(memories: Sequence[Memory], bounds: ContextBounds, rooms: Rooms) -> Fenced:
    """Return the block over the first of `memories` that fits the bounds, with a nonce of its own.

    The same memory may stand in it several times, with another part of its text.
    """
    excerpts = [
        Excerpt(
            id=one.id,
            text=one.text[: _LOOKED_AT * bounds.characters],
            origin=one.origin,
            trust=one.trust,
            confidence=one.confidence,
            stored_at=one.stored_at,
            occurred_at=one.occurred_at,
        )
        for one in memories
    ]
    nonce = rooms.new_id().replace("-", "")[-_NONCE_CHARACTERS:]
    block = assemble(excerpts, nonce=nonce, now=rooms.clock(), bounds=bounds, count=rooms.count)
    return Fenced(block.context, len(block.ids), block.tokens)
