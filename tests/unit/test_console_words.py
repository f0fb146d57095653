"""The console's words: every language says everything, and no page asks for what nobody says."""

import re
from pathlib import Path
from string import Formatter
from typing import Final

import pytest

from gateway import console
from gateway.console.frame import SECTIONS, environment
from gateway.console.words import LANGUAGES, WORDS, language_of
from guard.bulk import Became, Verdict
from guard.findings import Event
from guard.origins import Kind as Place
from guard.ports import Order
from guard.proposal import Wish
from guard.reveal import Ground
from guard.revoke import Of
from guard.ruling import Because
from memory.origin import OriginClass
from memory.types import Kind, Layer
from policies.model import Effect

HERE: Final = Path(console.__file__).parent
SOURCES: Final = sorted([*HERE.rglob("*.html"), *HERE.rglob("*.py")])
_KEY: Final = re.compile(r"""\bt\(\s*["']([a-z0-9_.]+)["'](?!\s*~)""")
_BUILT: Final = re.compile(r"""\bt\(\s*["']([a-z0-9_.]+)["']\s*~""")
_OF: Final = re.compile(r"""\bt\.of\(\s*["']([a-z0-9_]+)["']""")
VOCABULARIES: Final = {
    "section.": SECTIONS,
    "language.": LANGUAGES,
    "theme.": ("auto", "light", "dark"),
    "origin.": tuple(OriginClass),
    "layer.": tuple(Layer),
    "kind.": tuple(Kind),
    "order.": tuple(Order),
    "ground.": tuple(Ground),
    "because.": tuple(Because),
    "effect.": tuple(Effect),
    "overview.": ("days", "hours", "minutes"),
    "overview.by_": ("kind", "origin"),
    "event.": tuple(Event),
    "place.": tuple(Place),
    "letters.done_": ("writes", "posts"),
    "settings.done_": ("client", "client_removed", "webhook_removed", "revoked"),
    "settings.of_": tuple(Of),
    "bulk.": tuple(Verdict),
    "became.": tuple(Became),
    "policies.done_": ("activated", "rolled_back"),
    "origins.done_": ("held", "holding", "lifted", "lifting", "lifted_own"),
    "audit_by.": ("object", "action", "outcome", "actor", "subject", "client"),
    "queue_state.": ("held", "escalated"),
    "item.do_": ("release", "reject", "escalate"),
    "item.done_": ("released", "rejected", "escalated", "undone", "held", "weighed"),
    "memories.done_": ("promoted", "demoted", "weighed"),
    "memories.into_": ("semantic", "episodic"),
    "proposals.": ("approve", "refuse", "withdraw"),
    "proposals.wish_": tuple(Wish),
    "proposals.done_": ("proposed", "approved", "refused"),
}
"""What pages put together: the beginning of a key, and the words that may follow it. Of what they
look up with `t.of`, only what must not go unsaid.
"""


def _asked(pattern: re.Pattern[str]) -> set[str]:
    return {key for path in SOURCES for key in pattern.findall(path.read_text("utf-8"))}


@pytest.mark.requirement("Q8")
def test_every_language_says_the_same_things() -> None:
    """The same keys, none of them empty, each with the same places for names."""
    for language in LANGUAGES[1:]:
        assert WORDS[language].texts.keys() == WORDS["en"].texts.keys()
    for key, text in WORDS["en"].texts.items():
        for language in LANGUAGES:
            said = WORDS[language].texts[key]
            assert said.strip(), key
            assert _places(said) == _places(text), key


def _places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.requirement("Q8")
def test_every_key_that_a_page_asks_for_is_said() -> None:
    """By itself, or put together with a word of a vocabulary."""
    known = WORDS["en"].texts.keys()
    assert _asked(_KEY) - known == set()
    assert len(_asked(_KEY)) > 40
    assert _asked(_BUILT) - VOCABULARIES.keys() == set()
    for beginning, words in VOCABULARIES.items():
        assert {f"{beginning}{word}" for word in words} <= known, beginning


@pytest.mark.requirement("Q8")
def test_nothing_is_said_that_no_page_asks_for() -> None:
    """What is dead is deleted."""
    beginnings = (*_asked(_BUILT), *(f"{one}." for one in _asked(_OF)))
    asked = _asked(_KEY)
    dead = [k for k in WORDS["en"].texts if k not in asked and not k.startswith(beginnings)]
    assert dead == []


@pytest.mark.requirement("Q8")
def test_no_template_turns_escaping_off() -> None:
    """Nor has one a script, a style or a handler in it, which the policy would forbid anyway."""
    assert environment().autoescape is True
    for path in HERE.rglob("*.html"):
        text = path.read_text("utf-8")
        for never in ("|safe", "| safe", "autoescape", "Markup", "<style", " style=", "{% raw"):
            assert never not in text, (path.name, never)
        assert re.findall(r"<script(?! src=)|\son[a-z]+=", text) == [], path.name
        name = path.relative_to(HERE / "templates").as_posix()
        assert environment().get_template(name).name == name


@pytest.mark.requirement("Q8")
@pytest.mark.parametrize(
    ("chosen", "accepted", "language"),
    [
        (None, "", "en"),
        (None, "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        (None, "en-GB,zh;q=0.9", "en"),
        (None, "fr,de;q=0.5", "en"),
        (None, "zh;q=0,en;q=0", "en"),
        (None, "zh;q=x,en;q=0.1", "en"),
        ("zh", "en", "zh"),
        ("en", "zh", "en"),
        ("xx", "zh-TW", "zh"),
    ],
)
def test_the_language_is_the_readers(chosen: str | None, accepted: str, language: str) -> None:
    """What he chose, else what his browser says he would rather have."""
    assert language_of(chosen, accepted) == language
