"""The ledger in memory: ledger, quarantine, audit and outbox over one shared state.

    ledger = MemoryLedger()
    ledger.quarantine, ledger.audit, ledger.outbox    the other ports, over the same memories
    ledger.answers, ledger.queue                      and what is kept beside them

No method awaits between looking and changing, so each is a transaction of its own. Changes pass
through the same checks as in SQL. `ledger.offline = True` makes all six raise UnavailableError.
"""

import operator
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from typing import Final

import msgspec

from guard.errors import ConflictError, UnavailableError
from guard.nouns import Change, Label, Leaf, Row, Sealed, SealedRemark
from guard.ports import (
    WHOLE_QUEUE,
    AuditHead,
    Docket,
    Filter,
    Integrated,
    Order,
    Page,
    Stretch,
    Sweep,
)
from guard.ports import Beside as Neighbours
from memory.origin import OriginClass
from memory.types import ClientId, Epoch, LeafId, MemoryId, Owner, State, SubjectId, TenantId
from storage.chain import EMPTY, AuditReport, Problem, check_row, follow, leaf_hash, verify_chain
from storage.chain import report as report_of
from storage.cursor import Position, decode, encode, listing
from storage.fakes.beside import Beside, MemoryAnswers, MemoryProposals, MemoryQueue, MemoryUndoing
from storage.fakes.doubts import MemoryDoubts
from storage.fakes.origins import Lineage, MemoryBans, MemoryOrigins
from storage.ports import Task
from storage.remarks import check_remark, check_remarks
from storage.rows import check_changeless, columns_of, instant, micros, versions_by_leaf


class _Waiting:
    """One outbox task and when it is due."""

    def __init__(self, task: Task) -> None:
        self.task: Final = task
        self.due_at = instant(0)
        self.attempts = 0


class _State:
    """What the four adapters share."""

    def __init__(self) -> None:
        self.offline = False
        self.epochs: dict[tuple[str, str], int] = {}
        self.memories: dict[tuple[str, MemoryId], Sealed] = {}
        self.indexed: dict[tuple[str, MemoryId], int] = {}
        self.leaves: dict[tuple[str, LeafId], Leaf] = {}
        self.newest: dict[tuple[str, str], tuple[int, LeafId]] = {}
        self.waiting: dict[tuple[str, LeafId], Leaf] = {}
        self.chains: dict[str, list[Integrated]] = {}
        self.tasks: dict[tuple[str, MemoryId, int], _Waiting] = {}
        self.beside = Beside(self.answer)
        self.lineage = Lineage()

    def answer(self) -> None:
        """Raise UnavailableError while offline."""
        if self.offline:
            raise UnavailableError("ledger")

    def append(self, leaf: Leaf) -> None:
        """Keep a leaf that changed no memory. Raises ConflictError for one that is there."""
        key = (leaf.tenant, leaf.id)
        if key in self.leaves:
            raise ConflictError("conflict")
        self.leaves[key] = self.waiting[key] = leaf

    def row(self, sealed: Sealed) -> Row:
        """Return a memory with its newest leaf."""
        key = (sealed.label.tenant, sealed.label.id)
        newest = self.newest[key][1]
        return Row(sealed, newest, self.indexed[key] == sealed.label.version)

    def owned(self, tenant: str, subject: str) -> list[Sealed]:
        """Return a subject's memories, newest first."""
        return newest_first(s for s in self.of(tenant) if s.label.subject == subject)

    def of(self, tenant: str) -> list[Sealed]:
        """Return a tenant's memories."""
        return [sealed for (of, _), sealed in self.memories.items() if of == tenant]

    def page(
        self,
        found: list[Sealed],
        scope: bytes,
        cursor: str | None,
        limit: int,
        order: Order = Order.NEWEST,
    ) -> Page:
        """Return one page of memories that are in this order already."""
        if limit < 1:
            raise ValueError("a page holds at least one row")
        if cursor is not None:
            after = decode(cursor, scope)
            place = (after.gravity, after.recorded_at, after.id)
            behind = operator.gt if order is Order.OLDEST else operator.lt
            found = [s for s in found if behind(_rank(s.label, order), place)]
        rows = tuple(self.row(sealed) for sealed in found[:limit])
        if len(found) <= limit:
            return Page(rows, None)
        gravity, recorded_at, id = _rank(found[limit - 1].label, order)
        return Page(rows, encode(Position(scope, recorded_at, id, gravity)))


class MemoryLedger:
    """Fulfils `guard.ports.Ledger` in memory."""

    def __init__(self) -> None:
        self._state: Final = _State()
        self.quarantine: Final = MemoryQuarantine(self._state)
        self.audit: Final = MemoryAudit(self._state)
        self.outbox: Final = MemoryOutbox(self._state)
        self.stock: Final = MemoryStock(self._state)
        self.answers: Final = MemoryAnswers(self._state.beside)
        self.queue: Final = MemoryQueue(self._state.beside)
        self.remarks: Final = MemoryRemarks(self._state)
        self.proposals: Final = MemoryProposals(self._state.beside)
        self.undoing: Final = MemoryUndoing(self._state.beside)
        self.doubts: Final = MemoryDoubts(self._state.beside, self._state.append)
        self.origins: Final = MemoryOrigins(self._state)
        self.bans: Final = MemoryBans(self._state)

    @property
    def offline(self) -> bool:
        """Whether every call fails as if the database were away."""
        return self._state.offline

    @offline.setter
    def offline(self, value: bool) -> None:
        self._state.offline = value

    async def epoch(self, tenant: TenantId, subject: SubjectId) -> Epoch:
        """Return the subject's epoch, 0 for one that has never written."""
        self._state.answer()
        return Epoch(self._state.epochs.get((tenant, subject), 0))

    async def commit(self, change: Change) -> None:
        """Apply all of `change`, or nothing."""
        state, tenant = self._state, change.owner.tenant
        versions = versions_by_leaf(change)
        for sealed in change.rows:
            columns_of(sealed)
        check_remarks(change)
        state.answer()
        self._refuse_conflict(change)
        state.beside.refuse(change)
        state.epochs[(tenant, change.owner.subject)] = change.epoch + 1
        for leaf in change.leaves:
            state.leaves[(tenant, leaf.id)] = state.waiting[(tenant, leaf.id)] = leaf
            if leaf.id in versions:
                key, made = (tenant, leaf.object), (versions[leaf.id], leaf.id)
                state.newest[key] = max(made, state.newest.get(key, made))
        for sealed in change.rows:
            id, version = sealed.label.id, sealed.label.version
            state.memories[(tenant, id)] = sealed
            state.indexed.setdefault((tenant, id), 0)
            task = Task(tenant, change.owner.subject, id, version)
            state.tasks[(tenant, id, version)] = _Waiting(task)
        state.beside.apply(change)
        state.lineage.apply(change)

    async def rows(
        self, tenant: TenantId, subject: SubjectId, ids: Sequence[MemoryId]
    ) -> list[Row]:
        """Return those of `ids` that this subject owns, in any state, in the order of `ids`."""
        self._state.answer()
        found = (self._state.memories.get((tenant, id)) for id in dict.fromkeys(ids))
        return [self._state.row(s) for s in found if s is not None and s.label.subject == subject]

    async def unindexed(self, tenant: TenantId, subject: SubjectId, limit: int) -> list[Row]:
        """Return the newest active rows that the index does not have yet, at most `limit`."""
        self._state.answer()
        active = (
            self._state.row(sealed)
            for sealed in self._state.owned(tenant, subject)
            if sealed.label.state is State.ACTIVE
        )
        return [row for row in active if not row.indexed][:limit]

    async def page(
        self, tenant: TenantId, subject: SubjectId, filter: Filter, cursor: str | None, limit: int
    ) -> Page:
        """Return one page of the subject's rows. Raises InvalidError for a foreign cursor."""
        self._state.answer()
        if not filter.states:
            raise ValueError("a filter names at least one state")
        found = [s for s in self._state.owned(tenant, subject) if _passes(filter, s.label)]
        scope = listing("page", tenant, subject, filter)
        return self._state.page(found, scope, cursor, limit)

    async def twins(
        self, tenant: TenantId, subject: SubjectId, fingerprint: bytes, claim: bytes = b""
    ) -> list[Row]:
        """Return the subject's rows with this fingerprint or claim, in any state, newest first."""
        self._state.answer()
        owned = self._state.owned(tenant, subject)
        alike = (s for s in owned if s.fingerprint == fingerprint or (claim and s.claim == claim))
        return [self._state.row(sealed) for sealed in alike]

    async def beside(
        self, tenant: TenantId, subject: SubjectId, ids: Sequence[MemoryId]
    ) -> Mapping[MemoryId, Neighbours]:
        """Return what stands beside those of `ids` that this subject has in a session."""
        self._state.answer()
        wanted = set(ids)
        owned = self._state.owned(tenant, subject)
        sessions = {s.label.session for s in owned if s.label.id in wanted and s.label.session}
        found: dict[MemoryId, Neighbours] = {}
        for session in sessions:
            found |= _beside([s.label for s in owned if s.label.session == session], wanted)
        return found

    def _refuse_conflict(self, change: Change) -> None:
        state, owner = self._state, change.owner
        if state.epochs.get((owner.tenant, owner.subject), 0) != change.epoch:
            raise ConflictError("conflict")
        if any((owner.tenant, leaf.id) in state.leaves for leaf in change.leaves):
            raise ConflictError("conflict")
        for label in (sealed.label for sealed in change.rows):
            before = state.memories.get((owner.tenant, label.id))
            if before is not None and before.label.subject != owner.subject:
                raise ConflictError("conflict")
            if label.version - 1 != (0 if before is None else before.label.version):
                raise ConflictError("conflict")


def _beside(session: Sequence[Label], wanted: AbstractSet[MemoryId]) -> dict[MemoryId, Neighbours]:
    """Return what stands beside each of `wanted` in a session whose labels come newest first."""
    found = {}
    for place, label in enumerate(session):
        if label.id in wanted:
            newer = [s.id for s in session[:place] if s.state is State.ACTIVE]
            older = [s.id for s in session[place + 1 :] if s.state is State.ACTIVE]
            found[label.id] = Neighbours(next(iter(older), None), newer[-1] if newer else None)
    return found


class MemoryQuarantine:
    """Fulfils `guard.ports.Quarantine` in memory; made by `MemoryLedger`."""

    def __init__(self, state: _State) -> None:
        self._state: Final = state

    async def held(
        self, tenant: TenantId, cursor: str | None, limit: int, docket: Docket = WHOLE_QUEUE
    ) -> Page:
        """Return held rows of the tenant. Raises InvalidError for another docket's cursor."""
        found = newest_first(self._listed(tenant, docket))
        if docket.order is Order.OLDEST:
            found.reverse()
        if docket.order is Order.SCORE:
            found.sort(key=lambda sealed: sealed.label.gravity, reverse=True)
        scope = listing("held", tenant, docket)
        return self._state.page(found, scope, cursor, limit, docket.order)

    async def case(self, tenant: TenantId, id: MemoryId, state: State = State.HELD) -> Row | None:
        """Return one row of the tenant that is in this state, or None."""
        self._state.answer()
        sealed = self._state.memories.get((tenant, id))
        return (
            None if sealed is None or sealed.label.state is not state else self._state.row(sealed)
        )

    async def doubted(self, tenant: TenantId, cursor: str | None, limit: int) -> Page:
        """Return active rows of the tenant that stand in doubt beside another, newest first."""
        self._state.answer()
        beside = self._state.beside
        named = {one for of, one, _ in beside.doubts - beside.dismissed if of == tenant}
        active = (s for s in self._state.of(tenant) if s.label.state is State.ACTIVE)
        found = newest_first(sealed for sealed in active if sealed.label.id in named)
        return self._state.page(found, listing("doubted", tenant), cursor, limit)

    async def count(
        self, tenant: TenantId, docket: Docket = WHOLE_QUEUE, most: int | None = None
    ) -> int:
        """Return how many rows the tenant holds, `most` where there are more than that."""
        found = len(self._listed(tenant, docket))
        return found if most is None else min(found, most)

    async def count_of(self, owner: Owner, origin: OriginClass, client: ClientId) -> int:
        """Return how many rows are held of one subject from one class of origin and client."""
        wanted = (owner.subject, origin, client)
        labels = (sealed.label for sealed in self._held(owner.tenant))
        return sum((one.subject, one.origin, one.client) == wanted for one in labels)

    async def lapsed(
        self,
        tenant: TenantId,
        before: datetime,
        now: datetime,
        after: MemoryId | None,
        limit: int,
    ) -> list[Row]:
        """Return held rows in order of id: those unchanged since `before`, and those expired."""
        found = sorted(self._held(tenant), key=lambda sealed: sealed.label.id)
        over = [s for s in found if _is_over(s.label, before, now)]
        rest = [s for s in over if after is None or s.label.id > after]
        return [self._state.row(sealed) for sealed in rest[:limit]]

    def _listed(self, tenant: TenantId, docket: Docket) -> list[Sealed]:
        marked = self._state.beside.escalated
        return [
            sealed
            for sealed in self._held(tenant)
            if _is_listed(docket, sealed.label)
            and (not docket.escalated or (tenant, sealed.label.id) in marked)
        ]

    def _held(self, tenant: TenantId) -> list[Sealed]:
        self._state.answer()
        return [s for s in self._state.of(tenant) if s.label.state is State.HELD]


def _is_over(label: Label, before: datetime, now: datetime) -> bool:
    return label.changed_at <= before or (label.expires_at is not None and label.expires_at <= now)


class MemoryStock:
    """Fulfils `guard.ports.Stock` in memory; made by `MemoryLedger`."""

    def __init__(self, state: _State) -> None:
        self._state: Final = state

    async def count(self, tenant: TenantId, sweep: Sweep) -> int:
        """Return how many rows the sweep has now."""
        return len(self._found(tenant, sweep))

    async def rows(
        self, tenant: TenantId, sweep: Sweep, after: MemoryId | None, limit: int
    ) -> Stretch:
        """Return the next rows of the sweep, those with ids after `after`."""
        found = [s for s in self._found(tenant, sweep) if after is None or s.label.id > after]
        rows = tuple(self._state.row(sealed) for sealed in found[:limit])
        return Stretch(rows, rows[-1].sealed.label.id if rows else None)

    def _found(self, tenant: TenantId, sweep: Sweep) -> list[Sealed]:
        self._state.answer()
        found = [s for s in self._state.of(tenant) if _swept(sweep, s.label)]
        return sorted(found, key=lambda sealed: sealed.label.id)


class MemoryAudit:
    """Fulfils `guard.ports.Audit` in memory; made by `MemoryLedger`."""

    def __init__(self, state: _State) -> None:
        self._state: Final = state

    async def note(self, leaves: Sequence[Leaf]) -> None:
        """Append leaves of things that changed no memory; those already there stay."""
        self._state.answer()
        check_changeless(leaves)
        for leaf in leaves:
            key = (leaf.tenant, leaf.id)
            if key not in self._state.leaves:
                self._state.leaves[key] = self._state.waiting[key] = leaf

    async def integrate(self) -> int:
        """Give every waiting leaf its place in its tenant's chain; return how many."""
        self._state.answer()
        placed = sorted(self._state.waiting.items())
        self._state.waiting.clear()
        for (tenant, _), leaf in placed:
            chain = self._state.chains.setdefault(tenant, [])
            head = _head(chain)
            value = follow(head.hash, leaf_hash(msgspec.msgpack.encode(leaf)))
            chain.append(Integrated(head.size + 1, leaf, value))
        return len(placed)

    async def leaves(self, tenant: TenantId, after: int, limit: int) -> list[Integrated]:
        """Return integrated leaves in order, after sequence number `after`."""
        self._state.answer()
        return self._state.chains.get(tenant, [])[after : after + limit]

    async def head(self, tenant: TenantId) -> AuditHead:
        """Return the newest head; size 0 and the empty chain's hash for an unknown tenant."""
        self._state.answer()
        return _head(self._state.chains.get(tenant, []))

    async def made(
        self, tenant: TenantId, ids: Sequence[MemoryId]
    ) -> dict[MemoryId, tuple[Leaf, ...]]:
        """Return the leaves that made a version of each of these, oldest version first."""
        self._state.answer()
        found: dict[MemoryId, list[Leaf]] = {id: [] for id in ids}
        for (of, _), leaf in self._state.leaves.items():
            if of == tenant and leaf.version and leaf.object in found:
                found[MemoryId(leaf.object)].append(leaf)
        return {id: tuple(sorted(some, key=_version)) for id, some in found.items()}

    async def tenants(self) -> list[TenantId]:
        """Return every tenant that has a leaf."""
        self._state.answer()
        return sorted({TenantId(tenant) for tenant, _ in self._state.leaves})

    async def verify(self, tenant: TenantId) -> AuditReport:
        """Check chain and rows of a tenant against each other."""
        self._state.answer()
        chain = verify_chain(tenant, self._state.chains.get(tenant, []))
        problems: list[Problem | None] = [*chain.problems]
        for row in map(self._state.row, self._state.of(tenant)):
            label = row.sealed.label
            leaf = self._state.leaves.get((tenant, label.leaf))
            problems.append(check_row(label, leaf, row.newest_leaf))
        return report_of(tenant, chain.leaves, (p for p in problems if p is not None))


class MemoryRemarks:
    """Fulfils `guard.ports.Remarks` in memory; made by `MemoryLedger`."""

    def __init__(self, state: _State) -> None:
        self._state: Final = state

    async def keep(self, leaf: Leaf, remark: SealedRemark) -> None:
        """Append a leaf that changed no memory, and the remark on it: both or neither."""
        self._state.answer()
        check_remark(leaf, remark)
        self._state.append(leaf)
        self._state.beside.remarks.append(remark)

    async def on(self, tenant: TenantId, memory: MemoryId, limit: int) -> list[SealedRemark]:
        """Return the newest remarks on a memory of the tenant, newest first."""
        self._state.answer()
        found = [
            one
            for one in self._state.beside.remarks
            if (one.owner.tenant, one.memory) == (tenant, memory)
        ]
        return sorted(found, key=lambda one: one.id, reverse=True)[:limit]


class MemoryOutbox:
    """Fulfils `storage.ports.Outbox` in memory; made by `MemoryLedger`."""

    def __init__(self, state: _State) -> None:
        self._state: Final = state

    async def claim(self, limit: int, now: datetime, lease_seconds: float) -> list[Task]:
        """Return due tasks, oldest first, hidden from other claimants until the lease ends."""
        self._state.answer()
        due = [task for task in self._state.tasks.values() if task.due_at <= now][:limit]
        for waiting in due:
            waiting.due_at = now + timedelta(seconds=lease_seconds)
        return [waiting.task for waiting in due]

    async def done(self, tasks: Sequence[Task]) -> None:
        """Forget tasks and mark their rows as indexed at that version."""
        self._state.answer()
        for task in tasks:
            key = (task.tenant, task.id)
            if key in self._state.indexed:
                self._state.indexed[key] = max(task.version, self._state.indexed[key])
            self._state.tasks.pop((*key, task.version), None)

    async def retry(self, tasks: Sequence[Task], at: datetime) -> None:
        """Make tasks due again at `at`, and count the attempt."""
        self._state.answer()
        for task in tasks:
            waiting = self._state.tasks.get((task.tenant, task.id, task.version))
            if waiting is not None:
                waiting.due_at = at
                waiting.attempts += 1

    async def release(self, now: datetime) -> None:
        """Make every task due now: for a gateway that is alone and finds another's leases."""
        self._state.answer()
        for waiting in self._state.tasks.values():
            waiting.due_at = min(waiting.due_at, now)

    async def waiting(self) -> int:
        """Return how many tasks there are, claimed ones included."""
        self._state.answer()
        return len(self._state.tasks)

    async def active(self, tenant: TenantId, after: MemoryId | None, limit: int) -> list[Row]:
        """Return active rows of a tenant in order of id, after `after`: for rebuild and repair."""
        self._state.answer()
        found = sorted(
            (
                sealed
                for sealed in self._state.of(tenant)
                if sealed.label.state is State.ACTIVE and (after is None or sealed.label.id > after)
            ),
            key=lambda sealed: sealed.label.id,
        )
        return [self._state.row(sealed) for sealed in found[:limit]]

    async def tenants(self) -> list[TenantId]:
        """Return every tenant that owns a row."""
        self._state.answer()
        return sorted({TenantId(tenant) for tenant, _ in self._state.memories})


def newest_first(found: Iterable[Sealed]) -> list[Sealed]:
    """Return memories in the order of every listing."""
    return sorted(found, key=lambda sealed: _place(sealed.label), reverse=True)


def _place(label: Label) -> tuple[int, str]:
    return micros(label.recorded_at), label.id


def _rank(label: Label, order: Order) -> tuple[int, int, str]:
    """Return where a memory stands in an order."""
    return (label.gravity if order is Order.SCORE else 0, *_place(label))


def _version(leaf: Leaf) -> tuple[int, str]:
    return leaf.version, leaf.id


def _head(chain: Sequence[Integrated]) -> AuditHead:
    return AuditHead(chain[-1].sequence, chain[-1].hash) if chain else EMPTY


def _is_listed(docket: Docket, label: Label) -> bool:
    wanted: tuple[tuple[str, tuple[str, ...]], ...] = (
        (label.subject, docket.subjects),
        (label.client, docket.clients),
        (label.source, docket.sources),
        (label.session, docket.sessions),
        (label.origin, docket.origins),
        (label.layer, docket.layers),
    )
    return (
        all(not values or value in values for value, values in wanted)
        and (docket.since is None or label.recorded_at >= docket.since)
        and (docket.until is None or label.recorded_at < docket.until)
    )


def _swept(sweep: Sweep, label: Label) -> bool:
    if not sweep.states:
        raise ValueError("a sweep names at least one state")
    until, expires = sweep.alive_at, label.expires_at
    return (
        label.state in sweep.states
        and (sweep.since is None or label.recorded_at >= sweep.since)
        and label.policy != sweep.unless
        and (until is None or expires is None or expires > until)
    )


def _passes(filter: Filter, label: Label) -> bool:
    return (
        label.state in filter.states
        and (not filter.layers or label.layer in filter.layers)
        and (not filter.kinds or label.kind in filter.kinds)
        and (not filter.origins or label.origin in filter.origins)
        and (filter.since is None or label.recorded_at >= filter.since)
        and (filter.until is None or label.recorded_at < filter.until)
        and (not filter.superseded_by or label.superseded_by in filter.superseded_by)
    )
