"""`token mint`: tokens of the development gateway."""

import re
from typing import TYPE_CHECKING, Annotated, Final

import typer

from gateway import app
from gateway.cli import say
from gateway.cli.options import Config, DataDir, settings_of
from gateway.minting import DEVELOPMENT_CLIENT
from guard.principal import Scope

if TYPE_CHECKING:
    from gateway.resources import Resource

_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_DURATION: Final = re.compile(r"\A([1-9][0-9]{0,8})([smhd]?)\Z")
_MAX_SECONDS: Final = 366 * 86_400
"""A token can't be called back yet: a year is long enough for any trial."""
_MAX_NAME: Final = 255


def _duration(value: str) -> int:
    match = _DURATION.match(value)
    seconds = int(match[1]) * _SECONDS[match[2]] if match else 0
    if not 0 < seconds <= _MAX_SECONDS:
        raise typer.BadParameter(
            "a time such as 90s, 15m, 12h or 7d, at most 366d", param_hint="--ttl"
        )
    return seconds


def _scopes(value: str) -> tuple[Scope, ...]:
    words = value.replace(",", " ").split()
    unknown = [word for word in words if word not in set(Scope)]
    if unknown or not words:
        raise typer.BadParameter(f"scopes are: {' '.join(Scope)}", param_hint="--scope")
    return tuple(Scope(word) for word in dict.fromkeys(words))


def _resource(value: str | None) -> "Resource | None":
    if value is None:
        return None
    from gateway.resources import Resource  # noqa: PLC0415 - with it comes a framework

    known = {one.name.lower(): one for one in Resource}
    if value not in known:
        raise typer.BadParameter(f"resources are: {' '.join(known)}", param_hint="--resource")
    return known[value]


def _name(value: str) -> str:
    if not 0 < len(value) <= _MAX_NAME or not value.isprintable():
        raise typer.BadParameter(f"1 to {_MAX_NAME} printable characters")
    return value


def mint(
    *,
    tenant: Annotated[str, typer.Option(metavar="T", help="The tenant.", callback=_name)],
    subject: Annotated[str, typer.Option(metavar="S", help="The end user.", callback=_name)],
    scope: Annotated[
        str,
        typer.Option(metavar='"A B"', help='Scopes, such as "memory:read memory:write".'),
    ],
    client: Annotated[
        str, typer.Option(metavar="C", help="The client that speaks.", callback=_name)
    ] = DEVELOPMENT_CLIENT,
    ttl: Annotated[str, typer.Option(metavar="TIME", help="How long it is valid: 90s to 366d.")] = (
        "1h"
    ),
    resource: Annotated[
        str | None,
        typer.Option(
            metavar="R",
            help="What it is for: gateway, rest, mcp or sse. Without, every endpoint takes it.",
        ),
    ] = None,
    data_dir: DataDir = None,
    config: Config = None,
) -> None:
    """Print a token, alone on stdout. For development: it is signed with the generated key."""
    scopes, seconds, named = _scopes(scope), _duration(ttl), _resource(resource)
    say.line(
        app.token(
            settings_of(data_dir, config),
            tenant=tenant,
            subject=subject,
            scopes=scopes,
            client=client,
            ttl_seconds=seconds,
            resource=named,
        )
    )
