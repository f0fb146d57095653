"""Keys by owner: made on demand, one for all, never twice, gone when shredded."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from guard.errors import UnavailableError, UnreadableError
from memory.types import Owner, SubjectId, TenantId
from storage.fakes.keystore import MemoryKeyStore
from storage.keyring import Keyring, SubjectPurpose, TenantPurpose
from storage.keystore import KeyStoreSql
from storage.ports import KeyStore, WrappedKey
from storage.rootkey import RootKey
from tests.contracts.vault_builders import ALICE, ALICE_ELSEWHERE, BOB, ROOT, counted, keyring

OTHER_ROOT = bytes(range(200, 232))


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[KeyStore]:
    """Return an empty key store of each kind."""
    if request.param == "memory":
        yield MemoryKeyStore()
        return
    opened = await KeyStoreSql.open(tmp_path / "keys.db")
    yield opened
    await opened.close()


class Stuck(MemoryKeyStore):
    """A store in which every number is taken and destroyed before one gets there."""

    async def put_tenant(self, tenant: TenantId, key: WrappedKey) -> WrappedKey:
        """Answer that the number is gone already."""
        return await super().put_tenant(tenant, WrappedKey(key.number, b""))


class Slow(MemoryKeyStore):
    """A store whose answer to `subject_keys` can be held back after it was read."""

    def __init__(self) -> None:
        super().__init__()
        self.read = asyncio.Event()
        self.answer = asyncio.Event()
        self.answer.set()

    async def subject_keys(self, tenant: TenantId, subject: SubjectId) -> list[WrappedKey]:
        """Read, say so, and wait until the answer may leave."""
        rows = await super().subject_keys(tenant, subject)
        self.read.set()
        await self.answer.wait()
        return rows


@pytest.mark.requirement("S3")
async def test_keys_are_made_once_and_found_again(store: KeyStore) -> None:
    """A second keyring on the same store, with other entropy, has the same keys."""
    first = await keyring(store).subject(ALICE)
    elsewhere = Keyring(RootKey({1: ROOT}), store)
    second = await elsewhere.subject(ALICE)
    assert first.sealing(SubjectPurpose.CONTENT) == second.sealing(SubjectPurpose.CONTENT)
    assert first.newest == 1


@pytest.mark.requirement("S3")
async def test_concurrent_keyrings_agree(store: KeyStore) -> None:
    """Processes that all meet a new subject at once end up with one and the same key."""
    rings = [Keyring(RootKey({1: ROOT}), store) for _ in range(8)]
    keys = await asyncio.gather(*(ring.subject(ALICE) for ring in rings))
    assert len({each.sealing(SubjectPurpose.CONTENT) for each in keys}) == 1
    assert len(await store.subject_keys(ALICE.tenant, ALICE.subject)) == 1
    assert len(await store.tenant_keys(ALICE.tenant)) == 1


@pytest.mark.requirement("S3")
async def test_no_two_purposes_or_owners_share_a_key(store: KeyStore) -> None:
    """Every purpose of every tenant and subject has a key of its own."""
    ring = keyring(store)
    keys: list[bytes] = []
    for owner in (ALICE, BOB, ALICE_ELSEWHERE):
        subject = await ring.subject(owner)
        keys += [subject.key(1, purpose) for purpose in SubjectPurpose]
    for tenant in (ALICE.tenant, ALICE_ELSEWHERE.tenant):
        keys += [(await ring.tenant(tenant)).key(1, purpose) for purpose in TenantPurpose]
    assert len(set(keys)) == len(keys) == 3 * 19 + 2 * 3


@pytest.mark.requirement("S3")
async def test_reading_makes_no_keys(store: KeyStore) -> None:
    """Asking for keys that are not there is unreadable and leaves the store empty."""
    ring = keyring(store)
    with pytest.raises(UnreadableError):
        await ring.known_subject(ALICE, 1)
    with pytest.raises(UnreadableError):
        await ring.known_tenant(ALICE.tenant, 1)
    assert await store.subject_keys(ALICE.tenant, ALICE.subject) == []
    assert await store.tenant_keys(ALICE.tenant) == []


@pytest.mark.requirement("S5")
async def test_a_shredded_subject_gets_a_new_number(store: KeyStore) -> None:
    """After shredding the old number is unreadable for good and new data takes the next one."""
    ring = keyring(store)
    old = (await ring.subject(ALICE)).sealing(SubjectPurpose.CONTENT)
    assert await ring.shred_subject(ALICE) == 1
    with pytest.raises(UnreadableError):
        await ring.known_subject(ALICE, 1)

    new = (await ring.subject(ALICE)).sealing(SubjectPurpose.CONTENT)
    assert (old[0], new[0]) == (1, 2)
    assert old[1] != new[1]
    with pytest.raises(UnreadableError):
        await ring.known_subject(ALICE, 1)


@pytest.mark.requirement("S5")
async def test_a_shredded_tenant_gets_new_numbers_throughout(store: KeyStore) -> None:
    """Tenant and subjects both start at the next number; another tenant notices nothing."""
    ring = keyring(store)
    await ring.subject(ALICE)
    kept = (await ring.subject(ALICE_ELSEWHERE)).sealing(SubjectPurpose.CONTENT)
    assert await ring.shred_tenant(ALICE.tenant) == 2

    assert (await ring.subject(ALICE)).newest == 2
    assert (await ring.tenant(ALICE.tenant)).newest == 2
    assert (await ring.subject(ALICE_ELSEWHERE)).sealing(SubjectPurpose.CONTENT) == kept


@pytest.mark.requirement("S5")
async def test_another_process_that_is_told_forgets_too(store: KeyStore) -> None:
    """A cached key serves until `invalidate` names it; then the store is asked again."""
    here, there = keyring(store), keyring(store)
    await here.subject(ALICE)
    await there.subject(ALICE)
    await here.shred_subject(ALICE)

    assert 1 in await there.known_subject(ALICE, 1)
    there.invalidate(ALICE.tenant, ALICE.subject)
    with pytest.raises(UnreadableError):
        await there.known_subject(ALICE, 1)


@pytest.mark.requirement("S5")
async def test_a_read_under_way_does_not_bring_back_shredded_keys() -> None:
    """Keys read before a shredding and answered after it are not kept."""
    store = Slow()
    ring = keyring(store)
    await ring.subject(ALICE)
    ring.invalidate(ALICE.tenant)
    store.read.clear()
    store.answer.clear()
    reading = asyncio.create_task(ring.known_subject(ALICE, 1))
    await store.read.wait()
    await ring.shred_subject(ALICE)
    store.answer.set()
    assert 1 in await reading

    with pytest.raises(UnreadableError):
        await ring.known_subject(ALICE, 1)


@pytest.mark.requirement("S3")
async def test_a_subject_key_whose_tenant_key_is_gone_is_dead(store: KeyStore) -> None:
    """A key put just as its tenant was shredded counts as destroyed, and its number as used."""
    late = keyring(store)
    await late.subject(ALICE)
    (orphan,) = await store.subject_keys(ALICE.tenant, ALICE.subject)
    await store.shred_tenant(ALICE.tenant)
    await store.put_subject(ALICE.tenant, ALICE.subject, WrappedKey(2, orphan.wrapped))

    ring = keyring(store)
    assert (await ring.subject(ALICE)).newest == 3
    with pytest.raises(UnreadableError):
        await ring.known_subject(ALICE, 2)


@pytest.mark.requirement("S3")
@pytest.mark.parametrize("bit", [0, 8, 39, 40, 136, 400, 519])
async def test_a_tampered_key_is_unreadable_and_not_replaced(bit: int) -> None:
    """A flipped bit of a wrapped key stops reading and writing; no fresh key hides the damage."""
    intact = MemoryKeyStore()
    await keyring(intact).subject(ALICE)
    (tenant,) = await intact.tenant_keys(ALICE.tenant)
    (key,) = await intact.subject_keys(ALICE.tenant, ALICE.subject)
    flipped = bytearray(key.wrapped)
    flipped[bit // 8] ^= 1 << bit % 8

    for wrapped, readable in ((key.wrapped, True), (bytes(flipped), False)):
        store = MemoryKeyStore()
        await store.put_tenant(ALICE.tenant, tenant)
        await store.put_subject(ALICE.tenant, ALICE.subject, WrappedKey(1, wrapped))
        if readable:
            assert (await keyring(store).subject(ALICE)).newest == 1
            continue
        with pytest.raises(UnreadableError):
            await keyring(store).subject(ALICE)
        assert len(await store.subject_keys(ALICE.tenant, ALICE.subject)) == 1


@pytest.mark.requirement("S3")
@pytest.mark.parametrize(("owner", "number"), [(BOB, 1), (ALICE_ELSEWHERE, 1), (ALICE, 2)], ids=str)
async def test_a_wrapped_key_fits_only_its_place(owner: Owner, number: int) -> None:
    """A wrapped key copied to another subject, tenant or number does not unwrap there."""
    store = MemoryKeyStore()
    await keyring(store).subject(ALICE)
    await keyring(store).tenant(owner.tenant)
    (key,) = await store.subject_keys(ALICE.tenant, ALICE.subject)
    await store.put_subject(
        owner.tenant, owner.subject, msgspec.structs.replace(key, number=number)
    )
    with pytest.raises(UnreadableError):
        await keyring(store).subject(owner)


@pytest.mark.requirement("S3")
async def test_another_root_key_is_noticed_at_the_start(store: KeyStore) -> None:
    """`prove_root` holds for the root key that the store was made with and for no other."""
    await keyring(store).prove_root()
    await keyring(store).prove_root()
    with pytest.raises(UnreadableError):
        await Keyring(RootKey({1: OTHER_ROOT}), store).prove_root()
    with pytest.raises(UnreadableError):
        await Keyring(RootKey({2: ROOT}), store).prove_root()


@pytest.mark.requirement("S3")
async def test_old_root_keys_still_unwrap_and_the_newest_wraps(store: KeyStore) -> None:
    """With a second root key added, old tenants stay readable and new ones need the new key."""
    before = (await keyring(store).subject(ALICE)).sealing(SubjectPurpose.CONTENT)
    both = Keyring(RootKey({1: ROOT, 2: OTHER_ROOT}), store, entropy=counted())
    assert (await both.subject(ALICE)).sealing(SubjectPurpose.CONTENT) == before
    await both.subject(ALICE_ELSEWHERE)
    with pytest.raises(UnreadableError):
        await keyring(store).subject(ALICE_ELSEWHERE)
    assert (await Keyring(RootKey({2: OTHER_ROOT}), store).subject(ALICE_ELSEWHERE)).newest == 1


@pytest.mark.requirement("S3")
async def test_the_cache_is_bounded(store: KeyStore) -> None:
    """The least recently used subjects leave first, and come back unchanged from the store."""
    ring = keyring(store, subjects=2)
    owners = [Owner(ALICE.tenant, SubjectId(f"subject-{n}")) for n in range(4)]
    before = [(await ring.subject(owner)).sealing(SubjectPurpose.CONTENT) for owner in owners]
    assert len(ring._subjects._kept) == 2
    after = [(await ring.subject(owner)).sealing(SubjectPurpose.CONTENT) for owner in owners]
    assert before == after


async def test_a_store_that_gives_no_number_is_unavailable() -> None:
    """The keyring gives up after some attempts instead of spinning."""
    with pytest.raises(UnavailableError):
        await keyring(Stuck()).subject(ALICE)


async def test_keys_show_only_their_numbers(store: KeyStore) -> None:
    """The text form of keys names numbers, never bytes."""
    assert repr(await keyring(store).subject(ALICE)) == "Keys(subject, numbers=[1])"
