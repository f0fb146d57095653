"""The ledger's tables. Rows never leave `storage`: `rows.py` turns them into nouns.

Instants are whole microseconds since 1970 in UTC, floats are 64 bit: a label must come back bit by
bit, since a keyed tag covers it. Everything is portable between SQLite and PostgreSQL.
"""

from typing import ClassVar, Final

from sqlalchemy import (
    BigInteger,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

_Place = BigInteger().with_variant(Integer(), "sqlite")
"""SQLite numbers rows by itself only in a column declared INTEGER."""


class LedgerTable(SQLModel, registry=registry()):
    """What the ledger's tables share: a metadata of their own, apart from any other store's."""


METADATA: Final[MetaData] = LedgerTable.metadata


class SubjectRow(LedgerTable, table=True):
    """The epoch of one subject: how many changes it has committed."""

    __tablename__: ClassVar[str] = "subjects"

    tenant: str = Field(primary_key=True)
    subject: str = Field(primary_key=True)
    epoch: int = Field(sa_type=BigInteger)


class LeafRow(LedgerTable, table=True):
    """One audit leaf. `body` is the leaf in canonical form; the columns beside it are for finding.

    `row_version` is the version that the leaf's change made of memory `object`, and null when the
    leaf changed no memory (recalls, refusals). `sequence` and `chain` are null until integrated.
    """

    __tablename__: ClassVar[str] = "leaves"
    __table_args__ = (
        UniqueConstraint("tenant", "sequence", name="leaves_sequence"),
        Index("leaves_object", "tenant", "object", "row_version", "id"),
        Index(
            "leaves_waiting",
            "sequence",
            "tenant",
            "id",
            sqlite_where=text("sequence IS NULL"),
            postgresql_where=text("sequence IS NULL"),
        ),
    )

    tenant: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    object: str
    row_version: int | None
    body: bytes
    sequence: int | None = Field(sa_type=BigInteger)
    chain: bytes | None


class MemoryRow(LedgerTable, table=True):
    """One sealed memory at its newest version; the columns up to `leaf` are its label, and those
    after `claim`.

    The sealed bytes come last: SQLite reads a row from its start, through all overflow pages.
    """

    __tablename__: ClassVar[str] = "memories"
    __table_args__ = (
        ForeignKeyConstraint(
            ["tenant", "subject"],
            ["subjects.tenant", "subjects.subject"],
            name="memories_subject",
        ),
        ForeignKeyConstraint(
            ["tenant", "leaf"], ["leaves.tenant", "leaves.id"], name="memories_leaf"
        ),
        Index("memories_newest", "tenant", "subject", "recorded_at", "id"),
        Index("memories_twins", "tenant", "subject", "fingerprint"),
        Index("memories_claim", "tenant", "subject", "claim"),
        Index("memories_chain", "tenant", "subject", "superseded_by"),
        Index("memories_session", "tenant", "subject", "session", "recorded_at", "id"),
        Index("memories_state", "tenant", "state", "recorded_at", "id"),
        Index(
            "memories_unindexed",
            "tenant",
            "subject",
            "state",
            "recorded_at",
            "id",
            sqlite_where=text("indexed_version < version"),
            postgresql_where=text("indexed_version < version"),
        ),
        *(
            Index(
                f"held_{name}",
                "tenant",
                name,
                "recorded_at",
                "id",
                sqlite_where=text("state = 'held'"),
                postgresql_where=text("state = 'held'"),
            )
            for name in ("subject", "client", "origin", "source", "session", "gravity")
        ),
    )

    tenant: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    subject: str
    layer: str
    kind: str
    state: str
    revision: int
    version: int
    origin: str
    trust: int
    channel: str
    client: str
    source: str
    session: str
    importance: float = Field(sa_type=Double)
    confidence: float = Field(sa_type=Double)
    recorded_at: int = Field(sa_type=BigInteger)
    changed_at: int = Field(sa_type=BigInteger)
    expires_at: int | None = Field(sa_type=BigInteger)
    superseded_by: str | None
    policy: str
    digest: bytes
    entry_digest: bytes
    leaf: str
    indexed_version: int
    tag: bytes
    fingerprint: bytes
    token: bytes
    entry: bytes
    evidence: bytes
    claim: bytes
    faded: int
    gravity: int


class TaskRow(LedgerTable, table=True):
    """One label version that the index has yet to follow; hidden from claimants until `due_at`."""

    __tablename__: ClassVar[str] = "outbox"
    __table_args__ = (
        UniqueConstraint("tenant", "id", "version", name="outbox_version"),
        ForeignKeyConstraint(
            ["tenant", "id"], ["memories.tenant", "memories.id"], name="outbox_memory"
        ),
        Index("outbox_due", "due_at", "place"),
    )

    place: int | None = Field(primary_key=True, sa_type=_Place)
    tenant: str
    subject: str
    id: str
    version: int
    due_at: int = Field(sa_type=BigInteger)
    attempts: int


class AnswerRow(LedgerTable, table=True):
    """The sealed first answer to a write that came with an idempotency key, by its keyed id."""

    __tablename__: ClassVar[str] = "answers"
    __table_args__ = (
        Index("answers_expiry", "tenant", "expires_at"),
        Index("answers_memory", "tenant", "memory"),
    )

    tenant: str = Field(primary_key=True)
    mark: bytes = Field(primary_key=True)
    subject: str
    request: bytes
    memory: str | None
    expires_at: int = Field(sa_type=BigInteger)
    token: bytes


class DoubtRow(LedgerTable, table=True):
    """Two active memories: nobody knows whether both can hold, unless a reviewer said so."""

    __tablename__: ClassVar[str] = "doubts"
    __table_args__ = (Index("doubts_other", "tenant", "other"),)

    tenant: str = Field(primary_key=True)
    memory: str = Field(primary_key=True)
    other: str = Field(primary_key=True)
    dismissed_at: int | None = Field(default=None, sa_type=BigInteger)


class WriteRow(LedgerTable, table=True):
    """A write that is decided later, sealed in `token`; decided, in `outcome`, until it expires."""

    __tablename__: ClassVar[str] = "writes"
    __table_args__ = (
        Index("writes_expiry", "tenant", "expires_at"),
        Index("writes_memory", "tenant", "memory"),
    )

    tenant: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    subject: str
    accepted_at: int = Field(sa_type=BigInteger)
    expires_at: int | None = Field(sa_type=BigInteger)
    memory: str | None
    token: bytes
    outcome: bytes


class DueRow(LedgerTable, table=True):
    """A write that waits, hidden from claimants until `due_at`, and for good once `dead_at` is set.

    Apart from the write itself, so that who looks across tenants sees no sealed content.
    """

    __tablename__: ClassVar[str] = "queue"
    __table_args__ = (
        UniqueConstraint("tenant", "id", name="queue_write"),
        ForeignKeyConstraint(["tenant", "id"], ["writes.tenant", "writes.id"], name="queue_of"),
        Index("queue_due", "dead_at", "due_at"),
    )

    place: int | None = Field(primary_key=True, sa_type=_Place)
    tenant: str
    subject: str
    id: str
    due_at: int = Field(sa_type=BigInteger)
    attempts: int
    dead_at: int | None = Field(sa_type=BigInteger)
    reason: str


class TurnRow(LedgerTable, table=True):
    """One sealed turn of a session, until it expires. `session` is a keyed id."""

    __tablename__: ClassVar[str] = "turns"
    __table_args__ = (
        Index("turns_session", "tenant", "subject", "session", "at", "id"),
        Index("turns_expiry", "tenant", "expires_at"),
    )

    tenant: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    subject: str
    session: str
    at: int = Field(sa_type=BigInteger)
    expires_at: int = Field(sa_type=BigInteger)
    token: bytes


class TraceRow(LedgerTable, table=True):
    """What one recall left behind, sealed, until it expires."""

    __tablename__: ClassVar[str] = "traces"
    __table_args__ = (
        Index("traces_subject", "tenant", "subject"),
        Index("traces_expiry", "tenant", "expires_at"),
    )

    tenant: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    subject: str
    at: int = Field(sa_type=BigInteger)
    expires_at: int = Field(sa_type=BigInteger)
    token: bytes


class RemarkRow(LedgerTable, table=True):
    """What a reviewer remarked on a memory, sealed; `id` is the audit leaf that it belongs to."""

    __tablename__: ClassVar[str] = "remarks"
    __table_args__ = (Index("remarks_memory", "tenant", "memory", "id"),)

    tenant: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    subject: str
    memory: str
    token: bytes


class VisitRow(LedgerTable, table=True):
    """A visit to the console: the visitor's token, sealed. `id` says nothing of his ticket."""

    __tablename__: ClassVar[str] = "visits"
    __table_args__ = (Index("visits_expiry", "tenant", "expires_at"),)

    tenant: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    subject: str
    expires_at: int = Field(sa_type=BigInteger)
    token: bytes


class TenantRow(LedgerTable, table=True):
    """A registered tenant, the most its clients may claim, the units it may spend a minute where
    that is not what the settings say, and whether an index may have entries of it.
    """

    __tablename__: ClassVar[str] = "tenants"

    id: str = Field(primary_key=True)
    suspended: bool
    ceiling: str
    tenant_units: int | None = Field(sa_type=BigInteger)
    origin_units: int | None = Field(sa_type=BigInteger)
    subject_units: int | None = Field(sa_type=BigInteger)
    indexing: str


class ClientRow(LedgerTable, table=True):
    """A registered client of a tenant, and the highest origin class it may claim."""

    __tablename__: ClassVar[str] = "clients"
    __table_args__ = (ForeignKeyConstraint(["tenant"], ["tenants.id"], name="clients_tenant"),)

    tenant: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    ceiling: str


class EmbedderRow(LedgerTable, table=True):
    """Which model made the vectors of all memories here; `dimensions` by vector name, as JSON."""

    __tablename__: ClassVar[str] = "embedders"

    place: str = Field(primary_key=True)
    name: str
    dimensions: str


class RevocationRow(LedgerTable, table=True):
    """Tokens that are believed no longer: one by its id, or a subject's or tenant's up to then."""

    __tablename__: ClassVar[str] = "revocations"
    __table_args__ = (Index("revocations_at", "at"),)

    tenant: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    kind: str
    name: str
    before: int = Field(sa_type=BigInteger)
    at: int = Field(sa_type=BigInteger)


SUBJECTS: Final[Table] = METADATA.tables["subjects"]
LEAVES: Final[Table] = METADATA.tables["leaves"]
MEMORIES: Final[Table] = METADATA.tables["memories"]
OUTBOX: Final[Table] = METADATA.tables["outbox"]
TENANTS: Final[Table] = METADATA.tables["tenants"]
CLIENTS: Final[Table] = METADATA.tables["clients"]
EMBEDDERS: Final[Table] = METADATA.tables["embedders"]
ANSWERS: Final[Table] = METADATA.tables["answers"]
DOUBTS: Final[Table] = METADATA.tables["doubts"]
WRITES: Final[Table] = METADATA.tables["writes"]
QUEUE: Final[Table] = METADATA.tables["queue"]
TURNS: Final[Table] = METADATA.tables["turns"]
REVOCATIONS: Final[Table] = METADATA.tables["revocations"]
TRACES: Final[Table] = METADATA.tables["traces"]
REMARKS: Final[Table] = METADATA.tables["remarks"]
VISITS: Final[Table] = METADATA.tables["visits"]
