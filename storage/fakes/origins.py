"""What came from where, and which origins are barred, in memory; made by `MemoryLedger`."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from guard.errors import ConflictError, NotFoundError
from guard.nouns import Barred, Change, Label, Leaf, Row, Sealed
from guard.origins import Ban, Group, Groups, Kind, Place, Reach, Shown, Tally, showed
from memory.origin import OriginClass
from memory.types import LeafId, MemoryId, State, SubjectId, TenantId
from storage.bans import check_ban
from storage.cursor import Position, decode, encode, listing
from storage.rows import instant, micros


class Ledger(Protocol):
    """What the two need of the state that all adapters over one ledger in memory share."""

    leaves: dict[tuple[str, LeafId], Leaf]
    waiting: dict[tuple[str, LeafId], Leaf]
    lineage: "Lineage"

    def answer(self) -> None:
        """Raise UnavailableError while offline."""
        ...

    def of(self, tenant: str) -> list[Sealed]:
        """Return a tenant's memories."""
        ...

    def row(self, sealed: Sealed) -> Row:
        """Return a memory with its newest leaf."""
        ...


class Lineage:
    """The state behind both ports."""

    def __init__(self) -> None:
        self.parents: dict[tuple[str, MemoryId], set[MemoryId]] = defaultdict(set)
        self.children: dict[tuple[str, MemoryId], set[MemoryId]] = defaultdict(set)
        self.read: set[tuple[str, str]] = set()
        self.bans: dict[tuple[str, str], Ban] = {}
        self.barred: dict[tuple[str, str, MemoryId], Barred] = {}

    def apply(self, change: Change) -> None:
        """Keep what a change's rows were derived from, and which of them a ban holds."""
        tenant = change.owner.tenant
        if change.epoch == 0:
            self.read.add((tenant, change.owner.subject))
        self.derive(tenant, change.derived)
        for one in change.barred:
            self.barred[tenant, one.ban, one.memory] = one

    def derive(self, tenant: str, pairs: Iterable[tuple[MemoryId, MemoryId]]) -> None:
        """Keep derivations."""
        for child, parent in pairs:
            self.parents[tenant, child].add(parent)
            self.children[tenant, parent].add(child)


class MemoryOrigins:
    """Fulfils `guard.origins.Origins` in memory."""

    def __init__(self, state: Ledger) -> None:
        self._state: Final = state

    async def groups(self, tenant: TenantId, kind: Kind, cursor: str | None, limit: int) -> Groups:
        """Return one page of a tenant's origins. Raises InvalidError for a foreign cursor."""
        self._state.answer()
        scope = listing("origins", tenant, kind)
        sorted_: dict[tuple[str, str], list[Label]] = defaultdict(list)
        for label in (sealed.label for sealed in self._state.of(tenant)):
            name = _named(label)[kind]
            if name:
                sorted_[name, label.origin if kind is Kind.CLIENT else ""].append(label)
        found = sorted((_order(key, labels), key) for key, labels in sorted_.items())
        if cursor is not None:
            last = decode(cursor, scope)
            name, _, class_ = last.id.partition("\x1f")
            found = [one for one in found if one[0] > (-last.recorded_at, name, class_)]
        items = tuple(_group(kind, key, sorted_[key]) for _, key in found[:limit])
        if len(found) <= limit:
            return Groups(items, None)
        (newest, name, class_), _ = found[limit - 1]
        return Groups(items, encode(Position(scope, -newest, f"{name}\x1f{class_}")))

    async def tally(self, tenant: TenantId, place: Place) -> Tally:
        """Return how far an origin reaches."""
        labels = [sealed.label for sealed in self._reached(tenant, place)]
        ids = {label.id for label in labels}
        own = sum(place.covers(label) for label in labels)
        others = (sealed.label for sealed in self._state.of(tenant))
        replaced = sum(one.superseded_by in ids and one.id not in ids for one in others)
        states = Counter(label.state for label in labels)
        subjects = len({label.subject for label in labels})
        return Tally(dict(states), own, len(labels) - own, subjects, replaced)

    async def reached(self, tenant: TenantId, reach: Reach, limit: int) -> list[Row]:
        """Return memories that an origin reaches."""
        found = [
            sealed
            for sealed in self._reached(tenant, reach.place)
            if sealed.label.state in reach.states
            and (reach.after is None or sealed.label.id > reach.after)
            and reach.subject in (None, sealed.label.subject)
        ]
        return [self._state.row(sealed) for sealed in found[:limit]]

    async def shown(self, tenant: TenantId, place: Place, limit: int) -> Shown:
        """Return leaves of recalls that showed a memory which an origin reaches, newest first."""
        ids = {sealed.label.id for sealed in self._reached(tenant, place)}
        leaves = [
            leaf
            for (of, _), leaf in self._state.leaves.items()
            if of == tenant and leaf.object in ids and showed(leaf)
        ]
        leaves.sort(key=lambda leaf: leaf.id, reverse=True)
        return Shown(tuple(leaves[:limit]), more=len(leaves) > limit)

    async def unread(self, tenant: TenantId, place: Place, limit: int) -> list[SubjectId]:
        """Return subjects that have memories of an origin, and derivations that nobody has read."""
        self._state.answer()
        mine = {s.label.subject for s in self._state.of(tenant) if place.covers(s.label)}
        read = self._state.lineage.read
        return [SubjectId(one) for one in sorted(mine) if (tenant, one) not in read][:limit]

    async def learn(
        self, tenant: TenantId, subject: SubjectId, pairs: Sequence[tuple[MemoryId, MemoryId]]
    ) -> None:
        """Keep all that a subject's memories, named first, were derived from. Idempotent."""
        self._state.answer()
        self._state.lineage.derive(tenant, pairs)
        self._state.lineage.read.add((tenant, subject))

    def _reached(self, tenant: TenantId, place: Place) -> list[Sealed]:
        """Return an origin's memories and all that was derived from them, by id."""
        self._state.answer()
        every = {sealed.label.id: sealed for sealed in self._state.of(tenant)}
        front = [id for id, sealed in every.items() if place.covers(sealed.label)]
        found = set(front)
        while front:
            children = self._state.lineage.children
            below = {one for parent in front for one in children.get((tenant, parent), ())}
            front = [*(below - found)]
            found |= below
        return [every[id] for id in sorted(found) if id in every]


class MemoryBans:
    """Fulfils `guard.origins.Bans` in memory."""

    def __init__(self, state: Ledger) -> None:
        self._state: Final = state

    async def standing(self, tenant: TenantId) -> Sequence[Ban]:
        """Return the bans that are not lifted, in the order of their ids."""
        return [ban for ban in self._every(tenant) if ban.lifted_at is None]

    async def every(self, tenant: TenantId, after: str | None, limit: int) -> list[Ban]:
        """Return bans, lifted ones too, in the order of their ids, after `after`."""
        return [one for one in self._every(tenant) if after is None or one.id > after][:limit]

    async def put(self, ban: Ban, leaf: Leaf) -> None:
        """Keep a ban, or that it is lifted, with its audit leaf."""
        self._state.answer()
        check_ban(ban, leaf)
        bans, key = self._state.lineage.bans, (ban.tenant, ban.id)
        if ban.lifted_at is None:
            if key in bans:
                raise ConflictError("conflict")
        elif key not in bans:
            raise NotFoundError
        elif bans[key].lifted_at is not None:
            raise ConflictError("conflict")
        bans[key] = ban
        place = (leaf.tenant, leaf.id)
        self._state.leaves[place] = self._state.waiting[place] = leaf

    async def derived(
        self, tenant: TenantId, ids: Sequence[MemoryId], bans: Sequence[Ban]
    ) -> Mapping[MemoryId, str]:
        """Return those of `ids` that were derived from a barred origin, with the ban's id."""
        self._state.answer()
        every = {sealed.label.id: sealed.label for sealed in self._state.of(tenant)}
        found: dict[MemoryId, str] = {}
        for id in ids:
            above = [every[one] for one in self._above(tenant, id) if one in every]
            by = [ban.id for ban in bans if any(ban.place.covers(label) for label in above)]
            if by:
                found[id] = by[0]
        return found

    async def holds(
        self, tenant: TenantId, ban: str, after: MemoryId | None, limit: int
    ) -> list[tuple[Barred, Row]]:
        """Return what a ban holds, as far as nothing has become of it since, by id."""
        self._state.answer()
        every = {sealed.label.id: sealed for sealed in self._state.of(tenant)}
        found = [
            (one, self._state.row(every[one.memory]))
            for (of, by, _), one in sorted(self._state.lineage.barred.items())
            if (of, by) == (tenant, ban) and (after is None or one.memory > after)
        ]
        return [(one, row) for one, row in found if _is_held(one, row.sealed.label)][:limit]

    async def left(self, tenant: TenantId, ban: str, ids: Sequence[MemoryId]) -> None:
        """Leave memories that a ban held to reviewers: lifting it no longer releases them."""
        self._state.answer()
        for id in ids:
            self._state.lineage.barred.pop((tenant, ban, id), None)

    def _every(self, tenant: TenantId) -> list[Ban]:
        self._state.answer()
        bans = self._state.lineage.bans
        return sorted((b for (of, _), b in bans.items() if of == tenant), key=lambda one: one.id)

    def _above(self, tenant: TenantId, id: MemoryId) -> set[MemoryId]:
        parents = self._state.lineage.parents
        found: set[MemoryId] = set()
        front = [id]
        while front:
            above = {up for one in front for up in parents.get((tenant, one), ())}
            front = [*(above - found)]
            found |= above
        return found


def _is_held(one: Barred, label: Label) -> bool:
    return label.state is State.HELD and label.version == one.version


def _named(label: Label) -> Mapping[Kind, str]:
    return {Kind.SOURCE: label.source, Kind.SESSION: label.session, Kind.CLIENT: label.client}


def _order(key: tuple[str, str], labels: Sequence[Label]) -> tuple[int, str, str]:
    return -max(micros(label.recorded_at) for label in labels), *key


def _group(kind: Kind, key: tuple[str, str], labels: Sequence[Label]) -> Group:
    states = Counter(label.state for label in labels)
    newest = instant(max(micros(label.recorded_at) for label in labels))
    class_ = OriginClass(key[1]) if kind is Kind.CLIENT else None
    return Group(Place(kind, key[0]), class_, states[State.ACTIVE], states[State.HELD], newest)
