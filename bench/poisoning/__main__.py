"""`python -m bench.poisoning`: what is held, what it costs, and what other guards make of it.

    python -m bench.poisoning [--rows FILE]... [--peers] [--json]

Reads the frozen rows unless told otherwise. Nothing is stored, and nothing but `--peers` needs a
network. Texts are printed nowhere.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.poisoning.measuring import ORIGINS, measured
from bench.poisoning.metering import Timed, time_them
from bench.poisoning.report import Report, printed
from bench.poisoning.rows import FROZEN, RowFile, RowsError, read
from gateway import app
from gateway.cli import say
from gateway.settings import Settings, load
from guard.rooms import Rooms
from memory.origin import OriginClass

_TIMED: Final = 200


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.poisoning", description=__doc__)
    add = parser.add_argument
    add("--rows", type=Path, action="append", metavar="FILE", help="JSON lines [the frozen rows]")
    add(
        "--origin",
        type=OriginClass,
        action="append",
        choices=list(OriginClass),
        metavar="CLASS",
        help="judge the rows as this, the first also for the score [the five usual ones]",
    )
    add("--limit", type=int, help="take so many rows of each file, evenly [all]")
    add("--timed", type=int, default=_TIMED, help=f"rows timed one by one, 0 for none [{_TIMED}]")
    add("--peers", action="store_true", help="ask other guards, installed when they are missing")
    add("--peers-dir", type=Path, metavar="D", help="where they are installed [the user's cache]")
    add(
        "--data-dir",
        type=Path,
        metavar="D",
        help="where the models are laid out [the user's cache]",
    )
    add("--config", type=Path, metavar="F", help="settings to judge by [the embedded defaults]")
    add("--json", action="store_true", help="print one JSON document")
    return parser.parse_args(arguments)


async def _run(asked: argparse.Namespace, files: Sequence[RowFile]) -> Report:
    overrides = {"storage.data_dir": str(asked.data_dir or _cache() / "data")}
    # Many texts wait for the models at once here, and none of them is anybody's request.
    overrides["embedder.deadline_seconds"] = "120"
    settings = load(config=asked.config, overrides=overrides)
    peers_dir = (asked.peers_dir or _cache() / "peers") if asked.peers else None
    origins = asked.origin or ORIGINS
    async with app.judging_rooms(settings) as rooms:
        with say.progress() as advance:
            reports = [
                await measured(file, origins, rooms, settings, peers_dir=peers_dir, advance=advance)
                for file in files
            ]
            timed = await _timed(
                asked.timed, files[0], origins[0], rooms, settings, advance=advance
            )
        return Report(rooms.policy.version, _models(rooms), reports, timed)


async def _timed(
    count: int,
    file: RowFile,
    origin: OriginClass,
    rooms: Rooms,
    settings: Settings,
    *,
    advance: say.Advance,
) -> Timed | None:
    if not count:
        return None
    rows = file.rows
    taken = [rows[i * len(rows) // count] for i in range(count)] if count < len(rows) else rows

    def done(at: int) -> None:
        advance("time", at, len(taken))

    return await time_them(taken, origin, rooms, settings, done)


def _models(rooms: Rooms) -> str:
    versions = [f"{name} {one.version}" for name, one in rooms.detectors.items()]
    return ", ".join((rooms.embedder.id.name, *versions))


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "memguard-bench"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; exit code 2 for rows that are not what they should be."""
    asked = _parsed(arguments)
    try:
        files = [read(path, asked.limit) for path in asked.rows or [FROZEN]]
    except RowsError as error:
        say.error(str(error))
        return int(say.Exit.USAGE)
    report = asyncio.run(_run(asked, files))
    if asked.json:
        say.report(report)
    else:
        for line in printed(report):
            say.line(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
