"""A cross-encoder orders the best of what was found; late or broken, it changes nothing (R3)."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from guard.closely import Closely
from guard.errors import InvalidError, UnavailableError
from guard.explain import traced
from guard.forget import forget
from guard.models.batching import BatchBounds
from guard.models.crossing import CrossEncoder, Options, answering
from guard.nouns import Draft
from guard.outcomes import Recollection, Stored
from guard.rooms import Rooms
from guard.trace import Trace
from memory.types import MemoryId, TraceId
from tests.contracts.tiny_bert import build
from tests.contracts.tiny_cross import PAIRS, build_cross
from tests.house import ALICE, BOB, House

ASK = "Where does the quarterly review take place?"
FIRST = "The quarterly review takes place in hall 4."
SECOND = "Where the review takes place was told to the porter at the gate."
OTHERS = "The quarterly review takes place on the roof."


class Reading:
    """Fulfils `guard.models.crossing.Model`: likes one word, and does what a test tells it to."""

    def __init__(self, liked: str = "porter") -> None:
        self.liked = liked
        self.read: list[tuple[str, str]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.answer: float | None = None
        self.broken = False

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return a high score for what holds the word."""
        self.gate.wait(10)
        self.read += pairs
        if self.broken:
            raise RuntimeError("broken")
        scores = [4.0 if self.liked in text else -4.0 for _, text in pairs]
        return np.array([[one if self.answer is None else self.answer] for one in scores])


@asynccontextmanager
async def reading(
    house: House, model: Reading, *, deadline: float = 5.0, items: int = 20
) -> AsyncIterator[tuple[Rooms, Closely]]:
    """Lend rooms in which the best are read by `model`."""
    encoder = CrossEncoder(model, "toy", BatchBounds(deadline=deadline))
    closely = Closely(encoder, items=items, weight=0.5)
    yield house.with_rooms(closely=closely), closely
    model.gate.set()
    await encoder.close()


async def two(house: House) -> tuple[MemoryId, MemoryId]:
    """Have Alice store what answers best by rule, and what stands behind it."""
    found = [await house.remember(ALICE, Draft(text)) for text in (FIRST, SECOND)]
    assert all(isinstance(one, Stored) for one in found)
    first, second = (one.id for one in found if isinstance(one, Stored))
    return first, second


def ids(answer: Recollection) -> list[MemoryId]:
    """Return the ids of an answer, best first."""
    return [item.memory.id for item in answer.items]


async def trace_of(answer: Recollection, rooms: Rooms) -> Trace:
    """Return what the answer left behind."""
    return await traced(ALICE, TraceId(answer.trace_id), rooms)


@pytest.mark.requirement("R3")
async def test_a_cross_encoder_orders_the_best_and_says_so_in_the_trace() -> None:
    """Without it the other one comes first; nobody else's memory is shown to it."""
    house = House()
    first, second = await two(house)
    await house.remember(ALICE, Draft("The canteen serves soup on Fridays."))
    assert ids(await house.recall(ALICE, ASK)) == [first, second]
    model = Reading()
    async with reading(house, model) as (rooms, closely):
        answer = await house.recall(ALICE, ASK, rooms)
        assert ids(answer) == [second, first]
        assert set(model.read) == {(ASK, FIRST), (ASK, SECOND)}
        trace = await trace_of(answer, rooms)
        assert trace.decided.cross_encoder == closely.version == "toy@20/0.5"
        crossed = {one.id: one.cross for one in trace.considered if one.cross is not None}
        assert crossed == pytest.approx({first: 0.018, second: 0.982}, abs=1e-3)
    assert (closely.asked, closely.failed) == (1, 0)


@pytest.mark.requirement("R3", "R5")
async def test_only_what_passed_its_checks_is_read() -> None:
    """What was forgotten, or is another's, never reaches the model, though the index names it."""
    house = House()
    first, second = await two(house)
    await house.remember(BOB, Draft(OTHERS))
    gone = await house.remember(ALICE, Draft("The quarterly review takes place in Oslo."))
    assert isinstance(gone, Stored)
    await house.follower.drain()
    model = Reading()
    async with reading(house, model) as (rooms, _):
        assert gone.id in ids(await house.recall(ALICE, ASK, rooms))
        model.read.clear()
        await forget(ALICE, gone.id, rooms)
        assert set(ids(await house.recall(ALICE, ASK, rooms))) == {first, second}
    assert {text for _, text in model.read} == {FIRST, SECOND}


@pytest.mark.requirement("R3", "R11")
@pytest.mark.parametrize("fault", ["late", "nan", "broken", "closed"])
async def test_when_it_does_not_answer_the_local_order_stands(fault: str) -> None:
    """No error, counted, told in the trace, and asked afresh as soon as it answers again."""
    house = House()
    first, second = await two(house)
    model = Reading()
    async with reading(house, model, deadline=0.05 if fault == "late" else 5.0) as (rooms, closely):
        match fault:
            case "late":
                model.gate.clear()
            case "nan":
                model.answer = float("nan")
            case "broken":
                model.broken = True
            case _:
                await closely._reader.close()  # type: ignore[attr-defined]
        answer = await house.recall(ALICE, ASK, rooms)
        assert (ids(answer), answer.degraded) == ([first, second], False)
        assert (closely.asked, closely.failed) == (1, 1)
        trace = await trace_of(answer, rooms)
        assert [one.cross for one in trace.considered] == [None, None]
        assert trace.unassisted


@pytest.mark.requirement("R3")
async def test_what_is_read_stays_before_what_is_not() -> None:
    """The best alone is read here, and badly liked; what is not read does not pass it."""
    house = House()
    first, second = await two(house)
    async with reading(house, Reading("nothing"), items=1) as (rooms, _):
        assert ids(await house.recall(ALICE, ASK, rooms)) == [first, second]


@pytest.mark.requirement("R3", "R9")
async def test_however_much_it_likes_a_memory_it_makes_nothing_relevant() -> None:
    """No reliable memory stays none."""
    house = House()
    await two(house)
    model = Reading("the")
    async with reading(house, model) as (rooms, _):
        assert not (await house.recall(ALICE, "Which colour has Zoe's bicycle?", rooms)).reliable
    assert model.read == []


@pytest.mark.requirement("R3")
def test_scores_that_are_none_are_refused() -> None:
    """One finite number for each pair; huge ones are as good as sure."""
    assert answering(np.array([[0.0], [1e9], [-1e9]]), 3) == pytest.approx([0.5, 1.0, 0.0])
    for rows in ([[float("nan")]], [[float("inf")]], [[0.1, 0.2]], [[0.1], [0.2]]):
        with pytest.raises(UnavailableError):
            answering(np.array(rows), 1)


# ---- a directory -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a trained cross-encoder; skips without the extra."""
    return build_cross(tmp_path_factory.mktemp("cross"))


@pytest.mark.requirement("R3")
def test_a_directory_is_read_for_what_answers_what(directory: Path) -> None:
    """Each question likes its own text best, in English and in Chinese, however long the others."""
    texts = [text for _, text in PAIRS]

    async def best() -> list[int]:
        encoder = CrossEncoder.load(directory, Options(threads=1))
        found = [await encoder.scores(asked, [*texts, "monday " * 500]) for asked, _ in PAIRS]
        assert encoder.version.startswith("bert-")
        await encoder.close()
        return [scores.index(max(scores[: len(PAIRS)])) for scores in found]

    assert asyncio.run(best()) == list(range(len(PAIRS)))


@pytest.mark.requirement("R3")
def test_a_text_cannot_spell_the_models_own_marks(directory: Path) -> None:
    """`[SEP]` in a memory is text: what stands behind it is no further part."""

    async def scores() -> list[float]:
        encoder = CrossEncoder.load(directory, Options(threads=1))
        (asked, answer), (_, other) = PAIRS[:2]
        ids = encoder._model._tokenizer(  # type: ignore[attr-defined]
            asked, f"{other} [SEP]", split_special_tokens=True
        )["input_ids"]
        separator = encoder._model._tokenizer.sep_token_id  # type: ignore[attr-defined]
        assert ids.count(separator) == 2
        found = await encoder.scores(asked, [answer, f"{other} \0 [SEP] {other}"])
        await encoder.close()
        return found

    answer, other = asyncio.run(scores())
    assert answer > other


@pytest.mark.requirement("R3")
def test_a_directory_of_another_kind_is_refused(tmp_path: Path, directory: Path) -> None:
    """Two scores, no head, or nothing there: the gateway does not start with a guess."""
    asyncio.run(CrossEncoder.load(directory, Options(threads=1)).close())
    for wrong in (build_cross(tmp_path / "two", scores=2), build(tmp_path / "headless")):
        with pytest.raises(InvalidError, match=r"recall\.cross_encoder"):
            CrossEncoder.load(wrong, Options(threads=1))


@pytest.mark.requirement("R3")
def test_a_directory_that_is_none_is_refused_without_the_extra_too(tmp_path: Path) -> None:
    """The line names the setting."""
    with pytest.raises(InvalidError, match=r"recall\.cross_encoder"):
        CrossEncoder.load(tmp_path)
