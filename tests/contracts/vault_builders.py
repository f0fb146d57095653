"""Small builders for vault tests: an admitted memory, its search material, a vault."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np

from guard.nouns import Admitted, Draft, Screened, Sealed, Tagged
from memory.origin import Channel, Origin, OriginClass
from memory.signals import Signals, Vector
from memory.types import (
    Body,
    ClientId,
    Kind,
    Layer,
    LeafId,
    MemoryId,
    Owner,
    SessionId,
    State,
    SubjectId,
    TenantId,
)
from policies.model import Completion, Decision, Effect, Finding, Severity, Span, Status
from storage.fakes.keystore import MemoryKeyStore
from storage.keyring import Keyring
from storage.ports import KeyStore
from storage.rootkey import RootKey
from storage.vault import SealingVault

AT = datetime(2026, 11, 5, 8, 30, 15, 123456, UTC)
LATER = datetime(2026, 11, 6, 8, 30, 15, 654321, UTC)
ROOT = bytes(range(32))
ID = MemoryId("01938d6c-0000-7000-8000-000000000001")
OTHER_ID = MemoryId("01938d6c-0000-7000-8000-000000000002")
LEAF = LeafId("01938d6c-0000-7000-8000-00000000000a")
NEXT_LEAF = LeafId("01938d6c-0000-7000-8000-00000000000b")
ALICE = Owner(TenantId("acme"), SubjectId("alice"))
BOB = Owner(TenantId("acme"), SubjectId("bob"))
ALICE_ELSEWHERE = Owner(TenantId("globex"), SubjectId("alice"))


def counted() -> Callable[[int], bytes]:
    """Return a source of bytes that is the same in every run and never repeats itself."""
    drawn = 0

    def draw(length: int) -> bytes:
        nonlocal drawn
        drawn += 1
        return hashlib.shake_256(b"test entropy" + drawn.to_bytes(4, "big")).digest(length)

    return draw


def keyring(store: KeyStore | None = None, *, subjects: int = 8) -> Keyring:
    """Return a keyring under the test root key, on a fresh in-memory store unless one is given."""
    store = MemoryKeyStore() if store is None else store
    return Keyring(RootKey({1: ROOT}), store, subjects=subjects, entropy=counted())


def vault(store: KeyStore | None = None) -> SealingVault:
    """Return a vault whose every byte is the same in every run."""
    return SealingVault(keyring(store), nonce=counted())


def unit(dimension: int, seed: int = 0) -> Vector:
    """Return a vector of length 1 whose components are simple fractions of its norm."""
    raw = np.array([((i * 37 + seed * 101) % 19) - 9 + 0.5 for i in range(dimension)], np.float64)
    return (raw / np.linalg.norm(raw)).astype(np.float32)


def signals(seed: int = 0) -> Signals:
    """Return search material with two named vectors, three terms in two scripts, two entities."""
    return Signals(
        vectors={"en": unit(12, seed), "multi": unit(8, seed + 1)},
        terms={"window": 1.5, "seat": 1.0, "靠窗": 2.0},
        entities=("order-4711", "alice@example.org"),
    )


def admitted(
    owner: Owner = ALICE,
    *,
    id: MemoryId = ID,
    text: str = "Prefers a window seat. 喜欢靠窗的座位。",
    layer: Layer = Layer.EPISODIC,
    state: State = State.ACTIVE,
    revision: int = 1,
    version: int = 1,
    fingerprint: bytes = bytes(32),
    reference: str | None = "https://example.org/page",
    session: str | None = "session-1",
) -> Admitted:
    """Return an admitted memory with one finding and two completion records."""
    origin = Origin(
        class_=OriginClass.USER_STATED,
        trust=3,
        channel=Channel.REST,
        client=ClientId("dev-app"),
        credential="credential-1",
        session=None if session is None else SessionId(session),
        reference=reference,
        parents=(),
        at=AT,
    )
    decision = Decision(Effect.ALLOW, ("rule-1",), ("rules.seen",), "policy-1")
    return Admitted(
        screened=Screened(
            tagged=Tagged(Draft(text), id, owner, AT, origin),
            findings=(Finding("rules", "seen", Severity.LOW, "nfkc", 0.25, (Span(2, 7),)),),
            completions=(Completion("rules", Status.DONE), Completion("secrets", Status.DONE)),
            decision=decision,
        ),
        body=Body(
            text=text,
            kind=Kind.PREFERENCE,
            entities=("order-4711",),
            occurred_at=AT,
            metadata={"channel": "mail"},
            reference=reference,
            session=session,
            parents=(OTHER_ID,),
            credential="credential-1",
        ),
        signals=signals(),
        fingerprint=fingerprint,
        layer=layer,
        state=state,
        importance=0.5,
        confidence=1.0,
        recorded_at=AT,
        expires_at=LATER,
        revision=revision,
        version=version,
        leaf=LEAF,
    )


def parts(sealed: Sealed) -> dict[str, bytes]:
    """Return the sealed bytes of a memory by field name."""
    return {
        "token": sealed.token,
        "entry": sealed.entry,
        "evidence": sealed.evidence,
        "tag": sealed.tag,
        "fingerprint": sealed.fingerprint,
    }
