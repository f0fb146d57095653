"""Bounded concurrency, shared fairly: no tenant's load starves another's (E8).

A slot is held while an operation works: after its body has arrived, before anything is embedded,
so that what waits in front of the models is bounded per tenant, too. Free slots go round among the
tenants that wait, one each, whatever the length of their queues.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Send
from litestar.types import Scope as Connection

from gateway.settings import Limits
from guard.errors import LimitedError, UnavailableError
from guard.principal import Principal
from memory.types import TenantId

RETRY_SECONDS: Final = 1.0


class SlotBounds(msgspec.Struct, frozen=True):
    """How many work at once, in all and of one tenant; how many of one may wait, and how long."""

    total: int
    each: int
    waiting: int
    seconds: float

    @classmethod
    def of(cls, limits: Limits) -> "SlotBounds":
        """Return what the settings say."""
        return cls(
            total=limits.concurrency,
            each=limits.tenant_concurrency,
            waiting=limits.tenant_queue,
            seconds=limits.queue_seconds,
        )


class Slots:
    """The places at work. For one event loop; nothing here is interrupted but where it awaits."""

    def __init__(self, bounds: SlotBounds) -> None:
        self._bounds = bounds
        self._busy: Counter[TenantId] = Counter()
        # Tenants that wait, the one whose turn is next first.
        self._queues: OrderedDict[TenantId, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def busy(self) -> int:
        """How many work now."""
        return self._busy.total()

    @property
    def waiting(self) -> int:
        """How many wait now."""
        return sum(map(len, self._queues.values()))

    @asynccontextmanager
    async def held(self, tenant: TenantId) -> AsyncIterator[None]:
        """Hold a slot of `tenant` while the block runs, once it is its turn.

        Raises LimitedError when too many of the tenant wait already, or when it waited in vain for
        the tenant's own operations to end; UnavailableError when it was for everyone's.
        """
        await self._enter(tenant)
        try:
            yield
        finally:
            self._leave(tenant)

    async def _enter(self, tenant: TenantId) -> None:
        # A free slot means that whoever waits has all the slots a tenant may have.
        if self.busy < self._bounds.total and self._busy[tenant] < self._bounds.each:
            self._busy[tenant] += 1
            return
        queue = self._queues.setdefault(tenant, deque())
        if len(queue) >= self._bounds.waiting:
            self._tidy(tenant)
            raise LimitedError(RETRY_SECONDS)
        turn = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            async with asyncio.timeout(self._bounds.seconds):
                await turn
        except TimeoutError:
            own = self._busy[tenant] >= self._bounds.each
            self._give_up(tenant, turn)
            raise LimitedError(RETRY_SECONDS) if own else UnavailableError("capacity") from None
        except asyncio.CancelledError:
            self._give_up(tenant, turn)
            raise

    def _give_up(self, tenant: TenantId, turn: asyncio.Future[None]) -> None:
        """Stop waiting; pass on a slot that was given at the same moment."""
        if turn.done() and not turn.cancelled():
            self._leave(tenant)
            return
        queue = self._queues.get(tenant, deque())
        if turn in queue:
            queue.remove(turn)
            self._tidy(tenant)

    def _leave(self, tenant: TenantId) -> None:
        self._busy[tenant] -= 1
        if not self._busy[tenant]:
            del self._busy[tenant]
        self._hand_out()

    def _hand_out(self) -> None:
        while self.busy < self._bounds.total:
            able = (one for one in self._queues if self._busy[one] < self._bounds.each)
            tenant = next(able, None)
            if tenant is None:
                return
            turn = self._queues[tenant].popleft()
            if not turn.done():  # who was cancelled has yet to notice
                turn.set_result(None)
                self._busy[tenant] += 1
                self._queues.move_to_end(tenant)
            self._tidy(tenant)

    def _tidy(self, tenant: TenantId) -> None:
        if not self._queues[tenant]:
            del self._queues[tenant]


class FairShare(ASGIMiddleware):
    """Lets each request of a caller work when it is its tenant's turn.

    Streams hold no slot: the calls that come over them do.
    """

    scopes = (ScopeType.HTTP, ScopeType.ASGI)

    def __init__(self, slots: Slots) -> None:
        self._slots = slots

    async def handle(
        self, scope: Connection, receive: Receive, send: Send, next_app: ASGIApp
    ) -> None:
        """Let one request work."""
        principal: Any = scope.get("auth")
        if scope["route_handler"].opt.get("streams") or not isinstance(principal, Principal):
            await next_app(scope, receive, send)
            return
        async with self._slots.held(principal.owner.tenant):
            await next_app(scope, receive, send)
