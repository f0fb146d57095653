"""What a model directory says of itself, and what is refused before any runtime reads it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from guard.errors import InvalidError
from guard.models.directory import Pooling, read
from guard.models.vectors import Prefixes
from tests.contracts.tiny_bert import add_steps, write


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """Return a directory with settings, and weights that nothing here reads."""
    folder = tmp_path / "model"
    write(folder / "config.json", {"model_type": "bert"})
    write(folder / "tokenizer_config.json", {})
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


def test_a_directory_that_says_nothing_leaves_it_open(plain: Path) -> None:
    """Pooling, length and prefixes are for others to choose; the family is known."""
    manifest = read(plain)
    assert (manifest.pooling, manifest.max_tokens) == (None, None)
    assert manifest.prefixes == Prefixes()
    assert (manifest.family, manifest.weights) == ("bert", plain.resolve())


@pytest.mark.parametrize("mode", [("mean_tokens", Pooling.MEAN), ("cls_token", Pooling.CLS)])
def test_pooling_length_and_prompts_are_read_where_they_are_said(
    plain: Path, mode: tuple[str, Pooling]
) -> None:
    """The files of sentence-transformers decide."""
    add_steps(plain, pooling=[mode[0]], prompts={"query": "q: ", "document": "d: "})
    manifest = read(plain)
    assert (manifest.pooling, manifest.max_tokens) == (mode[1], 32)
    assert manifest.prefixes == Prefixes("q: ", "d: ")


@pytest.mark.parametrize("mode", ["mean", "cls"])
def test_pooling_may_be_named_in_one_word(plain: Path, mode: str) -> None:
    """Newer directories say it so."""
    write(add_steps(plain) / "1_Pooling" / "config.json", {"pooling_mode": mode})
    assert read(plain).pooling == mode


def test_old_directories_keep_the_model_in_a_folder_of_its_own(plain: Path) -> None:
    """The list of steps says where."""
    inner = plain / "0_Transformer"
    write(inner / "config.json", {"model_type": "roberta"})
    (plain / "model.safetensors").rename(inner / "model.safetensors")
    write(plain / "modules.json", [{"path": "0_Transformer", "type": "models.Transformer"}])
    manifest = read(plain)
    assert (manifest.weights, manifest.family) == (inner.resolve(), "roberta")


REFUSED: dict[str, Callable[[Path], object]] = {
    "no config": lambda d: (d / "config.json").unlink(),
    "config is no JSON": lambda d: (d / "config.json").write_text("{"),
    "config is no object": lambda d: (d / "config.json").write_text("[]"),
    "code in the model": lambda d: write(d / "config.json", {"auto_map": {"AutoModel": "m.M"}}),
    "code in the tokenizer": lambda d: write(d / "tokenizer_config.json", {"auto_map": {}}),
    "pickles alone": lambda d: (d / "model.safetensors").rename(d / "pytorch_model.bin"),
    "no folder": lambda d: d.rename(d.with_name("elsewhere")),
    "another pooling": lambda d: add_steps(d, pooling=["max_tokens"]),
    "two poolings": lambda d: add_steps(d, pooling=["mean_tokens", "cls_token"]),
    "no pooling": lambda d: add_steps(d, pooling=[]),
    "an unknown step": lambda d: add_steps(d, more=["Dense"]),
    "a step twice": lambda d: add_steps(d, more=["Pooling"]),
    "steps are no list": lambda d: write(d / "modules.json", {}),
    "a step that leads out": lambda d: write(
        d / "modules.json", [{"path": "../..", "type": "models.Transformer"}]
    ),
    "prompts out of pooling": lambda d: write(
        add_steps(d) / "1_Pooling" / "config.json",
        {"pooling_mode_mean_tokens": True, "include_prompt": False},
    ),
}


@pytest.mark.requirement("W11", "S7")
@pytest.mark.parametrize("spoil", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_dangerous_or_not_understood_is_refused(
    plain: Path, spoil: Callable[[Path], object]
) -> None:
    """Each was sound before it was spoilt, so it is the fault that is refused."""
    read(plain)
    spoil(plain)
    with pytest.raises(InvalidError, match=r"^embedder\.directory: "):
        read(plain)


@pytest.mark.requirement("S7")
def test_the_digest_is_over_all_that_decides_what_a_vector_is(plain: Path) -> None:
    """Weights, settings and vocabulary move it; a readme, a note and the folder's name do not."""
    (plain / "vocab.txt").write_text("one")
    first = read(plain).digest
    (plain / "README.md").write_text("# about")
    (plain / ".cache").mkdir()
    (plain / ".cache" / "notes.json").write_text("{}")
    assert read(plain).digest == first
    moved = plain.rename(plain.with_name("moved"))
    assert read(moved).digest == first
    seen = {first}
    for name, content in {
        "model.safetensors": "weightz",
        "vocab.txt": "two",
        "tokenizer_config.json": '{"do_lower_case": true}',
        "added.json": "{}",
    }.items():
        (moved / name).write_text(content)
        seen.add(read(moved).digest)
    assert len(seen) == 5
