"""The real PostgreSQL under the contracts: started once, or said to be missing out loud."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final

import pytest

from storage.keystore import prepare
from storage.migrations import migrate
from tests.contracts.index_builders import OPENERS
from tests.postgres import GATEWAY, Cluster, MissingError, Place, throwaway

_missing: list[str] = []
_CASE: Final = re.compile(r"tests/contracts/test_(?P<port>\w+)\.py::\w+\[(?P<ids>.*)\]$", re.DOTALL)
_SQL: Final = ("memory", "sqlite", "postgres")
PORTS: Final[Mapping[str, Sequence[str]]] = {
    "answers": _SQL,
    "audit": _SQL,
    "buckets": ("local", "shared"),
    "hooks": _SQL,
    "embedder": ("fake", "packaged", "transformers", "remote"),
    "index": sorted(OPENERS, key=len, reverse=True),
    "keyring": _SQL,
    "keystore": _SQL,
    "ledger": _SQL,
    "origins": _SQL,
    "outbox": _SQL,
    "proposals": _SQL,
    "quarantine": _SQL,
    "queue": _SQL,
    "registry": _SQL,
    "revocations": _SQL,
    "stock": _SQL,
    "transcript": _SQL,
    "undoing": _SQL,
    "vault": _SQL,
}
"""The adapters of each port, by the names that the cases carry."""


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
    """Say which port was tested on which adapter with how many cases, and what was not tested."""
    rows = table(terminalreporter.stats)
    if rows:
        terminalreporter.write_sep("-", "contracts: port, adapter, cases passed of all")
    for port, adapter, passed, cases in rows:
        terminalreporter.write_line(f"{port:<12} {adapter:<24} {passed:>4} of {cases}")
    if _missing:
        skipped = len(terminalreporter.stats.get("skipped", []))
        terminalreporter.write_line(
            f"POSTGRESQL WAS NOT TESTED: {_missing[0]}. {skipped} cases were skipped.", red=True
        )


def table(stats: Mapping[str, Sequence[Any]]) -> list[tuple[str, str, int, int]]:
    """Return port, adapter, cases passed and cases in all, from the reports of a run.

    A case of no one adapter, such as what only a server can suffer, is not of any contract.
    """
    passed: Counter[tuple[str, str]] = Counter()
    cases: Counter[tuple[str, str]] = Counter()
    for outcome in ("passed", "failed", "skipped", "error"):
        for report in stats.get(outcome, ()):
            case = _CASE.search(getattr(report, "nodeid", ""))
            if case is None or case["port"] not in PORTS:
                continue
            of = PORTS[case["port"]]
            # The longest name first: `live-per-tenant` is not `per-tenant`.
            found = next((name for name in of if name in re.split(r"[\[\]]", case["ids"])[0]), None)
            if found is not None:
                cases[case["port"], found] += 1
                passed[case["port"], found] += outcome == "passed"
    return [(*key, passed[key], cases[key]) for key in sorted(cases)]
