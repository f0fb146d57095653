"""What the packaged embedder costs and what fusion recalls. Prints; asserts nothing.

    python -m bench.embedding [--locomo FILE] [--simclue FILE]

Without files it measures speed and the calibration pairs of `bench.pairs`. LoCoMo and SimCLUE are
for evaluation only and not part of this repository.
"""

import argparse
import asyncio
import json
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.pairs import CHINESE, ENGLISH, UNRELATED_CHINESE, UNRELATED_ENGLISH
from guard.models.batching import BatchBounds
from guard.models.embedder import PackagedEmbedder
from guard.models.prepare import prepare
from memory.exact import Candidate, local_routes
from memory.fusion import KEYWORD, Routes, fuse, fuse_by_rank, route_weights
from memory.ranking import evidence, reliable
from memory.signals import Blinded, Sparse, Vectors
from memory.terms import terms_of
from memory.types import MemoryId, SubjectMark

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ROUTE_HITS = 20


class Blinder:
    """Numbers terms; no key is needed to measure."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, text: str, vectors: Vectors) -> Blinded:
        """Return the search material of one text."""
        weights = terms_of(text)
        ids = tuple(self._numbers.setdefault(t, len(self._numbers)) for t in weights)
        return Blinded(SubjectMark("0" * 32), vectors, Sparse(ids, tuple(weights.values())), ())


class Corpus:
    """Texts ready for search."""

    def __init__(self, texts: Sequence[str], vectors: Sequence[Vectors]) -> None:
        self._blind = Blinder()
        self.rows: list[Candidate] = [
            (MemoryId(str(i)), self._blind(text, v), NOW)
            for i, (text, v) in enumerate(zip(texts, vectors, strict=True))
        ]

    def nominated(self, query: str, vectors: Vectors) -> Routes:
        """Return each route's hits, rescored exactly over all that any route nominated."""
        blinded = self._blind(query, vectors)
        first = local_routes(blinded, self.rows, ROUTE_HITS)
        ids = {id for hits in first.values() for id, _ in hits}
        return local_routes(blinded, [row for row in self.rows if row[0] in ids], len(ids))


async def main() -> None:
    """Run every measurement that its data is there for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--simclue", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        prepare(Path(folder), lambda *_: None)
        middle = time.perf_counter()
        embedder = PackagedEmbedder.load(Path(folder), bounds=BatchBounds(deadline=600))
        print(f"prepare {middle - began:.2f} s, load {time.perf_counter() - middle:.2f} s")
        await speed(embedder)
        for name, pairs, others in (
            ("English", ENGLISH, UNRELATED_ENGLISH),
            ("Chinese", CHINESE, UNRELATED_CHINESE),
        ):
            await calibration(embedder, name, pairs, others)
        if args.simclue:
            await simclue(embedder, args.simclue.read_text("utf-8"))
        if args.locomo:
            await locomo(embedder, args.locomo.read_text("utf-8"))
        await embedder.close()


async def speed(embedder: PackagedEmbedder) -> None:
    """Print milliseconds per text, alone and batched, and the worst single text."""
    for name, texts in (("English", [m for m, _ in ENGLISH]), ("Chinese", [m for m, _ in CHINESE])):
        single = await clocked(lambda texts=texts: one_by_one(embedder, texts))  # type: ignore[misc]
        batch = await clocked(lambda texts=texts: embedder.embed(texts))  # type: ignore[misc]
        print(
            f"{name}: {single / len(texts):.2f} ms a text alone, {batch / len(texts):.2f} batched,"
            f" ratio {single / batch:.2f}"
        )
    print(f"8,192 letters: {await clocked(lambda: embedder.embed(['word ' * 1638])):.0f} ms")
    print(f"8,192 characters: {await clocked(lambda: embedder.embed(['记忆' * 4096])):.0f} ms")


async def one_by_one(embedder: PackagedEmbedder, texts: Sequence[str]) -> None:
    """Embed each text in a call of its own."""
    for text in texts:
        await embedder.embed([text])


async def clocked(run: Callable[[], Any]) -> float:
    """Return the median of five runs, in milliseconds."""
    times = []
    for _ in range(5):
        began = time.perf_counter()
        await run()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


async def calibration(
    embedder: PackagedEmbedder,
    name: str,
    pairs: Sequence[tuple[str, str]],
    others: Sequence[str],
) -> None:
    """Print how often the threshold answers what it should and what it should not (R9)."""
    memories = [memory for memory, _ in pairs]
    questions = [question for _, question in pairs]
    vectors = await embedder.embed(memories)
    whole = Corpus(memories, vectors)
    right = answered = first = 0
    for i, (question, asked) in enumerate(
        zip(questions, await embedder.embed(questions), strict=True)
    ):
        strength, fused = judged(whole, question, asked)
        right += MemoryId(str(i)) in reliable(strength)
        first += max(fused, key=fused.__getitem__) == str(i)
        apart = Corpus(memories[:i] + memories[i + 1 :], vectors[:i] + vectors[i + 1 :])
        answered += bool(reliable(judged(apart, question, asked)[0]))
    strays = sum(
        bool(reliable(judged(whole, question, asked)[0]))
        for question, asked in zip(others, await embedder.embed(others), strict=True)
    )
    print(
        f"{name} pairs: first {first / len(pairs):.2f}, passes {right / len(pairs):.2f};"
        f" its memory taken away {answered / len(pairs):.2f}, unrelated {strays / len(others):.2f}"
    )


def judged(
    corpus: Corpus, question: str, asked: Vectors
) -> tuple[Mapping[MemoryId, float], Mapping[MemoryId, float]]:
    """Return strength of evidence and fused relevance for one question."""
    weights = route_weights(question)
    routes = corpus.nominated(question, asked)
    return evidence(routes, weights), fuse(routes, weights)


async def simclue(embedder: PackagedEmbedder, lines: str) -> None:
    """Print Chinese recall@1: each sentence against the paraphrases of all rows."""
    rows = [json.loads(line) for line in lines.splitlines()]
    asked = [row["sentence_0"] for row in rows]
    texts = [row[f"sentence_{row['label']}"] for row in rows]
    corpus = Corpus(texts, await embedder.embed(texts))
    tally = Tally()
    for i, (query, vectors) in enumerate(zip(asked, await embedder.embed(asked), strict=True)):
        for name, order in orders(corpus, query, vectors).items():
            tally.add(name, {str(i)}, order, (1,))
    tally.show("SimCLUE")


async def locomo(embedder: PackagedEmbedder, document: str) -> None:
    """Print evidence recall@5 and @10, categories 1 to 4, unit = turn with its speaker."""
    tally = Tally()
    for conversation in json.loads(document):
        turns = {
            turn["dia_id"]: f"{turn['speaker']}: {turn['text']}"
            for key, session in conversation["conversation"].items()
            if isinstance(session, list)
            for turn in session
        }
        places = {id: str(i) for i, id in enumerate(turns)}
        corpus = Corpus(list(turns.values()), await embedder.embed(list(turns.values())))
        asked = [qa for qa in conversation["qa"] if qa["category"] in {1, 2, 3, 4}]
        vectors = await embedder.embed([qa["question"] for qa in asked])
        for qa, vector in zip(asked, vectors, strict=True):
            wanted = {places[id] for id in qa["evidence"] if id in places}
            if wanted:
                for name, order in orders(corpus, qa["question"], vector).items():
                    tally.add(name, wanted, order, (5, 10))
    tally.show("LoCoMo")


def orders(corpus: Corpus, query: str, vectors: Vectors) -> dict[str, list[str]]:
    """Return the order of memories by each route alone and by their fusions."""
    routes = corpus.nominated(query, vectors)
    weights = route_weights(query)
    scores: dict[str, Mapping[MemoryId, float]] = {
        name: dict(hits) for name, hits in routes.items()
    }
    scores["fused"] = fuse(routes, weights)
    scores["fused by rank"] = fuse_by_rank(routes, weights)
    for share in (0.4, 0.6, 0.8):
        other = dict(weights) | {KEYWORD: share / (1 - share) * 0.5}
        scores[f"fused, keyword {share:.1f}"] = fuse(routes, other)
    return {name: sorted(s, key=lambda id, s=s: -s[id]) for name, s in scores.items()}  # type: ignore[misc]


class Tally:
    """Adds up recall per name and depth."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, int], list[float]] = {}

    def add(self, name: str, wanted: set[str], order: Sequence[str], depths: Sequence[int]) -> None:
        """Count one query."""
        for depth in depths:
            found = len(wanted & set(order[:depth])) / len(wanted)
            self._sums.setdefault((name, depth), []).append(found)

    def show(self, title: str) -> None:
        """Print the means, and each as a ratio to keywords alone."""
        for (name, depth), values in self._sums.items():
            mean = math.fsum(values) / len(values)
            words = math.fsum(self._sums[KEYWORD, depth]) / len(values)
            print(f"{title} {name}: recall@{depth} {mean:.3f}, to keyword {mean / words:.2f}")


if __name__ == "__main__":
    asyncio.run(main())
