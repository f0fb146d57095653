"""A tenant's draft of rules: only what tightens is taken, and each flaw is told by its place."""

import re
from typing import Final

import pytest

from gateway.console.words import WORDS
from guard.detectors import SCREENING
from policies.decide import decide, to_redact
from policies.draft import MAX_DRAFT_BYTES, DraftError, drafted, enacted
from policies.load import load, load_override, shipped, tightened
from policies.model import Completion, Effect, Finding, Severity, Status
from tests.house import STRICT

OWN: Final = """# What we never keep
[[rules]]
id = "no-accounts"
stage = "secrets"
code = "account"
effect = "reject"
"""
LOOSER: Final = """
[[rules]]
id = "trusted"
stage = "authority"
code = "privileged_claim"
at_least = "high"
max_trust = 2
effect = "lower"
"""
ACCOUNT: Final = Finding("secrets", "account", Severity.MEDIUM)
DONE: Final = tuple(Completion(stage, Status.DONE) for stage in STRICT.stages)


def flaws_of(document: str) -> list[str]:
    """Return what is wrong with a draft, each in a line."""
    with pytest.raises(DraftError) as caught:
        drafted(document, "acme", STRICT)
    return [str(one) for one in caught.value.flaws]


@pytest.mark.requirement("W11")
def test_a_draft_that_tightens_is_taken_and_says_what_a_file_would() -> None:
    """With or without the tenant's name in it; the version tells its number."""
    found = drafted(OWN, "acme", STRICT)
    file = load_override(f'tenant = "acme"\n{OWN}', SCREENING)
    assert found == drafted(f'tenant = "acme"\n{OWN}', "acme", STRICT) == file
    third = enacted(OWN, "acme", 3, SCREENING)
    assert third.version == file.version.replace("@", "@3.")
    assert [rule.id for rule in third.rules] == ["tenant@3:no-accounts"]
    decision = decide(tightened(STRICT, third), 4, DONE, [ACCOUNT])
    assert (decision.effect, decide(STRICT, 4, DONE, [ACCOUNT]).effect) == ("reject", "allow")
    assert decision.policy == f"{STRICT.version}+{third.version}"


@pytest.mark.requirement("W11")
@pytest.mark.parametrize(
    ("document", "told"),
    [
        (OWN.replace("reject", "allow"), "line 6, rules[0].effect: a tenant's rules can only"),
        (OWN + LOOSER, "line 14, rules[1].effect: looser than the platform's rule `authority.p"),
        (f'otherwise = "allow"\n{OWN}', "line 1, otherwise: the platform's to say"),
        (f'base = "balanced"\n{OWN}', "line 1, base: the platform's to say"),
        (f'tenant = "globex"\n{OWN}', "tenant: these are another tenant's rules"),
        (OWN.replace('"reject"', '"open"'), "line 6, rules[0].effect: one of lower, redact"),
        (f'{OWN}\n[[rules]]\nid = "x"\nstage = "rate"\n', "line 8, rules[1]: Object missing req"),
        (f"{OWN}sure = 1\n", "line 2, rules[0]: Object contains unknown field `sure`"),
        (f'{OWN}"a b" = 1\n', "line 2, rules[0]: Object contains unknown field (not a name)"),
        (f"{OWN}[[rules]\n", "line 7, document: the document is not TOML"),
        (OWN.replace("secrets", "secretz"), "rules: rule `no-accounts` names the unknown stage"),
        (OWN + OWN, "rules: two rules have the id `no-accounts`"),
        ('rules = [{id = "x", stage = "rate", effect = "open"}]', "rules[0].effect: one of"),
        ("", "document: Object missing required field `rules`"),
        (f"{OWN}min_trust = 9\n", "line 7, rules[0].min_trust: Expected `int` <= 4"),
        (f'{OWN}min_trust = "high"\n', "line 7, rules[0].min_trust: Expected `int`, got `str`"),
        (f"{OWN}min_trust = 3\nmax_trust = 1\n", "rules: rule `no-accounts` can never match"),
        (f'{OWN}at_least = "awful"\n', "rules: rule `no-accounts`: `at_least` must be one of"),
        (OWN.replace("no-accounts", ""), "line 3, rules[0].id: Expected `str`"),
        (OWN + "#" * MAX_DRAFT_BYTES, "document: longer than"),
    ],
    ids=lambda one: one[:24] if isinstance(one, str) else None,
)
def test_a_draft_that_loosens_or_is_not_understood_is_refused_by_place(
    document: str, told: str
) -> None:
    """Whole: nothing of it is taken over. Nor is a value repeated that stands in it."""
    with pytest.raises(DraftError) as caught:
        drafted(document, "acme", STRICT)
    (flaw,) = caught.value.flaws
    assert str(flaw).startswith(told)
    assert "open" not in str(flaw)
    # Each is told in other languages, too, and in English word for word as here.
    assert flaw.code
    assert WORDS["en"].of("flaw", flaw.code, **flaw.named) == flaw.what
    chinese = WORDS["zh"].of("flaw", flaw.code, "", **flaw.named)
    assert re.search("[\u4e00-\u9fff]", chinese)
    assert all(name in chinese for name in flaw.named.values())


@pytest.mark.requirement("W11")
def test_all_that_loosens_is_told_at_once() -> None:
    """And what has a use beside a stricter rule is no loosening: redaction of what is held."""
    both = OWN.replace("reject", "allow") + LOOSER
    assert [flaw.partition(":")[0] for flaw in flaws_of(both)] == [
        "line 6, rules[0].effect",
        "line 14, rules[1].effect",
    ]
    drafted(OWN + LOOSER.replace("lower", "redact"), "acme", STRICT)
    drafted(OWN + LOOSER.replace("lower", "quarantine"), "acme", STRICT)
    with pytest.raises(DraftError):
        drafted(OWN + LOOSER.replace("lower", "skip"), "acme", STRICT)
    # Under a policy that only watches, a tenant may ask for less than it would have held.
    watching = load(shipped("unsafe-monitor"), SCREENING)
    assert drafted(LOOSER, "acme", watching).rules[0].effect is Effect.LOWER


_RULE: Final = '[[rules]]\nid = "a{}"\nstage = "secrets"\ncode = "account"\neffect = "{}"\n'


@pytest.mark.parametrize(
    ("document", "what"),
    [
        (_RULE.format(0, "reject") + "\n" * 5_000, "more than 4096 lines"),
        (".".join(["a"] * 2_000) + " = 1\n", "line 1, document: more than 32 dots in a line"),
        (_RULE.format(0, "reject") + "min_trust = " + "9" * 5_000, "a number is too long"),
    ],
)
def test_a_draft_that_takes_long_to_read_is_refused_before(document: str, what: str) -> None:
    """Drafts are read while everybody waits; a number that Python reads not is a flaw, too."""
    assert any(what in flaw for flaw in flaws_of(document))
    assert len(drafted(_RULE.format(0, "reject") + "\n" * 4_000, "acme", STRICT).rules) == 1


def test_as_many_flaws_as_there_may_be_are_told_by_line_in_one_look() -> None:
    """Each at the line of its own rule, and lines are looked for once, not once a flaw."""
    found = flaws_of("".join(_RULE.format(number, "allow") for number in range(400)))
    assert len(found) == 400
    assert found[399].startswith("line 2000, rules[399].effect")


@pytest.mark.requirement("W11")
def test_rules_of_the_operator_and_of_the_tenant_decide_together() -> None:
    """The strictest of all three holds, and what any of them has redacted is cut out."""
    file = load_override(
        f'tenant = "acme"\n{OWN}'.replace("reject", "redact").replace("no-", "cut-"), SCREENING
    )
    third = enacted(OWN.replace("reject", "quarantine"), "acme", 3, SCREENING)
    for order in ((file, third), (third, file)):
        whole = tightened(STRICT, *order)
        decision = decide(whole, 4, DONE, [ACCOUNT])
        assert decision.effect is Effect.QUARANTINE
        assert decision.policy == whole.edition
        assert {"tenant:cut-accounts", "tenant@3:no-accounts"} <= set(decision.rules)
        assert to_redact(whole, 4, [ACCOUNT]) == [ACCOUNT]
        assert {rule.id for rule in whole.every_rule} >= set(decision.rules)
    assert to_redact(tightened(STRICT, third), 4, [ACCOUNT]) == []
