"""What the vault promises to guard: as ports `Vault` and `Marks`, on every key store."""

import math
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from guard.errors import InvalidError, UnreadableError
from guard.nouns import Decided, Evidence, Laid, Opened, Sealed
from guard.ports import Marks, Vault
from memory.signals import Blinded, Signals
from memory.types import Layer, Owner, State, TenantId
from policies.model import Finding, Severity
from storage.fakes.keystore import MemoryKeyStore
from storage.keystore import KeyStoreSql
from storage.ports import KeyStore
from storage.vault import SealingVault, _tag
from tests.contracts.vault_builders import (
    ALICE,
    ALICE_ELSEWHERE,
    AT,
    BOB,
    LATER,
    LEAF,
    NEXT_LEAF,
    OTHER_ID,
    admitted,
    keyring,
    parts,
    signals,
    unit,
    vault,
)

replace = msgspec.structs.replace


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[KeyStore]:
    """Return an empty key store of each kind."""
    if request.param == "memory":
        yield MemoryKeyStore()
        return
    opened = await KeyStoreSql.open(tmp_path / "keys.db")
    yield opened
    await opened.close()


Opener = Callable[[Vault, Owner, Sealed], Coroutine[None, None, object]]
OPENERS: dict[str, Opener] = {
    "token": lambda keeper, owner, sealed: keeper.open(owner, sealed),
    "entry": lambda keeper, owner, sealed: keeper.open_entry(owner, sealed),
    "evidence": lambda keeper, owner, sealed: keeper.open_evidence(owner, sealed),
}
OPENERS["tag"] = OPENERS["token"]


async def all_open(keeper: Vault, owner: Owner, sealed: Sealed) -> None:
    """Pass when every part of a memory opens for `owner`."""
    for opener in OPENERS.values():
        assert await opener(keeper, owner, sealed) is not None


async def none_opens(keeper: Vault, owner: Owner, sealed: Sealed) -> None:
    """Pass when no part of a memory opens for `owner`, and each says so in the same way."""
    for opener in OPENERS.values():
        await unreadable(opener(keeper, owner, sealed))


async def unreadable(attempt: Coroutine[None, None, object]) -> None:
    """Pass when the attempt ends in an error that says nothing of why."""
    with pytest.raises(UnreadableError) as caught:
        await attempt
    assert caught.value.args == ()
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


async def retagged(keeper: SealingVault, sealed: Sealed) -> Sealed:
    """Return the memory under a valid tag, as one could make who holds the label key."""
    tenant = await keeper._keyring.tenant(TenantId(sealed.label.tenant))
    beside = (sealed.fingerprint, sealed.evidence, sealed.claim)
    return replace(sealed, tag=_tag(tenant, sealed.label, beside))


def same(one: Blinded, other: Blinded) -> bool:
    """Compare search material, arrays included."""
    return (
        (one.subject, one.sparse, one.entities) == (other.subject, other.sparse, other.entities)
        and one.vectors.keys() == other.vectors.keys()
        and all(np.array_equal(one.vectors[name], other.vectors[name]) for name in one.vectors)
    )


@pytest.mark.requirement("S3")
async def test_what_was_sealed_opens(store: KeyStore) -> None:
    """Content, search material and evidence come back as they went in, also in a new process."""
    given = admitted()
    sealed = await vault(store).seal(given)
    reader: Vault = SealingVault(keyring(store))

    opened = await reader.open(ALICE, sealed)
    assert (opened.body, opened.label) == (given.body, sealed.label)
    assert same(await reader.open_entry(ALICE, sealed), await reader.blind(ALICE, signals()))
    evidence = await reader.open_evidence(ALICE, sealed)
    assert evidence.findings == given.screened.findings
    assert evidence.completions == given.screened.completions
    assert evidence.reasons == given.screened.decision.reasons


@pytest.mark.requirement("W3", "S3")
async def test_the_label_says_where_it_came_from() -> None:
    """The label carries origin, times, state and the digests of what was sealed, and keyed ids."""
    keeper = vault()
    given = replace(admitted(state=State.HELD, revision=3, version=7), recorded_at=LATER)
    sealed = await keeper.seal(given)
    label, origin = sealed.label, given.screened.tagged.origin

    assert (label.tenant, label.subject) == ("acme", "alice")
    assert (label.origin, label.trust, label.channel) == (origin.class_, 3, origin.channel)
    assert (label.state, label.revision, label.version) == (State.HELD, 3, 7)
    assert (label.recorded_at, label.changed_at, label.expires_at) == (LATER, AT, LATER)
    assert (label.policy, label.leaf, label.superseded_by) == ("policy-1", LEAF, None)
    marks: Marks = keeper
    assert label.source == await marks.source(ALICE.tenant, "https://example.org/page")
    assert label.session == await marks.source(ALICE.tenant, "session-1")
    assert sealed.fingerprint == given.fingerprint
    bare = await keeper.seal(admitted(reference=None, session=None))
    assert (bare.label.source, bare.label.session) == ("", "")


@pytest.mark.requirement("S3")
async def test_nothing_sealed_shows_its_content() -> None:
    """No word, name or reference of a memory is in any stored byte, and no two seals are alike."""
    keeper = vault()
    one, two = await keeper.seal(admitted()), await keeper.seal(admitted())
    bytes_ = b"".join(parts(one).values()) + msgspec.msgpack.encode(one.label)
    for word in ("window", "靠窗", "order-4711", "example.org", "session-1", "credential-1"):
        assert word.encode() not in bytes_
        plain = msgspec.msgpack.encode((admitted().body, ["order-4711"]))
        assert word.encode() in plain
    assert one.token != two.token
    assert one.entry != two.entry
    assert one.evidence != two.evidence


@pytest.mark.requirement("S3", "R5")
@pytest.mark.parametrize("stranger", [BOB, ALICE_ELSEWHERE], ids=["subject", "tenant"])
async def test_another_owner_reads_nothing(store: KeyStore, stranger: Owner) -> None:
    """Another subject or tenant can open no part of a memory; its owner can."""
    keeper = vault(store)
    sealed = await keeper.seal(admitted())
    await keeper.seal(admitted(stranger))
    await all_open(keeper, ALICE, sealed)
    await none_opens(keeper, stranger, sealed)


@pytest.mark.requirement("S3", "R5")
@pytest.mark.parametrize("stranger", [BOB, ALICE_ELSEWHERE], ids=["subject", "tenant"])
async def test_a_row_copied_to_another_owner_is_unreadable(stranger: Owner) -> None:
    """A whole row relabelled with another owner opens for neither."""
    keeper = vault()
    sealed = await keeper.seal(admitted())
    await keeper.seal(admitted(stranger))
    label = replace(sealed.label, tenant=stranger.tenant, subject=stranger.subject)
    copied = replace(sealed, label=label)
    await all_open(keeper, ALICE, sealed)
    await none_opens(keeper, ALICE, copied)
    await none_opens(keeper, stranger, copied)


@pytest.mark.requirement("S3", "R5")
@pytest.mark.parametrize("name", ["token", "entry", "evidence", "tag"])
async def test_swapped_parts_of_two_rows_are_unreadable(name: str) -> None:
    """A part moved from one memory of the same subject to another makes the row unreadable."""
    keeper = vault()
    one = await keeper.seal(admitted())
    two = await keeper.seal(admitted(id=OTHER_ID))
    swapped = msgspec.structs.replace(one, **{name: getattr(two, name)})
    await all_open(keeper, ALICE, one)
    await all_open(keeper, ALICE, two)
    await unreadable(OPENERS[name](keeper, ALICE, swapped))


@pytest.mark.requirement("S3", "R5")
async def test_an_older_revision_behind_a_newer_label_is_unreadable() -> None:
    """Bytes of revision 1 do not open under the label of revision 2, nor the reverse."""
    keeper = vault()
    old = await keeper.seal(admitted(text="pays in euro"))
    new = await keeper.seal(admitted(text="pays in yen", revision=2, version=2))
    for base, other in ((new, old), (old, new)):
        for name in ("token", "entry", "evidence"):
            mixed = msgspec.structs.replace(base, **{name: getattr(other, name)})
            await unreadable(OPENERS[name](keeper, ALICE, mixed))
    assert (await keeper.open(ALICE, new)).body.text == "pays in yen"


@pytest.mark.requirement("S3")
@pytest.mark.parametrize(
    "change",
    [
        {"revision": 2},
        {"layer": Layer.SEMANTIC},
        {"id": OTHER_ID},
        {"tenant": "globex"},
        {"subject": "bob"},
    ],
    ids=lambda change: next(iter(change)),
)
async def test_the_cipher_alone_binds_its_place(change: dict[str, object]) -> None:
    """Even under a valid tag over a forged label the cipher refuses: a lock behind the lock.

    The forger here holds the label key, which a writer to the database does not.
    """
    keeper = vault()
    sealed = await keeper.seal(admitted())
    label = msgspec.structs.replace(sealed.label, **change)
    owner = replace(ALICE, tenant=label.tenant, subject=label.subject)
    forged = await retagged(keeper, replace(sealed, label=label))
    await none_opens(keeper, owner, forged)
    await all_open(keeper, ALICE, await retagged(keeper, sealed))


@pytest.mark.requirement("S3")
async def test_parts_do_not_open_as_one_another() -> None:
    """An entry in the content's place, digest and tag put right, is still no content."""
    keeper = vault()
    sealed = await keeper.seal(admitted())
    label = replace(sealed.label, digest=sealed.label.entry_digest)
    forged = await retagged(keeper, replace(sealed, label=label, token=sealed.entry))
    await unreadable(keeper.open(ALICE, forged))


@pytest.mark.requirement("W3")
@pytest.mark.parametrize(
    "change",
    [
        {"trust": 4},
        {"state": State.ACTIVE},
        {"origin": "operator"},
        {"version": 9},
        {"importance": 0.75},
        {"expires_at": None},
        {"superseded_by": OTHER_ID},
        {"leaf": NEXT_LEAF},
        {"source": ""},
        {"policy": "policy-2"},
    ],
    ids=lambda change: next(iter(change)),
)
async def test_an_edited_label_is_unreadable(change: dict[str, object]) -> None:
    """Whatever a writer to the database changes in the clear part, the tag notices."""
    keeper = vault()
    sealed = await keeper.seal(admitted(state=State.HELD))
    await all_open(keeper, ALICE, sealed)
    edited = replace(sealed, label=msgspec.structs.replace(sealed.label, **change))
    await none_opens(keeper, ALICE, edited)
    await unreadable(keeper.relabel(edited, state=State.ACTIVE, leaf=NEXT_LEAF, at=LATER))


@pytest.mark.requirement("W3")
@pytest.mark.parametrize(
    "change",
    [
        {"importance": "much"},
        {"importance": None},
        {"revision": -1},
        {"version": 2**70},
        {"tenant": "\ud800"},
        {"recorded_at": "yesterday"},
    ],
    ids=str,
)
async def test_a_label_of_wrong_types_is_unreadable(change: dict[str, object]) -> None:
    """What only a hand in the database can put there is unreadable, never another error."""
    keeper = vault()
    sealed = await keeper.seal(admitted())
    edited = replace(sealed, label=msgspec.structs.replace(sealed.label, **change))
    owner = replace(ALICE, tenant=edited.label.tenant)
    await none_opens(keeper, owner, edited)


@pytest.mark.requirement("W3", "W15")
async def test_fingerprint_and_evidence_are_under_the_tag_too() -> None:
    """A changed fingerprint or claim, or evidence taken away, makes the whole row unreadable."""
    keeper = vault()
    sealed = await keeper.seal(admitted())
    await all_open(keeper, ALICE, sealed)
    await none_opens(keeper, ALICE, replace(sealed, fingerprint=bytes([1]) + bytes(31)))
    claimed = await keeper.seal(replace(admitted(), claim=bytes(32)))
    assert (await keeper.open(ALICE, claimed)).body.text
    for forged in (b"", bytes([1]) + bytes(31)):
        await none_opens(keeper, ALICE, replace(claimed, claim=forged))
    await none_opens(keeper, ALICE, replace(sealed, claim=bytes(32)))
    await none_opens(keeper, ALICE, replace(sealed, evidence=b""))


@pytest.mark.requirement("W10", "S5")
async def test_relabelling_keeps_the_content_and_counts() -> None:
    """A new state gets the next version and a new tag; the content opens as before."""
    keeper = vault()
    sealed = await keeper.seal(admitted())
    retired = await keeper.relabel(
        sealed, state=State.SUPERSEDED, leaf=NEXT_LEAF, at=LATER, superseded_by=OTHER_ID
    )
    label = retired.label
    assert (label.state, label.version, label.revision) == (State.SUPERSEDED, 2, 1)
    assert (label.leaf, label.changed_at, label.recorded_at) == (NEXT_LEAF, LATER, AT)
    assert label.superseded_by == OTHER_ID
    assert (retired.token, retired.entry) == (sealed.token, sealed.entry)
    await all_open(keeper, ALICE, retired)
    await unreadable(keeper.open(ALICE, replace(retired, tag=sealed.tag)))
    await unreadable(keeper.open(ALICE, replace(retired, label=sealed.label)))


@pytest.mark.requirement("L2", "S3")
async def test_in_another_layer_it_is_the_next_revision_and_says_the_same() -> None:
    """Each part is bound to its layer: none of either place passes for one of the other."""
    keeper = vault()
    before = await keeper.seal(admitted(revision=3, version=5))
    faded = await keeper.relabel(before, state=State.ACTIVE, leaf=LEAF, at=AT, faded=2)
    after = await keeper.relabel(
        faded, state=State.ACTIVE, leaf=NEXT_LEAF, at=AT, laid=Laid(Layer.SEMANTIC, LATER)
    )
    for opener in OPENERS.values():
        # What was sealed has no equality of its own: its written form has.
        was, now = await opener(keeper, ALICE, before), await opener(keeper, ALICE, after)
        if isinstance(was, Opened) and isinstance(now, Opened):
            was, now = was.body, now.body
        assert repr(now) == repr(was)
    expected = replace(
        faded.label,
        layer=Layer.SEMANTIC,
        expires_at=LATER,
        revision=4,
        version=7,
        leaf=NEXT_LEAF,
        digest=after.label.digest,
        entry_digest=after.label.entry_digest,
    )
    assert after.label == expected
    assert (after.fingerprint, after.claim) == (before.fingerprint, before.claim)
    for name in ("token", "entry", "evidence"):
        assert getattr(after, name) != getattr(before, name)
        mixed = replace(after, **{name: getattr(before, name)})
        with pytest.raises(UnreadableError):
            await OPENERS[name](keeper, ALICE, mixed)
    edited = replace(faded, label=replace(faded.label, layer=Layer.SEMANTIC))
    with pytest.raises(UnreadableError):
        await keeper.open(ALICE, edited)
    with pytest.raises(UnreadableError):
        await keeper.relabel(
            edited, state=State.ACTIVE, leaf=LEAF, at=AT, laid=Laid(Layer.EPISODIC, None)
        )


@pytest.mark.requirement("Q1", "S3")
async def test_a_label_tells_how_bad_what_is_held_is_and_of_nothing_else() -> None:
    """From the findings it is sealed with, also where it comes back to the queue; proved, too."""
    keeper = vault()
    held = await keeper.seal(admitted(state=State.HELD))
    assert held.label.gravity == 1
    assert (await keeper.seal(admitted())).label.gravity == 0
    let_go = await keeper.relabel(held, state=State.ACTIVE, leaf=NEXT_LEAF, at=LATER)
    assert let_go.label.gravity == 0
    again = await keeper.relabel(let_go, state=State.HELD, leaf=LEAF, at=LATER)
    assert again.label.gravity == 1
    await all_open(keeper, ALICE, again)
    worse = replace(again, label=replace(again.label, gravity=9))
    await none_opens(keeper, ALICE, worse)
    for state in (State.FORGOTTEN, State.REJECTED):
        gone = await keeper.relabel(again, state=state, leaf=NEXT_LEAF, at=LATER)
        assert gone.label.gravity == 0


@pytest.mark.requirement("R5", "S3")
async def test_deciding_again_replaces_the_evidence_and_nothing_else() -> None:
    """Findings, models, policy and confidence are new and proved; content and revision stay."""
    keeper = vault()
    sealed = await keeper.seal(admitted())
    found = (Finding("model", "poison", Severity.HIGH, score=0.9),)
    evidence = Evidence(found, (), ("model.poison", "rescreen.models"), "5c0d9a1e")
    again = await keeper.relabel(
        sealed,
        state=State.HELD,
        leaf=NEXT_LEAF,
        at=AT,
        decided=Decided(evidence, "strict@2/5c0d9a1e", 0.5),
    )
    label = again.label
    assert (label.state, label.version, label.revision) == (State.HELD, 2, 1)
    assert (label.policy, label.confidence) == ("strict@2/5c0d9a1e", 0.5)
    assert (again.token, again.entry) == (sealed.token, sealed.entry)
    assert await keeper.open_evidence(ALICE, again) == evidence
    assert (await keeper.open_evidence(ALICE, sealed)).models == ""
    await all_open(keeper, ALICE, again)
    # Neither the old evidence nor the old label can be put back alone.
    await none_opens(keeper, ALICE, replace(again, evidence=sealed.evidence))
    await none_opens(keeper, ALICE, replace(again, label=sealed.label))


@pytest.mark.requirement("R5", "S5")
async def test_nothing_shredded_is_decided_again() -> None:
    """Of a subject whose keys are destroyed no evidence is sealed, and no new key is made."""
    ring = keyring(MemoryKeyStore())
    keeper = SealingVault(ring)
    sealed = await keeper.seal(admitted())
    decided = Decided(Evidence((), (), (), "5c0d9a1e"), "strict@2", 1.0)
    await keeper.relabel(sealed, state=State.ACTIVE, leaf=NEXT_LEAF, at=AT, decided=decided)
    await ring.shred_subject(ALICE)
    await unreadable(
        keeper.relabel(sealed, state=State.ACTIVE, leaf=NEXT_LEAF, at=AT, decided=decided)
    )
    # What is emptied on the way has no evidence to be decided by.
    gone = await keeper.relabel(
        sealed, state=State.FORGOTTEN, leaf=NEXT_LEAF, at=AT, decided=decided
    )
    assert (gone.evidence, gone.label.policy) == (b"", sealed.label.policy)


@pytest.mark.requirement("S5", "W15")
@pytest.mark.parametrize("state", [State.FORGOTTEN, State.REJECTED])
async def test_what_is_forgotten_leaves_only_its_fingerprint(state: State) -> None:
    """Tokens and digests become empty and stay so; the tombstone still proves itself."""
    keeper = vault()
    sealed = await keeper.seal(admitted(fingerprint=await keeper.fingerprint(ALICE, "seat")))
    gone = await keeper.relabel(sealed, state=state, leaf=NEXT_LEAF, at=LATER)
    assert (gone.token, gone.entry, gone.evidence) == (b"", b"", b"")
    assert (gone.label.digest, gone.label.entry_digest) == (b"", b"")
    assert gone.fingerprint == await keeper.fingerprint(ALICE, "seat")
    await none_opens(keeper, ALICE, gone)

    await unreadable(keeper.relabel(gone, state=State.ACTIVE, leaf=LEAF, at=LATER))
    await unreadable(keeper.open(ALICE, replace(gone, token=sealed.token)))
    again = await keeper.relabel(gone, state=state, leaf=LEAF, at=LATER)
    assert again.label.version == 3


@pytest.mark.requirement("S5", "W15")
async def test_after_shredding_content_is_gone_and_labels_still_hold(store: KeyStore) -> None:
    """No part of a shredded subject opens again, new memories do, and old labels can be retired."""
    ring = keyring(store)
    keeper = SealingVault(ring)
    old, other = await keeper.seal(admitted()), await keeper.seal(admitted(BOB))
    old_mark = (await keeper.blind(ALICE, signals())).subject
    old_print = await keeper.fingerprint(ALICE, "seat")
    await ring.shred_subject(ALICE)

    await none_opens(keeper, ALICE, old)
    await all_open(keeper, BOB, other)
    gone = await keeper.relabel(old, state=State.FORGOTTEN, leaf=NEXT_LEAF, at=LATER)
    assert gone.label.version == 2

    await all_open(keeper, ALICE, await keeper.seal(admitted()))
    await none_opens(keeper, ALICE, old)
    assert (await keeper.blind(ALICE, signals())).subject != old_mark
    assert await keeper.fingerprint(ALICE, "seat") != old_print


@pytest.mark.requirement("S3")
async def test_an_absent_subject_reads_as_unreadable() -> None:
    """A row whose key store was lost is unreadable, and looking makes no keys."""
    sealed = await vault().seal(admitted())
    empty = MemoryKeyStore()
    await none_opens(vault(empty), ALICE, sealed)
    assert await empty.subject_keys(ALICE.tenant, ALICE.subject) == []
    assert await empty.tenant_keys(ALICE.tenant) == []


@pytest.mark.requirement("W15")
async def test_fingerprints_match_within_one_owner_only() -> None:
    """Equal text gives equal fingerprints for one owner and different ones for all others."""
    marks: Marks = vault()
    one = await marks.fingerprint(ALICE, "喜欢靠窗")
    assert len(one) == 32
    assert one == await marks.fingerprint(ALICE, "喜欢靠窗")
    assert one != await marks.fingerprint(ALICE, "喜欢靠窗 ")
    assert one != await marks.fingerprint(BOB, "喜欢靠窗")
    assert one != await marks.fingerprint(ALICE_ELSEWHERE, "喜欢靠窗")
    assert await marks.fingerprint(ALICE, "\ud800") != await marks.fingerprint(ALICE, "\ud801")


@pytest.mark.requirement("W3")
async def test_source_marks_match_within_one_tenant_only() -> None:
    """Equal references of one tenant have equal marks, which no other tenant shares."""
    marks: Marks = vault()
    one = await marks.source(ALICE.tenant, "https://example.org")
    assert (len(one), int(one, 16) > 0) == (32, True)
    assert one == await marks.source(BOB.tenant, "https://example.org")
    assert one != await marks.source(ALICE.tenant, "https://example.org/")
    assert one != await marks.source(ALICE_ELSEWHERE.tenant, "https://example.org")


@pytest.mark.requirement("S6")
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e30])
async def test_a_vector_that_is_not_finite_is_refused(bad: float) -> None:
    """NaN, infinities and absurd sizes are refused; the same vector without them is not."""
    keeper = vault()
    good = unit(16)
    spoilt = good.copy()
    spoilt[3] = bad
    await keeper.blind(ALICE, Signals({"en": good}, {}, ()))
    with pytest.raises(InvalidError):
        await keeper.blind(ALICE, Signals({"en": spoilt}, {}, ()))
    with pytest.raises(InvalidError):
        await keeper.seal(replace(admitted(), signals=Signals({"en": spoilt}, {}, ())))


@pytest.mark.requirement("S6")
@pytest.mark.parametrize(
    "vector",
    [np.zeros(8, np.float32), np.zeros(0, np.float32), np.ones((2, 4), np.float32)],
    ids=["zero", "empty", "matrix"],
)
async def test_a_vector_without_a_direction_is_refused(vector: NDArray[np.float32]) -> None:
    """Zero, empty and wrongly shaped vectors are refused."""
    with pytest.raises(InvalidError):
        await vault().blind(ALICE, Signals({"en": vector}, {}, ()))


@pytest.mark.parametrize("weight", [0.0, -1.0, math.nan, math.inf, 1e-50, 1e300])
async def test_term_weights_are_positive(weight: float) -> None:
    """A weight that the index could not use is refused."""
    with pytest.raises(InvalidError):
        await vault().blind(ALICE, Signals({}, {"seat": 1.0, "window": weight}, ()))


async def test_a_memory_without_signals_seals() -> None:
    """Empty search material is stored and read back as empty."""
    keeper = vault()
    sealed = await keeper.seal(replace(admitted(), signals=Signals({}, {}, ())))
    entry = await keeper.open_entry(ALICE, sealed)
    assert (dict(entry.vectors), entry.sparse.ids, entry.entities) == ({}, (), ())


async def test_content_that_has_no_stored_form_is_refused() -> None:
    """A lone surrogate or a foreign fingerprint is refused before anything is sealed."""
    with pytest.raises(InvalidError):
        await vault().seal(admitted(text="\ud800"))
    with pytest.raises(InvalidError):
        await vault().seal(admitted(fingerprint=b"short"))


@pytest.mark.parametrize("part", ["token", "entry", "evidence", "fingerprint", "tag"])
async def test_what_was_found_whole_vouches_for_nothing_else(part: str) -> None:
    """Opened twice it is proved once; a copy of which one bit differs is proved for itself."""
    keeper = vault()
    sealed = await keeper.seal(admitted())
    for opener in OPENERS.values():
        await opener(keeper, ALICE, sealed)
        await opener(keeper, ALICE, sealed)
    whole = getattr(sealed, part)
    spoilt = replace(sealed, **{part: whole[:-1] + bytes((whole[-1] ^ 1,))})
    for opener in OPENERS.values():
        with pytest.raises(UnreadableError):
            await opener(keeper, ALICE, spoilt)
        # The control: the one that was found whole is so still.
        await opener(keeper, ALICE, sealed)


async def test_what_was_found_whole_is_unreadable_with_its_keys_gone() -> None:
    """Neither the subject's keys nor the tenant's are stood in for by an earlier proof."""
    for shredding in ("subject", "tenant"):
        ring = keyring()
        keeper = SealingVault(ring)
        sealed = await keeper.seal(admitted())
        await keeper.open(ALICE, sealed)
        if shredding == "subject":
            await ring.shred_subject(ALICE)
        else:
            await ring.shred_tenant(ALICE.tenant)
        with pytest.raises(UnreadableError):
            await keeper.open(ALICE, sealed)
