"""What a tenant may look at of its own rules: versions, what differs, what held (Q4). No change."""

from difflib import unified_diff

import msgspec

from guard.enact import Desk, Standing, known, standing
from guard.governing import policy_with
from guard.principal import Principal, Scope
from guard.statutes import NO_RULES, Enactment, Ruleset, name_of
from memory.types import TenantId
from policies.draft import DraftError, drafted
from policies.model import Rule


class Rulesets(msgspec.Struct, frozen=True):
    """One page of versions, newest first, what holds, and where the next page starts."""

    items: tuple[Ruleset, ...]
    standing: Standing
    cursor: int | None


class Enactments(msgspec.Struct, frozen=True):
    """One page of what held, newest first, and where the next page starts."""

    items: tuple[Enactment, ...]
    cursor: int | None


class Checked(msgspec.Struct, frozen=True):
    """What a draft comes to: its rules, and the whole policy that it would make."""

    rules: tuple[Rule, ...]
    policy: str


class Difference(msgspec.Struct, frozen=True):
    """What differs between two versions: rules by id, and the texts as a unified diff."""

    before: int
    after: int
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    text: str


async def check(principal: Principal, text: str, desk: Desk) -> Checked:
    """Return what a draft comes to. Raises DraftError; nothing is kept."""
    principal.require(Scope.POLICY_READ)
    own = drafted(text, principal.owner.tenant, desk.policy)
    return Checked(own.rules, policy_with(principal.owner.tenant, own, desk).edition)


async def versions(principal: Principal, below: int | None, limit: int, desk: Desk) -> Rulesets:
    """Return versions of the caller's tenant, newest first, with numbers below `below`."""
    principal.require(Scope.POLICY_READ)
    found = await desk.statutes.of(principal.owner.tenant, below, limit + 1)
    shown = tuple(found[:limit])
    holds = await standing(principal.owner.tenant, desk)
    return Rulesets(shown, holds, shown[-1].number if len(found) > limit else None)


async def version(principal: Principal, number: int, desk: Desk) -> Ruleset:
    """Return one version of the caller's tenant. Raises NotFoundError."""
    principal.require(Scope.POLICY_READ)
    return await known(principal.owner.tenant, number, desk)


async def enactments(principal: Principal, below: int | None, limit: int, desk: Desk) -> Enactments:
    """Return what held for the caller's tenant, newest first, at places below `below`."""
    principal.require(Scope.POLICY_READ)
    found = await desk.statutes.enacted(principal.owner.tenant, below, limit + 1)
    shown = tuple(found[:limit])
    return Enactments(shown, shown[-1].place if len(found) > limit else None)


async def diff(principal: Principal, before: int, after: int, desk: Desk) -> Difference:
    """Return what differs between two versions; 0 is none. Raises NotFoundError."""
    principal.require(Scope.POLICY_READ)
    tenant = principal.owner.tenant
    texts = [
        "" if number == NO_RULES else (await known(tenant, number, desk)).text
        for number in (before, after)
    ]
    one, other = (_by_id(text, tenant, desk) for text in texts)
    lines = unified_diff(
        texts[0].splitlines(),
        texts[1].splitlines(),
        fromfile=name_of(tenant, before),
        tofile=name_of(tenant, after),
        lineterm="",
    )
    return Difference(
        before=before,
        after=after,
        added=tuple(sorted(other.keys() - one.keys())),
        removed=tuple(sorted(one.keys() - other.keys())),
        changed=tuple(sorted(id for id in one.keys() & other.keys() if one[id] != other[id])),
        text="\n".join(lines),
    )


def _by_id(text: str, tenant: TenantId, desk: Desk) -> dict[str, Rule]:
    """Return the rules of a version by id; of one that fits no longer, none: its text tells."""
    try:
        rules = drafted(text, tenant, desk.policy).rules if text else ()
    except DraftError:
        rules = ()
    return {rule.id.partition(":")[2]: rule for rule in rules}
