"""Figures of ranked answers: recall, hits and gain, by kind of question."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Final

_DEPTH: Final = 10
_COLUMNS: Final = ("recall@5", "recall@10", "hit@10", "nDCG@10")


class Tally:
    """Adds up the figures of each way of answering, by kind of question."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], list[tuple[float, ...]]] = {}

    def add(self, way: str, kind: str, wanted: Collection[str], order: Sequence[str]) -> None:
        """Count one question: what it wants, and what was found, best first."""
        scores = scores_of(wanted, order)
        for name in (kind, "all"):
            self._rows.setdefault((way, name), []).append(scores)

    def mean(self, way: str, kind: str = "all") -> Mapping[str, float]:
        """Return each figure's mean."""
        rows = self._rows[way, kind]
        return {
            name: math.fsum(row[place] for row in rows) / len(rows)
            for place, name in enumerate(_COLUMNS)
        }

    def table(self) -> str:
        """Return all means, a line per way and kind."""
        lines = [f"{'':<10} {'kind':<12} {'asked':>6}" + "".join(f"{c:>11}" for c in _COLUMNS)]
        for way, kind in sorted(self._rows, key=lambda key: (key[1] == "all", key[1], key[0])):
            values = "".join(f"{value:>11.3f}" for value in self.mean(way, kind).values())
            lines.append(f"{way:<10} {kind:<12} {len(self._rows[way, kind]):>6}{values}")
        return "\n".join(lines)


def scores_of(wanted: Collection[str], order: Sequence[str]) -> tuple[float, ...]:
    """Return recall@5, recall@10, hit@10 and nDCG@10 of one answer. `wanted` is not empty."""
    gains = [float(id in wanted) for id in order[:_DEPTH]]
    best = sum(1.0 / math.log2(place + 2) for place in range(min(len(wanted), _DEPTH)))
    gain = sum(value / math.log2(place + 2) for place, value in enumerate(gains))
    return sum(gains[:5]) / len(wanted), sum(gains) / len(wanted), float(any(gains)), gain / best
