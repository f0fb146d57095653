"""The audit over REST, for the auditor of a tenant: leaves, and proofs that the record stands (Q6).

Nothing here shows content: leaves have none. Hashes, roots and digests are in base64.
"""

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import Request, get
from litestar.handlers import HTTPRouteHandler
from msgspec import Meta

from gateway import wire
from gateway.doors import Edge
from gateway.limits import Shape
from guard.merkle import leaf_hash
from guard.ports import Integrated
from guard.record import Consistent, Included, Sought, Tree

Incoming = Request[Any, Any, Any]
_Number = Annotated[int, Meta(ge=1, le=2**53)]
_Word = Annotated[str, Meta(min_length=1, max_length=255)]
_Instant = Annotated[datetime, Meta(tz=True)]


class AskInclusion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which leaf (from 1), in the tree of how many leaves; by default of all."""

    leaf: _Number
    size: _Number | None = None


class AskConsistency(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """From the tree of how many leaves to that of how many; by default of all."""

    first: _Number
    second: _Number | None = None


class ListLeaves(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which leaves, after which number, and how many at most."""

    object: _Word | None = None
    action: _Word | None = None
    outcome: _Word | None = None
    actor: _Word | None = None
    subject: _Word | None = None
    client: _Word | None = None
    since: _Instant | None = None
    until: _Instant | None = None
    cursor: Annotated[int, Meta(ge=0, le=2**53)] = 0
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100

    def sought(self) -> Sought:
        """Return which leaves are asked for."""
        names = [one.name for one in msgspec.structs.fields(Sought)]
        return Sought(**{name: getattr(self, name) for name in names})


class LeafAnswer(msgspec.Struct, frozen=True):
    """One leaf: its number, its hash in the tree, and who did what to which object, when."""

    leaf: int
    hash: bytes
    id: str
    at: datetime
    actor: str
    subject: str
    client: str
    channel: str
    action: str
    object: str
    version: int
    outcome: str
    policy: str
    digest: bytes
    reasons: tuple[str, ...]

    @classmethod
    def told(cls, one: Integrated) -> "LeafAnswer":
        """Return a leaf as auditors see it."""
        said = one.leaf
        return cls(
            leaf=one.sequence,
            hash=leaf_hash(msgspec.msgpack.encode(said)),
            id=said.id,
            at=said.at,
            actor=said.actor,
            subject=said.subject,
            client=said.client,
            channel=said.channel,
            action=said.action,
            object=said.object,
            version=said.version,
            outcome=said.outcome,
            policy=said.policy,
            digest=said.digest,
            reasons=said.reasons,
        )


class LeavesAnswer(msgspec.Struct, frozen=True):
    """One page of leaves, and the cursor of the next; a page without a cursor is the last."""

    items: tuple[LeafAnswer, ...]
    cursor: int | None


def audit_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers under `/v1/audit`."""
    doors, rooms = edge.use_cases.record, edge.rooms

    @get("/v1/audit/checkpoint", opt={"shape": Shape("How far the record goes", Tree)})
    async def checkpoint(request: Incoming) -> Tree:
        return await doors.tree(request.auth, rooms)

    @get(
        "/v1/audit/proof/inclusion",
        opt={"shape": Shape("Prove that a leaf is in the record", Included, query=AskInclusion)},
    )
    async def included(request: Incoming) -> Included:
        asked = wire.from_query(request.query_params.multi_items(), AskInclusion)
        return await doors.included(request.auth, asked.leaf, asked.size, rooms)

    @get(
        "/v1/audit/proof/consistency",
        opt={"shape": Shape("Prove that the record grew", Consistent, query=AskConsistency)},
    )
    async def consistent(request: Incoming) -> Consistent:
        asked = wire.from_query(request.query_params.multi_items(), AskConsistency)
        return await doors.consistent(request.auth, asked.first, asked.second, rooms)

    @get(
        "/v1/audit/leaves",
        opt={"shape": Shape("List leaves of the record", LeavesAnswer, query=ListLeaves)},
    )
    async def leaves(request: Incoming) -> LeavesAnswer:
        asked = wire.from_query(request.query_params.multi_items(), ListLeaves)
        page = await doors.leaves(request.auth, asked.sought(), asked.cursor, asked.limit, rooms)
        return LeavesAnswer(tuple(LeafAnswer.told(one) for one in page.items), page.cursor)

    return [checkpoint, included, consistent, leaves]
