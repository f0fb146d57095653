"""Which policy is in force: a shipped profile or a file, and tenants' own rules beside it (W11)."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gateway.settings import Profile, Settings
from guard.detectors import SCREENING
from memory.types import TenantId
from policies.load import (
    MAX_BYTES,
    Override,
    PolicyError,
    is_override,
    load,
    load_override,
    profiles,
    shipped,
    tightened,
)
from policies.model import Enforcement, Policy

_LOGGER: Final = logging.getLogger("memguard")
"""That of `gateway.telemetry`, without the frameworks that it looks on."""
MAX_OVERRIDES: Final = 10_000
"""Files of tenants that are read; as many as tenants that a settings file may name."""


def policy_of(settings: Settings) -> Policy:
    """Return the policy in force. Raises PolicyError for one that is not understood whole."""
    file, profile = settings.policy.file, settings.policy.profile or Profile.STRICT
    return load(shipped(profile.value) if file is None else _read(file), SCREENING)


def overrides_of(settings: Settings) -> Mapping[TenantId, Override]:
    """Return every tenant's own rules. Raises PolicyError when one file of them is not understood.

    Which tenant a file is of stands in it, so that a tenant may have any name.
    """
    folder = settings.policy.tenants_dir
    if folder is None:
        return {}
    found: dict[TenantId, Override] = {}
    for file in _files(folder):
        try:
            own = load_override(_read(file), SCREENING)
        except PolicyError as error:
            raise PolicyError(f"{file.name}: {error}") from None
        if TenantId(own.tenant) in found:
            raise PolicyError(f"{file.name}: another file is of this tenant already")
        found[TenantId(own.tenant)] = own
    return found


def candidate_of(
    settings: Settings, word: str, tenant: TenantId, enacted: Override | None = None
) -> Policy:
    """Return the policy that a tenant would have with this file, or this shipped profile.

    A tenant's file takes the place of all the tenant's own rules, those that it `enacted` included;
    any other that of the platform's.
    """
    document = document_of(word)
    if is_override(document):
        own = load_override(document, SCREENING)
        if own.tenant != tenant:
            raise PolicyError("the file is of another tenant")
        return tightened(policy_of(settings), own)
    return governed(load(document, SCREENING), overrides_of(settings), tenant, enacted)


def governed(
    policy: Policy,
    overrides: Mapping[TenantId, Override],
    tenant: TenantId,
    enacted: Override | None = None,
) -> Policy:
    """Return a policy with a tenant's own rules beside it: from a file, enacted, or both."""
    own = (overrides.get(tenant), enacted)
    return tightened(policy, *(one for one in own if one is not None))


def document_of(word: str) -> bytes:
    """Return what a file holds, or else a shipped profile of this name."""
    file = Path(word)
    return shipped(word) if word in profiles() and not file.is_file() else _read(file)


def warn_unsafe(policy: Policy) -> None:
    """Say in the log, at every start, that the policy holds nothing."""
    if is_unsafe(policy):
        _LOGGER.warning("UNSAFE policy: what its rules would hold or reject is stored and recalled")


def is_unsafe(policy: Policy) -> bool:
    """Tell whether a policy only watches."""
    return policy.enforcement is Enforcement.UNSAFE_MONITOR


def _files(folder: Path) -> list[Path]:
    """Return the files of tenants in a folder; what is hidden there belongs to somebody else.

    Raises PolicyError for anything else: a misspelt name must not silently be no rules.
    """
    if not folder.is_dir():
        raise PolicyError(f"policy.tenants_dir: no such folder: {folder}")
    files = sorted(file for file in folder.iterdir() if not file.name.startswith("."))
    strangers = [file.name for file in files if file.suffix != ".toml" or not file.is_file()]
    if strangers:
        raise PolicyError(f"policy.tenants_dir: not a .toml file: {strangers[0]}")
    if len(files) > MAX_OVERRIDES:
        raise PolicyError(f"policy.tenants_dir: more than {MAX_OVERRIDES} files")
    return files


def _read(file: Path) -> bytes:
    """Return the content of a file, as far as it must be read to know that it is too long."""
    with file.open("rb") as opened:
        return opened.read(MAX_BYTES + 1)


def checked(settings: Settings, file: Path | None) -> dict[str, object]:
    """Return what a file says, or what is configured. Raises PolicyError when it can't be used."""
    document = None if file is None else _read(file)
    if document is not None and is_override(document):
        own = load_override(document, SCREENING)
        return {"tenant": own.tenant, "version": own.version, "rules": len(own.rules)}
    policy = policy_of(settings) if document is None else load(document, SCREENING)
    overrides = {} if document is not None else overrides_of(settings)
    tenants = {"tenants": len(overrides)} if overrides else {}
    return {
        "name": policy.name,
        "version": policy.version,
        "stages": len(policy.stages),
        "rules": len(policy.rules),
        "otherwise": policy.otherwise.value,
        "enforcement": policy.enforcement.value,
    } | tenants
