"""The frozen worlds and questions of `tests/tables`: codes, times, other words, and no answer."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from bench.recall_quality.site import Grounds

TABLES: Final = Path(__file__).parents[2] / "tests" / "tables"
_K: Final = 5
_DEPTHS: Final = {"code": 1, "time": 3, "plain": 3}
_NONE: Final = "unanswerable"


class Said(msgspec.Struct, frozen=True):
    """One line of a world."""

    world: str
    id: str
    text: str
    at: str
    layer: str


class Asked(msgspec.Struct, frozen=True):
    """One question about a world."""

    id: str
    world: str
    lang: str
    kind: str
    question: str
    reference_time: str
    time_zone: str
    answers: tuple[str, ...]


def tables_of(folder: Path) -> tuple[list[Said], list[Asked]]:
    """Return what is said in the worlds and what is asked about them."""
    said, asked = (
        (folder / name).read_text("utf-8").splitlines()
        for name in ("recall_worlds.jsonl", "recall_questions.jsonl")
    )
    return (
        [msgspec.json.decode(line, type=Said) for line in said],
        [msgspec.json.decode(line, type=Asked) for line in asked],
    )


async def measure(
    site: Grounds, worlds: Sequence[Said], questions: Sequence[Asked], *, misses: bool
) -> str:
    """Write the worlds, ask the questions; return the figures."""
    await site.prepare([one.text for one in worlds] + [one.question for one in questions])
    names: dict[str, str] = {}
    for said in worlds:
        written = await site.subject(said.world).write(
            text=said.text, occurred_at=said.at, layer=said.layer
        )
        # What says the same as an earlier line is that line.
        if written.id is not None:
            names.setdefault(written.id, said.id)
    hits: dict[tuple[str, str], list[bool]] = defaultdict(list)
    lines = []
    for asked in questions:
        answer = await site.subject(asked.world).ask(
            asked.question, _K, reference_time=asked.reference_time, time_zone=asked.time_zone
        )
        found = [names.get(id, id) for id in answer.ids]
        if asked.kind == _NONE:
            right = not answer.reliable
        else:
            right = bool(set(found[: _DEPTHS[asked.kind]]) & set(asked.answers))
            hits["reliable", asked.lang].append(answer.reliable)
        hits[asked.kind, asked.lang].append(right)
        if misses and not right:
            lines.append(f"{asked.id}: wanted {', '.join(asked.answers)}; found {', '.join(found)}")
    for (kind, lang), right_ones in sorted(hits.items()):
        depth = f"hit@{_DEPTHS[kind]}" if kind in _DEPTHS else "share"
        lines.append(_row(f"{kind} {lang}", depth, right_ones))
    for kind in sorted({kind for kind, _ in hits}):
        depth = f"hit@{_DEPTHS[kind]}" if kind in _DEPTHS else "share"
        lines.append(
            _row(kind, depth, [one for (k, _), v in hits.items() if k == kind for one in v])
        )
    return "\n".join(lines)


def _row(name: str, depth: str, right: list[bool]) -> str:
    return f"{name:<16} {depth:<6} {sum(right) / len(right):.3f} of {len(right)}"
