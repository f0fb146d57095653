"""What a reviewer may read of a case, and what he leaves behind before he reads it (Q3).

Nothing else shows a reviewer a text. The leaf is durable before the text is answered: whoever can't
be written down does not read.
"""

from enum import StrEnum
from typing import Final

import msgspec

from guard.content import content_of
from guard.errors import NotFoundError
from guard.leaves import leaf_of
from guard.nouns import Leaf, Row
from guard.opposed import Opposition, opposed_to
from guard.principal import Principal, Scope
from guard.retire import REASON_DOUBT, name_of
from guard.revise import Proven, origin_of, prove, tag_stored
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


class Quote(msgspec.Struct, frozen=True):
    """What a detector found something in: code points [start, end) of what was written."""

    reason: str
    start: int
    end: int
    text: str


class Beside(msgspec.Struct, frozen=True):
    """A memory that a case contradicts, and the reason that names it."""

    id: MemoryId
    why: str
    text: str


class Revealed(msgspec.Struct, frozen=True):
    """The text of a case, and the names that its writer gave to its source and session.

    `evidence` are the places in it that were found to be suspicious, `against` what it contradicts.
    """

    id: MemoryId
    text: str
    reference: str | None
    session: str | None
    evidence: tuple[Quote, ...] = ()
    against: tuple[Beside, ...] = ()


async def reveal(
    principal: Principal, id: MemoryId, ground: Ground, comment: str, rooms: Rooms
) -> Revealed:
    """Return the text of what the reviewer's tenant holds, or has in doubt.

    Raises NotFoundError for any other id and for what fails its proof, ForbiddenError without the
    right to reveal, UnavailableError when it could not be written down; then nothing was shown.
    """
    # Only cases: what else the tenant stores is asked for by name, see `guard.dossier`.
    principal.require(Scope.QUARANTINE_REVEAL)
    return await disclosed(principal, await _case_of(principal, id, rooms), ground, comment, rooms)


async def disclosed(
    principal: Principal, memory: Proven, ground: Ground, comment: str, rooms: Rooms
) -> Revealed:
    """Return the text of a memory that the reviewer may read, once that is written down.

    Raises UnavailableError when it could not be; then nothing was shown.
    """
    id, owner = memory.opened.label.id, memory.owner

    # (1) What it contradicts is read beside it, as far as each proves itself.
    opposition = await opposed_to(memory, rooms)
    beside = _readable(opposition)

    # (2) Write down who reads what and on which ground, a leaf for each memory that is shown; the
    # comment is the subject's to keep. The case's own leaf comes last: what it tells of is whole.
    def leaf(of: MemoryId, *reasons: str) -> Leaf:
        return leaf_of(
            principal,
            rooms.new_id(),
            rooms.clock(),
            action="reveal",
            object=of,
            outcome="shown",
            owner=owner,
            reasons=(_PREFIX + ground, *reasons),
        )

    if beside:
        await rooms.audit.note([leaf(one.id, name_of(id)) for one in beside])
    own = leaf(id)
    await rooms.remarks.keep(own, await sealed_remark(comment, own, owner, rooms))

    # (3) Only then show it.
    body = memory.opened.body
    return Revealed(id, body.text, body.reference, body.session, _quotes(memory), beside)


def _readable(opposition: Opposition) -> tuple[Beside, ...]:
    return tuple(
        Beside(one.row.sealed.label.id, one.why, one.opened.body.text)
        for one in opposition.items
        if one.opened is not None
    )


def _quotes(memory: Proven) -> tuple[Quote, ...]:
    """Return the places of all findings, each with what stands there."""
    written = content_of(tag_stored(memory, origin_of(memory.opened)).draft)
    return tuple(
        Quote(finding.reason, span.start, span.end, written[span.start : span.end])
        for finding in memory.evidence.findings
        for span in finding.spans
    )


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
