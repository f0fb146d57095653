"""A subject's memories as a reviewer of its tenant may see them: labels, and a text for a ground.

An attack is followed through what stands, too, and a subject may ask what is kept of it. Who looks
leaves a trace before any text is shown, as with cases: see `guard.reveal`.
"""

import msgspec

from guard.errors import ForbiddenError, NotFoundError
from guard.nouns import Row
from guard.outcomes import Case
from guard.ports import Filter
from guard.principal import Principal, Scope
from guard.reveal import Ground, Revealed, disclosed
from guard.review import case_of
from guard.revise import prove
from guard.rooms import Rooms
from memory.types import MemoryId, Owner, State, SubjectId

_ACTIVE = Filter(states=(State.ACTIVE,))


class Dossier(msgspec.Struct, frozen=True):
    """One page of a subject's active memories, newest first, without their texts."""

    items: tuple[Case, ...]
    cursor: str | None


async def dossier(
    principal: Principal, subject: SubjectId, cursor: str | None, limit: int, rooms: Rooms
) -> Dossier:
    """Return one page of what is stored of a subject of the reviewer's tenant.

    A subject that the tenant has not has none. A row that fails its proof is listed with the reason
    `check.unreadable` or `check.current`. Raises InvalidError for another list's cursor.
    """
    principal.require(Scope.QUARANTINE_READ)
    page = await rooms.ledger.page(principal.owner.tenant, subject, _ACTIVE, cursor, limit)
    return Dossier(tuple([await case_of(principal, row, rooms) for row in page.rows]), page.cursor)


async def entry(principal: Principal, id: MemoryId, rooms: Rooms) -> Case:
    """Return one active memory of the reviewer's tenant without its text.

    Raises NotFoundError for any other id.
    """
    principal.require(Scope.QUARANTINE_READ)
    return await case_of(principal, await _row(principal, id, rooms), rooms)


async def disclose(
    principal: Principal, id: MemoryId, ground: Ground, comment: str, rooms: Rooms
) -> Revealed:
    """Return the text of an active memory of another subject of the reviewer's tenant.

    Raises NotFoundError for any other id and for what fails its proof, ForbiddenError without the
    right to reveal and for the reviewer's own, UnavailableError when it could not be written down;
    then nothing was shown.
    """
    # (1) Of the own tenant, and stored: what is held is read as a case.
    principal.require(Scope.QUARANTINE_REVEAL)
    row = await _row(principal, id, rooms)
    owner = Owner(principal.owner.tenant, SubjectId(row.sealed.label.subject))

    # (2) One's own are recalled and listed like anybody's, past the checks that those make.
    if owner.subject == principal.owner.subject:
        raise ForbiddenError

    # (3) Written down, then shown.
    return await disclosed(principal, await prove(owner, row, rooms), ground, comment, rooms)


async def _row(principal: Principal, id: MemoryId, rooms: Rooms) -> Row:
    row = await rooms.quarantine.case(principal.owner.tenant, id, State.ACTIVE)
    if row is None:
        raise NotFoundError
    return row
