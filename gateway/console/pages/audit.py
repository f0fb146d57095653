"""The record: its leaves, its checkpoint, and whether it is still the one that somebody kept."""

import base64
import binascii
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Final
from urllib.parse import urlencode

import msgspec
from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.response import Template
from msgspec import Meta

from gateway.console.cookies import Incoming
from gateway.console.forms import Forms, asked
from gateway.console.frame import Frame
from gateway.console.pages.queue import midnight
from gateway.console.shield import ROOT
from gateway.doors import Edge
from guard.errors import InvalidError
from guard.merkle import proves_consistency, proves_inclusion
from guard.principal import Principal
from guard.record import Sought, Tree

_Word = Annotated[str, Meta(min_length=1, max_length=255)]
_Number = Annotated[int, Meta(ge=1, le=2**53)]
_PAGE: Final = 50
_ROOT_BYTES: Final = 32
_FILTERS: Final = ("object", "action", "outcome", "actor", "subject", "client")


class AskRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which leaves. Without a word the newest ones."""

    object: _Word | None = None
    action: _Word | None = None
    outcome: _Word | None = None
    actor: _Word | None = None
    subject: _Word | None = None
    client: _Word | None = None
    since: date | None = None
    until: date | None = None
    cursor: Annotated[int, Meta(ge=0, le=2**53)] | None = None

    def sought(self) -> Sought:
        """Return which leaves are asked for. Days are those of UTC, the last one included."""
        names = {name: getattr(self, name) for name in _FILTERS}
        return Sought(**names, since=midnight(self.since), until=midnight(self.until, 1))

    @property
    def filters(self) -> bool:
        """Whether anything is left out."""
        return self.sought() != Sought()

    def link(self, cursor: int) -> str:
        """Return the way to the leaves after this number."""
        plain = msgspec.to_builtins(msgspec.structs.replace(self, cursor=cursor))
        pairs = [(name, value) for name, value in plain.items() if value is not None]
        return f"{ROOT}/audit?{urlencode(pairs)}"


class Verify(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A checkpoint that was kept elsewhere, and perhaps a leaf."""

    size: _Number
    root: Annotated[str, Meta(min_length=44, max_length=44)]
    leaf: _Number | None = None

    def kept(self) -> Tree:
        """Return the checkpoint. Raises InvalidError for a root that is none."""
        try:
            raw = base64.b64decode(self.root.encode("ascii"), validate=True)
        except (binascii.Error, ValueError):
            raw = b""
        if len(raw) != _ROOT_BYTES:
            raise InvalidError("root: 32 bytes in base64")
        return Tree(self.size, raw)


class Verified(msgspec.Struct, frozen=True):
    """What came out: the record of now, whether it grew out of the kept one, and has the leaf."""

    kept: Tree
    now: Tree
    grew: bool
    leaf: int | None
    has: bool


def audit_pages(edge: Edge, frame: Frame, forms: Forms) -> Iterable[HTTPRouteHandler]:
    """Return the handlers of the record."""
    doors, rooms = edge.use_cases.record, edge.rooms

    async def page(
        request: Incoming, wanted: AskRecord, verified: Verified | None = None
    ) -> Template:
        tree = await doors.tree(request.auth, rooms)
        newest = wanted.cursor is None and not wanted.filters
        after = max(0, tree.size - _PAGE) if newest else wanted.cursor or 0
        found = await doors.leaves(request.auth, wanted.sought(), after, _PAGE, rooms)
        earlier = newest and after > 0
        return frame.page(
            request,
            "audit.html",
            wanted=wanted,
            tree=tree,
            leaves=found.items[::-1] if newest else found.items,
            earlier=wanted.link(max(0, after - _PAGE)) if earlier else None,
            further=None if found.cursor is None or newest else wanted.link(found.cursor),
            verified=verified,
            filters=_FILTERS,
        )

    async def verify_kept(principal: Principal, said: Verify) -> Verified:
        # The proofs come from the record and are checked here against what was kept elsewhere.
        kept = said.kept()
        proof = await doors.consistent(principal, kept.size, None, rooms)
        now = proof.second
        grew = proves_consistency(kept.size, kept.root, now.size, now.root, proof.proof)
        has = False
        if said.leaf is not None:
            inside = await doors.included(principal, said.leaf, now.size, rooms)
            shown = (inside.hash, said.leaf - 1, now.size, inside.proof, now.root)
            has = proves_inclusion(*shown)
        return Verified(kept, now, grew, said.leaf, has)

    @get("/audit")
    async def audit(request: Incoming) -> Template:
        return await page(request, asked(request.query_params.multi_items(), AskRecord))

    @post("/audit/verify", status_code=200)
    async def verify(request: Incoming) -> Template:
        said = await forms.submitted(request, Verify)
        return await page(request, AskRecord(), await verify_kept(request.auth, said))

    return [audit, verify]
