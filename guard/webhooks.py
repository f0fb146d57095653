"""An administrator's doors: where the findings of his tenant are posted, and what was given up."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol

import msgspec

from guard.errors import ConflictError, InvalidError, NotFoundError
from guard.findings import Event
from guard.hooks import (
    SECRET_BYTES,
    DeadPost,
    Hook,
    Hooks,
    SealedHook,
    Secrets,
    place_of,
    shown,
)
from guard.nouns import Leaf
from guard.ports import Audit, Clock, Envelopes, NewId, Record
from guard.principal import Principal, Scope
from memory.origin import Channel
from memory.types import ClientId, LeafId, Owner, SubjectId, TenantId

MOST: Final = 8
"""Webhooks of one tenant."""
_GATEWAY: Final = ClientId("memguard")
NOBODY: Final = SubjectId("")
"""No subject's name: what is sealed of webhooks is the tenant's own."""


class Hooking(msgspec.Struct, frozen=True):
    """What webhooks work with: where they are kept, and which places the operator vouches for."""

    store: Hooks
    allowed: frozenset[str] = frozenset()


class Desk(Protocol):
    """What these doors need: `Rooms` have it."""

    @property
    def clock(self) -> Clock:
        """Now."""
        ...

    @property
    def new_id(self) -> NewId:
        """A fresh id."""
        ...

    @property
    def audit(self) -> Audit:
        """How far the record goes."""
        ...

    @property
    def envelopes(self) -> Envelopes:
        """Seals secrets."""
        ...

    @property
    def hooking(self) -> Hooking:
        """Webhooks."""
        ...


class Webhook(msgspec.Struct, frozen=True):
    """A webhook as its administrators see it: `two_secrets_until` while a former one counts, too.

    `secret` is shown by the call that made it, and never again.
    """

    id: str
    url: str
    events: tuple[Event, ...]
    paused: str
    position: int
    changed_at: datetime
    two_secrets_until: datetime | None = None
    secret: str | None = None


async def webhooks(principal: Principal, desk: Desk) -> list[Webhook]:
    """Return the webhooks of the caller's own tenant. Raises UnreadableError for a spoilt one."""
    principal.require(Scope.TENANT_ADMIN)
    found = await desk.hooking.store.all(principal.owner.tenant)
    return [_told(one.hook, await unsealed(one, desk.envelopes), desk) for one in found]


async def put_webhook(
    principal: Principal, id: str, url: str, events: Sequence[Event], desk: Desk
) -> Webhook:
    """Have findings of the caller's own tenant posted from now on; return the webhook.

    A new one comes with its secret. One that is there keeps its secret and all that waits for it,
    and is paused no longer. Raises InvalidError for a URL that leads to where nobody may have
    posts sent, and ConflictError for one webhook too many.
    """
    principal.require(Scope.TENANT_ADMIN)
    place_of(url, desk.hooking.allowed)
    if not events:
        raise InvalidError("events: at least one")
    there = await _all(principal, desk)
    before = there.get(id)
    if before is None and len(there) >= MOST:
        raise ConflictError("webhooks")
    if before is None:
        kept = Secrets(url, secrets.token_bytes(SECRET_BYTES))
        position = (await desk.audit.head(principal.owner.tenant)).size
    else:
        kept = await unsealed(before, desk.envelopes)
        kept, position = msgspec.structs.replace(kept, url=url), before.hook.position
    chosen = tuple(one for one in Event if one in events)
    hook = Hook(principal.owner.tenant, id, chosen, position, "", desk.clock())
    reasons = tuple(f"event.{one}" for one in chosen)
    await _put(principal, hook, kept, "webhook.put", reasons, desk)
    told = _told(hook, kept, desk)
    return told if before else msgspec.structs.replace(told, secret=shown(kept.secret))


async def rotate_webhook(principal: Principal, id: str, hours: int, desk: Desk) -> Webhook:
    """Give a webhook a new secret, which is shown once; the former one counts for `hours` more.

    Only two ever count: a rotation during another ends the oldest. Raises NotFoundError.
    """
    principal.require(Scope.TENANT_ADMIN)
    before = (await _all(principal, desk)).get(id)
    if before is None:
        raise NotFoundError
    now, kept = desk.clock(), await unsealed(before, desk.envelopes)
    fresh = Secrets(
        kept.url, secrets.token_bytes(SECRET_BYTES), kept.secret, now + timedelta(hours=hours)
    )
    hook = msgspec.structs.replace(before.hook, changed_at=now)
    await _put(principal, hook, fresh, "webhook.rotate", (f"hours.{hours}",), desk)
    return msgspec.structs.replace(_told(hook, fresh, desk), secret=shown(fresh.secret))


async def remove_webhook(principal: Principal, id: str, desk: Desk) -> None:
    """Have nothing posted there any more, nor what waits. Raises NotFoundError."""
    principal.require(Scope.TENANT_ADMIN)
    tenant = principal.owner.tenant
    leaf = _leaf(principal, id, "webhook.remove", (), desk)
    await desk.hooking.store.remove(tenant, id, leaf)


async def dead_posts(principal: Principal, limit: int, desk: Desk) -> list[DeadPost]:
    """Return findings of the caller's own tenant that no endpoint took, longest dead first."""
    principal.require(Scope.TENANT_ADMIN)
    return await desk.hooking.store.dead(principal.owner.tenant, limit)


async def replay_posts(principal: Principal, id: str, sequence: int | None, desk: Desk) -> int:
    """Have them posted again as if never tried, one or all of a webhook; return how many.

    Raises NotFoundError where there is none.
    """
    principal.require(Scope.TENANT_ADMIN)
    reasons = () if sequence is None else (f"leaf.{sequence}",)
    leaf = _leaf(principal, id, "webhook.replay", reasons, desk)
    tenant, at = principal.owner.tenant, desk.clock()
    replayed = await desk.hooking.store.replay(tenant, id, sequence, at, leaf)
    if not replayed:
        raise NotFoundError
    return replayed


async def unsealed(hook: SealedHook, envelopes: Envelopes) -> Secrets:
    """Return what is sealed of a webhook. Raises UnreadableError when anything does not fit."""
    owner = Owner(hook.hook.tenant, NOBODY)
    plain = await envelopes.unwrap(owner, Record.HOOK, _bound(hook.hook.id), hook.token)
    return msgspec.msgpack.decode(plain, type=Secrets)


def leaf_of_pause(tenant: TenantId, id: str, leaf: LeafId, at: datetime, reason: str) -> Leaf:
    """Return the leaf of a webhook that the gateway itself paused."""
    return Leaf(
        id=leaf,
        tenant=tenant,
        subject="",
        actor=_GATEWAY,
        client=_GATEWAY,
        channel=Channel.INTERNAL,
        action="webhook.pause",
        object=id,
        version=0,
        outcome="done",
        policy="",
        digest=b"",
        reasons=(reason,),
        at=at,
    )


async def _all(principal: Principal, desk: Desk) -> dict[str, SealedHook]:
    found = await desk.hooking.store.all(principal.owner.tenant)
    return {one.hook.id: one for one in found}


async def _put(  # noqa: PLR0917
    principal: Principal,
    hook: Hook,
    kept: Secrets,
    action: str,
    reasons: tuple[str, ...],
    desk: Desk,
) -> None:
    plain, owner = msgspec.msgpack.encode(kept), Owner(hook.tenant, NOBODY)
    token = await desk.envelopes.wrap(owner, Record.HOOK, _bound(hook.id), plain)
    leaf = _leaf(principal, hook.id, action, reasons, desk)
    await desk.hooking.store.put(SealedHook(hook, token), leaf)


def _bound(id: str) -> tuple[bytes, ...]:
    return (id.encode(),)


def _told(hook: Hook, kept: Secrets, desk: Desk) -> Webhook:
    two = kept.former_until if len(kept.counting(desk.clock())) > 1 else None
    return Webhook(hook.id, kept.url, hook.events, hook.paused, hook.position, hook.changed_at, two)


def _leaf(
    principal: Principal, object: str, action: str, reasons: tuple[str, ...], desk: Desk
) -> Leaf:
    """Return the leaf of a change: which webhook, never where it leads."""
    tenant: TenantId = principal.owner.tenant
    return Leaf(
        id=LeafId(desk.new_id()),
        tenant=tenant,
        subject="",
        actor=principal.owner.subject,
        client=principal.client,
        channel=principal.channel,
        action=action,
        object=object,
        version=0,
        outcome="done",
        policy="",
        digest=b"",
        reasons=reasons,
        at=desk.clock(),
    )
