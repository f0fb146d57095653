"""Memories whose origin is barred: withheld at once, whether or not they are held yet (Q5, R5).

A ban is asked for whenever a memory is to be shown or a draft to be written; what does not answer
lets nothing through. A draft is under a ban by its client, source or session, or by a parent.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from guard.nouns import Facts, Label, Row, Screened, Tagged
from guard.origins import REASON_BARRED, Ban, Kind
from guard.rooms import Rooms
from memory.types import MemoryId, TenantId
from policies.decide import strictest
from policies.model import Effect

_NOBODY: Final[Mapping[MemoryId, str]] = {}


async def standing(tenant: TenantId, rooms: Rooms) -> Sequence[Ban]:
    """Return the bans that stand in a tenant now."""
    return await rooms.bans.standing(tenant)


async def barred(
    tenant: TenantId, rows: Sequence[Row], bans: Sequence[Ban], rooms: Rooms
) -> Mapping[MemoryId, str]:
    """Return those of a tenant's memories whose origin is barred, each with the ban's id."""
    if not bans or not rows:
        return _NOBODY
    labels = [row.sealed.label for row in rows]
    direct = {label.id: by for label in labels if (by := ban_on(label, bans)) is not None}
    rest = [label.id for label in labels if label.id not in direct]
    return direct | dict(await rooms.bans.derived(tenant, rest, bans))


def ban_on(label: Label, bans: Sequence[Ban]) -> str | None:
    """Return the id of the first ban on a memory's own origin, None when there is none."""
    return next((ban.id for ban in bans if ban.place.covers(label)), None)


async def ban_on_draft(tagged: Tagged, bans: Sequence[Ban], rooms: Rooms) -> Ban | None:
    """Return the first ban that a draft falls under, None when there is none."""
    if not bans:
        return None
    owner, origin = tagged.owner, tagged.origin
    names = {Kind.CLIENT: str(origin.client)}
    if origin.reference is not None:
        names[Kind.SOURCE] = await rooms.marks.source(owner.tenant, origin.reference)
    if origin.session is not None:
        names[Kind.SESSION] = await rooms.marks.source(owner.tenant, origin.session)
    for ban in bans:
        if names.get(ban.place.kind) == ban.place.name:
            return ban
    parents = await rooms.ledger.rows(owner.tenant, owner.subject, origin.parents)
    found = set((await barred(owner.tenant, parents, bans, rooms)).values())
    return next((ban for ban in bans if ban.id in found), None)


async def without_barred(tagged: Tagged, facts: Facts, bans: Sequence[Ban], rooms: Rooms) -> Facts:
    """Return the facts without active memories that are to be held: nothing is merged into them,
    and none stands in anybody's way.
    """
    if not bans:
        return facts
    gone = await barred(tagged.owner.tenant, (*facts.twins, *facts.kin), bans, rooms)
    active = {row.sealed.label.id for row in (*facts.twins, *facts.kin) if _stands(row)}
    hidden = active & gone.keys()
    return msgspec.structs.replace(
        facts,
        twins=tuple(row for row in facts.twins if row.sealed.label.id not in hidden),
        kin=tuple(row for row in facts.kin if row.sealed.label.id not in hidden),
    )


def held_by(screened: Screened, ban: Ban) -> tuple[Screened, bool]:
    """Return a draft as held by a ban, and whether nothing else would have held it.

    What policy refuses, or nobody keeps, stays refused.
    """
    effect = screened.decision.effect
    if effect in (Effect.REJECT, Effect.SKIP):
        return screened, False
    reasons = (*screened.decision.reasons, REASON_BARRED, ban.reason)
    worst = strictest((effect, Effect.QUARANTINE))
    decision = msgspec.structs.replace(screened.decision, effect=worst, reasons=reasons)
    held = msgspec.structs.replace(screened, decision=decision)
    return held, effect is not Effect.QUARANTINE


def _stands(row: Row) -> bool:
    return row.sealed.label.state == "active"
