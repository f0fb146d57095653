"""`mcp`: the gateway's tools for clients that start a program and speak to it."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from gateway import app
from gateway.cli import say
from gateway.cli.options import Config, DataDir, settings_of
from gateway.mcp.stdio import serve_stdio
from gateway.settings import Settings, SettingsError, agent_token
from guard.errors import UnauthenticatedError, UnavailableError


def speak(
    *,
    url: Annotated[
        str, typer.Option(metavar="URL", help="The gateway's address.")
    ] = "http://127.0.0.1:8080",
    token_file: Annotated[
        Path | None,
        typer.Option(metavar="F", help="A file with the token; else MEMGUARD_TOKEN has it."),
    ] = None,
    embedded: Annotated[
        bool, typer.Option("--embedded", help="Run the gateway in this process; it has no address.")
    ] = False,
    data_dir: DataDir = None,
    config: Config = None,
) -> None:
    """Speak MCP on stdin and stdout, and pass it on to a gateway. Exit code 1 if that refuses.

    With `--embedded` the gateway is in this process, over `--data-dir`, and listens nowhere.
    """
    token = agent_token(token_file)
    if token is None:
        raise SettingsError("no token: set MEMGUARD_TOKEN, or name a file with --token-file")
    if not embedded and not app.is_private(url):
        raise SettingsError("--url: plain http, which shows the token, is for loopback alone")
    try:
        if embedded:
            asyncio.run(_embedded(settings_of(data_dir, config), token))
        else:
            asyncio.run(serve_stdio(url.rstrip("/"), token))
    except* UnauthenticatedError:
        say.error("the gateway does not believe the token")
        raise typer.Exit(say.Exit.PROBLEM) from None
    except* UnavailableError:
        say.error(f"no gateway answers {'here' if embedded else f'at {url}'}")
        raise typer.Exit(say.Exit.PROBLEM) from None


async def _embedded(settings: Settings, token: str) -> None:
    async with app.embedded(settings) as gateway:
        await serve_stdio(settings.url, token, gateway.litestar)
