"""The soak's own account is no good unless it notices: each promise is broken once, on purpose."""

import contextlib
import random
import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bench.soak.asking import Asking
from bench.soak.book import Book, Owner, State
from bench.soak.greedy import Given, Outage, excess, told
from bench.soak.proving import Proving
from bench.soak.visiting import Visiting
from gateway.app.serving import USE_CASES
from tests.edges.served import Served, served

ANNA, BORIS, ELSEWHERE = Owner(1, 1), Owner(1, 2), Owner(2, 1)
KEPT = "01a2299d-a9d2-7a0c-87c6-3052caa1a056"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Lend one real gateway."""
    with served(tmp_path_factory.mktemp("soak"), {"honest": USE_CASES}) as gateway:
        yield gateway


class Account:
    """A book about a gateway, and the ways to ask it."""

    def __init__(self, gateway: Served, asking: Asking, book: Book) -> None:
        self.gateway = gateway
        self.book = book
        self.asking = asking
        self.mixed_up: dict[Owner, Owner] = {}
        self.visiting = Visiting(asking, book, [], random.Random(1))  # noqa: S311
        self.proving = Proving(asking, book)

    async def prove(self) -> list[str]:
        """Return what a whole proof finds wrong."""
        self.book.violations.clear()
        await self.proving.everything(random.Random(1))  # noqa: S311
        return self.book.violations

    def ledger(self) -> sqlite3.Connection:
        """Open the database behind the gateway's back; the caller closes it."""
        file = self.gateway.settings.storage.data_dir / "ledger.db"
        return sqlite3.connect(file, timeout=60, isolation_level=None)


@pytest.fixture
async def account(gateway: Served, tmp_path: Path) -> AsyncIterator[Account]:
    """Lend an account of a few writes of three subjects, all true."""
    book, mixed_up = Book(), dict[Owner, Owner]()
    name = tmp_path.name  # tenants of this test alone

    def token(owner: Owner) -> str:
        owner = mixed_up.get(owner, owner)
        return gateway.token(owner.subject, f"{owner.tenant}-{name}")

    async with Asking(tuple(gateway.urls.values()), token, book, 1) as asking:
        account = Account(gateway, asking, book)
        account.mixed_up = mixed_up
        for owner in (ANNA, BORIS, ELSEWHERE) * 2:
            await account.visiting.store(owner)
            await account.visiting.store_by_tool(owner)
        await account.visiting.forget(ANNA)
        for entry in [one for owner in book.owners() for one in book.entries(owner)]:
            while entry.state is State.ACCEPTED:  # to be decided later, which is soon
                await account.visiting.read_one(entry)
        yield account


@pytest.mark.requirement("E5", "R13")
async def test_a_true_account_proves_true(account: Account) -> None:
    """Everything that was acknowledged is read, listed and recalled; what was forgotten is gone."""
    assert await account.prove() == []
    assert account.book.counts["memories forgotten"] == 1
    assert account.book.counts["marks seen"] > 20


async def test_a_write_that_was_removed_behind_the_gateway_is_missed(account: Account) -> None:
    """One row less in the database is one acknowledgement that is not true, and it is named."""
    (entry, *_) = [e for e in account.book.entries(BORIS) if e.state is State.KEPT]
    with contextlib.closing(account.ledger()) as ledger:
        removed = ledger.execute("DELETE FROM memories WHERE id = ?", (entry.id,)).rowcount
    assert removed == 1
    found = await account.prove()
    assert f"LOST: {BORIS} {entry.id} is not there" in found
    assert f"NOT RECALLED: {BORIS} {entry.id}" in found
    assert all(str(BORIS) in one for one in found)


@pytest.mark.parametrize("other", [BORIS, ELSEWHERE])
async def test_an_answer_for_somebody_else_is_recognised(account: Account, other: Owner) -> None:
    """One who is answered as another, of his tenant or not, is shown texts that are not his."""
    account.mixed_up[ANNA] = other
    for ask in (account.visiting.list, account.visiting.recall_by_tool, account.visiting.recall):
        account.book.violations.clear()
        for _ in range(20):  # the other one may have nothing to say to some of the questions
            await ask(ANNA)
        crossed = [one for one in account.book.violations if one.startswith("CROSS-SCOPE")]
        assert crossed, ask
        assert all(f"{ANNA} was shown" in one and str(other) in one for one in crossed)


async def test_opening_another_door_is_recognised(account: Account) -> None:
    """A foreign memory that can be read by its id is a violation even before its text is seen."""
    account.mixed_up[ANNA] = BORIS
    account.book.violations.clear()
    for _ in range(20):
        await account.visiting.trespass(ANNA)
    assert any(f"{ANNA}: GET of" in one for one in account.book.violations)


def broken(state: State, text: str | None) -> list[str]:
    """Return what is noted when asking for a memory in this state gives this text."""
    book = Book()
    book.acknowledged(ANNA, KEPT, "Q0101N00000: said", state)
    book.fetched(book.entries(ANNA)[0], text)
    return [one.partition(":")[0] for one in book.violations]


def test_each_state_allows_what_it_allows() -> None:
    """Lost, changed and not forgotten are told apart; an answer that was lost allows either."""
    said = "Q0101N00000: said"
    assert broken(State.KEPT, said) == []
    assert broken(State.KEPT, None) == ["LOST"]
    assert broken(State.KEPT, "Q0101N00000: else") == ["CHANGED"]
    assert broken(State.ACCEPTED, None) == []
    assert broken(State.GONE, None) == []
    assert broken(State.GONE, said) == ["NOT FORGOTTEN"]
    assert broken(State.UNKNOWN, None) == broken(State.UNKNOWN, said) == []


def test_what_was_accepted_must_be_there_once_all_is_settled() -> None:
    """A write that was accepted and never decided is lost."""
    book = Book()
    book.acknowledged(ANNA, KEPT, "Q0101N00000: said", State.ACCEPTED)
    book.settle()
    book.listed(ANNA, {})
    assert book.violations == [f"LOST: {ANNA} {KEPT} is not there"]


def test_what_was_refused_must_not_be_there_and_nothing_twice() -> None:
    """A refusal says that nothing was kept; a repeated write must not be kept again."""
    book = Book()
    book.refused(ANNA, "Q0101N00007: refused")
    book.listed(ANNA, {"1": "Q0101N00007: refused", "2": "Q0101N00008: a", "3": "Q0101N00008: a"})
    assert [one.partition(":")[0] for one in book.violations] == ["KEPT THOUGH REFUSED", "TWICE"]


def test_spending_is_measured_over_every_span() -> None:
    """Five at once and one a second are the limit; a sixth at once is a fifth too much."""
    steady = [Given(float(second), second + 0.1) for second in range(30)]
    burst = [Given(100.0, 100.0)] * 5
    assert excess([*steady, *burst], []).shared <= 1.0
    assert excess([*steady, *burst, Given(100.0, 100.0)], []).shared == pytest.approx(1.2)
    away = excess([*burst, *burst], [Outage(99.0, 101.0)])
    assert (away.shared, away.alone) == (0.0, 2.0)


def test_a_gateway_that_counted_alone_says_when() -> None:
    """Its log tells from when to when, a restart ends it, and half a line is passed over."""
    lost = "the shared rate limits do not answer; counting in this process alone"
    said = [
        (10, "serving"),
        (12, lost),
        (13, "request"),
        (15, "the shared rate limits answer again"),
        (20, lost),
        (25, "serving"),
        (30, lost),
        (31, "request"),
    ]
    log = [f'{{"time": "1970-01-01T00:00:{at}+00:00", "event": "{event}"}}' for at, event in said]
    assert told([*log[:3], log[0][:20], *log[3:]], 100.0) == [
        Outage(112, 115),
        Outage(120, 125),
        Outage(130, 131),
    ]
