"""The audit from outside the gateway: keys, checkpoints kept elsewhere, and verification."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from gateway.app.keep import opened_keep
from gateway.settings import Settings, SettingsError
from guard.errors import InvalidError, UnreadableError
from memory.types import TenantId
from storage.audit_export import exported, verify_export
from storage.chain import AuditReport, Problem
from storage.checkpoints import Checkpoint, SigningKey, VerifierKey

_PRIVATE_FILE = 0o600
_PAGE = 500


class Signed(msgspec.Struct, frozen=True):
    """A checkpoint: what was signed of which tenant, and the note that says so."""

    tenant: str
    size: int
    note: str


class Verified(msgspec.Struct, frozen=True):
    """What an audit verification found for one tenant."""

    tenant: str
    leaves: int
    ok: bool
    problems: tuple[str, ...]


class Kept(msgspec.Struct, frozen=True):
    """One line of a file of checkpoints; what else stands in it counts for nothing."""

    note: str


def new_audit_key(name: str, file: Path) -> str:
    """Write a fresh signing key to `file`, for its owner alone, and return its verifier's key.

    Raises SettingsError when the file is there already: a key is never written over.
    """
    key = SigningKey.new(name)
    try:
        with file.open("x", encoding="ascii") as out:
            file.chmod(_PRIVATE_FILE)
            out.write(key.line() + "\n")
    except OSError as error:
        raise SettingsError(f"cannot write {file}: {type(error).__name__}") from None
    return str(key.verifier)


def signing_key(file: Path) -> SigningKey:
    """Return the key in `file`. Raises SettingsError or InvalidError, which quote nothing of it."""
    try:
        return SigningKey.parse(file.read_text("ascii").strip())
    except (OSError, ValueError) as error:
        raise SettingsError(f"cannot read {file}: {type(error).__name__}") from None


def kept_in(file: Path, verifiers: Sequence[str]) -> list[Checkpoint]:
    """Return the checkpoints in a file, one JSON object with a `note` a line.

    There may be several verifiers' keys: whoever changes the signing key goes on to believe what
    the one before has signed. Raises SettingsError, naming the line, for a checkpoint that none of
    them has signed: a file that somebody has edited proves nothing.
    """
    keys = [VerifierKey.parse(one) for one in verifiers]
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise SettingsError(f"cannot read {file}: {type(error).__name__}") from None
    kept = []
    for number, line in enumerate(lines, 1):
        try:
            kept.append(_opened(msgspec.json.decode(line, type=Kept).note, keys))
        except (msgspec.MsgspecError, UnreadableError, InvalidError):
            raise SettingsError(f"{file}: line {number} is not signed by this key") from None
    return kept


def _opened(note: str, keys: Sequence[VerifierKey]) -> Checkpoint:
    for key in keys:
        try:
            return key.open(note)
        except UnreadableError:
            continue
    raise UnreadableError("checkpoint")


async def sign_audit(settings: Settings, key_file: Path) -> list[Signed]:
    """Return a signed checkpoint of every tenant's record, waiting leaves included."""
    key = signing_key(key_file)
    async with opened_keep(settings) as keep:
        await keep.audit.integrate()
        trees = [await keep.audit.tree(tenant) for tenant in await keep.audit.tenants()]
    return [Signed(one.tenant, one.size, key.note(one)) for one in trees]


async def verify_audit(settings: Settings, kept: Sequence[Checkpoint] = ()) -> list[Verified]:
    """Verify the audit of every tenant, waiting leaves included, also against what was kept.

    A tenant of whom there is a checkpoint and nothing else is reported like the others.
    """
    async with opened_keep(settings) as keep:
        await keep.audit.integrate()
        tenants = sorted({*await keep.audit.tenants(), *(one.tenant for one in kept)})
        reports = [
            await keep.audit.verify(tenant, [one for one in kept if one.tenant == tenant])
            for tenant in tenants
        ]
    return [_told(one) for one in reports]


async def export_audit(settings: Settings, tenant: str | None, put: Callable[[str], None]) -> None:
    """Give `put` each leaf of a tenant's record or of all, as a line, waiting leaves included."""
    async with opened_keep(settings) as keep:
        await keep.audit.integrate()
        tenants = await keep.audit.tenants() if tenant is None else [TenantId(tenant)]
        for one in tenants:
            after = 0
            while links := await keep.audit.links(one, after, _PAGE):
                for link in links:
                    put(exported(one, link))
                after = links[-1].sequence


def verify_exported(file: Path, kept: Sequence[Checkpoint] = ()) -> list[Verified]:
    """Verify an export, also against what was kept. Opens no ledger and needs no key of one.

    Raises SettingsError for a file that can't be read, naming the line that is no leaf.
    """
    try:
        with file.open("rb") as lines:
            return [_told(one) for one in verify_export(lines, kept)]
    except UnreadableError as error:
        raise SettingsError(f"{file}: {error} is no leaf of an export") from None
    except OSError as error:
        raise SettingsError(f"cannot read {file}: {type(error).__name__}") from None


def _told(one: AuditReport) -> Verified:
    return Verified(one.tenant, one.leaves, one.ok, tuple(_named(p) for p in one.problems))


def _named(problem: Problem) -> str:
    place = "" if problem.sequence is None else f"at {problem.sequence}"
    return " ".join(part for part in (problem.flaw.value, place, problem.object) if part)
