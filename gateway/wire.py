"""What callers send: bounded, typed, nothing unknown.

REST bodies, query strings and MCP tool arguments are parsed by the same structs, so no edge is
looser than another. Errors name the field and never repeat what was in it.
"""

import re
import zoneinfo
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta, field

from gateway.settings import MAX_TEXT_CHARS
from guard.amend import Amendment
from guard.docket import Search
from guard.errors import InvalidError, NotFoundError
from guard.nouns import Draft
from guard.outcomes import Query
from guard.ports import Filter, Order
from guard.reveal import Ground
from memory.origin import Hint, OriginClass
from memory.types import (
    KIND_OF_TRIGGER,
    ClientId,
    Kind,
    Layer,
    MemoryId,
    Role,
    SessionId,
    State,
    SubjectId,
    Trigger,
    Turn,
)

T = TypeVar("T", bound=msgspec.Struct)

_UUID: Final = re.compile(r"\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_NUL_OR_SURROGATE: Final = re.compile("[\\x00\\ud800-\\udfff]")
_CONTROL: Final = re.compile("[\\x00-\\x1f\\x7f\\ud800-\\udfff]")
_FIELD_NAME: Final = re.compile(r"\A[A-Za-z_][A-Za-z0-9_]{0,39}\Z")

Text = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT_CHARS)]
Word = Annotated[str, Meta(min_length=1, max_length=128)]
IndexedLayer = Literal["episodic", "semantic"]
Id = Annotated[str, Meta(min_length=36, max_length=36, description="Id of a memory, a UUID.")]
Instant = Annotated[datetime, Meta(tz=True)]


Metadata = Annotated[
    dict[Annotated[str, Meta(min_length=1, max_length=64)], Annotated[str, Meta(max_length=512)]],
    Meta(max_length=16, description="Up to 16 short labels of your own; sealed like the text."),
]

OnceKey = Annotated[
    Annotated[str, Meta(pattern="^[!-~]{1,255}$")] | None,
    Meta(
        description="A key of your own for this one call. When you repeat the call because you "
        "do not know whether it was heard, send the same key: it is stored once."
    ),
]


class OriginHint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the content came from, as the caller says. It can lower trust and never raise it."""

    class_: Annotated[
        OriginClass | None,
        Meta(
            description="Kind of source. Use `web`, `document` or `tool_output` for content that "
            "was read somewhere, `agent_inferred` for own conclusions, `agent_relayed` for what "
            "the user said."
        ),
    ] = field(name="class", default=None)
    reference: Annotated[
        Annotated[str, Meta(min_length=1, max_length=2048)] | None,
        Meta(description="Where exactly: a URL, a file name, a tool's name."),
    ] = None
    parents: Annotated[
        tuple[Id, ...],
        Meta(max_length=32, description="Ids of the memories this one was derived from."),
    ] = ()


_Occasion = Annotated[
    Trigger | None,
    Meta(
        description="What made you write: `task_finished`, `key_information` that the user gave, "
        "`session_end` (also after ten idle minutes), `tool_failure`, or `user_correction`, which "
        "counts for more."
    ),
]


class StoreMemory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing to remember."""

    text: Annotated[
        Text,
        Meta(
            description="One self-contained statement, in the user's language, e.g. 'Prefers aisle "
            "seats on flights' or '以后都用顺丰发货'."
        ),
    ]
    layer: Annotated[
        IndexedLayer | None,
        Meta(description="`semantic` for lasting facts and preferences, `episodic` for events."),
    ] = None
    kind: Annotated[Kind | None, Meta(description="What the memory is good for.")] = None
    importance: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None, Meta(description="0 to 1; higher ranks higher.")
    ] = None
    ttl_days: Annotated[
        Annotated[int, Meta(ge=1, le=3650)] | None, Meta(description="Days until it expires.")
    ] = None
    entities: Annotated[
        tuple[Word, ...],
        Meta(max_length=32, description="Names, order numbers, codes that it is about."),
    ] = ()
    session_id: Annotated[
        Word | None,
        Meta(description="The conversation that it came up in, as the application calls it."),
    ] = None
    occurred_at: Annotated[
        Instant | None,
        Meta(description="When it was so: RFC 3339 with an offset, not in the future."),
    ] = None
    origin: Annotated[OriginHint | None, Meta(description="Where the content came from.")] = None
    metadata: Metadata = {}
    trigger: _Occasion = None

    def __post_init__(self) -> None:
        """Refuse text that is no text."""
        require_text("text", self.text)
        _require_line("entities", self.entities)
        _require_line("session_id", [self.session_id])
        _require_line("origin.reference", [self.origin.reference] if self.origin else [])
        _require_metadata(self.metadata)

    def draft(self, *, now: datetime, leeway_seconds: int, max_text_chars: int) -> Draft:
        """Return the draft, or raise InvalidError for what only the configuration or clock tell."""
        if len(self.text) > max_text_chars:
            raise InvalidError(f"text: at most {max_text_chars} characters")
        occurred_at = _past("occurred_at", self.occurred_at, now, leeway_seconds)
        return Draft(
            text=self.text,
            layer=Layer(self.layer) if self.layer is not None else None,
            kind=self.kind or (KIND_OF_TRIGGER.get(self.trigger) if self.trigger else None),
            importance=self.importance,
            ttl_days=self.ttl_days,
            entities=self.entities,
            session=SessionId(self.session_id) if self.session_id is not None else None,
            occurred_at=occurred_at,
            hint=_hint(self.origin),
            metadata=self.metadata,
            trigger=self.trigger,
        )


class AmendMemory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is to be otherwise in a memory. What is left out stays, but with a new `text` nothing
    stays of entities, metadata, time and origin: they belong to the old one.
    """

    text: Annotated[
        Text | None,
        Meta(description="The statement as it is now, whole: it replaces the old one."),
    ] = None
    layer: Annotated[
        IndexedLayer | None,
        Meta(description="`semantic` for lasting facts and preferences, `episodic` for events."),
    ] = None
    kind: Annotated[Kind | None, Meta(description="What the memory is good for.")] = None
    importance: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None, Meta(description="0 to 1; higher ranks higher.")
    ] = None
    ttl_days: Annotated[
        Annotated[int, Meta(ge=1, le=3650)] | None, Meta(description="Days until it expires.")
    ] = None
    entities: Annotated[
        Annotated[tuple[Word, ...], Meta(max_length=32)] | None,
        Meta(description="Names, order numbers, codes that it is about."),
    ] = None
    occurred_at: Annotated[
        Instant | None,
        Meta(description="When it was so: RFC 3339 with an offset, not in the future."),
    ] = None
    origin: Annotated[
        OriginHint | None, Meta(description="Where a new text came from; only together with one.")
    ] = None
    metadata: Annotated[
        Metadata | None,
        Meta(description="Up to 16 short labels of your own; sealed like the text."),
    ] = None
    trigger: _Occasion = None

    def __post_init__(self) -> None:
        """Refuse text that is no text, and a change of nothing."""
        changing = [name for name in AmendMemory.__struct_fields__ if name != "trigger"]
        given = [name for name in changing if getattr(self, name) is not None]
        _require(bool(given), "nothing to change")
        _require(self.origin is None or self.text is not None, "origin: only with a new text")
        if self.text is not None:
            require_text("text", self.text)
        _require_line("entities", self.entities or ())
        _require_line("origin.reference", [self.origin.reference] if self.origin else [])
        _require_metadata(self.metadata or {})

    def amendment(self, *, now: datetime, leeway_seconds: int, max_text_chars: int) -> Amendment:
        """Return the change, or raise InvalidError for what only settings or clock tell."""
        if self.text is not None and len(self.text) > max_text_chars:
            raise InvalidError(f"text: at most {max_text_chars} characters")
        return Amendment(
            text=self.text,
            layer=Layer(self.layer) if self.layer is not None else None,
            kind=self.kind,
            importance=self.importance,
            ttl_days=self.ttl_days,
            entities=self.entities,
            occurred_at=_past("occurred_at", self.occurred_at, now, leeway_seconds),
            metadata=self.metadata,
            hint=_hint(self.origin),
            trigger=self.trigger,
        )


class StoreMemoryOnce(StoreMemory, frozen=True, forbid_unknown_fields=True):
    """One thing to remember, where no header can carry the key: as the arguments of a tool."""

    idempotency_key: OnceKey = None


class TurnBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One turn of a conversation."""

    role: Annotated[
        Role,
        Meta(description="Who speaks. Only what the user himself wrote or said is `user`."),
    ]
    text: Annotated[Text, Meta(description="What was said, word for word.")]

    def __post_init__(self) -> None:
        """Refuse text that is no text."""
        require_text("text", self.text)


class PostTurns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was said in a session, oldest first."""

    turns: Annotated[tuple[TurnBody, ...], Meta(min_length=1, max_length=32)]

    def said(self, *, max_text_chars: int) -> tuple[Turn, ...]:
        """Return the turns, or raise InvalidError for what only the configuration tells."""
        if any(len(one.text) > max_text_chars for one in self.turns):
            raise InvalidError(f"turns: at most {max_text_chars} characters each")
        return tuple(Turn(one.role, one.text) for one in self.turns)


class RecallMemory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question to memory."""

    query: Annotated[
        Text,
        Meta(
            description="What to look for, in plain words, e.g. 'seat preference' or '上周的订单'."
        ),
    ]
    k: Annotated[int, Meta(ge=1, le=50, description="At most how many memories to return.")] = 5
    layers: Annotated[
        tuple[IndexedLayer, ...],
        Meta(min_length=1, max_length=2, description="Which layers to search; both by default."),
    ] = ("episodic", "semantic")
    since: Annotated[
        Instant | None, Meta(description="Only what happened from then on (RFC 3339).")
    ] = None
    until: Annotated[
        Instant | None, Meta(description="Only what happened before then (RFC 3339).")
    ] = None
    time_zone: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=64,
            description="IANA name by which 'yesterday' or '上周' is read, e.g. 'Asia/Shanghai'.",
        ),
    ] = "UTC"
    reference_time: Annotated[
        Instant | None, Meta(description="The moment the question was asked; now by default.")
    ] = None
    window: Annotated[
        tuple[Annotated[str, Meta(max_length=4096)], ...],
        Meta(
            max_length=10, description="The previous turns, oldest first, to resolve 'it', '那个'."
        ),
    ] = ()
    as_of: Annotated[
        Instant | None,
        Meta(
            description="Answer by what was known at that moment (RFC 3339), superseded memories "
            "included; leave out for what holds now."
        ),
    ] = None
    session_id: Annotated[
        Word | None,
        Meta(
            description="The conversation that the question belongs to: without a window, what was "
            "said there resolves 'it', '那个'."
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse text that is no text and zones that are nowhere."""
        require_text("query", self.query)
        _require(len(set(self.layers)) == len(self.layers), "layers: each at most once")
        _require_line("session_id", [self.session_id])
        for turn in self.window:
            _require(not _NUL_OR_SURROGATE.search(turn), "window holds a forbidden character")
        try:
            zoneinfo.ZoneInfo(self.time_zone)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError("time_zone: not a name in the IANA database") from None

    def query_of(self, *, max_text_chars: int) -> Query:
        """Return the query, or raise InvalidError for what only the configuration tells."""
        if len(self.query) > max_text_chars:
            raise InvalidError(f"query: at most {max_text_chars} characters")
        since, until = _range(self.since, self.until)
        return Query(
            text=self.query,
            k=self.k,
            layers=tuple(Layer(layer) for layer in self.layers),
            since=since,
            until=until,
            time_zone=self.time_zone,
            reference_time=_utc("reference_time", self.reference_time),
            window=self.window,
            as_of=_utc("as_of", self.as_of),
            session=SessionId(self.session_id) if self.session_id is not None else None,
        )


class ForgetMode(StrEnum):
    """What becomes of a memory that is to be forgotten."""

    ERASE = "erase"
    FADE = "fade"


_Mode = Annotated[
    ForgetMode,
    Meta(
        description="`erase` removes it for good; `fade` keeps it and lets it count for half as "
        "much in recall, until it is stated again."
    ),
]


class HowToForget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is to become of the memory."""

    mode: _Mode = ForgetMode.ERASE


class AskWhyNot(RecallMemory, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A question, and a memory of which to say where it ended when the question is asked."""

    id: Id


class ForgetMemory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which memory to erase, or to let fade."""

    id: Id
    mode: _Mode = ForgetMode.ERASE


class ListMemories(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which memories to list, newest first."""

    cursor: Annotated[str, Meta(min_length=1, max_length=512)] | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 20
    state: Annotated[tuple[Literal["active", "held", "superseded"], ...], Meta(max_length=3)] = ()
    layer: Annotated[tuple[IndexedLayer, ...], Meta(max_length=2)] = ()
    kind: Annotated[tuple[Kind, ...], Meta(max_length=8)] = ()
    origin: Annotated[tuple[OriginClass, ...], Meta(max_length=10)] = ()
    since: Instant | None = None
    until: Instant | None = None

    def filter(self) -> Filter:
        """Return the filter; without a state only active memories are listed."""
        since, until = _range(self.since, self.until)
        return Filter(
            states=tuple(State(one) for one in self.state) or (State.ACTIVE,),
            layers=tuple(Layer(one) for one in self.layer),
            kinds=self.kind,
            origins=self.origin,
            since=since,
            until=until,
        )


class ListDoubts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which page of the memories in doubt to list, newest first."""

    cursor: Annotated[str, Meta(min_length=1, max_length=512)] | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 20


_Named = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=512)], ...], Meta(max_length=8)
]
_Reason = Annotated[str, Meta(pattern="^[a-z0-9_.-]{1,100}$")]


class ListHeld(ListDoubts, frozen=True, forbid_unknown_fields=True):
    """Which page of which part of the quarantine to list, and in which order."""

    state: Literal["held", "escalated"] = "held"
    sort: Order = Order.NEWEST
    origin: Annotated[tuple[OriginClass, ...], Meta(max_length=10)] = ()
    layer: Annotated[tuple[Layer, ...], Meta(max_length=3)] = ()
    client: _Named = ()
    subject: _Named = ()
    reference: _Named = ()
    session: _Named = ()
    reason: Annotated[tuple[_Reason, ...], Meta(max_length=8)] = ()
    since: Instant | None = None
    until: Instant | None = None

    def search(self) -> Search:
        """Return what of the queue is asked for."""
        since, until = _range(self.since, self.until)
        return Search(
            order=self.sort,
            origins=self.origin,
            layers=self.layer,
            clients=tuple(map(ClientId, self.client)),
            subjects=tuple(map(SubjectId, self.subject)),
            references=self.reference,
            sessions=self.session,
            reasons=self.reason,
            since=since,
            until=until,
            escalated=self.state == "escalated",
        )


class ListDossier(ListDoubts, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Whose active memories to list, newest first, and which page of them."""

    subject: Annotated[str, Meta(min_length=1, max_length=512)]

    def __post_init__(self) -> None:
        """Refuse a name that no subject has."""
        require_text("subject", self.subject)


class RevealHeld(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a reviewer wants to read a case: a ground for the audit, and a comment that is sealed."""

    ground: Ground
    comment: Annotated[str, Meta(min_length=1, max_length=1000)]

    def __post_init__(self) -> None:
        """Refuse a comment that says nothing."""
        require_text("comment", self.comment)


def from_json(body: bytes, kind: type[T]) -> T:
    """Return the struct in `body`, or raise InvalidError that says how to mend it."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise InvalidError(explain(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidError("the body is not valid JSON in UTF-8") from None


def from_arguments(arguments: Mapping[str, Any], kind: type[T]) -> T:
    """Return the struct in already decoded JSON, or raise InvalidError."""
    try:
        return msgspec.convert(arguments, kind)
    except msgspec.ValidationError as error:
        raise InvalidError(explain(str(error))) from None
    except RecursionError:
        raise InvalidError("nested too deeply") from None


def from_query(pairs: Iterable[tuple[str, str]], kind: type[T]) -> T:
    """Return the struct in a query string; a name that may not repeat and does is refused."""
    lists = {
        one.encode_name for one in msgspec.structs.fields(kind) if isinstance(one.default, tuple)
    }
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in lists:
            found.setdefault(name, []).append(value)
        elif name in found:
            raise InvalidError(f"{_named(name)}: given more than once")
        else:
            found[name] = value
    try:
        return msgspec.convert(found, kind, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidError(explain(str(error))) from None


def memory_id(value: str) -> MemoryId:
    """Return the id, or raise NotFoundError: what is no id is nobody's (E5)."""
    if not _UUID.match(value):
        raise NotFoundError
    return MemoryId(value)


def session_id(value: str) -> SessionId:
    """Return the session that a path names, or raise NotFoundError for what is no name of one."""
    try:
        _require_line("session", [msgspec.convert(value, Word)])
    except ValueError:
        raise NotFoundError from None
    return SessionId(value)


def explain(message: str) -> str:
    """Return a parser's message without anything that the sender put in.

    msgspec quotes unknown enum values and unknown field names. The first could be content; the
    second is kept only when it looks like a name, because a caller can't mend what is not named.
    """
    reason, _, path = message.partition(" - at ")
    where = path.replace("`", "").replace("$.", "").replace("$", "").strip()
    if reason.startswith("Invalid enum value"):
        reason = "not one of the allowed values"
    elif "unknown field" in reason:
        reason = f"unknown field {_named(reason.partition('`')[2].rstrip('`'))}"
    return f"{where}: {reason}" if where else reason


def _named(name: str) -> str:
    return name if _FIELD_NAME.match(name) else "(not a name)"


def _require(holds: bool, message: str) -> None:  # noqa: FBT001
    if not holds:
        raise ValueError(message)


def require_text(name: str, text: str) -> None:
    """Raise ValueError for what is no text: blank, or with characters that no text holds."""
    _require(not _NUL_OR_SURROGATE.search(text), f"{name} holds a forbidden character")
    _require(bool(text.strip()), f"{name} is blank")


def _require_line(name: str, values: Iterable[str | None]) -> None:
    for value in values:
        if value is not None:
            _require(not _CONTROL.search(value), f"{name} holds a control character")
            _require(bool(value.strip()), f"{name} is blank")


def _require_metadata(metadata: Mapping[str, str]) -> None:
    _require_line("metadata", metadata)
    for value in metadata.values():
        _require(not _NUL_OR_SURROGATE.search(value), "metadata holds a forbidden character")


def _past(name: str, value: datetime | None, now: datetime, leeway_seconds: int) -> datetime | None:
    at = _utc(name, value)
    if at is not None and at > now + timedelta(seconds=leeway_seconds):
        raise InvalidError(f"{name}: must not lie in the future")
    return at


def _utc(name: str, value: datetime | None) -> datetime | None:
    try:
        return value.astimezone(UTC) if value is not None else None
    except OverflowError:
        raise InvalidError(f"{name}: out of range") from None


def _range(
    since: datetime | None, until: datetime | None
) -> tuple[datetime | None, datetime | None]:
    start, end = _utc("since", since), _utc("until", until)
    if start is not None and end is not None and start > end:
        raise InvalidError("since: must not be later than until")
    return start, end


def _hint(origin: OriginHint | None) -> Hint:
    if origin is None:
        return Hint()
    if not all(_UUID.match(parent) for parent in origin.parents):
        raise InvalidError("origin.parents: not all are memories of yours")
    parents = tuple(MemoryId(parent) for parent in dict.fromkeys(origin.parents))
    return Hint(class_=origin.class_, reference=origin.reference, parents=parents)
