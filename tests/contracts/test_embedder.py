"""What every embedder does, shown on the fake and on every adapter."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from guard.errors import UnavailableError
from guard.fakes import HashEmbedder
from guard.models import prepare as preparing
from guard.models.batching import BatchBounds, Batching
from guard.models.embedder import PackagedEmbedder
from guard.models.files import PACKAGED, ModelFile, locate
from guard.models.prepare import TABLE, prepare
from guard.models.remote import Endpoint, RemoteEmbedder
from guard.models.transformer import Options, TransformersEmbedder
from guard.ports import Embedder, Purpose
from memory.signals import Vectors
from tests.contracts.embedding_double import DIMENSIONS, MODEL, endpoint
from tests.contracts.tiny_bert import build

ENGLISH = "The staging database listens on port 5433."
CHINESE = "我住在杭州，平时用微信联系。"
AWKWARD = ("", "   ", "\x00", "\ud83d", "👩‍👩‍👧‍👦", "𝔪𝔢𝔪𝔬𝔯𝔶", "x" * 8192, "记" * 8192)


def quiet(_step: str, _done: int, _total: int) -> None:
    """Take progress and say nothing."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that the set-up prepared."""
    folder = tmp_path_factory.mktemp("models")
    prepare(folder, quiet)
    return folder


@pytest.fixture(scope="module")
def packaged(prepared: Path) -> Iterator[PackagedEmbedder]:
    """Yield the packaged embedder, loaded once for the module."""
    embedder = PackagedEmbedder.load(prepared, threads=1)
    yield embedder
    asyncio.run(embedder.close())


@pytest.fixture(scope="module")
def transformers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TransformersEmbedder]:
    """Yield an embedder over a model that is made here, loaded once for the module."""
    directory = build(tmp_path_factory.mktemp("tiny"))
    embedder = TransformersEmbedder.load(directory, Options(threads=1))
    yield embedder
    asyncio.run(embedder.close())


@pytest.fixture
async def remote() -> AsyncIterator[RemoteEmbedder]:
    """Yield an embedder at an endpoint on the loopback address."""
    with endpoint() as double:
        told = Endpoint(url=double.url, model=MODEL, dimensions=DIMENSIONS, deadline=30)
        embedder = RemoteEmbedder(told)
        yield embedder
        await embedder.close()


@pytest.fixture(params=["fake", "packaged", "transformers", "remote"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """Return each embedder in turn."""
    if request.param == "fake":
        return HashEmbedder()
    found: Embedder = request.getfixturevalue(request.param)
    return found


def cosine(one: Vectors, other: Vectors, name: str) -> float:
    """Return the cosine of two texts in one vector, the only one where there is no such name."""
    if name not in one:
        (name,) = one
    return float(one[name] @ other[name])


@pytest.mark.requirement("R1", "S7")
async def test_every_text_gets_one_unit_vector_of_each_declared_name_and_dimension(
    embedder: Embedder,
) -> None:
    """Names and dimensions are those of the id, lengths are 1, numbers are 32-bit floats."""
    answers = await embedder.embed([ENGLISH, CHINESE])
    assert len(answers) == 2
    for vectors in answers:
        assert {name: v.shape for name, v in vectors.items()} == {
            name: (size,) for name, size in embedder.id.dimensions.items()
        }
        for vector in vectors.values():
            assert vector.dtype == np.float32
            assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.requirement("S2", "R1")
@pytest.mark.parametrize("text", AWKWARD, ids=lambda text: f"{len(text)}-{text[:1]!a}")
async def test_awkward_texts_give_finite_unit_vectors(embedder: Embedder, text: str) -> None:
    """Empty, blank, NUL, lone surrogate, joined emoji and longest texts all embed; never a NaN."""
    (vectors,) = await embedder.embed([text])
    for vector in vectors.values():
        assert np.isfinite(vector).all()
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.requirement("R1")
async def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    """An empty call is answered with an empty list."""
    assert await embedder.embed([]) == []


@pytest.mark.requirement("R1", "S7")
async def test_a_vector_does_not_depend_on_its_company(embedder: Embedder) -> None:
    """A text embeds alike alone, again, and in a batch with texts of other lengths, in order."""
    (alone,) = await embedder.embed([ENGLISH])
    (again,) = await embedder.embed([ENGLISH])
    company = await embedder.embed([CHINESE, "y" * 3000, ENGLISH, "ok"])
    for name in embedder.id.dimensions:
        assert cosine(alone, again, name) == pytest.approx(1.0, abs=1e-4)
        assert cosine(alone, company[2], name) == pytest.approx(1.0, abs=1e-3)
        assert cosine(alone, company[0], name) < 0.9


@pytest.mark.requirement("R1")
async def test_concurrent_callers_each_get_their_own_answers(embedder: Embedder) -> None:
    """Fifty callers at once, batched or not, receive the vectors of their own text."""
    texts = [f"Order {number} of customer {number * 7919}" for number in range(50)]
    apart = [(await embedder.embed([text]))[0] for text in texts[:5]]
    together = await asyncio.gather(*(embedder.embed([text]) for text in texts))
    for i, vectors in enumerate(apart):
        assert cosine(vectors, together[i][0], "multi") == pytest.approx(1.0, abs=1e-3)
        assert cosine(vectors, together[i + 1][0], "multi") < 0.9999


@pytest.mark.requirement("R1")
@pytest.mark.parametrize(
    ("question", "answer", "other", "vector"),
    [
        ("Which port does the staging database use?", ENGLISH, "He likes green tea.", "en"),
        ("我平时用什么联系？", CHINESE, "数据库端口是五四三三。", "multi"),
        ("Which port does the staging database use?", ENGLISH, "He likes green tea.", "multi"),
    ],
)
async def test_a_question_is_nearer_to_its_answer_than_to_another_text(
    embedder: Embedder, question: str, answer: str, other: str, vector: str
) -> None:
    """In English and in Chinese, likeness shows in the cosine."""
    asked, right, wrong = await embedder.embed([question, answer, other])
    assert cosine(asked, right, vector) > cosine(asked, wrong, vector) + 0.1


@pytest.mark.requirement("R1", "S7")
async def test_a_question_has_the_names_and_dimensions_of_a_memory(embedder: Embedder) -> None:
    """Whatever it is embedded for, a text can be compared with any other."""
    (asked,) = await embedder.embed([ENGLISH], Purpose.QUESTION)
    (stored,) = await embedder.embed([ENGLISH], Purpose.MEMORY)
    (unsaid,) = await embedder.embed([ENGLISH])
    for name, size in embedder.id.dimensions.items():
        assert asked[name].shape == (size,)
        assert cosine(asked, stored, name) > 0.9
        assert cosine(unsaid, stored, name) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.requirement("R1")
async def test_the_multilingual_vector_finds_a_paraphrase_across_languages(
    packaged: PackagedEmbedder,
) -> None:
    """Only a model that understands passes this: English question, Chinese memory."""
    asked, right, wrong = await packaged.embed(
        ["What is the weather like today?", "今天天气怎么样？", "请把发票寄到公司。"]
    )
    assert cosine(asked, right, "multi") > cosine(asked, wrong, "multi") + 0.3


@pytest.mark.requirement("W11")
async def test_a_broken_fake_is_unavailable() -> None:
    """The fake's knob behaves as a failing model does."""
    broken = HashEmbedder()
    broken.broken = True
    with pytest.raises(UnavailableError):
        await broken.embed([ENGLISH])


# ---- the queue in front of a model, with stand-in models -------------------------------------


def ones(texts: Sequence[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Embed every text as (1, 0)."""
    return np.tile(np.array([1.0, 0.0], dtype=np.float32), (len(texts), 1))


class Gate:
    """A model that waits until it is opened, and remembers the size of each batch."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.entered = threading.Event()
        self.batches: list[int] = []

    def __call__(self, texts: Sequence[str]) -> list[Vectors]:
        """Wait, then answer each text with a vector that holds its length."""
        self.entered.set()
        assert self.open.wait(30)
        self.batches.append(len(texts))
        return [{"en": np.array([len(text)], dtype=np.float32)} for text in texts]


@pytest.fixture
async def gate() -> AsyncIterator[Gate]:
    """Yield a gate, and open it in the end so that its thread leaves."""
    gate = Gate()
    yield gate
    gate.open.set()


async def entered(gate: Gate) -> None:
    """Wait until the model is running."""
    assert await asyncio.to_thread(gate.entered.wait, 30)


@pytest.mark.requirement("E8")
async def test_what_waits_runs_together_up_to_the_bound(gate: Gate) -> None:
    """While one text runs, forty others queue; they run as thirty-two and eight."""
    batching = Batching(gate, BatchBounds())
    first = asyncio.ensure_future(batching.submit(["first"]))
    await entered(gate)
    others = [asyncio.ensure_future(batching.submit(["x" * (i + 1)])) for i in range(40)]
    await asyncio.sleep(0)
    gate.open.set()
    answers = await asyncio.gather(first, *others)
    assert gate.batches == [1, 32, 8]
    assert [float(a[0]["en"][0]) for a in answers[1:]] == [float(i + 1) for i in range(40)]
    await batching.close()


@pytest.mark.requirement("E8")
async def test_a_full_queue_refuses_at_once_and_serves_again_when_drained(gate: Gate) -> None:
    """Beyond the bound the answer is unavailable, not an endless queue."""
    batching = Batching(gate, BatchBounds(waiting=2))
    running = asyncio.ensure_future(batching.submit(["a"]))
    await entered(gate)
    queued = asyncio.ensure_future(batching.submit(["b", "c"]))
    await asyncio.sleep(0)
    with pytest.raises(UnavailableError, match=r"^embedder$"):
        await batching.submit(["d"])
    gate.open.set()
    assert len(await running) + len(await queued) == 3
    assert len(await batching.submit(["e"])) == 1
    await batching.close()


@pytest.mark.requirement("E8")
async def test_a_caller_past_its_deadline_gets_unavailable_and_the_next_is_served(
    gate: Gate,
) -> None:
    """A slow model costs the caller its deadline, no more, and abandoned texts are not run."""
    batching = Batching(gate, BatchBounds(deadline=0.01))
    with pytest.raises(UnavailableError, match=r"^embedder$"):
        await batching.submit(["slow"])
    await entered(gate)
    with pytest.raises(UnavailableError):
        await batching.submit(["abandoned", "in", "the", "queue"])
    gate.open.set()
    await batching.close()
    assert gate.batches == [1]


@pytest.mark.requirement("E8")
async def test_more_texts_than_a_batch_are_answered_in_order(gate: Gate) -> None:
    """A caller with many texts takes several turns and gets all of them."""
    gate.open.set()
    batching = Batching(gate, BatchBounds(waiting=32))
    answers = await batching.submit(["x" * (i + 1) for i in range(70)])
    assert [float(a["en"][0]) for a in answers] == [float(i + 1) for i in range(70)]
    assert gate.batches == [32, 32, 6]
    await batching.close()


@pytest.mark.requirement("E12")
async def test_close_lets_the_running_batch_answer_and_refuses_the_rest(gate: Gate) -> None:
    """Nothing hangs after close, and closing twice is fine."""
    batching = Batching(gate, BatchBounds())
    running = asyncio.ensure_future(batching.submit(["running"]))
    await entered(gate)
    waiting = asyncio.ensure_future(batching.submit(["waiting"]))
    await asyncio.sleep(0)
    closing = asyncio.ensure_future(batching.close())
    with pytest.raises(UnavailableError):
        await waiting
    gate.open.set()
    await closing
    assert len(await running) == 1
    with pytest.raises(UnavailableError):
        await batching.submit(["late"])
    await batching.close()


@pytest.mark.requirement("E8", "E9")
async def test_a_text_that_breaks_the_model_fails_its_own_caller_only(gate: Gate) -> None:
    """Others in the same batch get answers, and the error quotes nothing."""

    def fragile(texts: Sequence[str]) -> list[Vectors]:
        if "poison" in texts:
            raise ValueError(*texts)
        return gate(texts)

    batching = Batching(fragile, BatchBounds())
    first = asyncio.ensure_future(batching.submit(["first"]))
    await entered(gate)
    good = asyncio.ensure_future(batching.submit(["good"]))
    bad = asyncio.ensure_future(batching.submit(["poison"]))
    await asyncio.sleep(0)
    gate.open.set()
    assert len(await first) + len(await good) == 2
    with pytest.raises(UnavailableError) as raised:
        await bad
    assert str(raised.value) == "embedder"
    assert raised.value.__cause__ is None
    await batching.close()


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0, 2.0])
async def test_a_model_that_answers_other_than_unit_vectors_is_unavailable(bad: float) -> None:
    """A NaN or a stretched vector never leaves the embedder; a sound one does."""

    def broken(texts: Sequence[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return ones(texts) * np.float32(bad)

    embedder = PackagedEmbedder({"en": ones, "multi": broken})
    with pytest.raises(UnavailableError):
        await embedder.embed([ENGLISH])
    await embedder.close()
    sound = PackagedEmbedder({"en": ones, "multi": ones})
    assert len(await sound.embed([ENGLISH])) == 1
    await sound.close()


# ---- the set-up ------------------------------------------------------------------------------


@pytest.mark.requirement("Q9")
def test_preparing_again_only_checks(prepared: Path) -> None:
    """A second run reports the checks to their end and rewrites nothing large."""
    before = (prepared / TABLE).stat().st_mtime_ns
    steps: dict[str, tuple[int, int]] = {}

    def remember(step: str, done: int, total: int) -> None:
        steps[step] = (done, total)

    prepare(prepared, remember)
    assert (prepared / TABLE).stat().st_mtime_ns == before
    assert set(steps) == {"verify", "verify table"}
    assert all(done == total > 0 for done, total in steps.values())


@pytest.mark.requirement("Q9", "W7")
@pytest.mark.parametrize("file", PACKAGED, ids=lambda file: file.path.split("/")[-1])
def test_a_packaged_file_with_one_flipped_bit_is_refused(
    file: ModelFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Preparing and loading both fail closed; the untouched files pass in the other tests."""
    content = bytearray(locate(file).read_bytes())
    assert len(content) == file.size
    content[len(content) // 2] ^= 1
    forged = tmp_path / "forged"
    forged.write_bytes(content)

    def misled(asked: ModelFile) -> Path:
        return forged if asked == file else locate(asked)

    monkeypatch.setattr(preparing, "locate", misled)
    with pytest.raises(UnavailableError, match="not the pinned file"):
        prepare(tmp_path / "target", quiet)
    assert not (tmp_path / "target").exists()
    with pytest.raises(UnavailableError, match="not the pinned file"):
        PackagedEmbedder.load(tmp_path / "target")


@pytest.mark.requirement("Q9", "W7")
def test_a_forged_table_is_refused_by_load_and_refused_again_by_prepare(
    prepared: Path, tmp_path: Path
) -> None:
    """The prepared folder needs no trust: its table is pinned too."""
    content = bytearray((prepared / TABLE).read_bytes())
    content[1000] ^= 1
    (tmp_path / TABLE).write_bytes(content)
    (tmp_path / "prepared.json").write_bytes((prepared / "prepared.json").read_bytes())
    with pytest.raises(UnavailableError, match="not the pinned file"):
        PackagedEmbedder.load(tmp_path)
    with pytest.raises(UnavailableError, match="not the pinned file"):
        prepare(tmp_path, quiet)


@pytest.mark.requirement("Q9")
def test_loading_before_preparing_is_unavailable(tmp_path: Path) -> None:
    """An empty folder gives a clear refusal."""
    with pytest.raises(UnavailableError, match="cannot be read"):
        PackagedEmbedder.load(tmp_path)


@pytest.mark.requirement("Q9")
async def test_preparing_loading_and_embedding_never_touch_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With every way out of the process closed, the whole path still works."""
    asked: list[object] = []

    def refuse(*args: object, **_: object) -> None:
        asked.append(args)
        raise OSError

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    with pytest.raises(OSError):  # noqa: PT011 - the positive control
        socket.create_connection(("192.0.2.1", 9))
    asked.clear()
    prepare(tmp_path, quiet)
    embedder = PackagedEmbedder.load(tmp_path, threads=1)
    assert len(await embedder.embed([ENGLISH])) == 1
    await embedder.close()
    assert asked == []
