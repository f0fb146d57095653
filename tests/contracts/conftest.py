"""The real PostgreSQL under the contracts: started once, or said to be missing out loud."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from storage.keystore import prepare
from storage.migrations import migrate
from tests.postgres import GATEWAY, Cluster, MissingError, Place, throwaway

_missing: list[str] = []


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Lend a running server, and skip where there is none to run."""
    with ExitStack() as stack:
        try:
            running = stack.enter_context(throwaway())
        except MissingError as missing:
            _missing.append(str(missing))
            pytest.skip(f"no PostgreSQL: {missing}")
        yield running


@pytest.fixture(scope="session")
def ledger_template(cluster: Cluster) -> Place:
    """Return a ledger that is migrated and empty, to be copied."""
    place = cluster.database()
    asyncio.run(migrate(place.owner, GATEWAY))
    return place


@pytest.fixture(scope="session")
def _shared_ledger(cluster: Cluster, ledger_template: Place) -> Place:
    return cluster.database(template=ledger_template.name)


@pytest.fixture(scope="session")
def _shared_keys(cluster: Cluster) -> Place:
    place = cluster.database()
    asyncio.run(prepare(place.owner, GATEWAY))
    return place


@pytest.fixture
def ledger_place(_shared_ledger: Place) -> Iterator[Place]:
    """Lend an empty migrated ledger on PostgreSQL. Its schema and settings stay as they are."""
    yield _shared_ledger
    _shared_ledger.empty()


@pytest.fixture
def keys_place(_shared_keys: Place) -> Iterator[Place]:
    """Lend an empty prepared key store on PostgreSQL."""
    yield _shared_keys
    _shared_keys.empty()


@pytest.fixture
def own_ledger(cluster: Cluster, ledger_template: Place) -> Iterator[Place]:
    """Lend a migrated ledger that may be spoilt beyond use."""
    place = cluster.database(template=ledger_template.name)
    yield place
    cluster.drop(place)


def _place(request: pytest.FixtureRequest, fixture: str) -> Place | None:
    """Return where on PostgreSQL to go; None is for one of the other adapters, by `param`."""
    if request.param != "postgres":
        return None
    place: Place = request.getfixturevalue(fixture)
    return place


# Not async, unlike the fixtures that open them: a migration runs on a loop of its own.
@pytest.fixture(params=["memory", "sqlite", "postgres"])
def ledger_at(request: pytest.FixtureRequest) -> tuple[str, Place | None]:
    """Name an adapter of the ledger and its neighbours, and where it is on PostgreSQL."""
    return request.param, _place(request, "ledger_place")


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def keys_at(request: pytest.FixtureRequest) -> tuple[str, Place | None]:
    """Name an adapter of the key store, and where it is on PostgreSQL."""
    return request.param, _place(request, "keys_place")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was not tested."""
    if _missing:
        skipped = len(terminalreporter.stats.get("skipped", []))
        terminalreporter.write_line(
            f"POSTGRESQL WAS NOT TESTED: {_missing[0]}. {skipped} cases were skipped.", red=True
        )
