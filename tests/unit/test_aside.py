"""Brief texts are read at once, long ones in threads, and a thread that hangs holds up nobody."""

import threading

import pytest

from guard.aside import BRIEF, apart, aside

_WAIT = 10


async def test_brief_work_is_done_at_once_and_long_work_in_a_thread() -> None:
    """The answer is the same; only who works differs."""
    here = threading.get_ident()
    assert await aside(BRIEF, threading.get_ident) == here
    assert await aside(BRIEF + 1, threading.get_ident) != here
    assert await aside(BRIEF + 1, max, 3, 4) == await aside(1, max, 3, 4) == 4


async def test_what_brief_work_raises_reaches_who_asked() -> None:
    """An error is no answer, wherever the work was done."""
    for size in (BRIEF, BRIEF + 1):
        with pytest.raises(ZeroDivisionError):
            await aside(size, divmod, 1, 0)


@pytest.mark.requirement("W11")
def test_work_that_hangs_takes_no_place_from_other_work() -> None:
    """While many never end, each new piece of work still has a thread, and ends."""
    release = threading.Event()
    for _ in range(20):
        apart(release.wait)
    try:
        for _ in range(20):
            ended = threading.Event()
            apart(ended.set)
            assert ended.wait(_WAIT)
    finally:
        release.set()


def test_a_thread_that_came_back_is_used_again() -> None:
    """Work after work does not make thread after thread."""
    seen: set[int] = set()
    for _ in range(50):
        ended = threading.Event()

        def work(ended: threading.Event = ended) -> None:
            seen.add(threading.get_ident())
            ended.set()

        apart(work)
        assert ended.wait(_WAIT)
    assert len(seen) < 50
