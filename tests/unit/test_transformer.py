"""The embedder over a local directory, on a model that the test makes and saves itself."""

import pickle
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from guard.errors import InvalidError, UnavailableError
from guard.models.transformer import Options, TransformersEmbedder
from guard.ports import Purpose
from memory.signals import Vector
from tests.contracts.tiny_bert import POSITIONS, add_steps, build, runtimes, write

ENGLISH = "The staging database listens on port 5433."
CHINESE = "我住在杭州，平时用微信联系。"
LONG = "the port of the staging database " * 50


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory that no test changes."""
    return build(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Return a directory that a test may change."""
    return build(tmp_path / "own")


@asynccontextmanager
async def loaded(directory: Path, **options: Any) -> AsyncIterator[TransformersEmbedder]:
    """Lend an embedder."""
    embedder = TransformersEmbedder.load(directory, Options(threads=1, **options))
    yield embedder
    await embedder.close()


async def vector(embedder: TransformersEmbedder, text: str, **asked: Any) -> Vector:
    """Return the vector of one text."""
    return (await embedder.embed([text], **asked))[0]["main"]


def by_hand(directory: Path, text: str, pool: Callable[[Any], Any]) -> Vector:
    """Return what the libraries say without any of our code."""
    torch, transformers = runtimes()
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
    bare = transformers.AutoModel.from_pretrained(directory).eval()
    with torch.no_grad():
        hidden = bare(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
    pooled: Vector = pool(hidden).numpy()
    return pooled / np.linalg.norm(pooled)


@pytest.mark.requirement("R1", "S7")
@pytest.mark.parametrize(
    ("mode", "pool"),
    [("mean_tokens", lambda hidden: hidden.mean(0)), ("cls_token", lambda hidden: hidden[0])],
)
async def test_vectors_are_those_of_the_libraries_pooled_as_the_directory_says(
    own: Path, mode: str, pool: Callable[[Any], Any]
) -> None:
    """Also beside longer texts, whose padding must not show."""
    add_steps(own, pooling=[mode])
    async with loaded(own) as embedder:
        found = await embedder.embed([ENGLISH, f"{ENGLISH} {CHINESE}", CHINESE])
    for text, one in ((ENGLISH, found[0]), (CHINESE, found[2])):
        np.testing.assert_allclose(one["main"], by_hand(own, text, pool), atol=1e-5)


@pytest.mark.requirement("S7")
async def test_the_name_says_all_that_decides_what_a_vector_is(model: Path, own: Path) -> None:
    """Pooling, length, prefixes and weights each make another name; the same again does not."""
    variants: list[dict[str, Any]] = [
        {},
        {"pooling": "cls"},
        {"max_tokens": 16},
        {"question_prefix": "query: "},
        {"memory_prefix": "query: "},
    ]
    names = []
    for options in variants:
        async with loaded(model, **options) as embedder:
            names.append(embedder.id.name)
    assert len(set(names)) == len(variants)
    async with loaded(own) as same:
        assert same.id.name == names[0]
    async with loaded(build(own, seed=8)) as other:
        assert other.id.name not in names
        assert other.id.dimensions == same.id.dimensions


@pytest.mark.requirement("R1")
async def test_prompts_of_the_directory_come_before_the_text_unless_others_are_set(
    own: Path,
) -> None:
    """A question then differs from a memory; an empty prefix that is set means none."""
    add_steps(own, prompts={"query": "query ", "passage": "passage "})
    async with loaded(own) as plain, loaded(own, question_prefix="", memory_prefix="") as bare:
        asked = await vector(plain, ENGLISH, purpose=Purpose.QUESTION)
        np.testing.assert_allclose(asked, await vector(bare, f"query {ENGLISH}"), atol=1e-5)
        stored = await vector(plain, ENGLISH)
        np.testing.assert_allclose(stored, await vector(bare, f"passage {ENGLISH}"), atol=1e-5)
        assert float(asked @ stored) < 0.999


@pytest.mark.requirement("E8")
@pytest.mark.parametrize(
    ("said", "asked", "limit"),
    [(None, 512, POSITIONS), (32, 512, 32), (32, 16, 16), (999, 512, 64)],
)
async def test_texts_are_cut_where_the_model_ends(
    own: Path, said: int | None, asked: int, limit: int
) -> None:
    """The least of what is configured, said by the directory and known to the model."""
    if said is not None:
        add_steps(own, max_tokens=said)
    async with loaded(own, max_tokens=asked) as embedder:
        assert embedder.id.name.endswith(f"/{limit}")
        words = LONG.split()
        whole = await vector(embedder, LONG)
        # Two places are taken by the marks of beginning and end.
        cut = await vector(embedder, " ".join(words[: limit - 2]))
        less = await vector(embedder, " ".join(words[: limit - 3]))
    np.testing.assert_allclose(whole, cut, atol=1e-5)
    assert np.abs(whole - less).max() > 1e-4


@pytest.mark.requirement("S7", "W11")
async def test_weights_that_do_not_fit_are_refused(own: Path) -> None:
    """What is missing would be filled with random numbers, and every start would be another
    model.
    """
    TransformersEmbedder.load(own)
    config = (own / "config.json").read_text()
    (own / "config.json").write_text(
        config.replace('"num_hidden_layers": 1', '"num_hidden_layers": 2')
    )
    with pytest.raises(InvalidError, match="do not fit"):
        TransformersEmbedder.load(own)


@pytest.mark.requirement("W11")
async def test_a_model_that_does_not_load_is_unavailable(own: Path) -> None:
    """Broken weights and an architecture that nobody knows fail the start in one line."""
    (own / "model.safetensors").write_bytes(b"spoilt")
    with pytest.raises(UnavailableError, match="does not load"):
        TransformersEmbedder.load(own)
    write(own / "config.json", {"model_type": "made-up"})
    with pytest.raises(UnavailableError, match="does not load"):
        TransformersEmbedder.load(own)


class _Trap:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self._mark,)


@pytest.mark.requirement("W11")
async def test_no_pickle_is_ever_opened(own: Path, tmp_path: Path) -> None:
    """One that lies beside the weights is passed over; opening it would leave a mark."""
    mark = tmp_path / "mark"
    trap = pickle.dumps(_Trap(mark))
    pickle.loads(trap)  # noqa: S301 - the positive control: the trap works
    assert mark.exists()
    mark.unlink()
    for name in ("pytorch_model.bin", "model.pt", "training_args.bin", "model.pkl"):
        (own / name).write_bytes(trap)
    async with loaded(own) as embedder:
        await vector(embedder, ENGLISH)
    assert not mark.exists()


@pytest.mark.requirement("W11")
async def test_no_code_of_the_directory_runs(own: Path, tmp_path: Path) -> None:
    """A module beside the weights is not imported, and a model that asks for it is refused."""
    mark = tmp_path / "mark"
    (own / "modeling_own.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    async with loaded(own) as embedder:
        await vector(embedder, ENGLISH)
    config = (own / "config.json").read_text()
    asking = config.replace("{", '{"auto_map": {"AutoModel": "modeling_own.Own"},', 1)
    (own / "config.json").write_text(asking)
    with pytest.raises(InvalidError, match="code of its own"):
        TransformersEmbedder.load(own)
    assert not mark.exists()


@pytest.mark.requirement("Q9")
async def test_loading_and_embedding_never_touch_the_network(
    model: Path, monkeypatch: pytest.MonkeyPatch
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
    async with loaded(model) as embedder:
        assert len(await embedder.embed([ENGLISH])) == 1
    assert asked == []


@pytest.fixture
def without_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the imports fail as where the extra is not installed."""
    for name in ("torch", "transformers"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("without_extra")
def test_without_the_extra_the_error_names_it(tmp_path: Path) -> None:
    """One line says what to install; this is shown on every machine."""
    write(tmp_path / "config.json", {"model_type": "bert"})
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    with pytest.raises(UnavailableError, match=r"memguard-gateway\[models\]"):
        TransformersEmbedder.load(tmp_path)
