"""`queue list` and `queue replay`: accepted writes that were given up, and another try for them."""

import asyncio
from typing import Annotated

import typer

from gateway import app
from gateway.cli import say
from gateway.cli.options import Config, DataDir, Json, Tenant, settings_of
from guard.ports import Dead

_COLUMNS = ("id", "tenant", "subject", "attempts", "reason", "dead since")

Ids = Annotated[
    list[str] | None,
    typer.Argument(metavar="[ID]...", help="Which ones; all by default.", show_default=False),
]


def listed(
    *, tenant: Tenant = None, data_dir: DataDir = None, config: Config = None, json: Json = False
) -> None:
    """List the accepted writes that were given up. Exit code 1 if there are any."""
    dead = asyncio.run(app.dead_writes(settings_of(data_dir, config), tenant))
    _report("dead writes", dead, json=json)
    say.leave(found_problem=bool(dead))


def replay(
    ids: Ids = None,
    *,
    tenant: Tenant = None,
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Have dead writes tried again. Exit code 1 if an ID is not one. The gateway may be running."""
    wanted = frozenset(ids or ())
    replayed = asyncio.run(app.replay(settings_of(data_dir, config), tenant, wanted))
    _report("replayed", replayed, json=json)
    say.leave(found_problem=not wanted <= {one.id for one in replayed})


def _report(title: str, dead: list[Dead], *, json: bool) -> None:
    rows = [
        (
            one.id,
            one.owner.tenant,
            one.owner.subject,
            str(one.attempts),
            one.reason,
            one.at.isoformat(),
        )
        for one in dead
    ]
    if json:
        say.report([dict(zip(_COLUMNS, row, strict=True)) for row in rows])
    else:
        say.table(title, _COLUMNS, rows)
