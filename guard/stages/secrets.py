"""Finds credentials, card numbers, national ids, accounts and contact data (W6).

Token formats come from detect-secrets, checksums from python-stdnum, telephone numbers from
phonenumbers; patterns of our own only where none of them has one. There is no entropy test: in
memories it takes order numbers, hashes and host names for keys.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector
from stdnum import iban, luhn
from stdnum.br import cpf
from stdnum.cn import ric
from stdnum.it import codicefiscale
from stdnum.us import ssn

from guard.nouns import Draft, View
from guard.stages.contact_rules import NUMBER_LABEL
from guard.stages.contacts import CONTACT, CORRESPONDENT, contacts, correspondents
from guard.views import span_of
from policies.model import Finding, Severity, Span

NAME: Final = "secrets"

# The detectors' `denylist` is used and not `analyze_string`: that returns capture groups and no
# positions. Only detectors whose patterns are bounded are taken; the rest are below.
_TOKENS: Final = tuple(
    pattern
    for detector in (
        AWSKeyDetector,
        AzureStorageKeyDetector,
        DiscordBotTokenDetector,
        GitHubTokenDetector,
        GitLabTokenDetector,
        MailchimpDetector,
        PypiTokenDetector,
        SendGridDetector,
        SlackDetector,
        SquareOAuthDetector,
        StripeDetector,
        TelegramBotTokenDetector,
        TwilioKeyDetector,
    )
    for pattern in detector.denylist
)
_OWN_TOKENS: Final = (
    re.compile(
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]{0,8000}-----END [A"
        r"-Z0-9 ]{0,60}-----)?"
    ),
    re.compile(
        r"(?a:\b)eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,4000}(?:\.[A-Za-z0-9_-]{0,2000})?"
    ),
    re.compile(r"(?a:\b)sk-[A-Za-z0-9_-]{20,200}(?a:\b)"),
    re.compile(r"(?a:\b)github_pat_[A-Za-z0-9_]{22,120}(?a:\b)"),
    re.compile(r"(?a:\b)npm_[A-Za-z0-9]{36}(?a:\b)"),
    re.compile(r"(?a:\b)hf_[A-Za-z0-9]{30,60}(?a:\b)"),
    re.compile(r"(?a:\b)AIza[0-9A-Za-z_-]{35}"),
    re.compile(r"(?a:\b)LTAI[0-9A-Za-z]{12,20}(?a:\b)"),
    re.compile(r"(?a:\b)AKID[0-9A-Za-z]{32}(?a:\b)"),
    re.compile(r"(?i:\bbearer)\s{1,3}([A-Za-z0-9._~+/=-]{20,2000})"),
    re.compile(r"(?a:\b)[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,100}:([^\s/@]{1,200})@"),
)
_LABEL = (
    r"(?i:(?<![a-z])(?:password|passwd|passphrase|passcode|pwd|api[ _-]?key|"
    r"secret(?:[ _-]?(?:access)?[ _-]?key)?|"
    r"access[ _-]?(?:key|token)|auth[ _-]?token|client[ _-]?secret|private[ _-]?key|credentials?|"
    r"token)"
    r"(?![a-z])|密码|口令|密钥|秘钥|令牌|访问凭证)"
)
_ASSIGNED = re.compile(
    _LABEL + r"['\"`]?\s{0,3}(?::=|[:=：]|=>)\s{0,3}['\"`“]?([^\s'\"`“”，。；,;]{4,200})"
)
_STATED = re.compile(
    _LABEL + r"\s{0,3}(?i:is now|is|was|are|为|是|改成了?|改为|设为|设置为|"
    r"变成了?)\s{0,3}[:：]?\s?['\"`“]?([^\s'\"`“”，。；,;]{4,200})"
)
_CODE = re.compile(
    r"(?ai:\b(?:pin|cvv2?|cvc|otp|verification code|one[ -]time (?:code|password)|"
    r"security code)\b|验证码|安全码|动态码|支付密码|取款密码|交易密码|银行卡密码)"
    r"\s{0,3}(?i:is|:|=|：|为|是)?\s{0,3}[:：]?\s?(\d{3,8})(?!\d)"
)
_PLACEHOLDER = re.compile(
    r"^(?:[*x•.\-_#?]+|<.*>|\[.*\]|\{.*\}|\$\{?\w+\}?|%\w+%|your[_-].*|example.*|redacted|none|"
    r"null|true|false|"
    r"required|optional|changed?|reset|expired|invalid|wrong|incorrect|missing|forgotten|hidden|"
    r"protected|stored)$",
    re.IGNORECASE,
)
_PLACE = re.compile(r"https?://|[\w.+-]+@[\w-]+\.")
_CODE_NAME = re.compile(
    # A name with members, a call or an index, a constant, a variable of a shell, a tag, a colour.
    r"^(?:[A-Za-z_$]+(?:\.[A-Za-z_$]+)+(?:[(\[][\w.,$]*[)\]]*)?"
    r"|[A-Za-z_$][\w$]*[(\[][\w.,$]*[)\]]*|[A-Za-z_]+_(?:file|path|env|name|key|id|url|var|hash|field|header)"
    # … a path, or a member of a module.
    r"|(?:/[\w.-]{1,16})+/?(?::\w{1,8})?|(?:[\w.-]{1,16}/)+[\w-]{1,24}\.[a-z]{2,4}\d?|[A-Za-z_]+(?:::[\w<>]+)+(?:[(][\w.,$]*[)]*)?|\$.*|<.*|#[0-9A-Fa-f]{3,8})$",
    re.IGNORECASE,
)

_CARD = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d])")
_RIC = re.compile(r"(?<![0-9A-Za-z])\d{17}[\dXx](?![0-9A-Za-z])")
_SSN = re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")
_CPF = re.compile(r"(?<![\d.])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)")
_FISCALE = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z]{6}\d{2}[A-Za-z]\d{2}[A-Za-z]\d{3}[A-Za-z](?![A-Za-z0-9])"
)
_HKID = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{1,2}\d{6}[(（][0-9Aa][)）]")
_LABELLED_ID = re.compile(
    r"(?i:(?<![a-z])(?:passport|driv(?:er|ing)(?:['’]?s)? licen[cs]e|national id(?:entity)?|"
    r"identity card|id card|social security|national insurance|tax(?:payer)? id|"
    r"residence permit|aadhaar|visa)(?![a-z])|"
    r"护照|驾驶证|驾照|通行证|台胞证|回乡证|居留证|社保号?|税号|签证)"
    r"(?i:\s|no\.?|number|num|nr\.?|id|card|is|was|:|：|#|=|号码?|编号|证|为|是|的){0,10}"
    r"(?<![A-Za-z0-9])(?!\d{4}-\d\d?-\d)([A-Za-z]{0,3}\d[A-Za-z0-9-]{5,17})(?![A-Za-z0-9])"
)
"""No checksum is known of these, so that only the label tells them."""
_DIGITS_OF_ID: Final = 5
_IBAN = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,3})"
    r"?(?![A-Za-z0-9])"
)
_BRANDS: Final[Mapping[str, frozenset[int]]] = {
    "4": frozenset({13, 16, 19}),
    "5": frozenset({16}),
    "2": frozenset({16}),
    "34": frozenset({15}),
    "37": frozenset({15}),
    "35": frozenset({16}),
    "6": frozenset({16, 17, 18, 19}),
}
_NEAR: Final = 24
_DIGIT = re.compile(r"\d")

_SEVERITY: Final[Mapping[str, Severity]] = {
    "credential": Severity.HIGH,
    "card": Severity.HIGH,
    "national_id": Severity.HIGH,
    "account": Severity.MEDIUM,
    CONTACT: Severity.LOW,
    "public_contact": Severity.INFO,
    CORRESPONDENT: Severity.INFO,
}


def inspect(_draft: Draft, views: Sequence[View]) -> tuple[Finding, ...]:
    """Return one finding per kind, with the span of every occurrence so that all can be cut."""
    return found_in(views)


def found_in(views: Sequence[View]) -> tuple[Finding, ...]:
    """Return the same of the readings of any text, the text itself first."""
    found: dict[str, tuple[str, set[Span]]] = {}
    for view in views:
        # Leet reading turns digits into letters: there is nothing left to find.
        if view.name.endswith("skeleton"):
            continue
        for code, start, end in _occurrences(view):
            _, spans = found.setdefault(code, (view.name, set()))
            spans.add(span_of(view, start, end))
    _tell_correspondents(views[0].text, found)
    return tuple(
        Finding(
            NAME, code, severity, found[code][0], spans=tuple(sorted(found[code][1], key=_place))
        )
        for code, severity in _SEVERITY.items()
        if code in found
    )


def _tell_correspondents(original: str, found: dict[str, tuple[str, set[Span]]]) -> None:
    """Set apart from other contacts those of who writes a letter and who is written to."""
    if CONTACT not in found:
        return
    view, spans = found.pop(CONTACT)
    theirs = correspondents(original, sorted(spans, key=_place))
    for code, some in ((CONTACT, spans - theirs), (CORRESPONDENT, theirs)):
        if some:
            found[code] = (view, some)


def _place(span: Span) -> tuple[int, int]:
    return span.start, span.end


def _occurrences(view: View) -> Iterator[tuple[str, int, int]]:
    text = view.text
    yield from _credentials(text)
    if _DIGIT.search(text) is not None:
        yield from _codes(text)
        yield from _numbers(text)
    yield from contacts(text)


_EVERY_TOKEN: Final = (*_TOKENS, *_OWN_TOKENS)


_RUN: Final = 16
"""Signs that the shortest token has side by side, but for those that `_may_be_token` names."""
_RUNS: Final = re.compile(rf"[!-~\d]{{{_RUN}}}")
_LABELS: Final = (
    "pass",
    "pwd",
    "key",
    "secret",
    "token",
    "cred",
    "密",
    "口令",
    "钥",
    "令牌",
    "凭证",
)
"""A part of each alternative of `_LABEL`. None has an i, whose case is not folded alike by all."""


def _may_be_token(text: str, folded: str) -> bool:
    """Say whether `_EVERY_TOKEN` may find anything: it has no token that is not one of these."""
    if "://" in text or "-----BEGIN" in text or "xox" in folded:
        return True
    if text.isascii() and max(map(len, text.split()), default=0) < _RUN:
        return False
    return _RUNS.search(text) is not None


def _credentials(text: str) -> Iterator[tuple[str, int, int]]:
    folded = text.casefold()
    for pattern in _EVERY_TOKEN if _may_be_token(text, folded) else ():
        for match in pattern.finditer(text):
            group = 1 if pattern in _OWN_TOKENS and pattern.groups else 0
            yield "credential", match.start(group), match.end(group)
    if not any(label in folded for label in _LABELS):
        return
    for match in _ASSIGNED.finditer(text):
        if _is_secret(match.group(1), assigned=True):
            yield "credential", match.start(1), match.end(1)
    for match in _STATED.finditer(text):
        if _is_secret(match.group(1), assigned=False):
            yield "credential", match.start(1), match.end(1)


def _codes(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _CODE.finditer(text):
        yield "credential", match.start(1), match.end(1)


def _is_secret(value: str, *, assigned: bool) -> bool:
    """Whether what follows a label can be the secret and is not a word about it."""
    value = value.rstrip(".!?)")
    if len(value) < 4:  # noqa: PLR2004
        return False
    if _PLACEHOLDER.match(value) or _PLACE.match(value) or _CODE_NAME.match(value):
        return False
    ascii_value = value.isascii()
    mixed = any(c.isdigit() for c in value) or any(
        not c.isalnum() and c not in ".-'" for c in value
    )
    inner_case = value[1:].lower() != value[1:] and not value.isupper()
    return ascii_value and (mixed or inner_case or (assigned and len(value) >= 8))  # noqa: PLR2004


def _numbers(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"[ -]", "", match.group())
        if _is_card(digits) and not NUMBER_LABEL.search(
            text[max(0, match.start() - _NEAR) : match.start()]
        ):
            yield "card", match.start(), match.end()
    for code, pattern, fits in _CHECKED:
        for match in pattern.finditer(text):
            if fits(match.group()):
                yield code, match.start(), match.end()
    for match in _LABELLED_ID.finditer(text):
        if sum(c.isdigit() for c in match.group(1)) >= _DIGITS_OF_ID:
            yield "national_id", match.start(1), match.end(1)


def _is_hkid(text: str) -> bool:
    """Return whether the check digit of a Hong Kong identity card fits (weights 9 down to 1)."""
    signs = [c for c in text.upper() if c.isalnum()]
    values = [int(c, 36) for c in signs[:-1]]
    # A card with one letter counts a space before it, at 36.
    values = values if len(values) > 7 else [36, *values]  # noqa: PLR2004
    total = sum(value * weight for value, weight in zip(values, range(9, 1, -1), strict=True))
    return (total + int(signs[-1], 16)) % 11 == 0


_CHECKED: Final[tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...]] = (
    ("national_id", _RIC, ric.is_valid),
    ("national_id", _SSN, ssn.is_valid),
    ("national_id", _CPF, cpf.is_valid),
    ("national_id", _FISCALE, codicefiscale.is_valid),
    ("national_id", _HKID, _is_hkid),
    ("account", _IBAN, iban.is_valid),
)
"""Numbers that carry a checksum, and who knows it."""


def _is_card(digits: str) -> bool:
    lengths = _BRANDS.get(digits[:2]) or _BRANDS.get(digits[:1])
    return lengths is not None and len(digits) in lengths and luhn.is_valid(digits)
