"""Where memories came from, and which of these origins are barred (Q5). Pure but for its ports.

An origin is a source that writers named, a session, a client, or one memory. What writers named is
known by its keyed id alone. What was derived from a memory of an origin, through however many
others, counts as its own.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

import msgspec

from guard.nouns import Barred, Label, Leaf, Row
from memory.origin import OriginClass
from memory.types import MemoryId, State, SubjectId, TenantId

REASON_BARRED: Final = "origin.quarantined"
"""Why a memory is held whose origin is barred; the reason after it names the ban."""
CHECK: Final = "origin"
"""The check that fails for a memory whose origin is barred."""
_NAME: Final = "ban."


class Kind(StrEnum):
    """What an origin is named by."""

    SOURCE = "source"
    SESSION = "session"
    CLIENT = "client"
    MEMORY = "memory"


GROUPED: Final = (Kind.SOURCE, Kind.SESSION, Kind.CLIENT)
"""What a tenant's memories are listed by."""


class Place(msgspec.Struct, frozen=True):
    """One origin: `name` is the keyed id of a source or session, else a client's or memory's."""

    kind: Kind
    name: str

    def covers(self, label: Label) -> bool:
        """Return whether a memory with this label came from here, directly."""
        match self.kind:
            case Kind.SOURCE:
                return label.source == self.name
            case Kind.SESSION:
                return label.session == self.name
            case Kind.CLIENT:
                return label.client == self.name
            case Kind.MEMORY:
                return label.id == self.name


class Ban(msgspec.Struct, frozen=True):
    """An origin whose memories are held, also those that come, until it is lifted."""

    id: str
    tenant: TenantId
    place: Place
    at: datetime
    lifted_at: datetime | None = None

    @property
    def reason(self) -> str:
        """How reasons name it."""
        return _NAME + self.id


class Group(msgspec.Struct, frozen=True):
    """What a tenant has from one origin: how many stand, how many are held, and the newest's time.

    `class_` is told of clients alone: one may write as several.
    """

    place: Place
    class_: OriginClass | None
    active: int
    held: int
    newest: datetime


class Groups(msgspec.Struct, frozen=True):
    """One page of origins, the newest first, and the cursor to the next."""

    items: tuple[Group, ...]
    cursor: str | None


class Tally(msgspec.Struct, frozen=True):
    """How far an origin reaches: memories by state, those of its own and those derived from them,
    the subjects that have them, and how many others gave way to one of them.
    """

    states: Mapping[State, int]
    own: int
    derived: int
    subjects: int
    replaced: int

    def count(self, state: State) -> int:
        """Return how many are in a state."""
        return self.states.get(state, 0)


class Reach(msgspec.Struct, frozen=True):
    """Which memories an origin reaches to look at: in these states, in the order of their ids."""

    place: Place
    states: tuple[State, ...]
    after: MemoryId | None = None
    subject: SubjectId | None = None


class Shown(msgspec.Struct, frozen=True):
    """Leaves of recalls that showed some memories, newest first; `more` when there are others."""

    leaves: tuple[Leaf, ...]
    more: bool


def showed(leaf: Leaf) -> bool:
    """Return whether a leaf says that a recall showed its memory to somebody."""
    return (leaf.action, leaf.outcome) == ("recall", "shown")


class Origins(Protocol):
    """What came from where in one tenant. All methods raise UnavailableError."""

    async def groups(self, tenant: TenantId, kind: Kind, cursor: str | None, limit: int) -> Groups:
        """Return one page of a tenant's origins. Raises InvalidError for a foreign cursor."""
        ...

    async def tally(self, tenant: TenantId, place: Place) -> Tally:
        """Return how far an origin reaches."""
        ...

    async def reached(self, tenant: TenantId, reach: Reach, limit: int) -> list[Row]:
        """Return memories that an origin reaches. What can't be read is left out."""
        ...

    async def shown(self, tenant: TenantId, place: Place, limit: int) -> Shown:
        """Return leaves of recalls that showed a memory which an origin reaches, newest first."""
        ...

    async def unread(self, tenant: TenantId, place: Place, limit: int) -> list[SubjectId]:
        """Return subjects that have memories of an origin, and derivations that nobody has read."""
        ...

    async def learn(
        self, tenant: TenantId, subject: SubjectId, pairs: Sequence[tuple[MemoryId, MemoryId]]
    ) -> None:
        """Keep all that a subject's memories, named first, were derived from. Idempotent."""
        ...


class Bans(Protocol):
    """Which origins of a tenant are barred. What is decided here holds on every replica at once:
    whoever checks asks. All methods raise UnavailableError.
    """

    async def standing(self, tenant: TenantId) -> Sequence[Ban]:
        """Return the bans that are not lifted, in the order of their ids."""
        ...

    async def every(self, tenant: TenantId, after: str | None, limit: int) -> list[Ban]:
        """Return bans, lifted ones too, in the order of their ids, after `after`."""
        ...

    async def put(self, ban: Ban, leaf: Leaf) -> None:
        """Keep a ban, or that it is lifted, with its audit leaf. Raises ConflictError for one that
        was lifted already, and NotFoundError for one to be lifted that there is not.
        """
        ...

    async def derived(
        self, tenant: TenantId, ids: Sequence[MemoryId], bans: Sequence[Ban]
    ) -> Mapping[MemoryId, str]:
        """Return those of `ids` that were derived from a barred origin, with the ban's id."""
        ...

    async def holds(
        self, tenant: TenantId, ban: str, after: MemoryId | None, limit: int
    ) -> list[tuple[Barred, Row]]:
        """Return what a ban holds, as far as nothing has become of it since, by id."""
        ...

    async def left(self, tenant: TenantId, ban: str, ids: Sequence[MemoryId]) -> None:
        """Leave memories that a ban held to reviewers: lifting it no longer releases them."""
        ...


class Unbarred:
    """Fulfils `Bans` where nobody bars anything: trials, benches, screening."""

    async def standing(self, tenant: TenantId) -> Sequence[Ban]:
        """Return none."""
        del tenant
        return ()

    async def every(self, tenant: TenantId, after: str | None, limit: int) -> list[Ban]:
        """Return none."""
        del tenant, after, limit
        return []

    async def put(self, ban: Ban, leaf: Leaf) -> None:
        """Raise: a ban that nobody keeps must not be believed to stand."""
        del ban, leaf
        raise NotImplementedError("nobody keeps bans here")

    async def derived(
        self, tenant: TenantId, ids: Sequence[MemoryId], bans: Sequence[Ban]
    ) -> Mapping[MemoryId, str]:
        """Return nothing."""
        del tenant, ids, bans
        return {}

    async def holds(
        self, tenant: TenantId, ban: str, after: MemoryId | None, limit: int
    ) -> list[tuple[Barred, Row]]:
        """Return nothing."""
        del tenant, ban, after, limit
        return []

    async def left(self, tenant: TenantId, ban: str, ids: Sequence[MemoryId]) -> None:
        """Do nothing."""
        del tenant, ban, ids
