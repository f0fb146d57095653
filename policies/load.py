"""Read a policy file. Whatever is not understood is refused: a rule that is skipped is a hole.

A profile names itself, the effect of findings that no rule names, the stages that must have run and
the rules, or a shipped profile as its base and what differs. A tenant's file has rules alone, which
decide beside a profile. See docs/guides/policy.md.
"""

import hashlib
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Any, Final, TypeVar

import msgspec

from policies.model import Effect, Enforcement, Name, Policy, Rule, Score, Severity, Trust

_T = TypeVar("_T")

MAX_BYTES: Final = 262_144
"""Far above any profile; keeps a file from an upload from being a burden to parse."""
_VERSION_DIGITS: Final = 12
_NAME: Final = r"^[a-z][a-z0-9-]{0,31}$"
_UNSAFE: Final = "unsafe-"
_TENANT: Final = "tenant"
"""Names what is a tenant's own, in versions and before the ids of its rules."""


class PolicyError(ValueError):
    """The document is not a policy. Says where and why; nothing of it was taken over."""


class _Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Name
    stage: Name
    effect: Effect
    code: Name = "*"
    at_least: str = "info"
    min_trust: Trust = 0
    max_trust: Trust = 4
    at_score: Score = 0.0


_Rules = Annotated[tuple[_Rule, ...], msgspec.Meta(min_length=1, max_length=512)]
_Words = Annotated[str, msgspec.Meta(max_length=500)]


class _Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file as it is written: what is None is its base's."""

    name: Annotated[str, msgspec.Meta(pattern=_NAME)]
    base: str | None = None
    otherwise: Effect | None = None
    stages: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=64)] | None = None
    rules: _Rules | None = None
    enforcement: Enforcement | None = None
    description: _Words = ""


class Own(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tenant's file as it is written."""

    tenant: Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
    rules: _Rules
    description: _Words = ""


class Override(msgspec.Struct, frozen=True):
    """Rules of one tenant. They can be added to any policy, and only make it stricter."""

    tenant: str
    version: str
    rules: tuple[Rule, ...]


def load(document: bytes | str, stages: frozenset[str]) -> Policy:
    """Return the policy in a TOML document, checked against the stages that exist.

    Raises PolicyError for anything unknown, missing or contradictory. A policy must require every
    stage of `stages`: one that leaves a detector out would let through what that detector sees.
    """
    written = _whole(parsed(document, _Profile))
    # The fields are there: `_whole` has seen to it.
    required, rules = written.stages or (), written.rules or ()
    _check_stages(required, stages)
    check_rules(rules, stages)
    enforcement = written.enforcement or Enforcement.FULL
    if (enforcement is not Enforcement.FULL) != written.name.startswith(_UNSAFE):
        raise PolicyError(f"`{_UNSAFE}…` is the name of a policy that is not enforced in full")
    return Policy(
        name=written.name,
        version=f"{written.name}@{_digest(msgspec.structs.replace(written, base=None))}",
        stages=required,
        rules=tuple(_rule(rule, rule.id) for rule in rules),
        otherwise=written.otherwise or Effect.QUARANTINE,
        enforcement=enforcement,
    )


def load_override(document: bytes | str, stages: frozenset[str]) -> Override:
    """Return the rules of one tenant in a TOML document. Raises PolicyError as `load` does."""
    written = parsed(document, Own)
    check_rules(written.rules, stages)
    return override_of(written, _TENANT)


def override_of(written: "Own", mark: str, number: str = "") -> Override:
    """Return checked rules of a tenant. `mark` stands before their ids, `number` in the version."""
    return Override(
        tenant=written.tenant,
        version=f"{_TENANT}@{number}{_digest(written)}",
        rules=tuple(_rule(rule, f"{mark}:{rule.id}") for rule in written.rules),
    )


def is_override(document: bytes | str) -> bool:
    """Tell whether a document is meant to be one tenant's rules. Raises PolicyError for no TOML."""
    return "tenant" in tree(document)


def tightened(policy: Policy, *overrides: Override) -> Policy:
    """Return the policy with a tenant's own rules beside it, in the order given."""
    own = None
    for override in reversed(overrides):
        own = Policy(
            name=_TENANT,
            version=override.version,
            stages=policy.stages,
            rules=override.rules,
            # What no rule of the tenant names is left to the platform.
            otherwise=Effect.ALLOW,
            tightened_by=own,
        )
    return msgspec.structs.replace(policy, tightened_by=own)


def shipped(name: str) -> bytes:
    """Return the text of a profile that comes with the product. Raises PolicyError if unknown."""
    if (content := profiles().get(name)) is None:
        raise PolicyError(f"no shipped profile has this name; there are: {', '.join(profiles())}")
    return content


def profiles() -> Mapping[str, bytes]:
    """Return every profile that comes with the product, by name."""
    folder = files("policies") / "profiles"
    found = {e.name.removesuffix(".toml"): e for e in folder.iterdir() if e.name.endswith(".toml")}
    return {name: found[name].read_bytes() for name in sorted(found)}


def _whole(written: _Profile) -> _Profile:
    """Return a profile with what it leaves to its base: a rule of the same id replaces the base's.

    Raises PolicyError when something is said nowhere.
    """
    _check_ids(written.rules or ())
    if written.base is not None:
        base = _whole(parsed(shipped(written.base), _Profile))
        rules = {rule.id: rule for rule in (*(base.rules or ()), *(written.rules or ()))}
        written = msgspec.structs.replace(
            written,
            otherwise=written.otherwise or base.otherwise,
            stages=written.stages or base.stages,
            rules=tuple(rules.values()),
            enforcement=written.enforcement or base.enforcement,
        )
    missing = [f for f in ("otherwise", "stages", "rules") if getattr(written, f) is None]
    if missing:
        raise PolicyError(f"required without a `base`: {', '.join(missing)}")
    return written


def _digest(written: _Profile | Own) -> str:
    content = msgspec.json.encode(msgspec.structs.replace(written, description=""), order="sorted")
    return hashlib.sha256(content).hexdigest()[:_VERSION_DIGITS]


def parsed(document: bytes | str, kind: type[_T]) -> _T:
    """Return a TOML document as the kind that it is meant to be. Raises PolicyError."""
    try:
        return msgspec.convert(tree(document), kind)
    except msgspec.ValidationError as error:
        raise PolicyError(str(error)) from error


def tree(document: bytes | str) -> dict[str, Any]:
    """Return what stands in a TOML document. Raises PolicyError for what is none."""
    if len(document) > MAX_BYTES:
        raise PolicyError(f"the document is larger than {MAX_BYTES} bytes")
    try:
        return tomllib.loads(document if isinstance(document, str) else document.decode())
    except UnicodeDecodeError as error:
        raise PolicyError("the document is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"the document is not TOML: {error}") from error
    except RecursionError as error:
        raise PolicyError("the document nests too deep") from error
    except ValueError as error:
        # Of numbers too long to be read the parser tells by this alone.
        raise PolicyError("the document is not TOML: a number is too long") from error


def _check_stages(required: tuple[str, ...], stages: frozenset[str]) -> None:
    if len(set(required)) != len(required):
        raise PolicyError("`stages` names a stage twice")
    if unknown := sorted(set(required) - stages):
        raise PolicyError(f"`stages` names unknown stages: {', '.join(unknown)}")
    if missing := sorted(stages - set(required)):
        raise PolicyError(f"`stages` must require every stage; missing: {', '.join(missing)}")


def _check_ids(rules: tuple[_Rule, ...]) -> None:
    seen: set[str] = set()
    for rule in rules:
        if rule.id in seen:
            raise PolicyError(f"two rules have the id `{rule.id}`")
        seen.add(rule.id)


def check_rules(rules: tuple[_Rule, ...], stages: frozenset[str]) -> None:
    """Raise PolicyError for rules that contradict each other or name what there is not."""
    _check_ids(rules)
    for rule in rules:
        if rule.stage not in stages:
            raise PolicyError(f"rule `{rule.id}` names the unknown stage `{rule.stage}`")
        if rule.at_least.upper() not in Severity.__members__:
            known = ", ".join(s.name.lower() for s in Severity)
            raise PolicyError(f"rule `{rule.id}`: `at_least` must be one of {known}")
        if rule.min_trust > rule.max_trust:
            raise PolicyError(f"rule `{rule.id}` can never match: min_trust is above max_trust")


def _rule(rule: _Rule, id: str) -> Rule:
    return Rule(
        id=id,
        stage=rule.stage,
        effect=rule.effect,
        code=rule.code,
        at_least=Severity[rule.at_least.upper()],
        min_trust=rule.min_trust,
        max_trust=rule.max_trust,
        at_score=rule.at_score,
    )
