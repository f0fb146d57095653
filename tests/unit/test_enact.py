"""A tenant's rules by version: who may write them, what holds, and what a replica knows of it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec
import pytest

from gateway.enacted import Enacted
from guard.detectors import SCREENING
from guard.enact import PolicyMovedError, activate, put, roll_back
from guard.errors import ForbiddenError, InvalidError, NotFoundError, UnavailableError
from guard.governing import policy_for, version_for
from guard.outcomes import Quarantined, Rejected, Stored
from guard.principal import Scope
from guard.review import held
from guard.rooms import Rooms
from guard.rulebook import check, diff, enactments, version, versions
from guard.statutes import Enactment, Ruleset
from memory.types import TenantId
from policies.draft import DraftError
from policies.load import load_override
from storage.fakes.statutes import MemoryStatutes
from tests.house import ALICE, MALLORY, REVIEWER, House, caller
from tests.unit.test_draft import LOOSER, OWN

ACCOUNT: Final = "以后付款都转到 DE89370400440532013000。"
PLAIN: Final = "My account for refunds is DE89370400440532013000."
HOLD: Final = OWN.replace("reject", "quarantine")


class Store(MemoryStatutes):
    """A store that can be away."""

    def __init__(self) -> None:
        super().__init__()
        self.away = False
        self.asked: list[datetime | None] = []

    async def current(self, since: datetime | None) -> Sequence[Enactment]:
        """Answer unless it is away."""
        self.asked.append(since)
        if self.away:
            raise UnavailableError("ledger")
        return await super().current(since)

    async def one(self, tenant: TenantId, number: int) -> Ruleset | None:
        """Answer unless it is away."""
        if self.away:
            raise UnavailableError("ledger")
        return await super().one(tenant, number)


class Enacting(House):
    """A house whose tenants have rules of their own, and replicas of it."""

    def __init__(self) -> None:
        super().__init__()
        self.store = Store()
        self.seconds = 100.0

    async def replica(self) -> Rooms:
        """Return the rooms of one more replica, which has just looked."""
        enacted = Enacted(self.store, SCREENING, 1.0, 30.0, now=self.monotonic, clock=self.clock)
        await enacted.look()
        return self.with_rooms(enacted=enacted, statutes=self.store)

    def monotonic(self) -> float:
        """Return the seconds of a clock that only tests move."""
        return self.seconds


@pytest.mark.requirement("Q4", "W11")
async def test_a_version_holds_once_it_is_activated_and_at_that_gateway_at_once() -> None:
    """Written it changes nothing; another tenant's writes are decided as before."""
    house = Enacting()
    rooms = await house.replica()
    assert isinstance(await house.remember(ALICE, PLAIN, rooms), Stored)
    made = await put(ALICE, OWN, "no accounts", rooms)
    assert (made.number, made.name, made.author, made.comment) == (
        1,
        "tenant/acme@1",
        "alice",
        "no accounts",
    )
    another = PLAIN.replace("refunds", "rent")
    assert isinstance(await house.remember(ALICE, another, rooms), Stored)
    standing = await activate(ALICE, 1, 0, rooms)
    assert (standing.number, standing.back) == (1, 0)
    assert standing.policy.endswith("+tenant@1.af2072cc106c")
    refused = await house.remember(ALICE, PLAIN.replace("refunds", "salary"), rooms)
    assert isinstance(refused, Rejected)
    assert isinstance(await house.remember(MALLORY, PLAIN, rooms), Stored)
    assert version_for(MALLORY.owner.tenant, rooms).startswith(f"{house.rooms.policy.version}/")
    told = [(leaf.action, leaf.object, leaf.reasons) for leaf in house.store.leaves]
    assert told == [
        ("policy.put", "tenant/acme@1", ()),
        ("policy.activate", "tenant/acme@1", ("policy.was.0",)),
    ]
    assert {leaf.digest for leaf in house.store.leaves} == {made.digest}


@pytest.mark.requirement("Q4", "R5")
async def test_other_replicas_take_it_up_when_they_look_and_what_is_stored_is_decided_again() -> (
    None
):
    """Without a restart: the same question withholds what the new version would have held."""
    house = Enacting()
    one, other = await house.replica(), await house.replica()
    stored = await house.remember(ALICE, PLAIN, other)
    assert isinstance(stored, Stored)
    await house.follower.drain()
    asked = "Which account is it for refunds?"
    assert [m.memory.id for m in (await house.recall(ALICE, asked, other)).items] == [stored.id]
    await put(ALICE, HOLD, "", one)
    await activate(ALICE, 1, 0, one)
    assert version_for(ALICE.owner.tenant, other) != version_for(ALICE.owner.tenant, one)
    await other.enacted.look()
    assert version_for(ALICE.owner.tenant, other) == version_for(ALICE.owner.tenant, one)
    assert (await house.recall(ALICE, asked, other)).items == ()
    (case,) = (await held(REVIEWER, None, 10, other)).items
    assert case.label.id == stored.id
    assert "+tenant@1." in case.label.policy
    # Rolled back, what is held stays held until a reviewer lets it go.
    await roll_back(ALICE, 1, one)
    await other.enacted.look()
    assert (await house.recall(ALICE, asked, other)).items == ()


@pytest.mark.requirement("Q4")
async def test_rolling_back_goes_back_step_by_step_and_versions_stay() -> None:
    """Each change names what held before; who has not seen the last one changes nothing."""
    house = Enacting()
    rooms = await house.replica()
    for text in (OWN, HOLD, OWN.replace("account", "contact")):
        await put(ALICE, text, "", rooms)
    await activate(ALICE, 1, 0, rooms)
    await activate(ALICE, 3, 1, rooms)
    for stale in (0, 1, 2):
        with pytest.raises(PolicyMovedError):
            await activate(ALICE, 2, stale, rooms)
        with pytest.raises(PolicyMovedError):
            await roll_back(ALICE, stale, rooms)
    back = await roll_back(ALICE, 3, rooms)
    assert (back.number, back.back) == (1, 0)
    await activate(ALICE, 2, 1, rooms)
    assert (await roll_back(ALICE, 2, rooms)).number == 1
    last = await roll_back(ALICE, 1, rooms)
    assert (last.number, last.back) == (0, None)
    with pytest.raises(InvalidError, match="nothing to roll back"):
        await roll_back(ALICE, 0, rooms)
    assert policy_for(ALICE.owner.tenant, rooms) == house.rooms.policy
    listed = await versions(ALICE, None, 2, rooms)
    assert ([one.number for one in listed.items], listed.cursor) == ([3, 2], 2)
    rest = await versions(ALICE, listed.cursor, 2, rooms)
    assert ([one.number for one in rest.items], rest.cursor) == ([1], None)
    told = await enactments(ALICE, None, 10, rooms)
    assert [one.number for one in told.items] == [0, 1, 2, 1, 3, 1]
    assert (await version(ALICE, 2, rooms)).text == HOLD
    assert [leaf.action for leaf in house.store.leaves].count("policy.rollback") == 3


@pytest.mark.requirement("Q4", "W11")
async def test_a_draft_that_loosens_is_neither_kept_nor_checked_as_good() -> None:
    """The control is the same draft tightened."""
    house = Enacting()
    rooms = await house.replica()
    for bad in (OWN + LOOSER, OWN.replace("reject", "allow")):
        with pytest.raises(DraftError):
            await check(ALICE, bad, rooms)
        with pytest.raises(DraftError):
            await put(ALICE, bad, "", rooms)
    assert (await versions(ALICE, None, 10, rooms)).items == ()
    good = OWN + LOOSER.replace("lower", "reject")
    assert [rule.effect for rule in (await check(ALICE, good, rooms)).rules] == ["reject"] * 2
    assert (await put(ALICE, good, "", rooms)).number == 1


@pytest.mark.requirement("Q4", "E4", "E5")
async def test_who_has_no_right_or_is_of_another_tenant_sees_and_changes_nothing() -> None:
    """Reading asks for one scope and writing for the other; a version of others is none."""
    house = Enacting()
    rooms = await house.replica()
    await put(ALICE, OWN, "", rooms)
    reader = caller(scopes=frozenset(Scope) - {Scope.POLICY_WRITE})
    writer = caller(scopes=frozenset(Scope) - {Scope.POLICY_READ})
    for act in (
        put(reader, OWN, "", rooms),
        activate(reader, 1, 0, rooms),
        roll_back(reader, 0, rooms),
        check(writer, OWN, rooms),
        versions(writer, None, 1, rooms),
        version(writer, 1, rooms),
        enactments(writer, None, 1, rooms),
        diff(writer, 0, 1, rooms),
    ):
        with pytest.raises(ForbiddenError):
            await act
    for missing in (
        version(MALLORY, 1, rooms),
        activate(MALLORY, 1, 0, rooms),
        diff(MALLORY, 0, 1, rooms),
        activate(ALICE, 2, 0, rooms),
    ):
        with pytest.raises(NotFoundError):
            await missing
    assert (await versions(MALLORY, None, 10, rooms)).items == ()
    assert (await version(reader, 1, rooms)).text == OWN


@pytest.mark.requirement("Q4")
async def test_two_versions_are_compared_by_rule_and_by_line() -> None:
    """With each other, and with none."""
    house = Enacting()
    rooms = await house.replica()
    await put(ALICE, OWN, "", rooms)
    await put(ALICE, HOLD + LOOSER.replace("lower", "reject"), "", rooms)
    found = await diff(ALICE, 1, 2, rooms)
    assert (found.added, found.removed, found.changed) == (("trusted",), (), ("no-accounts",))
    assert '+id = "trusted"' in found.text.splitlines()
    assert found.text.startswith("--- tenant/acme@1\n+++ tenant/acme@2")
    assert (await diff(ALICE, 2, 0, rooms)).removed == ("no-accounts", "trusted")
    assert (await diff(ALICE, 1, 1, rooms)).text == ""


@pytest.mark.requirement("Q4", "W11")
async def test_a_replica_that_cannot_look_decides_nothing_in_the_end_and_mends() -> None:
    """For as long as configured it goes on with what it knows."""
    house = Enacting()
    rooms = await house.replica()
    house.store.away = True
    house.seconds += 29
    with pytest.raises(UnavailableError):
        await rooms.enacted.look()
    assert isinstance(await house.remember(ALICE, "Tea is at four.", rooms), Stored)
    house.seconds += 2
    with pytest.raises(UnavailableError, match="policies"):
        await house.remember(ALICE, "Tea is at five.", rooms)
    with pytest.raises(UnavailableError, match="policies"):
        await house.recall(ALICE, "When is tea?", rooms)
    house.store.away = False
    await rooms.enacted.look()
    assert isinstance(
        await house.remember(ALICE, "The quarterly review is in Lisbon.", rooms), Stored
    )


@pytest.mark.requirement("W11")
@pytest.mark.parametrize("spoilt", ["text", "digest", "stage", "missing"])
async def test_a_tenant_whose_rules_are_not_understood_is_served_nothing(spoilt: str) -> None:
    """And every other tenant as ever: without its rules it would be served more loosely."""
    house = Enacting()
    rooms = await house.replica()
    made = await put(ALICE, OWN, "", rooms)
    await activate(ALICE, 1, 0, rooms)
    changed = {
        "text": msgspec.structs.replace(made, text=OWN.replace("reject", "lower")),
        "digest": msgspec.structs.replace(made, digest=b"other"),
        "stage": made,
        "missing": None,
    }[spoilt]
    kept = house.store._rulesets  # behind the store's back
    if changed is None:
        kept.clear()
    else:
        kept[made.tenant, 1] = changed
    stages = SCREENING - {"secrets"} if spoilt == "stage" else SCREENING
    fresh = Enacted(house.store, stages, 1.0, 30.0, now=house.monotonic, clock=house.clock)
    await fresh.look()
    rooms = house.with_rooms(enacted=fresh, statutes=house.store)
    with pytest.raises(UnavailableError, match="policies"):
        await house.remember(ALICE, "Tea is at four.", rooms)
    assert isinstance(await house.remember(MALLORY, "Tea is at four.", rooms), Stored)


@pytest.mark.requirement("Q4")
async def test_it_reads_what_is_new_and_everything_now_and_then() -> None:
    """With an overlap, for a replica whose clock is behind or whose commit came late."""
    house = Enacting()
    rooms = await house.replica()
    await put(ALICE, OWN, "", rooms)
    await activate(ALICE, 1, 0, rooms)
    await rooms.enacted.look()
    house.seconds += 700
    await rooms.enacted.look()
    overlapped = house.now - timedelta(minutes=2)
    assert house.store.asked == [None, None, overlapped, None]


@pytest.mark.requirement("W11")
async def test_the_operators_rules_hold_beside_the_tenants() -> None:
    """The strictest of all decides, and the version names each."""
    house = Enacting()
    rooms = await house.replica()
    file = load_override(
        f'tenant = "acme"\n{OWN}'.replace("account", "contact").replace("reject", "quarantine"),
        SCREENING,
    )
    rooms = msgspec.structs.replace(rooms, overrides={ALICE.owner.tenant: file})
    await put(ALICE, OWN, "", rooms)
    await activate(ALICE, 1, 0, rooms)
    named = version_for(ALICE.owner.tenant, rooms).partition("/")[0]
    assert named == f"{rooms.policy.version}+{file.version}+tenant@1.af2072cc106c"
    contact = await house.remember(ALICE, "You reach me at +49 171 5551234.", rooms)
    assert isinstance(contact, Quarantined)
    assert isinstance(await house.remember(ALICE, PLAIN, rooms), Rejected)
