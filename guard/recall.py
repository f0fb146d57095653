"""The door back: what a subject's memories say to a question, each proved before it is shown."""

import asyncio
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from typing import Final

import msgspec

from guard.browse import memory_of
from guard.checks import BARRED, OUTDATED, verdict, verdict_on_past
from guard.errors import UnavailableError, UnreadableError
from guard.gather import search_material
from guard.governing import version_for
from guard.leaves import leaf_of
from guard.nouns import Draft, Opened, Row
from guard.outcomes import Memory, Query, Recalled, Recollection
from guard.past import known_at
from guard.ports import Filter, Found, Probe, Purpose
from guard.principal import Principal
from guard.rescreen import settle
from guard.rooms import Rooms
from memory.assembly import Excerpt, assemble
from memory.exact import Candidate, local_routes
from memory.fusion import fuse, route_weights
from memory.ranking import Standing, bound_low_trust, evidence, rank, reliable
from memory.signals import Blinded
from memory.types import MemoryId, Owner, State

_NONCE_CHARACTERS: Final = 16
_INSTANT: Final = timedelta(microseconds=1)


class Shown(msgspec.Struct, frozen=True):
    """A memory that opened, with the search material that it is scored by.

    `doubt` names the check on which it is still to be judged again; without one it may be shown.
    """

    opened: Opened
    blinded: Blinded
    row: Row
    doubt: str | None

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
        rows = loaded = await _loaded(owner, found, fresh, query, rooms)
        if query.as_of is not None:
            rows = await known_at(owner, loaded, query.as_of, rooms)

    # (4) Open and (5) check: whatever fails is dropped, audited, and never returned.
    with watch.step("recall.open"):
        proof = _Proof(principal, query, {} if found is None else found.tokens, now, rooms)
        opened = [memory for row in rows if (memory := await proof.of(row)) is not None]
        proof.missing({row.sealed.label.id for row in loaded})
    with watch.step("recall.rescreen"):
        shown = await _cleared(query, blinded, opened, proof, rooms)

    # (6) Rank what may be shown and keep what is relied on; low trust is bounded.
    with watch.step("recall.rank"):
        items = _bounded(_ranked(query, blinded, shown, now, rooms), query, rooms)

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
    """Return the rows to look at, each once: nominees, unindexed rows, newest rows if degraded.

    What was superseded is in no index: a question about the past reads it in the ledger.
    """
    past = () if query.as_of is None else (State.SUPERSEDED,)
    states = past if found is not None else (State.ACTIVE, *past)
    listed: list[Row] = []
    if states:
        until = None if query.as_of is None else query.as_of + _INSTANT
        filter = Filter(states=states, layers=query.layers, until=until)
        page = await rooms.ledger.page(
            owner.tenant, owner.subject, filter, None, rooms.bounds.degraded_rows
        )
        listed = list(page.rows)
    if found is None:
        return listed
    fresh_ids = {row.sealed.label.id for row in fresh}
    nominees = [hit.id for hits in found.routes.values() for hit in hits if hit.id not in fresh_ids]
    rows = await rooms.ledger.rows(owner.tenant, owner.subject, list(dict.fromkeys(nominees)))
    loaded = {row.sealed.label.id: row for row in (*listed, *fresh, *rows)}
    return list(loaded.values())


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
        """Return the memory when nothing speaks against it, or only what is to be judged again."""
        label = row.sealed.label
        failed = await self._failed(row)
        # What is past is not judged again: that would make it active.
        mendable = (OUTDATED, BARRED) if label.state is State.ACTIVE else ()
        if failed is None or failed in mendable:
            try:
                return await self.opened(row, failed)
            except UnreadableError:
                failed = "unreadable"
        self.withheld(label.id, str(failed))
        return None

    async def opened(self, row: Row, doubt: str | None = None) -> Shown:
        """Return a row's content and search material. Raises UnreadableError."""
        owner, vault = self._principal.owner, self._rooms.vault
        opened = await vault.open(owner, row.sealed)
        return Shown(opened, await vault.open_entry(owner, row.sealed), row, doubt)

    async def again(self, memories: Sequence[Shown]) -> Sequence[Shown]:
        """Have memories judged again; return those that may be shown, as they are now."""
        settled = await settle(self._principal.owner, [m.row for m in memories], self._rooms)
        shown = []
        for memory in memories:
            id = memory.opened.label.id
            sealed = settled.get(id)
            if sealed is not None and sealed.label.state is State.ACTIVE:
                row = msgspec.structs.replace(memory.row, sealed=sealed)
                shown.append(await self.opened(row))
            else:
                held = sealed is not None and memory.doubt == OUTDATED
                self.withheld(id, "rescreen" if held else str(memory.doubt))
        return shown

    def missing(self, known: AbstractSet[MemoryId]) -> None:
        """Note what the index named and the ledger doesn't have in the caller's scope."""
        for id in self._tokens.keys() - known:
            self.withheld(id, "missing")

    async def _failed(self, row: Row) -> str | None:
        label = row.sealed.label
        token = self._tokens.get(label.id)
        if token is not None and row.indexed and not _is_digest(token, label.digest):
            return "index"
        if label.layer not in self._query.layers:
            return "layer"
        judge = verdict if self._query.as_of is None else verdict_on_past
        return await judge(self._principal.owner, row, self._now, self._rooms)

    def withheld(self, id: MemoryId, check: str) -> None:
        """Note that a memory is not shown, and on which check it failed."""
        self._rooms.watch.withheld(check)
        _record(self._principal, id, "withheld", f"check.{check}", at=self._now, rooms=self._rooms)


def _is_digest(token: bytes, digest: bytes) -> bool:
    return hmac.compare_digest(hashlib.sha256(token).digest(), digest)


async def _cleared(
    query: Query, blinded: Blinded, opened: Sequence[Shown], proof: _Proof, rooms: Rooms
) -> Sequence[Shown]:
    """Return what may be shown of what was opened; what is in doubt is judged again, best first.

    What today's models have not seen, and would not be part of the answer, is left as it is.
    """
    sure = [memory for memory in opened if memory.doubt is None]
    if len(sure) == len(opened):
        return sure
    by_id = {memory.opened.label.id: memory for memory in opened}
    ranked = _ranked(query, blinded, opened, rooms.clock(), rooms)
    wanted = [m for one in ranked if (m := by_id[one.memory.id]).doubt == OUTDATED]
    barred = [memory for memory in opened if memory.doubt == BARRED]
    return [*sure, *await proof.again([*wanted, *barred])]


def _ranked(
    query: Query, blinded: Blinded, shown: Sequence[Shown], now: datetime, rooms: Rooms
) -> list[Recalled]:
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
    return [Recalled(memory_of(by_id[id].opened), f.score) for id, f in order]


def _bounded(ranked: Sequence[Recalled], query: Query, rooms: Rooms) -> tuple[Recalled, ...]:
    """Return the first `query.k`, with no more of low trust among them than configured."""
    most = rooms.bounds.low_trust_items
    return tuple(bound_low_trust(ranked, query.k, most, lambda item: item.memory.trust))


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
            policy=version_for(principal.owner.tenant, rooms),
            reasons=(reason,),
        )
    )
