"""Where spending is counted: in this process, or with all replicas while the store answers."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from gateway.app.keep import root_key, start_keys
from gateway.settings import Limits, Settings, SettingsError
from guard.ports import Buckets
from storage.limits.fallback import FallbackBuckets
from storage.limits.local import LocalBuckets
from storage.limits.shared import Server, SharedBuckets


def own_buckets() -> LocalBuckets:
    """Return buckets of this process alone."""
    return LocalBuckets(time.monotonic)


@asynccontextmanager
async def opened_buckets(settings: Settings) -> AsyncIterator[Buckets]:
    """Lend the buckets that the settings ask for. A store that is away delays no start."""
    server = _server(settings.limits)
    if server is None:
        yield own_buckets()
        return
    shared = SharedBuckets.connected(server, root_key(start_keys(settings).root_key))
    try:
        yield FallbackBuckets(
            shared, own_buckets(), time.monotonic, deadline_seconds=server.deadline_seconds
        )
    finally:
        await shared.close()


def _server(limits: Limits) -> Server | None:
    if limits.redis_url is None:
        return None
    file = limits.redis_password_file
    return Server(
        limits.redis_url,
        limits.redis_deadline_seconds,
        username=limits.redis_username,
        password=None if file is None else _password(file),
    )


def _password(file: Path) -> str:
    try:
        word = file.read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise SettingsError(f"cannot read {file}: {type(error).__name__}") from None
    if not word:
        raise SettingsError(f"{file} is empty")
    return word
