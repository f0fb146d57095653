"""Sequence classifiers: which labels mean an attack, windows, and a directory that a test makes."""

import asyncio
import json
import math
import pickle
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from guard.detectors.second import Reading
from guard.errors import GuardError, InvalidError, UnavailableError
from guard.models.sequence import (
    Options,
    SequenceReader,
    Window,
    attack_scores,
    meaning_attack,
)
from tests.contracts.tiny_bert import POSITIONS, build, runtimes
from tests.contracts.tiny_classifier import ATTACKS, HONEST, build_classifier

PAGE = " ".join(HONEST[:4])
BURIED = f"{PAGE} {PAGE} {ATTACKS[0]} {PAGE} {PAGE}"


# ---- labels ----------------------------------------------------------------------------------


@pytest.mark.requirement("W7")
@pytest.mark.parametrize(
    ("labels", "named", "places"),
    [
        (("SAFE", "INJECTION"), (), (1,)),
        (("MALICIOUS", "BENIGN"), (), (0,)),
        (("BENIGN", "INJECTION", "JAILBREAK"), (), (1, 2)),
        (("LABEL_0", "LABEL_1"), (), (1,)),
        (("ok", "prompt-injection"), (), (1,)),
        (("LABEL_0", "LABEL_1"), ("label_0",), (0,)),
        (("正常", "攻击"), ("攻击",), (1,)),
        (("BENIGN", "INJECTION", "JAILBREAK"), ("jailbreak",), (2,)),
    ],
)
def test_the_labels_that_mean_an_attack_are_those_named_or_the_usual_ones(
    labels: tuple[str, ...], named: tuple[str, ...], places: tuple[int, ...]
) -> None:
    """Case, hyphens and spaces make no difference."""
    assert meaning_attack(labels, named) == places


@pytest.mark.requirement("W7", "W11")
@pytest.mark.parametrize(
    ("labels", "named"),
    [
        (("neg", "pos"), ()),
        (("LABEL_0", "LABEL_1", "LABEL_2"), ()),
        (("attack", "jailbreak"), ()),
        (("SAFE", "INJECTION"), ("jailbreak",)),
        (("SAFE", "INJECTION"), ("safe", "injection")),
    ],
)
def test_a_model_whose_labels_leave_it_open_is_refused_with_their_names(
    labels: tuple[str, ...], named: tuple[str, ...]
) -> None:
    """A guess would make a detector that finds everything, or nothing."""
    with pytest.raises(InvalidError, match=labels[0]):
        meaning_attack(labels, named)


@pytest.mark.requirement("W7")
def test_a_score_is_how_probable_all_attacks_are_together() -> None:
    """The sum of their shares, whatever the size of the logits."""
    logits = np.log([[0.5, 0.3, 0.2], [0.9, 0.05, 0.05]])
    assert attack_scores(logits, (1, 2)) == pytest.approx([0.5, 0.1])
    assert attack_scores(logits + 5000, (1, 2)) == pytest.approx([0.5, 0.1])


@pytest.mark.requirement("W11")
@pytest.mark.parametrize("broken", [math.nan, math.inf])
def test_a_row_that_is_no_number_is_an_error(broken: float) -> None:
    """Never a score: a comparison with it would always let the text through."""
    with pytest.raises(UnavailableError):
        attack_scores(np.array([[0.0, 1.0], [0.0, broken]]), (1,))


# ---- windows, without a runtime --------------------------------------------------------------


class Words:
    """A model without a runtime: a token is a word, and the word `attack` is one."""

    labels = ("SAFE", "INJECTION")
    size = 4

    def __init__(self) -> None:
        self.runs: list[int] = []

    def windows(self, text: str) -> Sequence[Window]:
        """Cut after every fourth word."""
        words = text.split(" ")
        cut, at = [], 0
        for start in range(0, len(words), self.size):
            part = words[start : start + self.size]
            length = len(" ".join(part))
            cut.append(Window(tuple(int(w == "attack") for w in part), at, at + length))
            at += length + 1
        return cut

    def logits(self, windows: Sequence[Window]) -> NDArray[np.float64]:
        """Say that an attack is where the word is."""
        self.runs.append(len(windows))
        return np.array([[0.0, 4.0 if 1 in window.ids else -4.0] for window in windows])


async def read(texts: Sequence[str], windows: int = 8) -> Sequence[Reading]:
    """Read texts with the model of words."""
    reader = SequenceReader(Words(), "words", Options(windows=windows))
    try:
        return await reader.read(texts)
    finally:
        await reader.close()


@pytest.mark.requirement("W7")
async def test_the_worst_window_counts_and_says_where_it_lies() -> None:
    """One command in a page of honest words is found there; the honest page beside it is not."""
    page = "a b c d e f attack h i j k l"
    attacked, honest = await read([page, page.replace("attack", "g")])
    assert (attacked.start, attacked.end) == (8, 20)
    assert page[attacked.start : attacked.end] == "e f attack h"
    assert attacked.score > 0.9
    assert honest.score < 0.1


@pytest.mark.requirement("W7", "W11")
async def test_a_text_with_more_windows_than_allowed_is_not_answered() -> None:
    """What lies behind the last window that is read could be anything."""
    text = " ".join(["word"] * 12)
    assert len(await read([text], windows=3)) == 1
    with pytest.raises(UnavailableError):
        await read([text], windows=2)


@pytest.mark.requirement("E8", "W11")
async def test_a_text_that_breaks_the_model_fails_its_own_caller() -> None:
    """Others whose texts ran together with it get their readings."""
    reader = SequenceReader(Words(), "words", Options(windows=2))
    long = " ".join(["word"] * 12)
    answers = await asyncio.gather(
        reader.read(["attack"]), reader.read([long]), reader.read(["fine"]), return_exceptions=True
    )
    await reader.close()
    assert isinstance(answers[1], UnavailableError)
    assert [isinstance(one, BaseException) for one in answers] == [False, True, False]


@pytest.mark.requirement("W7")
def test_the_version_says_which_labels_count() -> None:
    """Two mappings of one model decide differently, so their versions differ."""
    versions = set()
    for named in ((), ("safe",)):
        reader = SequenceReader(Words(), "words", Options(attack=named))
        versions.add(reader.version)
        asyncio.run(reader.close())
    assert len(versions) == 2
    assert all(len(version) <= 40 for version in versions)


# ---- a real directory ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a classifier that no test changes."""
    return build_classifier(tmp_path_factory.mktemp("classifier"))


@pytest.fixture(scope="module")
def reader(model: Path) -> Iterator[SequenceReader]:
    """Yield a reader over it."""
    reader = SequenceReader.load(model, Options(threads=1))
    yield reader
    asyncio.run(reader.close())


@pytest.fixture
def own(model: Path, tmp_path: Path) -> Path:
    """Return a copy that a test may change."""
    for file in model.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def by_hand(directory: Path, text: str) -> float:
    """Return what the libraries say without any of our code."""
    torch, transformers = runtimes()
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
    bare = transformers.AutoModelForSequenceClassification.from_pretrained(directory).eval()
    with torch.no_grad():
        logits = bare(**tokenizer(text, return_tensors="pt")).logits[0]
    return float(torch.softmax(logits, 0)[1])


@pytest.mark.requirement("W7")
async def test_scores_are_those_of_the_libraries(model: Path, reader: SequenceReader) -> None:
    """Also of texts of other lengths beside each other, whose padding must not show."""
    texts = [*ATTACKS, *HONEST, PAGE]
    readings = await reader.read(texts)
    for text, reading in zip(texts, readings, strict=True):
        assert reading.score == pytest.approx(by_hand(model, text), abs=1e-5)
        assert (reading.start, reading.end) == (0, len(text))


@pytest.mark.requirement("W7")
async def test_attacks_in_both_languages_are_told_from_honest_texts(reader: SequenceReader) -> None:
    """The model of this test knows them; what matters is that its labels are read rightly."""
    assert min(one.score for one in await reader.read(ATTACKS)) > 0.5
    assert max(one.score for one in await reader.read(HONEST)) < 0.5


@pytest.mark.requirement("W7")
async def test_an_attack_in_a_long_text_is_read_however_deep(reader: SequenceReader) -> None:
    """The text is cut where the model ends, and no part is left out."""
    assert len(BURIED.split()) > POSITIONS
    (attacked, honest) = await reader.read([BURIED, BURIED.replace(ATTACKS[0], "")])
    assert attacked.score > 0.5 > honest.score
    assert attacked.start <= BURIED.index(ATTACKS[0]) < attacked.end
    (chinese,) = await reader.read(["".join(HONEST[4:] * 3) + ATTACKS[4] + "".join(HONEST[4:] * 3)])
    assert chinese.end > chinese.start


@pytest.mark.requirement("W7")
async def test_a_text_cannot_spell_the_models_own_marks(
    model: Path, reader: SequenceReader
) -> None:
    """`[SEP]` in a text is five characters and ends nothing."""
    _, transformers = runtimes()
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    text = "he likes [SEP] [PAD] [MASK] green tea"
    marks = set(tokenizer.convert_tokens_to_ids(["[SEP]", "[PAD]", "[MASK]", "[CLS]"]))
    (window,) = reader._model.windows(text)
    assert marks & set(tokenizer(text)["input_ids"][1:-1])
    assert not marks & set(window.ids[1:-1])


@pytest.mark.requirement("W11")
@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud83d", "👩‍👩‍👧‍👦", "x" * 500, "记" * 500])
async def test_awkward_texts_are_answered(reader: SequenceReader, text: str) -> None:
    """With a score, and a place that lies within the text."""
    (reading,) = await reader.read([text])
    assert 0.0 <= reading.score <= 1.0
    assert 0 <= reading.start <= reading.end <= len(text)


@pytest.mark.requirement("W7")
async def test_the_version_follows_weights_and_length(model: Path, own: Path) -> None:
    """Another model under the same path looks at stored memories again; the same one does not."""
    versions = []
    for change, tokens in ((None, 512), (None, 32), (_changed(hidden_act="relu"), 512)):
        if change is not None:
            change(own)
        one = SequenceReader.load(own, Options(threads=1, tokens=tokens))
        versions.append(one.version)
        await one.close()
    same = SequenceReader.load(model, Options(threads=1))
    await same.close()
    assert len(set(versions)) == 3
    assert same.version == versions[0]
    assert all(len(version) <= 40 for version in versions)


def _labels(*names: str) -> Callable[[Path], None]:
    return _changed(id2label={str(i): name for i, name in enumerate(names)}, label2id=None)


def _changed(**fields: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        file = folder / "config.json"
        config = json.loads(file.read_text("utf-8")) | fields
        file.write_text(json.dumps({k: v for k, v in config.items() if v is not None}), "utf-8")

    return change


def _pickled(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({}))


def _headless(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    build(folder)


REFUSED: dict[str, Callable[[Path], None]] = {
    "pickled weights": _pickled,
    "code of its own": _changed(auto_map={"AutoModel": "model.Own"}),
    "labels that say nothing": _labels("neg", "pos"),
    "one label": _labels("INJECTION"),
    "more labels than scores": _labels("SAFE", "INJECTION", "JAILBREAK"),
    "several labels at once": _changed(problem_type="multi_label_classification"),
    "no head": _headless,
    "no settings": lambda folder: (folder / "config.json").unlink(),
}


@pytest.mark.requirement("W7", "W11")
@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_a_directory_that_could_mislead_is_refused(
    own: Path, change: Callable[[Path], None]
) -> None:
    """With a line that says so; the same directory unchanged loads."""
    asyncio.run(SequenceReader.load(own, Options(threads=1)).close())
    change(own)
    with pytest.raises(GuardError, match=r"screening\.second_|the model does not load"):
        SequenceReader.load(own, Options(threads=1))


@pytest.mark.requirement("W7")
def test_loading_asks_nobody(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No hub, whatever the directory names."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    asyncio.run(SequenceReader.load(own, Options(threads=1)).close())


@pytest.mark.requirement("W7")
def test_without_the_extra_the_operator_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line says what to install."""
    (tmp_path / "config.json").write_text('{"model_type": "bert"}', "utf-8")
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UnavailableError, match=r"memguard-gateway\[models\]"):
        SequenceReader.load(tmp_path)
