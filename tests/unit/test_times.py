"""What times questions speak of, in English and Chinese, wherever they are asked."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.times import LONGEST, NO_TIMES, Order, Span, times_of, without_times
from tests.unit.times_lines import LINES, NEWEST_LINES, NONE, OLDEST_LINES

HERE = ZoneInfo("UTC")
ASKED = datetime(2026, 5, 20, 15, 30, tzinfo=UTC)
ROWS = [tuple(part.strip() for part in line.split("|")) for line in LINES.strip().splitlines()]
ZONES = ("UTC", "Asia/Shanghai", "America/New_York", "Pacific/Apia", "Australia/Lord_Howe")


def _instant(written: str) -> datetime | None:
    return None if written == ".." else datetime.fromisoformat(written).replace(tzinfo=UTC)


def _said(lines: str) -> list[str]:
    return [part.strip() for line in lines.strip().splitlines() for part in line.split("|") if part]


def _one(text: str, at: datetime = ASKED, zone: str = "UTC") -> Span:
    (span,) = times_of(text, at, ZoneInfo(zone)).spans
    return span


def _local(zone: str, *parts: int) -> datetime:
    return datetime(*parts, tzinfo=ZoneInfo(zone)).astimezone(UTC)  # type: ignore[misc, arg-type]


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(("text", "since", "until"), ROWS)
def test_a_time_is_read_as_a_stretch_of_instants(text: str, since: str, until: str) -> None:
    """Relative, absolute, bounded and open times, each in both languages."""
    span = _one(text)
    assert (span.since, span.until) == (_instant(since), _instant(until))
    assert span.words


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("text", _said(NONE))
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    """Verbs, names, habits, lines of the underground and days that no calendar has."""
    assert times_of(text, ASKED, HERE) == NO_TIMES


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("text", _said(NEWEST_LINES))
def test_the_last_one_is_a_wish_for_the_newest(text: str) -> None:
    """It orders and bounds nothing."""
    assert times_of(text, ASKED, HERE).order is Order.NEWEST


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("text", _said(OLDEST_LINES))
def test_the_first_one_is_a_wish_for_the_oldest(text: str) -> None:
    """It orders and bounds nothing."""
    assert times_of(text, ASKED, HERE).order is Order.OLDEST


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(
    ("zone", "text", "since", "until"),
    [
        # In Shanghai it is already the evening of the 20th, in Auckland the 21st.
        ("Asia/Shanghai", "昨天", (2026, 5, 19), (2026, 5, 20)),
        ("Asia/Shanghai", "上周", (2026, 5, 11), (2026, 5, 18)),
        ("Pacific/Auckland", "yesterday", (2026, 5, 20), (2026, 5, 21)),
        ("Pacific/Auckland", "昨天", (2026, 5, 20), (2026, 5, 21)),
        ("America/Los_Angeles", "this morning", (2026, 5, 20, 4), (2026, 5, 20, 12)),
        # Clocks went forward on 29 March and back on 25 October.
        ("Europe/Berlin", "on 29 March", (2026, 3, 29), (2026, 3, 30)),
        ("Europe/Berlin", "2025年10月26日", (2025, 10, 26), (2025, 10, 27)),
        ("America/New_York", "in March", (2026, 3, 1), (2026, 4, 1)),
        ("Asia/Kolkata", "去年", (2025, 1, 1), (2026, 1, 1)),
    ],
)
def test_days_begin_at_midnight_where_it_is_asked(
    zone: str, text: str, since: tuple[int, ...], until: tuple[int, ...]
) -> None:
    """The same words are other instants in another zone."""
    span = _one(text, zone=zone)
    assert (span.since, span.until) == (_local(zone, *since), _local(zone, *until))


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(
    ("text", "hours"), [("29 March", 23), ("25 October 2025", 24), ("2025年10月26日", 25)]
)
def test_a_day_is_as_long_as_its_clocks_make_it(text: str, hours: int) -> None:
    """A change of clocks moves the end of the day, and not the midnight."""
    span = _one(text, zone="Europe/Berlin")
    assert span.since is not None
    assert span.until is not None
    assert span.until - span.since == timedelta(hours=hours)


@pytest.mark.requirement("R2")
def test_an_hour_that_clocks_leave_out_still_begins_before_it_ends() -> None:
    """Half past two on the night in which it never was."""
    span = _one("on 29 March at 2:30", zone="Europe/Berlin")
    assert span.since is not None
    assert span.until is not None
    assert span.since < span.until


@pytest.mark.requirement("R2")
def test_a_day_that_a_zone_left_out_still_begins_before_it_ends() -> None:
    """Samoa had no 30 December 2011."""
    span = _one("on 30 December 2011", zone="Pacific/Apia")
    assert span.since is not None
    assert span.until is not None
    assert span.since < span.until


@pytest.mark.requirement("R2")
def test_a_stretch_says_which_words_it_was_read_from() -> None:
    """So that an answer can be explained."""
    assert _one("what did we decide since last Monday?").words == "since last monday"
    assert _one("上周三之后的会议").words == "上周三之后"


@pytest.mark.requirement("R2")
def test_several_times_are_several_stretches_and_a_flood_is_none() -> None:
    """Two are compared; a calendar that somebody pasted is no question about a time."""
    assert len(times_of("was it yesterday or last week?", ASKED, HERE).spans) == 2
    flood = " or ".join(f"on {day} March" for day in range(1, 20))
    assert times_of(flood, ASKED, HERE) == NO_TIMES


@pytest.mark.requirement("R2")
def test_times_can_be_taken_out() -> None:
    """What is left are the words that name none."""
    assert without_times("what did I eat last Thursday?", ASKED, HERE).split() == [
        "what", "did", "i", "eat", "?",
    ]  # fmt: skip
    assert without_times("上周四吃了什么", ASKED, HERE).strip() == "吃了什么"


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("year", [1, 9999])
def test_the_ends_of_all_calendars_are_no_error(year: int) -> None:
    """What lies outside is not read."""
    at = datetime(year, 1, 1, 12, tzinfo=UTC)
    for text in ("last year", "去年", "next year", "上周", "two years ago", "Christmas"):
        times_of(text, at, ZoneInfo("Pacific/Auckland"))


PIECES = st.sampled_from(
    [row[0] for row in ROWS] + _said(NONE) + list("前后到至从月日年周,.-/:0９")
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=5).map(" ".join))


@pytest.mark.requirement("R2")
@settings(max_examples=150, deadline=None)
@given(
    TEXTS,
    st.datetimes(timezones=st.just(UTC)),
    st.sampled_from(ZONES),
)
def test_any_text_at_any_moment_gives_stretches_that_begin_before_they_end(
    text: str, at: datetime, zone: str
) -> None:
    """Nothing raises, the same question gives the same, and no stretch is empty."""
    times = times_of(text, at, ZoneInfo(zone))
    assert times == times_of(text, at, ZoneInfo(zone))
    for span in times.spans:
        assert span.since is not None or span.until is not None
        if span.since is not None and span.until is not None:
            assert span.since < span.until


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("piece", ["in the last ", "三", "5 March ", "2026-", "上上", "from "])
def test_only_the_beginning_of_a_long_text_is_read(piece: str) -> None:
    """However long, it is read like its beginning."""
    text = piece * 20_000
    assert times_of(text, ASKED, HERE) == times_of(text[:LONGEST], ASKED, HERE)
