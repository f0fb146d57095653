"""From text to tokens: every word with its role, numbers still apart from their units."""

import re
from typing import Final

from memory.claims.lexicon import ALONE, CHINESE, ENGLISH, LONGEST_PHRASE, RUNS, Does, Token
from memory.claims.nouns import ValueKind
from memory.claims.numerals import chinese_number
from memory.claims.small_rules import ABBREVIATED
from memory.claims.units_rules import COUNTERS, NUMERALS, SCALES, TENS, UNITS

MOST: Final = 220
"""Tokens kept of a text."""

_HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff〇"
_LETTER: Final = rf"[^\W\d_{_HAN}]"
_LATIN: Final = rf"(?![{_HAN}])\w"
"""What goes on with a word that is not Chinese."""
_EMOJI: Final = (
    "[\U0001f1e6-\U0001f1ff]{2}|[\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
    "(?:\u200d[\u2190-\u27bf\U0001f000-\U0001faff]){0,4}"
)
_TOKEN: Final = re.compile(
    r"`(?P<quoted>[^`\n]{1,200})`"
    r"|(?P<address>https?://[^\s<>,，。；（）()、]{3,300}|[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}"
    r"(?:\.[A-Za-z0-9-]{1,63}){1,6})"
    r"|(?P<iso>(?<!\d)\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d|\.\d))"
    r"|(?P<clock>(?<![\d:])\d{1,2}:\d{2}(?![\d:]))"
    r"|(?P<phone>(?<!\d)1[3-9]\d[ -]\d{4}[ -]\d{4}(?!\d)"
    r"|\+\d{1,3}(?:[ -]?\d{1,5}){2,6}"
    r"|(?<!\d)0\d{2,4}(?: \d{3,4}){1,2}(?!\d)"
    r"|(?<![\d.,$€£¥-])(?:\d{3} \d{4}|\d{3,4}(?:[ -]\d{2,4}){2,3})(?![\d%-]|[.,]\d)"
    r"|(?<!\d)\d{3,4}(?:-\d{3,4}){1,2}(?!\d))"
    r"|(?P<dotted>(?<![\w.])v?\d{1,4}(?:\.\d{1,6}){2,3}(?:-[a-z0-9.]{1,20})?(?![\w])|\bv\d[\d.]{0,9}\b)"
    r"|(?P<number>(?<![A-Za-z0-9_.])[$€£¥]?\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,6})?(?![\d])"
    r"|[$€£¥]?\d{1,15}(?:\.\d{1,6})?(?![\d]))(?P<glued>(?:[A-Za-z][A-Za-z0-9_-]{0,40}|%|°[CcFf]?|℃|℉)?)"
    r"|(?P<path>~?/[\w.-]{1,60}(?:/[\w.-]{1,60}){0,12}/?)"
    rf"|(?P<word>{_LETTER}{{1,60}}(?:['-]{_LETTER}{{1,60}}){{0,5}}(?!{_LATIN}|[/@]|[.:'-]{_LATIN})|"
    r"(?<=\s)[°℃℉][CcFf]?)"
    rf"|(?P<name>(?:(?![{_HAN}])\w){{1,60}}(?:[._/@:-]{{1,2}}(?:(?![{_HAN}])\w){{1,60}}){{0,8}})"
    r"|(?P<option>(?<!\w)--?[A-Za-z][\w-]{0,40})"
    rf"|(?P<han>[{_HAN}]{{1,4000}})"
    rf"|(?P<emoji>{_EMOJI})"
    r"|(?P<arrow>[=-]>)"
    r"|(?P<stop>\n|[!?;。…]|\.(?=\s|$|[\u3400-\u9fff]))"
    r"|(?P<comma>,)|(?P<colon>:)|(?P<sign>[=&+%])|(?P<other>\S)"
)
_COUNTING: Final = NUMERALS | {"半"}
_SHORT: Final = {
    "can't": ("can", "not"), "cannot": ("can", "not"), "couldn't": ("could", "not"),
    "won't": ("not",), "dont": ("not",), "im": ("i", "am"), "ive": ("i", "have"),
    "cant": ("can", "not"), "didnt": ("not",), "doesnt": ("not",), "isnt": ("is", "not"),
    "til": ("until",), "till": ("until",), "i'd": ("i", "would"), "u": ("you",), "ur": ("your",),
    "thats": ("that", "is"),
}  # fmt: skip
_ENDINGS: Final = (("n't", "not"), ("'m", "am"), ("'re", "are"), ("'ve", "have"), ("'ll", ""),
                   ("'d", ""), ("'s", ""))  # fmt: skip
_IS: Final = frozenset({"it's", "that's", "he's", "she's", "there's", "what's"})
_LEAST_LEMMA: Final = 4
_LONG_NUMBER: Final = 8
"""Digits without separators: from here on they number a thing and count nothing."""


def scan(text: str) -> list[Token]:
    """Return the tokens of a folded text, at most `MOST` of them."""
    tokens: list[Token] = []
    words: list[tuple[str, bool]] = []
    for match in _TOKEN.finditer(text):
        group = match.lastgroup or "other"
        found = match.group()
        if group == "word":
            proper = found[0].isupper()
            words.extend([(word, proper) for word in _spelt_out(found)])
            continue
        if words:
            _phrases(words, tokens)
            words = []
        if len(tokens) >= MOST:
            break
        if group == "stop" and found == "." and tokens and tokens[-1].raw in ABBREVIATED:
            if tokens[-1].raw == "no":
                tokens[-1] = Token(Does.SILENT, "no.", "no.")
            continue
        _piece(group, found, match, tokens)
    _phrases(words, tokens)
    return tokens[:MOST]


def code(raw: str) -> Token:
    """Return a token whose every character counts."""
    return Token(Does.VALUE, raw, raw, ValueKind.CODE)


def _piece(group: str, found: str, match: re.Match[str], tokens: list[Token]) -> None:
    match group:
        case "han":
            _han(found, tokens)
        case "stop" | "comma" | "colon":
            tokens.append(Token(_MARKS[group], found, found))
        case "glued":
            _number(match["number"], match["glued"], tokens)
        case "name":
            tokens.extend(_name(found))
        case "iso" | "clock" | "emoji":
            tokens.append(Token(Does.VALUE, found, found, _KINDS[group]))
        case "sign" | "arrow" | "other":
            known = ALONE.get(found)
            tokens.extend([Token(known.role, known.text, found)] if known else [])
        case _:
            # A quoted blank is nothing.
            tokens.extend([code(exact)] if (exact := _exact(group, found)) else [])


_MARKS: Final = {"stop": Does.STOP, "comma": Does.COMMA, "colon": Does.COLON}
_KINDS: Final = {"iso": ValueKind.DATE, "clock": ValueKind.TIME, "emoji": ValueKind.EMOJI}


def _exact(group: str, found: str) -> str:
    """Return a code without what only marks it as one."""
    match group:
        case "quoted":
            return found.strip("` ")
        case "address":
            return found.rstrip(".:!?/").casefold()
        case "phone":
            return re.sub(r"[ -]", "", found)
        case "dotted":
            return found.removeprefix("v")
        case _:
            return found


def _name(found: str) -> list[Token]:
    """Return a name of several parts: a code where letters alone would not make it a word."""
    if any(not part.isalpha() for part in re.split("[-]", found)) or not found.isascii():
        return [code(found)]
    tokens: list[Token] = []
    _phrases([(found.casefold(), found[0].isupper())], tokens)
    return tokens


def _number(digits: str, glued: str, tokens: list[Token]) -> None:
    low = glued.casefold()
    if glued and not (low in UNITS or low in SCALES or low in _ORDINALS or low in {"am", "pm"}):
        tokens.append(code(digits + glued))
        return
    if not glued and digits.isdigit() and len(digits) >= _LONG_NUMBER:
        tokens.append(code(digits))
        return
    tokens.append(Token(Does.NUMBER, digits.replace(",", ""), digits, ValueKind.NUMBER))
    if glued:
        role = Does.ORDINAL if low in _ORDINALS else Does.UNIT
        tokens.append(Token(role, low, glued))


_ORDINALS: Final = frozenset({"st", "nd", "rd", "th"})


def _spelt_out(word: str) -> list[str]:
    low = word.casefold()
    if low in _SHORT:
        return list(_SHORT[low])
    if "'" not in low:
        return [low]
    if low in _IS:
        return [low[:-2], "is"]
    for ending, full in _ENDINGS:
        if low.endswith(ending) and len(low) > len(ending):
            return [part for part in (low.removesuffix(ending), full) if part]
    return [low]


def _phrases(spelt: list[tuple[str, bool]], tokens: list[Token]) -> None:
    """Append the tokens of English words: the longest known phrase first."""
    words = [word for word, _ in spelt]
    at, end = 0, len(words)
    while at < end:
        word, proper = spelt[at]
        for length in range(min(LONGEST_PHRASE.get(word, 1), end - at), 1, -1):
            known = ENGLISH.get(tuple(words[at : at + length]))
            if known:
                raw = " ".join(words[at : at + length])
                tokens.append(Token(known.role, known.text, raw, proper=proper))
                at += length
                break
        else:
            known = ALONE.get(word)
            tokens.append(
                Token(known.role, known.text, word, proper=proper) if known else _word(word, proper)
            )
            at += 1


def _word(word: str, proper: bool) -> Token:  # noqa: FBT001 - one word as it was written
    stem = lemma(word)
    for form in (stem, *_roots(word)):
        known = ALONE.get(form)
        if known and (form is stem or known.role is Does.VERB):
            return Token(known.role, known.text, word, proper=proper)
    return Token(Does.WORD, stem, word, proper=proper)


def _roots(word: str) -> tuple[str, ...]:
    """Return what a verb in "-ing" or "-ed" can come from."""
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if len(root) > 1 and root != word:
            return root, f"{root}e", root[:-1]
    return ()


def lemma(word: str) -> str:
    """Return a word without the endings of plural and third person."""
    if len(word) < _LEAST_LEMMA or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses")) else word[:-1]


def _han(run: str, tokens: list[Token]) -> None:
    """Append the tokens of a run of Chinese: known words at their longest, else characters."""
    at, end = 0, len(run)
    counted = bool(tokens) and tokens[-1].role is Does.NUMBER
    while at < end and len(tokens) < MOST:
        token = _counter(run, at) if counted else None
        token = token or _known(run, at)
        if run[at] in _COUNTING and (
            token is None or len(token.raw) == 1 or _counts(run, at, token)
        ):
            token = _numerals(run, at, tokens[-1] if tokens else None) or token
        token = token or Token(Does.WORD, run[at], run[at])
        tokens.append(token)
        counted = token.role is Does.NUMBER
        at += len(token.raw)


def _counts(run: str, at: int, token: Token) -> bool:
    """Say whether a word of numerals is a number after all: 十一 in 十一月."""
    return (
        all(char in NUMERALS for char in token.raw)
        and run[at + len(token.raw) : at + len(token.raw) + 1] in _DATED
    )


_DATED: Final = frozenset("月日号点年")


def _counter(run: str, at: int) -> Token | None:
    unit = _unit(run, at)
    return Token(Does.UNIT, unit, unit) if unit else None


def _known(run: str, at: int) -> Token | None:
    for length in RUNS.get(run[at], ()):
        known = CHINESE.get(run[at : at + length])
        if known:
            return known
    return None


def _unit(run: str, at: int) -> str:
    for length in range(min(4, len(run) - at), 0, -1):
        word = run[at : at + length]
        if word in UNITS or word in COUNTERS or word in SCALES or word in "点月号年分":
            return word
    return ""


def _numerals(run: str, at: int, before: Token | None) -> Token | None:
    """Return the number that starts here, if what is around it shows that it is one."""
    if run[at] == "半":
        return Token(Does.NUMBER, "1/2", "半", ValueKind.NUMBER) if _unit(run, at + 1) else None
    if run.startswith("百分之", at) and (share := _run(run, at + 3)):
        number = chinese_number(share)
        return Token(Does.VALUE, f"{number} %", f"百分之{share}", ValueKind.QUANTITY)
    digits = _run(run, at)
    end = at + len(digits)
    several = len(digits) > 1 and any(char in TENS for char in digits)
    if before is not None and before.raw in _PARTED and len(digits) <= 2:  # noqa: PLR2004
        size = f"0.{chinese_number(digits) or 0}"
        return Token(Does.NUMBER, size, digits, ValueKind.NUMBER)
    alone = end == len(run) and (at == 0 or (before is not None and before.role in _SAYING))
    if not (_unit(run, end) or several or alone):
        return None
    number = chinese_number(digits)
    return None if number is None else Token(Does.NUMBER, str(number), digits, ValueKind.NUMBER)


_PARTED: Final = frozenset("米块斤")
"""Units that a decimal follows without a word: 一米七五 is 1.75 m."""
_SAYING: Final = frozenset({Does.LINK, Does.CHANGE, Does.MOST, Does.LEAST})


def _run(run: str, at: int) -> str:
    end = at
    while end < len(run) and run[end] in NUMERALS:
        end += 1
    return run[at:end]
