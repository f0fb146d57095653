"""No bit of a stored memory can change without its being noticed."""

import asyncio
from functools import cache

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.errors import UnreadableError
from guard.nouns import Sealed
from storage.vault import SealingVault
from tests.contracts.vault_builders import ALICE, OTHER_ID, admitted, parts, vault

OPENS_WITH = {"token": "open", "entry": "open_entry", "evidence": "open_evidence"}
ANY_OPENER = tuple(OPENS_WITH.values())


@cache
def stored() -> tuple[SealingVault, Sealed, Sealed]:
    """Return a vault with two sealed memories of one subject, made once."""

    async def make() -> tuple[SealingVault, Sealed, Sealed]:
        keeper = vault()
        one = await keeper.seal(admitted())
        two = await keeper.seal(admitted(id=OTHER_ID, text="Another one. 另一条。"))
        for sealed in (one, two):
            for opener in ANY_OPENER:
                await getattr(keeper, opener)(ALICE, sealed)
        return keeper, one, two

    return asyncio.run(make())


def opens(keeper: SealingVault, opener: str, sealed: Sealed) -> bool:
    """Tell whether `opener` returns rather than refuses. Any other error fails the test."""
    try:
        asyncio.run(getattr(keeper, opener)(ALICE, sealed))
    except UnreadableError:
        return False
    return True


@pytest.mark.requirement("S3", "R5")
@given(name=st.sampled_from(["token", "entry", "evidence", "tag", "fingerprint"]), data=st.data())
def test_any_flipped_bit_is_unreadable(name: str, data: st.DataObject) -> None:
    """One flipped bit anywhere in token, entry, evidence, tag or fingerprint stops its reading."""
    keeper, sealed, _ = stored()
    raw = bytearray(parts(sealed)[name])
    bit = data.draw(st.integers(0, len(raw) * 8 - 1))
    raw[bit // 8] ^= 1 << bit % 8
    flipped = msgspec.structs.replace(sealed, **{name: bytes(raw)})
    assert opens(keeper, OPENS_WITH.get(name, "open"), sealed)
    assert not opens(keeper, OPENS_WITH.get(name, "open"), flipped)


@pytest.mark.requirement("S3", "R5")
@given(name=st.sampled_from(["token", "entry", "evidence", "tag"]), data=st.data())
def test_bytes_of_another_length_are_unreadable(name: str, data: st.DataObject) -> None:
    """Cut short anywhere, or with anything appended, a part is unreadable."""
    keeper, sealed, _ = stored()
    raw = parts(sealed)[name]
    cut = raw[: data.draw(st.integers(0, len(raw) - 1))]
    longer = raw + data.draw(st.binary(min_size=1, max_size=40))
    for changed in (cut, longer):
        opener = OPENS_WITH.get(name, "open")
        assert not opens(keeper, opener, msgspec.structs.replace(sealed, **{name: changed}))


@pytest.mark.requirement("S3", "R5")
@given(
    taken=st.sets(
        st.sampled_from(["label", "token", "entry", "evidence", "tag", "fingerprint"]), min_size=1
    )
)
def test_any_mixture_of_two_rows_is_unreadable(taken: set[str]) -> None:
    """Whatever set of columns comes from another row: only a whole row opens, whole."""
    keeper, one, two = stored()
    mixed = msgspec.structs.replace(one, **{name: getattr(two, name) for name in taken})
    # Both rows here have the same fingerprint, so that column alone changes nothing.
    moved = taken - {"fingerprint"}
    whole = moved in (set(), {"label", "token", "entry", "evidence", "tag"})
    assert all(opens(keeper, opener, mixed) for opener in ANY_OPENER) is whole


@pytest.mark.requirement("S3")
@given(forged=st.binary(max_size=200))
def test_arbitrary_bytes_never_open(forged: bytes) -> None:
    """Bytes that no vault made are unreadable wherever they stand."""
    keeper, sealed, _ = stored()
    for name, opener in OPENS_WITH.items():
        assert not opens(keeper, opener, msgspec.structs.replace(sealed, **{name: forged}))
    assert not opens(keeper, "open", msgspec.structs.replace(sealed, tag=forged))
