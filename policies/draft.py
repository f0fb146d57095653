"""A tenant's rules as a draft: only what tightens is taken, and each flaw is told by place (W11).

Nothing that stands in such a draft could loosen the platform's policy: both decide, and the
stricter effect holds. A draft that looks as if it did is refused all the same, since its author
would rely on what does not happen.
"""

import re
from typing import Any, Final

import msgspec

from policies.decide import strictest
from policies.flaws import Flaw
from policies.load import (
    Override,
    Own,
    PolicyError,
    check_rules,
    override_of,
    tree,
)
from policies.model import Effect, Enforcement, Policy, Rule

MAX_DRAFT_BYTES: Final = 32_768
"""About three hundred rules. Every replica has those in force in memory, of every tenant."""
_MOST_LINES: Final = 4_096
"""Comparing two drafts takes more than proportionally longer with the lines."""
_MOST_DOTS: Final = 32
"""In one line. The parser looks at a dotted key of n parts n² times, and no key of ours has one."""
_PATH: Final = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<path>.*)`)?$", re.DOTALL)
_SYNTAX: Final = re.compile(r"(?P<what>.*) \(at line (?P<line>\d+), column \d+\)$", re.DOTALL)
_HEADER: Final = re.compile(r"[ \t]*\[\[[ \t]*(?:rules|\"rules\"|'rules')[ \t]*\]\]")
_UNKNOWN: Final = re.compile(r"unknown field `(.*)`", re.DOTALL)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_ENUM: Final = "Invalid enum value"
_EFFECTS: Final = ", ".join(effect for effect in Effect if effect is not Effect.ALLOW)
_PLATFORMS: Final = frozenset({"name", "base", "otherwise", "stages", "enforcement"})
"""What a profile says and a tenant's rules can't."""


class DraftError(PolicyError):
    """The draft can't be used. Says everything that is wrong with it, as far as it was read."""

    def __init__(self, flaws: tuple[Flaw, ...]) -> None:
        super().__init__("; ".join(map(str, flaws)))
        self.flaws = flaws


def drafted(document: str, tenant: str, platform: Policy) -> Override:
    """Return the rules in a draft of a tenant. Raises DraftError unless they only tighten.

    `platform` is the policy that they are to stand beside.
    """
    written = _written(document, tenant)
    try:
        check_rules(written.rules, frozenset(platform.stages))
    except PolicyError as error:
        raise DraftError((Flaw(str(error), "rules"),)) from None
    override = override_of(written, "tenant")
    lines = _lines(document)
    begins = _begins(lines, len(written.rules))
    flaws = [
        Flaw(what, f"rules[{place}].effect", _line(lines, begins, place, "effect"))
        for place, rule in enumerate(override.rules)
        if (what := _idle(rule, platform)) is not None
    ]
    if flaws:
        raise DraftError(tuple(flaws))
    return override


def enacted(document: str, tenant: str, number: int, stages: frozenset[str]) -> Override:
    """Return the rules of a draft that was taken. Raises PolicyError when they don't fit any more.

    Their names tell which version they are of: `tenant@3:no-accounts`.
    """
    written = _written(document, tenant)
    check_rules(written.rules, stages)
    return override_of(written, f"tenant@{number}", f"{number}.")


def _written(document: str, tenant: str) -> Own:
    """Return what a draft says; whose it is may be left out, and can't be somebody else."""
    size = len(document.encode())
    if size > MAX_DRAFT_BYTES:
        raise DraftError((Flaw(f"longer than {MAX_DRAFT_BYTES} bytes"),))
    lines = _lines(document)
    if len(lines) > _MOST_LINES:
        raise DraftError((Flaw(f"more than {_MOST_LINES} lines"),))
    for number, line in enumerate(lines, 1):
        if line.count(".") > _MOST_DOTS:
            raise DraftError((Flaw(f"more than {_MOST_DOTS} dots in a line", line=number),))
    try:
        known = tree(document)
    except PolicyError as error:
        raise DraftError((_unread(str(error)),)) from None
    if strangers := sorted(_PLATFORMS & known.keys()):
        what = "the platform's to say; a tenant's rules can only tighten"
        raise DraftError(
            tuple(Flaw(what, name, _line_of(lines, name, 0, len(lines))) for name in strangers)
        )
    if known.setdefault("tenant", tenant) != tenant:
        raise DraftError((Flaw("these are another tenant's rules", "tenant"),))
    try:
        return msgspec.convert(known, Own)
    except msgspec.ValidationError as error:
        raise DraftError((_misfit(str(error), document, known),)) from None


def _idle(rule: Rule, platform: Policy) -> str | None:
    """Return why a rule tightens nothing, None when it may."""
    if rule.effect is Effect.ALLOW:
        return "a tenant's rules can only tighten, and `allow` tightens nothing"
    if platform.enforcement is not Enforcement.FULL:
        return None
    for other in platform.rules:
        if _covers(other, rule) and _is_looser(rule.effect, other.effect):
            return (
                f"looser than the platform's rule `{other.id}`, which says `{other.effect}`"
                " to all of this; a tenant's rules can only tighten"
            )
    named = any(other.stage == rule.stage for other in platform.rules)
    if not named and _is_looser(rule.effect, platform.otherwise):
        return f"looser than the platform, which says `{platform.otherwise}` to all of this"
    return None


def _is_looser(effect: Effect, other: Effect) -> bool:
    """Say whether the one does nothing beside the other.

    What is to be redacted is taken out of what is held, too, when it is released.
    """
    if (effect, other) == (Effect.REDACT, Effect.QUARANTINE):
        return False
    return effect is not other and strictest((effect, other)) is other


def _covers(other: Rule, rule: Rule) -> bool:
    """Say whether one rule applies wherever the other does."""
    return (
        other.stage == rule.stage
        and other.code in ("*", rule.code)
        and other.at_least <= rule.at_least
        and other.min_trust <= rule.min_trust
        and other.max_trust >= rule.max_trust
        and other.at_score <= rule.at_score
    )


def _unread(message: str) -> Flaw:
    found = _SYNTAX.match(message)
    return Flaw(message) if found is None else Flaw(found["what"], line=int(found["line"]))


def _misfit(message: str, document: str, known: dict[str, Any]) -> Flaw:
    """Return what msgspec has against a document, without the value that it found there."""
    found = _PATH.match(message)
    what, path = (message, "") if found is None else (found["what"], found["path"] or "")
    if what.startswith(_ENUM):
        what = f"one of {_EFFECTS}"
    elif (unknown := _UNKNOWN.search(what)) is not None and not _NAME.fullmatch(unknown[1]):
        what = "Object contains unknown field (not a name)"
    inside = re.match(r"rules\[(\d+)\](?:\.(\w+))?", path)
    if inside is None:
        return Flaw(what, path)
    rules = known.get("rules")
    lines = _lines(document)
    begins = _begins(lines, len(rules) if isinstance(rules, list) else 0)
    return Flaw(what, path, _line(lines, begins, int(inside[1]), inside[2]))


def _lines(document: str) -> list[str]:
    """Return the lines of a document as TOML counts them."""
    return document.split("\n")


def _begins(lines: list[str], many: int) -> list[int]:
    """Return at which line each of so many rules begins, nothing when that can't be told."""
    found = [number for number, line in enumerate(lines) if _HEADER.match(line)]
    return found if len(found) == many else []


def _line(lines: list[str], begins: list[int], place: int, key: str | None) -> int | None:
    """Return in which line a key of the rule at `place` stands, or else where that rule begins.

    None when the document is not written in a way in which that can be told.
    """
    if place >= len(begins):
        return None
    end = begins[place + 1] if place + 1 < len(begins) else len(lines)
    found = None if key is None else _line_of(lines, key, begins[place] + 1, end)
    return begins[place] + 1 if found is None else found


def _line_of(lines: list[str], key: str, start: int, end: int) -> int | None:
    assigned = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
    found = [number for number in range(start, end) if assigned.match(lines[number])]
    return found[0] + 1 if len(found) == 1 else None
