"""The nouns every room shares: who owns a memory, where it lives, what state it is in."""

from datetime import datetime
from enum import StrEnum
from typing import Final, NewType

import msgspec

TenantId = NewType("TenantId", str)
SubjectId = NewType("SubjectId", str)
ClientId = NewType("ClientId", str)
SessionId = NewType("SessionId", str)
MemoryId = NewType("MemoryId", str)
LeafId = NewType("LeafId", str)
"""Id of an audit leaf: a version 7 UUID, so that ids sort by time of creation."""
TurnId = NewType("TurnId", str)
"""Id of one turn of a conversation."""
TraceId = NewType("TraceId", str)
"""Id of what is kept of one recall."""
SubjectMark = NewType("SubjectMark", str)
"""Keyed id of a subject, 32 hex digits: how the index knows a subject without knowing the name."""
Epoch = NewType("Epoch", int)
"""Counts the committed changes of one subject's memories; moves with every commit."""


class Layer(StrEnum):
    """How long a memory is meant to live. `working` is per session and never indexed."""

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"


INDEXED_LAYERS = (Layer.EPISODIC, Layer.SEMANTIC)


class Kind(StrEnum):
    """What a memory is good for."""

    PREFERENCE = "preference"
    CONSTRAINT = "constraint"
    FACT = "fact"
    CONCLUSION = "conclusion"
    TASK_STATE = "task_state"
    TOOL_FAILURE = "tool_failure"
    CORRECTION = "correction"
    NOTE = "note"


class Trigger(StrEnum):
    """What made somebody write: the occasions on which an agent should."""

    TASK_FINISHED = "task_finished"
    KEY_INFORMATION = "key_information"
    SESSION_END = "session_end"
    TOOL_FAILURE = "tool_failure"
    USER_CORRECTION = "user_correction"


KIND_OF_TRIGGER: Final = {
    Trigger.TASK_FINISHED: Kind.TASK_STATE,
    Trigger.SESSION_END: Kind.TASK_STATE,
    Trigger.TOOL_FAILURE: Kind.TOOL_FAILURE,
    Trigger.USER_CORRECTION: Kind.CORRECTION,
}
"""What kind of memory is written on an occasion, when nobody says it."""


class State(StrEnum):
    """Where a memory stands. Only `active` memories are indexed and recalled."""

    ACTIVE = "active"
    HELD = "held"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"
    REJECTED = "rejected"


class Role(StrEnum):
    """Who speaks in a turn of a conversation. Only a `user` turn is the subject's own word."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class Turn(msgspec.Struct, frozen=True, array_like=True):
    """One turn of a conversation, as an application reports it.

    Sealed as a MessagePack array; fields may only be appended.
    """

    role: Role
    text: str


class Owner(msgspec.Struct, frozen=True):
    """One subject of one tenant: the scope of every memory. Comes from a verified token only."""

    tenant: TenantId
    subject: SubjectId


class Body(msgspec.Struct, frozen=True, array_like=True):
    """What is sealed: the content of a memory and everything that says what it is about.

    Encoded as a MessagePack array inside the token; fields may only be appended.
    """

    text: str
    kind: Kind
    entities: tuple[str, ...]
    occurred_at: datetime | None
    metadata: dict[str, str]
    reference: str | None
    session: str | None
    parents: tuple[MemoryId, ...]
    credential: str
    reading: bytes = b""
    """What the text was read as, so that nobody has to read it again; empty where nobody did."""
    trigger: Trigger | None = None
