"""Who is asking."""

from datetime import datetime
from enum import StrEnum

import msgspec

from guard.errors import ForbiddenError
from memory.origin import Channel, OriginClass
from memory.types import ClientId, Owner


class Scope(StrEnum):
    """What a token may allow (E4)."""

    MEMORY_READ = "memory:read"
    MEMORY_WRITE = "memory:write"
    MEMORY_DELETE = "memory:delete"
    MEMORY_EXPORT = "memory:export"
    MEMORY_TRACE = "memory:trace"
    QUARANTINE_READ = "quarantine:read"
    QUARANTINE_DECIDE = "quarantine:decide"
    QUARANTINE_REVEAL = "quarantine:reveal"
    AUDIT_READ = "audit:read"
    POLICY_READ = "policy:read"
    POLICY_WRITE = "policy:write"
    TENANT_ADMIN = "tenant:admin"
    PLATFORM_ADMIN = "platform:admin"


class Principal(msgspec.Struct, frozen=True):
    """The verified caller. Built in `gateway.auth` alone, from a token; never optional.

    `ceiling` is already the lower of the channel's and the registered client's. `credential` names
    the token: its `jti`, else a digest.
    """

    owner: Owner
    client: ClientId
    credential: str
    scopes: frozenset[Scope]
    channel: Channel
    ceiling: OriginClass
    issued_at: datetime
    expires_at: datetime

    def require(self, scope: Scope) -> None:
        """Return when the token carries `scope`; raise ForbiddenError when it does not."""
        if scope not in self.scopes:
            raise ForbiddenError(scope)
