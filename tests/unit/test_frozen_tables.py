"""The tables that judge recall and relations are those that were frozen, and hold together."""

import json
import re
import unicodedata
from collections import Counter
from datetime import datetime
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import pytest

TABLES: Final = Path(__file__).parent.parent / "tables"
NAMES: Final = tuple(
    sorted(path.relative_to(TABLES).as_posix() for path in TABLES.rglob("*.jsonl"))
)
RELATIONS: Final = frozenset(
    {"new", "same", "supersedes", "retracts", "extends", "narrows", "beside", "conflicts"}
)
APART: Final = ("relations.jsonl", "relations_fresh.jsonl", "relations_third.jsonl")
"""Tables of relations whose writers looked that no sentence is in another one."""
RELATION_TABLES: Final = (
    *APART,
    "relations_fourth.jsonl",
    "relations_fifth.jsonl",
    "relations_sixth.jsonl",
    "relations_seventh.jsonl",
    "relations_eighth.jsonl",
    "relations_ninth.jsonl",
)
QUESTIONED: Final = ("", "second/")
"""Folders with a frozen set of worlds and questions."""
CODE: Final = re.compile(r"[A-Za-z0-9#][A-Za-z0-9#\-./]*\d[A-Za-z0-9\-./]*")


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (TABLES / name).read_text("utf-8").splitlines()]


def _is_named(content: bytes) -> bool:
    return sha256(content).hexdigest() in (TABLES / "README.md").read_text("utf-8")


def _plain(text: str) -> str:
    return re.sub(r"[ -]", "", unicodedata.normalize("NFKC", text)).lower()


def _codes(question: str) -> list[str]:
    return CODE.findall(unicodedata.normalize("NFKC", question))


def _codes_there(question: str, texts: list[str]) -> list[str]:
    return [
        code for code in _codes(question) if any(_plain(code) in _plain(text) for text in texts)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_table_has_the_digest_its_readme_names_and_one_changed_byte_is_noticed(name: str) -> None:
    """A table is never changed silently."""
    content = (TABLES / name).read_bytes()
    assert _is_named(content)
    assert not _is_named(content[:-2] + b" }\n")


@pytest.mark.parametrize("name", NAMES)
def test_ids_occur_once(name: str) -> None:
    """A miss can be named by its id."""
    assert max(Counter(row["id"] for row in _rows(name)).values()) == 1


@pytest.mark.parametrize("folder", QUESTIONED)
def test_an_answer_is_of_the_questions_world_and_was_said_before_it_was_asked(folder: str) -> None:
    """Every question but the unanswerable ones can be answered from its own world."""
    said = {row["id"]: row for row in _rows(f"{folder}recall_worlds.jsonl")}
    for row in _rows(f"{folder}recall_questions.jsonl"):
        assert bool(row["answers"]) == (row["kind"] != "unanswerable"), row["id"]
        for answer in row["answers"]:
            assert said[answer]["world"] == row["world"], row["id"]
            at = datetime.fromisoformat(said[answer]["at"])
            assert at <= datetime.fromisoformat(row["reference_time"]), row["id"]


@pytest.mark.parametrize("folder", QUESTIONED)
def test_a_code_in_an_unanswerable_question_is_nowhere_in_its_world(folder: str) -> None:
    """Nobody can answer about a code never told; the codes of other questions are found."""
    worlds: dict[str, list[str]] = {}
    for row in _rows(f"{folder}recall_worlds.jsonl"):
        worlds.setdefault(row["world"], []).append(row["text"])
    found = 0
    for row in _rows(f"{folder}recall_questions.jsonl"):
        there = _codes_there(row["question"], worlds[row["world"]])
        # Of a code in parts, as numbers of telephones are, some may be those of another.
        whole = len(there) == len(_codes(row["question"]))
        assert not (there and whole and row["kind"] == "unanswerable"), row["id"]
        found += row["kind"] == "code" and bool(there)
    assert found >= 80


@pytest.mark.parametrize("name", RELATION_TABLES)
def test_a_case_has_a_known_relation_for_each_write_and_recalls_only_what_was_written(
    name: str,
) -> None:
    """A case can be judged without guessing."""
    for row in _rows(name):
        written = [write["text"] for write in row["writes"]]
        assert len(written) == len(row["relations"]), row["id"]
        assert row["relations"][0] == "new", row["id"]
        assert set(row["relations"]) <= RELATIONS, row["id"]
        assert set(row["recall"]) <= set(written), row["id"]


def _texts(name: str) -> set[str]:
    return {write["text"] for row in _rows(name) for write in row["writes"]}


def _told(name: str) -> set[tuple[str, ...]]:
    return {tuple(write["text"] for write in row["writes"]) for row in _rows(name)}


@pytest.mark.parametrize(("one", "other"), list(combinations(RELATION_TABLES, 2)))
def test_no_two_tables_of_relations_share_a_case(one: str, other: str) -> None:
    """A fresh table asks nothing that another one asks."""
    known = _told(one)
    assert known & _told(one)
    assert not known & _told(other)


@pytest.mark.parametrize(("one", "other"), list(combinations(APART, 2)))
def test_no_two_tables_of_relations_share_a_text(one: str, other: str) -> None:
    """A fresh table cannot be passed by remembering another one."""
    known = _texts(one)
    assert known & _texts(one)
    assert not known & _texts(other)


def test_a_dialogue_holds_the_words_its_rewritten_question_needs() -> None:
    """A rewrite is never asked for what it could not know, nor for what was said already."""
    for row in _rows("rewrites.jsonl"):
        window = " ".join(turn["text"] for turn in row["window"]).lower()
        asked = row["question"].lower()
        needs = [word.lower() for word in row["answer_needs"]]
        assert all(word in window or word in asked for word in needs), row["id"]
        assert not all(word in asked for word in needs), row["id"]
