"""A flood of long texts keeps its sender waiting, and not everybody's questions."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from guard.models.batching import BatchBounds, Batching
from memory.signals import Vectors

LONG = "x" * 8192


class Slow:
    """A model whose batches a test lets through one by one."""

    def __init__(self) -> None:
        self.began = threading.Semaphore(0)
        self.go = threading.Semaphore(0)
        self.batches: list[tuple[int, ...]] = []

    def run(self, texts: Sequence[str]) -> list[Vectors]:
        """Wait to be let through and answer with nothing for each text."""
        self.began.release()
        assert self.go.acquire(timeout=20)
        self.batches.append(tuple(len(text) for text in texts))
        return [{} for _ in texts]


@pytest.mark.requirement("E8")
async def test_a_question_waits_for_one_batch_of_a_flood_and_not_for_all() -> None:
    """What is short runs after the batch that runs already; and the flood still gets its turns."""
    slow = Slow()
    batching = Batching(slow.run, BatchBounds(characters=16_384))
    flood = [asyncio.create_task(batching.submit([LONG])) for _ in range(9)]
    await asyncio.to_thread(slow.began.acquire)
    questions = [asyncio.create_task(batching.submit(["where?"])) for _ in range(3)]
    await asyncio.sleep(0)
    slow.go.release(2)
    await asyncio.gather(*questions)
    assert slow.batches[1] == (6, 6, 6)
    assert sum(task.done() for task in flood) <= len(slow.batches[0])
    more = [asyncio.create_task(batching.submit(["when?"])) for _ in range(40)]
    await asyncio.sleep(0)
    slow.go.release(20)
    await asyncio.gather(*flood, *more)
    lanes = [batch[0] == len(LONG) for batch in slow.batches]
    assert lanes[2:6].count(True) >= 2
    await batching.close()
