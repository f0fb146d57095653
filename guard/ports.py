"""What guard asks of the outside world.

Tenant and subject are required positional arguments everywhere: there is no way to ask without.
Each port has a shipped fake and one contract suite under `tests/contracts`, run on every adapter.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

import msgspec

from guard.nouns import (
    Admitted,
    Answer,
    Change,
    Decided,
    Evidence,
    Facts,
    Laid,
    Leaf,
    Opened,
    Row,
    Sealed,
    SealedRemark,
    Tagged,
    Write,
)
from memory.origin import OriginClass
from memory.signals import Blinded, Signals, Vectors
from memory.types import (
    ClientId,
    Epoch,
    Kind,
    Layer,
    LeafId,
    MemoryId,
    Owner,
    State,
    SubjectId,
    SubjectMark,
    TenantId,
    TraceId,
    TurnId,
)
from policies.model import Finding

Clock = Callable[[], datetime]
"""Now, as an aware UTC instant."""
NewId = Callable[[], str]
"""A fresh unguessable id: a version 7 UUID in its 36-character form."""


class Vault(Protocol):
    """Seals and opens under the owner's keys. A destroyed or missing key reads as unreadable."""

    async def seal(self, admitted: Admitted) -> Sealed:
        """Return `admitted` sealed under its owner's key, labelled and tagged."""
        ...

    async def relabel(
        self,
        sealed: Sealed,
        *,
        state: State,
        leaf: LeafId,
        at: datetime,
        superseded_by: MemoryId | None = None,
        decided: Decided | None = None,
        faded: int | None = None,
        over: Sealed | None = None,
        laid: Laid | None = None,
    ) -> Sealed:
        """Return the same content with another state, the next version and a new tag.

        With state `forgotten` or `rejected` all three tokens and both digests become empty.
        `decided` replaces what it was decided by, where it keeps its content, and `faded` how often
        it was let fade. With `over` it becomes the version after that one, of the same memory.
        `laid` puts it into another layer, as its next revision. Raises UnreadableError when the tag
        of either does not hold.
        """
        ...

    async def open(self, owner: Owner, sealed: Sealed) -> Opened:
        """Return the content. Raises UnreadableError when anything does not fit `owner`."""
        ...

    async def open_entry(self, owner: Owner, sealed: Sealed) -> Blinded:
        """Return the search material of a memory. Raises UnreadableError."""
        ...

    async def open_evidence(self, owner: Owner, sealed: Sealed) -> Evidence:
        """Return what the decision rested on. Raises UnreadableError."""
        ...

    async def blind(self, owner: Owner, signals: Signals) -> Blinded:
        """Return search material keyed for `owner`; equal input gives equal output."""
        ...


class Marks(Protocol):
    """Keyed ids for equality without content. Same keys as the vault's."""

    async def fingerprint(self, owner: Owner, text: str) -> bytes:
        """Return 32 bytes, equal for equal `text` of one owner and unlinkable otherwise."""
        ...

    async def source(self, tenant: TenantId, reference: str) -> str:
        """Return the keyed id of a source reference or session within a tenant, 32 hex digits."""
        ...

    async def keyed(self, owner: Owner, *parts: str) -> bytes:
        """Return 32 bytes, equal for equal `parts` of one owner and unlinkable otherwise.

        For what is no memory's text; never equal to a fingerprint.
        """
        ...


class Record(StrEnum):
    """What is sealed under a subject's key beside memories, each under a key of its own."""

    ANSWER = "answer"
    WRITE = "write"
    OUTCOME = "outcome"
    TURN = "turn"
    TRACE = "trace"
    REMARK = "remark"
    UNDO = "undo"
    PROPOSAL = "proposal"
    HOOK = "hook"
    VISIT = "visit"


class Envelopes(Protocol):
    """Seals small records that are no memories, each bound to its owner and place."""

    async def wrap(
        self, owner: Owner, record: Record, place: Sequence[bytes], plain: bytes
    ) -> bytes:
        """Return `plain` sealed under the owner's key."""
        ...

    async def unwrap(
        self, owner: Owner, record: Record, place: Sequence[bytes], token: bytes
    ) -> bytes:
        """Return what was sealed. Raises UnreadableError when anything does not fit."""
        ...


class Filter(msgspec.Struct, frozen=True):
    """What to list. Empty tuples mean no restriction; `states` is never empty."""

    states: tuple[State, ...] = (State.ACTIVE,)
    layers: tuple[Layer, ...] = ()
    kinds: tuple[Kind, ...] = ()
    origins: tuple[OriginClass, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    superseded_by: tuple[MemoryId, ...] = ()


class Page(msgspec.Struct, frozen=True):
    """Rows newest first, and an opaque cursor to the next page, None at the end."""

    rows: tuple[Row, ...]
    cursor: str | None


class Beside(msgspec.Struct, frozen=True):
    """The memories that were recorded right before and right after one in its session."""

    before: MemoryId | None
    after: MemoryId | None


class Sessions(Protocol):
    """In which order memories came within a session. Part of the ledger."""

    async def beside(
        self, tenant: TenantId, subject: SubjectId, ids: Sequence[MemoryId]
    ) -> Mapping[MemoryId, Beside]:
        """Return what stands beside those of `ids` that this subject has in a session.

        Only active memories stand beside one, in the order in which they were recorded.
        """
        ...


class Ledger(Sessions, Protocol):
    """The truth. All methods raise UnavailableError when the database does not answer."""

    async def epoch(self, tenant: TenantId, subject: SubjectId) -> Epoch:
        """Return the subject's epoch, 0 for one that has never written."""
        ...

    async def commit(self, change: Change) -> None:
        """Apply all of `change` durably in one transaction, or nothing.

        Raises ConflictError when the epoch moved or a row is not at the expected version.
        """
        ...

    async def rows(
        self, tenant: TenantId, subject: SubjectId, ids: Sequence[MemoryId]
    ) -> list[Row]:
        """Return those of `ids` that this subject owns, in any state, in the order of `ids`."""
        ...

    async def unindexed(self, tenant: TenantId, subject: SubjectId, limit: int) -> list[Row]:
        """Return the newest active rows that the index does not have yet, at most `limit`."""
        ...

    async def page(
        self, tenant: TenantId, subject: SubjectId, filter: Filter, cursor: str | None, limit: int
    ) -> Page:
        """Return one page of the subject's rows. Raises InvalidError for a foreign cursor."""
        ...

    async def twins(
        self, tenant: TenantId, subject: SubjectId, fingerprint: bytes, claim: bytes = b""
    ) -> list[Row]:
        """Return the subject's rows with this fingerprint, or with this claim unless it is empty,
        in any state, newest first.
        """
        ...


class Order(StrEnum):
    """How a queue is sorted: by when a memory was first written, or the worst first and of equals
    the newest.
    """

    NEWEST = "newest"
    OLDEST = "oldest"
    SCORE = "score"


class Docket(msgspec.Struct, frozen=True):
    """Which held rows to list, and in which order. Empty tuples mean no restriction.

    `sources` and `sessions` are keyed ids, as labels have them. `sealed` is what the caller sorts
    out by what is sealed: the ledger can't, and binds the cursor to it. `escalated` leaves only
    what a reviewer marked for others.
    """

    order: Order = Order.NEWEST
    origins: tuple[OriginClass, ...] = ()
    layers: tuple[Layer, ...] = ()
    clients: tuple[ClientId, ...] = ()
    subjects: tuple[SubjectId, ...] = ()
    sources: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    sealed: tuple[str, ...] = ()
    escalated: bool = False


WHOLE_QUEUE: Final = Docket()


class Quarantine(Protocol):
    """A reviewer's view: the held rows of one tenant. Decisions go through the ledger."""

    async def held(
        self, tenant: TenantId, cursor: str | None, limit: int, docket: Docket = WHOLE_QUEUE
    ) -> Page:
        """Return held rows of the tenant. Raises InvalidError for another docket's cursor."""
        ...

    async def case(self, tenant: TenantId, id: MemoryId, state: State = State.HELD) -> Row | None:
        """Return one row of the tenant that is in this state, or None."""
        ...

    async def doubted(self, tenant: TenantId, cursor: str | None, limit: int) -> Page:
        """Return active rows of the tenant that stand in doubt beside another, newest first."""
        ...

    async def count(
        self, tenant: TenantId, docket: Docket = WHOLE_QUEUE, most: int | None = None
    ) -> int:
        """Return how many rows the tenant holds, `most` where there are more than that."""
        ...

    async def count_of(self, owner: Owner, origin: OriginClass, client: ClientId) -> int:
        """Return how many rows are held of one subject from one class of origin and client."""
        ...

    async def lapsed(
        self,
        tenant: TenantId,
        before: datetime,
        now: datetime,
        after: MemoryId | None,
        limit: int,
    ) -> list[Row]:
        """Return held rows of the tenant in order of id, after `after`: those that did not change
        since `before`, and those that have expired `now`.
        """
        ...


class Remarks(Protocol):
    """What reviewers remarked. It goes with the memory when that is forgotten."""

    async def keep(self, leaf: Leaf, remark: SealedRemark) -> None:
        """Append a leaf that changed no memory, and the remark on it, durably: both or neither."""
        ...

    async def on(self, tenant: TenantId, memory: MemoryId, limit: int) -> list[SealedRemark]:
        """Return the newest remarks on a memory of the tenant, newest first."""
        ...


class Sweep(msgspec.Struct, frozen=True):
    """Which of a tenant's rows to go through: `states` is never empty, None means no restriction.

    `unless` leaves out what was decided by exactly that version, `alive_at` what expired by then.
    """

    states: tuple[State, ...]
    since: datetime | None = None
    unless: str | None = None
    alive_at: datetime | None = None


class Stretch(msgspec.Struct, frozen=True):
    """Some rows of a sweep in the order of their ids, and where the next begins; None at the end.

    There may be fewer rows than asked for before the end: what can't be read is left out.
    """

    rows: tuple[Row, ...]
    last: MemoryId | None


class Stock(Protocol):
    """All rows of a tenant, for whoever goes through everything once."""

    async def count(self, tenant: TenantId, sweep: Sweep) -> int:
        """Return how many rows the sweep has now."""
        ...

    async def rows(
        self, tenant: TenantId, sweep: Sweep, after: MemoryId | None, limit: int
    ) -> Stretch:
        """Return the next rows of the sweep, those with ids after `after`."""
        ...


class AuditHead(msgspec.Struct, frozen=True):
    """The newest integrated leaf of a tenant: how many leaves, and the chain value over them."""

    size: int
    hash: bytes


class Integrated(msgspec.Struct, frozen=True):
    """One leaf with its place in the tenant's chain (1-based) and the chain value after it."""

    sequence: int
    leaf: Leaf
    hash: bytes


class Audit(Protocol):
    """The append-only record of one tenant. Changes commit their leaves through the ledger."""

    async def note(self, leaves: Sequence[Leaf]) -> None:
        """Append leaves of things that changed no memory (recalls, refusals), as one batch."""
        ...

    async def integrate(self) -> int:
        """Give every waiting leaf its place in its tenant's chain; return how many."""
        ...

    async def leaves(self, tenant: TenantId, after: int, limit: int) -> list[Integrated]:
        """Return integrated leaves in order, after sequence number `after`."""
        ...

    async def head(self, tenant: TenantId) -> AuditHead:
        """Return the newest head; size 0 and the empty chain's hash for an unknown tenant."""
        ...

    async def made(
        self, tenant: TenantId, ids: Sequence[MemoryId]
    ) -> Mapping[MemoryId, tuple[Leaf, ...]]:
        """Return the leaves that made a version of each of these memories, oldest version first.

        One that is no leaf any more is left out; an unknown memory has none.
        """
        ...


class Journal(Protocol):
    """Takes audit leaves off the request's path; a background task writes them in batches.

    What waits in memory is lost when the process is killed: at most one flush interval (Q6).
    """

    def record(self, leaf: Leaf) -> None:
        """Take one leaf; never blocks and never raises."""
        ...


class Entry(msgspec.Struct, frozen=True):
    """One memory as the index stores it: blinded material (which carries the subject's mark),
    filter labels, and the sealed content. Nothing in it is plain.
    """

    id: MemoryId
    layer: Layer
    blinded: Blinded
    recorded_at: datetime
    occurred_at: datetime | None
    token: bytes


class Probe(msgspec.Struct, frozen=True):
    """What to look for: per route at most `limit` hits, within the layers and time range.

    A route whose part of `blinded` is empty does not run; `time` runs when a bound is given. Who
    reads `contents` from the ledger does without those of the index.
    """

    blinded: Blinded
    layers: tuple[Layer, ...]
    limit: int
    since: datetime | None = None
    until: datetime | None = None
    contents: bool = True


class Hit(msgspec.Struct, frozen=True):
    """One memory that a route found, with the route's own raw score (higher is nearer)."""

    id: MemoryId
    score: float


class Found(msgspec.Struct, frozen=True):
    """Hits by route name (`dense.<vector>`, `keyword`, `entity`, `time`), best first, and the
    sealed content that the index holds for each id in them, where the probe asks for it.
    """

    routes: Mapping[str, tuple[Hit, ...]]
    tokens: Mapping[MemoryId, bytes]


class Index(Protocol):
    """Finds. Per-tenant collections, one per layer; never the truth.

    All methods raise UnavailableError when the engine does not answer in time.
    """

    async def upsert(self, tenant: TenantId, entries: Sequence[Entry]) -> None:
        """Store or replace entries by id, each in the collection of its layer. Idempotent."""
        ...

    async def remove(self, tenant: TenantId, ids: Sequence[MemoryId]) -> None:
        """Remove entries from every layer. Idempotent."""
        ...

    async def search(self, tenant: TenantId, subject: SubjectMark, probe: Probe) -> Found:
        """Run all routes of `probe` in one call, each filtered by subject and layer inside."""
        ...

    async def inventory(
        self, tenant: TenantId, after: MemoryId | None, limit: int
    ) -> list[tuple[MemoryId, bytes]]:
        """Return ids in order with the SHA-256 of the content stored, for reconciliation."""
        ...

    async def drop(self, tenant: TenantId) -> None:
        """Remove everything of a tenant. Idempotent."""
        ...

    async def ping(self) -> None:
        """Return when the engine answers; raise UnavailableError when it does not."""
        ...


class EmbedderId(msgspec.Struct, frozen=True):
    """Which model made a vector: its name with version, and the dimension per vector name."""

    name: str
    dimensions: Mapping[str, int]


class Purpose(StrEnum):
    """What a text is embedded for: some models read a question otherwise than what answers it."""

    MEMORY = "memory"
    QUESTION = "question"


class Embedder(Protocol):
    """Turns texts into unit vectors, off the event loop, batched across concurrent callers."""

    @property
    def id(self) -> EmbedderId:
        """The model that answers."""
        ...

    async def embed(self, texts: Sequence[str], purpose: Purpose = Purpose.MEMORY) -> list[Vectors]:
        """Return one set of named unit vectors per text, in order. Raises UnavailableError."""
        ...


class Detector(Protocol):
    """A screening stage that takes time: a model, or somebody asked over the network (W7).

    It runs under a deadline; one that raises, hangs or answers nonsense holds the write (W11).
    """

    @property
    def version(self) -> str:
        """What decides its answers, at most 64 characters; part of the version of each decision."""
        ...

    async def detect(
        self, tagged: Tagged, facts: Facts, before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Return what it finds; `before` is what the detectors ahead of it found.

        Every finding names the detector's own stage.
        """
        ...


class Rates(Protocol):
    """Counts writes per origin in a sliding window."""

    async def note(self, tenant: TenantId, key: str, at: datetime) -> int:
        """Record one write and return how many fall within the window, this one included."""
        ...


class Allowed(msgspec.Struct, frozen=True):
    """What a tenant may spend a minute, in units, where that is not what the settings say."""

    tenant: int | None = None
    origin: int | None = None
    subject: int | None = None


class Indexing(StrEnum):
    """Where a tenant's memories are searched (S6).

    `sealed` means that no index has an entry of it; `sealing`, that none gets one any more, while
    those from before are still being removed.
    """

    OPEN = "open"
    SEALING = "sealing"
    SEALED = "sealed"


class Tenant(msgspec.Struct, frozen=True):
    """A registered tenant. A suspended one is served nothing; none of its clients may claim a
    higher origin class than `ceiling`, whatever its own says.
    """

    id: TenantId
    suspended: bool
    ceiling: OriginClass = OriginClass.OPERATOR
    allowed: Allowed = Allowed()
    indexing: Indexing = Indexing.OPEN


class Client(msgspec.Struct, frozen=True):
    """A registered client (`azp`) of a tenant, and the highest origin class it may claim."""

    id: ClientId
    tenant: TenantId
    ceiling: OriginClass


class Enrolment(msgspec.Struct, frozen=True, kw_only=True):
    """One change of what is registered of a tenant, and the audit leaves that tell of it.

    What is None stays as it is. A `new` tenant must not be there yet, any other must be.
    """

    tenant: TenantId
    new: bool = False
    suspended: bool | None = None
    ceiling: OriginClass | None = None
    allowed: Allowed | None = None
    indexing: Indexing | None = None
    clients: tuple[Client, ...] = ()
    """To add or replace."""
    removed: tuple[ClientId, ...] = ()
    leaves: tuple[Leaf, ...] = ()


class Registry(Protocol):
    """Who may be served (E13)."""

    async def tenant(self, tenant: TenantId) -> Tenant | None:
        """Return the tenant, or None when it is not registered."""
        ...

    async def client(self, tenant: TenantId, client: ClientId) -> Client | None:
        """Return the tenant's client, or None when it is not registered."""
        ...

    async def register(self, tenant: Tenant, clients: Sequence[Client]) -> None:
        """Create or replace a tenant and add or replace clients. Idempotent."""
        ...

    async def amend(self, change: Enrolment) -> None:
        """Apply all of `change` durably in one transaction, or nothing.

        Raises ConflictError when a new tenant is there already, NotFoundError when another one, or
        a client to be removed, is not.
        """
        ...

    async def tenants(self, after: TenantId | None, limit: int) -> list[Tenant]:
        """Return tenants in the order of their ids, after `after`."""
        ...

    async def clients(self, tenant: TenantId, after: ClientId | None, limit: int) -> list[Client]:
        """Return clients of a tenant in the order of their ids, after `after`."""
        ...


class Bucket(msgspec.Struct, frozen=True):
    """One token bucket: at most `capacity` units, of which `refill` (above 0) come back a second.

    `policy` is the limit's name as callers are told it, `whose` the names it is counted for, the
    tenant first. Equal policy and names are the same bucket.
    """

    policy: str
    whose: tuple[str, ...]
    capacity: int
    refill: float


class Taken(msgspec.Struct, frozen=True):
    """Whether the cost was taken; per bucket, in the order asked, what is left in it, and the
    seconds until it holds the cost (0 where it held it). Refused, nothing was taken from any.
    """

    allowed: bool
    left: tuple[float, ...]
    waits: tuple[float, ...]


class Buckets(Protocol):
    """Counts what callers spend (E7). A bucket that nobody has drawn from is full."""

    async def take(self, buckets: Sequence[Bucket], cost: int) -> Taken:
        """Take `cost` units from each bucket, or from none; a cost of 0 only looks.

        Raises UnavailableError when a store that is shared does not answer in time.
        """
        ...


class Answers(Protocol):
    """What was answered and what is promised, beside the memories. Written by the ledger's commits.

    All methods raise UnavailableError when the database does not answer.
    """

    async def answer(
        self, tenant: TenantId, subject: SubjectId, mark: bytes, now: datetime
    ) -> Answer | None:
        """Return the subject's answer of this mark, None when there is none or it has expired."""
        ...

    async def write(self, tenant: TenantId, subject: SubjectId, id: MemoryId) -> Write | None:
        """Return the subject's accepted write, None when there is none."""
        ...

    async def waiting(self, tenant: TenantId, limit: int) -> int:
        """Return how many writes of the tenant wait, dead ones included; counts up to `limit`."""
        ...

    async def expire(self, now: datetime) -> int:
        """Remove answers and outcomes of every tenant that have expired; return how many."""
        ...


class Due(msgspec.Struct, frozen=True):
    """A write whose turn it is, and how often it was tried in vain."""

    owner: Owner
    id: MemoryId
    attempts: int


class Dead(msgspec.Struct, frozen=True):
    """A write that was given up: it waits for an operator. Nothing of it is lost."""

    owner: Owner
    id: MemoryId
    attempts: int
    reason: str
    at: datetime


class Queue(Protocol):
    """Writes that wait to be decided (W14). They enter and leave it by the ledger's commits.

    What is changed here of a write that is no longer there changes nothing.
    """

    async def claim(self, limit: int, now: datetime, lease_seconds: float) -> list[Due]:
        """Return due writes, hidden from other claimants until the lease ends.

        Oldest first within a tenant, and one of each tenant before the second of any.
        """
        ...

    async def retry(self, due: Due, at: datetime, attempts: int) -> None:
        """Make a write due again at `at`, tried in vain `attempts` times."""
        ...

    async def bury(self, due: Due, reason: str, at: datetime) -> None:
        """Give a write up until it is replayed."""
        ...

    async def release(self, now: datetime) -> None:
        """Make every write that waits due now: for a gateway that is alone and finds leases."""
        ...

    async def dead(self, limit: int, tenant: TenantId | None = None) -> list[Dead]:
        """Return writes that were given up, of one tenant or of all, longest dead first."""
        ...

    async def replay(self, tenant: TenantId, id: MemoryId, at: datetime) -> bool:
        """Make a dead write due at `at` as if never tried; return whether it was dead."""
        ...


class SealedTurn(msgspec.Struct, frozen=True):
    """One turn of a session as it is kept: its place in time, and sealed bytes."""

    id: TurnId
    at: datetime
    expires_at: datetime
    token: bytes


class Window(msgspec.Struct, frozen=True):
    """How much of one session is kept, the newest turns first; the bytes are sealed ones."""

    turns: int
    bytes: int


class Transcript(Protocol):
    """What was said in sessions, sealed and for a short while (W3). `session` is the keyed id
    that labels name it by.

    Never the truth about a memory: all of it can be lost, and only trust is lost with it. All
    methods raise UnavailableError when the database does not answer.
    """

    async def add(
        self,
        tenant: TenantId,
        subject: SubjectId,
        session: str,
        turns: Sequence[SealedTurn],
        window: Window,
    ) -> None:
        """Add turns to a session durably, then remove its oldest as far as `window` asks for."""
        ...

    async def turns(
        self, tenant: TenantId, subject: SubjectId, session: str, now: datetime
    ) -> list[SealedTurn]:
        """Return the session's turns that have not expired, oldest first."""
        ...

    async def erase(
        self, tenant: TenantId, subject: SubjectId, sessions: Sequence[str] | None = None
    ) -> int:
        """Remove the turns of these sessions of a subject, by default of all; return how many."""
        ...

    async def expire(self, now: datetime) -> int:
        """Remove the turns of every tenant that have expired; return how many."""
        ...


class Traces(Protocol):
    """What recalls left behind (R10), sealed under their subject's key and for some days.

    Lost when the process is killed: what was recorded within the last flush interval.
    """

    def record(self, owner: Owner, id: TraceId, at: datetime, plain: bytes) -> None:
        """Take one trace off the request's path; never blocks and never raises."""
        ...

    async def read(self, owner: Owner, id: TraceId, now: datetime) -> bytes | None:
        """Return what was recorded, None for what is not this owner's, has expired, or does not
        open. Raises UnavailableError.
        """
        ...

    async def erase(self, tenant: TenantId, subject: SubjectId | None) -> int:
        """Remove all traces of a subject, or of the whole tenant; return how many.

        What is being answered just now leaves none either. Raises UnavailableError.
        """
        ...

    async def expire(self, now: datetime) -> int:
        """Remove the traces of every tenant that have expired; return how many."""
        ...
