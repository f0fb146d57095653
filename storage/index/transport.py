"""One call to a Qdrant server: within a deadline, tried again where that helps, or refused at once.

The client neither retries nor bounds a call as a whole, and raises a dozen types, bare ValueError
and AssertionError for nonsense among them. From here on there are four: UnavailableError for what
may pass, its RefusedError for what the server calls wrong, MissingError for a collection that is
not there, StandsError for one that is already.
All requests may be repeated: points have ids of their own and filters say the same thing twice.
"""

import asyncio
import logging
import math
import random
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final, NamedTuple, TypeVar

from qdrant_client import AsyncQdrantClient
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.context_headers import async_headers
from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

from guard.errors import UnavailableError
from storage.index.breaker import Breaker
from storage.index.credentials import Credential, Right

_ATTEMPTS: Final = 3
_FIRST_PAUSE: Final = 0.05
_PASSING: Final = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)
_LOGGER: Final = logging.getLogger("memguard.index")

T = TypeVar("T")
Send = Callable[[AsyncQdrantClient, int], Awaitable[T]]
"""A request over the client, which the server may work on for that many whole seconds."""


class MissingError(Exception):
    """The collection is not there."""


class RefusedError(UnavailableError):
    """The server will not do this as things stand; asking again would not help."""


class StandsError(Exception):
    """The collection is there already."""


class _TroubleError(Exception):
    """The server did not answer, or not sensibly. `pause` is what it asked for, in seconds."""

    def __init__(self, pause: float | None = None, *, busy: bool = False) -> None:
        super().__init__()
        self.pause = pause
        self.busy = busy


class Time(NamedTuple):
    """Where a transport's time comes from, so that tests need not wait."""

    monotonic: Callable[[], float] = time.monotonic
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random


_REAL: Final = Time()


class Transport:
    """Makes calls to one server on behalf of everybody."""

    def __init__(
        self,
        client: AsyncQdrantClient,
        credential: Credential,
        timeout_seconds: float,
        passing: Time = _REAL,
    ) -> None:
        self._client = client
        self._credential = credential
        self._timeout = timeout_seconds
        self._time = passing
        self._breaker = Breaker(passing.monotonic)

    @property
    def reopenings(self) -> int:
        """How often the server came back after an outage."""
        return self._breaker.reopenings

    def require(self) -> None:
        """Return when a call would be made. Raises UnavailableError while none is."""
        self._breaker.require()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def call(self, collection: str, right: Right, send: Send[T]) -> T:
        """Return what `send` gets. Raises UnavailableError when there is nothing in time."""
        tries = self._breaker.admit()
        try:
            return await self._attempts(collection, right, send)
        finally:
            self._breaker.leave(tried=tries)

    async def _attempts(self, collection: str, right: Right, send: Send[T]) -> T:
        deadline = self._time.monotonic() + self._timeout
        pause = 0.0
        for attempt in range(_ATTEMPTS):
            try:
                result = await self._once(collection, right, send, deadline)
            except _TroubleError as trouble:
                if trouble.busy:
                    self._breaker.answered()
                else:
                    self._breaker.failed()
                pause = self._pause(attempt) if trouble.pause is None else trouble.pause
                late = self._time.monotonic() + pause >= deadline
                if late or self._breaker.is_open or attempt + 1 == _ATTEMPTS:
                    break
                await self._time.pause(pause)
            except (MissingError, StandsError, UnavailableError):
                self._breaker.answered()
                raise
            else:
                self._breaker.answered()
                return result
        raise UnavailableError("index", retry_after=max(pause, 1.0))

    def _pause(self, attempt: int) -> float:
        return _FIRST_PAUSE * 2.0**attempt * (0.5 + self._time.jitter())

    async def _once(self, collection: str, right: Right, send: Send[T], deadline: float) -> T:
        remaining = deadline - self._time.monotonic()
        headers = dict(self._credential.headers(collection, right))
        try:
            async with asyncio.timeout(remaining), async_headers(headers):
                return await send(self._client, max(1, math.ceil(remaining)))
        except UnexpectedResponse as answer:
            raise _verdict(answer) from None
        except ResourceExhaustedResponse as answer:
            raise _TroubleError(max(0.0, float(answer.retry_after_s)), busy=True) from None
        except (ApiException, QdrantException, TimeoutError):
            raise _TroubleError from None
        except (ValueError, AssertionError, TypeError, AttributeError, KeyError):
            # The body is no JSON, or not of the shape that was asked for.
            raise _TroubleError from None


def _verdict(answer: UnexpectedResponse) -> Exception:
    status = answer.status_code or 0
    if status == HTTPStatus.NOT_FOUND:
        return MissingError()
    if status == HTTPStatus.CONFLICT:
        return StandsError()
    if status in _PASSING:
        return _TroubleError(busy=status == HTTPStatus.TOO_MANY_REQUESTS)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _TroubleError(_seconds(answer.headers.get("retry-after")))
    # Asking again would not help: a wrong key, or a request that this server does not know.
    _LOGGER.error("index refused a request", extra={"status": status})
    return RefusedError("index")


def _seconds(header: str | None) -> float | None:
    return float(header) if header is not None and header.isascii() and header.isdigit() else None
