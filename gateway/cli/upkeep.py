"""`index rebuild` and `index reconcile`: the index follows the ledger."""

import asyncio

from gateway import app
from gateway.cli import say
from gateway.cli.options import Config, DataDir, Json, Tenant, settings_of


def rebuild(
    *, tenant: Tenant = None, data_dir: DataDir = None, config: Config = None, json: Json = False
) -> None:
    """Make the search index anew from the ledger. The gateway must not be running."""
    settings = settings_of(data_dir, config)
    with say.progress() as advance:
        entries = asyncio.run(app.rebuild(settings, tenant, advance))
    if json:
        say.report({"entries": entries})
    else:
        say.line(f"{entries} entries written")


def reconcile(
    *, tenant: Tenant = None, data_dir: DataDir = None, config: Config = None, json: Json = False
) -> None:
    """Compare the search index with the ledger and repair it. Exit code 1 if it had drifted."""
    drifts = asyncio.run(app.reconcile(settings_of(data_dir, config), tenant))
    if json:
        names = ("tenant", "missing", "stale", "orphans")
        say.report([{name: getattr(one, name) for name in names} for one in drifts])
    else:
        rows = [(one.tenant, str(one.missing), str(one.stale), str(one.orphans)) for one in drifts]
        say.table("drift, repaired", ("tenant", "missing", "stale", "orphans"), rows)
    say.leave(found_problem=any(one.missing or one.stale or one.orphans for one in drifts))
