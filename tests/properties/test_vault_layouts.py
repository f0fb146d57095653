"""Layouts that can't be confused, and that read back what was written."""

import msgspec
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from guard.nouns import Label
from memory.origin import Channel, OriginClass
from memory.signals import Blinded, Sparse
from memory.types import (
    ClientId,
    Kind,
    Layer,
    LeafId,
    MemoryId,
    Owner,
    State,
    SubjectId,
    SubjectMark,
    TenantId,
)
from storage.entries import pack_entry, unpack_entry
from storage.layouts import (
    Envelope,
    LayoutError,
    fields,
    info,
    pack,
    pack_tag,
    tag_data,
    token_data,
    unpack,
    unpack_tag,
    wrap_data,
)
from tests.contracts.vault_builders import AT

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
numbers = st.integers(0, 2**32 - 1)
hexes = st.binary(min_size=16, max_size=16).map(bytes.hex)
floats32 = st.floats(width=32, allow_nan=False, allow_infinity=False)


@st.composite
def labels(draw: st.DrawFn) -> Label:
    """Return any label, its names short so that boundaries between them are easily confused."""
    return Label(
        id=MemoryId(draw(names)),
        tenant=draw(names),
        subject=draw(names),
        layer=draw(st.sampled_from(Layer)),
        kind=draw(st.sampled_from(Kind)),
        state=draw(st.sampled_from(State)),
        revision=draw(st.integers(0, 2**63 - 1)),
        version=draw(st.integers(0, 3)),
        origin=draw(st.sampled_from(OriginClass)),
        trust=draw(st.integers(0, 4)),
        channel=draw(st.sampled_from(Channel)),
        client=ClientId(draw(names)),
        source=draw(names),
        session=draw(names),
        importance=draw(st.floats(0, 1)),
        confidence=draw(st.floats(0, 1)),
        recorded_at=AT,
        changed_at=AT,
        expires_at=draw(st.sampled_from([None, AT])),
        superseded_by=draw(st.sampled_from([None, MemoryId("m")])),
        policy=draw(names),
        digest=draw(st.binary(max_size=3)),
        entry_digest=draw(st.binary(max_size=3)),
        leaf=LeafId(draw(names)),
    )


def place(label: Label) -> tuple[object, ...]:
    """Return what the cipher binds of a label."""
    return label.tenant, label.subject, label.id, label.layer, label.revision


def owner(label: Label) -> Owner:
    """Return the owner that the label names."""
    return Owner(TenantId(label.tenant), SubjectId(label.subject))


@pytest.mark.requirement("S3")
@given(st.lists(st.binary(max_size=5), max_size=5), st.lists(st.binary(max_size=5), max_size=5))
def test_fields_are_injective(one: list[bytes], other: list[bytes]) -> None:
    """Two sequences of fields have the same bytes only when they are the same sequence."""
    assert (fields(*one) == fields(*other)) is (one == other)


@pytest.mark.requirement("S3")
@given(st.lists(st.binary(max_size=5), min_size=1, max_size=5), st.data())
def test_a_moved_boundary_shows(parts: list[bytes], data: st.DataObject) -> None:
    """The same bytes cut at another place are another sequence, and no prefix is ambiguous."""
    whole = b"".join(parts)
    cut = data.draw(st.integers(0, len(whole)))
    again = [whole[:cut], whole[cut:]]
    assert (fields(*parts) == fields(*again)) is (parts == again)


@pytest.mark.requirement("S3")
@given(labels(), labels(), st.sampled_from(["content", "entry"]), numbers, numbers)
def test_the_associated_data_is_injective(
    one: Label, other: Label, purpose: str, number: int, number2: int
) -> None:
    """Tokens share associated data only with the same purpose, key, owner, id, layer, revision."""
    data = token_data(purpose, number, owner(one), one)
    assert (token_data(purpose, number, owner(other), other) == data) is (
        place(one) == place(other)
    )
    assert token_data("evidence", number, owner(one), one) != data
    assert (token_data(purpose, number2, owner(one), one) == data) is (number == number2)


@pytest.mark.requirement("S3")
@given(names, names, names, names)
def test_owners_do_not_run_into_each_other(a: str, b: str, c: str, d: str) -> None:
    """Tenant "ab" with subject "c" is not tenant "a" with subject "bc", for keys as for tokens."""
    same = (a, b) == (c, d)
    assert (wrap_data("subject", 1, 1, a, b) == wrap_data("subject", 1, 1, c, d)) is same
    assert wrap_data("tenant", 1, 1, a) != wrap_data("subject", 1, 1, a, b)
    assert (info(a, b) == info(c, d)) is same


@pytest.mark.requirement("W3")
@given(labels(), labels(), st.binary(max_size=3), st.binary(max_size=3))
def test_the_tag_covers_each_part(one: Label, other: Label, mark: bytes, evidence: bytes) -> None:
    """What a tag is made over differs whenever label, fingerprint or evidence differ."""
    covered = tag_data(1, one, mark, evidence)
    assert (tag_data(1, other, mark, evidence) == covered) is (one == other)
    assert tag_data(2, one, mark, evidence) != covered
    assert tag_data(1, one, mark + b"x", evidence) != covered
    assert tag_data(1, one, mark, evidence + b"x") != covered
    assert tag_data(1, one, mark, evidence, b"x") != covered


@pytest.mark.requirement("W3")
@given(labels())
def test_a_whole_number_from_a_database_is_the_same_label(label: Label) -> None:
    """1 and 1.0 are the same importance, however a database hands them back."""
    assume(label.importance in (0, 1))
    integral = msgspec.structs.replace(label, importance=int(label.importance))
    assert tag_data(1, integral, b"", b"") == tag_data(1, label, b"", b"")


@pytest.mark.requirement("S3")
@given(numbers, st.binary(min_size=12, max_size=12), st.binary(min_size=16, max_size=60))
def test_envelopes_read_back(number: int, nonce: bytes, body: bytes) -> None:
    """An envelope packed and unpacked is the same; a shorter one or another version is refused."""
    packed = pack(Envelope(number, nonce, body))
    assert unpack(packed) == Envelope(number, nonce, body)
    for wrong in (packed[:32], b"\x02" + packed[1:], b"\x00" + packed[1:], b""):
        with pytest.raises(LayoutError):
            unpack(wrong)


@pytest.mark.requirement("W3")
@given(numbers, st.binary(min_size=32, max_size=32))
def test_tags_read_back(number: int, mac: bytes) -> None:
    """A label tag packed and unpacked is the same; another length or version is refused."""
    packed = pack_tag(number, mac)
    assert unpack_tag(packed) == (number, mac)
    for wrong in (packed[:-1], packed + b"\x00", b"\x02" + packed[1:], b""):
        with pytest.raises(LayoutError):
            unpack_tag(wrong)


@st.composite
def materials(draw: st.DrawFn) -> Blinded:
    """Return any blinded search material."""
    vector = arrays.arrays(np.float32, st.integers(1, 9), elements=floats32)
    ids = sorted(draw(st.sets(numbers, max_size=5)))
    weights = draw(st.lists(floats32, min_size=len(ids), max_size=len(ids)))
    return Blinded(
        subject=SubjectMark(draw(hexes)),
        vectors=draw(st.dictionaries(names, vector, max_size=3)),
        sparse=Sparse(tuple(ids), tuple(weights)),
        entities=tuple(draw(st.lists(hexes, max_size=3))),
    )


@pytest.mark.requirement("S3")
@given(materials())
def test_search_material_reads_back(given_: Blinded) -> None:
    """Entries packed and unpacked are the same, to the last bit of every vector."""
    packed = pack_entry(given_)
    back = unpack_entry(packed)
    assert (back.subject, back.sparse, back.entities) == (
        given_.subject,
        given_.sparse,
        given_.entities,
    )
    assert {n: v.tobytes() for n, v in back.vectors.items()} == {
        n: v.tobytes() for n, v in given_.vectors.items()
    }
    assert pack_entry(back) == packed


@pytest.mark.requirement("S3")
@given(materials(), st.data())
def test_an_entry_fits_exactly_or_not_at_all(given_: Blinded, data: st.DataObject) -> None:
    """No cut or lengthened entry is read, and arbitrary bytes raise nothing but LayoutError."""
    packed = pack_entry(given_)
    cut = data.draw(st.integers(0, len(packed) - 1))
    for wrong in (packed[:cut], packed + b"\x00", b"\x02" + packed[1:]):
        with pytest.raises(LayoutError):
            unpack_entry(wrong)
    try:
        unpack_entry(data.draw(st.binary(max_size=80)))
    except LayoutError:
        return
