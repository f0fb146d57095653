"""Prints what the whole gateway recalls. Data for evaluation only is not part of this repository.

    python -m bench.recall_quality --locomo FILE [--conversations 1,2]
    python -m bench.recall_quality --simclue FILE
    python -m bench.recall_quality --questions

A gateway of its own is started in a temporary folder, with the settings it ships with.
"""

import argparse
import asyncio
import sys
from pathlib import Path

from bench.recall_quality import locomo, questions, simclue
from bench.recall_quality.inside import inside
from bench.recall_quality.site import site


def _numbers(text: str) -> frozenset[int]:
    return frozenset(int(one) for one in text.split(","))


async def _measured(given: argparse.Namespace) -> None:
    async with inside() if given.inside else site() as running:
        if given.locomo:
            talks = locomo.conversations(given.locomo, given.conversations)
            print(await locomo.measure(running, talks))
        if given.simclue:
            print(await simclue.measure(running, simclue.rows_of(given.simclue)))
        if given.questions:
            tables = questions.tables_of(given.tables)
            print(await questions.measure(running, *tables, misses=given.misses))


def main() -> None:
    """Measure what was asked for, and print."""
    asked = argparse.ArgumentParser(prog="python -m bench.recall_quality", description=__doc__)
    asked.add_argument("--locomo", type=Path, help="conversations in LoCoMo's form")
    asked.add_argument("--conversations", type=_numbers, default=frozenset(), help="only these")
    asked.add_argument("--simclue", type=Path, help="rows in SimCLUE's form")
    asked.add_argument("--questions", action="store_true", help="the worlds of tests/tables")
    asked.add_argument("--tables", type=Path, default=questions.TABLES, help="another folder")
    asked.add_argument("--inside", action="store_true", help="without a server, for tuning")
    asked.add_argument("--misses", action="store_true", help="list each question that is wrong")
    given = asked.parse_args()
    if not (given.locomo or given.simclue or given.questions):
        asked.print_help()
        sys.exit(2)
    asyncio.run(_measured(given))


if __name__ == "__main__":
    main()
