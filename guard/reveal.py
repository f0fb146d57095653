"""What a reviewer may read of a case, and what he leaves behind before he reads it (Q3).

Nothing else shows a reviewer a text. The leaf is durable before the text is answered: whoever can't
be written down does not read.
"""

from enum import StrEnum
from typing import Final

import msgspec

from guard.errors import NotFoundError
from guard.leaves import leaf_of
from guard.nouns import Row
from guard.principal import Principal, Scope
from guard.retire import REASON_DOUBT
from guard.revise import Proven, prove
from guard.rooms import Rooms
from guard.ruling import sealed_remark
from memory.types import MemoryId, Owner, State, SubjectId, TenantId

_PREFIX: Final = "reveal."


class Ground(StrEnum):
    """Why somebody reads what is another's. Stands in the audit."""

    REVIEW = "review"
    """To decide on the case."""
    INCIDENT = "incident"
    """To follow an attack."""
    REQUEST = "request"
    """The subject asked for it."""
    AUDIT = "audit"
    """To check on decisions of others."""


class Revealed(msgspec.Struct, frozen=True):
    """The text of a case, and the names that its writer gave to its source and session."""

    id: MemoryId
    text: str
    reference: str | None
    session: str | None


async def reveal(
    principal: Principal, id: MemoryId, ground: Ground, comment: str, rooms: Rooms
) -> Revealed:
    """Return the text of what the reviewer's tenant holds, or has in doubt.

    Raises NotFoundError for any other id and for what fails its proof, ForbiddenError without the
    right to reveal, UnavailableError when it could not be written down; then nothing was shown.
    """
    # (1) Only cases: the other memories of the tenant are none of a reviewer's business.
    principal.require(Scope.QUARANTINE_REVEAL)
    memory = await _case_of(principal, id, rooms)
    owner = memory.owner

    # (2) Write down who reads it and on which ground; the comment is the subject's to keep.
    leaf = leaf_of(
        principal,
        rooms.new_id(),
        rooms.clock(),
        action="reveal",
        object=id,
        outcome="shown",
        owner=owner,
        reasons=(_PREFIX + ground,),
    )
    await rooms.remarks.keep(leaf, await sealed_remark(comment, leaf, owner, rooms))

    # (3) Only then show it.
    body = memory.opened.body
    return Revealed(id, body.text, body.reference, body.session)


async def _case_of(principal: Principal, id: MemoryId, rooms: Rooms) -> Proven:
    tenant = principal.owner.tenant
    held = await rooms.quarantine.case(tenant, id)
    row = held or await rooms.quarantine.case(tenant, id, State.ACTIVE)
    if row is None:
        raise NotFoundError
    memory = await prove(_owner_of(tenant, row), row, rooms)
    if held is None and REASON_DOUBT not in memory.evidence.reasons:
        raise NotFoundError
    return memory


def _owner_of(tenant: TenantId, row: Row) -> Owner:
    return Owner(tenant, SubjectId(row.sealed.label.subject))
