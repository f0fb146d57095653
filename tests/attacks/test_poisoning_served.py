"""A scene of each table against a gateway as it is served: HTTP, SQLite files, a real index."""

from collections.abc import Iterator

import httpx2
import pytest

from gateway.app.serving import USE_CASES
from tests.attacks.callers import Caller
from tests.attacks.gaps import GAPS
from tests.attacks.scenes import WAYS, Reach, Way, attacked, served
from tests.edges.served import Served
from tests.edges.served import served as gateways_served

pytestmark = pytest.mark.live  # with the real models, for minutes

_FIRST = {way.table: way for way in reversed(WAYS)}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve the product as it is."""
    folder = tmp_path_factory.mktemp("poisoned")
    with gateways_served(folder, {"honest": USE_CASES}) as running:
        yield running


@pytest.mark.requirement("W1", "W7", "W16", "R7")
@pytest.mark.parametrize("way", _FIRST.values(), ids=lambda way: way.name)
async def test_the_served_gateway_does_as_the_one_in_memory(gateway: Served, way: Way) -> None:
    """Attack and twin of one scene end on real files as the table of gaps says."""
    # Of every second table a Chinese scene; the first half of each table is English.
    scene = way.scenes()[-1 if list(_FIRST).index(way.table) % 2 else 0]
    known = GAPS.of(way.name, [scene])
    sides = {}
    for side in ("attack", "twin"):
        headers = {"Authorization": f"Bearer {gateway.token(f'{scene.id}-{side}')}"}
        sides[side] = httpx2.AsyncClient(
            base_url=gateway.urls["honest"], headers=headers, timeout=30
        )
    async with sides["attack"] as attacker, sides["twin"] as honest:
        reached = await attacked(Caller(attacker), way, scene)
        kept = await served(Caller(honest), way, scene)
    assert (reached is Reach.ACTIONABLE) is bool(known.through)
    assert kept is not bool(known.lost)
