"""What an operation costs, and whose buckets pay for it (E7).

Every operation is paid for by three buckets at once: its subject's, its tenant's, and its origin's,
which is the client together with the class of origin it may speak as here, so that an agent and an
application with one client id don't use up each other's share. REST pays before the body is read
and MCP before the tool runs, from the same buckets and at the same price. A message to an MCP
transport is paid for besides, from a bucket of its own, so that messages which call no tool are
bounded, too.
"""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, Self

import msgspec
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Message, Receive, Send
from litestar.types import Scope as Connection

from gateway.problems import QuotaError
from gateway.scopes import PROMPTS, RESOURCES, TOOLS, Access, requirement
from gateway.settings import Limits
from guard.ports import Bucket, Buckets, Taken
from guard.principal import Principal, Scope
from memory.types import TenantId

LONGEST_SECONDS: Final = 3600.0
"""What a caller is told at most to wait."""
_MINUTE: Final = 60


class Operation(StrEnum):
    """What is paid for, each at a price of its own."""

    WRITE = "write"
    RECALL = "recall"
    READ = "read"
    ADMIN = "admin"
    MESSAGE = "message"


_BY_SCOPE: Final[dict[Scope, Operation]] = {
    Scope.MEMORY_READ: Operation.READ,
    Scope.MEMORY_WRITE: Operation.WRITE,
    Scope.MEMORY_DELETE: Operation.WRITE,
    Scope.MEMORY_EXPORT: Operation.ADMIN,
    Scope.MEMORY_TRACE: Operation.READ,
    Scope.QUARANTINE_READ: Operation.ADMIN,
    Scope.QUARANTINE_DECIDE: Operation.ADMIN,
    Scope.QUARANTINE_REVEAL: Operation.ADMIN,
    Scope.AUDIT_READ: Operation.ADMIN,
    Scope.POLICY_READ: Operation.ADMIN,
    Scope.POLICY_WRITE: Operation.ADMIN,
    Scope.TENANT_ADMIN: Operation.ADMIN,
    Scope.PLATFORM_ADMIN: Operation.ADMIN,
}
_RECALLS: Final = frozenset(
    {
        *("/v1/recall", "/v1/traces/why-not"),
        *("recall_memory", "get_context", "summarize_memories", "answer_with_memory"),
    }
)
"""Routes, tools and prompts that need the scope to read and cost more than reading."""


def operation_of_tool(tool: str) -> Operation:
    """Return what a call of this tool is paid for as."""
    return _operation(TOOLS, tool)


def operation_of_resource(template: str) -> Operation:
    """Return what a read of a resource of this template is paid for as."""
    return _operation(RESOURCES, template)


def operation_of_prompt(prompt: str) -> Operation:
    """Return what this prompt is paid for as."""
    return _operation(PROMPTS, prompt)


def _operation(table: Mapping[str, Scope], name: str) -> Operation:
    return Operation.RECALL if name in _RECALLS else _BY_SCOPE[table[name]]


def operation_of_route(connection: Connection) -> Operation | None:
    """Return what a request is paid for as; None for a public route, which nobody pays for.

    A route without a row in the scopes table is refused after it was paid for.
    """
    needed = requirement(connection)
    if needed is Access.PUBLIC:
        return None
    if not isinstance(needed, Scope):
        return Operation.MESSAGE
    return Operation.RECALL if connection["path_template"] in _RECALLS else _BY_SCOPE[needed]


class Allowance(msgspec.Struct, frozen=True):
    """How much a bucket holds, and how much of it comes back each second."""

    capacity: int
    refill: float

    @classmethod
    def of(cls, units_per_minute: int, burst_seconds: int) -> Self:
        """Return the bucket that holds `burst_seconds` worth of `units_per_minute`."""
        capacity = max(1, units_per_minute * burst_seconds // _MINUTE)
        return cls(capacity, units_per_minute / _MINUTE)


class Quotas(msgspec.Struct, frozen=True):
    """The allowances of one tenant: of itself, and of each of its subjects and origins."""

    tenant: Allowance
    origin: Allowance
    subject: Allowance


QuotasOf = Callable[[TenantId], Awaitable[Quotas]]
"""What a tenant may spend. Asked for every operation, so it answers from memory."""


class Cashier:
    """Takes what operations cost. The one place where buckets get their names."""

    def __init__(self, buckets: Buckets, limits: Limits, quotas_of: QuotasOf) -> None:
        self._buckets = buckets
        self._quotas_of = quotas_of
        self._costs: Final[dict[Operation, int]] = {
            Operation.WRITE: limits.write_cost,
            Operation.RECALL: limits.recall_cost,
            Operation.READ: limits.read_cost,
            Operation.ADMIN: limits.admin_cost,
            Operation.MESSAGE: 1,
        }

    async def charge(self, principal: Principal, operation: Operation) -> dict[str, str]:
        """Take the price from all buckets that pay for it, and return the headers that say so.

        Raises QuotaError when one of them does not hold it; then none has paid.
        """
        quotas = await self._quotas_of(principal.owner.tenant)
        buckets = _buckets(principal, operation, quotas)
        taken = await self._buckets.take(buckets, self._costs[operation])
        if not taken.allowed:
            raise _refusal(buckets, taken)
        return _headers(buckets, taken, told=(0,))


def _buckets(principal: Principal, operation: Operation, quotas: Quotas) -> tuple[Bucket, ...]:
    """Return who pays, the subject first."""
    tenant, subject = principal.owner.tenant, principal.owner.subject
    policy = "messages" if operation is Operation.MESSAGE else "subject"
    own = _bucket(policy, (tenant, subject), quotas.subject)
    if operation is Operation.MESSAGE:
        return (own,)
    origin = (tenant, principal.client, principal.ceiling)
    return (
        own,
        _bucket("origin", origin, quotas.origin),
        _bucket("tenant", (tenant,), quotas.tenant),
    )


def _bucket(policy: str, whose: tuple[str, ...], allowance: Allowance) -> Bucket:
    return Bucket(policy, whose, allowance.capacity, allowance.refill)


def _refusal(buckets: Sequence[Bucket], taken: Taken) -> QuotaError:
    empty = [place for place, wait in enumerate(taken.waits) if wait > 0]
    return QuotaError(
        min(LONGEST_SECONDS, max(taken.waits)),
        violated=tuple(buckets[place].policy for place in empty),
        headers=_headers(buckets, taken, told=empty),
    )


def _headers(buckets: Sequence[Bucket], taken: Taken, *, told: Sequence[int]) -> dict[str, str]:
    """Return the fields of draft-ietf-httpapi-ratelimit-headers-11, which are structured fields.

    What is left in the buckets that others pay from as well would tell a subject what those others
    do, so of these only the empty one that caused a refusal is told. `t` is the time until the
    bucket is full, or after a refusal until it holds the price, which is never later than
    Retry-After.
    """
    policies = [f'"{b.policy}";q={b.capacity};w={_window(b)}' for b in buckets]
    levels = []
    for place in told:
        bucket, left, wait = buckets[place], taken.left[place], taken.waits[place]
        seconds = min(LONGEST_SECONDS, wait or (bucket.capacity - left) / bucket.refill)
        levels.append(f'"{bucket.policy}";r={max(0, math.floor(left))};t={math.ceil(seconds)}')
    return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(levels)}


def _window(bucket: Bucket) -> int:
    return max(1, round(bucket.capacity / bucket.refill))


class RateLimits(ASGIMiddleware):
    """Charges each request with a token, and tells its sender what is left."""

    scopes = (ScopeType.HTTP, ScopeType.ASGI)

    def __init__(self, cashier: Cashier) -> None:
        self._cashier = cashier

    async def handle(
        self, scope: Connection, receive: Receive, send: Send, next_app: ASGIApp
    ) -> None:
        """Charge one request, before its body is read."""
        operation = operation_of_route(scope)
        principal: Any = scope.get("auth")
        if operation is None or not isinstance(principal, Principal):
            await next_app(scope, receive, send)
            return
        told = await self._cashier.charge(principal, operation)
        fields = [(name.lower().encode(), value.encode()) for name, value in told.items()]

        async def telling(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *fields]
            await send(message)

        await next_app(scope, receive, telling)
