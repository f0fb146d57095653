"""What a sentence says when its form is taken off: who is meant, in which words, in which order.

Only form goes: case, width, quotation marks, politeness, who is called what ("I", "the user", "我",
"用户"). Every other word, number, name and sign stays, in its place, as a token of its own; a sign
that nobody expects here, an invisible one for example, is a token like any other.
"""

import re
import unicodedata
from collections.abc import Mapping

import msgspec

from memory.phrasing_rules import (
    ABBREVIATIONS,
    ARTICLES,
    ASSISTANT,
    CALLED,
    CLOSERS,
    CLOSING,
    CN_ASSISTANT,
    CN_CLOSERS,
    CN_HIM,
    CN_ME,
    CN_OPENERS,
    CN_SELF,
    CN_USER,
    CN_WISH,
    CN_YOU,
    DASHES,
    ENDINGS,
    FIRST,
    HAN_ONLY,
    LEAST_NOUN,
    NEGATING,
    NOT_AFTER_ARTICLE,
    OPENERS,
    OPENING,
    PAUSES,
    POINTERS,
    POINTERS_ALONE,
    POLITE,
    SECOND,
    SHORT_FORMS,
    SILENT,
    THIRD,
    TOKEN,
    UPPER_NAMES,
    USER,
    VALUES,
)

_QUOTED = 200
"""Characters before a sign in which a quotation may have begun that it closes."""


class Sentence(msgspec.Struct, frozen=True):
    """One sentence: its words as they stand, and where it is in the text.

    `joined` to the next one or the one before when no more than a line or a semicolon ends there.
    """

    text: str
    start: int
    end: int
    asks: bool
    joined: bool


def folded(text: str) -> str:
    """Return the text in one width and with one kind of apostrophe; a number stays what it is."""
    # The odd pieces are what the pattern splits by.
    pieces = VALUES.split(text)
    pieces[::2] = [unicodedata.normalize("NFKC", piece) for piece in pieces[::2]]
    return "".join(pieces).replace("’", "'").replace("\r", "\n")


def plain(text: str) -> bool:
    """Say whether nothing in the text can pass for one of the marks that are put in here."""
    return all(c in "\t\n\r" or unicodedata.category(c) != "Cc" for c in text)


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a folded text. What is after "Dr." is no new one."""
    found: list[Sentence] = []
    start, before, joined = 0, "", False
    for match in TOKEN.finditer(text):
        sign = match.group()
        if match.lastgroup == "end" and not (sign == "." and _goes_on(before, text, match.end())):
            if _tokens(text[start : match.start()]):
                one = _sentence(text, start, match.start(), sign)
                found.append(msgspec.structs.replace(one, joined=joined or one.joined))
                joined = one.joined
            elif sign == "?" and found:
                found[-1] = msgspec.structs.replace(found[-1], asks=True)
            start = match.end()
        before = sign.casefold() if match.lastgroup != "end" else ""
    if _tokens(text[start:]):
        found.append(_sentence(text, start, len(text), "", joined=joined))
    return found


def depths(text: str) -> list[int]:
    """Return for each place in a folded text within how many quotations and brackets it lies."""
    depth, straight, single = 0, False, False
    found = [0]
    for place, char in enumerate(text):
        before = text[place - 1] if place else " "
        after = text[place + 1] if place + 1 < len(text) else " "
        if char == '"':
            straight = not straight
        elif char == "'":
            if not single and not before.isalnum() and after.isalnum():
                single = True
            elif single and not after.isalnum():
                single = False
        elif char in OPENING:
            depth += 1
        elif char in CLOSING and depth:
            depth -= 1
        found.append(depth + straight + single)
    return found


def said(sentence: str) -> tuple[str, ...]:
    """Return what a sentence of the user's says."""
    text = _opened(sentence)
    text = CN_ME.sub(USER, CN_WISH.sub("", text))
    tokens = _tokens(CN_YOU.sub(ASSISTANT, text))
    tokens = _trimmed(_named(tokens, FIRST | SECOND))
    for wish in (("want",), ("need",), ("would", "like"), ("ask",)):
        lead = (USER, *wish, ASSISTANT, "to")
        if tuple(tokens[: len(lead)]) == lead:
            return tuple(tokens[len(lead) :])
    return tuple(tokens)


def relayed(sentence: str, *, framed: bool) -> tuple[str, ...]:
    """Return what a sentence about the user says; in a framed one "he" is the user."""
    text = _opened(sentence)
    text = CN_USER.sub(USER, CN_ME.sub(USER, CN_WISH.sub("", text)))
    if framed:
        text = CN_HIM.sub(USER, CN_SELF.sub(USER, text))
    tokens = _tokens(CN_ASSISTANT.sub(ASSISTANT, CN_YOU.sub(ASSISTANT, text)))
    return tuple(_trimmed(_named(tokens, FIRST | SECOND | CALLED | (THIRD if framed else {}))))


def words(text: str) -> list[str]:
    """Return the words of a text as they stand, in lower case: for looking at how it begins."""
    return _tokens(text)


def _goes_on(before: str, text: str, place: int) -> bool:
    """Say whether a full stop ends no sentence: after "Dr." or "W.", and before a number."""
    initial = len(before) == 1 and before.isalpha() and not _is_han(before)
    return before in ABBREVIATIONS or initial or text[place:].lstrip(" \t")[:1].isdigit()


def _sentence(text: str, start: int, end: int, sign: str, *, joined: bool = False) -> Sentence:
    while text[start].isspace():
        start += 1
    weak = joined or sign in ("\n", ";")
    return Sentence(text[start:end].rstrip(), start, end, asks=sign == "?", joined=weak)


def _opened(text: str) -> str:
    """Return the text without what is said before and after it out of politeness, in Chinese."""
    text, before = text.strip(), None
    while text != before:
        before = text
        shorter = CN_CLOSERS.sub("", CN_OPENERS.sub("", text)).strip()
        text = shorter or text
    return text


def _tokens(text: str) -> list[str]:
    lower = any(char.islower() for char in text)
    tokens: list[str] = []
    for match in TOKEN.finditer(text):
        token = match.group()
        match match.lastgroup:
            case "atom":
                tokens.append(token.rstrip(".,;:!?"))
            case "word" if lower and token in UPPER_NAMES:
                tokens.append(token)
            case "word":
                tokens.extend(_spelt_out(token.casefold()))
            case "more":
                tokens.append("…")
            case "sign" if _is_measure(text, match.start()):
                tokens.append("-" if token in DASHES else token)
            case "sign" if token not in SILENT:
                tokens.append(token)
            case "sign" if token in PAUSES and _parts(tokens, text[match.end() :]):
                tokens.append(",")
            case _:
                pass
    return tokens


def _parts(before: list[str], after: str) -> bool:
    """Say whether the sense may hang on a pause here: after a "no", and within Chinese."""
    if not before:
        return False
    follows = after.lstrip()[:1]
    numbers = before[-1][-1].isdigit() and follows.isdigit()
    return before[-1] in NEGATING or numbers or (_is_han(before[-1]) and _is_han(follows))


def _is_measure(text: str, place: int) -> bool:
    """Say whether a sign that is mostly silent belongs to a number: –5, 3·5, 5' and 5"."""
    sign, after = text[place], text[place + 1 : place + 2]
    number = text[max(place - 1, 0) : place].isdigit()
    if sign in DASHES:
        return after.isdigit()
    if sign == "·":
        return number and after.isdigit()
    if sign not in "'\"" or not number:
        return False
    # One that closes a quotation is none; those within words open none.
    before = text[max(place - _QUOTED, 0) : place]
    opened = len(re.findall(rf"(?<!\w){sign}", before))
    return opened % 2 == 0


def _is_han(text: str) -> bool:
    return HAN_ONLY.fullmatch(text) is not None


def _spelt_out(word: str) -> tuple[str, ...]:
    if word in SHORT_FORMS:
        return SHORT_FORMS[word]
    for ending, full in ENDINGS:
        if word.endswith(ending) and len(word) > len(ending):
            return word.removesuffix(ending), full
    return (word,)


def _named(tokens: list[str], names: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the tokens with everybody called by one name."""
    found: list[str] = []
    for token in tokens:
        if token in CALLED and token in names and found[-1:] and found[-1] in POINTERS:
            found.pop()
        found.extend(names.get(token, (token,)))
    return found


def _trimmed(tokens: list[str]) -> list[str]:
    kept = [token for token in tokens if token not in POLITE]
    for edges, cut in ((OPENERS, _cut_first), (CLOSERS, _cut_last)):
        shorter = True
        while shorter:
            shorter = False
            for edge in edges:
                rest = cut(kept, edge)
                if rest:
                    kept, shorter = rest, True
    following = [*kept[1:], ""]
    return [t for t, after in zip(kept, following, strict=True) if not _is_article(t, after)]


def _cut_first(tokens: list[str], edge: tuple[str, ...]) -> list[str]:
    return tokens[len(edge) :] if tuple(tokens[: len(edge)]) == edge else []


def _cut_last(tokens: list[str], edge: tuple[str, ...]) -> list[str]:
    return tokens[: -len(edge)] if tuple(tokens[-len(edge) :]) == edge else []


def _is_article(token: str, after: str) -> bool:
    """Say whether a token only points at the word after it: in "row A and B" it does not."""
    noun = after.isalpha() and len(after) >= LEAST_NOUN and after not in NOT_AFTER_ARTICLE
    return token in POINTERS_ALONE or (token in ARTICLES and noun)
