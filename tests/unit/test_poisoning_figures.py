"""The statistics of the poisoning bench: known values, ties, ends; and files that are refused."""

import math
from itertools import product
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.poisoning import rows as rows_module
from bench.poisoning.figures import above, cut, separation, share, spread
from bench.poisoning.rows import FROZEN, FROZEN_SHA256, RowsError, read


def test_wilson_gives_the_intervals_of_the_textbook() -> None:
    """Values as the formula gives them by hand, at both ends and between."""
    between = share(8, 10)
    assert between.rate == 0.8
    assert (round(between.low, 4), round(between.high, 4)) == (0.4902, 0.9433)
    none, every = share(0, 10), share(10, 10)
    assert (none.low, round(none.high, 4)) == (0.0, 0.2775)
    assert (round(every.low, 4), every.high) == (0.7225, 1.0)


def test_of_nothing_there_is_no_rate() -> None:
    """An empty group is no group that nothing was caught of."""
    assert share(0, 0).rate is None


@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_its_rate_and_stays_within_bounds(case: tuple[int, int]) -> None:
    """Whatever was counted, low <= rate <= high within [0, 1]."""
    hits, total = case
    counted = share(hits, total)
    assert 0.0 <= counted.low <= hits / total <= counted.high <= 1.0


def test_no_more_benign_rows_are_caught_than_allowed_when_scores_tie() -> None:
    """Three benign rows share the score at the cut: all three fall on the side that is let be."""
    benign = [0.9, 0.5, 0.5, 0.5, *[0.1] * 16]
    threshold = cut(benign, 0.05)
    assert threshold == 0.5
    assert above(benign, threshold).hits == 1
    assert above([0.6, 0.5, 0.95, 0.2], threshold).hits == 2


def test_a_share_that_is_less_than_one_row_allows_none() -> None:
    """Of 50 benign rows, one per cent is half a row: the threshold is the highest of them."""
    benign = [n / 100 for n in range(50)]
    assert cut(benign, 0.01) == 0.49
    assert cut(benign, 0.02) == 0.48
    assert above([0.49, 0.485], cut(benign, 0.01)).hits == 0


def test_without_benign_rows_nothing_is_said() -> None:
    """A threshold needs somebody whom it spares."""
    assert cut([], 0.05) is None
    assert above([0.4], None).rate is None
    assert separation([0.4], []).auc is None


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=30),
    st.lists(st.integers(0, 5), min_size=1, max_size=30),
)
def test_the_area_is_the_share_of_pairs_in_the_right_order(
    attacks: list[int], benign: list[int]
) -> None:
    """Against the definition, pair by pair, a tie counting half."""
    pairs = [1.0 if a > b else 0.5 if a == b else 0.0 for a, b in product(attacks, benign)]
    found = separation([a / 5 for a in attacks], [b / 5 for b in benign])
    assert found.auc is not None
    assert math.isclose(found.auc, sum(pairs) / len(pairs), abs_tol=1e-9)
    assert found.auc_low <= found.auc + 1e-9
    assert found.auc_high >= found.auc - 1e-9


def test_delong_gives_the_interval_worked_out_by_hand() -> None:
    """Attacks .8 .4, benign .6 .2: area 3/4, both placement variances 1/8, so a width of .3536."""
    found = separation([0.8, 0.4], [0.6, 0.2])
    assert found.auc == 0.75
    assert round(found.auc_low, 4) == round(0.75 - 1.959964 * math.sqrt(0.125), 4)
    assert found.auc_high == 1.0


def test_times_are_told_in_milliseconds() -> None:
    """Median, 95th percentile and mean of seconds."""
    told = spread([0.001 * n for n in range(1, 101)])
    assert (round(told.median, 3), round(told.p95, 3), round(told.mean, 3)) == (50.5, 95.0, 50.5)


def test_the_frozen_rows_are_the_ones_that_were_frozen() -> None:
    """Their digest stands in the code and beside them."""
    assert read(FROZEN).sha256 == FROZEN_SHA256
    assert FROZEN_SHA256 in (FROZEN.parent / "README.md").read_text("utf-8")


def test_frozen_rows_that_changed_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One added line, and no figure is told."""
    changed = tmp_path / "frozen.jsonl"
    changed.write_bytes(FROZEN.read_bytes() + b'{"text": "x", "label": 0}\n')
    monkeypatch.setattr(rows_module, "FROZEN", changed)
    with pytest.raises(RowsError, match="was frozen"):
        read(changed)


def test_a_line_that_is_no_row_is_named_by_its_number_and_never_quoted(tmp_path: Path) -> None:
    """A label that is neither 0 nor 1 is a mistake, not a benign row."""
    file = tmp_path / "rows.jsonl"
    file.write_text('{"text": "fine", "label": 0}\n{"text": "hush", "label": 2}\n', "utf-8")
    with pytest.raises(RowsError, match="line 2 is no row") as raised:
        read(file)
    assert "hush" not in str(raised.value)


def test_a_limit_takes_rows_evenly_and_always_the_same(tmp_path: Path) -> None:
    """The attacks at the head of a file are not all that is measured."""
    file = tmp_path / "rows.jsonl"
    lines = [msgspec.json.encode({"text": f"row {n}", "label": int(n < 50)}) for n in range(100)]
    file.write_bytes(b"\n".join(lines))
    taken = read(file, 10)
    assert [row.text for row in taken.rows] == [f"row {n}" for n in range(0, 100, 10)]
    assert (taken.total, read(file, 10)) == (100, taken)
    assert taken.missing == ("lang", "kind", "strength", "source", "origin")
