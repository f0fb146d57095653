"""The tables of webhooks: which there are, what is sealed of each, and what is yet to be posted."""

from typing import ClassVar, Final

from sqlalchemy import BigInteger, ForeignKeyConstraint, Index, Table, UniqueConstraint
from sqlmodel import Field

from storage.tables import METADATA, LedgerTable, _Place


class WebhookRow(LedgerTable, table=True):
    """A webhook: which events it asks for, as words, and up to which audit leaf they are posts."""

    __tablename__: ClassVar[str] = "webhooks"

    tenant: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    events: str
    position: int = Field(sa_type=BigInteger)
    paused: str
    changed_at: int = Field(sa_type=BigInteger)


class WebhookSealRow(LedgerTable, table=True):
    """Where a webhook leads and what its posts are signed with, sealed.

    Apart from the webhook itself, so that who looks across tenants sees no sealed content.
    """

    __tablename__: ClassVar[str] = "webhook_seals"
    __table_args__ = (
        ForeignKeyConstraint(
            ["tenant", "id"], ["webhooks.tenant", "webhooks.id"], name="webhook_seals_of"
        ),
    )

    tenant: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    token: bytes


class PostRow(LedgerTable, table=True):
    """An audit leaf that is to be posted, hidden from claimants until `due_at`, and for good once
    `dead_at` is set.
    """

    __tablename__: ClassVar[str] = "posts"
    __table_args__ = (
        UniqueConstraint("tenant", "hook", "sequence", name="posts_once"),
        ForeignKeyConstraint(
            ["tenant", "hook"], ["webhooks.tenant", "webhooks.id"], name="posts_of"
        ),
        Index("posts_due", "dead_at", "due_at"),
    )

    place: int | None = Field(primary_key=True, sa_type=_Place)
    tenant: str
    hook: str
    sequence: int = Field(sa_type=BigInteger)
    made_at: int = Field(sa_type=BigInteger)
    due_at: int = Field(sa_type=BigInteger)
    attempts: int
    dead_at: int | None = Field(sa_type=BigInteger)
    reason: str


WEBHOOKS: Final[Table] = METADATA.tables["webhooks"]
SEALS: Final[Table] = METADATA.tables["webhook_seals"]
POSTS: Final[Table] = METADATA.tables["posts"]
