"""What a memory says of one slot, and what a new memory is to an old one."""

from enum import StrEnum

import msgspec


class ValueKind(StrEnum):
    """What a value is, so that two spellings of one value can be told from two values."""

    TEXT = "text"
    NUMBER = "number"
    QUANTITY = "quantity"
    DATE = "date"
    TIME = "time"
    BOOLEAN = "boolean"
    CODE = "code"
    EMOJI = "emoji"


class Polarity(StrEnum):
    """Whether a claim is stated, denied, or taken back ("no longer")."""

    AFFIRMED = "affirmed"
    DENIED = "denied"
    ENDED = "ended"


class Limit(StrEnum):
    """Whether a value is the value itself or the end of a range."""

    EXACT = "exact"
    AT_MOST = "at_most"
    AT_LEAST = "at_least"


class Mark(StrEnum):
    """What the words around a claim say of an earlier one."""

    ADDED = "added"
    """Also, 也, 还: beside what was there."""
    CHANGED = "changed"
    """Instead, from now on, 改成, 说错了: in place of what was there."""
    AGAIN = "again"
    """Back to what was given up."""


class Form(StrEnum):
    """How much of a sentence was understood."""

    SLOT = "slot"
    """One slot, one value."""
    STATED = "stated"
    """A verb and what it is done to, where nobody knows whether there can be several."""
    OPAQUE = "opaque"
    """Words only: compared as they stand, and never a reason to hide another memory."""


class Slot(msgspec.Struct, frozen=True, array_like=True):
    """Of whom and what a claim speaks, the same for both languages where the words are known."""

    whose: str
    attribute: str

    @property
    def key(self) -> str:
        """Return one string for the slot: what a keyed index id is made of."""
        return f"{len(self.whose)}:{self.whose}{self.attribute}"


class Value(msgspec.Struct, frozen=True, array_like=True):
    """A value in canonical form: units converted, dates resolved, codes exact."""

    kind: ValueKind
    text: str


class Claim(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """One slot with its value. Sealed with the memory as an array; fields may only be appended.

    Beside its fields a claim keeps what was worked out of them, which is asked of it again for each
    claim that it is compared with. It is no part of the claim: not sealed, and not compared.
    """

    slot: Slot
    value: Value
    about: tuple[str, ...]
    """The words of the slot, sorted: what similar slots are compared by."""
    words: tuple[str, ...]
    """The words of the value in their order."""
    polarity: Polarity = Polarity.AFFIRMED
    scope: tuple[str, ...] = ()
    """The times or conditions it holds under, sorted; empty when it holds always."""
    limit: Limit = Limit.EXACT
    many: bool = False
    """Whether the slot takes several values at a time."""
    marks: tuple[Mark, ...] = ()
    form: Form = Form.SLOT
    sort: str = ""
    """What kind of thing the value is, where the lexicon knows it."""
    shape: str = ""
    """How the value of "is" is put: a name, a place, "a …", plain words; empty if none can tell."""
    order: tuple[str, ...] = ()
    """The words of the clause as they stand, where two of them could change places."""


class BondKind(StrEnum):
    """What a new memory is to an old one."""

    SAME = "same"
    SUPERSEDES = "supersedes"
    EXTENDS = "extends"
    RETRACTS = "retracts"
    NARROWS = "narrows"
    BESIDE = "beside"
    UNCERTAIN = "uncertain"
    """Both stay, and the consistency scan looks at them."""
    UNRELATED = "unrelated"


class Bond(msgspec.Struct, frozen=True):
    """What a new memory is to an old one, and the code of the reason."""

    kind: BondKind
    reason: str
