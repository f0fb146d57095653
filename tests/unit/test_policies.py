"""Policy files: what is read, and everything that is refused."""

import pytest

from guard.detectors import SCREENING
from policies.decide import decide
from policies.load import (
    MAX_BYTES,
    PolicyError,
    is_override,
    load,
    load_override,
    profiles,
    shipped,
    tightened,
)
from policies.model import Completion, Effect, Enforcement, Finding, Rule, Severity, Status

KNOWN = frozenset({"injection", "rate"})
OWN = """
tenant = "爱克美/1"
description = "stricter with pages"

[[rules]]
id = "pages"
stage = "injection"
effect = "reject"
max_trust = 1
"""
GOOD = """
name = "small"
otherwise = "quarantine"
stages = ["injection", "rate"]

[[rules]]
id = "one"
stage = "injection"
effect = "quarantine"
at_least = "medium"
max_trust = 2

[[rules]]
id = "two"
stage = "rate"
code = "burst"
effect = "reject"
"""


@pytest.mark.requirement("W11")
def test_a_policy_is_read_as_it_is_written() -> None:
    """Every field of the file reaches the policy, and what is left out has its default."""
    policy = load(GOOD, KNOWN)
    assert policy.stages == ("injection", "rate")
    assert policy.otherwise is Effect.QUARANTINE
    assert policy.rules == (
        Rule("one", "injection", Effect.QUARANTINE, at_least=Severity.MEDIUM, max_trust=2),
        Rule("two", "rate", Effect.REJECT, code="burst"),
    )


@pytest.mark.requirement("W11")
def test_the_version_is_a_digest_of_what_the_policy_says() -> None:
    """Comments and layout keep the version; any rule, however small a change, moves it."""
    version = load(GOOD, KNOWN).version
    name, _, digest = version.partition("@")
    assert (name, len(digest)) == ("small", 12)
    assert load("# a comment\n" + GOOD.encode().decode(), KNOWN).version == version
    assert load('description = "words"\n' + GOOD, KNOWN).version == version
    assert load(GOOD.replace("max_trust = 2", "max_trust = 1"), KNOWN).version != version
    assert load(GOOD.replace('"reject"', '"redact"'), KNOWN).version != version


@pytest.mark.requirement("W11")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('stage = "rate"', 'stage = "rates"', "unknown stage `rates`"),
        ('stages = ["injection", "rate"]', 'stages = ["injection", "rate", "x"]', "unknown stages"),
        ('stages = ["injection", "rate"]', 'stages = ["injection"]', "missing: rate"),
        ('stages = ["injection", "rate"]', "stages = []", "stages"),
        ('stages = ["injection", "rate"]', 'stages = ["rate", "injection", "rate"]', "twice"),
        ('id = "two"', 'id = "one"', "two rules have the id `one`"),
        ('id = "two"', "", "id"),
        ('effect = "reject"', 'effect = "permit"', "permit"),
        ('effect = "reject"', "", "effect"),
        ('otherwise = "quarantine"', "", "otherwise"),
        ('otherwise = "quarantine"', 'otherwise = "ignore"', "ignore"),
        ('name = "small"', "", "name"),
        ('name = "small"', 'name = "Bad Name"', "name"),
        ('code = "burst"', 'kode = "burst"', "kode"),
        ('name = "small"', 'name = "small"\nenabled = true', "enabled"),
        ('at_least = "medium"', 'at_least = "grave"', "at_least"),
        ("max_trust = 2", "max_trust = 9", "max_trust"),
        ("max_trust = 2", "max_trust = 2\nmin_trust = 3", "never match"),
        ("max_trust = 2", 'max_trust = "2"', "max_trust"),
        ('name = "small"', 'name = "small', "not TOML"),
    ],
)
def test_what_is_not_understood_is_refused(old: str, new: str, said: str) -> None:
    """Each mistake is an error that says where it is, and a good file is read."""
    assert old in GOOD
    load(GOOD, KNOWN)
    with pytest.raises(PolicyError, match=said):
        load(GOOD.replace(old, new, 1), KNOWN)


@pytest.mark.requirement("W11")
@pytest.mark.parametrize(
    "document",
    [b"", b"\xff\xfe", "", "[[rules]]", "a = " + "[" * 5000, "x" * (MAX_BYTES + 1),
     GOOD[: GOOD.index("[[rules]]")], GOOD[: GOOD.index("[[rules]]")] + "rules = []"],
)  # fmt: skip
def test_what_is_no_policy_at_all_is_refused(document: bytes | str) -> None:
    """Empty, binary, nested, huge and ruleless documents are errors of the one kind."""
    with pytest.raises(PolicyError):
        load(document, KNOWN)


@pytest.mark.requirement("W11")
def test_every_shipped_profile_is_a_policy_over_all_stages() -> None:
    """What comes with the product loads, holds unknown findings and names itself rightly."""
    assert list(profiles()) == ["balanced", "strict", "unsafe-monitor"]
    for name, document in profiles().items():
        policy = load(document, SCREENING)
        assert policy.name == name
        assert policy.otherwise is Effect.QUARANTINE
        assert {rule.stage for rule in policy.rules} == SCREENING


@pytest.mark.requirement("W11")
def test_an_unknown_profile_is_refused() -> None:
    """There is no fall-back profile, and no path leads out of the folder."""
    for name in ("lenient", "../model", "strict.toml", ""):
        with pytest.raises(PolicyError, match="strict"):
            shipped(name)


@pytest.mark.requirement("W11")
def test_a_profile_says_what_differs_from_its_base() -> None:
    """Stages, `otherwise` and rules are the base's; a rule of the same id takes its place."""
    strict = load(shipped("strict"), SCREENING)
    mine = load(
        'name = "mine"\nbase = "strict"\n'
        '[[rules]]\nid = "rate.burst"\nstage = "rate"\neffect = "reject"\n'
        '[[rules]]\nid = "rate.any"\nstage = "rate"\neffect = "lower"\n',
        SCREENING,
    )
    assert (mine.stages, mine.otherwise) == (strict.stages, strict.otherwise)
    changed = {rule.id: rule for rule in mine.rules}
    kept = {rule.id: rule for rule in strict.rules}
    assert changed["rate.burst"] == Rule("rate.burst", "rate", Effect.REJECT)
    assert set(changed) - set(kept) == {"rate.any"}
    assert all(changed[id] == rule for id, rule in kept.items() if id != "rate.burst")
    assert mine.version != strict.version


@pytest.mark.requirement("W11")
@pytest.mark.parametrize(
    ("document", "said"),
    [
        ('name = "x"\nbase = "nowhere"', "no shipped profile"),
        ('name = "x"\nbase = "../strict"', "no shipped profile"),
        ('name = "x"\nbase = "unsafe-monitor"', "not enforced in full"),
        ('name = "x"\nbase = "strict"\nenforcement = "unsafe-monitor"', "not enforced in full"),
        ('name = "unsafe-x"\nbase = "strict"', "not enforced in full"),
        ('name = "x"\nbase = "strict"\nenforcement = "none"', "enforcement"),
        ('name = "x"\nbase = "strict"\nstages = ["rate"]', "missing"),
        ('name = "x"\notherwise = "allow"', "required without a `base`: stages, rules"),
    ],
)
def test_a_base_opens_no_hole(document: str, said: str) -> None:
    """No base from outside, no stage less, and nothing unsafe under a harmless name."""
    with pytest.raises(PolicyError, match=said):
        load(document, SCREENING)


@pytest.mark.requirement("W11")
def test_the_profile_that_only_watches_names_itself_unsafe() -> None:
    """It judges by the rules of strict, and its name, version and description say what it is."""
    document = shipped("unsafe-monitor")
    monitor, strict = load(document, SCREENING), load(shipped("strict"), SCREENING)
    assert monitor.enforcement is Enforcement.UNSAFE_MONITOR
    assert monitor.rules == strict.rules
    assert monitor.version.startswith("unsafe-monitor@")
    assert b'description = "UNSAFE' in document
    # A stage that did not run was no trial of anything: it is held as ever.
    done = [Completion(stage, Status.DONE) for stage in monitor.stages]
    blatant = [Finding("injection", "override", Severity.HIGH)]
    assert decide(monitor, 0, done, blatant).effect is Effect.LOWER
    assert decide(monitor, 0, done[1:], blatant).effect is Effect.QUARANTINE
    assert decide(strict, 0, done, blatant).effect is Effect.QUARANTINE


@pytest.mark.requirement("W11", "W16")
def test_balanced_gives_outside_text_no_more_say() -> None:
    """What a page may not do under strict it may not do under balanced: only doubts weigh less."""
    policies = [load(shipped(name), SCREENING) for name in ("strict", "balanced")]
    done = [Completion(stage, Status.DONE) for stage in policies[0].stages]

    def effects(trust: int, stage: str, code: str, severity: Severity) -> list[Effect]:
        found = [Finding(stage, code, severity)]
        return [decide(policy, trust, done, found).effect for policy in policies]

    held, lower = Effect.QUARANTINE, Effect.LOWER
    for trust in (0, 1):
        assert effects(trust, "authority", "privileged_claim", Severity.HIGH) == [held, held]
        assert effects(trust, "authority", "standing_instruction", Severity.MEDIUM) == [held, held]
        assert effects(trust, "injection", "override", Severity.MEDIUM) == [held, held]
        assert effects(trust, "secrets", "contact", Severity.LOW) == [held, lower]
        assert effects(trust, "secrets", "account", Severity.MEDIUM) == [held, held]
    assert effects(2, "injection", "override", Severity.HIGH) == [held, held]
    assert effects(2, "injection", "override", Severity.MEDIUM) == [held, lower]
    assert effects(2, "authority", "privileged_claim", Severity.HIGH) == [held, held]


@pytest.mark.requirement("W11")
def test_a_tenants_file_adds_rules_and_nothing_else() -> None:
    """Its rules decide beside the platform's under names of their own, and so does its version."""
    own, policy = load_override(OWN, KNOWN), load(GOOD, KNOWN)
    assert own.tenant == "爱克美/1"
    assert [rule.id for rule in own.rules] == ["tenant:pages"]
    assert load_override("# words\n" + OWN, KNOWN).version == own.version
    assert load_override(OWN.replace("= 1", "= 0"), KNOWN).version != own.version
    both = tightened(policy, own)
    assert both.edition == f"{policy.version}+{own.version}"
    done = [Completion(stage, Status.DONE) for stage in both.stages]
    found = [Finding("injection", "override", Severity.HIGH)]
    decided = decide(both, 1, done, found)
    assert (decided.effect, decided.rules) == (Effect.REJECT, ("one", "tenant:pages"))
    assert decided.policy == both.edition
    assert decide(both, 2, done, found).effect is Effect.QUARANTINE
    assert (is_override(OWN), is_override(GOOD)) == (True, False)


@pytest.mark.requirement("W11")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("description", 'otherwise = "allow"\ndescription', "otherwise"),
        ("description", 'stages = ["rate"]\ndescription', "stages"),
        ("description", 'enforcement = "unsafe-monitor"\ndescription', "enforcement"),
        ("description", 'base = "strict"\ndescription', "base"),
        ('tenant = "爱克美/1"', "", "tenant"),
        ('tenant = "爱克美/1"', 'tenant = ""', "tenant"),
        ('"injection"', '"injektion"', "unknown stage"),
        ('"reject"', '"release"', "release"),
        ("max_trust = 1", "max_trust = 1\nmin_trust = 2", "never match"),
    ],
)
def test_a_tenants_file_that_says_more_is_refused(old: str, new: str, said: str) -> None:
    """There is no word in it that could loosen anything, and no mistake passes unseen."""
    assert old in OWN
    load_override(OWN, KNOWN)
    with pytest.raises(PolicyError, match=said):
        load_override(OWN.replace(old, new, 1), KNOWN)
