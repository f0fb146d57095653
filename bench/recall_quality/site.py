"""A gateway of one's own, and subjects that write to it and ask it over REST."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol

import httpx2
import msgspec

from gateway.app import tokens
from gateway.cli.private import Place, place, serving

_SECONDS: Final = 120.0
_TRIES: Final = 60
_LIMITED: Final = 429
_UNAVAILABLE: Final = 503
_ACCEPTED: Final = (200, 201, 202)


class Written(msgspec.Struct, frozen=True):
    """What became of a write: the outcome, the memory that says so now, and what it replaced."""

    outcome: str
    id: str | None
    supersedes: str | None


class Answer(msgspec.Struct, frozen=True):
    """What came back to a question: ids, best first, and whether anything was reliable."""

    ids: tuple[str, ...]
    reliable: bool


class Memories(Protocol):
    """One subject's memory."""

    async def write(self, **fields: Any) -> Written:
        """Store one memory, by the fields of a REST request."""
        ...

    async def ask(self, question: str, k: int, **fields: Any) -> Answer:
        """Ask one question."""
        ...


class Grounds(Protocol):
    """Where memories are written and asked."""

    async def prepare(self, texts: Sequence[str]) -> None:
        """Take note of what will be written and asked."""
        ...

    def subject(self, name: str) -> Memories:
        """Return a subject's memory; equal names are one."""
        ...


class Subject:
    """One subject's memory, over REST alone."""

    def __init__(self, http: httpx2.AsyncClient, token: str) -> None:
        self._http = http
        self._headers = {"Authorization": f"Bearer {token}"}

    async def write(self, **fields: Any) -> Written:
        """Store one memory."""
        said = await self._asked("/v1/memories", fields)
        return Written(str(said["outcome"]), said.get("id"), said.get("supersedes"))

    async def ask(self, question: str, k: int, **fields: Any) -> Answer:
        """Ask one question."""
        said = await self._asked("/v1/recall", {"query": question, "k": k, **fields})
        return Answer(tuple(item["id"] for item in said["items"]), bool(said["reliable"]))

    async def _asked(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        for _ in range(_TRIES):
            answer = await self._http.post(path, json=body, headers=self._headers)
            if answer.status_code not in (_LIMITED, _UNAVAILABLE):
                break
            await asyncio.sleep(float(answer.headers.get("Retry-After", 1)))
        if answer.status_code in _ACCEPTED or "outcome" in answer.json():
            said: dict[str, Any] = answer.json()
            return said
        raise RuntimeError(f"{path}: {answer.status_code} {answer.json().get('code')}")


class Site:
    """A running gateway with fresh subjects."""

    def __init__(self, where: Place, http: httpx2.AsyncClient) -> None:
        self._where = where
        self._http = http

    async def prepare(self, texts: Sequence[str]) -> None:
        """Do nothing: a gateway embeds as it is asked."""
        del texts

    def subject(self, name: str) -> Subject:
        """Return a subject's memory; equal names are one."""
        token = tokens.token(
            self._where.settings,
            tenant="bench",
            subject=name,
            scopes=("memory:read", "memory:write"),
            client="dev-app",
            ttl_seconds=86_400,
        )
        return Subject(self._http, token)


@asynccontextmanager
async def site() -> AsyncIterator[Site]:
    """Run a gateway while the block runs."""
    async with place() as where, serving(where):
        url = where.settings.url
        async with httpx2.AsyncClient(base_url=url, timeout=_SECONDS, trust_env=False) as http:
            yield Site(where, http)
