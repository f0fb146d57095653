"""A shard whose worker was killed while it was being made: it must not refuse searches for good."""

from pathlib import Path

import pytest
import qdrant_edge as engine

from memory.types import Layer
from storage.index import shard as shards
from storage.index.shard import Shard
from storage.index.wire import Point, Search
from tests.contracts.index_builders import ACME, ALICE, DIMENSIONS, axis, id_of

_LAYER = Layer.EPISODIC


def point(number: int) -> Point:
    """Return a point that the dense and the entity route find."""
    return Point(
        id=id_of(number),
        layer=_LAYER,
        subject=ALICE,
        vectors={name: axis(size, 1, 2).tobytes() for name, size in DIMENSIONS.items()},
        term_ids=(),
        term_weights=(),
        entities=("e1",),
        when=number,
        token=b"sealed",
    )


def search() -> Search:
    """Return a search by meaning, entity and time."""
    return Search(
        tenant=ACME,
        subject=ALICE,
        layers=(_LAYER,),
        limit=10,
        vectors={name: axis(size, 1, 2).tobytes() for name, size in DIMENSIONS.items()},
        term_ids=(),
        term_weights=(),
        entities=("e1",),
        since=0,
        until=None,
        contents=True,
    )


@pytest.mark.requirement("S9", "R11")
@pytest.mark.parametrize("filled", [False, True])
def test_a_shard_that_was_half_made_is_completed_when_it_is_loaded(
    tmp_path: Path,
    filled: bool,  # noqa: FBT001
) -> None:
    """Fields that were not indexed yet are, also when points are in it already."""
    half = engine.EdgeShard.create(str(tmp_path / "half"), shards._config(DIMENSIONS))
    half.flush()
    if filled:
        half.update(engine.UpdateOperation.upsert_points([shards._engine_point(point(1))]))
    with pytest.raises(Exception, match="No range index"):  # the control: it can't be searched
        Shard(half).search(search())
    half.flush()
    half.close()

    again = Shard.load(tmp_path / "half", DIMENSIONS)
    again.upsert([point(1), point(2)])
    found = again.search(search())
    again.close()
    assert found.keys() == {"dense.en", "dense.multi", "entity", "time"}
    assert all({hit.id for hit in hits} == {id_of(1), id_of(2)} for hits in found.values())
