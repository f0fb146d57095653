"""`screen`: what the write pipeline would decide on texts. Nothing is stored."""

import asyncio
import sys
from collections import Counter
from contextlib import ExitStack, aclosing
from pathlib import Path
from typing import Annotated, BinaryIO, assert_never

import typer

from gateway import app
from gateway.cli import say
from gateway.cli.feed import Line, lines
from gateway.cli.options import Config, DataDir, Json, settings_of
from gateway.cli.screening import IN_FLIGHT, Judged, Unread, Verdict, in_order, judging
from gateway.settings import Settings
from guard.errors import InvalidError
from memory.origin import OriginClass

Input = Annotated[
    str,
    typer.Option(
        "--input", metavar="FILE", help='JSON lines {"id", "text"}; "-" reads standard input.'
    ),
]
Origin = Annotated[OriginClass, typer.Option(help="Where the texts are said to come from.")]


def screen(
    *,
    input: Input,  # noqa: A002
    origin: Origin,
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Print what the write pipeline decides on each text; store nothing.

    JSON lines go to a file or pipe, and to a terminal with --json. Exit code 2 if a line is wrong.
    """
    settings = settings_of(data_dir, config)
    with ExitStack() as stack:
        source, size = _opened(input, stack)
        told = asyncio.run(_screen(source, size, origin, settings, as_json=json))
    if told:
        say.note(f"without a verdict: {sum(told.values())} lines")
    if told[InvalidError.code]:
        raise typer.Exit(say.Exit.USAGE)
    say.leave(found_problem=bool(told))


async def _screen(
    source: BinaryIO, size: int, origin: OriginClass, settings: Settings, *, as_json: bool
) -> Counter[str]:
    """Print a verdict for each line, and return how many have none, by the code of the trouble."""
    as_json = as_json or not say.on_terminal()
    trouble: Counter[str] = Counter()
    feed = lines(source, settings.limits.max_body_bytes, IN_FLIGHT)
    async with app.judging_rooms(settings) as rooms, aclosing(feed):
        with say.progress(wanted=not say.on_terminal()) as advance:

            def told(line: Line, judged: Judged) -> None:
                _tell(judged, as_json=as_json)
                if isinstance(judged, Unread):
                    trouble[judged.code] += 1
                advance("screening", line.end, size)

            await in_order(feed, judging(origin, settings, rooms), told)
    return trouble


def _tell(judged: Judged, *, as_json: bool) -> None:
    match judged:
        case Unread(number, _, problem):
            say.error(f"line {number}: {problem}")
        case Verdict() if as_json:
            say.report(judged)
        case Verdict(id, effect, _, reasons):
            say.line(f"{effect:<10} {id}  {', '.join(reasons)}")
        case _ as never:
            assert_never(never)


def _opened(name: str, stack: ExitStack) -> tuple[BinaryIO, int]:
    """Return the input, and its size in bytes, 0 when nobody knows."""
    if name == "-":
        return sys.stdin.buffer, 0
    path = Path(name)
    if not path.is_file():
        raise typer.BadParameter(f"no such file: {name}", param_hint="--input")
    source = stack.enter_context(path.open("rb"))
    return source, path.stat().st_size
