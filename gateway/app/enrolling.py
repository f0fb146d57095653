"""What the settings say of tenants, made so at start."""

from typing import Final

import msgspec

from gateway.auth import operator_principal
from gateway.settings import SettingsError, TenantEntry
from guard.errors import ConflictError
from guard.ports import Client, Clock, Indexing, NewId, Registry
from guard.tenants import Desk, Terms, grant, put_client, register
from memory.types import ClientId, TenantId

_ENTERED: Final = "settings"
"""The client that the audit names for what the settings said."""


class LedgerDesk(msgspec.Struct, frozen=True):
    """What administration needs, over the ledger alone."""

    clock: Clock
    new_id: NewId
    registry: Registry


async def enrol(entries: tuple[TenantEntry, ...], desk: Desk) -> int:
    """Register what the settings name and is not so yet; return how many tenants changed.

    Only what is named is touched: no suspension is lifted and no client removed. Raises
    SettingsError for a tenant that is sealed and shall not be, or the other way round.
    """
    return sum([await _enrol(entry, desk) for entry in entries])


async def _enrol(entry: TenantEntry, desk: Desk) -> bool:
    id = TenantId(entry.id)
    operator = operator_principal(id, desk.clock(), _ENTERED)
    clients = [Client(ClientId(one.id), id, one.ceiling) for one in entry.clients]
    found = await desk.registry.tenant(id)
    if found is None:
        try:
            indexing = Indexing.SEALED if entry.sealed else Indexing.OPEN
            terms = Terms(entry.ceiling, indexing=indexing)
            await register(operator, id, terms, clients, desk)
        except ConflictError:
            return await _enrol(entry, desk)  # another replica, starting at the same moment
        return True
    if entry.sealed is not None and entry.sealed is not (found.indexing is Indexing.SEALED):
        # Entries would have to go or come, which is a chore and takes its time.
        verb = "seal" if entry.sealed else "unseal"
        raise SettingsError(f"tenants: {entry.id} is otherwise, run `memguard tenant {verb}`")
    changed = False
    if found.ceiling is not entry.ceiling:
        await grant(operator, id, entry.ceiling, None, desk)
        changed = True
    for client in clients:
        if await desk.registry.client(id, client.id) != client:
            await put_client(operator, client.id, client.ceiling, desk)
            changed = True
    return changed
