"""What the configured embedder's cosines mean, and what to set for it. Prints; asserts nothing.

    python -m bench.calibrate [--config FILE]

Embeds the pairs of `bench.pairs`. With a remote embedder they are sent to its endpoint.
"""

import argparse
import asyncio
import statistics
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from bench.embedding import Corpus
from bench.pairs import CHINESE, ENGLISH, UNRELATED_CHINESE, UNRELATED_ENGLISH
from gateway.app.embedding import described, opened_embedder
from gateway.settings import load
from guard.ports import Embedder, Purpose
from memory.bearing import Read, bearing, sought
from memory.fusion import Ramp, route_weights
from memory.ranking import evidence
from memory.signals import Vectors
from memory.times import NO_TIMES
from memory.types import MemoryId

_LANGUAGES = (
    ("English", ENGLISH, UNRELATED_ENGLISH),
    ("Chinese", CHINESE, UNRELATED_CHINESE),
)
Evidence = Mapping[MemoryId, float]

_ANSWERED = 0.95
"""Share of questions that have an answer and find it: what comes first."""
_STRAYS = 0.05
"""Share of questions with no answer here whose nearest memory lies nearer than where `kept` is
measured from."""
_KEPT = 0.6
"""Share of that from which a memory is read at all, as in the shipped numbers."""
_BATCH = 32
_ZONE = ZoneInfo("UTC")
_NOW = datetime(2026, 11, 30, tzinfo=UTC)
"""No pair speaks of a time; any moment does."""


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", type=Path)
    settings = load(config=parser.parse_args().config)
    async with opened_embedder(settings) as embedder:
        print(described(embedder.id))
        if len(embedder.id.dimensions) != 1:
            print("several vectors: calibrated where they are made, nothing to set")
            return
        await _calibrated(embedder)


async def _calibrated(embedder: Embedder) -> None:
    memories = [m for _, pairs, _ in _LANGUAGES for m, _ in pairs]
    questions = [q for _, pairs, _ in _LANGUAGES for _, q in pairs]
    strays = [q for _, _, others in _LANGUAGES for q in others]
    stored = await _embedded(embedder, memories, Purpose.MEMORY)
    asked = await _embedded(embedder, questions, Purpose.QUESTION)
    lost = await _embedded(embedder, strays, Purpose.QUESTION)
    (name,) = embedder.id.dimensions

    # (1) The scale: from what lies anywhere to what answers well.
    own = [float(a[name] @ s[name]) for a, s in zip(asked, stored, strict=True)]
    foreign = [float(a[name] @ s[name]) for a in lost for s in stored]
    low, high = statistics.fmean(foreign), statistics.quantiles(own, n=10)[-1]
    print(f"answers {statistics.fmean(own):.2f}, unrelated {low:.2f} (means of cosines)")
    if low >= high:
        print("this model does not tell answers from unrelated texts")
        return
    ramps = {f"dense.{name}": Ramp(low, high)}

    # (2) The thresholds on it, on evidence and on what of it bears on the question, as in recall.
    corpus = Corpus(memories, stored)

    def judged(text: str, vectors: Vectors) -> tuple[Evidence, Evidence]:
        weights = route_weights(text, vectors=[name])
        strength = evidence(corpus.nominated(text, vectors), weights, ramps=ramps)
        read = {id: Read(memories[int(id)], then=False) for id in strength}
        return strength, bearing(sought(text, NO_TIMES, _NOW, _ZONE), strength, read)

    answers = [judged(text, one) for text, one in zip(questions, asked, strict=True)]
    others = [judged(text, one) for text, one in zip(strays, lost, strict=True)]
    best = sorted(max(strength.values(), default=0.0) for strength, _ in others)
    near = best[int((1 - _STRAYS) * (len(best) - 1))]
    right = sorted(borne.get(MemoryId(str(i)), 0.0) for i, (_, borne) in enumerate(answers))
    reliable = max(0.01, min(1.0, right[int((1 - _ANSWERED) * len(right))]))
    stray = statistics.fmean(max(borne.values(), default=0.0) >= reliable for _, borne in others)
    print(f"at {reliable:.2f}: {_ANSWERED} of the answers pass, {stray:.2f} stray")
    print(
        f"\n[embedder]\ncosine_unrelated = {low:.3f}\ncosine_answering = {high:.3f}\n"
        f"reliable = {reliable:.2f}\nkept = {min(_KEPT * near, reliable):.2f}"
    )


async def _embedded(embedder: Embedder, texts: Sequence[str], purpose: Purpose) -> list[Vectors]:
    found: list[Vectors] = []
    for start in range(0, len(texts), _BATCH):
        found += await embedder.embed(texts[start : start + _BATCH], purpose)
    return found


if __name__ == "__main__":
    asyncio.run(main())
