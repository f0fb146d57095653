"""An auditor's door to findings, and what else makes them: webhooks, the command line (Q7)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import msgspec

from guard.errors import UnreadableError
from guard.findings import Event, Finding, Score, Told, asks_before, event_of, finding
from guard.nouns import Leaf, Row
from guard.ports import Audit, Integrated, Ledger, Vault
from guard.principal import Principal, Scope
from memory.types import MemoryId, Owner, SubjectId, TenantId

_BATCH: Final = 500
MOST_LOOKED_AT: Final = 5000
"""Leaves that one page looks at; it says where to go on when it found fewer than were asked for."""


class Desk(Protocol):
    """What findings are made from: `Rooms` have it, and so has a command without a gateway."""

    @property
    def audit(self) -> Audit:
        """What was decided."""
        ...

    @property
    def ledger(self) -> Ledger:
        """What the memories are labelled with."""
        ...

    @property
    def vault(self) -> Vault:
        """Opens what decisions rested on."""
        ...


class Findings(msgspec.Struct, frozen=True):
    """Some findings in the record's order, and the number to go on after, now or another day.

    `end` says that there was nothing more to look at.
    """

    items: tuple[Finding, ...]
    cursor: int
    end: bool


async def findings(principal: Principal, after: int, limit: int, desk: Desk) -> Findings:
    """Return at most `limit` findings of the caller's tenant, oldest first, after a number.

    A page may hold fewer, also none, before the end. Whoever goes on after the cursor that he kept
    misses nothing, whatever he did with the page.
    """
    principal.require(Scope.AUDIT_READ)
    return await found(principal.owner.tenant, after, limit, desk)


async def found(tenant: TenantId, after: int, limit: int, desk: Desk) -> Findings:
    """Return findings of a tenant, for who is allowed to have them."""
    items: list[Finding] = []
    at = after
    while at - after < MOST_LOOKED_AT:
        batch = await desk.audit.leaves(tenant, at, _BATCH)
        told = await events_in(tenant, batch, desk.audit)
        wanted = told[: limit - len(items)]
        items += await described(tenant, wanted, desk)
        if len(items) == limit:
            return Findings(tuple(items), wanted[-1].sequence if wanted else at, end=False)
        at = batch[-1].sequence if batch else at
        if len(batch) < _BATCH:
            return Findings(tuple(items), at, end=True)
    return Findings(tuple(items), at, end=False)


async def events_in(tenant: TenantId, batch: Sequence[Integrated], audit: Audit) -> list[Told]:
    """Return which of these leaves tell of a finding, without what is known of its memory."""
    asking = {MemoryId(one.leaf.object) for one in batch if asks_before(one.leaf)}
    made = await audit.made(tenant, sorted(asking)) if asking else {}
    told = ((one, event_of(one.leaf, _before(one.leaf, made))) for one in batch)
    return [Told(one.sequence, one.leaf, event) for one, event in told if event is not None]


async def described(tenant: TenantId, told: Sequence[Told], desk: Desk) -> list[Finding]:
    """Return these events as findings, with what is known of their memories now."""
    subjects: defaultdict[SubjectId, list[MemoryId]] = defaultdict(list)
    for one in told:
        subjects[SubjectId(one.leaf.subject)].append(MemoryId(one.leaf.object))
    rows = {
        row.sealed.label.id: row
        for subject, ids in subjects.items()
        for row in await desk.ledger.rows(tenant, subject, ids)
    }
    return [finding(await _known(tenant, one, rows, desk)) for one in told]


async def _known(tenant: TenantId, told: Told, rows: Mapping[MemoryId, Row], desk: Desk) -> Told:
    row = rows.get(MemoryId(told.leaf.object))
    if row is None:
        return told
    scores = await _scores(tenant, row, desk) if told.event in (Event.HELD, Event.AGAIN) else ()
    return msgspec.structs.replace(told, label=row.sealed.label, scores=scores)


async def _scores(tenant: TenantId, row: Row, desk: Desk) -> tuple[Score, ...]:
    """Return what the detectors said, nothing where it is gone or fails its proof."""
    if not row.sealed.evidence:
        return ()
    owner = Owner(tenant, SubjectId(row.sealed.label.subject))
    try:
        evidence = await desk.vault.open_evidence(owner, row.sealed)
    except UnreadableError:
        return ()
    # Of a finding the code alone: where in the text it was found says something of the text.
    return tuple(
        Score(one.reason, one.severity.name.lower(), one.score) for one in evidence.findings
    )


def _before(leaf: Leaf, made: Mapping[MemoryId, Sequence[Leaf]]) -> Leaf | None:
    """Return the leaf that made the version before that of `leaf`."""
    earlier = (one for one in made.get(MemoryId(leaf.object), ()) if one.version < leaf.version)
    return max(earlier, key=lambda one: one.version, default=None)
