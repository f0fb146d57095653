"""Fits what wording counts beside relevance (`memory.answering.WEIGHTS`). Prints; changes nothing.

    python -m bench.wording gather FILE [--each 6]
    python -m bench.wording fit FILE

`gather` writes made-up conversations, the worlds of `bench/recall_quality/dev` and the pairs of
`bench.pairs` through the doors, asks, and notes of each memory that was read how relevant it was,
how its wording fits, and whether it answers. `fit` needs scikit-learn. Seeded; no line of a data
set for evaluation is read.
"""

import argparse
import asyncio
from pathlib import Path

import msgspec

from bench.wording.talks import Seen, talks


async def gather(file: Path, each: int) -> None:
    """Note what was read for all questions, one memory a line."""
    from bench.recall_quality.inside import inside  # noqa: PLC0415 - fitting needs no embedder
    from bench.wording.gathering import of_pairs, of_talks, of_worlds  # noqa: PLC0415

    async with inside() as site:
        with file.open("wb") as lines:
            for some in (of_talks(site, list(talks(each))), of_worlds(site), of_pairs(site)):
                async for seen in some:
                    lines.write(msgspec.json.encode(seen) + b"\n")


def fit(file: Path) -> None:
    """Print how much the fit is worth, and its weights."""
    from bench.wording.fitting import report  # noqa: PLC0415 - gathering needs no scikit-learn

    seen = [msgspec.json.decode(line, type=Seen) for line in file.read_bytes().splitlines()]
    print("\n".join(report(seen)))


def main() -> None:
    """Do what was asked for."""
    asked = argparse.ArgumentParser(prog="python -m bench.wording", description=__doc__)
    asked.add_argument("what", choices=("gather", "fit"))
    asked.add_argument("file", type=Path)
    asked.add_argument("--each", type=int, default=6, help="conversations in either language")
    given = asked.parse_args()
    if given.what == "gather":
        asyncio.run(gather(given.file, given.each))
    else:
        fit(given.file)


if __name__ == "__main__":
    main()
