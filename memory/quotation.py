"""Whether a text says what the user said in a conversation: the same claim, whatever its form (W3).

Pure, and strict on purpose: the price of a miss is that a statement keeps an agent's trust, the
price of a false match is a forged voice. A match is always a whole sentence of the user's or more
of them in a row, word for word once their form is taken off (`memory.phrasing`); so nothing can be
left out of it: no "not", no condition, no number. What a turn does not state itself (a question, a
quotation, pasted text, what others say) states nothing here, and neither does a sentence beside one
that may limit or revoke it.
"""

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from memory.phrasing import (
    Sentence,
    depths,
    folded,
    plain,
    relayed,
    said,
    sentences,
    words,
)
from memory.phrasing_rules import ASSISTANT, OWNS, USER
from memory.quotation_rules import (
    ADVERBS,
    ASKED,
    ASKED_CN,
    ASKED_OF,
    ASKING,
    ASKS_CN,
    ASKS_FIRST,
    BOUND,
    COMMON,
    DROPPED,
    DROPPED_CN,
    FRAME,
    FRAME_CN,
    HEDGED_CN,
    MATTER,
    NOW,
    OPPOSED,
    PASTED,
    REPORTED,
    REQUEST_CN,
    STATES,
    TAKEN_BACK,
    THEN,
    UNDOES,
    VARIED,
)
from memory.types import Role, Turn

LONGEST: Final = 1000
"""Characters of a turn beyond which it is taken for pasted text, and of a text that is matched."""
MOST_READ: Final = 24
"""Turns that are read word by word for one text: whoever says the same so often is no person."""
_LEAST_TOKENS: Final = 2
_TAGS: Final = re.compile(r"<[a-zA-Z/!][^<>]{0,300}>")


class _Reading(msgspec.Struct, frozen=True):
    """One way to take a text about the user: what each of its sentences says."""

    parts: tuple[tuple[str, ...], ...]
    framed: bool
    words: tuple[str, ...]
    """Words that a turn has to contain as they stand: most turns do not, and are done with."""


class _Statement(msgspec.Struct, frozen=True):
    """One sentence of a turn: what it says, None when the user states nothing by it."""

    tokens: tuple[str, ...] | None
    bound: bool


def vouching(turns: Sequence[Turn], text: str) -> int | None:
    """Return the place of the newest turn in which the user says just what `text` does.

    `turns` are those of one conversation, oldest first. A turn after which the user took something
    back vouches for nothing, and neither does one that only repeats what a tool said.
    """
    readings = list(_readings(text))
    if not readings:
        return None
    matter = {word for one in readings for word in _matter(one)}
    read = 0
    for place in range(len(turns) - 1, -1, -1):
        turn = turns[place]
        if turn.role not in (Role.USER, Role.ASSISTANT):
            continue
        spoken = folded(turn.text)
        if turn.role is Role.ASSISTANT:
            if place < len(turns) - 1 and _offers_to_undo(spoken, matter):
                return None
            continue
        likely = [one for one in readings if _may_say(spoken, one)]
        read += bool(likely)
        if read > MOST_READ:
            return None
        found = next((one for one in likely if _says(spoken, one)), None)
        if found is not None:
            copies = _standing_in(shown(turns), found.parts, framed=found.framed)
            return None if copies else place
        if TAKEN_BACK.search(spoken) or _opposes(spoken, matter):
            return None
    return None


def copied(texts: Sequence[str], text: str) -> tuple[str, ...]:
    """Return the sentences of a turn of the user's that stand in one of these `shown` texts."""
    if len(text) > LONGEST or not plain(text):
        return ()
    parts = {said(one.text): one.text for one in sentences(folded(text))}
    found = _standing_in(texts, [part for part in parts if _is_enough((part,))], framed=False)
    return tuple(parts[part] for part in parts if part in found)


def _may_say(spoken: str, reading: _Reading) -> bool:
    """Say whether the turn has every word that has to be in it as it stands."""
    lower = spoken.casefold()
    return all(word in lower for word in reading.words)


def _matter(reading: _Reading) -> Iterator[str]:
    """Yield what a reading is about: its long words and numbers, in Chinese pairs of characters."""
    for part in reading.parts:
        for one, other in zip(part, (*part[1:], ""), strict=True):
            word = one.casefold()
            if any(c.isdigit() for c in one) or (len(one) >= MATTER and word not in COMMON):
                yield word
            elif len(one) == len(other) == 1 and one.isalpha() and not (one + other).isascii():
                yield one + other


def _opposes(spoken: str, matter: set[str]) -> bool:
    """Say whether a later turn has a "not" or the like and is about the same matter."""
    if OPPOSED.search(spoken) is None:
        return False
    lower = spoken.casefold()
    return any(word in lower for word in matter)


def _offers_to_undo(asked: str, matter: set[str]) -> bool:
    """Say whether the assistant asks whether to take something back: a "yes" then does so."""
    return "?" in asked and (UNDOES.search(asked) is not None or _opposes(asked, matter))


def _readings(text: str) -> Iterator[_Reading]:
    """Yield the ways to take a text: as it stands, and without "the user said that"."""
    if len(text) > LONGEST or not plain(text):
        return
    text = folded(text).strip()
    frames: list[tuple[str, bool]] = [(text, False)]
    for frame in (FRAME, FRAME_CN):
        match = frame.match(text)
        if match:
            frames.append((text[match.end() :], True))
    asked = ASKED.match(text)
    if asked:
        first = " ".join(word for word in asked.groups() if word)
        start = f"do not {text[asked.end() :]}" if first.lower() == "not" else None
        frames.append((start or f"{first} {text[asked.end() :]}", True))
    asked = ASKED_CN.match(text)
    if asked and REQUEST_CN.match(text[asked.end() :]):
        frames.append((text[asked.end() :], True))
    for rest, framed in frames:
        found = sentences(rest)
        parts = tuple(relayed(one.text, framed=framed) for one in found)
        if found and not any(_is_question(one) for one in found) and _is_enough(parts):
            yield _Reading(parts, framed, tuple(_fixed(parts)))


def _fixed(parts: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    """Yield the words that have one form only, whoever speaks."""
    for part in parts:
        verbs = _verbs(part) | {0}
        for at, token in enumerate(part):
            word = token.casefold()
            if at not in verbs and word.isalnum() and word not in VARIED:
                yield word


def _is_enough(parts: tuple[tuple[str, ...], ...]) -> bool:
    return all(len(part) >= _LEAST_TOKENS for part in parts)


def _says(spoken: str, reading: _Reading) -> bool:
    """Say whether sentences of the turn, in a row, are those of the reading."""
    if len(spoken) > LONGEST or not plain(spoken) or PASTED.search(spoken):
        return False
    statements = _statements(spoken)
    size = len(reading.parts)
    for start in range(len(statements) - size + 1):
        run = statements[start : start + size]
        beside = (*statements[:start], *statements[start + size :])
        same = all(
            one.tokens is not None and _same(one.tokens, part, framed=reading.framed)
            for one, part in zip(run, reading.parts, strict=True)
        )
        if same and not any(one.bound for one in beside):
            return True
    return False


def _statements(spoken: str) -> tuple[_Statement, ...]:
    depth = depths(spoken)
    return tuple(_statement(one, depth) for one in sentences(spoken))


def _statement(one: Sentence, depth: list[int]) -> _Statement:
    reported = REPORTED.search(one.text) is not None
    # A sentence that begins or ends within a quotation, or is nothing else, is somebody's words.
    cut = depth[one.start] > 0 or depth[one.end] > 0
    own = any(depth[at] == 0 and c.isalnum() for at, c in enumerate(one.text, one.start))
    # A line that breaks off goes on in the next one.
    bound = reported or cut or one.joined or BOUND.search(one.text) is not None
    if reported or cut or not own or _is_question(one) or HEDGED_CN.search(one.text):
        return _Statement(None, bound)
    return _Statement(said(one.text), bound)


def _is_question(one: Sentence) -> bool:
    if one.asks or ASKS_CN.search(one.text):
        return True
    first, second = (*words(one.text)[:2], "", "")[:2]
    return (first in ASKS_FIRST and second in ASKED_OF) or (
        first in ASKING and second in ASKS_FIRST
    )


def shown(turns: Sequence[Turn]) -> list[str]:
    """Return what somebody reads of what tools put out and the system was told: as it stands, and
    without tags and what hides.
    """
    found: list[str] = []
    for turn in turns:
        if turn.role in (Role.TOOL, Role.SYSTEM):
            visible = "".join(c for c in turn.text if unicodedata.category(c) != "Cf")
            visible = html.unescape(visible)
            every = {turn.text, _TAGS.sub("", visible), _TAGS.sub(" ", visible)}
            found.extend(folded(text).replace("\n", " ") for text in every)
    return found


def _standing_in(
    texts: Sequence[str], parts: Sequence[tuple[str, ...]], *, framed: bool
) -> set[tuple[str, ...]]:
    """Return those of the parts that stand in one of these texts."""
    found: set[tuple[str, ...]] = set()
    for text in texts:
        lower = text.casefold()
        likely = [one for one in parts if all(word in lower for word in _fixed((one,)))]
        stream = _bare(said(text)) if likely else ()
        found |= {part for part in likely if _is_in(stream, _bare(part), framed)}
    return found


def _bare(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words alone: signs between them are lost where a page is copied."""
    marks = (USER, ASSISTANT, OWNS)
    return tuple(t for t in tokens if t in marks or any(c.isalnum() for c in t))


def _is_in(stream: tuple[str, ...], part: tuple[str, ...], framed: bool) -> bool:  # noqa: FBT001
    size, verbs = len(part), _verbs(part)
    # A word that has one form only is looked for first: it is nearly never there.
    sure = next((at for at in range(size) if at not in verbs), 0)
    return any(
        (sure in verbs or stream[at + sure] == part[sure])
        and _same(stream[at : at + size], part, framed=framed)
        for at in range(len(stream) - size + 1)
    )


def _same(spoken: tuple[str, ...], told: tuple[str, ...], *, framed: bool) -> bool:
    """Say whether both are the same words in the same order, but for how a verb ends after "he"."""
    if len(spoken) == len(told) + 1 and spoken[0] == USER and _drops_subject(told):
        told = (USER, *told)
    if len(spoken) != len(told):
        return False
    verbs = _verbs(told)
    return all(
        one == other or (at in verbs and NOW.get(one, one) in _bases(other, framed=framed))
        for at, (one, other) in enumerate(zip(spoken, told, strict=True))
    )


def _drops_subject(told: tuple[str, ...]) -> bool:
    return told[0] in DROPPED or DROPPED_CN.match("".join(told)) is not None


def _verbs(told: tuple[str, ...]) -> frozenset[int]:
    """Return the places of the verbs whose subject is the user or the assistant."""
    found: set[int] = set()
    for at, token in enumerate(told):
        place = at + 1
        while place < len(told) and told[place] in ADVERBS:
            place += 1
        if token in (USER, ASSISTANT) and place < len(told) and told[place] != OWNS:
            found.add(place)
    return frozenset(found)


def _bases(verb: str, *, framed: bool) -> set[str]:
    """Return the forms that a verb has after "I"; past ones only where speech is reported."""
    found = {verb, NOW.get(verb, verb)}
    if verb.endswith("s") and not verb.endswith("ss"):
        found |= {verb[:-1], verb.removesuffix("es"), verb.removesuffix("ies") + "y"}
    if framed:
        found.add(THEN.get(verb, verb))
        if verb.endswith("ed"):
            stem = verb[:-2]
            found |= STATES & {stem, stem + "e", stem[:-1], verb.removesuffix("ied") + "y"}
    return found
