"""Search material at hand: lent for the same bytes under the same keys, and within its bound."""

import gc

import pytest
from msgspec.structs import replace

from guard.errors import UnreadableError
from guard.nouns import Admitted
from memory.types import MemoryId, Owner, State, SubjectId, TenantId
from storage.keyring import Keyring
from storage.ready import Ready
from storage.vault import SealingVault
from tests.contracts.vault_builders import (
    ALICE,
    ALICE_ELSEWHERE,
    BOB,
    LATER,
    NEXT_LEAF,
    admitted,
    counted,
    keyring,
)

MANY = 1 << 20


def opening(ready: Ready, ring: Keyring | None = None) -> SealingVault:
    """Return a vault that keeps what it opened."""
    return SealingVault(ring or keyring(), nonce=counted(), ready=ready)


def numbered(owner: Owner, number: int) -> Admitted:
    """Return a memory with an id of its own."""
    draft = admitted(owner)
    id = MemoryId(f"{number:08d}-0000-7000-8000-{0:012d}")
    tagged = replace(draft.screened.tagged, id=id)
    return replace(draft, screened=replace(draft.screened, tagged=tagged))


async def test_what_was_opened_is_lent_for_an_equal_copy() -> None:
    """The ledger hands out a new object each time: bytes and label count, not the object."""
    ready = Ready(MANY)
    keeper = opening(ready)
    sealed = await keeper.seal(admitted())
    first = await keeper.open_entry(ALICE, sealed)
    assert ready.bytes > len(sealed.entry)
    assert await keeper.open_entry(ALICE, replace(sealed)) is first
    # The control: without room each is opened for itself, to the same.
    bare = Ready(0)
    keeper = opening(bare)
    sealed = await keeper.seal(admitted())
    once, twice = [await keeper.open_entry(ALICE, sealed) for _ in range(2)]
    assert (once is twice, bare.bytes) == (False, 0)
    assert once.entities == twice.entities


@pytest.mark.parametrize("part", ["token", "entry", "evidence", "fingerprint", "tag"])
async def test_a_copy_of_which_one_bit_differs_is_lent_nothing(part: str) -> None:
    """What was proved vouches for exactly that; a spoilt copy is as unreadable as ever."""
    keeper = opening(Ready(MANY))
    sealed = await keeper.seal(admitted())
    await keeper.open_entry(ALICE, sealed)
    whole = getattr(sealed, part)
    spoilt = replace(sealed, **{part: whole[:-1] + bytes((whole[-1] ^ 1,))})
    with pytest.raises(UnreadableError):
        await keeper.open_entry(ALICE, spoilt)
    # A label that says otherwise, too; and the control.
    for label in (
        replace(sealed.label, trust=4),
        replace(sealed.label, version=2),
        replace(sealed.label, subject=SubjectId("bob")),
    ):
        with pytest.raises(UnreadableError):
            await keeper.open_entry(ALICE, replace(sealed, label=label))
    assert (await keeper.open_entry(ALICE, replace(sealed))).entities


async def test_it_is_nobody_elses() -> None:
    """Another subject who holds the very bytes is lent nothing."""
    keeper = opening(Ready(MANY))
    sealed = await keeper.seal(admitted())
    await keeper.open_entry(ALICE, sealed)
    await keeper.seal(admitted(BOB))
    with pytest.raises(UnreadableError):
        await keeper.open_entry(BOB, sealed)


@pytest.mark.requirement("S5")
@pytest.mark.parametrize("unit", ["subject", "tenant"])
async def test_it_goes_with_the_keys(unit: str) -> None:
    """After the keys are shredded nothing is lent, and nothing of it stays in memory."""
    ready, ring = Ready(MANY), keyring()
    keeper = opening(ready, ring)
    sealed = await keeper.seal(admitted())
    await keeper.open_entry(ALICE, sealed)
    if unit == "subject":
        await ring.shred_subject(ALICE)
    else:
        await ring.shred_tenant(ALICE.tenant)
    with pytest.raises(UnreadableError):
        await keeper.open_entry(ALICE, sealed)
    gc.collect()
    assert not any(ready._kept.values())


@pytest.mark.requirement("S5")
@pytest.mark.parametrize("state", [State.FORGOTTEN, State.REJECTED])
async def test_what_is_erased_is_let_go_of(state: State) -> None:
    """A memory that loses its content takes no room here; one that is only replaced does."""
    ready = Ready(MANY)
    keeper = opening(ready)
    sealed = await keeper.seal(admitted())
    await keeper.open_entry(ALICE, sealed)
    await keeper.relabel(sealed, state=State.SUPERSEDED, leaf=NEXT_LEAF, at=LATER)
    assert ready.bytes > 0
    await keeper.relabel(sealed, state=state, leaf=NEXT_LEAF, at=LATER)
    assert ready.bytes == 0


@pytest.mark.requirement("S6")
async def test_nothing_of_a_sealed_tenant_is_kept() -> None:
    """What is there goes at once, nothing comes, and an open tenant's stays; until it is opened."""
    ready = Ready(MANY)
    keeper = opening(ready)
    sealed = await keeper.seal(admitted())
    other = await keeper.seal(numbered(ALICE_ELSEWHERE, 1))
    await keeper.open_entry(ALICE, sealed)
    kept = await keeper.open_entry(ALICE_ELSEWHERE, other)
    ready.keep_apart(ALICE.tenant, apart=True)
    once, twice = [await keeper.open_entry(ALICE, sealed) for _ in range(2)]
    assert once is not twice
    assert await keeper.open_entry(ALICE_ELSEWHERE, other) is kept
    ready.keep_apart(ALICE.tenant, apart=False)
    once, twice = [await keeper.open_entry(ALICE, sealed) for _ in range(2)]
    assert once is twice


async def test_keys_read_again_lend_nothing_that_others_opened() -> None:
    """Keys that were let go of and read anew open it anew."""
    ready, ring = Ready(MANY), keyring()
    keeper = opening(ready, ring)
    sealed = await keeper.seal(admitted())
    first = await keeper.open_entry(ALICE, sealed)
    ring.invalidate(TenantId(ALICE.tenant))
    again = await keeper.open_entry(ALICE, sealed)
    assert again is not first
    assert again.entities == first.entities


async def test_the_bound_holds_and_the_latest_used_stay() -> None:
    """What was not asked for longest makes room; the bytes told are those of what is left."""
    one = opening(Ready(MANY))
    sealed = await one.seal(admitted())
    await one.open_entry(ALICE, sealed)
    ready = Ready(one.ready.bytes * 3)
    keeper = opening(ready)
    rows = [await keeper.seal(numbered(ALICE, number)) for number in range(4)]
    found = [await keeper.open_entry(ALICE, row) for row in rows[:3]]
    assert await keeper.open_entry(ALICE, rows[0]) is found[0]
    await keeper.open_entry(ALICE, rows[3])
    assert ready.bytes <= one.ready.bytes * 3
    assert await keeper.open_entry(ALICE, rows[0]) is found[0]
    assert await keeper.open_entry(ALICE, rows[1]) is not found[1]
    ready.drop(rows[0].label.id)
    assert await keeper.open_entry(ALICE, rows[0]) is not found[0]
