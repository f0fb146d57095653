"""A tenant's doors to its own rules: written as versions, put in force, rolled back (Q4).

A version never changes; what holds is told by a history that only grows, and every step of it is a
leaf of the audit. Nothing that a tenant enacts can loosen the platform's policy (W11).
"""

import hashlib
from typing import Final, Protocol

import msgspec

from guard.errors import ConflictError, InvalidError, NotFoundError, UnavailableError
from guard.governing import Governed, policy_with
from guard.leaves import leaf_of
from guard.nouns import Leaf
from guard.ports import Clock, NewId
from guard.principal import Principal, Scope
from guard.statutes import NO_RULES, Enactment, Ruleset, Statutes, name_of
from memory.types import TenantId
from policies.draft import drafted, enacted
from policies.load import Override

MAX_VERSIONS: Final = 10_000
"""Versions of one tenant, which nobody can remove."""
MAX_COMMENT: Final = 1_000
_ATTEMPTS: Final = 4
_UNDECIDED: Final = "commit"


class Desk(Governed, Protocol):
    """What these doors need: `Rooms` have it, and so has a command without a gateway."""

    @property
    def clock(self) -> Clock:
        """Now."""
        ...

    @property
    def new_id(self) -> NewId:
        """A fresh id."""
        ...

    @property
    def statutes(self) -> Statutes:
        """The versions and the history."""
        ...


class PolicyMovedError(ConflictError):
    """Another version holds than the one that the caller saw."""

    code = "policy_moved"


class Standing(msgspec.Struct, frozen=True):
    """What holds for a tenant. `number` is the version of its own rules, 0 for none of them;
    `policy` is the whole policy in force, `back` the version that rolling back would have hold,
    None where there is nothing to go back to. `enactment` is the last change, None before any.
    """

    number: int
    policy: str
    back: int | None
    enactment: Enactment | None


async def put(principal: Principal, text: str, comment: str, desk: Desk) -> Ruleset:
    """Keep a draft as the tenant's next version, and return it. It does not hold yet.

    Raises DraftError for one that does not only tighten, InvalidError for a comment that is none,
    ConflictError when others put, too.
    """
    principal.require(Scope.POLICY_WRITE)
    tenant = principal.owner.tenant
    if len(comment) > MAX_COMMENT or not comment.isprintable():
        raise InvalidError(f"comment: one line of at most {MAX_COMMENT} characters")
    drafted(text, tenant, desk.policy)
    for attempt in range(_ATTEMPTS):
        newest = await desk.statutes.of(tenant, None, 1)
        number = newest[0].number + 1 if newest else NO_RULES + 1
        if number > MAX_VERSIONS:
            raise InvalidError(f"there are {MAX_VERSIONS} versions already")
        ruleset = Ruleset(
            tenant=tenant,
            number=number,
            author=principal.owner.subject,
            client=principal.client,
            at=desk.clock(),
            comment=comment,
            text=text,
            digest=digest_of(text),
        )
        leaf = _leaf(principal, "policy.put", ruleset, desk)
        try:
            await desk.statutes.add(ruleset, leaf)
        except ConflictError:
            if attempt + 1 == _ATTEMPTS:
                raise
            continue
        return ruleset
    raise AssertionError("unreachable")


async def activate(principal: Principal, number: int, seen: int, desk: Desk) -> Standing:
    """Have a version hold, or none for 0, and return what holds now.

    `seen` is the version that the caller takes to hold: PolicyMovedError unless it does. Raises
    NotFoundError for a version that there isn't, DraftError for one that fits no longer.
    """
    principal.require(Scope.POLICY_WRITE)
    tenant = principal.owner.tenant
    digest = b""
    if number != NO_RULES:
        ruleset = await known(tenant, number, desk)
        drafted(ruleset.text, tenant, desk.policy)
        digest = ruleset.digest
    last = await _last(tenant, seen, desk)
    place = 0 if last is None else last.place
    author, at = principal.owner.subject, desk.clock()
    made = Enactment(tenant, place + 1, number, digest, place, author, at)
    return await _enact(principal, made, seen, "policy.activate", desk)


async def roll_back(principal: Principal, seen: int, desk: Desk) -> Standing:
    """Have the version hold again that held before the last activation; return what holds now.

    Rolled back once more, it is the one before that. Raises PolicyMovedError as `activate` does,
    and InvalidError when there is nothing to go back to.
    """
    principal.require(Scope.POLICY_WRITE)
    tenant = principal.owner.tenant
    last = await _last(tenant, seen, desk)
    if last is None or (last.back == 0 and last.number == NO_RULES):
        raise InvalidError("there is nothing to roll back to")
    target = await _at(tenant, last.back, desk)
    number, digest, back = (
        (NO_RULES, b"", 0) if target is None else (target.number, target.digest, target.back)
    )
    if number != NO_RULES:
        drafted((await known(tenant, number, desk)).text, tenant, desk.policy)
    author, at = principal.owner.subject, desk.clock()
    made = Enactment(tenant, last.place + 1, number, digest, back, author, at)
    return await _enact(principal, made, seen, "policy.rollback", desk)


def digest_of(text: str) -> bytes:
    """Return the digest of a version's text, that of its bytes."""
    return hashlib.sha256(text.encode()).digest()


async def candidate(tenant: TenantId, number: int, desk: Desk) -> Override | None:
    """Return the rules of a version as they would hold; None for 0.

    Raises NotFoundError, and DraftError for one that fits no longer.
    """
    if number == NO_RULES:
        return None
    text = (await known(tenant, number, desk)).text
    drafted(text, tenant, desk.policy)
    return enacted(text, tenant, number, frozenset(desk.policy.stages))


async def _enact(
    principal: Principal, made: Enactment, seen: int, action: str, desk: Desk
) -> Standing:
    leaf = _leaf(principal, action, made, desk, f"policy.was.{seen}")
    try:
        await desk.statutes.enact(made, leaf)
    except ConflictError:
        raise PolicyMovedError("conflict") from None
    try:
        # Here it holds before the answer goes out; on the other replicas soon after.
        await desk.enacted.look()
        return await standing(made.tenant, desk)
    except UnavailableError:
        raise UnavailableError(_UNDECIDED) from None


async def standing(tenant: TenantId, desk: Desk) -> Standing:
    """Return what holds for a tenant."""
    last = await _last(tenant, None, desk)
    number = NO_RULES if last is None else last.number
    back: int | None = None
    if last is not None and (last.back or last.number != NO_RULES):
        target = await _at(tenant, last.back, desk)
        back = NO_RULES if target is None else target.number
    policy = policy_with(tenant, desk.enacted.own(tenant), desk)
    return Standing(number, policy.edition, back, last)


async def _last(tenant: TenantId, seen: int | None, desk: Desk) -> Enactment | None:
    """Return the last change of what holds; PolicyMovedError unless `seen` is what it made hold."""
    found = await desk.statutes.enacted(tenant, None, 1)
    last = found[0] if found else None
    holds = NO_RULES if last is None else last.number
    if seen is not None and seen != holds:
        raise PolicyMovedError("conflict")
    return last


async def _at(tenant: TenantId, place: int, desk: Desk) -> Enactment | None:
    found = await desk.statutes.enacted(tenant, place + 1, 1)
    return found[0] if found and found[0].place == place else None


async def known(tenant: TenantId, number: int, desk: Desk) -> Ruleset:
    """Return a version of a tenant. Raises NotFoundError."""
    found = await desk.statutes.one(tenant, number)
    if found is None:
        raise NotFoundError
    return found


def _leaf(
    principal: Principal, action: str, of: Ruleset | Enactment, desk: Desk, *reasons: str
) -> Leaf:
    leaf = leaf_of(
        principal,
        desk.new_id(),
        of.at,
        action=action,
        object=name_of(of.tenant, of.number),
        outcome="done",
        digest=of.digest,
        reasons=reasons,
    )
    # A policy is nobody's memory.
    return msgspec.structs.replace(leaf, subject="")
