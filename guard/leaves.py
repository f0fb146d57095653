"""Audit leaves of the use-cases: who did what to which memory, with which outcome."""

from datetime import datetime
from typing import Final

from guard.nouns import Label, Leaf, Tagged
from guard.principal import Principal
from memory.origin import Channel
from memory.types import ClientId, LeafId, MemoryId, Owner, State

STATE_AFTER: Final = {
    "stored": State.ACTIVE,
    "redacted": State.ACTIVE,
    "merged": State.ACTIVE,
    "faded": State.ACTIVE,
    "superseding": State.ACTIVE,
    "quarantined": State.HELD,
} | {state.value: state for state in State}
"""What state the outcome of a change leaves its memory in; other outcomes are not judged."""
_GATEWAY: Final = ClientId("memguard")


def leaf_of(
    principal: Principal,
    id: str,
    at: datetime,
    *,
    action: str,
    object: str,
    outcome: str,
    owner: Owner | None = None,
    version: int = 0,
    policy: str = "",
    digest: bytes = b"",
    reasons: tuple[str, ...] = (),
) -> Leaf:
    """Return a fresh leaf. `owner` is whose memory it is, when not the principal's own.

    `version` is the label version that the change makes, 0 for what changes no memory.
    """
    return Leaf(
        id=LeafId(id),
        tenant=principal.owner.tenant,
        subject=(owner or principal.owner).subject,
        actor=principal.owner.subject,
        client=principal.client,
        channel=principal.channel,
        action=action,
        object=object,
        version=version,
        outcome=outcome,
        policy=policy,
        digest=digest,
        reasons=reasons,
        at=at,
    )


def leaf_of_write(
    tagged: Tagged,
    id: LeafId,
    *,
    object: str,
    outcome: str,
    action: str = "remember",
    version: int = 0,
    policy: str = "",
    digest: bytes = b"",
    reasons: tuple[str, ...] = (),
) -> Leaf:
    """Return the leaf of what became of a draft: who wrote it stands in its origin."""
    return Leaf(
        id=id,
        tenant=tagged.owner.tenant,
        subject=tagged.owner.subject,
        actor=tagged.owner.subject,
        client=tagged.origin.client,
        channel=tagged.origin.channel,
        action=action,
        object=object,
        version=version,
        outcome=outcome,
        policy=policy,
        digest=digest,
        reasons=reasons,
        at=tagged.at,
    )


def leaf_of_queue(
    owner: Owner,
    write: MemoryId,
    id: LeafId,
    at: datetime,
    *,
    outcome: str,
    channel: Channel = Channel.INTERNAL,
    reasons: tuple[str, ...] = (),
) -> Leaf:
    """Return the leaf of what the gateway itself, or its operator, did to a write that waits."""
    return Leaf(
        id=id,
        tenant=owner.tenant,
        subject=owner.subject,
        actor=_GATEWAY,
        client=_GATEWAY,
        channel=channel,
        action="queue",
        object=write,
        version=0,
        outcome=outcome,
        policy="",
        digest=b"",
        reasons=reasons,
        at=at,
    )


def leaf_of_rescreening(label: Label, at: datetime, reasons: tuple[str, ...]) -> Leaf:
    """Return the leaf of what the gateway itself made of a memory that it judged again."""
    return _of_gateway("rescreen", label, at, reasons)


def leaf_of_rereading(label: Label, at: datetime) -> Leaf:
    """Return the leaf of a memory that the gateway itself read again, and left as it was."""
    return _of_gateway("reread", label, at, ())


def leaf_of_expiry(label: Label, at: datetime, reasons: tuple[str, ...]) -> Leaf:
    """Return the leaf of a held memory that the gateway itself gave up."""
    return _of_gateway("expire", label, at, reasons)


def _of_gateway(action: str, label: Label, at: datetime, reasons: tuple[str, ...]) -> Leaf:
    return Leaf(
        id=label.leaf,
        tenant=label.tenant,
        subject=label.subject,
        actor=_GATEWAY,
        client=_GATEWAY,
        channel=Channel.INTERNAL,
        action=action,
        object=label.id,
        version=label.version,
        outcome=label.state,
        policy=label.policy,
        digest=label.digest,
        reasons=tuple(dict.fromkeys(reasons)),
        at=at,
    )
