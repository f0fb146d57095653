"""What the doors answer. Decisions are values: a tagged union, mapped to a status at the edge."""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from guard.nouns import Label, Progress
from memory.origin import OriginClass
from memory.times import Span
from memory.types import Kind, Layer, MemoryId, SessionId, State, Trigger, TurnId


class Stored(msgspec.Struct, frozen=True, tag="stored"):
    """Written and recallable at once."""

    id: MemoryId
    origin: OriginClass
    trust: int
    reasons: tuple[str, ...] = ()


class Redacted(msgspec.Struct, frozen=True, tag="redacted"):
    """Written and recallable, with parts replaced by `[redacted:<what>]`."""

    id: MemoryId
    origin: OriginClass
    trust: int
    reasons: tuple[str, ...]


class Merged(msgspec.Struct, frozen=True, tag="merged"):
    """The same was already known; `id` is the memory that stands."""

    id: MemoryId
    origin: OriginClass
    trust: int
    reasons: tuple[str, ...] = ()


class Superseded(msgspec.Struct, frozen=True, tag="superseding"):
    """Written, and an older memory retired for it."""

    id: MemoryId
    origin: OriginClass
    trust: int
    supersedes: MemoryId
    reasons: tuple[str, ...] = ()


class Quarantined(msgspec.Struct, frozen=True, tag="quarantined"):
    """Kept sealed for a reviewer (or the subject's confirmation); recalled by nobody until then."""

    id: MemoryId
    origin: OriginClass
    trust: int
    reasons: tuple[str, ...]


class Queued(msgspec.Struct, frozen=True, tag="queued"):
    """Accepted durably, to be screened later."""

    id: MemoryId
    origin: OriginClass
    trust: int
    reasons: tuple[str, ...] = ()


class Skipped(msgspec.Struct, frozen=True, tag="skipped"):
    """Not worth keeping, or known already in a form that must not change."""

    origin: OriginClass
    trust: int
    reasons: tuple[str, ...]


class Rejected(msgspec.Struct, frozen=True, tag="rejected"):
    """Refused by policy; nothing was kept but the audit leaf."""

    origin: OriginClass
    trust: int
    reasons: tuple[str, ...]


WriteOutcome = Stored | Redacted | Merged | Superseded | Quarantined | Queued | Skipped | Rejected


class Told(msgspec.Struct, frozen=True):
    """The outcome of a write, and whether it is the first answer told again (E10)."""

    outcome: WriteOutcome
    replayed: bool


class WriteStatus(msgspec.Struct, frozen=True):
    """How far an accepted write is (W14); until it is done, its outcome is `Queued`."""

    id: MemoryId
    progress: Progress
    accepted_at: datetime
    outcome: WriteOutcome


class Heard(msgspec.Struct, frozen=True):
    """Turns of a session were kept: their ids in order, and when they expire."""

    turns: tuple[TurnId, ...]
    expires_at: datetime


class Memory(msgspec.Struct, frozen=True):
    """One memory as its owner sees it."""

    id: MemoryId
    text: str
    layer: Layer
    kind: Kind
    state: State
    origin: OriginClass
    trust: int
    importance: float
    confidence: float
    stored_at: datetime
    occurred_at: datetime | None
    expires_at: datetime | None
    superseded_by: MemoryId | None
    entities: tuple[str, ...]
    session_id: SessionId | None
    reference: str | None
    metadata: Mapping[str, str]
    trigger: Trigger | None = None


class Listing(msgspec.Struct, frozen=True):
    """One page of the caller's memories, newest first."""

    items: tuple[Memory, ...]
    cursor: str | None


class Revision(msgspec.Struct, frozen=True):
    """One memory of a history: when it was so, `valid_until` being None while it is; and when it
    gave way, None while it has not. When it was learned stands in the memory.
    """

    memory: Memory
    valid_from: datetime
    valid_until: datetime | None
    superseded_at: datetime | None


class History(msgspec.Struct, frozen=True):
    """What a memory replaced and was replaced by, newest first."""

    items: tuple[Revision, ...]


class Query(msgspec.Struct, frozen=True):
    """A question to memory. `k` bounds the answer from above; `window` holds previous turns, and
    without them those of `session` are looked at when the question says too little alone.

    With `as_of` it is answered by what was known at that instant. `spans` are the times that its
    words were understood to speak of.
    """

    text: str
    k: int
    layers: tuple[Layer, ...] = (Layer.EPISODIC, Layer.SEMANTIC)
    since: datetime | None = None
    until: datetime | None = None
    time_zone: str = "UTC"
    reference_time: datetime | None = None
    window: tuple[str, ...] = ()
    as_of: datetime | None = None
    session: SessionId | None = None
    spans: tuple[Span, ...] = ()


class Recalled(msgspec.Struct, frozen=True):
    """One memory in an answer, with the score that ranked it, in [0, 1], and what speaks against
    it: codes, with the ids of the memories that contradict it (R6).
    """

    memory: Memory
    score: float
    reasons: tuple[str, ...] = ()


class Recollection(msgspec.Struct, frozen=True):
    """What recall answers. `reliable` is false when nothing passed the threshold (R9), `degraded`
    when the index did not take part (R11); `context` is the fenced block for a prompt (R8).
    """

    items: tuple[Recalled, ...]
    reliable: bool
    context: str
    degraded: bool
    trace_id: str


class Receipt(msgspec.Struct, frozen=True):
    """What an erasure removed, and what remains until when."""

    id: MemoryId
    removed: tuple[str, ...]
    remains: tuple[str, ...]
    at: datetime


class Case(msgspec.Struct, frozen=True):
    """One held write as a reviewer sees it, without its text, which `guard.reveal` shows."""

    label: Label
    reasons: tuple[str, ...]


class Doubts(msgspec.Struct, frozen=True):
    """One page of a tenant's memories that stand in doubt beside others, newest first."""

    items: tuple[Case, ...]
    cursor: str | None


class Cases(msgspec.Struct, frozen=True):
    """One page of held writes of a tenant, and how many there are; None where nobody knows."""

    items: tuple[Case, ...]
    cursor: str | None
    total: int | None
