"""One file measured: by the pipeline under each origin, by score, and by the peers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.poisoning.judging import Seen, patient, see
from bench.poisoning.models import asked_once, scores_told
from bench.poisoning.peers import PEERS, PeerReport, asked
from bench.poisoning.report import FileReport
from bench.poisoning.rows import Row, RowFile
from bench.poisoning.tables import OWN, Case, Held, cases_of, flagged, held, held_by, scored
from gateway.cli.say import Advance
from gateway.settings import Settings
from guard.models.vectors import readable
from guard.rooms import Rooms
from memory.origin import OriginClass

ORIGINS: Final = (
    OriginClass.WEB,
    OriginClass.DOCUMENT,
    OriginClass.TOOL_OUTPUT,
    OriginClass.AGENT_RELAYED,
    OriginClass.USER_STATED,
)
MEMGUARD: Final = "memguard"


async def measured(
    file: RowFile,
    origins: Sequence[OriginClass],
    rooms: Rooms,
    settings: Settings,
    *,
    peers_dir: Path | None,
    advance: Advance,
) -> FileReport:
    """Return all that is told of one file. Peers are asked when there is a place for them."""
    rows = file.rows
    seen, scores = await _seen(file, origins, rooms, settings, advance)
    columns = _columns(rows, origins, seen)
    some = any(score is not None for score in scores)
    filled = [score or 0.0 for score in scores]
    reports, beside = await _peers(file, columns, origins[0], peers_dir, advance)
    every = [one for row in seen for one in row]
    return FileReport(
        file=file.name,
        sha256=file.sha256,
        rows=len(rows),
        total=file.total,
        missing=file.missing,
        held=held({name: cases_of(*column) for name, column in columns.items()}),
        held_by=held_by(columns),
        unended=Counter(reason for one in every for reason in one.unended),
        refused=Counter(f"refused: {one.problem}" for one in every if one.problem is not None),
        scored_as=origins[0].value,
        without_score=sum(score is None for score in scores),
        scored=scored(rows, filled) if some else [],
        flagged=flagged(rows, filled) if some else [],
        peers=reports,
        beside_peers=beside,
    )


async def _seen(
    file: RowFile,
    origins: Sequence[OriginClass],
    rooms: Rooms,
    settings: Settings,
    advance: Advance,
) -> tuple[list[tuple[Seen, ...]], list[float | None]]:
    """Return what was seen of each row, and its score."""
    rows = file.rows
    each = [
        tuple(dict.fromkeys((*origins, *(() if row.origin is None else (row.origin,)))))
        for row in rows
    ]

    def done(count: int) -> None:
        advance(file.name, count, len(rows))

    with asked_once(), scores_told() as told:
        seen = await see(rows, each, patient(rooms), settings, done)
    return seen, [_score(row, one[0], told) for row, one in zip(rows, seen, strict=True)]


def _score(row: Row, seen: Seen, told: Mapping[str, float]) -> float | None:
    """Return the score as the model told it, else the one that stands in a finding."""
    return told.get(readable(row.text), seen.score)


def _columns(
    rows: Sequence[Row], origins: Sequence[OriginClass], seen: Sequence[tuple[Seen, ...]]
) -> dict[str, tuple[list[Row], list[Seen]]]:
    """Return rows and what was seen of them by column: one an origin, and each as its own."""
    columns = {
        origin.value: (list(rows), [_under(one, origin) for one in seen]) for origin in origins
    }
    own = [
        (row, _under(one, row.origin)) for row, one in zip(rows, seen, strict=True) if row.origin
    ]
    if own:
        columns[OWN] = ([row for row, _ in own], [one for _, one in own])
    return columns


def _under(seen: Sequence[Seen], origin: OriginClass) -> Seen:
    return next(one for one in seen if one.origin is origin)


async def _peers(
    file: RowFile,
    columns: Mapping[str, tuple[list[Row], list[Seen]]],
    otherwise: OriginClass,
    peers_dir: Path | None,
    advance: Advance,
) -> tuple[list[PeerReport], list[Held]]:
    """Ask the peers; return what came of it, and their shares beside Memguard's own."""
    if peers_dir is None:
        return [], []
    asking = [(row, row.origin or otherwise) for row in file.rows]
    beside: dict[str, list[Case]] = {}
    own = columns.get(OWN) or columns[otherwise.value]
    beside[MEMGUARD] = cases_of(*own)
    reports = []
    for peer in PEERS:

        def done(count: int, name: str = peer.name) -> None:
            advance(f"{file.name}, {name}", count, len(asking))

        report, cases = await asked(peer, asking, peers_dir, done)
        reports.append(report)
        beside |= {f"{peer.name} {setting}": told for setting, told in cases.items()}
    return reports, held(beside)
