"""Plays every scene of `tests/attacks/scenes.py` against each layer and prints how far they came.

All of them take several minutes; `--each 3` plays three of each table and language. With `--gaps`
only the whole gateway is played against, and what is printed is `tests/attacks/gaps.json`.
"""

import argparse
import asyncio
import logging
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from bench.attacks.layers import LAYERS
from bench.attacks.playing import Played, plan_of, play
from bench.attacks.report import gaps, report
from tests.attacks.meaning import models
from tests.attacks.scenes import WAYS


def _shown(layer: str, done: int, total: int) -> None:
    if done % 10 == 0:
        sys.stderr.write(f"\r{layer:<18} {done:>4}/{total}")
        sys.stderr.flush()


async def _played(each: int, *, only_last: bool, ways: str) -> list[Played]:
    chosen = [way for way in WAYS if way.name.startswith(ways)]
    with tempfile.TemporaryDirectory() as folder:
        async with models(Path(folder)) as loaded:
            layers = LAYERS[-1:] if only_last else LAYERS
            return await play(layers, plan_of(chosen, each), loaded, Path(folder), _shown)


def main() -> None:
    """Play and print."""
    asked = argparse.ArgumentParser(prog="python -m bench.attacks", description=__doc__)
    asked.add_argument("--each", type=int, default=1000, help="scenes of each table and language")
    asked.add_argument("--gaps", action="store_true", help="print what gets through everything")
    asked.add_argument("--ways", default="", help="only ways whose name begins so")
    asked.add_argument("--rows", type=Path, help="write what came of each scene here, as JSON")
    given = asked.parse_args()
    logging.disable(logging.WARNING)
    started = time.monotonic()
    played = asyncio.run(_played(given.each, only_last=given.gaps, ways=given.ways))
    sys.stderr.write("\r" + " " * 40 + "\r")
    if given.rows is not None:
        given.rows.write_bytes(msgspec.json.encode(played))
    print(gaps(played) if given.gaps else report(played))
    sys.stderr.write(f"{time.monotonic() - started:.0f} s\n")


if __name__ == "__main__":
    main()
