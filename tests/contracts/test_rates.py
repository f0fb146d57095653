"""The contract of write rates. Time is an argument throughout."""

from datetime import timedelta

import pytest

from storage.rates import WindowRates
from tests.contracts.ledger_builders import ACME, GLOBEX, START

WINDOW = 60.0
SECOND = timedelta(seconds=1)


@pytest.fixture
def rates() -> WindowRates:
    """Nothing noted yet, a window of a minute."""
    return WindowRates(WINDOW)


@pytest.mark.requirement("W8")
async def test_each_write_counts_itself_and_those_within_the_window(rates: WindowRates) -> None:
    """The window slides: exactly its length later a write no longer counts."""
    at = [START, START + SECOND, START + 59 * SECOND, START + 60 * SECOND, START + 61 * SECOND]
    assert [await rates.note(ACME, "web", moment) for moment in at] == [1, 2, 3, 3, 3]
    assert await rates.note(ACME, "web", START + 1000 * SECOND) == 1


@pytest.mark.requirement("W8")
async def test_writes_at_one_moment_all_count(rates: WindowRates) -> None:
    """A burst within one microsecond is a burst."""
    assert [await rates.note(ACME, "web", START) for _ in range(4)] == [1, 2, 3, 4]


@pytest.mark.requirement("W8")
async def test_keys_and_tenants_are_counted_apart(rates: WindowRates) -> None:
    """The same key in another tenant is another origin."""
    assert await rates.note(ACME, "web", START) == 1
    assert await rates.note(GLOBEX, "web", START) == 1
    assert await rates.note(ACME, "document", START) == 1
    assert await rates.note(ACME, "web", START) == 2


@pytest.mark.requirement("W8")
async def test_a_write_noted_late_counts_in_its_own_window(rates: WindowRates) -> None:
    """Requests may overtake each other; none is ever counted as nobody."""
    await rates.note(ACME, "web", START)
    await rates.note(ACME, "web", START + 50 * SECOND)
    assert await rates.note(ACME, "web", START + 10 * SECOND) == 2
    assert await rates.note(ACME, "web", START - 100 * SECOND) == 1
    assert await rates.note(ACME, "web", START + 51 * SECOND) == 4


@pytest.mark.requirement("W8")
async def test_idle_keys_are_forgotten(rates: WindowRates) -> None:
    """Memory follows what is in the window, not all keys ever seen."""
    for number in range(1000):
        await rates.note(ACME, f"origin-{number}", START)
    await rates.note(ACME, "recent", START + 30 * SECOND)
    assert len(rates._times) == 1001
    await rates.note(ACME, "now", START + 61 * SECOND)
    assert len(rates._times) == 2


@pytest.mark.requirement("W8")
def test_a_window_has_a_length() -> None:
    """Nothing would ever be counted in an empty one."""
    with pytest.raises(ValueError, match="window"):
        WindowRates(0)
