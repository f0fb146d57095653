"""Proofs of a record of 10,000 leaves hold for a reader who wrote his own checks from RFC 6962."""

import asyncio
import hashlib
import secrets
from collections.abc import Sequence

import msgspec
import pytest

from guard.errors import ForbiddenError, InvalidError
from guard.principal import Scope
from guard.record import MOST_LOOKED_AT, Sought, consistent, included, leaves, tree
from memory.types import TenantId
from tests.contracts.test_registry import leaf
from tests.house import House, caller

ACME, UMBRA = TenantId("acme"), TenantId("umbra")
MANY = 10_000
body_of = msgspec.msgpack.encode
AUDITOR = caller(scopes=frozenset({Scope.AUDIT_READ}))
SIZES = (1, 2, 3, 255, 256, 257, 4095, 8191, 8192, 8193, 9999, MANY)


# Section 2.1 of RFC 6962, as it stands there, and nothing of the product.


def _hashed(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def _half(size: int) -> int:
    """Return the largest power of two smaller than `size`."""
    half = 1
    while half * 2 < size:
        half *= 2
    return half


def mth(entries: Sequence[bytes]) -> bytes:
    """Return the Merkle Tree Hash of entries that are hashed already (2.1)."""
    if not entries:
        return _hashed()
    if len(entries) == 1:
        return entries[0]
    half = _half(len(entries))
    return _hashed(b"\x01", mth(entries[:half]), mth(entries[half:]))


def root_by_path(at: int, size: int, entry: bytes, path: Sequence[bytes]) -> bytes:
    """Return the root that an audit path (2.1.1) leads to. Fails for one of another length."""
    if size == 1:
        assert not path
        return entry
    half, last = _half(size), path[-1]
    if at < half:
        return _hashed(b"\x01", root_by_path(at, half, entry, path[:-1]), last)
    return _hashed(b"\x01", last, root_by_path(at - half, size - half, entry, path[:-1]))


def roots_by_proof(
    first: int, second: int, proof: Sequence[bytes], known: bytes | None
) -> tuple[bytes, bytes]:
    """Return both roots that a consistency proof (2.1.2) leads to; `known` is the first's."""
    if first == second:
        if known is not None:
            assert not proof
            return known, known
        (both,) = proof
        return both, both
    half, last = _half(second), proof[-1]
    if first <= half:
        old, new = roots_by_proof(first, half, proof[:-1], known)
        return old, _hashed(b"\x01", new, last)
    old, new = roots_by_proof(first - half, second - half, proof[:-1], None)
    return _hashed(b"\x01", last, old), _hashed(b"\x01", last, new)


@pytest.fixture(scope="module")
def recorded() -> House:
    """Return a house whose record has 10,000 leaves of one tenant, and one of another."""
    house = House()
    asyncio.run(_record(house))
    return house


async def _record(house: House) -> None:
    await house.ledger.audit.note([leaf(number, ACME) for number in range(1, MANY + 1)])
    await house.ledger.audit.note([leaf(1, UMBRA)])
    await house.ledger.audit.integrate()


@pytest.fixture(scope="module")
def hashes() -> list[bytes]:
    """Return the leaf hashes of the 10,000, by the RFC."""
    return [_hashed(b"\x00", body_of(leaf(number, ACME))) for number in range(1, MANY + 1)]


@pytest.mark.requirement("Q6")
async def test_the_root_is_the_one_of_the_rfc(recorded: House, hashes: list[bytes]) -> None:
    """Over all leaves of the own tenant and none of another's."""
    found = await tree(AUDITOR, recorded.rooms)
    assert (found.size, found.root) == (MANY, mth(hashes))
    theirs = await tree(caller("eve", "umbra"), recorded.rooms)
    assert (theirs.size, theirs.root) == (1, _hashed(b"\x00", body_of(leaf(1, UMBRA))))
    nobodys = await tree(caller("eve", "nobody"), recorded.rooms)
    assert (nobodys.size, nobodys.root) == (0, mth([]))


@pytest.mark.requirement("Q6")
async def test_inclusion_holds_for_who_checks_it_himself(
    recorded: House, hashes: list[bytes]
) -> None:
    """First, last and some in between, in trees of all shapes; for no other leaf, place or root."""
    for size in SIZES:
        root = mth(hashes[:size])
        for number in {1, size, size // 2 + 1, 1 + secrets.randbelow(size)}:
            made = await included(AUDITOR, number, size, recorded.rooms)
            assert (made.hash, made.tree.size, made.tree.root) == (hashes[number - 1], size, root)
            assert root_by_path(number - 1, size, made.hash, made.proof) == root
            assert root_by_path(number - 1, size, hashes[number % MANY], made.proof) != root


@pytest.mark.requirement("Q6")
async def test_consistency_holds_for_who_checks_it_himself(
    recorded: House, hashes: list[bytes]
) -> None:
    """From each size to each later one, both roots come out of the proof; not those of others."""
    pairs = [(first, second) for second in (257, 8193, MANY) for first in SIZES if first <= second]
    for first, second in pairs:
        old, new = mth(hashes[:first]), mth(hashes[:second])
        made = await consistent(AUDITOR, first, second, recorded.rooms)
        assert (made.first.root, made.second.root) == (old, new)
        assert roots_by_proof(first, second, made.proof, old) == (old, new)
    made = await consistent(AUDITOR, 4096, MANY, recorded.rooms)
    forged = mth([*hashes[:4095], hashes[0]])
    assert roots_by_proof(4096, MANY, made.proof, forged) != (forged, mth(hashes))


@pytest.mark.requirement("Q6")
async def test_what_the_record_has_not_is_not_proved(recorded: House) -> None:
    """No leaf beyond the size, no size beyond the record, no earlier size that is later."""
    rooms, other = recorded.rooms, caller("eve", "umbra")
    for leaf_number, size in ((0, 5), (6, 5), (1, MANY + 1), (MANY + 1, None)):
        with pytest.raises(InvalidError):
            await included(AUDITOR, leaf_number, size, rooms)
    for first, second in ((0, 5), (6, 5), (5, MANY + 1), (MANY + 1, None)):
        with pytest.raises(InvalidError):
            await consistent(AUDITOR, first, second, rooms)
    with pytest.raises(InvalidError):
        await included(other, 2, None, rooms)


@pytest.mark.requirement("Q6", "E4")
async def test_only_an_auditor_sees_the_record(recorded: House) -> None:
    """Every door, for a caller with all scopes but the one."""
    other = caller(scopes=frozenset(Scope) - {Scope.AUDIT_READ})
    rooms = recorded.rooms
    for call in (
        tree(other, rooms),
        included(other, 1, None, rooms),
        consistent(other, 1, None, rooms),
        leaves(other, Sought(), 0, 1, rooms),
    ):
        with pytest.raises(ForbiddenError):
            await call


@pytest.mark.requirement("Q6")
async def test_pages_end_where_their_cursor_says(recorded: House) -> None:
    """In order and once each; who seeks what is rare goes on from where the looking ended."""
    rooms = recorded.rooms
    seen: list[int] = []
    cursor: int | None = 0
    while cursor is not None:
        page = await leaves(AUDITOR, Sought(), cursor, 3000, rooms)
        seen += [one.sequence for one in page.items]
        cursor = page.cursor
    assert seen == [*range(1, MANY + 1)]

    rare = Sought(action="tenant.register", object="nothing")
    first = await leaves(AUDITOR, rare, 0, 10, rooms)
    assert (first.items, first.cursor) == ((), MOST_LOOKED_AT)
    theirs = await leaves(caller("eve", "umbra"), Sought(), 0, 10, rooms)
    assert [one.leaf.tenant for one in theirs.items] == [UMBRA]
