"""The commands of `memguard`. Whatever goes wrong in them ends in one line and an exit code."""

import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated

import typer

from gateway.cli import (
    auditing,
    policy,
    queue,
    revoking,
    rules,
    say,
    service,
    stdio,
    tenants,
    tokens,
    upkeep,
)
from gateway.cli.demo import demo
from gateway.cli.findings import findings
from gateway.cli.rescan import rescan
from gateway.cli.screen import screen
from gateway.cli.train import train
from gateway.settings import SettingsError
from guard.errors import GuardError, InvalidError
from policies.load import PolicyError

DISTRIBUTION = "memguard-gateway"


def _group(text: str) -> typer.Typer:
    return typer.Typer(help=text, no_args_is_help=True, rich_markup_mode=None)


program = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
program.command()(service.serve)
program.command("mcp")(stdio.speak)
program.command()(demo)
program.command()(service.migrate)
program.command()(service.doctor)
program.command()(screen)
program.command()(rescan)
program.command()(train)

_tokens = _group("Tokens of the development gateway.")
_tokens.command("mint")(tokens.mint)
program.add_typer(_tokens, name="token")

_tenants = _group("Tenants: who is served, and how far its clients are believed.")
_tenants.command("register")(tenants.register)
_tenants.command("list")(tenants.show)
_tenants.command("suspend")(tenants.suspend)
_tenants.command("resume")(tenants.resume)
_tenants.command("client")(tenants.client)
_tenants.command("seal")(tenants.seal)
_tenants.command("unseal")(tenants.unseal)
_tenants.command("revoke")(revoking.revoke_tokens)
program.add_typer(_tenants, name="tenant")

_index = _group("The search index.")
_index.command("rebuild")(upkeep.rebuild)
_index.command("reconcile")(upkeep.reconcile)
program.add_typer(_index, name="index")

_queue = _group("Writes that are decided later.")
_queue.command("list")(queue.listed)
_queue.command("replay")(queue.replay)
program.add_typer(_queue, name="queue")

_audit = _group("The audit trail.")
_audit.command("verify")(auditing.verify)
_audit.command("export")(auditing.export)
_audit.command("findings")(findings)
_audit.command("checkpoint")(auditing.checkpoint)
_audit.command("key")(auditing.new_key)
program.add_typer(_audit, name="audit")

_policy = _group("The policy.")
_policy.command("check")(policy.check)
_policy.command("explain")(policy.explain)
_policy.command("simulate")(policy.simulate)
_policy.command("put")(rules.put)
_policy.command("list")(rules.listed)
_policy.command("show")(rules.show)
_policy.command("diff")(rules.diff)
_policy.command("activate")(rules.activate)
_policy.command("rollback")(rules.roll_back)
program.add_typer(_policy, name="policy")

_models = _group("The packaged models.")
_models.command("prepare")(service.prepare)
program.add_typer(_models, name="models")


def _say_version(asked: bool) -> None:  # noqa: FBT001
    if asked:
        say.line(version(DISTRIBUTION))
        raise typer.Exit


@program.callback()
def memguard(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_say_version, is_eager=True),
    ] = False,
) -> None:
    """Guarded long-term memory for agents: every write screened, every recall proved.

    Exit codes: 0 all is well, 1 a problem was found, 2 wrong usage or configuration.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. What goes wrong is told on stderr, in one line."""
    try:
        program(args=arguments, prog_name="memguard")
    except SystemExit as ended:
        return ended.code if ended.code in set(say.Exit) else say.Exit.PROBLEM
    except (GuardError, SettingsError, PolicyError, OSError, BaseExceptionGroup) as error:
        return _told(error)
    return say.Exit.OK


def _told(error: BaseException) -> int:
    match error:
        case BaseExceptionGroup():
            return _told(error.exceptions[0])
        case SettingsError() | PolicyError() | InvalidError():
            say.error(str(error))
            return say.Exit.USAGE
        case GuardError():
            say.error(f"{error.code}: {error}")
            return say.Exit.PROBLEM
        case BrokenPipeError():
            # Whoever read the output has gone, and the interpreter must not try to flush to him.
            sys.stdout = None
            return say.Exit.PROBLEM
        case FileNotFoundError() | NotADirectoryError() | PermissionError() | IsADirectoryError():
            say.error(f"{error.strerror}: {error.filename}")
            return say.Exit.USAGE
        case OSError():
            say.error(error.strerror or type(error).__name__)
            return say.Exit.PROBLEM
        case _:
            raise error
