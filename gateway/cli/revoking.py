"""`tenant revoke`: tokens that no gateway believes any longer, decided over the ledger."""

import asyncio
from datetime import UTC, datetime
from typing import Annotated

import msgspec
import typer

from gateway import app
from gateway.auth import operator_principal
from gateway.cli import say
from gateway.cli.options import Config, DataDir, Json, settings_of
from gateway.cli.tenants import Id
from gateway.settings import Name
from guard.errors import InvalidError
from guard.revoke import EVERYONE, Of, Revocation, revoke
from memory.types import TenantId


def revoke_tokens(
    id: Id,
    *,
    token: Annotated[str | None, typer.Option(metavar="JTI", help="One token, by its id.")] = None,
    subject: Annotated[str | None, typer.Option(metavar="S", help="All tokens of S.")] = None,
    everyone: Annotated[bool, typer.Option("--everyone", help="All of the tenant's.")] = False,
    before: Annotated[
        datetime | None,
        typer.Option(help="Only what was issued until then (UTC); now if left out."),
    ] = None,
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Take back tokens before they expire; running gateways know it within a second."""
    given = [
        (Of.TOKEN, token),
        (Of.SUBJECT, subject),
        (Of.TENANT, EVERYONE if everyone else None),
    ]
    named = [(of, name) for of, name in given if name is not None]
    if len(named) != 1:
        raise typer.BadParameter("give one of --token, --subject and --everyone")
    of, name = named[0]
    if of is not Of.TENANT:
        try:
            msgspec.convert(name, Name)
        except msgspec.ValidationError:
            raise typer.BadParameter("1 to 255 characters, none of them a control one") from None
    if of is Of.TOKEN and before is not None:
        raise typer.BadParameter(
            "a token is taken back whenever it was issued", param_hint="--before"
        )
    until = None if before is None else before.replace(tzinfo=UTC)

    async def decided() -> Revocation:
        async with app.revocation_desk(settings_of(data_dir, config)) as desk:
            operator = operator_principal(TenantId(id), desk.clock())
            return await revoke(operator, of, name, until, desk)

    try:
        made = asyncio.run(decided())
    except InvalidError as error:
        raise typer.BadParameter(str(error), param_hint="--before") from None
    if json:
        say.report(made)
    else:
        say.line(f"{made.of}\t{made.name or '(everyone)'}\tissued until {made.before.isoformat()}")
