"""`audit verify`, `export`, `checkpoint`, `key`: what was recorded is there, provably."""

import asyncio
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from gateway import app
from gateway.cli import say
from gateway.cli.options import Config, DataDir, Json, Tenant, settings_of


def verify(
    *,
    against: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Checkpoints that were kept elsewhere.", dir_okay=False),
    ] = None,
    verifier: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="A key that their signatures may be of; may be repeated."),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Verify this export; no ledger is opened.", dir_okay=False),
    ] = None,
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Prove every tenant's audit unbroken, also since a checkpoint. Exit code 1 if it is not."""
    if (against is None) == bool(verifier):
        raise typer.BadParameter("--against and --verifier need each other")
    if export is not None and (data_dir is not None or config is not None):
        raise typer.BadParameter("--export is verified without --data-dir and --config")
    kept = app.kept_in(against, verifier) if against is not None and verifier else ()
    reports = (
        asyncio.run(app.verify_audit(settings_of(data_dir, config), kept))
        if export is None
        else app.verify_exported(export, kept)
    )
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


def export(
    *,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    config: Config = None,
) -> None:
    """Print every leaf of the audit, one a line, for `audit verify --export` elsewhere."""
    asyncio.run(app.export_audit(settings_of(data_dir, config), tenant, say.line))


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
