"""The door back: what a subject's memories say to a question, each proved before it is shown."""

import asyncio
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Final

import msgspec

from guard.browse import memory_of
from guard.checks import verdict
from guard.errors import UnavailableError, UnreadableError
from guard.gather import search_material
from guard.leaves import leaf_of
from guard.nouns import Draft, Opened, Row
from guard.outcomes import Memory, Query, Recalled, Recollection
from guard.ports import Filter, Found, Probe, Purpose
from guard.principal import Principal
from guard.rooms import Rooms
from memory.assembly import Excerpt, assemble
from memory.exact import Candidate, local_routes
from memory.fusion import fuse, route_weights
from memory.ranking import Standing, bound_low_trust, evidence, rank, reliable
from memory.signals import Blinded
from memory.types import MemoryId, Owner, State

_NONCE_CHARACTERS: Final = 16


class Shown(msgspec.Struct, frozen=True):
    """A memory that passed every check, with the search material that it is scored by."""

    opened: Opened
    blinded: Blinded

    @property
    def at(self) -> datetime:
        """When it was so, else when it was recorded."""
        return self.opened.body.occurred_at or self.opened.label.recorded_at


async def recall(principal: Principal, query: Query, rooms: Rooms) -> Recollection:
    """Return at most `query.k` memories of the caller that answer the query, best first.

    Raises UnavailableError when the ledger or the embedder does not answer. A dead index only makes
    the answer degraded. The index nominates and decides nothing: every nominee is scored again by
    its sealed search material, so that a stale or forged index can hide a memory, never lift one.
    """
    owner, now = principal.owner, rooms.clock()

    # (1) Understand: what the question is found by, under the subject's keys. Beside it, the rows
    # that the index lacks; they are read before the index is asked, so that a row which is being
    # indexed just now is in one of the two answers (R13).
    watch = rooms.watch
    with watch.step("recall.understand"):
        (_, blinded), fresh = await asyncio.gather(
            search_material(owner, Draft(query.text), rooms, Purpose.QUESTION),
            rooms.ledger.unindexed(owner.tenant, owner.subject, rooms.bounds.unindexed_rows),
        )

    # (2) Search: the index nominates. (3) Load what it named from the ledger.
    with watch.step("recall.search"):
        found = await _searched(owner, blinded, query, rooms)
    with watch.step("recall.load"):
        rows = await _loaded(owner, found, fresh, query, rooms)

    # (4) Open and (5) check: whatever fails is dropped, audited, and never returned.
    with watch.step("recall.open"):
        proof = _Proof(principal, query, {} if found is None else found.tokens, now, rooms)
        shown = [memory for row in rows if (memory := await proof.of(row)) is not None]
        proof.missing({row.sealed.label.id for row in rows})

    # (6) Rank what may be shown and keep what is relied on; low trust is bounded.
    with watch.step("recall.rank"):
        items = _ranked(query, blinded, shown, now, rooms)

    # (7) Assemble the fenced block.
    context = assemble(
        [_excerpt(item.memory) for item in items],
        nonce=rooms.new_id().replace("-", "")[-_NONCE_CHARACTERS:],
        now=now,
        bounds=rooms.bounds.context,
    ).context

    # (8) Record, off the request's path.
    watch.recalled(reliable=bool(items), degraded=found is None)
    trace = rooms.new_id()
    for item in items:
        _record(principal, item.memory.id, "shown", f"trace.{trace}", at=now, rooms=rooms)
    return Recollection(items, bool(items), context, found is None, trace)


async def _searched(owner: Owner, blinded: Blinded, query: Query, rooms: Rooms) -> Found | None:
    """Return what the index found, None when it does not answer."""
    probe = Probe(blinded, query.layers, rooms.bounds.route_hits, query.since, query.until)
    try:
        return await rooms.index.search(owner.tenant, blinded.subject, probe)
    except UnavailableError:
        return None


async def _loaded(
    owner: Owner, found: Found | None, fresh: list[Row], query: Query, rooms: Rooms
) -> list[Row]:
    """Return the rows to look at, each once: nominees, unindexed rows, newest rows if degraded."""
    if found is None:
        filter = Filter(states=(State.ACTIVE,), layers=query.layers)
        page = await rooms.ledger.page(
            owner.tenant, owner.subject, filter, None, rooms.bounds.degraded_rows
        )
        return list(page.rows)
    fresh_ids = {row.sealed.label.id for row in fresh}
    nominees = [hit.id for hits in found.routes.values() for hit in hits if hit.id not in fresh_ids]
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, list(dict.fromkeys(nominees)))
    return [*fresh, *rows]


class _Proof:
    """Opens and checks the rows of one recall; what fails goes to the journal and nowhere else."""

    def __init__(
        self,
        principal: Principal,
        query: Query,
        tokens: Mapping[MemoryId, bytes],
        now: datetime,
        rooms: Rooms,
    ) -> None:
        self._principal = principal
        self._query = query
        self._tokens = tokens
        self._now = now
        self._rooms = rooms

    async def of(self, row: Row) -> Shown | None:
        """Return the memory when it passes every check, else None."""
        label = row.sealed.label
        failed = await self._failed(row)
        if failed is None:
            try:
                opened = await self._rooms.vault.open(self._principal.owner, row.sealed)
                blinded = await self._rooms.vault.open_entry(self._principal.owner, row.sealed)
            except UnreadableError:
                failed = "unreadable"
            else:
                return Shown(opened, blinded)
        self._withheld(label.id, failed)
        return None

    def missing(self, known: AbstractSet[MemoryId]) -> None:
        """Note what the index named and the ledger doesn't have in the caller's scope."""
        for id in self._tokens.keys() - known:
            self._withheld(id, "missing")

    async def _failed(self, row: Row) -> str | None:
        label = row.sealed.label
        token = self._tokens.get(label.id)
        if token is not None and row.indexed and not _is_digest(token, label.digest):
            return "index"
        if label.layer not in self._query.layers:
            return "layer"
        return await verdict(self._principal.owner, row, self._now, self._rooms)

    def _withheld(self, id: MemoryId, check: str) -> None:
        self._rooms.watch.withheld(check)
        _record(self._principal, id, "withheld", f"check.{check}", at=self._now, rooms=self._rooms)


def _is_digest(token: bytes, digest: bytes) -> bool:
    return hmac.compare_digest(hashlib.sha256(token).digest(), digest)


def _ranked(
    query: Query, blinded: Blinded, shown: Sequence[Shown], now: datetime, rooms: Rooms
) -> tuple[Recalled, ...]:
    by_id = {memory.opened.label.id: memory for memory in shown}
    candidates: list[Candidate] = [(id, m.blinded, m.at) for id, m in by_id.items()]
    bounds = rooms.bounds
    weights = route_weights(query.text, vectors=blinded.vectors)
    routes = local_routes(
        blinded, candidates, len(candidates), since=query.since, until=query.until
    )
    strength = evidence(routes, weights, bounds.thresholds, bounds.ramps)
    relied = reliable(strength, bounds.thresholds)
    fused = fuse(routes, weights, bounds.ramps)
    relevance = {id: value for id, value in fused.items() if id in relied}
    order = rank(relevance, {id: _standing(by_id[id].opened) for id in relevance}, now)
    recalled = [Recalled(memory_of(by_id[id].opened), f.score) for id, f in order]
    kept = bound_low_trust(
        recalled, query.k, bounds.low_trust_items, lambda item: item.memory.trust
    )
    return tuple(kept)


def _standing(opened: Opened) -> Standing:
    label = opened.label
    return Standing(label.layer, label.importance, label.confidence, label.changed_at)


def _excerpt(memory: Memory) -> Excerpt:
    return Excerpt(
        id=memory.id,
        text=memory.text,
        origin=memory.origin,
        trust=memory.trust,
        confidence=memory.confidence,
        stored_at=memory.stored_at,
        occurred_at=memory.occurred_at,
    )


def _record(
    principal: Principal,
    id: MemoryId,
    outcome: str,
    reason: str,
    *,
    at: datetime,
    rooms: Rooms,
) -> None:
    rooms.journal.record(
        leaf_of(
            principal,
            rooms.new_id(),
            at,
            action="recall",
            object=id,
            outcome=outcome,
            policy=rooms.policy.version,
            reasons=(reason,),
        )
    )
