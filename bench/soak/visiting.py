"""What the subjects do all day: store, recall, list, read, forget, and try other people's doors."""

import asyncio
import random
import re
import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from bench.soak.asking import Answer, Asking
from bench.soak.book import Book, Entry, Owner, State

ATTEMPTS: Final = 8
_FIRST_PAUSE: Final = 0.25
_LONGEST_PAUSE: Final = 3.0
_IN_FLIGHT: Final = 24
_BY_TOPIC: Final = 0.5
_CODE: Final = re.compile(r"[A-Z]+\d[A-Z0-9]*:? ?")
_LATER = {"Prefer": "respond-async"}


class Visiting:
    """Mixed load at a bounded rate. One subject does one thing at a time, through any gateway."""

    def __init__(
        self, asking: Asking, book: Book, owners: list[Owner], chance: random.Random
    ) -> None:
        self._asking = asking
        self._book = book
        self._owners = owners
        self._chance = chance
        self._busy: set[Owner] = set()
        self._ways: Mapping[Callable[[Owner], Awaitable[None]], int] = {
            self.store: 38,
            self.store_by_tool: 4,
            self.recall: 20,
            self.recall_by_tool: 3,
            self.read: 15,
            self.list: 8,
            self.forget: 7,
            self.trespass: 5,
        }

    async def run(self, rate: float, seconds: float) -> None:
        """Do things at this rate for so long, then let what was begun come to its end."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        ways, weights = list(self._ways), list(self._ways.values())
        async with asyncio.TaskGroup() as group:
            while loop.time() < until:
                free = [one for one in self._owners if one not in self._busy]
                if len(self._busy) < _IN_FLIGHT and free:
                    owner = self._chance.choice(free)
                    (way,) = self._chance.choices(ways, weights)
                    self._busy.add(owner)
                    group.create_task(self._one(way, owner))
                else:
                    self._book.counts["visits put off"] += 1
                await asyncio.sleep(self._chance.expovariate(rate))

    async def _one(self, way: Callable[[Owner], Awaitable[None]], owner: Owner) -> None:
        try:
            await way(owner)
            self._book.counts["visits"] += 1
        finally:
            self._busy.discard(owner)

    async def store(self, owner: Owner) -> None:
        """Write, now or later, with a key or without, until the answer says that it is kept."""
        text = self._book.new_text(owner)
        later, keyed = self._chance.random() < 0.15, self._chance.random() < 0.5
        headers: dict[str, str] = dict(_LATER) if later else {}
        if later or keyed:
            headers["Idempotency-Key"] = str(uuid.UUID(int=self._chance.getrandbits(128)))
        body = {"text": text, "layer": self._chance.choice(("episodic", "semantic"))}

        async def ask() -> Answer:
            return await self._asking.rest(owner, "POST", "/v1/memories", body, **headers)

        await self._written(owner, text, ask)

    async def store_by_tool(self, owner: Owner) -> None:
        """Write as an agent does."""
        text = self._book.new_text(owner)
        key = str(uuid.UUID(int=self._chance.getrandbits(128)))
        arguments = {"text": text, "idempotency_key": key}

        async def ask() -> Answer:
            return await self._asking.tool(owner, "store_memory", arguments)

        await self._written(owner, text, ask)

    async def recall(self, owner: Owner) -> None:
        """Ask in a memory's own words, or by what it is about."""
        entry = self._book.any_entry(self._chance, owner, State.KEPT)
        query = self._question(entry)
        answer = await self._asking.rest(owner, "POST", "/v1/recall", {"query": query, "k": 10})
        if answer.status != 200:
            return
        self._book.recalled(owner, answer.texts)
        self._book.counts["recalls degraded" if answer.body["degraded"] else "recalls whole"] += 1
        if entry is not None and query == entry.text and entry.id not in answer.texts:
            self._book.counts["recalls that missed, under faults"] += 1

    async def recall_by_tool(self, owner: Owner) -> None:
        """Ask as an agent does. The answer is checked for marks alone."""
        query = self._question(self._book.any_entry(self._chance, owner, State.KEPT))
        await self._asking.tool(owner, "recall_memory", {"query": query, "k": 10})

    def _question(self, entry: Entry | None) -> str:
        """Return a memory's words, half of the time without the codes that nobody else's have.

        With them alone a gateway that mixes people up would hardly show: by its code a question
        finds nothing of anybody else's.
        """
        if entry is None:
            return "Which locker was it?"
        return _CODE.sub("", entry.text) if self._chance.random() < _BY_TOPIC else entry.text

    async def read(self, owner: Owner) -> None:
        """Ask for one memory by id, also for one that was forgotten."""
        entry = self._book.any_entry(self._chance, owner, *State)
        if entry is not None:
            await self.read_one(entry)

    async def read_one(self, entry: Entry) -> Answer:
        """Ask for this memory by id."""
        answer = await self._asking.rest(entry.owner, "GET", f"/v1/memories/{entry.id}")
        if answer.status in (200, 404):
            self._book.fetched(entry, answer.body["text"] if answer.status == 200 else None)
        return answer

    async def list(self, owner: Owner) -> None:
        """Turn all pages of one's own memories."""
        found: dict[str, str] = {}
        cursor = None
        while True:
            more = f"&cursor={cursor}" if cursor else ""
            answer = await self._asking.rest(owner, "GET", f"/v1/memories?limit=5{more}")
            if answer.status != 200:
                return
            found |= answer.texts
            cursor = answer.body["cursor"]
            if cursor is None:
                break
        self._book.listed(owner, found)

    async def forget(self, owner: Owner) -> None:
        """Forget one of one's own memories, until the answer says that it is gone."""
        entry = self._book.any_entry(self._chance, owner, State.KEPT)
        if entry is None:
            return
        by_tool = self._chance.random() < 0.2
        undecided = False
        for attempt in range(ATTEMPTS):
            if by_tool:
                answer = await self._asking.tool(owner, "forget_memory", {"id": entry.id})
            else:
                answer = await self._asking.rest(owner, "DELETE", f"/v1/memories/{entry.id}")
            if answer.status == 200 or (answer.status == 404 and undecided):
                entry.state = State.GONE
                self._book.counts["memories forgotten"] += 1
                return
            if answer.status == 404:
                self._book.violated(f"LOST: {owner} {entry.id} could not be forgotten")
                return
            undecided = undecided or answer.undecided
            if undecided:
                entry.state = State.UNKNOWN
            await _pause(attempt)

    async def trespass(self, owner: Owner) -> None:
        """Ask for and try to forget what is somebody else's: in most cases of one's own tenant."""
        others = [one for one in self._book.owners() if one != owner]
        near = [one for one in others if one.tenant == owner.tenant]
        if not others:
            return
        other = self._chance.choice(near if near and self._chance.random() < 0.7 else others)
        entry = self._book.any_entry(self._chance, other, *State)
        if entry is None:
            return
        method = self._chance.choice(("GET", "DELETE"))
        answer = await self._asking.rest(owner, method, f"/v1/memories/{entry.id}")
        self._book.counts["trespasses tried"] += 1
        if answer.status not in (0, 404, 503):
            self._book.violated(f"CROSS-SCOPE: {owner}: {method} of {other}'s: {answer.status}")

    async def _written(self, owner: Owner, text: str, ask: Callable[[], Awaitable[Answer]]) -> None:
        undecided = False
        for attempt in range(ATTEMPTS):
            answer = await ask()
            if not answer.again:
                self._taken(owner, text, answer)
                return
            undecided = undecided or answer.undecided
            await _pause(attempt)
        if undecided:
            self._book.counts["writes never answered"] += 1
        else:
            self._book.refused(owner, text)

    def _taken(self, owner: Owner, text: str, answer: Answer) -> None:
        outcome = answer.body.get("outcome")
        if outcome in ("stored", "merged", "queued"):
            state = State.ACCEPTED if outcome == "queued" else State.KEPT
            self._book.acknowledged(owner, answer.body["id"], text, state)
        elif outcome == "quarantined":
            # Held is a promise, too, but no reviewer comes: it is counted, not followed.
            self._book.counts["writes held"] += 1
        else:
            self._book.violated(f"UNEXPECTED: a write was answered {answer.status} {outcome}")


async def _pause(attempt: int) -> None:
    await asyncio.sleep(min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**attempt))
