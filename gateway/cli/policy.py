"""`policy check`: whether a policy file would be taken, before anybody relies on it."""

from pathlib import Path
from typing import Annotated

import typer

from gateway import app
from gateway.cli import say
from gateway.cli.options import Config, Json, settings_of
from policies.load import PolicyError
from policies.model import Policy

File = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="The policy; the configured one by default.",
        exists=True,
        dir_okay=False,
    ),
]


def check(file: File = None, *, config: Config = None, json: Json = False) -> None:
    """Check a policy file. Exit code 1 if the gateway would refuse it."""
    settings = settings_of(None, config, policy__file=None if file is None else str(file))
    try:
        policy = app.policy_of(settings)
    except PolicyError as error:
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
