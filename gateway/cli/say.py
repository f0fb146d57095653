"""How commands speak: reports on stdout, all else on stderr, both plain without a terminal."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import Any, Protocol

import msgspec
import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text


class Exit(IntEnum):
    """What a command's exit code tells a script."""

    OK = 0
    PROBLEM = 1
    USAGE = 2


class Advance(Protocol):
    """Called with (step, done, total) while something long runs."""

    def __call__(self, step: str, done: int, total: int, /) -> None:
        """Show how far `step` is."""
        ...


def leave(*, found_problem: bool) -> None:
    """End the command with exit code 1 when it found a problem."""
    if found_problem:
        raise typer.Exit(Exit.PROBLEM)


def on_terminal() -> bool:
    """Return whether a person reads stdout."""
    return sys.stdout.isatty()


def line(text: str) -> None:
    """Print one line on stdout, exactly as it is: no wrapping, no markup, no colour."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    """Print one line on stderr, exactly as it is."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def error(text: str) -> None:
    """Print one line on stderr that says what is wrong."""
    note(f"memguard: {' '.join(text.split())}")


def report(value: Any) -> None:
    """Print one JSON document on stdout."""
    line(msgspec.json.encode(value).decode())


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows for a person; without a terminal, tab-separated lines under a heading line."""
    if not on_terminal():
        for row in (columns, *rows):
            line("\t".join(row))
        return
    grid = Table(title=title, title_justify="left")
    for column in columns:
        grid.add_column(column, overflow="fold")
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    Console().print(grid)


def verdict(ok: bool) -> str:  # noqa: FBT001
    """Return the word that stands for a check's outcome, in every report."""
    return "ok" if ok else "wrong"


@contextmanager
def progress(*, wanted: bool = True) -> Iterator[Advance]:
    """Show a bar on stderr per step, until all steps are done; nothing without a terminal."""
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    hidden = not (wanted and console.is_terminal)
    # Reports keep going to stdout, whatever it is; only stderr moves out of the bars' way.
    bars = Progress(
        *columns, console=console, transient=True, disable=hidden, redirect_stdout=False
    )
    tasks: dict[str, TaskID] = {}

    def advance(step: str, done: int, total: int, /) -> None:
        if step not in tasks:
            tasks[step] = bars.add_task(step, total=total or None)
            bars.start()
        bars.update(tasks[step], completed=done, total=total or None)
        if bars.finished:
            bars.stop()  # what follows may print, and may run for long

    try:
        yield advance
    finally:
        bars.stop()
