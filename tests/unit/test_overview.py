"""The overview's sums, and the places of its charts."""

from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import Final

import pytest

from gateway.console.charts import HEIGHT, MOST_SERIES, REST, WIDTH, stacked
from guard.findings import Event, Told
from guard.nouns import Leaf
from guard.overview import UNKNOWN, kind_of, summed
from memory.origin import Channel
from memory.types import ClientId, LeafId

NOW: Final = datetime(2026, 3, 10, 15, tzinfo=UTC)
_numbers = count(1)


def told(event: Event, *reasons: str, at: datetime = NOW) -> Told:
    """Return an event of a memory of its own."""
    number = next(_numbers)
    leaf = Leaf(
        id=LeafId(f"leaf{number}"),
        tenant="acme",
        subject="ada",
        actor="ada",
        client=ClientId("app"),
        channel=Channel.REST,
        action="remember",
        object=f"m{number}",
        version=1,
        outcome="quarantined",
        policy="p",
        digest=b"",
        reasons=reasons,
        at=at,
    )
    return Told(number, leaf, event)


@pytest.mark.requirement("Q8")
def test_what_is_caught_counts_on_its_day_by_what_was_found() -> None:
    """Once each; what a person decided is no further catch."""
    yesterday = NOW - timedelta(days=1)
    events = [
        told(Event.HELD, "injection.override", "classifier.poison"),
        told(Event.HELD, "relate.conflict", "authority.payee", at=yesterday),
        told(Event.REFUSED, at=yesterday),
        told(Event.RELEASED, "authority.payee"),
    ]

    found = summed(events, {}, 7, NOW - timedelta(days=2), NOW)

    assert [day.day for day in found.days] == [
        date(2026, 3, 8),
        date(2026, 3, 9),
        date(2026, 3, 10),
    ]
    assert [dict(day.kinds) for day in found.days] == [
        {},
        {"authority": 1, UNKNOWN: 1},
        {"injection": 1},
    ]
    assert dict(found.days[1].origins) == {UNKNOWN: 2}
    assert found.held == 7
    assert found.events == {Event.HELD: 2, Event.REFUSED: 1, Event.RELEASED: 1}
    assert found.review_minutes is None


@pytest.mark.requirement("Q8")
def test_a_kind_is_what_was_found_in_the_text() -> None:
    """Not what became of it."""
    assert kind_of(["review.released", "secrets.card"]) == "secrets"
    assert kind_of([]) == kind_of(["relate.conflict", "memory.1"]) == UNKNOWN


@pytest.mark.requirement("Q8")
def test_the_stacks_of_a_chart_are_as_high_as_what_they_count() -> None:
    """All in the drawing, on one ground, in proportion, and none over another."""
    days = [
        (date(2026, 3, 8), {"injection": 3, "authority": 1}),
        (date(2026, 3, 9), {}),
        (date(2026, 3, 10), {"authority": 2}),
    ]

    chart = stacked(days)

    assert chart.legend == (("authority", 3), ("injection", 3))
    assert chart.total == 6
    low, high = chart.bars[0], chart.bars[1]
    assert (low.name, low.count, high.name, high.count) == ("authority", 1, "injection", 3)
    assert high.height == pytest.approx(3 * low.height, abs=0.05)
    assert high.y + high.height == pytest.approx(low.y, abs=0.02)
    grounds = {round(bar.y + bar.height, 1) for bar in (low, chart.bars[2])}
    assert grounds == {round(chart.lines[0].at, 1)}
    for bar in chart.bars:
        assert bar.x >= 0
        assert bar.x + bar.width <= WIDTH
        assert 0 <= bar.y <= HEIGHT
    assert [line.text for line in chart.lines] == ["0", "2", "4"]


@pytest.mark.requirement("Q8")
def test_names_beyond_the_colours_are_counted_as_the_others() -> None:
    """Nothing is lost of the sum; an empty chart has no stack."""
    names = {f"kind{n}": 10 - n for n in range(MOST_SERIES + 3)}

    chart = stacked([(date(2026, 3, 8), names)])

    assert [name for name, _ in chart.legend] == [*list(names)[:MOST_SERIES], REST]
    assert chart.total == sum(names.values()) == sum(bar.count for bar in chart.bars)
    assert stacked([(date(2026, 3, 8), {})]).bars == ()
    assert len(stacked([(date(2026, 3, 1) + timedelta(n), {}) for n in range(30)]).marks) == 6
