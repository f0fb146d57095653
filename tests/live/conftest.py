"""What the tests against real processes share."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final

import pytest

from gateway import app
from gateway.settings import load
from tests.live.gateway_process import GatewayProcess

Figure = Callable[[str], None]

_FIGURES: Final = pytest.StashKey[list[str]]()
_LONGEST: Final = (
    "test_poisoning_scenes.py",
    "test_crash.py",
    "test_story.py",
    "test_crowd.py",
    "test_sections.py",
    "test_start_order.py",
    "test_queue_crash.py",
    "test_degraded.py",
    "test_clients.py",
    "test_index_worker.py",
    "test_poisoning_served.py",
    "test_conformance.py",
)
"""Files that take long, the longest first."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long: the last file of several workers keeps the others waiting."""
    ranks = {name: place for place, name in enumerate(_LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path.name, len(ranks)))


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Figure:
    """Take one line of figures, shown when all tests are done."""
    return request.config.stash.setdefault(_FIGURES, []).append


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    """Return how often a test of crashes is to kill."""
    number: int = request.config.getoption("--kills")
    return number


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what was counted."""
    for line in terminalreporter.config.stash.get(_FIGURES, []):
        terminalreporter.write_line(f"live: {line}")


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return prepared models, made once: no test changes them."""
    settings = load(
        environ={}, overrides={"storage.data_dir": str(tmp_path_factory.mktemp("prepared"))}
    )
    app.prepare_models(settings, lambda _step, _done, _total: None)
    return settings.storage.data_dir / "models"


@pytest.fixture
async def gateway(tmp_path: Path, models: Path) -> AsyncIterator[GatewayProcess]:
    """Lend a gateway that serves an empty data directory."""
    async with GatewayProcess(tmp_path / "data", models) as process:
        yield process
