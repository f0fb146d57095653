"""Why a reviewer decided as he did: a code for the audit, and a comment that nobody else reads."""

from enum import StrEnum
from typing import Final

import msgspec

from guard.nouns import Leaf, SealedRemark
from guard.ports import Record
from guard.rooms import Rooms
from memory.types import LeafId, MemoryId, Owner
from policies.model import Span

_PREFIX: Final = "decide."
_UNSTATED: Final = "unstated"


class Because(StrEnum):
    """What a decision rests on. Stands in the audit as `decide.<code>`."""

    FALSE_POSITIVE = "false_positive"
    """What was found is harmless."""
    VERIFIED_WITH_SUBJECT = "verified_with_subject"
    """The subject was asked."""
    BUSINESS_NEED = "business_need"
    """Risky, and wanted all the same."""
    POISONING = "poisoning"
    """An attack on an agent's memory."""
    POLICY_VIOLATION = "policy_violation"
    """Nothing that may be kept here."""
    SPAM = "spam"
    """Not worth keeping."""
    DUPLICATE = "duplicate"
    """Kept already, or decided already in another case."""
    MISTAKE = "mistake"
    """An earlier decision was wrong."""
    OTHER = "other"
    """None of these: only with a comment."""


class Ruling(msgspec.Struct, frozen=True):
    """What a reviewer says of his decision. The gateway's edges let nobody leave out `because`.

    With `version` he decides on the case as it was then, and on no other.
    """

    because: Because | None = None
    comment: str = ""
    version: int | None = None

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reason as the decision's audit leaf has it."""
        return (_PREFIX + (self.because or _UNSTATED),)


UNSTATED: Final = Ruling()


class Manner(msgspec.Struct, frozen=True):
    """How a held memory is let through. `trust` is at most its own; `redact` cuts out every place
    that was found, `spans` those places of its text.
    """

    trust: int | None = None
    redact: bool = False
    spans: tuple[Span, ...] = ()

    @property
    def cuts(self) -> bool:
        """Whether the text is to be another one."""
        return self.redact or bool(self.spans)


AS_IT_IS: Final = Manner()


async def remarks_of(ruling: Ruling, leaf: Leaf, owner: Owner, rooms: Rooms) -> list[SealedRemark]:
    """Return the ruling's comment, sealed for its leaf; nothing where there is none."""
    if not ruling.comment:
        return []
    return [await sealed_remark(ruling.comment, leaf, owner, rooms)]


async def sealed_remark(comment: str, leaf: Leaf, owner: Owner, rooms: Rooms) -> SealedRemark:
    """Return a comment sealed under the subject's key, for this leaf and its memory alone."""
    place = (leaf.object.encode(), leaf.id.encode())
    plain = msgspec.msgpack.encode(comment)
    token = await rooms.envelopes.wrap(owner, Record.REMARK, place, plain)
    return SealedRemark(LeafId(leaf.id), owner, MemoryId(leaf.object), token)
