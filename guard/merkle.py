"""Merkle trees over audit leaves (RFC 6962, section 2.1; proofs are checked as in RFC 9162). Pure.

    leaf hash = SHA-256(0x00 || leaf)
    node      = SHA-256(0x01 || left || right), the left side as large as a power of two lets it be
    no leaves = SHA-256("")

A root says all of a record's first `n` leaves, in their order. Who kept one can be shown that a
record still begins so (consistency), or that a leaf is in it (inclusion), with a few hashes.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

NOTHING: Final = hashlib.sha256(b"").digest()
"""The root over no leaves."""


def leaf_hash(body: bytes) -> bytes:
    """Return the hash of a leaf in canonical form."""
    return hashlib.sha256(b"\x00" + body).digest()


def node(left: bytes, right: bytes) -> bytes:
    """Return the hash over two subtrees."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Growing:
    """A tree that grows leaf by leaf, of which only the roots of its full subtrees are kept."""

    def __init__(self) -> None:
        self.size = 0
        self._full: list[bytes] = []
        """One for each bit of `size` that is set, the largest first."""

    def add(self, leaf_hash: bytes) -> None:
        """Take in the hash of the next leaf."""
        grown, rest = leaf_hash, self.size
        while rest & 1:
            grown = node(self._full.pop(), grown)
            rest >>= 1
        self._full.append(grown)
        self.size += 1

    def root(self) -> bytes:
        """Return the root over all leaves so far."""
        if not self._full:
            return NOTHING
        root = self._full[-1]
        for left in reversed(self._full[:-1]):
            root = node(left, root)
        return root


def root_of(leaf_hashes: Sequence[bytes]) -> bytes:
    """Return the root over these leaves."""
    tree = Growing()
    for one in leaf_hashes:
        tree.add(one)
    return tree.root()


def inclusion(leaf_hashes: Sequence[bytes], index: int) -> list[bytes]:
    """Return the proof that leaf `index` (from 0) is among these, from the leaf up to the root.

    Raises ValueError for a leaf that is not there.
    """
    if not 0 <= index < len(leaf_hashes):
        raise ValueError("no such leaf")
    if len(leaf_hashes) == 1:
        return []
    half = _half(len(leaf_hashes))
    if index < half:
        return [*inclusion(leaf_hashes[:half], index), root_of(leaf_hashes[half:])]
    return [*inclusion(leaf_hashes[half:], index - half), root_of(leaf_hashes[:half])]


def consistency(leaf_hashes: Sequence[bytes], old: int) -> list[bytes]:
    """Return the proof that the first `old` of these leaves are the tree of that size.

    Raises ValueError unless 0 < old <= the number of leaves.
    """
    if not 0 < old <= len(leaf_hashes):
        raise ValueError("a proof is from an earlier size to this one")
    return _consistency(leaf_hashes, old, whole=True)


def proves_inclusion(
    leaf_hash: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> bool:
    """Say whether `proof` shows that the tree of this size and root has this leaf there."""
    if not 0 <= index < size:
        return False
    at, last, found = index, size - 1, leaf_hash
    for one in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = node(one, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node(found, one)
        at, last = at >> 1, last >> 1
    return last == 0 and hmac.compare_digest(found, root)


def proves_consistency(
    old: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]
) -> bool:
    """Say whether `proof` shows that the tree of this size begins as the old one."""
    if old == size:
        return not proof and hmac.compare_digest(old_root, root)
    if not 0 < old < size:
        # Every tree begins with no leaves, and there is nothing to show of it.
        return old == 0 and not proof and hmac.compare_digest(old_root, NOTHING)
    path = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    if not path:
        return False
    at, last = old - 1, size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    before = after = path[0]
    for one in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            before, after = node(one, before), node(one, after)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            after = node(after, one)
        at, last = at >> 1, last >> 1
    same = hmac.compare_digest(before, old_root) and hmac.compare_digest(after, root)
    return last == 0 and same


def _consistency(leaf_hashes: Sequence[bytes], old: int, *, whole: bool) -> list[bytes]:
    """Return the proof; `whole` while the old tree's root is known to whoever checks it."""
    size = len(leaf_hashes)
    if old == size:
        return [] if whole else [root_of(leaf_hashes)]
    half = _half(size)
    if old <= half:
        inner = _consistency(leaf_hashes[:half], old, whole=whole)
        return [*inner, root_of(leaf_hashes[half:])]
    inner = _consistency(leaf_hashes[half:], old - half, whole=False)
    return [*inner, root_of(leaf_hashes[:half])]


def _half(size: int) -> int:
    """Return the largest power of two below `size`, which is at least 2."""
    return 1 << ((size - 1).bit_length() - 1)
