"""The tables of reviewers' work: what is held and marked for others to look at."""

from typing import ClassVar, Final

from sqlalchemy import Table
from sqlmodel import Field

from storage.tables import METADATA, LedgerTable


class EscalationRow(LedgerTable, table=True):
    """A held memory that a reviewer left to others, as long as it is held."""

    __tablename__: ClassVar[str] = "escalations"

    tenant: str = Field(primary_key=True)
    memory: str = Field(primary_key=True)


ESCALATIONS: Final[Table] = METADATA.tables["escalations"]
