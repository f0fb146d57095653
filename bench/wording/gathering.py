"""What was read for questions whose answers are known, as the doors read it."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from bench import pairs
from bench.recall_quality import questions as dev
from bench.recall_quality.inside import Inside, Room
from bench.wording.talks import Seen, Talk
from gateway.wire import RecallMemory
from guard.recall import answered
from guard.trace import Trail
from memory.answering import features

_DEV: Final = Path(__file__).parents[1] / "recall_quality" / "dev"
_BEGAN: Final = datetime(2026, 3, 2, 18, tzinfo=UTC)
_LONGEST: Final = 8192
_K: Final = 10


class Reader(Room):
    """One subject's memory behind the doors, and what was read for a question."""

    async def read(self, question: str, **fields: object) -> dict[str, float]:
        """Return the relevance, without wording, of the memories that were read for a question."""
        body = msgspec.convert({"query": question, "k": _K, **fields}, RecallMemory)
        trail = Trail()
        query = body.query_of(max_text_chars=_LONGEST)
        await answered(self._who, query, self._house.clock(), trail, self._rooms)
        return {
            one.id: one.relevance + (one.told or 0.0)
            for one in trail.considered()[0]
            if one.wording is not None and one.relevance is not None
        }


async def of_talks(site: Inside, made: Sequence[Talk]) -> AsyncIterator[Seen]:
    """Yield what was read for the questions of conversations."""
    for talk in made:
        await site.prepare([turn.text for turn in talk.turns])
        await site.prepare([asked.text for asked in talk.questions])
        room, texts, ids = Reader(site.embedder), {}, {}
        for place, turn in enumerate(talk.turns):
            days = timedelta(days=int(turn.session[1:]), seconds=30 * place)
            written = await room.write(
                text=turn.text, session_id=turn.session, occurred_at=(_BEGAN + days).isoformat()
            )
            if written.id is not None:
                texts[written.id], ids[turn.id] = turn.text, written.id
        for asked in talk.questions:
            found = await room.read(asked.text)
            for id, relevance in found.items():
                told = features(asked.text, texts[id])
                name = f"{talk.name} {asked.text}"
                yield Seen(talk.name, name, id == ids.get(asked.answer), relevance, told)


async def of_worlds(site: Inside) -> AsyncIterator[Seen]:
    """Yield what was read for the questions to tune on that have an answer."""
    for folder in (_DEV, _DEV / "more"):
        said, asked = dev.tables_of(folder)
        await site.prepare([one.text for one in said] + [one.question for one in asked])
        rooms: dict[str, Reader] = {}
        texts, ids = {}, {}
        for one in said:
            room = rooms.setdefault(one.world, Reader(site.embedder))
            written = await room.write(text=one.text, occurred_at=one.at, layer=one.layer)
            if written.id is not None:
                texts[written.id], ids[one.id] = one.text, written.id
        for ask in asked:
            right = {ids.get(id) for id in ask.answers}
            found = await rooms[ask.world].read(
                ask.question, reference_time=ask.reference_time, time_zone=ask.time_zone
            )
            for id, relevance in found.items():
                told = features(ask.question, texts[id])
                yield Seen(ask.world, ask.id, id in right, relevance, told)


async def of_pairs(site: Inside) -> AsyncIterator[Seen]:
    """Yield what was read for the pairs of memory and question that thresholds are made by."""
    for name, both in (("pairs en", pairs.ENGLISH), ("pairs zh", pairs.CHINESE)):
        await site.prepare([text for pair in both for text in pair])
        room, texts = Reader(site.embedder), {}
        for text, _ in both:
            written = await room.write(text=text)
            if written.id is not None:
                texts[written.id] = text
        for text, question in both:
            for id, relevance in (await room.read(question)).items():
                told = features(question, texts[id])
                yield Seen(name, question, texts[id] == text, relevance, told)
