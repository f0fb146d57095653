"""One gateway for all clients, and the clients that npm brings."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.live.conftest import Figure
from tests.live.gateway_process import GatewayProcess
from tests.live.mcp.npm import UNTESTED, Npm, find_node


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared(
    tmp_path_factory: pytest.TempPathFactory, models: Path
) -> AsyncIterator[GatewayProcess]:
    """Lend a gateway that all tests here use, each as subjects of its own."""
    data_dir = tmp_path_factory.mktemp("shared") / "data"
    async with GatewayProcess(data_dir, models) as process:
        yield process


@pytest.fixture
def npm(figure: Figure, tmp_path: Path) -> Npm:
    """Return what runs the clients of npm; skip, and say so at the end, where they are not."""
    node = find_node()
    if node is None:
        figure(UNTESTED)
        pytest.skip(UNTESTED)
    return Npm(node, tmp_path)


@pytest.fixture
def crowd_seconds(request: pytest.FixtureRequest) -> float:
    """Return for how long a crowd is to talk."""
    seconds: float = request.config.getoption("--crowd-seconds")
    return seconds
