"""The audit's chain, and what breaks it. Pure: the same code verifies a ledger and an export.

    body    = MessagePack array of the leaf (`guard.nouns.Leaf`)
    leaf    = SHA-256(0x00 || body)                  the leaf hash of RFC 6962
    chain_0 = SHA-256("")
    chain_n = SHA-256(0x01 || chain_{n-1} || leaf_n)

The chain shows an edit, a leaf dropped or added in the middle, and another order. It can't show
that leaves are missing at its end, nor that all of it was made anew: signed checkpoints that are
kept outside (`storage.checkpoints`) show both.
"""

import hashlib
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

import msgspec

from guard import merkle
from guard.leaves import STATE_AFTER
from guard.nouns import Label, Leaf
from guard.ports import AuditHead, Integrated
from memory.types import TenantId

leaf_hash: Final = merkle.leaf_hash
"""The chain links the same hashes that the tree is over."""
EMPTY: Final = AuditHead(0, hashlib.sha256(b"").digest())
"""The head of a chain without leaves."""


class Flaw(StrEnum):
    """What `audit verify` can find."""

    LEAF_MISSING = "leaf_missing"
    LEAF_CHANGED = "leaf_changed"
    LEAF_UNREADABLE = "leaf_unreadable"
    LEAF_MISPLACED = "leaf_misplaced"
    RECORD_CUT = "record_cut"
    """It has fewer leaves than a checkpoint says it had."""
    RECORD_OTHER = "record_other"
    """It does not begin with the leaves that a checkpoint was signed over."""
    ROW_MISSING = "row_missing"
    ROW_UNREADABLE = "row_unreadable"
    ROW_WITHOUT_LEAF = "row_without_leaf"
    ROW_ROLLED_BACK = "row_rolled_back"
    ROW_CHANGED = "row_changed"


class Problem(msgspec.Struct, frozen=True):
    """One flaw, where in the chain, and at which object: an id, never content."""

    flaw: Flaw
    sequence: int | None = None
    object: str | None = None


class AuditReport(msgspec.Struct, frozen=True):
    """What a verification looked at and found. `ok` means no problems."""

    tenant: TenantId
    leaves: int
    ok: bool
    problems: tuple[Problem, ...]


class Link(msgspec.Struct, frozen=True):
    """One place in the chain, as stored."""

    sequence: int
    body: bytes
    hash: bytes


def follow(previous: bytes, leaf: bytes) -> bytes:
    """Return the chain value after one more leaf hash."""
    return hashlib.sha256(b"\x01" + previous + leaf).digest()


def report(tenant: TenantId, leaves: int, problems: Iterable[Problem]) -> AuditReport:
    """Return a report that is ok when there are no problems."""
    found = tuple(problems)
    return AuditReport(tenant, leaves, not found, found)


def verify_chain(
    tenant: TenantId, leaves: Iterable[Integrated], start: AuditHead = EMPTY
) -> AuditReport:
    """Check exported leaves of `tenant` from `start` on; leaves lost at the end don't show."""
    links = [Link(one.sequence, msgspec.msgpack.encode(one.leaf), one.hash) for one in leaves]
    return report(tenant, len(links), check_links(tenant, links, start))


def check_links(tenant: TenantId, links: Iterable[Link], start: AuditHead) -> list[Problem]:
    """Return what is wrong with links in the order given.

    Goes on from each stored chain value, so that one edit is one problem and not a thousand.
    """
    problems: list[Problem] = []
    place, value = start.size, start.hash
    for link in links:
        # (1) Numbers without a gap: nothing was taken out, nothing put in twice.
        if link.sequence != place + 1:
            flaw = Flaw.LEAF_MISSING if link.sequence > place + 1 else Flaw.LEAF_MISPLACED
            problems.append(Problem(flaw, link.sequence))
        # (2) The value follows from the one before and this leaf's bytes.
        elif link.hash != follow(value, leaf_hash(link.body)):
            problems.append(Problem(Flaw.LEAF_CHANGED, link.sequence))
        # (3) The bytes are a leaf, in its one canonical form, of this tenant.
        leaf = decode_leaf(link.body)
        if leaf is None:
            problems.append(Problem(Flaw.LEAF_UNREADABLE, link.sequence))
        elif leaf.tenant != tenant:
            problems.append(Problem(Flaw.LEAF_MISPLACED, link.sequence, leaf.object))
        place, value = link.sequence, link.hash
    return problems


def decode_leaf(body: bytes) -> Leaf | None:
    """Return the leaf, or None when the bytes are not one in canonical form."""
    try:
        leaf = msgspec.msgpack.decode(body, type=Leaf)
    except (msgspec.MsgspecError, TypeError, ValueError):
        return None
    return leaf if msgspec.msgpack.encode(leaf) == body else None


def check_row(label: Label, leaf: Leaf | None, newest: str) -> Problem | None:
    """Return how a memory row disagrees with the leaf it names, if it does."""
    # (1) The leaf exists.
    if leaf is None:
        return Problem(Flaw.ROW_WITHOUT_LEAF, None, label.id)
    # (2) It is the newest of this memory.
    if label.leaf != newest:
        return Problem(Flaw.ROW_ROLLED_BACK, None, label.id)
    # (3) It tells of this memory at this version, with this content and no other.
    said = (leaf.tenant, leaf.subject, leaf.object, leaf.version, leaf.digest)
    if said != (label.tenant, label.subject, label.id, label.version, label.digest):
        return Problem(Flaw.ROW_CHANGED, None, label.id)
    # (4) Its outcome left the memory in this state.
    if STATE_AFTER.get(leaf.outcome, label.state) != label.state:
        return Problem(Flaw.ROW_CHANGED, None, label.id)
    return None
