"""Brings the index back to what the ledger says. Needs no model: entries lie sealed in the ledger.

Both functions run beside live traffic. A page that was written is read again from the ledger until
nothing in it has moved meanwhile, so that a memory forgotten in between does not come back.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from guard.errors import InvalidError, UnreadableError
from guard.nouns import Row
from guard.ports import Entry, Index, Vault
from memory.types import MemoryId, Owner, SubjectId, TenantId
from storage.ports import Outbox

_PAGE = 256

Progress = Callable[[int], None]
"""Told how many rows have been looked at so far."""


class Rebuildable(Index, Protocol):
    """An index that can say it is not whole, and refuses searches while it is not."""

    def incomplete(self) -> frozenset[TenantId]:
        """Return the tenants that need a rebuild."""
        ...

    async def begin_rebuild(self, tenant: TenantId) -> None:
        """Empty the tenant and refuse its searches, durably, until `end_rebuild`."""
        ...

    async def end_rebuild(self, tenant: TenantId) -> None:
        """Serve the tenant's searches again."""
        ...


class Drift(msgspec.Struct, frozen=True):
    """How many entries lacked, differed, or stood for no active memory; and how many rows can't be
    indexed because they fail to open or do not fit.
    """

    missing: int
    stale: int
    orphans: int
    unreadable: int = 0


async def index_rows(tenant: TenantId, rows: Sequence[Row], vault: Vault, index: Index) -> int:
    """Index active `rows`; take out and count those that fail to open or that the index refuses."""
    entries: list[Entry] = []
    refused: list[MemoryId] = []
    for row in rows:
        try:
            entries.append(await entry_of(row, vault))
        except UnreadableError:
            refused.append(_id(row))
    try:
        await index.upsert(tenant, entries)
    except InvalidError:
        for entry in entries:  # one of them does not fit; the others must not wait for it
            try:
                await index.upsert(tenant, [entry])
            except InvalidError:
                refused.append(entry.id)
    await index.remove(tenant, refused)
    return len(refused)


async def entry_of(row: Row, vault: Vault) -> Entry:
    """Return what an index is told of a memory. Raises UnreadableError."""
    label = row.sealed.label
    owner = Owner(TenantId(label.tenant), SubjectId(label.subject))
    blinded = await vault.open_entry(owner, row.sealed)
    opened = await vault.open(owner, row.sealed)
    return Entry(
        id=label.id,
        layer=label.layer,
        blinded=blinded,
        recorded_at=label.recorded_at,
        occurred_at=opened.body.occurred_at,
        token=row.sealed.token,
    )


async def reconcile(
    tenant: TenantId,
    outbox: Outbox,
    vault: Vault,
    index: Index,
    progress: Progress | None = None,
) -> Drift:
    """Compare the tenant's index with the ledger, repair it, and return what was amiss.

    Sees content that is missing, different or left over. What the follower has yet to do counts as
    missing. Vectors that someone edited in place are for `rebuild`.
    """
    page = _Page(tenant, outbox, vault, index)
    total = Drift(0, 0, 0)
    seen = 0
    while True:
        rows = await page.rows()
        stored = await page.stored()
        absent = [row for row in rows if _id(row) not in stored]
        differing = [
            row
            for row in rows
            if stored.get(_id(row), row.sealed.label.digest) != row.sealed.label.digest
        ]
        orphans = sorted(stored.keys() - {_id(row) for row in rows})
        await index.remove(tenant, orphans)
        unreadable = await page.put([*absent, *differing])
        if absent or differing or orphans:
            await page.settle(rows)
        total = Drift(
            total.missing + len(absent),
            total.stale + len(differing),
            total.orphans + len(orphans),
            total.unreadable + unreadable,
        )
        seen += len(rows)
        if progress is not None and rows:
            progress(seen)
        if not page.turn():
            return total


async def rebuild(
    tenant: TenantId,
    outbox: Outbox,
    vault: Vault,
    index: Rebuildable,
    progress: Progress | None = None,
) -> int:
    """Empty the tenant's index and fill it anew; return how many entries it now has.

    Searches of the tenant are refused meanwhile, and after a crash until a rebuild gets through.
    """
    page = _Page(tenant, outbox, vault, index)
    await index.begin_rebuild(tenant)
    seen = unreadable = 0
    while True:
        rows = await page.rows()
        unreadable += await page.put(rows)
        await page.settle(rows)
        seen += len(rows)
        if progress is not None and rows:
            progress(seen)
        if not page.turn():
            await index.end_rebuild(tenant)
            return seen - unreadable


async def mend(outbox: Outbox, vault: Vault, index: Rebuildable) -> int:
    """Rebuild every tenant whose index is not whole; return how many."""
    tenants = sorted(index.incomplete())
    for tenant in tenants:
        await rebuild(tenant, outbox, vault, index)
    return len(tenants)


class _Page:
    """A window over the ids of one tenant, walked from the first to the last."""

    def __init__(self, tenant: TenantId, outbox: Outbox, vault: Vault, index: Index) -> None:
        self._tenant = tenant
        self._outbox = outbox
        self._vault = vault
        self._index = index
        self._after: MemoryId | None = None
        self._last: MemoryId | None = None

    async def rows(self) -> list[Row]:
        """Return the active rows of the window, and fix where it ends."""
        rows = await self._outbox.active(self._tenant, self._after, _PAGE)
        # A short page is no end: rows spoilt beyond reading are left out of it.
        self._last = _id(rows[-1]) if rows else None
        return rows

    def turn(self) -> bool:
        """Move to the next window; False when this was the last."""
        self._after = self._last
        return self._last is not None

    async def stored(self) -> dict[MemoryId, bytes]:
        """Return what the index has within the window."""
        found: dict[MemoryId, bytes] = {}
        after = self._after
        while True:
            items = await self._index.inventory(self._tenant, after, _PAGE)
            found.update((id, digest) for id, digest in items if self._within(id))
            if len(items) < _PAGE or not self._within(items[-1][0]):
                return found
            after = items[-1][0]

    async def put(self, rows: Sequence[Row]) -> int:
        """Index `rows`; return how many could not be."""
        return await index_rows(self._tenant, rows, self._vault, self._index)

    async def settle(self, rows: Sequence[Row]) -> None:
        """Follow what moved in the window while it was being written, until nothing does."""
        before = {_id(row): row for row in rows}
        while True:
            now = {_id(row): row for row in await self._again()}
            moved = [row for id, row in now.items() if _version(before.get(id)) != _version(row)]
            gone = sorted(before.keys() - now.keys())
            if not moved and not gone:
                return
            await self._index.remove(self._tenant, gone)
            await self.put(moved)
            before = now

    async def _again(self) -> list[Row]:
        found: list[Row] = []
        after = self._after
        while True:
            rows = await self._outbox.active(self._tenant, after, _PAGE)
            found += [row for row in rows if self._within(_id(row))]
            if not rows or not self._within(_id(rows[-1])):
                return found
            after = _id(rows[-1])

    def _within(self, id: MemoryId) -> bool:
        return self._last is None or id <= self._last


def _id(row: Row) -> MemoryId:
    return row.sealed.label.id


def _version(row: Row | None) -> int:
    return 0 if row is None else row.sealed.label.version
