"""Origins and bans: the same on memory, on a real SQLite file and on a real PostgreSQL."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from guard.errors import ConflictError, InvalidError, NotFoundError
from guard.nouns import Barred, Sealed
from guard.origins import Ban, Group, Kind, Place, Reach
from memory.origin import OriginClass
from memory.types import ClientId, MemoryId, Owner, State, SubjectId, TenantId
from tests.contracts.ledger_builders import (
    ACME,
    ANNA,
    ELSEWHERE,
    GLOBEX,
    OWNER,
    START,
    Books,
    change,
    get,
    new_id,
    noted,
    open_books,
    put,
    relabelled,
    sealed,
)
from tests.postgres import Place as Server

PAGE = "a" * 32
SOURCE = Place(Kind.SOURCE, PAGE)
EVERY = tuple(State)


@pytest.fixture
async def books(ledger_at: tuple[str, Server | None], tmp_path: Path) -> AsyncIterator[Books]:
    """Fresh books of each adapter."""
    adapter, place = ledger_at
    async with open_books(adapter, tmp_path, place) as opened:
        yield opened


async def keep(
    books: Books, row: Sealed, *parents: Sealed, barred: tuple[Barred, ...] = ()
) -> Sealed:
    """Commit a row that was derived from others."""
    owner = Owner(TenantId(row.label.tenant), SubjectId(row.label.subject))
    epoch = await books.ledger.epoch(owner.tenant, owner.subject)
    pairs = tuple((row.label.id, parent.label.id) for parent in parents)
    made = change(epoch, row, owner=owner)
    await books.ledger.commit(msgspec.structs.replace(made, derived=pairs, barred=barred))
    return row


def ban(place: Place = SOURCE, tenant: TenantId = ACME, **changed: Any) -> Ban:
    """Return a fresh ban."""
    return msgspec.structs.replace(Ban(new_id(), tenant, place, START), **changed)


async def decide(books: Books, one: Ban) -> Ban:
    """Keep a ban with a leaf."""
    leaf = noted(Owner(one.tenant, ANNA), one.id)
    await books.bans.put(one, leaf)
    return one


async def reached(books: Books, place: Place = SOURCE, tenant: TenantId = ACME) -> list[MemoryId]:
    """Return the ids that an origin reaches, in order."""
    rows = await books.origins.reached(tenant, Reach(place, EVERY), 99)
    return [row.sealed.label.id for row in rows]


@pytest.mark.requirement("Q5")
async def test_an_origin_reaches_its_own_and_all_that_was_derived(books: Books) -> None:
    """Through what was forgotten as through what stands, by two ways once, and nobody else's."""
    boris, elsewhere = ELSEWHERE
    first = await keep(books, sealed(source=PAGE))
    second = await keep(books, sealed(), first)
    third = await keep(books, sealed(), first)
    last = await keep(books, sealed(), second, third)
    other = await keep(books, sealed(boris, source=PAGE, state=State.HELD))
    await keep(books, sealed())
    gave_way = await keep(books, sealed(state=State.SUPERSEDED, superseded_by=last.label.id))
    await keep(books, sealed(elsewhere, source=PAGE))
    ours = [row.label.id for row in (first, second, third, last, other)]
    assert await reached(books) == ours
    assert gave_way.label.id not in ours
    tally = await books.origins.tally(ACME, SOURCE)
    assert dict(tally.states) == {State.ACTIVE: 4, State.HELD: 1}
    assert (tally.own, tally.derived, tally.subjects, tally.replaced) == (2, 3, 2, 1)
    assert tally.count(State.REJECTED) == 0
    await keep(books, relabelled(second, state=State.FORGOTTEN))
    await keep(books, relabelled(third, state=State.FORGOTTEN))
    assert await reached(books) == ours
    one = Reach(SOURCE, (State.ACTIVE,), after=first.label.id, subject=ANNA)
    found = await books.origins.reached(ACME, one, 1)
    assert [row.sealed.label.id for row in found] == [last.label.id]
    assert found == [await get(books, last)]
    assert len(await reached(books, tenant=GLOBEX)) == 1
    for place in (
        Place(Kind.MEMORY, second.label.id),
        Place(Kind.SESSION, PAGE),
        Place(Kind.CLIENT, "nu\0l"),
    ):
        assert len(await reached(books, place)) == (2 if place.kind is Kind.MEMORY else 0)
        assert (await books.origins.tally(ACME, place)).own == (place.kind is Kind.MEMORY)


@pytest.mark.requirement("Q5")
@pytest.mark.parametrize("kind", [Kind.SOURCE, Kind.SESSION, Kind.CLIENT])
async def test_origins_are_listed_in_pages_the_newest_first(books: Books, kind: Kind) -> None:
    """With what stands and what is held; of a client each class apart."""
    names = ("b" * 32, "c" * 32, "d" * 32)

    def of(name: str, owner: Owner = OWNER, **label: Any) -> Sealed:
        return sealed(owner, **{kind.value: name}, **label)

    for hours, name in enumerate(names):
        at = START + timedelta(hours=hours)
        await put(books, of(name, recorded_at=at), of(name, state=State.HELD))
    late = START + timedelta(hours=2)
    await put(books, of(names[2], recorded_at=late, origin=OriginClass.WEB))
    await put(books, of("e" * 32, ELSEWHERE[1]))
    found: list[Group] = []
    cursor = None
    for _ in range(9):
        page = await books.origins.groups(ACME, kind, cursor, 1)
        found += page.items
        cursor = page.cursor
        if cursor is None:
            break
    clients = kind is Kind.CLIENT
    told = [(one.place.name[0], one.active, one.held) for one in found]
    assert told[-2:] == [("c", 1, 1), ("b", 1, 1)]
    assert told[:-2] == ([("d", 1, 1), ("d", 1, 0)] if clients else [("d", 2, 1)])
    assert found == list((await books.origins.groups(ACME, kind, None, 99)).items)
    assert found[0].newest == START + timedelta(hours=2)
    assert {one.class_ for one in found} == (
        {OriginClass.USER_STATED, OriginClass.WEB} if clients else {None}
    )
    first = await books.origins.groups(ACME, kind, None, 1)
    with pytest.raises(InvalidError):
        await books.origins.groups(GLOBEX, kind, first.cursor, 1)


@pytest.mark.requirement("Q5")
async def test_recalls_that_showed_any_of_it_are_found_newest_first(books: Books) -> None:
    """Of the origin's own and of what was derived; what was withheld was shown to nobody."""
    first = await keep(books, sealed(source=PAGE))
    second = await keep(books, sealed(), first)
    other = await keep(books, sealed())
    leaves = [
        msgspec.structs.replace(noted(object=row.label.id), outcome=outcome)
        for row, outcome in ((first, "shown"), (second, "shown"), (other, "shown"))
    ]
    withheld = msgspec.structs.replace(noted(object=first.label.id), outcome="withheld")
    await books.audit.note([*leaves, withheld])
    found = await books.origins.shown(ACME, SOURCE, 9)
    assert (found.leaves, found.more) == ((leaves[1], leaves[0]), False)
    assert (await books.origins.shown(ACME, SOURCE, 1)).more
    assert (await books.origins.shown(GLOBEX, SOURCE, 9)).leaves == ()


@pytest.mark.requirement("Q5")
async def test_who_wrote_first_has_nothing_to_be_read_and_learning_twice_changes_nothing(
    books: Books,
) -> None:
    """Derivations that are there already stay."""
    first = await keep(books, sealed(source=PAGE))
    second = await keep(books, sealed(), first)
    assert await books.origins.unread(ACME, SOURCE, 9) == []
    third = await keep(books, sealed())
    pairs = [(third.label.id, second.label.id), (second.label.id, first.label.id)]
    for _ in range(2):
        await books.origins.learn(ACME, ANNA, pairs)
    assert await reached(books) == [row.label.id for row in (first, second, third)]


@pytest.mark.requirement("Q5")
async def test_a_ban_stands_until_it_is_lifted_once(books: Books) -> None:
    """In its own tenant alone; one that is not there can't be lifted."""
    one, other = await decide(books, ban()), await decide(books, ban(tenant=GLOBEX))
    assert await books.bans.standing(ACME) == [one]
    assert await books.bans.every(ACME, None, 9) == [one]
    assert await books.bans.every(ACME, one.id, 9) == []
    later = await decide(books, ban(Place(Kind.CLIENT, "app")))
    assert await books.bans.standing(ACME) == [one, later]
    lifted = await decide(books, msgspec.structs.replace(one, lifted_at=START))
    assert await books.bans.standing(ACME) == [later]
    assert await books.bans.every(ACME, None, 9) == [lifted, later]
    with pytest.raises(ConflictError):
        await decide(books, lifted)
    with pytest.raises(NotFoundError):
        await decide(books, msgspec.structs.replace(other, tenant=ACME, lifted_at=START))
    assert await books.bans.standing(GLOBEX) == [other]
    with pytest.raises(ValueError, match="another ban"):
        await books.bans.put(ban(), noted())
    await books.audit.integrate()
    assert len(await books.audit.leaves(ACME, 0, 9)) == 3


@pytest.mark.requirement("Q5", "R5")
async def test_what_was_derived_from_a_barred_origin_is_found_upwards(books: Books) -> None:
    """By each kind of name; a memory's own origin is for whoever has its label."""
    client = ClientId("crawler")
    first = await keep(books, sealed(source=PAGE, session="b" * 32, client=client))
    second = await keep(books, sealed(), first)
    third = await keep(books, sealed(), second)
    free = await keep(books, sealed())
    ids = [row.label.id for row in (first, second, third, free)]
    for place in (
        SOURCE,
        Place(Kind.SESSION, "b" * 32),
        Place(Kind.CLIENT, client),
        Place(Kind.MEMORY, first.label.id),
    ):
        one = ban(place)
        found = await books.bans.derived(ACME, ids, [ban(Place(Kind.CLIENT, "nobody")), one])
        assert found == {second.label.id: one.id, third.label.id: one.id}
        assert await books.bans.derived(GLOBEX, ids, [one]) == {}
    assert await books.bans.derived(ACME, ids, []) == {}
    assert await books.bans.derived(ACME, [], [ban()]) == {}


@pytest.mark.requirement("Q5")
async def test_what_a_ban_holds_is_told_until_something_becomes_of_it(books: Books) -> None:
    """By id and in pages; what was decided since, or left to reviewers, is its no more."""
    one = await decide(books, ban())
    rows = []
    for _ in range(4):
        row = await keep(books, sealed(source=PAGE))
        held = relabelled(row, state=State.HELD)
        record = Barred(one.id, row.label.id, held.label.version, START)
        rows.append((record, await keep(books, held, barred=(record,))))
    found = await books.bans.holds(ACME, one.id, None, 2)
    assert found == [(record, await get(books, row)) for record, row in rows[:2]]
    found = await books.bans.holds(ACME, one.id, rows[1][1].label.id, 9)
    assert [record for record, _ in found] == [record for record, _ in rows[2:]]
    await keep(books, relabelled(rows[0][1], state=State.ACTIVE))
    await keep(books, relabelled(rows[1][1], state=State.HELD))
    await books.bans.left(ACME, one.id, [rows[2][1].label.id])
    await books.bans.left(GLOBEX, one.id, [rows[3][1].label.id])
    found = await books.bans.holds(ACME, one.id, None, 9)
    assert [record for record, _ in found] == [rows[3][0]]
    assert await books.bans.holds(GLOBEX, one.id, None, 9) == []
    # Held by the same ban a second time, it is held once.
    again = Barred(one.id, rows[0][0].memory, 4, START)
    held = relabelled(relabelled(rows[0][1], state=State.ACTIVE), state=State.HELD)
    await keep(books, held, barred=(again,))
    assert again in [record for record, _ in await books.bans.holds(ACME, one.id, None, 9)]
