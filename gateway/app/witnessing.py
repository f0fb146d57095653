"""Signs what each tenant's record is, again and again, and puts it where others keep it (Q6).

A signer goes on from the leaves that it has seen: a record that was cut, or whose next leaf does
not follow, is not signed any more, and the log says so until the gateway starts again. Every
replica signs for itself: two checkpoints of one record never contradict each other.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import httpx2
import msgspec

from gateway.app.auditing import Signed, signing_key
from gateway.settings import AuditWitness, Settings, SettingsError
from gateway.telemetry import LOGGER
from guard.errors import GuardError, InvalidError, UnavailableError
from guard.merkle import Growing
from guard.models.calling import connected
from guard.ports import AuditHead
from memory.types import TenantId
from storage.audit import SqlAudit
from storage.chain import EMPTY, check_links, leaf_hash
from storage.checkpoints import Checkpoint, SigningKey

_PAGE: Final = 500
_PRIVATE_FILE: Final = 0o600
Put = Callable[[Sequence[Signed]], Awaitable[None]]
"""Has checkpoints kept. Raises UnavailableError; they are offered again then."""


class _Seen:
    """How far one tenant's record was seen, and signed."""

    def __init__(self) -> None:
        self.head = EMPTY
        self.tree = Growing()
        self.signed = 0
        self.broken = False


class Witness:
    """Signs each record that grew since it was signed last."""

    def __init__(self, audit: SqlAudit, key: SigningKey, puts: Sequence[Put]) -> None:
        self._audit, self._key, self._puts = audit, key, puts
        self._seen: dict[TenantId, _Seen] = {}

    async def sign(self) -> int:
        """Sign what grew and have it kept; return how many records that were.

        Raises UnavailableError when a place does not take it; all is offered again next time.
        """
        await self._audit.integrate()
        grown: dict[TenantId, _Seen] = {}
        for tenant in sorted({*await self._audit.tenants(), *self._seen}):
            seen = self._seen.setdefault(tenant, _Seen())
            await self._follow(tenant, seen)
            if not seen.broken and seen.tree.size > seen.signed:
                grown[tenant] = seen
        notes = [self._signed(tenant, seen) for tenant, seen in grown.items()]
        if notes:
            for put in self._puts:
                await put(notes)
        for note in notes:
            self._seen[TenantId(note.tenant)].signed = note.size
        return len(notes)

    async def run(self, every_seconds: float) -> None:
        """Sign until cancelled."""
        while True:
            try:
                await self.sign()
            except GuardError as error:
                LOGGER.warning("checkpoints were not kept", extra={"error": type(error).__name__})
            await asyncio.sleep(every_seconds)

    def _signed(self, tenant: TenantId, seen: _Seen) -> Signed:
        checkpoint = Checkpoint(tenant, seen.tree.size, seen.tree.root())
        return Signed(tenant, checkpoint.size, self._key.note(checkpoint))

    async def _follow(self, tenant: TenantId, seen: _Seen) -> None:
        """Take in what is new, unless it does not follow from what was seen."""
        if seen.broken:
            return
        if (await self._audit.head(tenant)).size < seen.head.size:
            _break(seen)
            return
        while links := await self._audit.links(tenant, seen.head.size, _PAGE):
            if check_links(tenant, links, seen.head):
                _break(seen)
                return
            for link in links:
                seen.tree.add(leaf_hash(link.body))
            seen.head = AuditHead(links[-1].sequence, links[-1].hash)


def _break(seen: _Seen) -> None:
    seen.broken = True
    LOGGER.error("a tenant's audit does not go on from what was signed: run audit verify")


@asynccontextmanager
async def witnessed(settings: Settings, audit: SqlAudit) -> AsyncIterator[None]:
    """Sign meanwhile, if that is configured. Raises SettingsError for a key that is none."""
    wanted = settings.audit
    if wanted.key_file is None:
        yield
        return
    key = signing_key(wanted.key_file)
    async with AsyncExitStack() as stack:
        witness = Witness(audit, key, [one async for one in _places(wanted, stack)])
        running = asyncio.create_task(witness.run(wanted.seconds), name="checkpoints")
        try:
            yield
        finally:
            running.cancel()
            await asyncio.wait((running,))


async def _places(wanted: AuditWitness, stack: AsyncExitStack) -> AsyncIterator[Put]:
    if wanted.sink_file is not None:
        yield in_file(wanted.sink_file)
    if wanted.sink_url is not None:
        try:
            client = connected(
                wanted.sink_url, wanted.sink_ca_file, wanted.sink_timeout_seconds, "audit.sink_"
            )
        except InvalidError as error:
            raise SettingsError(str(error)) from None
        yield at_url(await stack.enter_async_context(client), wanted.sink_url)


def in_file(file: Path) -> Put:
    """Return what appends checkpoints to a file, on disk when it returns."""

    def append(lines: bytes) -> None:
        with open(file, "ab", opener=_private) as out:
            out.write(lines)
            out.flush()
            os.fsync(out.fileno())

    async def put(notes: Sequence[Signed]) -> None:
        try:
            await asyncio.to_thread(append, _lines(notes))
        except OSError:
            raise UnavailableError("checkpoints") from None

    return put


def at_url(client: httpx2.AsyncClient, url: str) -> Put:
    """Return what posts checkpoints as lines of JSON; any answer but a 2xx is none."""

    async def put(notes: Sequence[Signed]) -> None:
        headers = {"Content-Type": "application/x-ndjson"}
        try:
            answer = await client.post(url, content=_lines(notes), headers=headers)
        except (httpx2.HTTPError, httpx2.InvalidURL):
            raise UnavailableError("checkpoints") from None
        if not answer.is_success:
            raise UnavailableError("checkpoints")

    return put


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, _PRIVATE_FILE)


def _lines(notes: Sequence[Signed]) -> bytes:
    return b"".join(msgspec.json.encode(one) + b"\n" for one in notes)
