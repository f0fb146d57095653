"""Policy files: what is read, and everything that is refused."""

import pytest

from guard.stages import STAGES
from policies.load import MAX_BYTES, PolicyError, load, profiles, shipped
from policies.model import Effect, Rule, Severity

KNOWN = frozenset({"injection", "rate"})
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
    assert "strict" in profiles()
    for name, document in profiles().items():
        policy = load(document, frozenset(STAGES))
        assert policy.name == name
        assert policy.otherwise is Effect.QUARANTINE
        assert {rule.stage for rule in policy.rules} == set(STAGES)


@pytest.mark.requirement("W11")
def test_an_unknown_profile_is_refused() -> None:
    """There is no fall-back profile, and no path leads out of the folder."""
    for name in ("lenient", "../model", "strict.toml", ""):
        with pytest.raises(PolicyError, match="strict"):
            shipped(name)
