"""Stored bytes are pinned, and read by a second implementation written from `docs/formats.md`.

The second implementation shares no code with `storage`: it knows the root key and the published
layouts alone, as a recovery tool would.
"""

import hashlib
import hmac
import json
import struct
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from storage.fakes.keystore import MemoryKeyStore
from storage.vault import SealingVault
from tests.contracts.vault_builders import ALICE, counted, keyring
from tests.vectors.formats import ENTITY, TERM, example, produce

PINNED: dict[str, Any] = json.loads(Path(__file__).with_name("formats_v1.json").read_text())
ROOT = bytes(range(32))
PLACE = (
    b"acme",
    b"alice",
    b"01938d6c-0000-7000-8000-000000000001",
    b"episodic",
    (1).to_bytes(8, "big"),
)
ONE = b"\x00\x00\x00\x01"


def pinned(name: str) -> bytes:
    """Return one pinned example."""
    return bytes.fromhex(PINNED[name])


def fields(*parts: bytes) -> bytes:
    """Length-prefix and join, as the page says."""
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def derived(key: bytes, scope: bytes, purpose: bytes) -> bytes:
    """HKDF-SHA256 with an empty salt and one block of output, from RFC 5869 by hand."""
    extracted = hmac.digest(bytes(32), key, "sha256")
    return hmac.digest(extracted, fields(b"memguard/derive/1", scope, purpose) + b"\x01", "sha256")


def opened(key: bytes, sealed: bytes, associated: bytes) -> bytes:
    """Open an envelope of version 1 with key number 1."""
    assert sealed[:5] == b"\x01" + ONE
    return AESGCM(key).decrypt(sealed[5:17], sealed[17:], associated)


def tenant_key() -> bytes:
    """Unwrap the tenant key under the root key."""
    associated = fields(b"memguard/wrap/1", b"tenant", ONE, ONE, b"acme")
    return opened(derived(ROOT, b"root", b"wrap"), pinned("wrapped_tenant_key"), associated)


def subject_key() -> bytes:
    """Unwrap the subject key under the tenant key."""
    associated = fields(b"memguard/wrap/1", b"subject", ONE, ONE, b"acme", b"alice")
    parent = derived(tenant_key(), b"tenant", b"wrap")
    return opened(parent, pinned("wrapped_subject_key"), associated)


def opened_part(name: str, purpose: bytes) -> bytes:
    """Open one sealed part of the example memory."""
    associated = fields(b"memguard/token/1", purpose, ONE, *PLACE)
    return opened(derived(subject_key(), b"subject", purpose), pinned(name), associated)


@pytest.mark.requirement("S3")
async def test_every_stored_byte_is_pinned() -> None:
    """The code of today makes exactly the bytes of version 1; the rotation, within rounding."""
    made = await produce()
    rotated = made.pop("rotated")
    assert made == {name: value for name, value in PINNED.items() if name != "rotated"}
    assert np.allclose(np.array(rotated), PINNED["rotated"], atol=1e-5)


@pytest.mark.requirement("S3")
def test_content_is_a_message_pack_array() -> None:
    """The content token opens to the fields of a body in their published order."""
    body = msgspec.msgpack.decode(opened_part("token", b"content"))
    assert body[:3] == ["Prefers a window seat. 喜欢靠窗的座位。", "preference", ["order-4711"]]
    assert isinstance(body[3], datetime)
    assert body[4:] == [
        {"channel": "mail"},
        "https://example.org/page",
        "session-1",
        ["01938d6c-0000-7000-8000-000000000002"],
        "credential-1",
    ]


@pytest.mark.requirement("S3")
def test_evidence_is_a_message_pack_array() -> None:
    """The evidence token opens to findings, completions and reasons."""
    assert msgspec.msgpack.decode(opened_part("evidence", b"evidence")) == [
        [["rules", "seen", 1, "nfkc", 0.25, [[2, 7]]]],
        [["rules", "done"], ["secrets", "done"]],
        ["rules.seen"],
    ]


@pytest.mark.requirement("S3", "R5")
def test_evidence_may_end_with_its_models() -> None:
    """Evidence with the version of the models that looked has it as a fourth field."""
    assert msgspec.msgpack.decode(opened_part("evidence_with_models", b"evidence")) == [
        [["model", "poison", 1, "original", 0.5, []]],
        [["model", "done"]],
        ["model.poison"],
        "5c0d9a1e",
    ]


@pytest.mark.requirement("S3", "R5")
async def test_evidence_of_before_there_were_models_opens() -> None:
    """The pinned evidence of three fields opens, in the vault of today, to no models."""
    store = MemoryKeyStore()
    keeper = SealingVault(keyring(store), nonce=counted())
    sealed = await keeper.seal(example(pinned("fingerprint")))
    assert sealed.evidence == pinned("evidence")
    evidence = await keeper.open_evidence(ALICE, sealed)
    assert (evidence.reasons, evidence.models) == (("rules.seen",), "")


@pytest.mark.requirement("S3")
def test_an_entry_lists_keyed_ids() -> None:
    """The entry token opens to the mark, no vectors, three terms and two entities, all keyed."""
    plain = opened_part("entry", b"entry")
    terms, entities = derived_ids("terms"), derived_ids("entities")
    ids = sorted((int.from_bytes(terms(word)[:4], "big"), w) for word, w in WEIGHTS.items())
    marks = sorted(entities(name)[:16] for name in (ENTITY, "alice@example.org"))
    assert plain == b"".join(
        (
            b"\x01",
            bytes.fromhex(PINNED["subject_mark"]),
            b"\x00",
            struct.pack("<I3I3f", 3, *(id for id, _ in ids), *(weight for _, weight in ids)),
            struct.pack("<I", 2),
            *marks,
        )
    )


def opened_record(name: str, purpose: bytes, *place: bytes) -> Any:
    """Open one sealed record of the example and decode it."""
    associated = fields(b"memguard/record/1", purpose, ONE, b"acme", b"alice", *place)
    key = derived(subject_key(), b"subject", purpose)
    return msgspec.msgpack.decode(opened(key, pinned(name), associated))


@pytest.mark.requirement("E10", "S3")
def test_an_answer_is_bound_to_its_key_and_request() -> None:
    """Both marks follow the published rule, and the answer opens to the outcome by their bytes."""
    mark, request = pinned("key_mark"), pinned("request_mark")
    keyed = derived_ids_of("keyed")
    assert mark == keyed(fields(b"key", b"POST /v1/memories", b"dev-app", b"k-1"))
    assert request == keyed(fields(b"request", "靠窗".encode()))
    assert opened_record("answer", b"answer", mark, request) == OUTCOME
    with pytest.raises(InvalidTag):
        opened_record("answer", b"answer", request, mark)


@pytest.mark.requirement("W14", "S3")
def test_a_write_that_waits_is_bound_to_its_id() -> None:
    """It opens to draft, origin and count; what became of it opens under a key of its own."""
    draft, origin, recent = opened_record("write", b"write", PLACE[2])
    assert (draft["text"], draft["metadata"]) == ("喜欢靠窗的座位。", {"channel": "mail"})
    assert draft["hint"]["parents"] == ["01938d6c-0000-7000-8000-000000000002"]
    assert (origin["class_"], origin["trust"], origin["channel"]) == ("user_stated", 3, "rest")
    assert (origin["client"], origin["credential"], recent) == ("dev-app", "credential-1", 7)
    assert opened_record("outcome", b"outcome", PLACE[2]) == OUTCOME
    with pytest.raises(InvalidTag):
        opened_record("outcome", b"write", PLACE[2])


@pytest.mark.requirement("W3", "S3")
def test_a_turn_is_bound_to_its_session_and_id() -> None:
    """It opens to role and text by the session's mark, which is the one that labels carry."""
    session = b"47ad9511bb90eeb390d38d9a2fcdd2a9"
    assert opened_record("turn", b"turn", session, PLACE[2]) == ["user", "我喜欢靠窗的座位。"]
    with pytest.raises(InvalidTag):
        opened_record("turn", b"turn", PLACE[2], session)


@pytest.mark.requirement("R10", "S3")
def test_a_trace_is_bound_to_its_id_and_times() -> None:
    """It opens to its map; with a later end it does not."""
    at, until = (
        micros.to_bytes(8, "big") for micros in (1_793_534_400_000_000, 1_794_139_200_000_000)
    )
    trace = {"id": PLACE[2].decode(), "reliable": False}
    assert opened_record("trace", b"trace", PLACE[2], at, until) == trace
    with pytest.raises(InvalidTag):
        opened_record("trace", b"trace", PLACE[2], at, b"\x7f" + until[1:])


OUTCOME = {
    "type": "superseding",
    "id": "01938d6c-0000-7000-8000-000000000001",
    "origin": "user_stated",
    "trust": 3,
    "supersedes": "01938d6c-0000-7000-8000-000000000002",
    "reasons": ["relate.newer"],
}
WEIGHTS = {"window": 1.5, "seat": 1.0, TERM: 2.0}


def derived_ids_of(purpose: str) -> Callable[[bytes], bytes]:
    """Return the function from bytes to their keyed id."""
    key = derived(subject_key(), b"subject", purpose.encode())
    return lambda data: hmac.digest(key, data, "sha256")


def derived_ids(purpose: str) -> Callable[[str], bytes]:
    """Return the function from a name to its keyed id."""
    keyed = derived_ids_of(purpose)
    return lambda name: keyed(name.encode())


@pytest.mark.requirement("S3")
def test_an_entry_holds_vectors_by_name() -> None:
    """The layout of an entry with vectors is the published one."""
    assert pinned("entry_plain") == b"".join(
        (
            b"\x01",
            bytes(range(16)),
            b"\x02",
            b"\x02en" + struct.pack("<H3f", 3, 1, 0, -2),
            b"\x05multi" + struct.pack("<H2f", 2, 0.5, -0.25),
            struct.pack("<I2I2f", 2, 7, 4_000_000_000, 1.5, 0.25),
            struct.pack("<I", 1),
            bytes(range(0xF0, 0x100)),
        )
    )


@pytest.mark.requirement("W3", "S3")
def test_the_label_tag_is_over_label_fingerprint_and_evidence() -> None:
    """The tag is an HMAC under the tenant's label key over the published fields."""
    covered = fields(
        b"memguard/label/1",
        ONE,
        pinned("label"),
        pinned("fingerprint"),
        hashlib.sha256(pinned("evidence")).digest(),
    )
    key = derived(tenant_key(), b"tenant", b"label")
    assert pinned("label_tag") == b"\x01" + ONE + hmac.digest(key, covered, "sha256")
    label = msgspec.msgpack.decode(pinned("label"))
    assert label[21] == hashlib.sha256(pinned("token")).digest()
    assert label[22] == hashlib.sha256(pinned("entry")).digest()
    assert label[12] == PINNED["source_mark"]


@pytest.mark.requirement("W15", "S3")
def test_the_label_tag_ends_with_a_claim_where_there_is_one() -> None:
    """One more field, so that nobody takes a tombstone's claim away; without it no tag holds."""
    assert pinned("claim") == derived_ids_of("keyed")(fields(b"claim", b"4:selfport=5432"))
    before = (
        b"memguard/label/1",
        ONE,
        pinned("label_with_claim"),
        pinned("fingerprint"),
        hashlib.sha256(pinned("evidence")).digest(),
    )
    key = derived(tenant_key(), b"tenant", b"label")
    tag = b"\x01" + ONE + hmac.digest(key, fields(*before, pinned("claim")), "sha256")
    assert pinned("label_tag_with_claim") == tag
    assert tag[5:] != hmac.digest(key, fields(*before), "sha256")
    label = msgspec.msgpack.decode(pinned("label_with_claim"))
    assert label[21] == hashlib.sha256(pinned("token_with_reading")).digest()


@pytest.mark.requirement("M4", "S3")
def test_the_label_of_what_faded_ends_with_how_often() -> None:
    """One more number in the label, under the same tag; a label that never faded ends before it."""
    never, label = (msgspec.msgpack.decode(pinned(name)) for name in ("label", "label_faded"))
    assert (len(never), len(label), label[24]) == (24, 25, 2)
    covered = fields(
        b"memguard/label/1",
        ONE,
        pinned("label_faded"),
        pinned("fingerprint"),
        hashlib.sha256(pinned("evidence")).digest(),
    )
    key = derived(tenant_key(), b"tenant", b"label")
    assert pinned("label_tag_faded") == b"\x01" + ONE + hmac.digest(key, covered, "sha256")


@pytest.mark.requirement("Q1", "S3")
def test_the_label_of_what_is_held_ends_with_how_bad_it_is() -> None:
    """One more number, behind how often it faded; a label of what is not held ends before it."""
    label = msgspec.msgpack.decode(pinned("label_held"))
    assert (len(label), label[5], label[24], label[25]) == (26, "held", 0, 2)
    covered = fields(
        b"memguard/label/1",
        ONE,
        pinned("label_held"),
        pinned("fingerprint"),
        hashlib.sha256(pinned("evidence_with_models")).digest(),
    )
    key = derived(tenant_key(), b"tenant", b"label")
    assert pinned("label_tag_held") == b"\x01" + ONE + hmac.digest(key, covered, "sha256")


@pytest.mark.requirement("W10", "S3")
def test_content_may_end_with_its_reading() -> None:
    """What the text was read as is the tenth field; content that nobody read has nine."""
    body = msgspec.msgpack.decode(opened_part("token_with_reading", b"content"))
    assert (len(body), body[9]) == (10, b"\x92\xa4read\x90")
    assert body[:9] == msgspec.msgpack.decode(opened_part("token", b"content"))


@pytest.mark.requirement("W13", "S3")
def test_content_may_end_with_what_made_somebody_write() -> None:
    """The eleventh field, behind a reading that may be empty."""
    body = msgspec.msgpack.decode(opened_part("token_with_trigger", b"content"))
    assert (len(body), body[9:]) == (11, [b"", "user_correction"])
    assert body[:9] == msgspec.msgpack.decode(opened_part("token", b"content"))


@pytest.mark.requirement("S3")
def test_marks_and_ids_are_keyed_hashes() -> None:
    """Fingerprint, source mark, subject mark, term id and entity id follow the published rules."""
    fingerprint = derived_ids("fingerprint")("prefers a window seat")
    source = hmac.digest(
        derived(tenant_key(), b"tenant", b"source"), b"https://example.org/page", "sha256"
    )
    assert pinned("fingerprint") == fingerprint
    assert PINNED["source_mark"] == source[:16].hex()
    assert PINNED["subject_mark"] == derived_ids("mark")("")[:16].hex()
    assert PINNED["term_id"] == int.from_bytes(derived_ids("terms")(TERM)[:4], "big")
    assert PINNED["entity_id"] == derived_ids("entities")(ENTITY)[:16].hex()


@pytest.mark.requirement("S6")
def test_the_rotation_is_the_published_one() -> None:
    """The rotated vector follows from the key stream with dense Hadamard matrices."""
    size, block, rounds = 6, 4, 3
    key = derived(subject_key(), b"subject", b"vectors")
    context = fields(b"memguard/rotate/1", b"en", size.to_bytes(4, "big"))
    stream = hashlib.shake_256(key + context).digest(rounds * size * 9)
    h2 = np.array([[1, 1], [1, -1]])
    hadamard = np.kron(h2, h2) / 2
    vector = np.arange(1.0, size + 1)
    for turn in range(rounds):
        words = struct.unpack_from(f">{size}Q", stream, turn * size * 8)
        flips = stream[rounds * size * 8 + turn * size :][:size]
        order = sorted(range(size), key=lambda axis: words[axis])
        vector = np.array([vector[a] * (1 - 2 * (flips[n] & 1)) for n, a in enumerate(order)])
        vector[:block] = hadamard @ vector[:block]
        vector[-block:] = hadamard @ vector[-block:]
    assert np.allclose(vector, PINNED["rotated"], atol=1e-5)


@pytest.mark.requirement("S3")
def test_the_second_implementation_can_fail() -> None:
    """With another root key, or in another place, nothing opens: the readings prove something."""
    with pytest.raises(InvalidTag):
        opened(
            derived(bytes(range(1, 33)), b"root", b"wrap"),
            pinned("wrapped_tenant_key"),
            fields(b"memguard/wrap/1", b"tenant", ONE, ONE, b"acme"),
        )
    with pytest.raises(InvalidTag):
        opened_part("token", b"entry")
