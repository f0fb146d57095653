"""`audit verify`, `audit checkpoint`, `audit key`: what was recorded is there, provably."""

import asyncio
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from gateway import app
from gateway.cli import say
from gateway.cli.options import Config, DataDir, Json, settings_of


def verify(
    *,
    against: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Checkpoints that were kept elsewhere.", dir_okay=False),
    ] = None,
    verifier: Annotated[
        str | None, typer.Option(metavar="KEY", help="The key that their signatures must be of.")
    ] = None,
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Prove every tenant's audit unbroken, also since a checkpoint. Exit code 1 if it is not."""
    if (against is None) != (verifier is None):
        raise typer.BadParameter("--against and --verifier need each other")
    kept = app.kept_in(against, verifier) if against is not None and verifier is not None else ()
    reports = asyncio.run(app.verify_audit(settings_of(data_dir, config), kept))
    if json:
        names = ("tenant", "leaves", "ok", "problems")
        say.report([{name: getattr(one, name) for name in names} for one in reports])
    else:
        rows = [
            (say.verdict(one.ok), one.tenant, str(one.leaves), "; ".join(one.problems))
            for one in reports
        ]
        say.table("audit", ("is", "tenant", "leaves", "problems"), rows)
    say.leave(found_problem=not all(one.ok for one in reports))


def checkpoint(
    *,
    key: Annotated[
        Path, typer.Option(metavar="F", help="The signing key, from `audit key`.", dir_okay=False)
    ],
    data_dir: DataDir = None,
    config: Config = None,
) -> None:
    """Print a signed checkpoint of each tenant's audit, one a line, to be kept elsewhere."""
    for one in asyncio.run(app.sign_audit(settings_of(data_dir, config), key)):
        say.line(msgspec.json.encode(one).decode())


def new_key(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who signs, such as memory.example.")],
    *,
    out: Annotated[Path, typer.Option("--out", metavar="F", help="The new file for the secret.")],
) -> None:
    """Make a key that signs checkpoints, and print the one that verifies them."""
    say.line(app.new_audit_key(name, out))
