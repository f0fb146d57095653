"""What every test may use, and the count of requirements still planned."""

import gc
from collections.abc import Iterator

import pytest

from tests.contracts.tiny_bert import MISSING
from tests.requirements import PLANNED, REQUIREMENTS
from tests.warm import kept_warm

# While tests are collected nearly nothing is garbage, and to look for it takes a third of the time.
gc.set_threshold(200_000, 50, 50)


@pytest.fixture(scope="session", autouse=True)
def _warm() -> Iterator[None]:
    with kept_warm():
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take how often the tests of crashes kill, and for how long a crowd talks."""
    told = "kills of a gateway or index worker in each test of crashes; others kill in proportion"
    parser.addoption("--kills", type=int, default=6, help=told)
    told = "seconds for which two hundred sessions talk at once"
    parser.addoption("--crowd-seconds", type=float, default=20.0, help=told)


def pytest_collection_finish() -> None:
    """Have the collector leave alone what lasts as long as the tests: modules, cases, models.

    There are some hundred thousand objects of it, and each application that a test builds would
    have all of them looked at again. What tests leave is looked for less often as well.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many requirements are not in force yet, and what an extra left untested."""
    planned = sum(status is PLANNED for status, _ in REQUIREMENTS.values())
    terminalreporter.write_line(
        f"requirements: {len(REQUIREMENTS) - planned} in force, {planned} planned"
    )
    skipped = terminalreporter.stats.get("skipped", [])
    untested = sum(MISSING in str(report.longrepr) for report in skipped)
    if untested:
        terminalreporter.write_line(f"NOT TESTED: {untested} tests, since {MISSING}", yellow=True)
