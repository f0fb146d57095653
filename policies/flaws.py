"""What is wrong with a draft: told in English, and by a code with what it names, for those who tell
it in other words.

The code is read off the sentence, since many of them are not ours. A sentence that is not known has
none, and is told as it stands.
"""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

_LOOSER: Final = (
    r"looser than the platform's rule `(?P<rule>[^`]*)`, which says `(?P<effect>\w+)`"
    r" to all of this; a tenant's rules can only tighten"
)
_KNOWN: Final = tuple(
    (code, re.compile(pattern, re.DOTALL))
    for code, pattern in (
        ("bytes", r"longer than (?P<most>\d+) bytes"),
        ("lines", r"more than (?P<most>\d+) lines"),
        ("dots", r"more than (?P<most>\d+) dots in a line"),
        ("platforms", r"the platform's to say; a tenant's rules can only tighten"),
        ("other_tenant", r"these are another tenant's rules"),
        ("allow", r"a tenant's rules can only tighten, and `allow` tightens nothing"),
        ("looser_rule", _LOOSER),
        ("looser", r"looser than the platform, which says `(?P<effect>\w+)` to all of this"),
        ("one_of", r"one of (?P<known>[a-z_, ]+)"),
        ("same_id", r"two rules have the id `(?P<rule>[^`]*)`"),
        ("unknown_stage", r"rule `(?P<rule>[^`]*)` names the unknown stage `(?P<stage>[^`]*)`"),
        ("severity", r"rule `(?P<rule>[^`]*)`: `at_least` must be one of (?P<known>[a-z, ]+)"),
        ("never", r"rule `(?P<rule>[^`]*)` can never match: min_trust is above max_trust"),
        ("too_deep", r"the document nests too deep"),
        ("long_number", r"the document is not TOML: a number is too long"),
        ("not_toml", r"the document is not TOML: (?P<said>.*)"),
        ("no_name", r"Object contains unknown field \(not a name\)"),
        ("unknown_field", r"Object contains unknown field `(?P<field>[^`]*)`"),
        ("missing_field", r"Object missing required field `(?P<field>[^`]*)`"),
        ("kind", r"Expected `(?P<wanted>[^`]*)`, got `(?P<got>[^`]*)`"),
        ("length", r"Expected `(?P<wanted>\w+)` of length (?P<bound>[<>]=? [\d.]+)"),
        ("bound", r"Expected `(?P<wanted>\w+)` (?P<bound>[<>]=? -?[\d.]+)"),
        ("form", r"Expected `str` matching regex (?P<form>.*)"),
    )
)


class Flaw(msgspec.Struct, frozen=True):
    """What is wrong with a draft, at which key, and in which line as far as that can be told."""

    what: str
    key: str = ""
    line: int | None = None

    def __str__(self) -> str:
        """Return it as one line."""
        place = "" if self.line is None else f"line {self.line}, "
        return f"{place}{self.key or 'document'}: {self.what}"

    @property
    def code(self) -> str:
        """What kind of flaw it is; empty for one that has no code."""
        return _coded(self.what)[0]

    @property
    def named(self) -> Mapping[str, str]:
        """What its sentence names: rules, fields, bounds."""
        return _coded(self.what)[1]


def _coded(what: str) -> tuple[str, Mapping[str, str]]:
    for code, pattern in _KNOWN:
        found = pattern.fullmatch(what)
        if found is not None:
            return code, found.groupdict()
    return "", {}
