"""Read a policy file. Whatever is not understood is refused: a rule that is skipped is a hole.

A file names its profile, the effect of findings that no rule names, the stages that must have run
and the rules. See docs/guides/policy.md.
"""

import hashlib
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Final

import msgspec

from policies.model import Effect, Name, Policy, Rule, Score, Severity, Trust

MAX_BYTES: Final = 262_144
"""Far above any profile; keeps a file from an upload from being a burden to parse."""
_VERSION_DIGITS: Final = 12
_PROFILE: Final = r"^[a-z][a-z0-9-]{0,31}$"


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


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(pattern=_PROFILE)]
    otherwise: Effect
    stages: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=64)]
    rules: Annotated[tuple[_Rule, ...], msgspec.Meta(min_length=1, max_length=512)]
    description: Annotated[str, msgspec.Meta(max_length=500)] = ""


def load(document: bytes | str, stages: frozenset[str]) -> Policy:
    """Return the policy in a TOML document, checked against the stages that exist.

    Raises PolicyError for anything unknown, missing or contradictory. A policy must require every
    stage of `stages`: one that leaves a detector out would let through what that detector sees.
    """
    parsed = _parsed(document)
    _check_stages(parsed, stages)
    _check_rules(parsed, stages)
    content = msgspec.json.encode(msgspec.structs.replace(parsed, description=""), order="sorted")
    digest = hashlib.sha256(content).hexdigest()[:_VERSION_DIGITS]
    return Policy(
        name=parsed.name,
        version=f"{parsed.name}@{digest}",
        stages=parsed.stages,
        rules=tuple(_rule(rule) for rule in parsed.rules),
        otherwise=parsed.otherwise,
    )


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


def _parsed(document: bytes | str) -> _Document:
    if len(document) > MAX_BYTES:
        raise PolicyError(f"the document is larger than {MAX_BYTES} bytes")
    try:
        text = document if isinstance(document, str) else document.decode()
        return msgspec.convert(tomllib.loads(text), _Document)
    except UnicodeDecodeError as error:
        raise PolicyError("the document is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"the document is not TOML: {error}") from error
    except RecursionError as error:
        raise PolicyError("the document nests too deep") from error
    except msgspec.ValidationError as error:
        raise PolicyError(str(error)) from error


def _check_stages(parsed: _Document, stages: frozenset[str]) -> None:
    if len(set(parsed.stages)) != len(parsed.stages):
        raise PolicyError("`stages` names a stage twice")
    if unknown := sorted(set(parsed.stages) - stages):
        raise PolicyError(f"`stages` names unknown stages: {', '.join(unknown)}")
    if missing := sorted(stages - set(parsed.stages)):
        raise PolicyError(f"`stages` must require every stage; missing: {', '.join(missing)}")


def _check_rules(parsed: _Document, stages: frozenset[str]) -> None:
    seen: set[str] = set()
    for rule in parsed.rules:
        if rule.id in seen:
            raise PolicyError(f"two rules have the id `{rule.id}`")
        seen.add(rule.id)
        if rule.stage not in stages:
            raise PolicyError(f"rule `{rule.id}` names the unknown stage `{rule.stage}`")
        if rule.at_least.upper() not in Severity.__members__:
            known = ", ".join(s.name.lower() for s in Severity)
            raise PolicyError(f"rule `{rule.id}`: `at_least` must be one of {known}")
        if rule.min_trust > rule.max_trust:
            raise PolicyError(f"rule `{rule.id}` can never match: min_trust is above max_trust")


def _rule(rule: _Rule) -> Rule:
    return Rule(
        id=rule.id,
        stage=rule.stage,
        effect=rule.effect,
        code=rule.code,
        at_least=Severity[rule.at_least.upper()],
        min_trust=rule.min_trust,
        max_trust=rule.max_trust,
        at_score=rule.at_score,
    )
