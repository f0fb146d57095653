"""Turn findings into one effect. Pure, and monotone: more findings never loosen it."""

from collections.abc import Iterable, Sequence
from typing import Final

from policies.model import (
    Completion,
    Decision,
    Effect,
    Enforcement,
    Finding,
    Policy,
    Rule,
    Status,
)

MONITOR: Final = "monitor"
"""First part of the reason that tells what a policy which only watches would have done."""
_ORDER: Final = tuple(Effect)
_HOLDING: Final = (Effect.QUARANTINE, Effect.REJECT)


def strictest(effects: Iterable[Effect]) -> Effect:
    """Return the strictest of `effects`, `allow` when there are none."""
    return max(effects, key=_ORDER.index, default=Effect.ALLOW)


def decide(
    policy: Policy, trust: int, completions: Sequence[Completion], findings: Sequence[Finding]
) -> Decision:
    """Return what happens to a write of this trust.

    The strictest effect that any rule calls for wins, a tenant's own rules included. A stage that
    the policy requires and that did not complete holds the write (W11); so does a record of a stage
    that the policy does not know. A finding whose stage no rule names falls to `policy.otherwise`.
    """
    effects: list[Effect] = []
    rules: list[str] = []
    reasons: list[str] = []

    # (1) Every required stage must have left proof that it ran, and no other stage may speak.
    done = {c.stage for c in completions if c.status is Status.DONE}
    failed = {c.stage for c in completions if c.status is not Status.DONE}
    for stage in policy.stages:
        if stage not in done or stage in failed:
            effects.append(Effect.QUARANTINE)
            reasons.append(f"stage_incomplete.{stage}")
    for stage in sorted((done | failed | {f.stage for f in findings}) - set(policy.stages)):
        effects.append(Effect.QUARANTINE)
        reasons.append(f"stage_unknown.{stage}")

    # (2) Each finding calls for what its matching rules say.
    called: list[Effect] = []
    for finding in findings:
        reasons.append(finding.reason)
        called.append(_called_for(policy, trust, finding))
        rules.extend(rule.id for rule in matching(policy.rules, trust, finding))

    # (3) A policy that only watches says what it would have done, and stores with a mark.
    if policy.enforcement is Enforcement.UNSAFE_MONITOR and strictest(called) in _HOLDING:
        reasons.append(f"{MONITOR}.{strictest(called)}")
    effects.extend(_enforced(policy, effect) for effect in called)

    own = Decision(
        effect=strictest(effects),
        rules=tuple(dict.fromkeys(rules)),
        reasons=tuple(dict.fromkeys(reasons)),
        policy=policy.version,
        lowered=Effect.LOWER in effects,
    )
    # (4) The tenant's own rules decide beside it.
    if policy.tightened_by is None:
        return own
    return stricter(own, decide(policy.tightened_by, trust, completions, findings))


def effect_of(policy: Policy, trust: int, finding: Finding) -> Effect:
    """Return what one finding calls for: the strictest of its matching rules.

    `policy.otherwise` when no rule names its stage. A tenant's own rules count as well.
    """
    own = _enforced(policy, _called_for(policy, trust, finding))
    if policy.tightened_by is None:
        return own
    return strictest((own, effect_of(policy.tightened_by, trust, finding)))


def to_redact(policy: Policy, trust: int, findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that must not be kept: those that policy or tenant answer with redaction.

    Also where the other of both is stricter: what is held for the one is released without it.
    """
    return [finding for finding in findings if _redacts(policy, trust, finding)]


def stricter(platform: Decision, tenant: Decision) -> Decision:
    """Combine the platform's and the tenant's decision: a tenant can only tighten (W11)."""
    return Decision(
        effect=strictest((platform.effect, tenant.effect)),
        rules=tuple(dict.fromkeys((*platform.rules, *tenant.rules))),
        reasons=tuple(dict.fromkeys((*platform.reasons, *tenant.reasons))),
        policy=f"{platform.policy}+{tenant.policy}",
        lowered=platform.lowered or tenant.lowered,
    )


def matching(rules: Iterable[Rule], trust: int, finding: Finding) -> list[Rule]:
    """Return those of `rules` that apply to one finding."""
    return [rule for rule in rules if _matches(rule, trust, finding)]


def _redacts(policy: Policy, trust: int, finding: Finding) -> bool:
    if _called_for(policy, trust, finding) is Effect.REDACT:
        return True
    return policy.tightened_by is not None and _redacts(policy.tightened_by, trust, finding)


def _called_for(policy: Policy, trust: int, finding: Finding) -> Effect:
    if all(rule.stage != finding.stage for rule in policy.rules):
        return policy.otherwise
    return strictest(rule.effect for rule in matching(policy.rules, trust, finding))


def _enforced(policy: Policy, effect: Effect) -> Effect:
    watching = policy.enforcement is Enforcement.UNSAFE_MONITOR
    return Effect.LOWER if watching and effect in _HOLDING else effect


def _matches(rule: Rule, trust: int, finding: Finding) -> bool:
    return (
        rule.stage == finding.stage
        and rule.code in ("*", finding.code)
        and finding.severity >= rule.at_least
        and rule.min_trust <= trust <= rule.max_trust
        and (finding.score is None or finding.score >= rule.at_score)
    )
