"""A security reviewer's lists: what is held, and what stands in doubt. No text is among them."""

from collections.abc import Sequence

from guard.checks import is_current
from guard.docket import EVERYTHING, MOST_COUNTED, MOST_LOOKED_AT, Search, answers, docket_of
from guard.errors import (
    UnreadableError,
)
from guard.nouns import Row
from guard.outcomes import Case, Cases, Doubts
from guard.principal import Principal
from guard.rooms import Rooms
from memory.types import Owner, SubjectId


async def held(
    principal: Principal,
    cursor: str | None,
    limit: int,
    rooms: Rooms,
    search: Search = EVERYTHING,
) -> Cases:
    """Return one page of what the reviewer's tenant holds and the search asks for.

    No text is shown: see `guard.reveal`. A row that fails its proof is listed with the reason
    `check.unreadable` or, when it was rolled back, `check.current`: a reviewer must see that it is
    there. Reasons are sealed: where some are asked for, cases are opened until a page has one, or
    enough were looked at; so a page may be short or empty before the end, and nobody knows how many
    there are.
    """
    tenant = principal.owner.tenant
    docket = await docket_of(tenant, search, rooms)
    found: list[Case] = []
    looked = 0
    while True:
        page = await rooms.quarantine.held(tenant, cursor, limit, docket)
        cases = [await _case(principal, row, rooms, search.reasons) for row in page.rows]
        found += [case for case in cases if case is not None]
        looked, cursor = looked + len(cases), page.cursor
        if found or cursor is None or looked >= MOST_LOOKED_AT:
            break
    if search.reasons:
        return Cases(tuple(found), cursor, None)
    total = await rooms.quarantine.count(tenant, docket, MOST_COUNTED)
    return Cases(tuple(found), cursor, total)


async def doubted(principal: Principal, cursor: str | None, limit: int, rooms: Rooms) -> Doubts:
    """Return one page of the active memories that a person should look at, newest first.

    Whether each can hold beside those that its reasons name is not known, and both stay; one that
    is replaced or forgotten is in no doubt any more. No text is shown: see `guard.reveal`.
    """
    page = await rooms.quarantine.doubted(principal.owner.tenant, cursor, limit)
    cases = [await _case(principal, row, rooms) for row in page.rows]
    return Doubts(tuple(case for case in cases if case is not None), page.cursor)


async def _case(
    principal: Principal, row: Row, rooms: Rooms, wanted: Sequence[str] = ()
) -> Case | None:
    """Return a row as a case, None when none of its reasons is a wanted one."""
    case = await case_of(principal, row, rooms)
    return case if answers(case.reasons, wanted) else None


async def case_of(principal: Principal, row: Row, rooms: Rooms) -> Case:
    """Return a row of the reviewer's tenant without its text: its label, and why it is so."""
    label = row.sealed.label
    owner = Owner(principal.owner.tenant, SubjectId(label.subject))
    try:
        await rooms.vault.open(owner, row.sealed)
        evidence = await rooms.vault.open_evidence(owner, row.sealed)
    except UnreadableError:
        return Case(label, ("check.unreadable",))
    if not is_current(row):
        return Case(label, ("check.current",))
    return Case(label, evidence.reasons)
