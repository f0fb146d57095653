"""`serve`, `migrate`, `doctor`, `models prepare`: what an operator does with the whole gateway."""

import asyncio
import socket
from typing import Annotated

import typer

from gateway import app
from gateway.cli import say
from gateway.cli.options import Config, DataDir, Json, settings_of
from gateway.settings import SettingsError

Host = Annotated[str | None, typer.Option(metavar="H", help="Address to listen on.")]
Port = Annotated[
    int | None, typer.Option(metavar="P", min=0, max=65_535, help="Port to listen on.")
]


def serve(
    *, host: Host = None, port: Port = None, data_dir: DataDir = None, config: Config = None
) -> None:
    """Run the gateway: REST under /v1, MCP at /mcp and /sse."""
    number = None if port is None else str(port)
    settings = settings_of(data_dir, config, http__host=host, http__port=number)
    _require_free(settings.http.host, settings.http.port)
    with say.progress() as advance:
        app.run(settings, advance)


def _require_free(host: str, port: int) -> None:
    """Say at once that nobody can listen there, before anything is made or loaded for it."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        socket.create_server(address, family=family).close()
    except OSError as error:
        raise SettingsError(f"cannot listen on {host} port {port}: {error.strerror}") from None


def migrate(*, data_dir: DataDir = None, config: Config = None, json: Json = False) -> None:
    """Bring the ledger's tables to the newest revision."""
    revision = asyncio.run(app.migrate(settings_of(data_dir, config)))
    if json:
        say.report({"revision": revision})
    else:
        say.line(f"the ledger is at revision {revision}")


def doctor(*, data_dir: DataDir = None, config: Config = None, json: Json = False) -> None:
    """Check that all the gateway needs is there and fits. Exit code 1 if something is not."""
    findings = asyncio.run(app.examine(settings_of(data_dir, config)))
    if json:
        say.report([{"name": one.name, "ok": one.ok, "detail": one.detail} for one in findings])
    else:
        rows = [(say.verdict(one.ok), one.name, one.detail) for one in findings]
        say.table("memguard doctor", ("is", "check", "detail"), rows)
    say.leave(found_problem=not all(one.ok for one in findings))


def prepare(*, data_dir: DataDir = None, config: Config = None) -> None:
    """Verify the packaged models and lay them out for fast loading. Needs no network."""
    settings = settings_of(data_dir, config)
    with say.progress() as advance:
        app.prepare_models(settings, advance)
    say.line("the models are ready")
