"""The tables of reviewers' work: what is held and marked for others to look at."""

from typing import ClassVar, Final

from sqlalchemy import BigInteger, Index, Table
from sqlmodel import Field

from storage.tables import METADATA, LedgerTable


class EscalationRow(LedgerTable, table=True):
    """A held memory that a reviewer left to others, as long as it is held."""

    __tablename__: ClassVar[str] = "escalations"

    tenant: str = Field(primary_key=True)
    memory: str = Field(primary_key=True)


class DecisionRow(LedgerTable, table=True):
    """What a reviewer's last decision on a memory replaced, sealed, until it expires; `leaf` is the
    decision's.
    """

    __tablename__: ClassVar[str] = "decisions"
    __table_args__ = (Index("decisions_expiry", "tenant", "expires_at"),)

    tenant: str = Field(primary_key=True)
    memory: str = Field(primary_key=True)
    subject: str
    leaf: str
    expires_at: int = Field(sa_type=BigInteger)
    token: bytes


class ProposalRow(LedgerTable, table=True):
    """What a reviewer proposed for a memory, sealed, until it expires."""

    __tablename__: ClassVar[str] = "proposals"
    __table_args__ = (
        Index("proposals_expiry", "tenant", "expires_at"),
        Index("proposals_memory", "tenant", "memory"),
    )

    tenant: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    subject: str
    memory: str
    expires_at: int = Field(sa_type=BigInteger)
    token: bytes


PROPOSALS: Final[Table] = METADATA.tables["proposals"]
DECISIONS: Final[Table] = METADATA.tables["decisions"]
ESCALATIONS: Final[Table] = METADATA.tables["escalations"]
