"""Clients that write at once and keep every acknowledgement, and the proof that each was true."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple

import httpx2
import msgspec

from tests.live.gateway_process import Caller, until
from tests.live.phrases import phrases

_AGAIN_SECONDS: Final = 0.4
"""Pause of a client whose request came to nothing."""
_PROVING: Final = 4


class Acknowledged(NamedTuple):
    """One memory that the gateway said it has."""

    caller: Caller
    id: str
    text: str


class Writing:
    """Writers who write as many texts as they are granted, and don't give a text up.

    More than a hundred per subject within a minute would be a burst and held for review.

    A request that breaks off or is told to come back is sent again with the same text, as a client
    does that can't know whether it was heard: the answer is then `stored` or `merged`, and it must
    never be another one.
    """

    def __init__(self, callers: Sequence[Caller], writers: int) -> None:
        self.acknowledged: list[Acknowledged] = []
        self.answers: Counter[str] = Counter()
        self.broken = 0
        self._callers = callers
        self._writers = writers
        self._permits = asyncio.Semaphore(0)
        self._granted = 0

    def grant(self, writes: int) -> None:
        """Let so many more texts be written."""
        self._granted += writes
        for _ in range(writes):
            self._permits.release()

    async def run(self) -> None:
        """Write until cancelled."""
        async with asyncio.TaskGroup() as group:
            for number in range(self._writers):
                caller = self._callers[number % len(self._callers)]
                group.create_task(self._write(caller, phrases(number), number))

    async def reached(self, acknowledged: int) -> None:
        """Return when so many texts are acknowledged."""

        async def enough() -> bool:
            return len(self.acknowledged) >= acknowledged

        await until(enough, f"{acknowledged} writes are acknowledged")

    async def finished(self) -> None:
        """Return when everything that was granted is acknowledged."""
        await self.reached(self._granted)

    async def _write(self, caller: Caller, texts: Iterator[str], writer: int) -> None:
        source = f"notebook {writer}"
        for number, text in enumerate(texts):
            await self._permits.acquire()
            layer = ("episodic", "semantic")[number // 2 % 2]
            id = None
            while id is None:
                id = await self._once(caller, text, source, layer)
                await asyncio.sleep(0 if id else _AGAIN_SECONDS)
            self.acknowledged.append(Acknowledged(caller, id, text))

    async def _once(self, caller: Caller, text: str, source: str, layer: str) -> str | None:
        """Return the id that an acknowledgement names, None when there was none."""
        try:
            response = await caller.store(text, layer=layer, origin={"reference": source})
        except httpx2.TransportError:
            self.broken += 1
            return None
        answer = msgspec.json.decode(response.content, type=dict[str, Any])
        if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
            assert int(response.headers["Retry-After"]) >= 1
            self.answers["unavailable"] += 1
            return None
        expected = {"stored": HTTPStatus.CREATED, "merged": HTTPStatus.OK}
        assert response.status_code == expected.get(answer["outcome"]), (text, answer)
        self.answers[answer["outcome"]] += 1
        return str(answer["id"])


async def recalls(caller: Caller, id: str, text: str, *, degraded: bool | None = False) -> bool:
    """Say whether a question in the memory's own words finds it among the first ten.

    Asks again until the answer is degraded, or not, as expected; None takes it either way.
    """
    answer: dict[str, Any] = {}

    async def as_expected() -> bool:
        answer.update(await caller.recall(text))
        return degraded is None or answer["degraded"] is degraded

    await until(as_expected, f"a recall with degraded={degraded}")
    return any(item["id"] == id and item["text"] == text for item in answer["items"])


async def assert_all_there(acknowledged: Sequence[Acknowledged]) -> None:
    """Prove each acknowledgement by id and by recall, and that nothing else or twice was kept."""
    lost: list[str] = []
    missed: list[str] = []
    rest = iter(acknowledged)

    async def prove() -> None:
        for caller, id, text in rest:
            response = await caller.fetch(id)
            if response.status_code != HTTPStatus.OK or response.json()["text"] != text:
                lost.append(text)
            if not await recalls(caller, id, text):
                missed.append(text)

    async with asyncio.TaskGroup() as group:
        for _ in range(_PROVING):
            group.create_task(prove())
    assert (lost, missed) == ([], [])

    expected: defaultdict[Caller, list[str]] = defaultdict(list)
    for caller, _, text in acknowledged:
        expected[caller].append(text)
    for caller, texts in expected.items():
        assert sorted(await caller.texts()) == sorted(texts)
