"""Conversations of two, made of topics, and questions whose answers are known."""

import random
from collections.abc import Iterator
from typing import Final

import msgspec

from bench.wording.topics import CHATTER, CHINESE, ENGLISH, NAMES, Topic

_TOPICS: Final = {"en": ENGLISH, "zh": CHINESE}
_COLON: Final = {"en": ": ", "zh": "："}
_SESSION: Final = 4
"""Topics of one session."""
_EACH: Final = 10
"""Topics that each of the two tells of; many are those of the other, too."""
_CHATTED: Final = 0.6
_ASKED: Final = 0.7
_REPLIED: Final = 0.7
"""How often a topic begins with small talk, is told because it was asked for, and gets a reply."""


class Turn(msgspec.Struct, frozen=True):
    """One turn, with the speaker's name before it, and the session that it belongs to."""

    id: str
    session: str
    text: str


class Question(msgspec.Struct, frozen=True):
    """What is asked later, and the turn that answers it."""

    text: str
    answer: str


class Talk(msgspec.Struct, frozen=True):
    """One conversation."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


class Seen(msgspec.Struct, frozen=True):
    """One memory that was read for one question.

    `relevance` is what it had before its wording counted; `group` is what was written together.
    """

    group: str
    question: str
    answers: bool
    relevance: float
    features: tuple[float, ...]


def talks(each: int, seed: int = 7) -> Iterator[Talk]:
    """Yield `each` conversations in either language; the same seed gives the same ones."""
    for lang in _TOPICS:
        for number in range(each):
            name = f"{lang}{number}"
            yield _Making(name, lang, random.Random(f"{seed}{name}")).talk()  # noqa: S311


class _Making:
    """One conversation while it is made."""

    def __init__(self, name: str, lang: str, chance: random.Random) -> None:
        self._name, self._lang, self._chance = name, lang, chance
        self._turns: list[Turn] = []
        self._taken: dict[str, str] = {}

    def talk(self) -> Talk:
        """Return it, with its questions."""
        one, other = self._chance.sample(NAMES[self._lang], 2)
        told = [
            (who, whom, topic)
            for who, whom in ((one, other), (other, one))
            for topic in self._chance.sample(_TOPICS[self._lang], _EACH)
        ]
        self._chance.shuffle(told)
        questions: list[Question] = []
        for number, (who, whom, topic) in enumerate(told):
            answer = self._told(who, whom, topic, f"s{number // _SESSION}")
            questions += [Question(ask.format(n=who), answer) for ask in topic.asked]
        return Talk(self._name, tuple(self._turns), tuple(questions))

    def _told(self, who: str, whom: str, topic: Topic, session: str) -> str:
        """Have `who` tell of a topic; return the id of the turn that answers questions about it."""
        chance = self._chance
        value = chance.choice([v for v in topic.values if self._taken.get(topic.opens) != v])
        self._taken[topic.opens] = value
        said = {"n": who, "o": whom, "v": value}
        if chance.random() < _CHATTED:
            self._say(whom, session, chance.choice(CHATTER[self._lang]).format(o=who))
        asked = chance.random() < _ASKED
        if asked:
            self._say(whom, session, topic.opens.format(**said))
        wording = chance.choice((topic.tells, topic.answers)) if asked else topic.tells
        answer = self._say(who, session, wording.format(**said))
        if chance.random() < _REPLIED:
            self._say(whom, session, topic.said_to_it.format(**said))
        return answer

    def _say(self, who: str, session: str, said: str) -> str:
        id = f"{self._name}-{len(self._turns)}"
        said = said[0].upper() + said[1:]
        self._turns.append(Turn(id, session, f"{who}{_COLON[self._lang]}{said}"))
        return id
