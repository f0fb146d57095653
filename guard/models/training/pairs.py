"""Fit the model of pairs, and write its file and its digest.

    python -m guard.models.training.pairs OUT [TABLE ...]

It learns from `guard/models/corpus_of_pairs` and from tables of relations (tests/tables): of each
write with each older text of its case, as far as the case says what they are to each other, and of
texts of different cases, which have nothing to do with each other. Seeded: the same data gives the
same file on one machine.
"""

import argparse
import hashlib
import random
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from guard.models.pairs import AGAINST, SAME, Weights
from guard.models.pinned import PAIRS
from guard.models.training.networks import Plan, networks
from memory.claims import Claim, claims_of, relate_all
from memory.pairs import MOST_CHARACTERS, Side, overlap, side_of, signs, words_of

BESIDE: Final = "beside"
_ALONE: Final = frozenset({"new", "beside", "extends", "narrows"})
"""Relations of a write that leave all older texts standing."""
_REPLACING: Final = frozenset({"supersedes", "retracts", "conflicts"})
_SEED: Final = 3
_STRANGERS: Final = 1
"""Pairs of texts of different cases for each pair of one case."""
_TWINS: Final = 0.5
"""Texts with more in common than this may well be versions of each other."""
_NEAREST: Final = 1
"""Honest texts of the classifier's corpus, and what people chat, that are nearest to each of them:
they have words in common and nothing to do with each other."""
_NEAREST_OF_CHAT: Final = 6
"""The same for what people chat, of which there is little and said often."""
_LEAST_IN_LIFE: Final = 0.02
"""Texts of one life with less in common are as good as strangers."""
_EVERY: Final = 3
"""Of honest texts one in so many is asked for its nearest: more of them, and the model takes a new
text for a stranger of all others."""
_TABLES_COUNT: Final = 3.0
"""What a pair of a table weighs beside one of the corpus: those were written to be hard."""
_LIVES_COUNT: Final = 4.0
"""The same for texts of one life, of which there are few, and none replaces another."""
_PLAN: Final = Plan(hidden=32, decay=2.0, epochs=35, networks=8, smoothing=0.02)
"""Networks are fitted from different beginnings: where they differ, none of them knows."""


class Pair(msgspec.Struct, frozen=True):
    """One line of the corpus."""

    old: str
    new: str
    tie: str
    old_at: datetime | None = None
    new_at: datetime | None = None


class _Text(msgspec.Struct, frozen=True):
    text: str
    label: int


class _Write(msgspec.Struct, frozen=True):
    text: str
    at: datetime


class _Case(msgspec.Struct, frozen=True):
    id: str
    lang: str
    writes: tuple[_Write, ...]
    relations: tuple[str, ...]
    recall: tuple[str, ...]


def corpus() -> Iterator[tuple[str, Pair]]:
    """Yield the project's own pairs, each with its language."""
    folder = Path(str(files("guard.models") / "corpus_of_pairs"))
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            yield path.name[:2], msgspec.json.decode(line, type=Pair)


def of_table(path: Path) -> Iterator[tuple[str, Pair]]:
    """Yield the pairs of a table of relations of which it is plain what they are."""
    for line in path.read_text("utf-8").splitlines():
        case = msgspec.json.decode(line, type=_Case)
        for pair in _of_case(case):
            yield case.lang, pair


def _of_case(case: _Case) -> Iterator[Pair]:
    active: list[int] = []
    for place, (write, relation) in enumerate(zip(case.writes, case.relations, strict=True)):
        last = place == len(case.writes) - 1
        for older in active:
            old = case.writes[older]
            stays = old.text in case.recall
            tie = _tie_of(relation, alone=len(active) == 1, stays=stays, last=last)
            if tie:
                yield Pair(old.text, write.text, tie, old.at, write.at)
        if relation in {"supersedes", "retracts"} and len(active) == 1:
            active = [place]
        elif relation not in {SAME, "conflicts"}:
            active.append(place)


def _tie_of(relation: str, *, alone: bool, stays: bool, last: bool) -> str:
    """Return what a write is to an older text, nothing where its case does not say so."""
    if relation in _ALONE:
        return BESIDE
    if relation == SAME:
        return SAME if alone else ""
    if relation not in _REPLACING:
        return ""
    if alone:
        return AGAINST
    if stays:
        return BESIDE
    return AGAINST if last and relation != "conflicts" else ""


def neighbours() -> Iterator[Pair]:
    """Yield honest texts of different people beside those that have most words in common."""
    folder = files("guard.models") / "corpus_of_pairs"
    for language in ("en", "zh"):
        chat = (folder / f"{language}_chat.txt").read_text("utf-8").splitlines()
        honest = [text for text in _honest(language) if len(text) <= MOST_CHARACTERS]
        told = list(dict.fromkeys([*chat, *honest]))
        words = [words_of(text) for text in told]
        for place, mine in enumerate(words):
            if place >= len(chat) and place % _EVERY:
                continue
            shares = [(-overlap(mine, its), other) for other, its in enumerate(words)]
            nearest = _NEAREST_OF_CHAT if place < len(chat) else _NEAREST
            for share, other in sorted(shares)[: nearest + 1]:
                if other != place and -_TWINS < share < 0:
                    yield Pair(told[other], told[place], BESIDE)


def lives() -> Iterator[Pair]:
    """Yield texts of one made-up life that have something in common, of which none replaces
    another: many tell what became of somebody who was spoken of before.
    """
    folder = files("guard.models") / "corpus_of_pairs"
    for language in ("en", "zh"):
        for life in (folder / f"{language}_lives.txt").read_text("utf-8").split("\n\n"):
            told = [(text, words_of(text)) for text in life.splitlines()]
            for place, (new, mine) in enumerate(told):
                for old, its in told[:place]:
                    if overlap(mine, its) > _LEAST_IN_LIFE:
                        yield Pair(old, new, BESIDE)


def _honest(language: str) -> Iterator[str]:
    for path in sorted(Path(str(files("guard.models") / "corpus")).glob(f"{language}_*.jsonl")):
        for line in path.read_bytes().splitlines():
            row = msgspec.json.decode(line, type=_Text)
            if not row.label:
                yield row.text


def fitted(
    own: Sequence[tuple[str, Pair]], tables: Sequence[Sequence[tuple[str, Pair]]]
) -> Weights:
    """Return the weights fitted to the corpus's own pairs and to those of tables."""
    drawn = random.Random(_SEED)  # noqa: S311 - which texts are strangers is no secret
    weighed = [(pair, 1.0) for pair in neighbours()]
    weighed += [(pair, _LIVES_COUNT) for pair in lives()]
    for place, source in enumerate((own, *tables)):
        weighed += [(pair, _TABLES_COUNT if place else 1.0) for _, pair in source]
        weighed += [(pair, 1.0) for pair in _strangers(source, drawn)]
    pairs = [pair for pair, _ in weighed]
    rows = np.array([signs_of(pair) for pair in pairs])
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale[scale <= 0.0] = 1.0
    kinds = sorted({pair.tie for pair in pairs})
    found = networks(
        ((rows - mean) / scale).astype(np.float32),
        [kinds.index(pair.tie) for pair in pairs],
        [count for _, count in weighed],
        _PLAN,
    )
    # Side by side they are one network, whose answer is the mean of theirs before softmax.
    first = np.concatenate([one.first for one in found], axis=1)
    last = np.concatenate([one.last for one in found]) / len(found)
    return Weights(
        ties=tuple(kinds),
        mean=_rounded(mean),
        scale=_rounded(scale),
        hidden=tuple(_rounded(one) for one in first),
        hidden_bias=_rounded(np.concatenate([one.first_bias for one in found])),
        last=tuple(_rounded(one) for one in last),
        last_bias=_rounded(np.mean([one.last_bias for one in found], axis=0)),
    )


def _strangers(source: Sequence[tuple[str, Pair]], drawn: random.Random) -> Iterator[Pair]:
    """Yield texts of different cases, which have nothing to do with each other."""
    for language in ("en", "zh"):
        own = [pair for its, pair in source if its == language]
        for _ in range(_STRANGERS * len(own)):
            one, other = drawn.sample(own, 2)
            if one.old != other.old:
                yield Pair(one.old, other.new, BESIDE)


def signs_of(pair: Pair) -> list[float]:
    """Return the signs of a pair."""
    new, old = _read(pair.new, pair.new_at), _read(pair.old, pair.old_at)
    (bond,) = relate_all(new[0], [old[0]])
    return signs(new[1], old[1], bond)


@cache
def _read(text: str, at: datetime | None) -> tuple[tuple[Claim, ...], Side]:
    claims = claims_of(text, at=at)
    return claims, side_of(text, words_of(text), claims)


def _rounded(numbers: Any) -> tuple[float, ...]:
    return tuple(round(float(number), 4) for number in numbers)


def main() -> None:
    """Fit, write, and say what to pin."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("tables", type=Path, nargs="*")
    given = parser.parse_args()
    own, tables = list(corpus()), [list(of_table(table)) for table in given.tables]
    content = msgspec.json.encode(fitted(own, tables))
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / PAIRS).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    sys.stdout.write(f"{len(own) + sum(map(len, tables))} pairs; SHA-256 {digest}\n")


if __name__ == "__main__":
    main()
