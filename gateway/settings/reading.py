"""Reads the settings, weakest source first.

The defaults, a TOML file (`--config` or `MEMGUARD_CONFIG`), variables named
`MEMGUARD_<SECTION>_<FIELD>`, options of the command line. A name that nobody knows is refused
everywhere: a misspelt limit must not silently be no limit.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, get_type_hints

import msgspec

from gateway.settings.kinds import (
    Secret,
    SettingsError,
)
from gateway.settings.refusing import refuse_contradictions, refuse_unsafe
from gateway.settings.whole import Settings

PREFIX: Final = "MEMGUARD_"
CONFIG_VARIABLE: Final = "MEMGUARD_CONFIG"
TOKEN_VARIABLE: Final = "MEMGUARD_TOKEN"  # noqa: S105 - a name
"""Holds what `memguard mcp` speaks with; no setting of a gateway."""


def load(
    *,
    config: Path | None = None,
    overrides: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Return the settings, or raise SettingsError when any source says something unknown or unsafe.

    `overrides` are options of the command line by dotted name, such as `http.port`.
    """
    env = os.environ if environ is None else environ
    path = config or (Path(env[CONFIG_VARIABLE]) if env.get(CONFIG_VARIABLE) else None)
    tree: dict[str, Any] = _from_file(path) if path is not None else {}
    known = variables()
    for name, value in env.items():
        if not name.startswith(PREFIX) or name in (CONFIG_VARIABLE, TOKEN_VARIABLE):
            continue
        dotted = known.get(name)
        if dotted is None:
            raise SettingsError(f"unknown variable {name}")
        _put(tree, dotted, value)
    for dotted, value in (overrides or {}).items():
        if dotted not in known.values():
            raise SettingsError(f"unknown option {dotted}")
        _put(tree, dotted, value)
    try:
        settings = msgspec.convert(tree, Settings, strict=False, dec_hook=_decode)
    except msgspec.ValidationError as error:
        raise SettingsError(str(error)) from None
    refuse_contradictions(settings)
    refuse_unsafe(settings)
    return settings


def agent_token(file: Path | None, environ: Mapping[str, str] | None = None) -> str | None:
    """Return the token that an agent speaks with: of the file, else of the environment.

    Raises SettingsError for a file that can't be read.
    """
    if file is not None:
        try:
            return file.read_text("ascii").strip() or None
        except (OSError, ValueError) as error:
            raise SettingsError(f"cannot read {file}: {type(error).__name__}") from None
    return (os.environ if environ is None else environ).get(TOKEN_VARIABLE) or None


def _from_file(path: Path) -> dict[str, Any]:
    try:
        tree = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"cannot read {path}: {type(error).__name__}") from None
    for section, field in _SECRETS:
        table = tree.get(section)
        if isinstance(table, dict) and field in table:
            raise SettingsError(
                f"{section}.{field} belongs in a file of its own or the environment"
            )
    return tree


def variables() -> dict[str, str]:
    """Return every variable's name with the dotted name of the field it sets."""
    found: dict[str, str] = {}
    for name, hint in get_type_hints(Settings).items():
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            for field in msgspec.structs.fields(hint):
                found[f"{PREFIX}{name}_{field.name}".upper()] = f"{name}.{field.name}"
        elif name not in _FILE_ONLY:
            found[f"{PREFIX}{name}".upper()] = name
    return found


_SECRETS: Final = (
    ("storage", "root_key"),
    ("storage", "ledger_url"),
    ("storage", "keys_url"),
    ("index", "api_key"),
    ("embedder", "api_key"),
    ("screening", "judge_api_key"),
    ("recall", "rewrite_api_key"),
    ("recall", "order_api_key"),
    ("relate", "extract_api_key"),
)
_FILE_ONLY: Final = frozenset({"tenants"})
_LISTS: Final = frozenset(
    {
        "http.allowed_hosts",
        "http.allowed_origins",
        "http.trusted_proxies",
        "tracing.trusted_parents",
        "auth.audiences",
        "auth.authorization_servers",
        "auth.algorithms",
        "console.scopes",
        "screening.second_attack_labels",
        "webhooks.allowed_hosts",
    }
)


def _put(tree: dict[str, Any], dotted: str, value: str) -> None:
    parsed: Any = value
    if dotted in _LISTS:
        parsed = [word.strip() for word in value.split(",") if word.strip()]
    section, _, field = dotted.rpartition(".")
    target = tree.setdefault(section, {}) if section else tree
    if not isinstance(target, dict):
        raise SettingsError(f"{section} must be a table")
    target[field] = parsed


def _decode(kind: type, value: Any) -> Any:
    if issubclass(kind, Path) and isinstance(value, str) and value and "\0" not in value:
        return Path(value)
    if kind is Secret and isinstance(value, str) and value:
        return Secret(value)
    raise ValueError("must be a non-empty string")
