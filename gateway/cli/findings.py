"""`audit findings`: what became of suspicious writes, one OCSF event a line."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from gateway import app
from gateway.cli import say
from gateway.cli.options import Config, DataDir, Tenant, settings_of
from gateway.settings import Settings


def findings(
    *,
    tenant: Tenant = None,
    after: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Go on after this leaf of the tenant's record."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="F", help="Add to this file what came after its last line.", dir_okay=False
        ),
    ] = None,
    data_dir: DataDir = None,
    config: Config = None,
) -> None:
    """Print findings as OCSF, one a line, oldest first; or keep a file of them up to date."""
    if after is not None and (tenant is None or out is not None):
        raise typer.BadParameter("--after needs --tenant, and no --out: a file knows by itself")
    settings = settings_of(data_dir, config)
    if out is None:
        sought = {} if tenant is None or after is None else {tenant: after}
        asyncio.run(_print(settings, tenant, sought))
    else:
        added = asyncio.run(app.append_findings(settings, tenant, out))
        say.line(f"{added} added")


async def _print(settings: Settings, tenant: str | None, after: Mapping[str, int]) -> None:
    async for one in app.findings(settings, tenant, after):
        say.line(msgspec.json.encode(one).decode())
