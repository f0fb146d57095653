"""`mcp`: the gateway's tools for clients that start a program and speak to it."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from gateway import app
from gateway.cli import say
from gateway.mcp.stdio import serve_stdio
from gateway.settings import SettingsError, agent_token
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
) -> None:
    """Speak MCP on stdin and stdout, and pass it on to a gateway. Exit code 1 if that refuses."""
    token = agent_token(token_file)
    if token is None:
        raise SettingsError("no token: set MEMGUARD_TOKEN, or name a file with --token-file")
    if not app.is_private(url):
        raise SettingsError("--url: plain http, which shows the token, is for loopback alone")
    try:
        asyncio.run(serve_stdio(url.rstrip("/"), token))
    except* UnauthenticatedError:
        say.error("the gateway does not believe the token")
        raise typer.Exit(say.Exit.PROBLEM) from None
    except* UnavailableError:
        say.error(f"no gateway answers at {url}")
        raise typer.Exit(say.Exit.PROBLEM) from None
