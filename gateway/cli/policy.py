"""`policy check`: whether a policy file would be taken, before anybody relies on it."""

from pathlib import Path
from typing import Annotated

import typer

from gateway.cli import say
from gateway.cli.options import Config, DataDir, Json, settings_of
from guard.stages import STAGES
from policies import load
from policies.model import Policy

_SHIPPED = "strict"

File = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="The policy; the configured one by default.",
        exists=True,
        dir_okay=False,
    ),
]


def check(
    file: File = None, *, data_dir: DataDir = None, config: Config = None, json: Json = False
) -> None:
    """Check a policy file. Exit code 1 if the gateway would refuse it."""
    path = file or settings_of(data_dir, config).policy.file
    content = load.shipped(_SHIPPED) if path is None else path.read_bytes()
    try:
        policy = load.load(content, frozenset(STAGES))
    except load.PolicyError as error:
        if json:
            say.report({"ok": False, "problem": str(error)})
        else:
            say.error(f"policy: {error}")
        raise typer.Exit(say.Exit.PROBLEM) from None
    if json:
        say.report({"ok": True, **_summary(policy)})
    else:
        say.table(
            "policy check",
            ("policy", "is"),
            [(name, str(value)) for name, value in _summary(policy).items()],
        )


def _summary(policy: Policy) -> dict[str, object]:
    return {
        "name": policy.name,
        "version": policy.version,
        "stages": len(policy.stages),
        "rules": len(policy.rules),
        "otherwise": policy.otherwise.value,
    }
