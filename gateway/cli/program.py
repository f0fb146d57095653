"""The commands of `memguard`. Whatever goes wrong in them ends in one line and an exit code."""

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from gateway.cli import say
from gateway.settings import SettingsError
from guard.errors import GuardError, InvalidError
from policies.load import PolicyError

DISTRIBUTION = "memguard-gateway"

COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    "serve": ("service.serve", "Run the gateway: REST under /v1, MCP at /mcp and /sse."),
    "mcp": (
        "stdio.speak",
        "Speak MCP on stdin and stdout, and pass it on to a gateway. Exit code 1 if that refuses.",
    ),
    "demo": (
        "demo.demo",
        "Walk through the product against a private gateway. Exit code 1 when any step is wrong.",
    ),
    "migrate": ("service.migrate", "Bring the ledger's tables to the newest revision."),
    "doctor": (
        "service.doctor",
        "Check that all the gateway needs is there and fits. Exit code 1 if something is not.",
    ),
    "screen": (
        "screen.screen",
        "Print what the write pipeline decides on each text; store nothing.",
    ),
    "rescan": (
        "rescan.rescan",
        "Judge outdated memories again, and hold what would not be stored today.",
    ),
    "train": (
        "train.train",
        "Train the classifier of poisoned memories. Needs the extra `train`, and some minutes.",
    ),
}
"""Each command's place below this package, and what its own help begins with."""

GROUPS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "token": ("Tokens of the development gateway.", {"mint": "tokens.mint"}),
    "tenant": (
        "Tenants: who is served, and how far its clients are believed.",
        {
            "register": "tenants.register",
            "list": "tenants.show",
            "suspend": "tenants.suspend",
            "resume": "tenants.resume",
            "client": "tenants.client",
            "seal": "tenants.seal",
            "unseal": "tenants.unseal",
            "revoke": "revoking.revoke_tokens",
        },
    ),
    "index": (
        "The search index.",
        {"rebuild": "upkeep.rebuild", "reconcile": "upkeep.reconcile"},
    ),
    "queue": (
        "Writes that are decided later.",
        {"list": "queue.listed", "replay": "queue.replay"},
    ),
    "audit": (
        "The audit trail.",
        {
            "verify": "auditing.verify",
            "export": "auditing.export",
            "findings": "findings.findings",
            "checkpoint": "auditing.checkpoint",
            "key": "auditing.new_key",
        },
    ),
    "policy": (
        "The policy.",
        {
            "check": "policy.check",
            "explain": "policy.explain",
            "simulate": "policy.simulate",
            "put": "rules.put",
            "list": "rules.listed",
            "show": "rules.show",
            "diff": "rules.diff",
            "activate": "rules.activate",
            "rollback": "rules.roll_back",
        },
    ),
    "models": ("The packaged models.", {"prepare": "service.prepare"}),
}
"""Each group's help, and the places of its commands."""


def places() -> list[str]:
    """Return where each command is, those of the groups last."""
    below = [place for _, group in GROUPS.values() for place in group.values()]
    return [place for place, _ in COMMANDS.values()] + below


def command_at(place: str) -> Any:
    """Return the function of a command, reading its module if nobody has yet."""
    module, _, name = place.partition(".")
    return getattr(import_module(f"gateway.cli.{module}"), name)


class _Later(TyperGroup):
    """Commands that are read when one of them is asked for, since all of them take seconds.

    What has its help already is read only to be run.
    """

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command as help shows it."""
        known = super().get_command(ctx, cmd_name)
        return known if known is None or known.help else self._read(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments begin with, as it runs."""
        name, known, rest = super().resolve_command(ctx, args)
        whole = name is None or (name in GROUPS and not self.name)
        return name, known if whole else self._read(str(name)), rest

    def _read(self, name: str) -> Any:
        place = GROUPS[self.name][1][name] if self.name else COMMANDS[name][0]
        alone = typer.Typer(
            add_completion=False,
            pretty_exceptions_enable=False,
            rich_markup_mode=self.rich_markup_mode,
        )
        alone.command(name)(command_at(place))
        return typer.main.get_command(alone)


def _unread() -> None:
    # Without a docstring, which would be the help of what it stands for.
    raise NotImplementedError


program = typer.Typer(
    cls=_Later,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name, (_, _help) in COMMANDS.items():
    program.command(_name, help=_help)(_unread)
for _name, (_help, _places) in GROUPS.items():
    _group = typer.Typer(cls=_Later, help=_help, no_args_is_help=True, rich_markup_mode=None)
    for _one in _places:
        _group.command(_one)(_unread)
    program.add_typer(_group, name=_name)


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
