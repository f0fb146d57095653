"""What holds for every policy, however it is written."""

import random

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from policies.decide import decide, effect_of, to_redact
from policies.load import load_override, tightened
from policies.model import (
    Completion,
    Effect,
    Enforcement,
    Finding,
    Policy,
    Rule,
    Severity,
    Status,
)

STAGES = ("alpha", "beta", "gamma")
ORDER = tuple(Effect)

effects = st.sampled_from(Effect)
trusts = st.integers(0, 4)
findings = st.lists(
    st.builds(
        Finding,
        st.sampled_from(STAGES),
        st.sampled_from(["one", "two"]),
        st.sampled_from(Severity),
        score=st.none() | st.floats(0, 1),
    ),
    max_size=6,
)


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """Return any rule over the known stages."""
    low, high = sorted((draw(trusts), draw(trusts)))
    return Rule(
        id=draw(st.sampled_from(["a", "b", "c", "d"])),
        stage=draw(st.sampled_from(STAGES)),
        effect=draw(effects),
        code=draw(st.sampled_from(["*", "one", "two"])),
        at_least=draw(st.sampled_from(Severity)),
        min_trust=low,
        max_trust=high,
    )


policies = st.builds(
    Policy,
    name=st.just("p"),
    version=st.just("p@0"),
    stages=st.just(STAGES),
    rules=st.lists(rules(), min_size=1, max_size=8).map(tuple),
    otherwise=effects,
    enforcement=st.sampled_from(Enforcement),
)


@st.composite
def overrides(draw: st.DrawFn) -> str:
    """Return any tenant's file over the known stages."""
    lines = ['tenant = "acme"']
    for number, rule in enumerate(draw(st.lists(rules(), min_size=1, max_size=6))):
        lines += [
            "[[rules]]",
            f'id = "r{number}"',
            f'stage = "{rule.stage}"',
            f'code = "{rule.code}"',
            f'effect = "{rule.effect}"',
            f'at_least = "{rule.at_least.name.lower()}"',
            f"at_score = {draw(st.sampled_from([0.0, 0.5, 1.0]))}",
            f"min_trust = {rule.min_trust}",
            f"max_trust = {rule.max_trust}",
        ]
    return "\n".join(lines)


DONE = tuple(Completion(stage, Status.DONE) for stage in STAGES)
broken = st.builds(
    Completion, st.sampled_from(STAGES), st.sampled_from([Status.FAILED, Status.LATE])
)


def strictness(effect: Effect) -> int:
    """Return how strict an effect is."""
    return ORDER.index(effect)


@pytest.mark.requirement("W11")
@given(policies, trusts, findings, findings)
def test_more_findings_never_loosen_the_effect(
    policy: Policy, trust: int, some: list[Finding], more: list[Finding]
) -> None:
    """Adding findings leaves the effect or makes it stricter."""
    fewer = decide(policy, trust, DONE, some).effect
    assert strictness(decide(policy, trust, DONE, some + more).effect) >= strictness(fewer)


@pytest.mark.requirement("W11")
@given(policies, trusts, findings, st.sampled_from(STAGES))
def test_a_stage_without_proof_of_completion_holds_the_write(
    policy: Policy, trust: int, found: list[Finding], missing: str
) -> None:
    """Whatever the rules say, a required stage that did not run means quarantine or stricter."""
    rest = tuple(c for c in DONE if c.stage != missing)
    decision = decide(policy, trust, rest, found)
    assert strictness(decision.effect) >= strictness(Effect.QUARANTINE)
    assert f"stage_incomplete.{missing}" in decision.reasons


@pytest.mark.requirement("W11")
@given(policies, trusts, findings, broken)
def test_a_failed_or_late_stage_holds_the_write(
    policy: Policy, trust: int, found: list[Finding], record: Completion
) -> None:
    """A failure counts, alone and beside a record that says the stage was done."""
    alone = (*(c for c in DONE if c.stage != record.stage), record)
    for records in (alone, (*DONE, record)):
        decision = decide(policy, trust, records, found)
        assert strictness(decision.effect) >= strictness(Effect.QUARANTINE)


@pytest.mark.requirement("W11")
@given(policies, trusts, findings, st.sampled_from(Status))
def test_a_stage_that_the_policy_does_not_know_holds_the_write(
    policy: Policy, trust: int, found: list[Finding], status: Status
) -> None:
    """An unknown detector can hold a write by its record or by its finding, and never pass one."""
    stranger = Finding("delta", "one", Severity.INFO)
    by_record = decide(policy, trust, (*DONE, Completion("delta", status)), found)
    by_finding = decide(policy, trust, DONE, [*found, stranger])
    for decision in (by_record, by_finding):
        assert strictness(decision.effect) >= strictness(Effect.QUARANTINE)
        assert "stage_unknown.delta" in decision.reasons


@pytest.mark.requirement("W11")
@given(policies, trusts, findings, st.randoms(use_true_random=False))
def test_the_order_of_records_and_findings_does_not_matter(
    policy: Policy, trust: int, found: list[Finding], rng: random.Random
) -> None:
    """Shuffled input has the same effect, the same rules and the same reasons."""
    shuffled, records = list(found), list(DONE)
    rng.shuffle(shuffled)
    rng.shuffle(records)
    one = decide(policy, trust, DONE, found)
    other = decide(policy, trust, records, shuffled)
    assert one.effect is other.effect
    assert set(one.rules) == set(other.rules)
    assert set(one.reasons) == set(other.reasons)


@pytest.mark.requirement("W11")
@given(policies, trusts)
def test_a_clean_write_is_allowed(policy: Policy, trust: int) -> None:
    """With every stage done and nothing found the write passes: the control of all the others."""
    assert decide(policy, trust, DONE, ()).effect is Effect.ALLOW


@pytest.mark.requirement("W11")
@given(policies, trusts, findings)
def test_every_finding_is_among_the_reasons(
    policy: Policy, trust: int, found: list[Finding]
) -> None:
    """Nothing that was seen is left out of the record, even when no rule asks for anything."""
    assume(found)
    assert {f.reason for f in found} <= set(decide(policy, trust, DONE, found).reasons)


@pytest.mark.requirement("W11")
@given(
    policies, overrides(), trusts, st.lists(st.sampled_from(DONE)) | st.just(list(DONE)), findings
)
def test_no_tenants_file_makes_anything_looser(
    policy: Policy, written: str, trust: int, records: list[Completion], found: list[Finding]
) -> None:
    """Whatever a tenant writes, the platform's effect stands or becomes stricter, in all respects.

    Also what is cut out, and whether confidence is lowered; and nothing it knew is left out.
    """
    whole = tightened(policy, load_override(written, frozenset(STAGES)))
    alone, both = (decide(one, trust, records, found) for one in (policy, whole))
    assert strictness(both.effect) >= strictness(alone.effect)
    assert both.lowered >= alone.lowered
    assert set(both.reasons) >= set(alone.reasons)
    assert set(both.rules) >= set(alone.rules)
    cut = to_redact(whole, trust, found)
    assert all(finding in cut for finding in to_redact(policy, trust, found))
    for finding in found:
        one, other = (effect_of(p, trust, finding) for p in (policy, whole))
        assert strictness(other) >= strictness(one)
    assert both.policy.startswith(f"{alone.policy}+tenant@")


@pytest.mark.requirement("W11")
@given(policies, trusts, findings)
def test_a_policy_that_only_watches_says_what_it_would_have_done(
    policy: Policy, trust: int, found: list[Finding]
) -> None:
    """It holds and rejects nothing by its rules, and names the effect that the rules called for."""
    enforced = msgspec.structs.replace(policy, enforcement=Enforcement.FULL)
    watching = msgspec.structs.replace(policy, enforcement=Enforcement.UNSAFE_MONITOR)
    would, does = (decide(one, trust, DONE, found) for one in (enforced, watching))
    holds = would.effect in (Effect.QUARANTINE, Effect.REJECT)
    assert does.effect not in (Effect.QUARANTINE, Effect.REJECT)
    assert (f"monitor.{would.effect}" in does.reasons) is holds
    if holds:
        assert strictness(does.effect) >= strictness(Effect.LOWER)
    else:
        assert does.effect is would.effect
