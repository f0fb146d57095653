"""The gateway on another embedder than the packaged one, on real adapters, and what it refuses."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.app import chores, serving
from gateway.app.embedding import bounds_of
from gateway.settings import Settings, SettingsError, load
from guard.errors import UnavailableError
from guard.nouns import Draft
from guard.outcomes import Query, Recollection, Stored
from guard.recall import recall
from guard.remember import remember
from guard.rooms import Bounds
from memory.fusion import Ramp
from tests.contracts.embedding_double import DIMENSIONS, MODEL, EndpointDouble, endpoint, status
from tests.house import ALICE, BOB

MEMORY = "The staging database listens on port 5433."
QUESTION = "On which port does the staging database listen?"


@pytest.fixture
def double() -> Iterator[EndpointDouble]:
    """Yield a serving endpoint."""
    with endpoint() as serving_double:
        yield serving_double


def settings_of(folder: Path, double: EndpointDouble, **changed: str) -> Settings:
    """Return the settings of a gateway that embeds at the double."""
    embedder = {
        "kind": "remote",
        "url": double.url,
        "model": MODEL,
        "dimensions": str(DIMENSIONS),
        "attempts": "1",
    }
    overrides = {f"embedder.{name}": value for name, value in (embedder | changed).items()}
    return load(environ={}, overrides={"storage.data_dir": str(folder / "data"), **overrides})


async def asked(settings: Settings) -> Recollection:
    """Start a gateway, ask it, and stop it."""
    async with serving.opened(settings) as gateway:
        return await recall(ALICE, Query(QUESTION, 5), gateway.rooms)


@pytest.mark.requirement("R1", "S7")
async def test_a_memory_is_stored_and_recalled_by_an_endpoints_vectors(
    tmp_path: Path, double: EndpointDouble
) -> None:
    """By its owner alone, before and after a restart; a prefix tells question from memory."""
    settings = settings_of(tmp_path, double, question_prefix="query: ")
    async with serving.opened(settings) as gateway:
        assert isinstance(await remember(ALICE, Draft(MEMORY), gateway.rooms), Stored)
        found = await recall(ALICE, Query(QUESTION, 5), gateway.rooms)
        assert [item.memory.text for item in found.items] == [MEMORY]
        assert (await recall(BOB, Query(QUESTION, 5), gateway.rooms)).items == ()
    sent = [text for one in double.asked for text in one.body["input"]]
    assert MEMORY in sent
    assert f"query: {QUESTION}" in sent
    assert [item.memory.text for item in (await asked(settings)).items] == [MEMORY]


@pytest.mark.requirement("S7")
async def test_another_embedder_is_refused_at_every_start_and_both_are_named(
    tmp_path: Path, double: EndpointDouble
) -> None:
    """Another model, length or prefix, and the packaged models; the first one still serves."""
    first = settings_of(tmp_path, double)
    async with serving.opened(first):
        pass
    packaged = load(environ={}, overrides={"storage.data_dir": str(tmp_path / "data")})
    serving.prepare_models(packaged, lambda _step, _done, _total: None)
    others = {
        "remote:other-model/": settings_of(tmp_path, double, model="other-model"),
        "(main 32)": settings_of(tmp_path, double, dimensions="32"),
        f"remote:{MODEL}/4096+": settings_of(tmp_path, double, memory_prefix="passage: "),
        "packaged-minilm-use@1 (en 384, multi 512)": packaged,
    }
    for name, settings in others.items():
        for _ in range(2):
            with pytest.raises(SettingsError) as refused:
                async with serving.opened(settings):
                    pass
            assert name in str(refused.value)
            assert f"remote:{MODEL}/4096 (main {DIMENSIONS})" in str(refused.value)
    async with serving.opened(first):
        pass


@pytest.mark.requirement("S7", "W11")
async def test_an_embedder_that_never_worked_is_not_recorded(
    tmp_path: Path, double: EndpointDouble
) -> None:
    """A slip in the settings of the first start can be mended; afterwards an outage is no bar."""
    double.answers.append(status(404))
    with pytest.raises(UnavailableError, match="404"):
        await asked(settings_of(tmp_path, double, model="slip"))
    with pytest.raises(UnavailableError, match="dimensions"):
        await asked(settings_of(tmp_path, double, dimensions="32"))
    async with serving.opened(settings_of(tmp_path, double)):
        pass
    double.always = status(503)
    async with serving.opened(settings_of(tmp_path, double)) as gateway:
        with pytest.raises(UnavailableError):
            await remember(ALICE, Draft(MEMORY), gateway.rooms)


@pytest.mark.requirement("S7", "Q9")
async def test_doctor_says_whose_the_vectors_are_and_that_others_do_not_fit(
    tmp_path: Path, double: EndpointDouble
) -> None:
    """Before the first start nobody's; asking records nothing."""

    async def said(settings: Settings) -> tuple[bool, str]:
        found = {one.name: one for one in await chores.examine(settings)}
        return found["vectors"].ok, found["vectors"].detail

    other = settings_of(tmp_path, double, model="other-model")
    assert await said(other) == (True, "none yet: the first start records whose they are")
    right = settings_of(tmp_path, double)
    async with serving.opened(right):
        pass
    assert await said(right) == (True, f"made by remote:{MODEL}/4096 (main {DIMENSIONS})")
    ok, detail = await said(other)
    assert not ok
    assert MODEL in detail
    assert "other-model" in detail


@pytest.mark.requirement("S7", "S8")
async def test_the_index_is_made_anew_without_asking_the_endpoint(
    tmp_path: Path, double: EndpointDouble
) -> None:
    """The sealed search material has the vectors, and the ledger says how long they are."""
    settings = settings_of(tmp_path, double)
    async with serving.opened(settings) as gateway:
        await remember(ALICE, Draft(MEMORY), gateway.rooms)
    before = len(double.asked)
    assert await chores.rebuild(settings, None, lambda _step, _done, _total: None) == 1
    assert len(double.asked) == before
    assert [item.memory.text for item in (await asked(settings)).items] == [MEMORY]


@pytest.mark.requirement("R9", "S7")
def test_what_is_calibrated_reaches_the_use_cases(tmp_path: Path, double: EndpointDouble) -> None:
    """Nothing set leaves everything as measured for the packaged models."""
    assert bounds_of(settings_of(tmp_path, double)) == Bounds()
    calibrated = bounds_of(
        settings_of(
            tmp_path,
            double,
            cosine_unrelated="0.7",
            cosine_answering="0.9",
            reliable="0.5",
            kept="0.3",
        )
    )
    assert calibrated.ramps == {"dense.main": Ramp(0.7, 0.9)}
    assert (calibrated.thresholds.reliable, calibrated.thresholds.kept) == (0.5, 0.3)
