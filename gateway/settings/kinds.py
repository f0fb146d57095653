"""The kinds of values that settings have, and what is refused as one."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Never

import msgspec
from msgspec import Meta

MAX_TEXT_CHARS: Final = 32_768
"""Above this no configuration goes: one memory is a statement, not a document."""
DEVELOPMENT_ISSUER: Final = "urn:memguard:development"
DEVELOPMENT_AUDIENCE: Final = "memguard"

Name = Annotated[
    str, Meta(min_length=1, max_length=255, pattern="\\A[^\\x00-\\x1f\\x7f\\ud800-\\udfff]+\\Z")
]
"""What a tenant, subject or client may be called."""
Words = tuple[Annotated[str, Meta(min_length=1, max_length=512)], ...]
ClaimName = Annotated[str, Meta(min_length=1, max_length=64)]
Units = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Cost = Annotated[int, Meta(ge=1, le=1000)]
RedisUrl = Annotated[str, Meta(max_length=512, pattern=r"\A(rediss?://[^\s@]+|unix:///[^\s@]+)\Z")]
Url = Annotated[str, Meta(max_length=512, pattern=r"\Ahttps?://[^\s/?#]+(/[^\s?#]*)?\Z")]


class SettingsError(Exception):
    """The configuration can't be used. Names the field, never a secret's value."""


class Mode(StrEnum):
    """How much the gateway may do by itself. `production` generates and registers nothing."""

    DEVELOPMENT = "development"
    PRODUCTION = "production"


class LogLevel(StrEnum):
    """Least severity that is logged. `debug` lets libraries log payloads: development only."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class IndexKind(StrEnum):
    """What searches: an engine in this machine's worker processes, or a Qdrant server."""

    EMBEDDED = "embedded"
    SERVER = "server"


class IndexPlacement(StrEnum):
    """Whether tenants have collections of their own on a server."""

    PER_TENANT = "per-tenant"
    SHARED = "shared"


class IndexCredential(StrEnum):
    """What a server is shown: its key, or tokens for one collection that the key has signed."""

    API_KEY = "api-key"
    TOKENS = "collection-tokens"


class Algorithm(StrEnum):
    """Signature algorithms a key may be bound to."""

    EDDSA = "EdDSA"
    ES256 = "ES256"
    RS256 = "RS256"
    HS256 = "HS256"


class ForwardedHeader(StrEnum):
    """Where a proxy writes down for whom it asks."""

    X_FORWARDED_FOR = "x-forwarded-for"
    FORWARDED = "forwarded"


class Secret:
    """A string that does not show itself: not in repr, logs, comparisons by eye, or pickles."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the value: call it only where the value is used."""
        return self._value

    def __repr__(self) -> str:
        """Say that there is a secret, and nothing about it."""
        return "Secret(…)"

    def __reduce__(self) -> Never:
        """Refuse: a pickled secret is a secret on disk."""
        raise TypeError("a secret is not serialised")


class AnswerFormat(StrEnum):
    """How a judge's endpoint is asked for the fixed form; what it says is checked in any case."""

    JSON_SCHEMA = "json-schema"
    JSON_OBJECT = "json-object"
    TEXT = "text"


Part = Annotated[float, Meta(gt=0, le=1)]
HalfLife = Annotated[float, Meta(ge=1, le=3650)]


CHAT_FIELDS: Final = ("url", "model", "api_key", "api_key_file", "ca_file", "format")
"""What a section says of a language model, each behind the model's own name."""


class ChatModel(msgspec.Struct, frozen=True):
    """A language model at an endpoint, as a section names it; `key_setting` is the file's name."""

    url: str
    model: str
    key: Secret | None
    key_file: Path | None
    key_setting: str
    ca_file: Path | None
    format: AnswerFormat
    seconds: float


def chat_model(
    section: msgspec.Struct, whom: str, seconds: float, key_setting: str
) -> ChatModel | None:
    """Return the model that a section's fields `<whom>_url` and so on name; None for none."""
    url, model, key, key_file, ca_file, form = (
        getattr(section, f"{whom}_{field}") for field in CHAT_FIELDS
    )
    if url is None or model is None:
        return None
    return ChatModel(url, model, key, key_file, key_setting, ca_file, form, seconds)
