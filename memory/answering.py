"""How well a memory's wording fits what a question asks for, beyond shared words and meaning. Pure.

Features that hold in English and in Chinese alike: who speaks, whether the text itself asks, how
much it says, whether it has the time, the number or the code that is asked for. Their weights are
chosen on conversations (docs/adr/0020), small beside relevance, and bounded: wording moves a memory
among its peers and makes nothing relevant. A code that is named weighs most: of two doors whose
numbers differ in one digit, meaning and words tell nothing.
"""

import re
from typing import Final

import msgspec

from memory.codes import has_codes, named_in
from memory.labels import Told, is_of_another, told_by
from memory.terms import among, plain_of, terms_of
from memory.understanding_rules import FUNCTION

SPEAKER: Final = 0.08
"""The memory is a turn of somebody whom the question names."""
ASKS: Final = -0.06
"""The memory asks something itself: a question is rarely what another one is answered with."""
SUBSTANCE: Final = 0.04
"""At full length; a nod says little."""
TIME: Final = 0.05
"""The question asks when, and the memory names a time."""
NUMBER: Final = 0.04
"""The question asks how many, and the memory has a number."""
CODE: Final = 0.3
"""The question names a code, and the memory has it."""
OTHER: Final = -0.1
"""The question tells one of several by its label, and the memory has the label of another."""
CHANGED: Final = 0.25
"""The question asks how it is now, and the memory tells a change of what is asked about."""
_FULL_LENGTH: Final = 200
_LETTERS_PER_CHARACTER: Final = 4
"""About as many Latin letters say as much as one Chinese character."""

_LABEL = re.compile(r"\s{0,4}([^\W\d_][^:：\n。！？.!?]{0,39})[:：]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_END = re.compile(r"[?？][\s\"'”’)）]{0,8}$")
_ASKS_WHEN = re.compile(
    r"\b(?:when|how long|since what|(?:what|which) (?:time|day|date|month|year))\b"
    r"|什么时[候间]|何时|几[点号时月]|哪[一]?[天年月日周]|多久|多长时间|星期几|周几|日期",
    re.IGNORECASE,
)
_ASKS_COUNT = re.compile(
    r"\bhow (?:many|much|often|old|far|tall|big)\b"
    r"|多少|几[个次岁位本张只件台人名斤米公]|多[大远高重]",
    re.IGNORECASE,
)
_NAMES_TIME = re.compile(
    r"\d|\b(?:yesterday|today|tonight|tomorrow|last|next|ago|since|weekend|(?:week|month|year)s?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august"
    r"|september|october|november|december)\b"
    r"|昨[天晚]|今[天晚早年]|明[天晚年]|前天|后天|去年|前年|上[个周月]|下[个周月]|[周月年]前|[周月年]后|星期"
    r"|礼拜|周[一二三四五六日末]|[一二三四五六七八九十]月|[点号]",
    re.IGNORECASE,
)
_NAMES_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twice|once|couple|dozen|several"
    r"|hundred|thousand)\b|[一二两三四五六七八九十百千万]",
    re.IGNORECASE,
)

_ASKS_NOW = re.compile(
    r"\b(?:now|nowadays|these days|at (?:the moment|present)|current(?:ly)?|today|still)\b"
    r"|现在|目前|如今|眼下|当前|这会儿|现[用行]"
)
_ASKS_CODE = re.compile(
    r"\b(?:code|pin|pass(?:word|code|phrase)|combination|number)\b|密码|口令|号码|编号|代码|几号|多少号"
)
_ONCE = re.compile(
    r"\b(?:old|former(?:ly)?|previous(?:ly)?|before|earlier|used to|was|were|did|first|once)\b"
    r"|原来|以前|之前|旧|当初|最早|起初|过去|老的"
)
_ABOUT_NO_THING = re.compile(f"{_ASKS_NOW.pattern}|{_ASKS_CODE.pattern}|什么|多少|哪|告诉")
_CHANGED = re.compile(
    r"\b(?:now|chang(?:e|es|ed|ing)|switch(?:ed|es|ing)|swap(?:s|ped|ping)|replac(?:ed|es|ing)"
    r"|mov(?:ed|es|ing)|new|no longer|instead|since)\b"
    r"|改[成为到用]|[改换变更调][了成为到]|换.{0,6}[成为]|现在|如今|新"
)

WEIGHTS: Final = (SPEAKER, ASKS, SUBSTANCE, TIME, NUMBER)
"""What each of `features` counts."""


class Worded(msgspec.Struct, frozen=True):
    """A question as it is held against the wording of memories: read once for all of them.

    `codes` are those that it names; `about` is what it asks the present state of, nothing if it
    does not; `told` is by what it tells one of several.
    """

    text: str
    codes: frozenset[str]
    about: frozenset[str]
    told: Told | None


def worded(question: str) -> Worded:
    """Return what a question is as to its wording."""
    plain = plain_of(question)
    about: frozenset[str] = frozenset()
    if _ASKS_NOW.search(plain) or _asks_to_open(plain):
        terms = terms_of(_ABOUT_NO_THING.sub(" ", plain))
        about = frozenset(one for one in terms if len(one) > 1 and one not in FUNCTION)
    return Worded(question, named_in(plain), about, told_by(question))


def fit(question: Worded, text: str) -> float:
    """Return what is added to the relevance of a memory with this text, in [-.16, .72]."""
    told = zip(WEIGHTS, features(question.text, text), strict=True)
    form = sum(weight * value for weight, value in told)
    if question.codes and has_codes(plain_of(text), question.codes):
        form += CODE
    if question.told is not None and is_of_another(question.told, text):
        return form + OTHER
    return form + (CHANGED if question.about and _tells_a_change(question.about, text) else 0.0)


def _tells_a_change(about: frozenset[str], text: str) -> bool:
    return _CHANGED.search(plain_of(text)) is not None and bool(among(about, text))


def _asks_to_open(question: str) -> bool:
    """Say whether a code or number is asked for, and no former one: only the last one opens."""
    return bool(_ASKS_CODE.search(question)) and _ONCE.search(question) is None


def features(question: str, text: str) -> tuple[float, float, float, float, float]:
    """Return how a text fits a question, each in [0, 1], in the order of `WEIGHTS`."""
    asked, said = question.casefold(), text.rstrip()
    label = _LABEL.match(said)
    time = bool(_ASKS_WHEN.search(asked) and _NAMES_TIME.search(said))
    number = not time and bool(_ASKS_COUNT.search(asked) and _NAMES_NUMBER.search(said))
    return (
        float(label is not None and _names(asked, label.group(1).casefold())),
        float(_END.search(said, max(0, len(said) - 10)) is not None),
        min(1.0, _length(said) / _FULL_LENGTH),
        float(time),
        float(number),
    )


def _names(asked: str, name: str) -> bool:
    if _HAN.search(name):
        return name in asked
    return re.search(rf"\b{re.escape(name)}\b", asked) is not None


def _length(text: str) -> int:
    return len(text) + (_LETTERS_PER_CHARACTER - 1) * len(_HAN.findall(text))
