"""`screen` judges many texts at once, in order, and loses none."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from gateway.cli.feed import Line
from gateway.cli.screening import IN_FLIGHT, Judged, Unread, Verdict, in_order


async def _feed(count: int) -> AsyncIterator[Line]:
    for number in range(1, count + 1):
        yield Line(number, b"x", number)


def _verdict(line: Line) -> Verdict:
    return Verdict(line.number, "allow", None, ())


async def test_outcomes_keep_the_order_of_the_lines() -> None:
    """A text that takes long holds back the answer of the next, and not its judging."""
    second_judged = asyncio.Event()

    async def judge_line(line: Line) -> Judged:
        if line.number == 1:
            await second_judged.wait()
        else:
            second_judged.set()
        return _verdict(line)

    told: list[int] = []
    await in_order(_feed(3), judge_line, lambda line, _: told.append(line.number))
    assert told == [1, 2, 3]


async def test_many_texts_are_judged_at_once_and_never_more_than_the_bound() -> None:
    """The embedder gets full batches; a file of any size does not fill the memory."""
    running, most = 0, 0

    async def judge_line(line: Line) -> Judged:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(IN_FLIGHT):
            await asyncio.sleep(0)
        running -= 1
        return _verdict(line)

    told: list[int] = []
    await in_order(_feed(500), judge_line, lambda line, _: told.append(line.number))
    assert told == list(range(1, 501))
    assert IN_FLIGHT <= most <= IN_FLIGHT + 2


async def test_a_line_without_a_verdict_costs_no_other() -> None:
    """What can't be judged is told in its place, and the rest is judged."""

    async def judge_line(line: Line) -> Judged:
        return Unread(2, "invalid", "bad") if line.number == 2 else _verdict(line)

    told: list[Judged] = []
    await in_order(_feed(3), judge_line, lambda _, judged: told.append(judged))
    assert told == [
        _verdict(Line(1, b"x", 1)),
        Unread(2, "invalid", "bad"),
        _verdict(Line(3, b"x", 3)),
    ]


async def test_an_error_nobody_foresaw_is_not_swallowed() -> None:
    """A defect ends the run; it never looks like a short file."""

    async def judge_line(line: Line) -> Judged:
        raise ZeroDivisionError(line.number)

    with pytest.raises(ExceptionGroup) as raised:
        await in_order(_feed(3), judge_line, lambda *_: None)
    assert raised.group_contains(ZeroDivisionError)
