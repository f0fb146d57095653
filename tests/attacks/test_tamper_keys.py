"""A key store that someone edited opens nothing wrong, and gives no number twice."""

import secrets
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from guard.errors import UnreadableError
from guard.nouns import Draft
from guard.principal import Principal
from memory.types import MemoryId, SubjectId, TenantId
from storage.fakes.keystore import MemoryKeyStore
from storage.keyring import Keyring, SubjectKeys, SubjectPurpose
from storage.rootkey import RootKey
from tests.attacks.tamper import Columns, Site, text
from tests.house import caller

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Keyed:
    """Three subjects of a tenant with a memory each, and their rows of the key store."""

    def __init__(self, site: Site, tenant: TenantId) -> None:
        self.site = site
        self.tenant = tenant
        self.alice, self.bob, self.carol = (
            caller(name, tenant) for name in ("alice", "bob", "carol")
        )
        self.ids: dict[str, MemoryId] = {}

    async def filled(self) -> "Keyed":
        """Write one memory each, and make sure that each is shown."""
        for number, who in enumerate((self.alice, self.bob, self.carol)):
            (self.ids[who.owner.subject],) = await self.site.shelves(who, number)
            await self.open(who)
        return self

    async def open(self, who: Principal) -> None:
        """Make sure that a subject is shown his memory, with keys read anew."""
        self.restarted()
        answer = await self.site.ask(who)
        assert (answer.shown, answer.withheld) == ({self.ids[who.owner.subject]}, {})

    async def shut(self, who: Principal) -> None:
        """Make sure that nothing is read or written for a subject, and that no key is made."""
        self.restarted()
        before = self.stored()
        await self.site.journal.flush()
        head = await self.site.keep.audit.head(self.tenant)
        for _ in range(2):
            with pytest.raises(UnreadableError):
                await self.site.ask(who)
            with pytest.raises(UnreadableError):
                await self.site.remember(who, Draft(text(9)))
        await self.site.journal.flush()
        assert await self.site.keep.audit.head(self.tenant) == head  # the documented silence
        assert not await self.site.fetched(who, self.ids[who.owner.subject])
        assert self.stored() == before

    def restarted(self) -> None:
        """Forget every key in memory, as a restart does."""
        self.site.keep.keyring.invalidate(self.tenant)

    def stored(self) -> list[Columns]:
        """Return the tenant's key rows, its own and its subjects'."""
        return [
            dict(zip(("subject", "number", "wrapped"), row, strict=True))
            for row in self.site.select(
                "SELECT subject, number, wrapped FROM subject_keys WHERE tenant = ?"
                " UNION SELECT '', number, wrapped FROM tenant_keys WHERE tenant = ?"
                " ORDER BY 1, 2",
                self.tenant,
                self.tenant,
                file=self.site.keys_file,
            )
        ]

    def edit(self, sql: str, *values: object) -> None:
        """Change the key store behind its back."""
        self.site.edit(sql, *values, file=self.site.keys_file)


@pytest_asyncio.fixture(loop_scope="session")
async def keyed(site: Site, tenant: TenantId) -> AsyncIterator[Keyed]:
    """Lend three subjects with keys."""
    yield await Keyed(site, tenant).filled()


_PUT = "UPDATE subject_keys SET wrapped = ? WHERE tenant = ? AND subject = ?"


@pytest.mark.requirement("S3")
async def test_two_subjects_cannot_exchange_their_keys(keyed: Keyed) -> None:
    """A wrapped key is bound to its subject: both are shut, the third is not, and none is lost."""
    wrapped = {row["subject"]: row["wrapped"] for row in keyed.stored()}
    keyed.edit(_PUT, wrapped["bob"], keyed.tenant, "alice")
    keyed.edit(_PUT, wrapped["alice"], keyed.tenant, "bob")
    await keyed.shut(keyed.alice)
    await keyed.shut(keyed.bob)
    await keyed.open(keyed.carol)
    for name in ("alice", "bob"):
        keyed.edit(_PUT, wrapped[name], keyed.tenant, name)
    await keyed.open(keyed.alice)
    await keyed.open(keyed.bob)


@pytest.mark.requirement("S3")
async def test_no_byte_of_a_wrapped_key_can_change(keyed: Keyed) -> None:
    """Version, key number, nonce, cipher text and tag: a flipped byte shuts its subject alone."""
    wrapped = {row["subject"]: row["wrapped"] for row in keyed.stored()}["alice"]
    for at in range(len(wrapped)):
        flipped = bytearray(wrapped)
        flipped[at] ^= 1 << at % 8
        keyed.edit(_PUT, bytes(flipped), keyed.tenant, "alice")
        keyed.restarted()
        with pytest.raises(UnreadableError):
            await keyed.site.keep.keyring.subject(keyed.alice.owner)
    await keyed.shut(keyed.alice)
    await keyed.open(keyed.carol)
    keyed.edit(_PUT, wrapped, keyed.tenant, "alice")
    await keyed.open(keyed.alice)


@pytest.mark.requirement("S3")
async def test_a_deleted_key_is_not_made_anew_under_its_number(keyed: Keyed) -> None:
    """Who has written must have a key: its loss is refused, not taken for somebody new."""
    (lost,) = (row for row in keyed.stored() if row["subject"] == "alice")
    keyed.edit("DELETE FROM subject_keys WHERE tenant = ? AND subject = 'alice'", keyed.tenant)
    await keyed.shut(keyed.alice)
    await keyed.open(keyed.bob)
    keyed.edit(
        "INSERT INTO subject_keys (tenant, subject, number, wrapped) VALUES (?, 'alice', ?, ?)",
        keyed.tenant,
        lost["number"],
        lost["wrapped"],
    )
    await keyed.open(keyed.alice)


@pytest.mark.requirement("S3")
async def test_a_deleted_tenant_key_is_not_made_anew_under_its_number(keyed: Keyed) -> None:
    """Not for a subject that is new either; another tenant goes on."""
    (lost,) = (row for row in keyed.stored() if not row["subject"])
    keyed.edit("DELETE FROM tenant_keys WHERE tenant = ?", keyed.tenant)
    await keyed.shut(keyed.alice)
    keyed.restarted()
    with pytest.raises(UnreadableError):
        await keyed.site.remember(caller("dave", keyed.tenant), text(9))
    await Keyed(keyed.site, keyed.site.new_tenant()).filled()
    keyed.edit(
        "INSERT INTO tenant_keys (tenant, number, wrapped) VALUES (?, ?, ?)",
        keyed.tenant,
        lost["number"],
        lost["wrapped"],
    )
    await keyed.open(keyed.alice)
    await keyed.site.remember(caller("dave", keyed.tenant), text(9))


@pytest.mark.requirement("S3")
async def test_another_tenants_key_is_no_key(keyed: Keyed) -> None:
    """A subject's key row put under a subject of the same name elsewhere shuts that one."""
    other = await Keyed(keyed.site, keyed.site.new_tenant()).filled()
    wrapped = {row["subject"]: row["wrapped"] for row in keyed.stored()}["alice"]
    other.edit(_PUT, wrapped, other.tenant, "alice")
    await other.shut(other.alice)
    await other.open(other.bob)
    await keyed.open(keyed.alice)


@pytest.mark.requirement("S3")
async def test_a_key_that_another_process_made_meanwhile_is_not_taken_for_lost() -> None:
    """It made the key and wrote with it between our look at the keys and our look at the ledger."""
    owner = caller("erin", "elsewhere").owner
    store, root = MemoryKeyStore(), RootKey.from_bytes(secrets.token_bytes(32))
    theirs: list[SubjectKeys] = []

    async def written(_tenant: TenantId, subject: SubjectId | None) -> bool:
        if subject is not None and not theirs:
            theirs.append(await Keyring(root, store).subject(owner))
        return bool(theirs)

    ours = await Keyring(root, store, written=written).subject(owner)
    (other,) = theirs
    assert ours.sealing(SubjectPurpose.CONTENT) == other.sealing(SubjectPurpose.CONTENT)
