"""The report of one run, and how a person reads it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from bench.poisoning.figures import Share, Spread
from bench.poisoning.metering import Timed
from bench.poisoning.peers import PeerReport
from bench.poisoning.tables import ALL, ATTACKS, BENIGN, Flagged, Group, Held, HeldBy, Scored

NO_SCORE: Final = "no score"
_GAP: Final = "  "


class FileReport(msgspec.Struct, frozen=True):
    """All that was measured on one file. `total` are the rows of the file, `rows` those judged."""

    file: str
    sha256: str
    rows: int
    total: int
    missing: tuple[str, ...]
    held: list[Held]
    held_by: list[HeldBy]
    unended: Mapping[str, int]
    refused: Mapping[str, int]
    scored_as: str
    without_score: int
    scored: list[Scored]
    flagged: list[Flagged]
    peers: list[PeerReport]
    beside_peers: list[Held]


class Report(msgspec.Struct, frozen=True):
    """All that was measured."""

    policy: str
    models: str
    files: list[FileReport]
    timed: Timed | None


def printed(report: Report) -> Iterator[str]:
    """Yield the lines of the report."""
    yield f"policy {report.policy}"
    yield f"models {report.models}"
    for file in report.files:
        yield from _file(file)
    if report.timed is not None:
        yield from _times(report.timed)


def _file(file: FileReport) -> Iterator[str]:
    yield ""
    yield f"== {file.file}  {file.rows} of {file.total} rows  SHA-256 {file.sha256}"
    for name in file.missing:
        yield f"no row has `{name}`: nothing is told by it"
    for label in (ATTACKS, BENIGN):
        yield from _held(f"{label}: % held by the whole pipeline", label, file.held)
        yield from _skipped(f"{label}: skipped as not worth keeping", label, file.held)
    yield from _stages(file.held_by)
    for reason, count in {**file.unended, **file.refused}.items():
        yield f"! {reason}: {count} judgements"
    yield from _score(file)
    yield from _peers(file)


def _held(title: str, label: str, told: Sequence[Held]) -> Iterator[str]:
    own = [one for one in told if one.label == label]
    columns = list(dict.fromkeys(one.column for one in own))
    groups = dict.fromkeys(one.group for one in own)
    cells = {(one.group, one.column): one.held for one in own}
    body = [
        [_named(group), str(_largest(group, columns, cells))]
        + [_percent(cells.get((group, column))) for column in columns]
        for group in groups
    ]
    yield from _table(title, ["", "rows", *columns], body)


def _skipped(title: str, label: str, told: Sequence[Held]) -> Iterator[str]:
    own = [one for one in told if one.label == label]
    columns = list(dict.fromkeys(one.column for one in own))
    cells = {(one.group, one.column): one.skipped for one in own}
    groups = dict.fromkeys(one.group for one in own if one.skipped)
    body = [
        [_named(group), *(str(cells.get((group, column), "")) for column in columns)]
        for group in groups
    ]
    if body:
        yield from _table(title, ["", *columns], body)


def _stages(told: Sequence[HeldBy]) -> Iterator[str]:
    for label in (ATTACKS, BENIGN):
        own = [one for one in told if one.label == label]
        columns = list(dict.fromkeys(one.column for one in own))
        cells = {(one.stage, one.column): one for one in own}
        body = []
        for stage in dict.fromkeys(one.stage for one in own):
            row = [stage]
            for column in columns:
                cell = cells.get((stage, column))
                row.append("0" if cell is None else f"{cell.any.hits} ({cell.alone.hits})")
            body.append(row)
        if body:
            title = f"{label}: rows that each stage held (and that no other did)"
            yield from _table(title, ["", *columns], body)


def _score(file: FileReport) -> Iterator[str]:
    title = f"the classifier's score alone, texts given as {file.scored_as}"
    if not file.scored:
        yield ""
        yield f"{title}: {NO_SCORE}"
        return
    yield from _table(title, _SEPARATION, [_separated(one) for one in file.scored])
    if file.without_score:
        yield f"! {file.without_score} rows without a score count as 0"
    body = [
        [_named(one.group), str(one.at_1.total), _percent(one.at_1), _percent(one.at_5)]
        for one in file.flagged
    ]
    yield from _table("benign: % above these thresholds", ["", "rows", "1 %", "5 %"], body)


_SEPARATION: Final = ["", "against", "attacks", "benign", "AUC", "TPR at 1 % FPR", "TPR at 5 % FPR"]


def _separated(one: Scored) -> list[str]:
    of = one.separation
    area = NO_SCORE if of.auc is None else f"{of.auc:.3f} [{of.auc_low:.3f}-{of.auc_high:.3f}]"
    counts = [str(of.attacks), str(of.benign)]
    return [_named(one.group), one.against, *counts, area, _percent(of.at_1), _percent(of.at_5)]


def _peers(file: FileReport) -> Iterator[str]:
    if not file.peers:
        return
    yield ""
    yield "peers on the same rows, each told the origin in its own words"
    for peer in file.peers:
        name = f"{peer.name} {peer.version}"
        if peer.reason is not None:
            yield f"! {name}: {peer.reason}"
        else:
            yield f"{name}: {_milliseconds(peer.each)}; {peer.failed} rows failed"
            for setting in peer.loose:
                yield f"! {name}, {setting}: lets its own control through"
    for label in (ATTACKS, BENIGN):
        yield from _held(f"{label}: % held, beside peers", label, file.beside_peers)
    for peer in file.peers:
        for variant, told in peer.scored.items():
            whole = [one for one in told if one.group.field in (ALL, "strength", "language")]
            title = f"score of {peer.name}, {variant}"
            yield from _table(title, _SEPARATION, [_separated(one) for one in whole])


def _times(timed: Timed) -> Iterator[str]:
    head = ["", "median", "p95", "mean"]
    title = f"milliseconds a write, one at a time, on the wall, {timed.texts} texts"
    yield from _table(title, head, [_spread(*one) for one in timed.elapsed.items()])
    title = "parts in processor time, the models answering from memory"
    yield from _table(title, head, [_spread(*one) for one in timed.worked.items()])


def _spread(name: str, of: Spread) -> list[str]:
    return [name, f"{of.median:.2f}", f"{of.p95:.2f}", f"{of.mean:.2f}"]


def _milliseconds(of: Spread) -> str:
    return f"{of.median:.2f} ms median, {of.p95:.2f} ms p95"


def _largest(group: Group, columns: Iterable[str], cells: Mapping[tuple[Group, str], Share]) -> int:
    return max(cells[group, column].total for column in columns if (group, column) in cells)


def _named(group: Group) -> str:
    return ALL if group.field == ALL else f"{group.field}: {group.value}"


def _percent(of: Share | None) -> str:
    if of is None or of.rate is None:
        return "-"
    return f"{100 * of.rate:.1f} [{100 * of.low:.0f}-{100 * of.high:.0f}]"


def _table(title: str, head: Sequence[str], body: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    yield ""
    yield title
    for row in (head, *body):
        first, *others = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield _GAP.join((first, *others)).rstrip()
