"""Turn findings into one effect. Pure, and monotone: more findings never loosen it."""

from collections.abc import Iterable, Sequence

from policies.model import Completion, Decision, Effect, Finding, Policy, Rule, Status

_ORDER = tuple(Effect)


def strictest(effects: Iterable[Effect]) -> Effect:
    """Return the strictest of `effects`, `allow` when there are none."""
    return max(effects, key=_ORDER.index, default=Effect.ALLOW)


def decide(
    policy: Policy, trust: int, completions: Sequence[Completion], findings: Sequence[Finding]
) -> Decision:
    """Return what happens to a write of this trust.

    The strictest effect that any rule calls for wins. A stage that the policy requires and that
    did not complete holds the write (W11); so does a record of a stage that the policy does not
    know. A finding whose stage no rule names falls to `policy.otherwise`.
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
    for finding in findings:
        reasons.append(finding.reason)
        effects.append(effect_of(policy, trust, finding))
        rules.extend(rule.id for rule in policy.rules if _matches(rule, trust, finding))

    return Decision(
        effect=strictest(effects),
        rules=tuple(dict.fromkeys(rules)),
        reasons=tuple(dict.fromkeys(reasons)),
        policy=policy.version,
    )


def effect_of(policy: Policy, trust: int, finding: Finding) -> Effect:
    """Return what one finding calls for: the strictest of its matching rules.

    `policy.otherwise` when no rule names its stage.
    """
    if all(rule.stage != finding.stage for rule in policy.rules):
        return policy.otherwise
    return strictest(r.effect for r in policy.rules if _matches(r, trust, finding))


def stricter(platform: Decision, tenant: Decision) -> Decision:
    """Combine the platform's and the tenant's decision: a tenant can only tighten (W11)."""
    return Decision(
        effect=strictest((platform.effect, tenant.effect)),
        rules=tuple(dict.fromkeys((*platform.rules, *tenant.rules))),
        reasons=tuple(dict.fromkeys((*platform.reasons, *tenant.reasons))),
        policy=f"{platform.policy}+{tenant.policy}",
    )


def _matches(rule: Rule, trust: int, finding: Finding) -> bool:
    return (
        rule.stage == finding.stage
        and rule.code in ("*", finding.code)
        and finding.severity >= rule.at_least
        and rule.min_trust <= trust <= rule.max_trust
        and (finding.score is None or finding.score >= rule.at_score)
    )
