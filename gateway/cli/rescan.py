"""`rescan`: what is stored is judged again by today's policy and models, all of it at once."""

import asyncio

import msgspec

from gateway import app
from gateway.cli import say
from gateway.cli.options import Config, DataDir, Json, Tenant, settings_of

_COLUMNS = (
    *("tenant", "looked_at", "decided", "held", "redacted"),
    *("unreadable", "unfinished", "reread"),
)


def rescan(
    *, tenant: Tenant = None, data_dir: DataDir = None, config: Config = None, json: Json = False
) -> None:
    """Judge outdated memories again, and hold what would not be stored today.

    The gateway may be running. A run that was broken off is taken up by the next. Exit code 1 if
    something could not be judged.
    """
    settings = settings_of(data_dir, config)
    with say.progress() as advance:
        done = asyncio.run(app.rescan(settings, tenant, advance))
    if json:
        say.report([msgspec.to_builtins(one) for one in done])
    else:
        rows = [[str(getattr(one, name)) for name in _COLUMNS] for one in done]
        say.table("rescan", [name.replace("_", " ") for name in _COLUMNS], rows)
    say.leave(found_problem=any(one.unreadable or one.unfinished for one in done))
