"""Things a text names exactly: numbers, addresses, versions, dates, amounts. Pure, deterministic.

Each is one string `kind:value` in a normal form, so that the entity route can match it whole:
`order:sf123456`, `port:5432`, `email:ann@example.com`, `phone:+8613800138000`, `amount:usd:20`.
English and Chinese, by form and not by meaning; names need a model.

Whatever is a code or a long number also gives `ref:` and its letters and digits alone, so that
`GS-7110`, `gs 7110` and `gs7110`, or `7742 0093 18` and `7742009318`, are one. The older kinds stay
beside it: what was stored before is still found by them.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import chain
from typing import Final

from memory.claims.small_rules import words
from memory.understanding_rules import FUNCTION

LONGEST: Final = 200
MOST: Final = 64
"""Entities kept per text, in the order of their appearance within each kind."""

_SIGN = re.compile(r"[\d/@]")
"""Every entity has one of these: a digit, or what an address is made with."""
_URL = re.compile(r"\b(?:https?|ftp)://[^\s<>\"'，。；（）()、]{3,400}", re.ASCII)
_EMAIL = re.compile(
    r"(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}", re.ASCII
)
_IP = re.compile(
    r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\.?\d)"
)
_HOST_PORT = re.compile(
    # A name of one part needs a long number: `10:30` is a time and `score:30` a score.
    r"(?<![\w.:-])(?:(?:[a-z0-9-]{1,63}\.){1,8}[a-z0-9-]{1,63}:(\d{2,5})|"
    r"[a-z][a-z0-9-]{0,62}:(\d{4,5}))(?![\d:])",
    re.ASCII,
)
_PORT_BEFORE = re.compile(r"(?<![\d.:])(\d{2,5})\s?(?:号)?端口", re.ASCII)
_PORT = re.compile(
    r"(?:\bports?|端口号?)\s{0,2}(?:number|is|now|=|:|为|是|改为|改成)?\s{0,2}(\d{2,5})(?!\d)",
    re.ASCII,
)
_ORDER = re.compile(
    r"(?:\b(?:order|tracking|invoice|ticket|case|booking|reservation|parcel|shipment|waybill)|"
    r"订单|运单|快递|发票|"
    r"工单|单号|预订|编号)(?:\s?(?:number|no\.?|id|code|号码?|编号))?\s{0,2}(?:is|was|=|:|#|为|"
    r"是)?\s{0,2}#?"
    r"((?=[a-z0-9-]{0,20}\d)[a-z0-9][a-z0-9-]{2,39})(?![a-z0-9])",
    re.ASCII,
)
_CODE = re.compile(
    r"(?<![a-z0-9_.@/-])(?=[a-z0-9-]{4,40}(?![a-z0-9]))[a-z]{1,8}-?\d{3,20}(?![a-z0-9]|[@.]\w)",
    re.ASCII,
)
_ISSUE = re.compile(r"(?<![\w#&])#(\d{1,9})(?!\w)", re.ASCII)
_VERSION = re.compile(
    r"(?<![\w.])v(\d{1,4}(?:\.\d{1,6}){0,3}(?:-[a-z0-9.]{1,20})?)(?![\w])|"
    r"(?:\bversion|\brelease|版本号?)\s{0,2}(?:is|:|为|是|"
    r"=)?\s{0,2}v?(\d{1,4}(?:\.\d{1,6}){1,3})(?!\.?\d)|"
    r"(?<![\w.])(\d{1,4}(?:\.\d{1,6}){1,3})\s?版|"
    # Three numbers with dots between them, and no year: `3.11.2026` is a date.
    r"(?<![\w.])(\d{1,3}\.\d{1,3}\.\d{1,3})(?![\w]|\.\d)",
    re.ASCII,
)
_PHONE = re.compile(
    r"(?<![\w+.-])(?:(\+\d{1,3}[ -]?(?:\(?\d{1,5}\)?[ -]?){1,5}\d{2,4})|(1[3-9]\d{9}))(?![\w-])",
    re.ASCII,
)
_GROUPED_PHONE = re.compile(r"(?<![\w+.-])(1[3-9]\d)[ -](\d{4})[ -](\d{4})(?![\w-])", re.ASCII)
_DASHES: Final = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2212", "------")
_SITE = re.compile(
    r"(?<![\w@./:-])(?:www\.)?((?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}/[^\s<>\"'，。；（）()、]{1,400})",
    re.ASCII,
)
_SCHEME = re.compile(r"[a-z]{3,5}://(?:www\.)?", re.ASCII)
_REFERENCE = re.compile(
    r"(?<![\w.@/-])[a-z0-9]{1,20}(?:[-_/][a-z0-9]{1,20}){0,7}(?![\w@/]|-\w|\.\w)", re.ASCII
)
_GROUPS = re.compile(r"(?<![\w.,/:-])\d{2,6}(?:[ -]\d{2,6}){1,6}(?![\w/:-]|[.,]\d)", re.ASCII)
_PART = re.compile(r"[A-Za-z0-9]+")
_BETWEEN: Final = frozenset(" -_/·•・")
_CAPITALS: Final = 4
_SMALL: Final = 3
"""Letters that a part of a code may have where it is written apart: `TKR 4471`, `tkr 4471`."""
_NO_PART: Final = FUNCTION | words(
    "jan feb mar apr may jun jul aug sep oct nov dec age day top am pm kg km cm mm usd eur gbp"
)
_MOST_PARTS: Final = 8
_LIKE_A_DATE = re.compile(r"\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?|\d{1,2}[-/]\d{1,2}[-/]\d{2,4}")
_YEARS = re.compile(r"(?:19|20)\d\d(?:[ -](?:19|20)\d\d){1,6}")
_MEASURE = re.compile(r"\d{1,3}[a-z]{1,4}")
_SHORTEST_REFERENCE: Final = 4
_SHORTEST_NUMBER: Final = 6
_LONGEST_REFERENCE: Final = 40
_DATE = re.compile(r"(?<!\d)((?:19|20)\d{2})[-/.年]\s?(\d{1,2})[-/.月]\s?(\d{1,2})(?!\d)")
_AMOUNT = re.compile(
    r"(?P<sign>[$€£¥]|\b(?:usd|eur|gbp|cny|rmb|jpy|"
    r"hkd)\s?)(?P<before>(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,4})?)(?!\d)|"
    r"(?<![a-z0-9_.])(?P<after>(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,4})?)\s?(?P<scale>[万亿千])?\s?"
    r"(?P<unit>usd|eur|gbp|cny|rmb|jpy|hkd|dollars?|euros?|pounds?|yuan|元|块钱?|人民币|美元|"
    r"欧元|英镑|日元|港币)(?![a-z])",
    re.ASCII,
)
_CURRENCY: Final = {
    "$": "usd", "usd": "usd", "dollar": "usd", "美元": "usd",
    "€": "eur", "eur": "eur", "euro": "eur", "欧元": "eur",
    "£": "gbp", "gbp": "gbp", "pound": "gbp", "英镑": "gbp",
    "¥": "cny", "cny": "cny", "rmb": "cny", "yuan": "cny", "元": "cny", "块": "cny", "块钱": "cny",
    "人民币": "cny", "jpy": "jpy", "日元": "jpy", "hkd": "hkd", "港币": "hkd",
}  # fmt: skip
_SCALE: Final = {"千": 1_000, "万": 10_000, "亿": 100_000_000}
_LARGEST_PORT: Final = 65_535
_SHORTEST_PHONE: Final = 8
_LAST_MONTH: Final = 12
_LAST_DAY: Final = 31


def entities_of(text: str) -> tuple[str, ...]:
    """Return the distinct entities of `text` in a fixed order, at most `MOST`."""
    plain = unicodedata.normalize("NFKC", text).translate(_DASHES)
    if _SIGN.search(plain) is None:
        return ()
    every = chain(_entities(plain.casefold()), _references(plain))
    found = (entity for entity in every if len(entity) <= LONGEST)
    return tuple(dict.fromkeys(found))[:MOST]


def _entities(text: str) -> Iterator[str]:
    for match in _URL.finditer(text):
        address = match.group().rstrip(".,;:!?/")
        yield f"url:{address}"
        yield f"site:{_SCHEME.sub('', address, count=1)}"
    # What lies inside an address is no order number or port of its own.
    rest = _URL.sub(" ", text)
    for match in _EMAIL.finditer(rest):
        yield f"email:{match.group()}"
    rest = _EMAIL.sub(" ", rest)
    yield from _numbered(rest)
    yield from _measured(rest)


def _references(text: str) -> Iterator[str]:
    """Return codes and long numbers as their letters and digits alone."""
    for parts in _written_apart(_EMAIL.sub(" ", _URL.sub(" ", text))):
        yield from _reference("-".join(parts).casefold())
    rest = _EMAIL.sub(" ", _URL.sub(" ", text.casefold()))
    for match in _SITE.finditer(rest):
        yield f"site:{match.group(1).rstrip('.,;:!?/')}"
    rest = _SITE.sub(" ", rest)
    for pattern in (_REFERENCE, _GROUPS):
        for match in pattern.finditer(rest):
            yield from _reference(match.group())


def _written_apart(text: str) -> Iterator[list[str]]:
    """Return the parts of what may be one code, though there are spaces or a dot in it.

    A part has a digit or a few capitals; a few small letters begin one if a digit follows.
    """
    parts: list[str] = []
    end = -1
    for match in _PART.finditer(text):
        part, near = match.group(), match.start() == end + 1 and text[end] in _BETWEEN
        digits = not part.isalpha()
        if parts and not (near and len(parts) < _MOST_PARTS and _goes_on(parts, part)):
            yield from _whole(parts)
            parts = []
        if parts or digits or _begins(part, text[match.end() : match.end() + 1]):
            parts.append(part)
        end = match.end()
    yield from _whole(parts)


def _begins(part: str, after: str) -> bool:
    short = len(part) <= (_CAPITALS if part.isupper() else _SMALL)
    return short and (after != " " or part.casefold() not in _NO_PART)


def _goes_on(parts: list[str], part: str) -> bool:
    """Say whether a part belongs to those before it: it has a digit, or capitals after one."""
    if not part.isalpha():
        return True
    short = len(part) == 1 or (len(part) <= _CAPITALS and part.casefold() not in _NO_PART)
    return short and part.isupper() and any(not one.isalpha() for one in parts)


def _whole(parts: list[str]) -> Iterator[list[str]]:
    whole = "".join(parts).casefold()
    if len(parts) > 1 and not whole.isdecimal() and not _MEASURE.fullmatch(whole):
        yield parts


def _reference(said: str) -> Iterator[str]:
    if said.isalpha():
        return
    plain = re.sub(r"[^a-z0-9]", "", said)
    if not any(char.isdigit() for char in plain) or _LIKE_A_DATE.fullmatch(said):
        return
    if _YEARS.fullmatch(said):
        return
    least = _SHORTEST_NUMBER if plain.isdecimal() else _SHORTEST_REFERENCE
    if least <= len(plain) <= _LONGEST_REFERENCE and not _MEASURE.fullmatch(said):
        yield f"ref:{plain}"


def _numbered(text: str) -> Iterator[str]:
    for match in _ORDER.finditer(text):
        yield f"order:{match.group(1).strip('-')}"
    for match in _CODE.finditer(text):
        yield from _code(match.group())
    for match in _ISSUE.finditer(text):
        yield f"issue:{match.group(1)}"
    for match in _PHONE.finditer(text):
        yield from _phone(match)
    for match in _GROUPED_PHONE.finditer(text):
        yield f"phone:+86{''.join(match.groups())}"
    for match in _IP.finditer(text):
        yield f"ip:{match.group()}"
    for pattern in (_PORT, _PORT_BEFORE, _HOST_PORT):
        for match in pattern.finditer(text):
            port = int(match.group(match.lastindex or 1))
            if 0 < port <= _LARGEST_PORT:
                yield f"port:{port}"


def _code(said: str) -> Iterator[str]:
    """Return the code as it is written, and with or without the dash: memories have either."""
    yield f"code:{said}"
    letters, digits = said.rstrip("0123456789"), said.lstrip("abcdefghijklmnopqrstuvwxyz-")
    yield f"code:{letters.rstrip('-')}{'' if letters.endswith('-') else '-'}{digits}"


def _measured(text: str) -> Iterator[str]:
    for match in _VERSION.finditer(text):
        yield f"version:{match.group(match.lastindex or 1)}"
    for match in _DATE.finditer(text):
        year, month, day = (int(part) for part in match.groups())
        if 1 <= month <= _LAST_MONTH and 1 <= day <= _LAST_DAY:
            yield f"date:{year:04d}-{month:02d}-{day:02d}"
    for match in _AMOUNT.finditer(text):
        yield _amount(match)


def _phone(match: re.Match[str]) -> Iterator[str]:
    if match.group(2):
        yield f"phone:+86{match.group(2)}"
        return
    digits = re.sub(r"\D", "", match.group(1))
    if len(digits) >= _SHORTEST_PHONE:
        yield f"phone:+{digits}"


def _amount(match: re.Match[str]) -> str:
    digits = (match["before"] or match["after"]).replace(",", "")
    unit = (match["sign"] or match["unit"]).strip()
    currency = _CURRENCY.get(unit) or _CURRENCY[unit.removesuffix("s")]
    if scale := _SCALE.get(match["scale"] or ""):
        digits = str(round(float(digits) * scale))
    whole, _, fraction = digits.partition(".")
    fraction = fraction.rstrip("0")
    whole = whole.lstrip("0") or "0"
    return f"amount:{currency}:{whole}.{fraction}" if fraction else f"amount:{currency}:{whole}"
