"""What the classifier learns from: the corpus, and disguises put on honest texts, too."""

import json
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from guard.models.training.disguise import disguised
from guard.views import views_of

_KEYS = {"id", "text", "label", "lang", "kind", "strength", "origin"}


def _files() -> list[Path]:
    return sorted(Path(str(files("guard.models") / "corpus")).glob("*.jsonl"))


def _rows_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def _rows() -> list[dict[str, object]]:
    return [row for path in _files() for row in _rows_of(path)]


def _shared_ids(rows: list[dict[str, object]]) -> list[object]:
    return [one for one, times in Counter(row["id"] for row in rows).items() if times > 1]


@pytest.mark.requirement("W7")
def test_the_corpus_is_whole_and_balanced() -> None:
    """Every row has its fields; both languages have attacks and honest texts by the hundred."""
    rows = _rows()
    assert all(set(row) == _KEYS for row in rows)
    counts = Counter((row["lang"], row["label"]) for row in rows)
    assert min(counts[lang, label] for lang in ("en", "zh") for label in (0, 1)) > 900


@pytest.mark.requirement("W7")
def test_an_id_names_one_row_of_the_whole_corpus() -> None:
    """No id stands in two rows, of one file or of two; a second row of the same id is found."""
    rows = _rows()
    assert _shared_ids(rows) == []
    assert _shared_ids([*rows, rows[0]]) == [rows[0]["id"]]


@pytest.mark.requirement("W7")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_quiet_attacks_stand_beside_honest_texts_by_the_hundred(lang: str) -> None:
    """The later rows of each language are half attacks, most of them weak and some disguised."""
    path = next(path for path in _files() if path.name == f"{lang}_more.jsonl")
    rows = _rows_of(path)
    strengths = Counter(row["strength"] for row in rows)
    assert {row["lang"] for row in rows} == {lang}
    assert len(rows) >= 1000
    assert 0.4 < strengths["none"] / len(rows) < 0.6
    assert strengths["weak"] > strengths["blatant"]
    assert strengths["obfuscated"] >= 90


@pytest.mark.requirement("W7")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_comes_from_outside_is_attacks_and_their_honest_twins(lang: str) -> None:
    """Half are attacks, most of them weak; half of what is honest comes from outside at least."""
    path = next(path for path in _files() if path.name == f"outside_{lang}.jsonl")
    rows = _rows_of(path)
    strengths = Counter(row["strength"] for row in rows)
    honest = [row for row in rows if row["label"] == 0]
    outside = [row for row in honest if row["origin"] in ("web", "document", "tool_output")]
    assert {row["lang"] for row in rows} == {lang}
    assert len(rows) >= 1300
    assert 0.4 < strengths["none"] / len(rows) < 0.6
    assert strengths["weak"] > strengths["blatant"] + strengths["obfuscated"]
    assert len(outside) > len(honest) / 2


@pytest.mark.requirement("W7")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_agents_hand_over_is_mostly_honest(lang: str) -> None:
    """Agents' notes: hundreds that are honest, and attacks of all strengths, the weak ones most."""
    path = next(path for path in _files() if path.name == f"agents_{lang}.jsonl")
    rows = _rows_of(path)
    strengths = Counter(row["strength"] for row in rows)
    assert {row["lang"] for row in rows} == {lang}
    assert {row["origin"] for row in rows} == {"agent_relayed"}
    assert strengths["none"] >= 270
    assert strengths["weak"] > strengths["blatant"] > strengths["obfuscated"] >= 25


@pytest.mark.requirement("W2", "W7")
def test_honest_texts_are_learned_from_in_disguise_as_well() -> None:
    """The same share of both is disguised, and the views read most disguises."""
    rows = _rows()
    shares, read = [], []
    for label in (0, 1):
        texts = [str(row["text"]) for row in rows if row["label"] == label]
        hidden = [(text, other) for text in texts if (other := disguised(text)) is not None]
        shares.append(len(hidden) / len(texts))
        for text, other in hidden[:40]:
            plain = "".join(text.casefold().split())
            views = ["".join(view.text.casefold().split()) for view in views_of(other)]
            read.append(any(plain[:20] in view for view in views))
    assert all(0.1 < share < 0.3 for share in shares)
    assert sum(read) / len(read) > 0.5
