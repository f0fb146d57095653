"""The tables of attack scenes are whole, and so is the table of their known gaps."""

from collections import Counter

import pytest

from tests.attacks.gaps import GAPS
from tests.attacks.scenes import LANGUAGES, WAYS

TABLES = sorted({way.table for way in WAYS})
DOZENS = 24


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
