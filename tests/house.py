"""A whole house in memory: the real doors, stages, policy and vault over the in-memory adapters."""

import secrets
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from guard.detectors import SCREENING, UNASKED
from guard.fakes import HashEmbedder
from guard.nouns import Draft
from guard.outcomes import Query, Recollection, WriteOutcome
from guard.principal import Principal, Scope
from guard.recall import recall
from guard.remember import remember
from guard.rooms import Bounds, Rooms
from guard.stages import STAGES
from guard.turns import Turns
from memory.ids import RANDOM_BYTES, uuid7
from memory.origin import Channel, OriginClass, ceiling
from memory.types import ClientId, Owner, SubjectId, TenantId
from policies.load import load, shipped
from storage.envelopes import SealingEnvelopes
from storage.fakes.index import MemoryIndex
from storage.fakes.keystore import MemoryKeyStore
from storage.fakes.ledger import MemoryLedger
from storage.fakes.registry import MemoryRegistry
from storage.fakes.traces import MemoryTraces
from storage.fakes.transcript import MemoryTranscript
from storage.follower import Follower
from storage.journal import BatchingJournal
from storage.keyring import Keyring
from storage.rates import WindowRates
from storage.rootkey import RootKey
from storage.tracebook import TraceBook
from storage.vault import SealingVault

START: Final = datetime(2026, 11, 1, 12, tzinfo=UTC)
STRICT: Final = load(shipped("strict"), SCREENING)


class House:
    """Rooms over fakes, a clock that only tests move, and shorthands for callers."""

    def __init__(self) -> None:
        self.now = START
        self.ledger = MemoryLedger()
        self.embedder = HashEmbedder()
        self.index = MemoryIndex(self.embedder.id.dimensions)
        self.keyring = Keyring(RootKey.from_bytes(secrets.token_bytes(32)), MemoryKeyStore())
        self.vault = SealingVault(self.keyring)
        self.transcript = MemoryTranscript()
        envelopes = SealingEnvelopes(self.keyring)
        self.kept = MemoryTraces()
        self.traces = TraceBook(self.kept, envelopes, self.clock)
        self.journal = BatchingJournal(self.ledger.audit)
        self.rooms = Rooms(
            clock=self.clock,
            new_id=self.new_id,
            policy=STRICT,
            stages=STAGES,
            detectors=UNASKED,
            vault=self.vault,
            marks=self.vault,
            ledger=self.ledger,
            quarantine=self.ledger.quarantine,
            index=self.index,
            embedder=self.embedder,
            rates=WindowRates(60.0),
            audit=self.ledger.audit,
            journal=self.journal,
            registry=MemoryRegistry(),
            turns=Turns(),
            bounds=Bounds(),
            envelopes=envelopes,
            traces=self.traces,
            remarks=self.ledger.remarks,
            undoing=self.ledger.undoing,
            proposals=self.ledger.proposals,
            doubts=self.ledger.doubts,
            origins=self.ledger.origins,
            bans=self.ledger.bans,
            answers=self.ledger.answers,
            queue=self.ledger.queue,
            transcript=self.transcript,
        )
        self.follower = Follower(
            self.ledger.outbox, self.ledger, self.vault, self.index, self.clock
        )

    def clock(self) -> datetime:
        """Return the present."""
        return self.now

    def new_id(self) -> str:
        """Return a fresh id of the present."""
        return uuid7(self.now, secrets.token_bytes(RANDOM_BYTES))

    def later(self, **delta: float) -> None:
        """Let time pass."""
        self.now += timedelta(**delta)

    def with_rooms(self, **changed: object) -> Rooms:
        """Return the rooms with some of them exchanged."""
        return msgspec.structs.replace(self.rooms, **changed)

    async def remember(
        self, principal: Principal, text: str | Draft, rooms: Rooms | None = None
    ) -> WriteOutcome:
        """Write, as `principal`."""
        draft = Draft(text) if isinstance(text, str) else text
        return await remember(principal, draft, rooms or self.rooms)

    async def recall(
        self, principal: Principal, text: str, rooms: Rooms | None = None, k: int = 5
    ) -> Recollection:
        """Ask, as `principal`."""
        return await recall(principal, Query(text, k), rooms or self.rooms)

    async def audited(self, tenant: str = "acme") -> list[tuple[str, str, tuple[str, ...]]]:
        """Return what the audit of a tenant says: action, outcome, reasons."""
        await self.journal.flush()
        leaves = await self.ledger.audit.leaves(TenantId(tenant), 0, 10_000)
        return [(one.leaf.action, one.leaf.outcome, one.leaf.reasons) for one in leaves]


def caller(
    subject: str = "alice",
    tenant: str = "acme",
    *,
    channel: Channel = Channel.REST,
    client_ceiling: OriginClass = OriginClass.USER_STATED,
    scopes: frozenset[Scope] = frozenset(Scope),
) -> Principal:
    """Return a principal, by default a subject through an application of his tenant."""
    return Principal(
        owner=Owner(TenantId(tenant), SubjectId(subject)),
        client=ClientId("app"),
        credential="token-1",
        scopes=scopes,
        channel=channel,
        ceiling=ceiling(channel, client_ceiling),
        issued_at=START,
        expires_at=START + timedelta(days=365),
    )


ALICE: Final = caller()
BOB: Final = caller("bob")
AGENT: Final = caller(channel=Channel.MCP)
"""An agent with Alice's token."""
REVIEWER: Final = caller("reviewer")
MALLORY: Final = caller("alice", "umbra")
"""Another tenant's subject of the same name."""
