"""The tables by which a bad origin is followed: what came of what, and which origins are barred.

None of them holds content, or a name that a writer chose: ids, keyed ids and instants alone.
"""

from typing import ClassVar, Final

from sqlalchemy import BigInteger, Index, Table
from sqlmodel import Field

from storage.tables import MEMORIES, METADATA, LedgerTable


class DerivationRow(LedgerTable, table=True):
    """A memory that was derived from another of its subject. It stays when either is forgotten:
    what came of both must still be found.
    """

    __tablename__: ClassVar[str] = "derivations"
    __table_args__ = (Index("derivations_child", "tenant", "child", "parent"),)

    tenant: str = Field(primary_key=True)
    parent: str = Field(primary_key=True)
    child: str = Field(primary_key=True)


class LineageRow(LedgerTable, table=True):
    """A subject all of whose derivations are known: those from before there was a table were read
    from his memories.
    """

    __tablename__: ClassVar[str] = "lineages"

    tenant: str = Field(primary_key=True)
    subject: str = Field(primary_key=True)


class BanRow(LedgerTable, table=True):
    """An origin whose memories are held, until it is lifted. `name` is a keyed id, where a writer
    chose the name.
    """

    __tablename__: ClassVar[str] = "bans"

    tenant: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    kind: str
    name: str
    at: int = Field(sa_type=BigInteger)
    lifted_at: int | None = Field(sa_type=BigInteger)


class BarredRow(LedgerTable, table=True):
    """A memory that a ban holds, the version that did, and when it was last changed before."""

    __tablename__: ClassVar[str] = "barred"
    __table_args__ = (Index("barred_memory", "tenant", "memory"),)

    tenant: str = Field(primary_key=True)
    ban: str = Field(primary_key=True)
    memory: str = Field(primary_key=True)
    version: int
    changed_at: int = Field(sa_type=BigInteger)


DERIVATIONS: Final[Table] = METADATA.tables["derivations"]
LINEAGES: Final[Table] = METADATA.tables["lineages"]
BANS: Final[Table] = METADATA.tables["bans"]
BARRED: Final[Table] = METADATA.tables["barred"]

# All that a list of origins tells stands in these, so that it goes through no memory.
Index("memories_by_source", *(MEMORIES.c[n] for n in ("tenant", "source", "recorded_at", "state")))
Index(
    "memories_by_session", *(MEMORIES.c[n] for n in ("tenant", "session", "recorded_at", "state"))
)
Index(
    "memories_by_client",
    *(MEMORIES.c[n] for n in ("tenant", "client", "origin", "recorded_at", "state")),
)
