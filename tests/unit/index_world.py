"""A ledger, a vault and an index, and memories that change in them, for tests of what follows."""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from guard.nouns import Change, Leaf, Sealed
from guard.ports import Found, Probe
from memory.origin import Channel
from memory.types import INDEXED_LAYERS, ClientId, LeafId, MemoryId, Owner, State
from storage.fakes.index import MemoryIndex
from storage.fakes.keystore import MemoryKeyStore
from storage.fakes.ledger import MemoryLedger
from tests.contracts.index_builders import id_of
from tests.contracts.vault_builders import ALICE, AT, admitted, signals, vault

DIMENSIONS: Final = {"en": 12, "multi": 8}


class World:
    """Memories by number: `remember`, `change` and `lose` them, and ask what the index has."""

    def __init__(self) -> None:
        self.ledger = MemoryLedger()
        self.vault = vault(MemoryKeyStore())
        self.index = MemoryIndex(DIMENSIONS)
        self.now = AT + timedelta(days=1)
        self._leaves = 0

    def clock(self) -> datetime:
        """Return the present, which only tests move."""
        return self.now

    async def remember(self, number: int, owner: Owner = ALICE) -> Sealed:
        """Commit memory `number` as active."""
        leaf = self._leaf_id()
        draft = msgspec.structs.replace(admitted(owner, id=id_of(number)), leaf=leaf)
        sealed = await self.vault.seal(draft)
        await self._commit(owner, sealed)
        return sealed

    async def change(self, sealed: Sealed, state: State, owner: Owner = ALICE) -> Sealed:
        """Commit another state of a memory."""
        leaf = self._leaf_id()
        changed = await self.vault.relabel(sealed, state=state, leaf=leaf, at=self.now)
        await self._commit(owner, changed)
        return changed

    async def spoil(self, number: int, owner: Owner = ALICE) -> None:
        """Commit memory `number` so that it can't be opened: someone flipped a bit."""
        leaf = self._leaf_id()
        draft = msgspec.structs.replace(admitted(owner, id=id_of(number)), leaf=leaf)
        sealed = await self.vault.seal(draft)
        bad = sealed.entry[:-1] + bytes((sealed.entry[-1] ^ 1,))
        await self._commit(owner, msgspec.structs.replace(sealed, entry=bad))

    async def found(self, owner: Owner = ALICE) -> list[MemoryId]:
        """Return what a search of the owner finds, in order of id."""
        answer = await self.search(owner)
        return sorted(hit.id for hit in answer.routes["entity"])

    async def search(self, owner: Owner = ALICE) -> Found:
        """Search with the material that every memory here was made of."""
        material = await self.vault.blind(owner, signals())
        probe = Probe(material, INDEXED_LAYERS, 1000)
        return await self.index.search(owner.tenant, material.subject, probe)

    async def stored(self, owner: Owner = ALICE) -> list[MemoryId]:
        """Return the ids that the index has for the owner's tenant."""
        return [id for id, _ in await self.index.inventory(owner.tenant, None, 1000)]

    def _leaf_id(self) -> LeafId:
        self._leaves += 1
        return LeafId(id_of(10_000 + self._leaves))

    async def _commit(self, owner: Owner, sealed: Sealed) -> None:
        label = sealed.label
        leaf = Leaf(
            id=label.leaf,
            tenant=owner.tenant,
            subject=owner.subject,
            actor="subject",
            client=ClientId("dev-app"),
            channel=Channel.REST,
            action="memory.change",
            object=label.id,
            version=label.version,
            outcome=label.state,
            policy="policy-1",
            digest=label.digest,
            reasons=(),
            at=self.now,
        )
        epoch = await self.ledger.epoch(owner.tenant, owner.subject)
        await self.ledger.commit(Change(owner, epoch, (sealed,), (leaf,)))
