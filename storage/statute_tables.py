"""The tables of tenants' own rules: every version, and the history of which of them held."""

from typing import ClassVar, Final

from sqlalchemy import BigInteger, Index, Table
from sqlmodel import Field

from storage.tables import METADATA, LedgerTable


class RulesetRow(LedgerTable, table=True):
    """One version of a tenant's own rules, as they were written. Never changed."""

    __tablename__: ClassVar[str] = "rulesets"

    tenant: str = Field(primary_key=True)
    number: int = Field(primary_key=True, sa_type=BigInteger)
    author: str
    client: str
    at: int = Field(sa_type=BigInteger)
    comment: str
    body: str
    digest: bytes


class EnactmentRow(LedgerTable, table=True):
    """From then on a version held, until the next place. Never changed."""

    __tablename__: ClassVar[str] = "enactments"
    __table_args__ = (Index("enactments_at", "at"),)

    tenant: str = Field(primary_key=True)
    place: int = Field(primary_key=True, sa_type=BigInteger)
    number: int = Field(sa_type=BigInteger)
    digest: bytes
    back: int = Field(sa_type=BigInteger)
    author: str
    at: int = Field(sa_type=BigInteger)


RULESETS: Final[Table] = METADATA.tables["rulesets"]
ENACTMENTS: Final[Table] = METADATA.tables["enactments"]
