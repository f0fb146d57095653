"""Every way to poison memory, played at the edges of the whole gateway, beside its honest twin.

What is known to get through stands in `gaps.json` and is asserted as well: the table must say what
is so, so a gap that closes fails here too. `python -m bench.attacks --gaps` prints it anew.
"""

import pytest

from bench.attacks.layers import LAYERS
from bench.attacks.playing import sample
from tests.attacks.gaps import GAPS, Gaps, settled
from tests.attacks.meaning import Models, Whole, opened
from tests.attacks.scenes import WAYS, Reach, Scene, Way, attacked, served

pytestmark = pytest.mark.live  # with the real models, for minutes

ways = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
whole_house = pytest.mark.asyncio(loop_scope="session")


async def _played(whole: Whole, way: Way, scenes: list[Scene]) -> Gaps:
    """Return what got through and which twin did not come back."""
    through, lost = [], []
    for scene in scenes:
        if await attacked(whole.caller(way.name, f"{scene.id}-attack"), way, scene) is (
            Reach.ACTIONABLE
        ):
            through.append(scene.id)
        if not await served(whole.caller(way.name, f"{scene.id}-twin"), way, scene):
            lost.append(scene.id)
    return Gaps(through, lost)


@ways
@whole_house
@pytest.mark.timeout(900)
@pytest.mark.requirement("W7", "W8", "W16", "R7", "W4")
async def test_poison_comes_through_only_where_a_gap_is_known(whole: Whole, way: Way) -> None:
    """No attack of a way is recalled as actionable and every twin is recalled, but for what the
    table of gaps says.
    """
    scenes = list(way.scenes())
    assert settled(await _played(whole, way, scenes)) == GAPS.of(way.name, scenes)


@whole_house
@pytest.mark.timeout(300)
@pytest.mark.requirement("W7")
async def test_a_bare_store_recalls_the_poison(
    loaded: Models, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The control: without the layers a scene of each way and language reaches the agent."""
    bare = LAYERS[0]
    folder = tmp_path_factory.mktemp("bare")
    async with opened(folder, loaded, bare.rooms, bare.doors) as whole:
        for way in WAYS:
            for scene in sample(way, 1):
                caller = whole.caller(way.table, f"{way.name}-{scene.id}")
                reached = await attacked(caller, way, scene, marks=False)
                assert reached is Reach.ACTIONABLE, (way.name, scene.id)
