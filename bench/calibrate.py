"""What the configured embedder's cosines mean, and what to set for it. Prints; asserts nothing.

    python -m bench.calibrate [--config FILE]

Embeds the pairs of `bench.pairs`. With a remote embedder they are sent to its endpoint.
"""

import argparse
import asyncio
import statistics
from collections.abc import Sequence
from pathlib import Path

from bench.embedding import Corpus
from bench.pairs import CHINESE, ENGLISH, UNRELATED_CHINESE, UNRELATED_ENGLISH
from gateway.app.embedding import described, opened_embedder
from gateway.settings import load
from guard.ports import Embedder, Purpose
from memory.fusion import Ramp, route_weights
from memory.ranking import evidence
from memory.signals import Vectors

_LANGUAGES = (
    ("English", ENGLISH, UNRELATED_ENGLISH),
    ("Chinese", CHINESE, UNRELATED_CHINESE),
)
_STRAYS = 0.05
"""Share of questions with no answer here that may find one: what the shipped numbers allow."""
_KEPT = 0.6
"""Share of the threshold that others need beside a reliable one, as in the shipped numbers."""
_BATCH = 32


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

    # (2) The threshold on it: words count as they do in recall.
    corpus = Corpus(memories, stored)

    def strengths(texts: Sequence[str], vectors: Sequence[Vectors]) -> list[dict[str, float]]:
        return [
            {
                str(id): value
                for id, value in evidence(
                    corpus.nominated(text, one),
                    route_weights(text, vectors=[name]),
                    ramps=ramps,
                ).items()
            }
            for text, one in zip(texts, vectors, strict=True)
        ]

    best = sorted(max(one.values(), default=0.0) for one in strengths(strays, lost))
    reliable = min(1.0, best[int((1 - _STRAYS) * (len(best) - 1))] + 0.005)
    passing = [
        one.get(str(i), 0.0) >= reliable for i, one in enumerate(strengths(questions, asked))
    ]
    print(
        f"at {reliable:.2f}: {statistics.fmean(passing):.2f} of the answers pass, {_STRAYS} stray"
    )
    print(
        f"\n[embedder]\ncosine_unrelated = {low:.3f}\ncosine_answering = {high:.3f}\n"
        f"reliable = {reliable:.2f}\nkept = {_KEPT * reliable:.2f}"
    )


async def _embedded(embedder: Embedder, texts: Sequence[str], purpose: Purpose) -> list[Vectors]:
    found: list[Vectors] = []
    for start in range(0, len(texts), _BATCH):
        found += await embedder.embed(texts[start : start + _BATCH], purpose)
    return found


if __name__ == "__main__":
    asyncio.run(main())
