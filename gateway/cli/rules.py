"""`policy put`, `list`, `show`, `diff`, `activate`, `rollback`: a tenant's rules by version."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import typer

from gateway import app
from gateway.auth import operator_principal
from gateway.cli import say
from gateway.cli.options import Config, DataDir, Json, settings_of
from gateway.policies import StandingAnswer, VersionAnswer
from gateway.settings import Settings
from guard import enact, rulebook
from guard.enact import Desk, Standing
from guard.errors import InvalidError
from guard.principal import Principal
from guard.statutes import NO_RULES
from memory.types import TenantId
from policies.draft import MAX_DRAFT_BYTES

_PAGE = 100

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="The rules.", exists=True, dir_okay=False)
]
Whose = Annotated[str, typer.Option("--tenant", metavar="T", help="Whose rules.")]
Number = Annotated[int, typer.Argument(metavar="VERSION", help="A version; 0 is no rules.", min=0)]
Against = Annotated[int, typer.Option(metavar="V", help="The older version; 0 is none.", min=0)]
Comment = Annotated[str, typer.Option(help="Why, for who reads it later.")]
Seen = Annotated[
    int | None,
    typer.Option(
        "--if-active", metavar="V", help="Only if this version holds; by default, whatever does."
    ),
]


def put(
    file: File,
    *,
    tenant: Whose,
    comment: Comment = "",
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Keep a tenant's rules as its next version. They do not hold before `policy activate`."""
    text = _text(file)

    async def kept() -> VersionAnswer:
        async with _desk(tenant, settings_of(data_dir, config)) as (operator, desk):
            return VersionAnswer.of(await enact.put(operator, text, comment, desk))

    made = asyncio.run(kept())
    if json:
        say.report(made)
    else:
        say.line(f"kept {made.name}")


def listed(
    *, tenant: Whose, data_dir: DataDir = None, config: Config = None, json: Json = False
) -> None:
    """List a tenant's versions, newest first, and which one holds."""

    async def found() -> tuple[list[VersionAnswer], Standing]:
        items: list[VersionAnswer] = []
        below = None
        async with _desk(tenant, settings_of(data_dir, config)) as (operator, desk):
            while True:
                page = await rulebook.versions(operator, below, _PAGE, desk)
                items += map(VersionAnswer.of, page.items)
                below = page.cursor
                if below is None:
                    return items, page.standing

    items, standing = asyncio.run(found())
    if json:
        say.report({"active": _told(standing, tenant), "items": items})
        return
    say.table(
        "versions",
        ("version", "holds", "author", "at", "comment"),
        [
            (
                str(one.version),
                "yes" if one.version == standing.number else "",
                one.author,
                one.at.isoformat(timespec="seconds"),
                one.comment,
            )
            for one in items
        ],
    )
    say.line(f"in force: {standing.policy}")


def show(
    version: Number,
    *,
    tenant: Whose,
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Print a version as it was written."""

    async def found() -> VersionAnswer:
        async with _desk(tenant, settings_of(data_dir, config)) as (operator, desk):
            one = await rulebook.version(operator, version, desk)
            return VersionAnswer.of(one, text=one.text)

    one = asyncio.run(found())
    if json:
        say.report(one)
    else:
        say.line((one.text or "").removesuffix("\n"))


def diff(
    version: Number,
    *,
    against: Against = NO_RULES,
    tenant: Whose,
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Print what a version says otherwise than an older one."""

    async def found() -> rulebook.Difference:
        async with _desk(tenant, settings_of(data_dir, config)) as (operator, desk):
            return await rulebook.diff(operator, against, version, desk)

    difference = asyncio.run(found())
    if json:
        say.report(difference)
    elif difference.text:
        say.line(difference.text)


def activate(
    version: Number,
    *,
    tenant: Whose,
    if_active: Seen = None,
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Have a version hold, or none for 0; running gateways know it within a second or two."""

    async def moved(operator: Principal, seen: int, desk: Desk) -> Standing:
        return await enact.activate(operator, version, seen, desk)

    _say(asyncio.run(_moved(moved, tenant, if_active, settings_of(data_dir, config))), tenant, json)


def roll_back(
    *,
    tenant: Whose,
    if_active: Seen = None,
    data_dir: DataDir = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Have the version hold again that held before the last activation."""
    settings = settings_of(data_dir, config)
    _say(asyncio.run(_moved(enact.roll_back, tenant, if_active, settings)), tenant, json)


async def _moved(
    move: Callable[[Principal, int, Desk], Awaitable[Standing]],
    tenant: str,
    if_active: int | None,
    settings: Settings,
) -> Standing:
    async with _desk(tenant, settings) as (operator, desk):
        holds = (await rulebook.versions(operator, None, 1, desk)).standing.number
        return await move(operator, holds if if_active is None else if_active, desk)


def _text(file: Path) -> str:
    try:
        return file.read_bytes()[: MAX_DRAFT_BYTES + 1].decode()
    except UnicodeDecodeError:
        raise InvalidError("not text in UTF-8, or too long") from None


@asynccontextmanager
async def _desk(tenant: str, settings: Settings) -> AsyncIterator[tuple[Principal, Desk]]:
    async with app.policy_desk(settings) as desk:
        yield operator_principal(TenantId(tenant), desk.clock()), desk


def _told(standing: Standing, tenant: str) -> StandingAnswer:
    return StandingAnswer.of(standing, TenantId(tenant))


def _say(standing: Standing, tenant: str, json: bool) -> None:  # noqa: FBT001
    if json:
        say.report(_told(standing, tenant))
    else:
        say.line(f"in force: {standing.policy}")
