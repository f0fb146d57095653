"""A memory said otherwise: a revision that passes the whole pipeline and takes its place."""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from guard.browse import states_visible_to
from guard.errors import NotFoundError
from guard.gather import tag
from guard.nouns import Draft, Opened, Tagged
from guard.outcomes import WriteOutcome
from guard.principal import Principal
from guard.remember import decided
from guard.revise import prove
from guard.rooms import Rooms
from guard.settle import Beside
from memory.origin import Hint, OriginClass, lower_of
from memory.types import Kind, Layer, MemoryId, SessionId, State, Trigger


class Amendment(msgspec.Struct, frozen=True):
    """What is to be otherwise; what is None stays. `hint` says where a new text came from."""

    text: str | None = None
    layer: Layer | None = None
    kind: Kind | None = None
    importance: float | None = None
    ttl_days: int | None = None
    entities: tuple[str, ...] | None = None
    occurred_at: datetime | None = None
    metadata: Mapping[str, str] | None = None
    hint: Hint = Hint()
    trigger: Trigger | None = None


async def amend(
    principal: Principal,
    id: MemoryId,
    amendment: Amendment,
    rooms: Rooms,
    beside: Beside | None = None,
) -> WriteOutcome:
    """Write a revision of an active memory of the caller; return what became of it.

    It is decided like any write: from less trust than the memory has it is held, and the memory
    stays as it is. Raises NotFoundError for an id that is not an active memory of the caller.
    """
    # (1) The memory as it stands, proved.
    owner = principal.owner
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, [id])
    if not rows or rows[0].sealed.label.state is not State.ACTIVE:
        raise NotFoundError
    if State.ACTIVE not in states_visible_to(principal):
        raise NotFoundError
    opened = (await prove(owner, rows[0], rooms)).opened

    # (2) Tag the whole of what it shall be.
    if amendment.text is not None:
        tagged = await tag(principal, _said_anew(opened, amendment.text, amendment), rooms)
    else:
        draft = _changed(opened, amendment)
        tagged = _no_higher(await tag(principal, draft, rooms), opened)

    # (3) The pipeline, knowing what it replaces.
    return await decided(tagged, rooms, beside, replaces=id)


def _said_anew(opened: Opened, text: str, amendment: Amendment) -> Draft:
    """Return a new statement in place of a memory. Of the old one nothing is kept that somebody
    else wrote: it would have the new one's trust.
    """
    label, body = opened.label, opened.body
    return Draft(
        text=text,
        layer=amendment.layer or label.layer,
        kind=amendment.kind or body.kind,
        importance=label.importance if amendment.importance is None else amendment.importance,
        ttl_days=amendment.ttl_days,
        entities=amendment.entities or (),
        occurred_at=amendment.occurred_at,
        hint=amendment.hint,
        metadata=amendment.metadata or {},
        trigger=amendment.trigger,
    )


def _changed(opened: Opened, amendment: Amendment) -> Draft:
    """Return the same statement with other particulars."""
    label, body = opened.label, opened.body
    return Draft(
        text=body.text,
        layer=amendment.layer or label.layer,
        kind=amendment.kind or body.kind,
        importance=label.importance if amendment.importance is None else amendment.importance,
        ttl_days=amendment.ttl_days,
        entities=body.entities if amendment.entities is None else amendment.entities,
        session=None if body.session is None else SessionId(body.session),
        occurred_at=amendment.occurred_at or body.occurred_at,
        hint=Hint(OriginClass(label.origin), body.reference),
        metadata=body.metadata if amendment.metadata is None else amendment.metadata,
        trigger=amendment.trigger,
    )


def _no_higher(tagged: Tagged, opened: Opened) -> Tagged:
    """Return the draft with no more trust than the memory whose text it repeats (W4)."""
    label, origin = opened.label, tagged.origin
    lowered = msgspec.structs.replace(
        origin,
        class_=lower_of(origin.class_, OriginClass(label.origin)),
        trust=min(origin.trust, label.trust),
        parents=opened.body.parents,
        quoted=None,
    )
    return msgspec.structs.replace(tagged, origin=lowered)
