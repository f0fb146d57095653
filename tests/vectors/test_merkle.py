"""The published test trees of RFC 6962, and what proofs may not prove."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.merkle import (
    NOTHING,
    Growing,
    consistency,
    inclusion,
    proves_consistency,
    proves_inclusion,
    root_of,
)
from storage.chain import leaf_hash

LEAVES = [
    bytes.fromhex(one)
    for one in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
HASHES = [leaf_hash(one) for one in LEAVES]


@pytest.mark.requirement("Q6")
def test_roots_are_those_that_were_published() -> None:
    """Of each size, grown leaf by leaf and made at once; no leaves have the hash of nothing."""
    tree = Growing()
    assert tree.root() == NOTHING == root_of([])
    for size, root in enumerate(ROOTS, 1):
        tree.add(HASHES[size - 1])
        assert tree.size == size
        assert tree.root().hex() == root_of(HASHES[:size]).hex() == root


@pytest.mark.requirement("Q6")
def test_proofs_are_those_that_were_published() -> None:
    """The inclusion of the sixth leaf in eight, and from six leaves to eight."""
    assert [one.hex() for one in inclusion(HASHES, 5)] == [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]
    assert [one.hex() for one in consistency(HASHES, 6)] == [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]


@pytest.mark.requirement("Q6")
@given(size=st.integers(1, 70), data=st.data())
@settings(max_examples=60, deadline=None)
def test_every_proof_holds_and_proves_nothing_else(size: int, data: st.DataObject) -> None:
    """For each leaf and each earlier size; not another leaf, place, size or root."""
    hashes = [leaf_hash(bytes([number])) for number in range(size)]
    root = root_of(hashes)
    index = data.draw(st.integers(0, size - 1))
    proof = inclusion(hashes, index)
    assert proves_inclusion(hashes[index], index, size, proof, root)
    other = data.draw(st.integers(0, size - 1))
    if other != index:
        assert not proves_inclusion(hashes[other], index, size, proof, root)
        assert not proves_inclusion(hashes[index], other, size, proof, root)
    assert not proves_inclusion(hashes[index], index, size, [*proof, NOTHING], root)
    assert not proves_inclusion(hashes[index], index, size, proof, NOTHING)
    assert not proves_inclusion(hashes[index], size, size, proof, root)
    old = data.draw(st.integers(1, size))
    told = consistency(hashes, old)
    assert proves_consistency(old, root_of(hashes[:old]), size, root, told)
    assert not proves_consistency(old, NOTHING, size, root, told)
    assert not proves_consistency(old, root_of(hashes[:old]), size, NOTHING, told)
    assert not proves_consistency(old, root_of(hashes[:old]), size, root, [*told, NOTHING])
    if old < size:
        changed = [leaf_hash(b"else"), *hashes[1:]]
        assert not proves_consistency(
            old, root_of(hashes[:old]), size, root_of(changed), consistency(changed, old)
        )


def test_what_is_not_there_has_no_proof() -> None:
    """A leaf beyond the end, a size that is none, a tree that shrank."""
    with pytest.raises(ValueError, match="no such leaf"):
        inclusion(HASHES, 8)
    for size in (0, 9):
        with pytest.raises(ValueError, match="earlier size"):
            consistency(HASHES, size)
    assert proves_consistency(0, NOTHING, 8, root_of(HASHES), [])
    assert not proves_consistency(0, root_of(HASHES), 8, root_of(HASHES), [])
    assert not proves_consistency(8, root_of(HASHES), 6, root_of(HASHES[:6]), [])
