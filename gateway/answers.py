"""What callers are told: the guard's outcomes in the shape of the wire."""

from datetime import datetime
from typing import Any, Self

import msgspec
from msgspec import field

from guard.dismiss import Dismissed
from guard.dossier import Dossier
from guard.nouns import Progress
from guard.outcomes import (
    Case,
    Cases,
    Doubts,
    Heard,
    History,
    Listing,
    Memory,
    Receipt,
    Recollection,
)
from guard.reveal import Revealed
from memory.origin import OriginClass
from memory.types import Kind, Layer, State, Trigger


class OriginAnswer(msgspec.Struct, frozen=True):
    """Provenance as the gateway fixed it: the class, and trust from 0 (web) to 4 (operator)."""

    class_: OriginClass = field(name="class")
    trust: int


class WriteAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of a write, and why."""

    outcome: str
    origin: OriginAnswer
    reasons: tuple[str, ...] = field()
    id: str | None = None
    supersedes: str | None = None


class WriteStatusAnswer(msgspec.Struct, frozen=True):
    """How far an accepted write is: `queued`, `dead` until an operator sees to it, or `done`."""

    id: str
    progress: Progress
    accepted_at: datetime
    write: WriteAnswer


class MemoryAnswer(msgspec.Struct, frozen=True):
    """One memory in full."""

    id: str
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
    superseded_by: str | None
    entities: tuple[str, ...]
    session_id: str | None
    reference: str | None
    metadata: dict[str, str]
    trigger: Trigger | None

    @classmethod
    def of(cls, memory: Memory) -> Self:
        """Return the memory as clients see it."""
        return cls(**_shared(memory))


class RecalledAnswer(MemoryAnswer, frozen=True, kw_only=True):
    """One memory in an answer, with the score from 0 to 1 that ranked it.

    `reasons` tells of memories that contradict it: `consensus.outweighed` or `consensus.disputed`,
    then `against.<id>` for each.
    """

    score: float
    reasons: tuple[str, ...] = ()


class RevisionAnswer(MemoryAnswer, frozen=True, kw_only=True):
    """One memory of a history. `stored_at` is when it was learned, `superseded_at` when it gave
    way; `valid_from` and `valid_until` are when it was so, as far as anybody said.
    """

    valid_from: datetime
    valid_until: datetime | None
    superseded_at: datetime | None


class HistoryAnswer(msgspec.Struct, frozen=True):
    """What a memory replaced and was replaced by, newest first."""

    items: tuple[RevisionAnswer, ...]

    @classmethod
    def of(cls, history: History) -> Self:
        """Return the history as clients see it."""
        return cls(
            tuple(
                RevisionAnswer(
                    **_shared(one.memory),
                    valid_from=one.valid_from,
                    valid_until=one.valid_until,
                    superseded_at=one.superseded_at,
                )
                for one in history.items
            )
        )


class ListAnswer(msgspec.Struct, frozen=True):
    """One page of memories, and the cursor of the next one."""

    items: tuple[MemoryAnswer, ...]
    cursor: str | None

    @classmethod
    def of(cls, listing: Listing) -> Self:
        """Return the page as clients see it."""
        return cls(tuple(MemoryAnswer.of(one) for one in listing.items), listing.cursor)


class RecallAnswer(msgspec.Struct, frozen=True):
    """What memory knows. `context` is fenced for a prompt; without `reliable`, say you don't know.

    `degraded` means that the search index did not take part.
    """

    items: tuple[RecalledAnswer, ...]
    reliable: bool
    context: str
    degraded: bool
    trace_id: str

    @classmethod
    def of(cls, found: Recollection) -> Self:
        """Return the recollection as clients see it."""
        items = tuple(
            RecalledAnswer(**_shared(one.memory), score=one.score, reasons=one.reasons)
            for one in found.items
        )
        return cls(items, found.reliable, found.context, found.degraded, found.trace_id)


class ForgetAnswer(msgspec.Struct, frozen=True):
    """What an erasure removed, and what remains until when."""

    id: str
    removed: tuple[str, ...]
    remains: tuple[str, ...]
    at: datetime

    @classmethod
    def of(cls, receipt: Receipt) -> Self:
        """Return the receipt as clients see it."""
        return cls(receipt.id, receipt.removed, receipt.remains, receipt.at)


class TurnsAnswer(msgspec.Struct, frozen=True):
    """The ids of the turns in the order in which they came, and until when they are kept."""

    turns: tuple[str, ...]
    expires_at: datetime

    @classmethod
    def of(cls, heard: Heard) -> Self:
        """Return the receipt as clients see it."""
        return cls(heard.turns, heard.expires_at)


class CaseAnswer(msgspec.Struct, frozen=True):
    """One held write as a reviewer sees it, without its text, which has to be revealed.

    `source` and `session` are keyed ids, equal for equal names within the tenant, else empty.
    `score` tells how bad the worst finding is, from 0 to 9; 0 for what is not held.
    """

    id: str
    subject: str
    layer: Layer
    kind: Kind
    state: State
    origin: OriginClass
    trust: int
    channel: str
    client: str
    source: str
    session: str
    stored_at: datetime
    score: int
    reasons: tuple[str, ...]

    @classmethod
    def of(cls, case: Case) -> Self:
        """Return the case as reviewers see it."""
        label = case.label
        return cls(
            id=label.id,
            subject=label.subject,
            layer=label.layer,
            kind=label.kind,
            state=label.state,
            origin=label.origin,
            trust=label.trust,
            channel=label.channel,
            client=label.client,
            source=label.source,
            session=label.session,
            stored_at=label.recorded_at,
            score=label.gravity,
            reasons=case.reasons,
        )


class QuoteAnswer(msgspec.Struct, frozen=True):
    """What a detector found something in: code points [start, end) of what was written."""

    reason: str
    start: int
    end: int
    text: str


class BesideAnswer(msgspec.Struct, frozen=True):
    """The text of a memory that the case contradicts, and the reason that names it."""

    id: str
    why: str
    text: str


class RevealedAnswer(msgspec.Struct, frozen=True):
    """The text of a case, and the names that its writer gave to its source and session; what its
    findings point at, and what it contradicts.
    """

    id: str
    text: str
    reference: str | None
    session: str | None
    evidence: tuple[QuoteAnswer, ...]
    against: tuple[BesideAnswer, ...]

    @classmethod
    def of(cls, found: Revealed) -> Self:
        """Return it as reviewers see it."""
        return cls(
            id=found.id,
            text=found.text,
            reference=found.reference,
            session=found.session,
            evidence=tuple(QuoteAnswer(q.reason, q.start, q.end, q.text) for q in found.evidence),
            against=tuple(BesideAnswer(b.id, b.why, b.text) for b in found.against),
        )


class CasesAnswer(msgspec.Struct, frozen=True):
    """One page of held writes, and how many there are: 10000 for at least so many, null where a
    reason is asked for.
    """

    items: tuple[CaseAnswer, ...]
    cursor: str | None
    total: int | None

    @classmethod
    def of(cls, cases: Cases) -> Self:
        """Return the page as reviewers see it."""
        return cls(tuple(CaseAnswer.of(one) for one in cases.items), cases.cursor, cases.total)


class DossierAnswer(msgspec.Struct, frozen=True):
    """One page of a subject's active memories, newest first, without their texts."""

    items: tuple[CaseAnswer, ...]
    cursor: str | None

    @classmethod
    def of(cls, found: Dossier) -> Self:
        """Return the page as reviewers see it."""
        return cls(tuple(CaseAnswer.of(one) for one in found.items), found.cursor)


class DoubtsAnswer(msgspec.Struct, frozen=True):
    """One page of active memories that stand in doubt beside those that their reasons name."""

    items: tuple[CaseAnswer, ...]
    cursor: str | None

    @classmethod
    def of(cls, doubts: Doubts) -> Self:
        """Return the page as reviewers see it."""
        return cls(tuple(CaseAnswer.of(one) for one in doubts.items), doubts.cursor)


class DismissedAnswer(msgspec.Struct, frozen=True):
    """A memory whose doubts a reviewer dismissed, and those beside which it stands."""

    id: str
    beside: tuple[str, ...]

    @classmethod
    def of(cls, dismissed: Dismissed) -> Self:
        """Return it as reviewers see it."""
        return cls(dismissed.id, dismissed.beside)


def _shared(memory: Memory) -> dict[str, Any]:
    return {**msgspec.structs.asdict(memory), "metadata": dict(memory.metadata)}
