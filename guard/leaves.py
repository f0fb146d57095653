"""Audit leaves of the use-cases: who did what to which memory, with which outcome."""

from datetime import datetime

from guard.nouns import Leaf
from guard.principal import Principal
from memory.types import LeafId, Owner


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
