"""Vectors from an OpenAI-compatible embeddings endpoint. What is embedded leaves the process.

The endpoint's operator reads every text that is written and every question that is asked, so this
is never a default. Nothing that the endpoint answers is believed before it was looked at.
"""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import httpx2
import msgspec
import numpy as np

from guard.errors import UnavailableError
from guard.models.batching import BatchBounds, Batching, OutageError
from guard.models.calling import connected, read_up_to, retry_after
from guard.models.vectors import VECTOR, Prefixes, readable, unit
from guard.ports import EmbedderId, Purpose
from memory.signals import Vectors

_OK: Final = 200
_BUSY: Final = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed."""
_TEXT_AT_FAULT: Final = frozenset({400, 413, 422})
"""Statuses that one text of a batch may have caused: each is asked for again alone."""
_BYTES_PER_NUMBER: Final = 40
_BYTES_BESIDE: Final = 65_536
_NOTHING: Final = "."
"""Sent for a blank text, which endpoints refuse, so that it has a vector like any other."""
_GRACE_SECONDS: Final = 5.0
_RANDOM: Final = secrets.SystemRandom()


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where the model answers, and how it is asked.

    `url` is what `/embeddings` is appended to. `key` returns the API key when it is called, so that
    nothing else holds it. `deadline` is for one batch, retries included, in seconds; `backoff` is
    the longest first pause. Texts are cut to `max_characters`.
    """

    url: str
    model: str
    dimensions: int
    request_dimensions: bool = False
    key: Callable[[], str] | None = None
    ca_file: Path | None = None
    prefixes: Prefixes = Prefixes()
    max_characters: int = 4096
    attempts: int = 3
    deadline: float = 10.0
    backoff: float = 0.25


class _Vector(msgspec.Struct, frozen=True):
    index: int
    embedding: list[float]


class _Answer(msgspec.Struct, frozen=True):
    data: list[_Vector]


class _BusyError(Exception):
    """The endpoint may answer later: after `wait` seconds, when it said so."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait = wait


class RemoteEmbedder:
    """Embeds at an endpoint, batched across concurrent callers. Make it inside a running loop."""

    def __init__(self, endpoint: Endpoint, bounds: BatchBounds | None = None) -> None:
        self._endpoint = endpoint
        self._loop = asyncio.get_running_loop()
        self._client = connected(endpoint.url, endpoint.ca_file, endpoint.deadline, "embedder.")
        self._batching = Batching(self._run, bounds or BatchBounds(lanes=4))

    @property
    def id(self) -> EmbedderId:
        """The model that answers, as far as its operator keeps its name to one model."""
        one = self._endpoint
        name = f"remote:{one.model}/{one.max_characters}{one.prefixes.mark}"
        return EmbedderId(name, {VECTOR: one.dimensions})

    async def embed(self, texts: Sequence[str], purpose: Purpose = Purpose.MEMORY) -> list[Vectors]:
        """Return one set of named unit vectors per text, in order. Raises UnavailableError."""
        return await self._batching.submit([self._sent(text, purpose) for text in texts])

    async def close(self) -> None:
        """Refuse what waits, let what runs answer, and close the connections. Idempotent."""
        await self._batching.close()
        await self._client.aclose()

    def _sent(self, text: str, purpose: Purpose) -> str:
        cut = readable(text)[: self._endpoint.max_characters]
        return self._endpoint.prefixes.before(cut if cut.strip() else _NOTHING, purpose)

    def _run(self, texts: Sequence[str]) -> list[Vectors]:
        """Ask on the gateway's loop; read the long answer here, on the batch's own thread."""
        asked = asyncio.run_coroutine_threadsafe(self._ask(texts), self._loop)
        # Bounded, too: a loop that has ended answers nothing.
        raw = asked.result(self._endpoint.deadline + _GRACE_SECONDS)
        return self._vectors(raw, len(texts))

    async def _ask(self, texts: Sequence[str]) -> bytes:
        """Return what the endpoint answers, within the deadline and the attempts."""
        end = self._loop.time() + self._endpoint.deadline
        for attempt in range(1, self._endpoint.attempts + 1):
            try:
                async with asyncio.timeout_at(end):
                    return await self._post(texts)
            except TimeoutError:
                raise OutageError("no answer in time") from None
            except _BusyError as busy:
                pause = self._pause(attempt) if busy.wait is None else busy.wait
                last = attempt == self._endpoint.attempts
                if last or self._loop.time() + pause >= end:
                    raise OutageError(busy.reason, max(1.0, pause)) from None
            await asyncio.sleep(pause)
        raise OutageError("never asked")

    async def _post(self, texts: Sequence[str]) -> bytes:
        """Ask once. Raises _BusyError when asking again may help."""
        endpoint = self._endpoint
        body: dict[str, object] = {
            "model": endpoint.model,
            "input": list(texts),
            "encoding_format": "float",
        }
        if endpoint.request_dimensions:
            body["dimensions"] = endpoint.dimensions
        headers = {"Content-Type": "application/json"}
        if endpoint.key is not None:
            headers["Authorization"] = f"Bearer {endpoint.key()}"
        url = endpoint.url.rstrip("/") + "/embeddings"
        request = self._client.stream(
            "POST", url, content=msgspec.json.encode(body), headers=headers
        )
        try:
            async with request as response:
                _judge(response)
                return await self._read(response, len(texts))
        except httpx2.HTTPError as error:
            raise _BusyError(type(error).__name__) from None

    async def _read(self, response: httpx2.Response, count: int) -> bytes:
        most = count * self._endpoint.dimensions * _BYTES_PER_NUMBER + _BYTES_BESIDE
        read = await read_up_to(response, most)
        if read is None:
            raise OutageError("the answer is too long")
        return read

    def _vectors(self, raw: bytes, count: int) -> list[Vectors]:
        """Return the vectors in the order of the texts, each of unit length, or raise."""
        try:
            data = msgspec.json.decode(raw, type=_Answer).data
        except msgspec.MsgspecError:
            raise OutageError("the answer is no list of embeddings") from None
        if sorted(item.index for item in data) != list(range(count)):
            raise OutageError("the answer does not hold one embedding per text")
        wrong = {len(item.embedding) for item in data} - {self._endpoint.dimensions}
        if wrong:
            raise OutageError(f"vectors have {min(wrong)} dimensions, not those configured")
        rows = unit(np.array([one.embedding for one in sorted(data, key=_index)], dtype=np.float64))
        return [{VECTOR: row} for row in rows]

    def _pause(self, attempt: int) -> float:
        """Return a random pause that grows with each attempt, so that replicas do not march."""
        return _RANDOM.uniform(0.0, self._endpoint.backoff * 2 ** (attempt - 1))


def _judge(response: httpx2.Response) -> None:
    """Return when the answer is worth reading."""
    status = response.status_code
    if status == _OK:
        return
    reason = f"the endpoint answers {status}"
    if status in _BUSY:
        raise _BusyError(reason, retry_after(response.headers.get("retry-after")))
    if status in _TEXT_AT_FAULT:
        raise UnavailableError("embedder")
    raise OutageError(reason)


def _index(vector: _Vector) -> int:
    return vector.index
