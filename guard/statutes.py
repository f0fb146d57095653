"""A tenant's own rules by version, and which of them hold: nouns, and the ports behind them.

A version is never changed. Which one holds is a history to which is only added: each entry says
which version holds from then on, and to which earlier entry one would roll back.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Protocol

import msgspec

from guard.errors import UnavailableError
from guard.nouns import Leaf
from memory.types import ClientId, SubjectId, TenantId
from policies.load import Override

NO_RULES: Final = 0
"""The version that holds before any was enacted: the platform's policy alone."""
POLICIES: Final = "policies"
"""What is said to be unavailable when it is not known which rules hold."""


class Ruleset(msgspec.Struct, frozen=True):
    """One version of a tenant's own rules as they were written. `digest` is SHA-256 of the text."""

    tenant: TenantId
    number: int
    author: SubjectId
    client: ClientId
    at: datetime
    comment: str
    text: str
    digest: bytes

    @property
    def name(self) -> str:
        """How the audit names it."""
        return name_of(self.tenant, self.number)


class Enactment(msgspec.Struct, frozen=True):
    """The `place`-th change of what holds for a tenant, counted from 1: version `number` does.

    `back` is the place to which one would roll back, 0 for none. `digest` is the version's.
    """

    tenant: TenantId
    place: int
    number: int
    digest: bytes
    back: int
    author: SubjectId
    at: datetime


class Statutes(Protocol):
    """Versions of rules and the history of what held, for all replicas to see."""

    async def add(self, ruleset: Ruleset, leaf: Leaf) -> None:
        """Keep a version durably, with its audit leaf in the same transaction.

        Raises ConflictError when the tenant has one of this number.
        """
        ...

    async def one(self, tenant: TenantId, number: int) -> Ruleset | None:
        """Return a version of the tenant."""
        ...

    async def of(self, tenant: TenantId, below: int | None, limit: int) -> list[Ruleset]:
        """Return versions of the tenant with numbers below `below`, newest first."""
        ...

    async def enact(self, enactment: Enactment, leaf: Leaf) -> None:
        """Have a version hold, with its audit leaf in the same transaction.

        Raises ConflictError when there is another at this place.
        """
        ...

    async def enacted(self, tenant: TenantId, below: int | None, limit: int) -> list[Enactment]:
        """Return what held for the tenant, at places below `below`, newest first."""
        ...

    async def current(self, since: datetime | None) -> Sequence[Enactment]:
        """Return each tenant's newest enactment, of those that were made at `since` or later."""
        ...


class InForce(Protocol):
    """What holds now, known without asking anybody."""

    def own(self, tenant: TenantId) -> Override | None:
        """Return the rules that a tenant enacted. Raises UnavailableError if that isn't known."""
        ...

    async def look(self) -> None:
        """Learn what was enacted since the last time. Raises UnavailableError."""
        ...


def name_of(tenant: TenantId, number: int) -> str:
    """Return how the audit names a version: `tenant/acme@3`."""
    return f"tenant/{tenant}@{number}"


class Unenacted:
    """Fulfils `Statutes` and `InForce` where no tenant enacts anything: trials, benches."""

    def own(self, tenant: TenantId) -> Override | None:
        """Return nothing."""
        del tenant
        return None

    async def look(self) -> None:
        """Do nothing."""

    async def add(self, ruleset: Ruleset, leaf: Leaf) -> None:
        """Raise UnavailableError."""
        del ruleset, leaf
        raise UnavailableError(POLICIES)

    async def one(self, tenant: TenantId, number: int) -> Ruleset | None:
        """Return nothing."""
        del tenant, number
        return None

    async def of(self, tenant: TenantId, below: int | None, limit: int) -> list[Ruleset]:
        """Return nothing."""
        del tenant, below, limit
        return []

    async def enact(self, enactment: Enactment, leaf: Leaf) -> None:
        """Raise UnavailableError."""
        del enactment, leaf
        raise UnavailableError(POLICIES)

    async def enacted(self, tenant: TenantId, below: int | None, limit: int) -> list[Enactment]:
        """Return nothing."""
        del tenant, below, limit
        return []

    async def current(self, since: datetime | None) -> Sequence[Enactment]:
        """Return nothing."""
        del since
        return ()
