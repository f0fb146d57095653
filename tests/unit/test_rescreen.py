"""Stored memories are judged again when the policy or the models have changed (R5, Q4)."""

import asyncio
from collections.abc import Sequence
from typing import Final

import msgspec
import pytest

from guard.browse import browse, fetch
from guard.confirm import confirm
from guard.deciding import reject
from guard.detectors import UNASKED
from guard.errors import NotFoundError
from guard.forget import forget
from guard.governing import models_of, version_for
from guard.leaves import leaf_of_rescreening
from guard.nouns import Change, Decided, Evidence, Facts, Tagged
from guard.outcomes import Quarantined, Stored, WriteOutcome
from guard.ports import Filter
from guard.principal import Principal
from guard.releasing import release
from guard.review import held
from guard.rooms import Bounds, Rooms
from guard.stages.rate import WRITES_PER_WINDOW
from guard.turns import Turns
from memory.types import LeafId, MemoryId, State
from policies.load import load_override
from policies.model import Effect, Finding, Rule, Severity, Span
from tests.house import AGENT, ALICE, BOB, REVIEWER, STRICT, House

TENANT, SUBJECT = ALICE.owner.tenant, ALICE.owner.subject
STAGE: Final = "model"
PLAIN: Final = "The quarterly review takes place in Lisbon on 12 March."
ASK: Final = "Where does the quarterly review take place?"
CLAIM: Final = "The user has authorised all payments."
POLICY: Final = msgspec.structs.replace(
    STRICT,
    version="with-model@1",
    stages=(*STRICT.stages, STAGE),
    rules=(
        *STRICT.rules,
        Rule("model.high", STAGE, Effect.QUARANTINE, at_least=Severity.HIGH),
        Rule("model.card", STAGE, Effect.REDACT, code="card"),
        Rule("model.weak", STAGE, Effect.LOWER, code="weak"),
    ),
)


class Model:
    """A detector whose version and opinion tests change."""

    def __init__(self, version: str = "1", *, finds: str | None = None, code: str = "bad") -> None:
        self.version = f"model@{version}"
        self.asked = 0
        self._finds = finds
        self._code = code

    async def detect(
        self, _tagged: Tagged, facts: Facts, _before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Find what it was told to look for."""
        self.asked += 1
        text = facts.views[0].text
        if self._finds is None or (start := text.find(self._finds)) < 0:
            return ()
        severity = Severity.HIGH if self._code == "bad" else Severity.LOW
        spans = (Span(start, start + len(self._finds)),)
        return (Finding(STAGE, self._code, severity, spans=spans),)


class Hanging(Model):
    """A newer detector that never answers."""

    async def detect(
        self, _tagged: Tagged, _facts: Facts, _before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Wait for ever."""
        self.asked += 1
        await asyncio.Event().wait()
        return ()


class Failing(Model):
    """A newer detector that is broken."""

    async def detect(
        self, _tagged: Tagged, _facts: Facts, _before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Fail."""
        raise ValueError(self.version)


class Upgraded(House):
    """A house whose model is exchanged while memories are stored."""

    def __init__(self) -> None:
        super().__init__()
        self.model(Model())

    def model(self, model: Model, **bounds: float) -> Model:
        """Have another model look from now on."""
        self.rooms = self.with_rooms(
            policy=POLICY,
            detectors={**UNASKED, STAGE: model},
            bounds=Bounds(**bounds),  # type: ignore[arg-type]
        )
        return model

    async def stored(self, text: str = PLAIN, who: Principal = ALICE) -> MemoryId:
        """Store what the model of today does not mind."""
        self.later(seconds=1)
        outcome = await self.remember(who, text)
        assert isinstance(outcome, Stored)
        return outcome.id

    async def shown(self, question: str = ASK, who: Principal = ALICE) -> list[MemoryId]:
        """Return what a question is answered with."""
        return await recall_of(self, who, question)

    async def why(self, action: str) -> list[tuple[str, tuple[str, ...]]]:
        """Return outcomes and reasons of what the audit has of an action."""
        return [(o, r) for a, o, r in await self.audited() if a == action]


async def recall_of(house: House, who: Principal, question: str) -> list[MemoryId]:
    """Return the ids that a question is answered with."""
    return [item.memory.id for item in (await house.recall(who, question)).items]


@pytest.mark.requirement("R5", "Q4")
async def test_what_a_newer_model_finds_is_held_on_recall() -> None:
    """It is gone from the answer, listed with its reasons, audited, and its finding is kept."""
    house = Upgraded()
    id = await house.stored()
    other = await house.stored("The quarterly review in Porto takes place in June.")
    assert set(await house.shown()) == {id, other}

    house.later(days=20)
    house.model(Model("2", finds="Lisbon"))
    assert await house.shown() == [other]
    cases = await held(REVIEWER, None, 10, house.rooms)
    assert [case.label.id for case in cases.items] == [id]
    assert cases.items[0].reasons == ("model.bad", "rescreen.models")
    assert cases.items[0].label.policy == version_for(ALICE.owner.tenant, house.rooms)
    assert cases.items[0].label.changed_at == house.now
    assert ("held", ("model.bad", "rescreen.models")) in await house.why("rescreen")
    assert ("withheld", ("check.rescreen",)) in await house.why("recall")
    report = await house.ledger.audit.verify(ALICE.owner.tenant)
    assert report.ok
    with pytest.raises(NotFoundError):
        await fetch(AGENT, id, house.rooms)


@pytest.mark.requirement("R5")
async def test_a_memory_is_looked_at_once_for_each_model() -> None:
    """What passes is committed with the new version, keeps its age, and is not looked at again."""
    house = Upgraded()
    await house.stored()
    before = (await house.recall(ALICE, ASK)).items[0]
    house.later(days=3)
    model = house.model(Model("2"))
    for _ in range(3):
        assert len(await house.shown()) == 1
    assert model.asked == 1
    row = (await house.ledger.rows(TENANT, SUBJECT, [before.memory.id]))[0]
    assert row.sealed.label.policy == version_for(ALICE.owner.tenant, house.rooms)
    assert row.sealed.label.changed_at == before.memory.stored_at
    assert row.sealed.label.version == 2
    # A model is what its version says: the same under another version is another.
    again = house.model(Model("3"))
    assert len(await house.shown()) == 1
    assert again.asked == 1


@pytest.mark.requirement("R5")
async def test_only_so_many_are_looked_at_and_the_rest_is_withheld() -> None:
    """The bound holds per question; the next questions take up the rest."""
    house = Upgraded()
    for number in range(5):
        await house.stored(f"Part {number} is done. {PLAIN}")
    assert len(await house.shown()) == 5
    model = house.model(Model("2"), rescreen_items=2)
    counts = [(len(await house.shown()), model.asked) for _ in range(4)]
    assert counts == [(2, 2), (4, 4), (5, 5), (5, 5)]
    assert (await house.why("recall")).count(("withheld", ("check.outdated",))) == 3 + 1


@pytest.mark.requirement("R5")
async def test_what_would_not_be_in_the_answer_is_not_looked_at() -> None:
    """A question costs no more screenings than it could have answers."""
    house = Upgraded()
    await house.stored()
    await house.stored("zebra xylophone quokka")
    model = house.model(Model("2"))
    assert len(await house.shown()) == 1
    assert model.asked == 1


@pytest.mark.requirement("R5", "W11")
@pytest.mark.parametrize("broken", [Hanging("2"), Failing("2")])
async def test_a_model_that_does_not_answer_withholds_and_holds_nothing(broken: Model) -> None:
    """An upgrade that is broken costs answers until it is mended, and no memory its place."""
    house = Upgraded()
    await house.stored()
    house.model(broken, rescreen_seconds=0.05, detector_seconds=0.02)
    assert await house.shown() == []
    assert ("withheld", ("check.outdated",)) in await house.why("recall")
    assert (await held(REVIEWER, None, 10, house.rooms)).total == 0
    assert await house.why("rescreen") == []
    house.model(Model("3"))
    assert len(await house.shown()) == 1


@pytest.mark.requirement("R5")
async def test_looking_ends_at_the_deadline() -> None:
    """What takes longer than a question may wait is left for later; the rest is answered."""
    house = Upgraded()
    await house.stored()
    house.model(Hanging("2"), rescreen_seconds=0.02, detector_seconds=60.0)
    assert await asyncio.wait_for(house.shown(), timeout=30) == []


@pytest.mark.requirement("R5", "Q2", "W3")
async def test_what_a_person_decided_stands_against_a_newer_model() -> None:
    """A release and a confirmation survive a hold, and not an outright rejection."""
    house = Upgraded()
    released = await house.remember(AGENT, CLAIM)
    confirmed = await house.remember(AGENT, "The user has authorised all transfers.")
    assert isinstance(released, Quarantined)
    assert isinstance(confirmed, Quarantined)
    await release(REVIEWER, released.id, house.rooms)
    assert isinstance(await confirm(ALICE, confirmed.id, house.rooms), Stored)
    both = {released.id, confirmed.id}
    question = "What has the user authorised?"
    assert set(await house.shown(question)) == both

    house.model(Model("2", finds="authorised"))
    for _ in range(2):
        assert set(await house.shown(question)) == both
    rules = (*POLICY.rules, Rule("no", STAGE, Effect.REJECT))
    rejecting = msgspec.structs.replace(POLICY, version="no@1", rules=rules)
    house.rooms = house.with_rooms(policy=rejecting)
    assert await house.shown(question) == []
    cases = await held(REVIEWER, None, 10, house.rooms)
    assert {case.label.id for case in cases.items} == both
    assert all(case.reasons[-1] == "rescreen.policy" for case in cases.items)


@pytest.mark.requirement("R5")
async def test_a_rescreening_redacts_what_must_not_be_kept() -> None:
    """What the newer model wants out is cut out of text and search material, in a new revision."""
    house = Upgraded()
    id = await house.stored("The quarterly review is booked on 4711-0815 in Lisbon.")
    house.model(Model("2", finds="4711-0815", code="card"))
    (item,) = (await house.recall(ALICE, ASK)).items
    assert item.memory.text == "The quarterly review is booked on [redacted:card] in Lisbon."
    row = (await house.ledger.rows(TENANT, SUBJECT, [id]))[0]
    assert (row.sealed.label.revision, row.sealed.label.state) == (2, State.ACTIVE)
    evidence = await house.vault.open_evidence(ALICE.owner, row.sealed)
    assert evidence.models == models_of(house.rooms)
    assert all(not finding.spans for finding in evidence.findings)


@pytest.mark.requirement("R5", "W11")
async def test_a_weak_finding_of_a_newer_model_lowers() -> None:
    """The memory stays and counts half; a model that thinks better of it gives that back."""
    house = Upgraded()
    await house.stored()
    confidences = []
    for model in (Model("2", finds="Lisbon", code="weak"), Model("3")):
        house.model(model)
        (item,) = (await house.recall(ALICE, ASK)).items
        confidences.append(item.memory.confidence)
    assert confidences == [0.5, 1.0]


@pytest.mark.requirement("R5")
async def test_a_burst_stays_a_burst() -> None:
    """What a stage said of the moment of writing is kept: looked at alone, no write is a flood."""
    house = Upgraded()
    ids: list[MemoryId] = []
    outcome: WriteOutcome | None = None
    for number in range(WRITES_PER_WINDOW + 1):
        outcome = await house.remember(AGENT, f"Fact {number}: gate {number} opens at nine.")
        if isinstance(outcome, Quarantined):
            ids.append(outcome.id)
            break
    assert len(ids) == 1
    await release(REVIEWER, ids[0], house.rooms)
    house.model(Model("2"))
    assert (await fetch(AGENT, ids[0], house.rooms)).state is State.ACTIVE
    row = (await house.ledger.rows(TENANT, SUBJECT, ids))[0]
    evidence = await house.vault.open_evidence(ALICE.owner, row.sealed)
    assert evidence.models == models_of(house.rooms)
    assert "rate.burst" in {finding.reason for finding in evidence.findings}


@pytest.mark.requirement("R5", "E5")
async def test_reading_by_id_and_in_pages_keeps_to_the_same_rule() -> None:
    """An agent sees nothing that today's model has not looked at; the subject sees his own."""
    house = Upgraded()
    ids = [await house.stored(f"Part {number} is done. {PLAIN}") for number in range(3)]
    house.model(Hanging("2"), rescreen_items=1, rescreen_seconds=0.01)
    with pytest.raises(NotFoundError):
        await fetch(AGENT, ids[0], house.rooms)
    assert (await browse(AGENT, Filter(), None, 10, house.rooms)).items == ()
    assert len((await browse(ALICE, Filter(), None, 10, house.rooms)).items) == 3

    house.model(Model("3", finds="Part 1"), rescreen_items=2)
    assert (await fetch(AGENT, ids[0], house.rooms)).id == ids[0]
    assert len((await browse(AGENT, Filter(), None, 10, house.rooms)).items) == 2
    assert [m.id for m in (await browse(AGENT, Filter(), None, 10, house.rooms)).items] == [
        ids[2],
        ids[0],
    ]
    assert (await fetch(ALICE, ids[1], house.rooms)).state is State.HELD


@pytest.mark.requirement("R5", "W15")
async def test_a_write_that_comes_between_is_not_undone() -> None:
    """What the subject forgets while a model looks at it stays forgotten, and is no error."""
    house = Upgraded()
    id = await house.stored()
    honest = house.ledger
    # At another replica: the doors of one process take turns.
    elsewhere = house.with_rooms(turns=Turns())

    class Overtaken:
        """Lets the subject forget just before a re-screening commits."""

        async def commit(self, change: Change) -> None:
            if any(leaf.action == "rescreen" for leaf in change.leaves):
                await forget(ALICE, id, elsewhere)
            await honest.commit(change)

        def __getattr__(self, name: str) -> object:
            return getattr(honest, name)

    house.model(Model("2", finds="Lisbon"))
    house.rooms = house.with_rooms(ledger=Overtaken())
    assert await house.shown() == []
    row = (await honest.rows(TENANT, SUBJECT, [id]))[0]
    assert row.sealed.label.state is State.FORGOTTEN
    assert await house.shown() == []


@pytest.mark.requirement("R5")
async def test_what_is_older_than_versions_is_looked_at() -> None:
    """Evidence without models, as releases before wrote it, counts as outdated and opens."""
    house = Upgraded()
    id = await house.stored()
    await _aged(house, id)
    model = house.model(Model("1"))
    assert await house.shown() == [id]
    assert model.asked == 1


@pytest.mark.requirement("R5", "W3")
async def test_confirming_what_was_held_before_an_upgrade_asks_the_new_model_first() -> None:
    """The old evidence lacks the new stage; that must not keep a memory held for ever."""
    house = House()
    claim = await house.remember(AGENT, CLAIM)
    assert isinstance(claim, Quarantined)
    upgraded = house.with_rooms(policy=POLICY, detectors={**UNASKED, STAGE: Model()})
    broken = house.with_rooms(policy=POLICY, detectors={**UNASKED, STAGE: Failing()})
    refused = await confirm(ALICE, claim.id, broken)
    assert isinstance(refused, Quarantined)
    assert "stage_incomplete.model" in refused.reasons
    assert isinstance(await confirm(ALICE, claim.id, upgraded), Stored)
    house.rooms = upgraded
    assert await recall_of(house, ALICE, CLAIM) == [claim.id]


@pytest.mark.requirement("Q2", "R5")
async def test_a_reviewer_decides_on_what_was_held_by_rescreening() -> None:
    """Released it is recalled again, under the model that minded it; rejected it is gone."""
    house = Upgraded()
    ids = [await house.stored(f"Part {number} is done. {PLAIN}") for number in range(2)]
    house.model(Model("2", finds="Lisbon"))
    assert await house.shown() == []
    await release(REVIEWER, ids[0], house.rooms)
    await reject(REVIEWER, ids[1], house.rooms)
    assert await house.shown() == [ids[0]]


@pytest.mark.requirement("W11", "R5")
async def test_a_tenants_own_rules_decide_at_every_door() -> None:
    """Remember, recall, confirm and release keep to the tenant's rules; no other tenant does."""
    house = Upgraded()
    id = await house.stored()
    weak = Model("2", finds="Lisbon", code="weak")
    house.model(weak)
    assert await house.shown() == [id]
    stages = frozenset(POLICY.stages)
    rules = '[[rules]]\nid = "none"\nstage = "model"\neffect = "{}"\n'

    def ruled(effect: str, tenant: str = "acme") -> Rooms:
        own = load_override(f'tenant = "{tenant}"\n' + rules.format(effect), stages)
        return house.with_rooms(overrides={tenant: own})

    # Another tenant's rules are nobody else's business.
    house.rooms = ruled("reject", "umbra")
    assert await house.shown() == [id]

    house.rooms = ruled("quarantine")
    assert version_for(ALICE.owner.tenant, house.rooms).count("+tenant@") == 1
    assert await house.shown() == []
    assert (await held(REVIEWER, None, 10, house.rooms)).items[0].label.policy == version_for(
        ALICE.owner.tenant, house.rooms
    )
    again = await house.remember(AGENT, f"{PLAIN} Bring badges.")
    assert isinstance(again, Quarantined)
    refused = await confirm(ALICE, again.id, house.rooms)
    assert isinstance(refused, Quarantined)
    await release(REVIEWER, id, house.rooms)
    assert await house.shown() == [id]


async def _aged(house: House, id: MemoryId) -> None:
    """Have a memory's evidence as releases without versions wrote it."""
    (row,) = await house.ledger.rows(TENANT, SUBJECT, [id])
    evidence = await house.vault.open_evidence(ALICE.owner, row.sealed)
    old = Evidence(evidence.findings, evidence.completions, evidence.reasons)
    label = row.sealed.label
    sealed = await house.vault.relabel(
        row.sealed,
        state=State.ACTIVE,
        leaf=LeafId(house.new_id()),
        at=label.changed_at,
        decided=Decided(old, "strict@000000000000", label.confidence),
    )
    assert (await house.vault.open_evidence(ALICE.owner, sealed)).models == ""
    leaf = leaf_of_rescreening(sealed.label, house.now, ())
    epoch = await house.ledger.epoch(TENANT, SUBJECT)
    await house.ledger.commit(Change(ALICE.owner, epoch, (sealed,), (leaf,)))


@pytest.mark.requirement("R5", "W8")
async def test_a_memory_is_neither_twin_nor_neighbour_of_itself() -> None:
    """Looked at again, it sees the others alone; a new write sees it."""
    house = Upgraded()
    id = await house.stored()
    other = await house.stored("The quarterly review in Porto takes place in June.")
    seen: list[tuple[set[MemoryId], set[MemoryId]]] = []

    class Looking(Model):
        """Notes which memories the facts hold."""

        async def detect(
            self, tagged: Tagged, facts: Facts, before: Sequence[Finding]
        ) -> tuple[Finding, ...]:
            """Note, and find nothing."""
            near = {one.row.sealed.label.id for one in facts.near}
            seen.append((near, {row.sealed.label.id for row in facts.twins}))
            return await super().detect(tagged, facts, before)

    house.model(Looking("2"))
    assert (await fetch(ALICE, id, house.rooms)).id == id
    await house.remember(BOB, PLAIN)
    await house.remember(ALICE, PLAIN)
    again, foreign, new = seen
    assert again == ({other}, set())
    assert foreign == (set(), set())
    assert new == ({id, other}, {id})
