"""What the tools and the prompt take, where REST has no struct of just that shape.

Each leads to a struct or noun that REST makes, too, so no tool takes what its route refuses.
"""

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from gateway.wire import (
    AmendMemory,
    ForgetMemory,
    Id,
    IndexedLayer,
    Instant,
    ListMemories,
    OnceKey,
    OriginHint,
    RecallMemory,
    StoreMemoryOnce,
    Text,
    Word,
    require_text,
)
from memory.origin import OriginClass
from memory.types import Kind

MOST_LISTED: Final = 20
LEAST_TOKENS: Final = 600
"""One memory of the widest characters fits: a budget that holds none would look like no memory."""
MOST_TOKENS: Final = 4000

EXAMPLES: Final[dict[str, Any]] = {
    "text": "Prefers aisle seats on flights 以后都选靠过道的座位",
    "preference": "The user always flies aisle 以后都用顺丰发货",
    "query": "seat preference 座位偏好",
    "task": "Book the flight to Berlin on Friday 订周五去柏林的机票",
    "topic": "the move to Berlin 搬家",
    "question": "Which seat do I like? 我喜欢坐哪里？",
    "id": "0197b7a0-0000-7000-8000-000000000001",
    "mode": "fade",
    "k": 5,
    "limit": 10,
    "sentences": 5,
    "max_tokens": 1500,
    "importance": 0.8,
    "ttl_days": 30,
    "layer": "semantic",
    "layers": ["semantic"],
    "kind": "preference",
    "kinds": ["preference", "constraint"],
    "origins": ["user_stated", "agent_relayed"],
    "entities": ["SF123456"],
    "session_id": "chat-2026-11-30",
    "occurred_at": "2026-11-02T09:30:00+08:00",
    "since": "2026-11-01T00:00:00+08:00",
    "until": "2026-12-01T00:00:00+08:00",
    "as_of": "2026-11-15T00:00:00Z",
    "reference_time": "2026-11-30T12:00:00+08:00",
    "time_zone": "Asia/Shanghai",
    "window": ["Where does Ada live? 她住哪里？"],
    "origin": {"class": "agent_relayed"},
    "metadata": {"project": "move"},
    "trigger": "user_correction",
    "idempotency_key": "task-17-result",
    "cursor": "the `cursor` of the last answer",
}
"""One right value of every argument, for the error that tells how to repair a call."""

_TimeZone = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        description="IANA name by which 'yesterday' or '上周' is read, e.g. 'Asia/Shanghai'.",
    ),
]


class UpdateMemory(AmendMemory, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One memory, and what is to be otherwise in it. What is left out stays."""

    id: Id
    idempotency_key: OnceKey = None


class SavePreference(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One lasting preference that the user stated."""

    preference: Annotated[
        Text,
        Meta(
            description="The preference in the user's own words and language, whole, e.g. 'The "
            "user said: I always fly aisle' or '以后都用顺丰发货'."
        ),
    ]
    importance: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None, Meta(description="0 to 1; higher ranks higher.")
    ] = None
    session_id: Annotated[
        Word | None,
        Meta(description="The conversation that it came up in, as the application calls it."),
    ] = None
    origin: Annotated[OriginHint | None, Meta(description="Where the content came from.")] = None
    idempotency_key: OnceKey = None

    def __post_init__(self) -> None:
        """Refuse text that is no text."""
        require_text("preference", self.preference)

    def stored_as(self) -> dict[str, Any]:
        """Return the arguments of the write that this is: a standing preference."""
        given = {
            "text": self.preference,
            "layer": "semantic",
            "kind": Kind.PREFERENCE.value,
            "importance": self.importance,
            "session_id": self.session_id,
            "origin": None if self.origin is None else msgspec.to_builtins(self.origin),
            "idempotency_key": self.idempotency_key,
        }
        return {name: value for name, value in given.items() if value is not None}


class ListOwn(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which of the active memories to list, newest first."""

    layers: Annotated[
        tuple[IndexedLayer, ...],
        Meta(max_length=2, description="Only these layers; all by default."),
    ] = ()
    kinds: Annotated[
        tuple[Kind, ...], Meta(max_length=8, description="Only these kinds; all by default.")
    ] = ()
    origins: Annotated[
        tuple[OriginClass, ...],
        Meta(max_length=10, description="Only from these kinds of source; all by default."),
    ] = ()
    since: Annotated[
        Instant | None, Meta(description="Only what was stored from then on (RFC 3339).")
    ] = None
    until: Annotated[
        Instant | None, Meta(description="Only what was stored before then (RFC 3339).")
    ] = None
    limit: Annotated[
        int, Meta(ge=1, le=MOST_LISTED, description="At most how many memories on a page.")
    ] = 10
    cursor: Annotated[
        Annotated[str, Meta(min_length=1, max_length=512)] | None,
        Meta(description="The `cursor` of the last answer, to go on from there."),
    ] = None

    def listed(self) -> ListMemories:
        """Return the same page as REST asks for it: active memories alone."""
        return ListMemories(
            cursor=self.cursor,
            limit=self.limit,
            layer=self.layers,
            kind=self.kinds,
            origin=self.origins,
            since=self.since,
            until=self.until,
        )


class GetContext(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A task, and how much may be said about it."""

    task: Annotated[
        Text,
        Meta(description="What you are about to do, in plain words, with its names and numbers."),
    ]
    max_tokens: Annotated[
        int,
        Meta(
            ge=LEAST_TOKENS,
            le=MOST_TOKENS,
            description="At most how many tokens the block may have, as the gateway counts them.",
        ),
    ] = 1500
    time_zone: _TimeZone = "UTC"

    def __post_init__(self) -> None:
        """Refuse text that is no text."""
        require_text("task", self.task)


class SummarizeMemories(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What to summarise: what is known of a topic, or the newest memories."""

    topic: Annotated[
        Text | None,
        Meta(description="What the summary is about; the newest memories when it is left out."),
    ] = None
    sentences: Annotated[
        int, Meta(ge=1, le=MOST_LISTED, description="At most how many sentences.")
    ] = 5
    time_zone: _TimeZone = "UTC"

    def __post_init__(self) -> None:
        """Refuse text that is no text."""
        if self.topic is not None:
            require_text("topic", self.topic)


class AnswerWithMemory(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The question that the prompt is about."""

    question: Annotated[Text, Meta(description="The user's question, as he asked it.")]

    def __post_init__(self) -> None:
        """Refuse text that is no text."""
        require_text("question", self.question)


ARGUMENTS: Final[dict[str, type[msgspec.Struct]]] = {
    "store_memory": StoreMemoryOnce,
    "save_preference": SavePreference,
    "recall_memory": RecallMemory,
    "get_context": GetContext,
    "list_memories": ListOwn,
    "summarize_memories": SummarizeMemories,
    "update_memory": UpdateMemory,
    "forget_memory": ForgetMemory,
}
"""The arguments of each tool."""
