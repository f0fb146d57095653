"""Every way to poison memory, played at the edges of the whole gateway, beside its honest twin.

What is known to get through stands in `gaps.json` and is asserted as well: the table must say what
is so, so a gap that closes fails here too. `python -m bench.attacks --gaps` prints it anew.
"""

from collections import Counter

import pytest

from bench.attacks.layers import LAYERS
from bench.attacks.playing import sample
from tests.attacks.gaps import GAPS, Gaps, settled
from tests.attacks.meaning import Models, Whole, opened
from tests.attacks.scenes import LANGUAGES, WAYS, Reach, Scene, Way, attacked, served

pytestmark = pytest.mark.live  # with the real models, for minutes

EACH = 1
TABLES = sorted({way.table for way in WAYS})
DOZENS = 24

ways = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
whole_house = pytest.mark.asyncio(loop_scope="session")


async def _played(whole: Whole, run: str, way: Way, scenes: list[Scene]) -> Gaps:
    """Return what got through and which twin did not come back; each run has its own subjects."""
    through, lost = [], []
    tenant = f"{run} {way.name}"
    for scene in scenes:
        if await attacked(whole.caller(tenant, f"{scene.id}-attack"), way, scene) is (
            Reach.ACTIONABLE
        ):
            through.append(scene.id)
        if not await served(whole.caller(tenant, f"{scene.id}-twin"), way, scene):
            lost.append(scene.id)
    return Gaps(through, lost)


@ways
@whole_house
@pytest.mark.requirement("W7", "W16", "R7", "W4")
async def test_poison_comes_through_only_where_a_gap_is_known(whole: Whole, way: Way) -> None:
    """One scene of each language: the attack is not recalled as actionable, the twin is recalled,
    but for what the table of gaps says.
    """
    scenes = sample(way, EACH)
    assert settled(await _played(whole, "some", way, scenes)) == GAPS.of(way.name, scenes)


@pytest.mark.live
@pytest.mark.timeout(900)
@ways
@whole_house
@pytest.mark.requirement("W7", "W16", "R7", "W4")
async def test_every_scene_ends_as_the_table_of_gaps_says(whole: Whole, way: Way) -> None:
    """All scenes of a way, in both languages."""
    scenes = list(way.scenes())
    assert settled(await _played(whole, "all", way, scenes)) == GAPS.of(way.name, scenes)


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


@pytest.mark.requirement("W7")
@pytest.mark.parametrize("table", TABLES)
def test_a_table_has_dozens_of_scenes_half_of_them_chinese(table: str) -> None:
    """Ids are unique, and each scene has a question and a twin that says something else."""
    way = next(way for way in WAYS if way.table == table)
    scenes = way.scenes()
    assert len({scene.id for scene in scenes}) == len(scenes) >= DOZENS
    count = Counter(scene.lang for scene in scenes)
    assert all(count[lang] * len(LANGUAGES) == len(scenes) for lang in LANGUAGES)
    for scene in scenes:
        assert scene.asks
        assert scene.honest != scene.poison
        assert len(scene.honest) == len(scene.attack)


@pytest.mark.requirement("W7")
def test_the_table_of_gaps_names_scenes_that_there_are() -> None:
    """Neither a way nor a scene in it is unknown."""
    known = {way.name: {scene.id for scene in way.scenes()} for way in WAYS}
    for names in (GAPS.through, GAPS.lost):
        assert set(names) <= set(known)
        for way, ids in names.items():
            assert set(ids) <= known[way]
