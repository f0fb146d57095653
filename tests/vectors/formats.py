"""Makes one example of every stored byte format from fixed inputs. Run it to see them as JSON.

The pinned examples lie in `formats_v1.json`. They are never regenerated for version 1: data sealed
by a released version must open forever, so a difference is a bug in the code, not in the file.
"""

import asyncio
import json
import sys

import msgspec
import numpy as np

from guard.nouns import Admitted, Decided, Deferred, Draft, Evidence
from guard.outcomes import Superseded
from guard.ports import Record
from memory.origin import Channel, Hint, Origin, OriginClass
from memory.signals import Blinded, Signals, Sparse
from memory.types import ClientId, Kind, Layer, Role, SessionId, State, SubjectMark, Trigger, Turn
from policies.model import Completion, Finding, Severity, Status
from storage.entries import pack_entry
from storage.envelopes import SealingEnvelopes
from storage.fakes.keystore import MemoryKeyStore
from storage.layouts import label_bytes
from storage.vault import SealingVault
from tests.contracts.vault_builders import (
    ALICE,
    AT,
    ID,
    NEXT_LEAF,
    OTHER_ID,
    admitted,
    counted,
    keyring,
    signals,
)

TERM, ENTITY = "靠窗", "order-4711"
ROTATED = Signals({"en": np.array([1, 2, 3, 4, 5, 6], np.float32)}, {}, ())
MATERIAL = Blinded(
    subject=SubjectMark("000102030405060708090a0b0c0d0e0f"),
    vectors={
        "multi": np.array([0.5, -0.25], np.float32),
        "en": np.array([1.0, 0.0, -2.0], np.float32),
    },
    sparse=Sparse((7, 4_000_000_000), (1.5, 0.25)),
    entities=("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",),
)

TURN = msgspec.msgpack.encode(Turn(Role.USER, "我喜欢靠窗的座位。"))
TURN_PLACE = (b"47ad9511bb90eeb390d38d9a2fcdd2a9", ID.encode())
TRACE = msgspec.msgpack.encode({"id": ID, "reliable": False})
TRACE_PLACE = (
    ID.encode(),
    (1_793_534_400_000_000).to_bytes(8, "big"),
    (1_794_139_200_000_000).to_bytes(8, "big"),
)
OUTCOME = Superseded(ID, OriginClass.USER_STATED, 3, OTHER_ID, ("relate.newer",))
DECIDED = Decided(
    Evidence(
        (Finding("model", "poison", Severity.LOW, score=0.5),),
        (Completion("model", Status.DONE),),
        ("model.poison",),
        "5c0d9a1e",
    ),
    "policy-2/5c0d9a1e",
    1.0,
)
DEFERRED = Deferred(
    draft=Draft(
        "喜欢靠窗的座位。",
        Layer.SEMANTIC,
        Kind.PREFERENCE,
        0.5,
        30,
        ("order-4711",),
        SessionId("session-1"),
        AT,
        Hint(OriginClass.USER_STATED, "https://example.org/page", (OTHER_ID,)),
        {"channel": "mail"},
    ),
    origin=Origin(
        class_=OriginClass.USER_STATED,
        trust=3,
        channel=Channel.REST,
        client=ClientId("dev-app"),
        credential="credential-1",
        session=SessionId("session-1"),
        reference="https://example.org/page",
        parents=(OTHER_ID,),
        at=AT,
    ),
    recent_writes=7,
)


def example(fingerprint: bytes) -> Admitted:
    """Return the memory that is sealed: without vectors, whose last bit a platform may round."""
    plain = Signals({}, signals().terms, signals().entities)
    return msgspec.structs.replace(admitted(fingerprint=fingerprint), signals=plain)


async def produce() -> dict[str, object]:
    """Return every format by name: bytes as hex, numbers as numbers."""
    store = MemoryKeyStore()
    keeper = SealingVault(keyring(store), nonce=counted())
    fingerprint = await keeper.fingerprint(ALICE, "prefers a window seat")
    sealed = await keeper.seal(example(fingerprint))
    (tenant_key,) = await store.tenant_keys(ALICE.tenant)
    (subject_key,) = await store.subject_keys(ALICE.tenant, ALICE.subject)
    one = await keeper.blind(ALICE, Signals({}, {TERM: 1.0}, (ENTITY,)))
    rotated = await keeper.blind(ALICE, ROTATED)
    envelopes = SealingEnvelopes(keyring(store), nonce=counted())
    mark = await keeper.keyed(ALICE, "key", "POST /v1/memories", "dev-app", "k-1")
    request = await keeper.keyed(ALICE, "request", "靠窗")
    outcome = msgspec.msgpack.encode(OUTCOME)
    deferred = msgspec.msgpack.encode(DEFERRED)
    # With other nonces than the rest: what is added moves nothing.
    again = await SealingVault(keyring(store), nonce=counted()).relabel(
        sealed, state=State.ACTIVE, leaf=NEXT_LEAF, at=AT, decided=DECIDED
    )
    faded = await SealingVault(keyring(store), nonce=counted()).relabel(
        sealed, state=State.ACTIVE, leaf=NEXT_LEAF, at=AT, faded=2
    )
    held = await SealingVault(keyring(store), nonce=counted()).relabel(
        sealed, state=State.HELD, leaf=NEXT_LEAF, at=AT, decided=DECIDED
    )
    claim = await keeper.keyed(ALICE, "claim", "4:selfport=5432")
    read = example(fingerprint)
    read = msgspec.structs.replace(
        read, claim=claim, body=msgspec.structs.replace(read.body, reading=b"\x92\xa4read\x90")
    )
    claimed = await SealingVault(keyring(store), nonce=counted()).seal(read)
    asked = example(fingerprint)
    asked = msgspec.structs.replace(
        asked, body=msgspec.structs.replace(asked.body, trigger=Trigger.USER_CORRECTION)
    )
    triggered = await SealingVault(keyring(store), nonce=counted()).seal(asked)
    return {
        "wrapped_tenant_key": tenant_key.wrapped.hex(),
        "wrapped_subject_key": subject_key.wrapped.hex(),
        "token": sealed.token.hex(),
        "entry": sealed.entry.hex(),
        "evidence": sealed.evidence.hex(),
        "evidence_with_models": again.evidence.hex(),
        "label": label_bytes(sealed.label).hex(),
        "label_tag": sealed.tag.hex(),
        "claim": claim.hex(),
        "token_with_reading": claimed.token.hex(),
        "token_with_trigger": triggered.token.hex(),
        "label_with_claim": label_bytes(claimed.label).hex(),
        "label_tag_with_claim": claimed.tag.hex(),
        "label_faded": label_bytes(faded.label).hex(),
        "label_tag_faded": faded.tag.hex(),
        "label_held": label_bytes(held.label).hex(),
        "label_tag_held": held.tag.hex(),
        "fingerprint": fingerprint.hex(),
        "source_mark": await keeper.source(ALICE.tenant, "https://example.org/page"),
        "subject_mark": one.subject,
        "term_id": one.sparse.ids[0],
        "entity_id": one.entities[0],
        "key_mark": mark.hex(),
        "request_mark": request.hex(),
        "answer": (await envelopes.wrap(ALICE, Record.ANSWER, (mark, request), outcome)).hex(),
        "write": (await envelopes.wrap(ALICE, Record.WRITE, (ID.encode(),), deferred)).hex(),
        "outcome": (await envelopes.wrap(ALICE, Record.OUTCOME, (ID.encode(),), outcome)).hex(),
        "turn": (await envelopes.wrap(ALICE, Record.TURN, TURN_PLACE, TURN)).hex(),
        "trace": (await envelopes.wrap(ALICE, Record.TRACE, TRACE_PLACE, TRACE)).hex(),
        "entry_plain": pack_entry(MATERIAL).hex(),
        "rotated": [round(float(value), 6) for value in rotated.vectors["en"]],
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(produce()), indent=2) + "\n")
