"""What two texts are to each other, as the ledger needs to know it. The port.

Whoever reads texts answers two questions: which slots a text speaks of, and whether two texts can
both hold. What follows from that (merge, supersede, hold) is `guard.relate`'s to say.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol

import msgspec

from memory.claims import Bond, Claim
from memory.types import TenantId


class Told(msgspec.Struct, frozen=True):
    """What a model says that a text states. Data, not words of the text: nobody has vouched for it.

    `polarity` is one of `memory.claims.Polarity`.
    """

    subject: str
    attribute: str
    value: str
    polarity: str = "affirmed"
    many: bool = False


class Said(msgspec.Struct, frozen=True):
    """A text, and when it was said or was so: relative dates count from there.

    `record` is that of an earlier reading of it, which need not be repeated while it is current.
    `told` is what the model `by` says of it, if one was asked.
    """

    text: str
    at: datetime
    record: bytes = b""
    told: tuple[Told, ...] = ()
    by: str = ""


class Tie(StrEnum):
    """What a new text is to an older one of the same subject."""

    SAME = "same"
    """It says the same and nothing more."""
    AGAINST = "against"
    """Both can't hold: another value of one slot, or it takes the older one back."""
    DOUBT = "doubt"
    """Whether both can hold nobody knows: both stay, and a person should look."""
    BESIDE = "beside"
    """Both may hold."""


class Reading(msgspec.Struct, frozen=True):
    """What one text says.

    `slots` names what it speaks of: texts that share none are not compared unless they are near.
    `gist` is what it says, in a form that is the same for texts that say the same; empty where it
    is not understood. `record` is the reading itself, to be sealed with the text; it may be empty.
    """

    slots: tuple[str, ...] = ()
    gist: tuple[str, ...] = ()
    record: bytes = b""


class Telling(Protocol):
    """Tells what a text states that rules can't read. What it tells is data, and may be wrong."""

    @property
    def name(self) -> str:
        """Who tells, and in which way: what another one told is not looked at."""
        ...

    async def told(self, tenant: TenantId, text: str) -> tuple[Told, ...] | None:
        """Return what the text states, None when it is not told in time or in form."""
        ...


class Odds(msgspec.Struct, frozen=True):
    """How probably a new text is against an old one, and how probably it says the same; 0 to 1."""

    against: float = 0.0
    same: float = 0.0


class Read(msgspec.Struct, frozen=True, dict=True):
    """A text, and what the rules read in it. Who weighs may keep with it what was worked out."""

    text: str
    claims: tuple[Claim, ...]


class Weighing(Protocol):
    """Weighs texts that no rule compares. Pure and deterministic, like what asks it."""

    def weighed(self, new: Read, old: Sequence[tuple[Read, Bond]]) -> list[Odds]:
        """Return the odds of `new` with each of `old`, between which the rules found the bond that
        stands beside it, in order; none where it can't tell.
        """
        ...


class Relating(Protocol):
    """Reads texts for the ledger. Pure and deterministic: it is asked again after a conflict."""

    def read(self, said: Said) -> Reading:
        """Return what one text says."""
        ...

    def ties(self, new: Said, old: Sequence[Said]) -> list[Tie]:
        """Return what `new` is to each of `old`, in order."""
        ...

    @property
    def once(self) -> "Relating":
        """The same reader for one write: it holds what it worked out of the texts that it was asked
        about, and works it out once. Who is done with it lets go of it.
        """
        ...

    @property
    def certain(self) -> "Relating":
        """The same reader without what is only likely: cheap, as recall compares each time."""
        ...

    def is_unread(self, said: Said) -> bool:
        """Return whether a text states something, and nothing of it is understood."""
        ...

    def is_current(self, record: bytes) -> bool:
        """Return whether a text of this record would be read alike today: else its slots and its
        gist may be others.
        """
        ...
