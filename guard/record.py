"""An auditor's doors: what his tenant's record says, and proofs that it is the one that was (Q6).

A proof is made from all leaves up to the size that is asked for, so it costs what they are. What is
no leaf any more is never proved: the doors raise UnreadableError then, and `audit verify` says
where.
"""

import asyncio
from datetime import datetime
from typing import Final

import msgspec

from guard.errors import InvalidError
from guard.merkle import consistency, inclusion, leaf_hash, root_of
from guard.nouns import Leaf
from guard.ports import Integrated
from guard.principal import Principal, Scope
from guard.rooms import Rooms

_BATCH: Final = 1000
MOST_LOOKED_AT: Final = 5000
"""Leaves that one page looks at; it says where to go on when it found fewer than were asked for."""


class Tree(msgspec.Struct, frozen=True):
    """How many leaves a record has, and the Merkle root over them (RFC 6962)."""

    size: int
    root: bytes


class Included(msgspec.Struct, frozen=True):
    """That the leaf with this number (from 1) is in the tree, from it up to the root."""

    leaf: int
    hash: bytes
    tree: Tree
    proof: tuple[bytes, ...]


class Consistent(msgspec.Struct, frozen=True):
    """That the second tree begins with all leaves of the first, in their order."""

    first: Tree
    second: Tree
    proof: tuple[bytes, ...]


class Sought(msgspec.Struct, frozen=True, kw_only=True):
    """Which leaves; None for any. Times are those of the leaves, `since` and `until` included."""

    object: str | None = None
    action: str | None = None
    outcome: str | None = None
    actor: str | None = None
    subject: str | None = None
    client: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def fits(self, leaf: Leaf) -> bool:
        """Return whether this is one of them."""
        names = ("object", "action", "outcome", "actor", "subject", "client")
        told = ((getattr(self, name), getattr(leaf, name)) for name in names)
        return all(wanted is None or wanted == found for wanted, found in told) and (
            (self.since is None or self.since <= leaf.at)
            and (self.until is None or leaf.at <= self.until)
        )


class Leaves(msgspec.Struct, frozen=True):
    """Some leaves in the record's order, and the number to go on after; None at its end."""

    items: tuple[Integrated, ...]
    cursor: int | None


async def tree(principal: Principal, rooms: Rooms) -> Tree:
    """Return the tree over the record of the caller's tenant as it is now."""
    principal.require(Scope.AUDIT_READ)
    hashes = await _hashes(principal, None, rooms)
    return await asyncio.to_thread(_tree, hashes)


async def included(principal: Principal, leaf: int, size: int | None, rooms: Rooms) -> Included:
    """Return the proof that a leaf is in the tree of a size, by default of all leaves.

    Raises InvalidError for a leaf or a size that the record has not.
    """
    principal.require(Scope.AUDIT_READ)
    hashes = await _hashes(principal, size, rooms)
    if not 0 < leaf <= len(hashes):
        raise InvalidError("leaf: there is none of this number in the tree")
    proof = await asyncio.to_thread(inclusion, hashes, leaf - 1)
    return Included(leaf, hashes[leaf - 1], _tree(hashes), tuple(proof))


async def consistent(
    principal: Principal, first: int, second: int | None, rooms: Rooms
) -> Consistent:
    """Return the proof that the tree of a size grew out of that of an earlier one.

    Raises InvalidError for sizes that the record had not, or in another order.
    """
    principal.require(Scope.AUDIT_READ)
    hashes = await _hashes(principal, second, rooms)
    if not 0 < first <= len(hashes):
        raise InvalidError("first: a size from 1 to that of the second tree")
    proof = await asyncio.to_thread(consistency, hashes, first)
    return Consistent(_tree(hashes[:first]), _tree(hashes), tuple(proof))


async def leaves(
    principal: Principal, sought: Sought, after: int, limit: int, rooms: Rooms
) -> Leaves:
    """Return at most `limit` leaves of the caller's tenant, oldest first, after a number.

    A page may hold fewer, also none; only a missing cursor means the end.
    """
    principal.require(Scope.AUDIT_READ)
    found: list[Integrated] = []
    at, looked_at = after, 0
    while looked_at < MOST_LOOKED_AT:
        batch = await rooms.audit.leaves(principal.owner.tenant, at, _BATCH)
        for one in batch:
            at, looked_at = one.sequence, looked_at + 1
            if sought.fits(one.leaf):
                found.append(one)
            if len(found) == limit:
                return Leaves(tuple(found), at)
        if len(batch) < _BATCH:
            return Leaves(tuple(found), None)
    return Leaves(tuple(found), at)


async def _hashes(principal: Principal, size: int | None, rooms: Rooms) -> list[bytes]:
    """Return the hashes of the first `size` leaves, by default of all."""
    hashes: list[bytes] = []
    while size is None or len(hashes) < size:
        most = _BATCH if size is None else min(_BATCH, size - len(hashes))
        batch = await rooms.audit.leaves(principal.owner.tenant, len(hashes), most)
        hashes += [leaf_hash(msgspec.msgpack.encode(one.leaf)) for one in batch]
        if len(batch) < most:
            break
    if size is not None and len(hashes) < size:
        raise InvalidError("size: the record has fewer leaves")
    return hashes


def _tree(hashes: list[bytes]) -> Tree:
    return Tree(len(hashes), root_of(hashes))
