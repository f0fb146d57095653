"""A language model at an OpenAI-compatible endpoint. What it is asked about leaves the process.

The endpoint's operator reads every text that is sent, so this is never a default. Nothing that it
answers is believed here but its form: one choice, one message, ended by itself.
"""

import hashlib
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import httpx2
import msgspec

from guard.detectors.judge import NoVerdictError, Reason, Verdict
from guard.models.calling import connected, read_up_to
from guard.models.vectors import readable
from memory.claims import Polarity

_OK: Final = 200
_MAX_BYTES: Final = 65_536
"""Far above the fixed answer with whatever an endpoint says beside it."""
_VERDICT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": [one.value for one in Verdict]},
        "confidence": {"type": "number"},
        "reason_code": {"type": "string", "enum": [one.value for one in Reason]},
    },
    "required": ["verdict", "confidence", "reason_code"],
    "additionalProperties": False,
}
_QUESTION: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}

_CLAIM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "subject": {"type": "string"},
        "attribute": {"type": "string"},
        "value": {"type": "string"},
        "polarity": {"type": "string", "enum": [one.value for one in Polarity]},
        "list": {"type": "boolean"},
    },
    "required": ["subject", "attribute", "value", "polarity", "list"],
    "additionalProperties": False,
}
_CLAIMS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"claims": {"type": "array", "items": _CLAIM}},
    "required": ["claims"],
    "additionalProperties": False,
}


_ORDER: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"order": {"type": "array", "items": {"type": "integer"}}},
    "required": ["order"],
    "additionalProperties": False,
}


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """The one answer that is asked for.

    `schema` is JSON Schema, in what all endpoints that take schemas understand; `tokens` about
    twice what the answer takes; `section` begins the settings that name the endpoint.
    """

    name: str
    schema: dict[str, Any]
    tokens: int
    section: str


VERDICT: Final = Form(name="verdict", schema=_VERDICT, tokens=120, section="screening.judge_")
QUESTION: Final = Form(name="question", schema=_QUESTION, tokens=300, section="recall.rewrite_")
ORDER: Final = Form(name="order", schema=_ORDER, tokens=200, section="recall.order_")
CLAIMS: Final = Form(name="claims", schema=_CLAIMS, tokens=1_000, section="relate.extract_")


class Format(StrEnum):
    """How the endpoint is asked for the fixed form, which is checked here in any case."""

    SCHEMA = "json-schema"
    OBJECT = "json-object"
    TEXT = "text"


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where the model answers, and how it is asked.

    `url` is what `/chat/completions` is appended to. `key` returns the API key when it is called,
    so that nothing else holds it. `deadline` is for one question, in seconds.
    """

    url: str
    model: str
    key: Callable[[], str] | None = None
    ca_file: Path | None = None
    format: Format = Format.SCHEMA
    deadline: float = 10.0


class _Message(msgspec.Struct, frozen=True):
    content: str


class _Choice(msgspec.Struct, frozen=True):
    message: _Message
    finish_reason: str


class _Completion(msgspec.Struct, frozen=True):
    choices: Annotated[tuple[_Choice, ...], msgspec.Meta(min_length=1, max_length=1)]


class ChatEndpoint:
    """Fulfils `guard.detectors.judge.Chat`. Asks once: a write waits for it, or a question."""

    def __init__(self, endpoint: Endpoint, form: Form = VERDICT) -> None:
        self._endpoint, self._form = endpoint, form
        self._client = connected(endpoint.url, endpoint.ca_file, endpoint.deadline, form.section)

    @property
    def version(self) -> str:
        """The model's name, as far as the endpoint's operator keeps it to one model."""
        whole = hashlib.sha256(f"{self._endpoint.model}\0{self._endpoint.format}".encode())
        return f"{self._endpoint.model[:16]}-{whole.hexdigest()[:8]}"

    async def ask(self, system: str, message: str) -> str:
        """Return what the model says. Raises UnavailableError, which quotes nothing."""
        headers = {"Content-Type": "application/json"}
        if self._endpoint.key is not None:
            headers["Authorization"] = f"Bearer {self._endpoint.key()}"
        url = self._endpoint.url.rstrip("/") + "/chat/completions"
        body = msgspec.json.encode(self._body(system, readable(message)))
        try:
            async with self._client.stream("POST", url, content=body, headers=headers) as response:
                if response.status_code != _OK:
                    raise NoVerdictError(f"the endpoint answers {response.status_code}")
                raw = await read_up_to(response, _MAX_BYTES)
        except httpx2.HTTPError as error:
            raise NoVerdictError(type(error).__name__) from None
        return _said(raw)

    async def close(self) -> None:
        """Close the connections. Idempotent."""
        await self._client.aclose()

    def _body(self, system: str, message: str) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._endpoint.model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": message},
            ],
            "temperature": 0,
            "max_tokens": self._form.tokens,
            "stream": False,
        }
        match self._endpoint.format:
            case Format.SCHEMA:
                form = {"name": self._form.name, "strict": True, "schema": self._form.schema}
                body["response_format"] = {"type": "json_schema", "json_schema": form}
            case Format.OBJECT:
                body["response_format"] = {"type": "json_object"}
            case Format.TEXT:
                pass
        return body


def _said(raw: bytes | None) -> str:
    """Return what the one choice says, when it came to its end by itself."""
    try:
        (choice,) = msgspec.json.decode(raw or b"", type=_Completion).choices
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise NoVerdictError("the endpoint's answer is no single choice") from None
    if choice.finish_reason != "stop":
        raise NoVerdictError("the answer was cut off")
    return choice.message.content.strip()
