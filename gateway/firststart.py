"""The keys a gateway starts with: made once in development, only ever checked in production.

Storage knows how to make keys and this module when; the makers come in as callables.
"""

import os
import stat
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from gateway.settings import Mode, Secret, Settings, SettingsError

MARKER: Final = "DEVELOPMENT"
"""A file beside generated keys, so that production recognises them."""
ROOT_KEY_NAME: Final = "root.key"
SIGNING_KEY_NAME: Final = "signing-key.jwk"

_PRIVATE_FILE: Final = 0o600
_PRIVATE_DIRECTORY: Final = 0o700
_READABLE_BY_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_WRITABLE_BY_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH


class StartKeys(msgspec.Struct, frozen=True):
    """Where the root key is, and the verification keys when they are in a file."""

    root_key: Path | Secret
    keys_file: Path | None
    """None: the issuer publishes them."""


def prepare(
    settings: Settings,
    *,
    new_root_key: Callable[[Path], object],
    new_signing_jwk: Callable[[], Mapping[str, Any]],
    say: Callable[[str], object],
) -> StartKeys:
    """Return usable keys, or raise SettingsError.

    Development creates what is not configured and says so; production creates nothing and refuses
    keys that others can read or that development made. Calling it again changes nothing.
    """
    if settings.mode is Mode.PRODUCTION:
        return _checked(settings)
    data_dir = settings.storage.data_dir
    if not data_dir.exists():
        data_dir.mkdir(mode=_PRIVATE_DIRECTORY, parents=True)
        say(f"created {data_dir} (mode 0700)")
    root_key = settings.storage.root_key or settings.storage.root_key_file
    if root_key is None:
        root_key = data_dir / ROOT_KEY_NAME
        if not root_key.exists():
            _mark(data_dir)
            new_root_key(root_key)
            root_key.chmod(_PRIVATE_FILE)
            say(f"created {root_key} (mode 0600): it opens every memory; losing it loses them all")
    keys_file = settings.auth.keys_file
    if keys_file is None and settings.auth.keys_url is None:
        keys_file = data_dir / SIGNING_KEY_NAME
        if not keys_file.exists():
            _mark(data_dir)
            _write_new(keys_file, msgspec.json.encode(new_signing_jwk()))
            say(f"created {keys_file} (mode 0600): it signs development tokens")
    for path in (root_key, keys_file):
        if isinstance(path, Path) and path.parent == data_dir:
            _require_mode(path, _READABLE_BY_OTHERS, "readable")
    return StartKeys(root_key=root_key, keys_file=keys_file)


def _checked(settings: Settings) -> StartKeys:
    root_key = settings.storage.root_key or settings.storage.root_key_file
    keys_file = settings.auth.keys_file
    if root_key is None or (keys_file is None and settings.auth.keys_url is None):
        raise SettingsError("production: keys are configured, never generated")
    if isinstance(root_key, Path):
        _refuse_generated(root_key.parent)
        _require_mode(root_key, _READABLE_BY_OTHERS, "readable")
    _refuse_generated(settings.storage.data_dir)
    if keys_file is not None:
        _refuse_generated(keys_file.parent)
        # These keys are public, so reading them is no harm; whoever writes them mints tokens.
        _require_mode(keys_file, _WRITABLE_BY_OTHERS, "writable")
    return StartKeys(root_key=root_key, keys_file=keys_file)


def _refuse_generated(directory: Path) -> None:
    if (directory / MARKER).exists():
        raise SettingsError(f"production: the keys in {directory} were generated for development")


def _require_mode(path: Path, forbidden: int, verb: str) -> None:
    try:
        status = path.stat()
    except OSError:
        raise SettingsError(f"cannot read {path}") from None
    if not stat.S_ISREG(status.st_mode):
        raise SettingsError(f"{path} is not a regular file")
    if status.st_mode & forbidden:
        raise SettingsError(f"{path} is {verb} by others: chmod 600 {path}")


def _mark(data_dir: Path) -> None:
    marker = data_dir / MARKER
    if not marker.exists():
        _write_new(marker, b"Keys in this directory were generated for development.\n")


def _write_new(path: Path, content: bytes) -> None:
    """Create `path` whole and private, or leave the one that another process just created."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(name, path)
    except FileExistsError:
        return
    finally:
        os.unlink(name)  # noqa: PTH108
