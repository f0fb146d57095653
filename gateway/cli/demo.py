"""`memguard demo`: the whole product in one walk, against a private gateway."""

import asyncio
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable
from typing import Any, Final

import msgspec
import typer
from rich.console import Console
from rich.text import Text

from gateway import app
from gateway.cli import say
from gateway.cli.edges import HttpEdges, forged
from gateway.cli.options import Json
from gateway.cli.private import ENVIRONMENT, Place, PrivateGatewayError, command, place, serving
from gateway.cli.walk import Step, Tokens, Walk
from gateway.minting import DEVELOPMENT_CLIENT
from gateway.settings import Settings
from guard.principal import Scope

_SCOPES: Final = (Scope.MEMORY_READ, Scope.MEMORY_WRITE, Scope.MEMORY_DELETE)
_TTL_SECONDS: Final = 900
_AUDIT: Final = "verify the audit"


def demo(*, json: Json = False) -> None:
    """Walk through the product against a private gateway. Exit code 1 when any step is wrong."""
    told = _quiet if json else _print
    try:
        steps = asyncio.run(_all_steps(told))
    except asyncio.CancelledError:
        say.error("stopped before the end")
        raise typer.Exit(say.Exit.PROBLEM) from None
    if json:
        say.report(steps)
    wrong = sum(not step.ok for step in steps)
    if not json:
        say.line(f"{len(steps)} steps, {wrong} wrong")
    say.leave(found_problem=wrong > 0)


async def _all_steps(told: Callable[[Step], None]) -> list[Step]:
    # A SIGTERM ends the walk like Ctrl-C does, so that no process and no folder stays behind.
    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with place() as where:
        say.note(f"starting a private gateway at {where.settings.url}")
        try:
            async with serving(where), HttpEdges(where.settings.url) as edges:
                steps = await Walk(edges, _tokens(where.settings), told).run()
        except PrivateGatewayError as error:
            steps = [Step("start a private gateway", ok=False, shown=str(error))]
            told(steps[0])
            return steps
        steps.append(await _audit(where))
        told(steps[-1])
        return steps


def _tokens(settings: Settings) -> Tokens:
    def token(tenant: str, subject: str, client: str) -> str:
        return app.token(
            settings,
            tenant=tenant,
            subject=subject,
            scopes=_SCOPES,
            client=client,
            ttl_seconds=_TTL_SECONDS,
        )

    user = token("acme", "alice", DEVELOPMENT_CLIENT)
    return Tokens(
        user=user,
        agent=token("acme", "alice", "demo-agent"),
        stranger=token("globex", "alice", DEVELOPMENT_CLIENT),
        neighbour=token("acme", "bob", DEVELOPMENT_CLIENT),
        forged=forged(token("acme", "mallory", DEVELOPMENT_CLIENT), sub="alice"),
    )


async def _audit(where: Place) -> Step:
    """Verify as an auditor would: in a process of its own, from what the stopped gateway left."""
    folder = str(where.settings.storage.data_dir)
    process = await asyncio.create_subprocess_exec(
        *command("audit", "verify", "--json", "--data-dir", folder),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        env=ENVIRONMENT,
    )
    out, problem = await process.communicate()
    try:
        reports = msgspec.json.decode(out, type=list[dict[str, Any]])
    except msgspec.MsgspecError:
        return Step(_AUDIT, ok=False, shown=problem.decode("utf-8", "replace").strip())
    leaves = {str(one["tenant"]): int(one["leaves"]) for one in reports}
    kept = process.returncode == 0 and leaves.get("acme", 0) > 0
    return Step(_AUDIT, ok=kept, shown=f"leaves by tenant: {leaves}")


def _print(step: Step) -> None:
    """Print one step as one line; colour is for terminals alone."""
    mark = Text(f"{say.verdict(step.ok):<5} ", style="green" if step.ok else "bold red")
    console = Console(soft_wrap=True)
    console.print(mark + Text(step.step) + Text(f": {step.shown}", style="dim"), soft_wrap=True)


def _quiet(_: Step) -> None:
    """Say nothing: the report follows."""
