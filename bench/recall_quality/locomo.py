"""LoCoMo conversations as memories, one per turn, and questions for the turns that answer them.

Each conversation is a subject, each of its sessions a session, and each turn one write: its speaker
and words as the text, and when it was said. An evidence turn that the guard holds or lets another
replace can't be found: it counts as missed. One that says what an earlier turn says is that one.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.recall_quality.baselines import bm25, dense, packaged
from bench.recall_quality.figures import Tally
from bench.recall_quality.site import Grounds, Memories, Written

CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}
_UNANSWERABLE: Final = 5
_K: Final = 10
_BETWEEN: Final = timedelta(seconds=30)
"""LoCoMo says when a session began; its turns follow each other at about this pace."""


class Turn(msgspec.Struct, frozen=True):
    """One turn of a conversation."""

    id: str
    session: str
    at: datetime
    text: str


class Question(msgspec.Struct, frozen=True):
    """One question, its category, and the turns that answer it."""

    text: str
    category: int
    evidence: frozenset[str]


class Conversation(msgspec.Struct, frozen=True):
    """One conversation with what is asked of it."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def conversations(file: Path, numbers: Collection[int] = ()) -> list[Conversation]:
    """Return the conversations of a file; those with these numbers, from 1, or all."""
    read = json.loads(file.read_text("utf-8"))
    return [
        _conversation(str(number), one)
        for number, one in enumerate(read, 1)
        if not numbers or number in numbers
    ]


async def measure(site: Grounds, talks: Sequence[Conversation]) -> str:
    """Write and ask everything; return the figures."""
    tally, ends, lost = Tally(), Counter[str](), Counter[str]()
    for talk in talks:
        await site.prepare([turn.text for turn in talk.turns])
        await site.prepare([question.text for question in talk.questions])
    empty = asked = strays = unanswerable = 0
    written = await asyncio.gather(*(_written(site.subject(t.name), t.turns) for t in talks))
    for talk, places in zip(talks, written, strict=True):
        subject = site.subject(talk.name)
        ends.update(one.outcome for one in places.values())
        gone = _gone(places)
        for question in talk.questions:
            answer = await subject.ask(question.text, _K)
            if question.category == _UNANSWERABLE:
                unanswerable += 1
                strays += answer.reliable
                continue
            asked += 1
            empty += not answer.reliable
            lost.update("evidence " + gone[id] for id in question.evidence if id in gone)
            # An evidence turn without a memory is wanted by its own name, which nothing answers.
            wanted = {(places[id].id if id not in gone else None) or id for id in question.evidence}
            kind = CATEGORIES[question.category]
            tally.add("gateway", kind, wanted, answer.ids)
    await _baselines(talks, tally)
    return "\n".join(
        (
            tally.table(),
            f"turns: {sum(ends.values())}, of which {dict(ends)}",
            f"missed because they can't be found any more: {dict(lost)}",
            (
                f"answered with no reliable memory: {empty} of {asked} questions,"
                f" and {unanswerable - strays} of {unanswerable} that have no answer"
            ),
        )
    )


async def _written(subject: Memories, turns: Sequence[Turn]) -> Mapping[str, Written]:
    """Write a conversation in order; return what became of each turn."""
    places: dict[str, Written] = {}
    for turn in turns:
        places[turn.id] = await subject.write(
            text=turn.text, session_id=turn.session, occurred_at=turn.at.isoformat()
        )
    return places


def _gone(places: Mapping[str, Written]) -> dict[str, str]:
    """Return the turns that no recall can show, and why."""
    replaced = {one.supersedes for one in places.values() if one.supersedes is not None}
    gone = {}
    for id, one in places.items():
        if one.outcome not in ("stored", "redacted", "merged", "superseding", "superseded"):
            gone[id] = one.outcome
        elif one.id in replaced:
            gone[id] = "replaced"
    return gone


async def _baselines(talks: Sequence[Conversation], tally: Tally) -> None:
    async with packaged() as embedder:
        for talk in talks:
            texts = [turn.text for turn in talk.turns]
            asked = [q for q in talk.questions if q.category in CATEGORIES]
            questions = [question.text for question in asked]
            ways = {
                "BM25": bm25(texts, questions),
                "dense": await dense(embedder, texts, questions),
            }
            for way, orders in ways.items():
                for question, order in zip(asked, orders, strict=True):
                    found = [talk.turns[place].id for place in order[:_K]]
                    tally.add(way, CATEGORIES[question.category], question.evidence, found)


def _conversation(name: str, read: Mapping[str, Any]) -> Conversation:
    said = read["conversation"]
    turns = []
    for key, session in said.items():
        if isinstance(session, list):
            began = _instant(said[f"{key}_date_time"])
            turns += [
                Turn(
                    one["dia_id"], key, began + place * _BETWEEN, f"{one['speaker']}: {one['text']}"
                )
                for place, one in enumerate(session)
            ]
    turns.sort(key=lambda turn: (int(turn.session.rsplit("_", 1)[1]), turn.at))
    known = {turn.id for turn in turns}
    questions = [
        Question(qa["question"], qa["category"], frozenset(known.intersection(qa["evidence"])))
        for qa in read["qa"]
    ]
    kept = [q for q in questions if q.evidence or q.category == _UNANSWERABLE]
    return Conversation(f"conversation {name}", tuple(turns), tuple(kept))


def _instant(written: str) -> datetime:
    """Return the instant of LoCoMo's form, `1:56 pm on 8 May, 2023`."""
    return datetime.strptime(written, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
