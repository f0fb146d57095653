"""A memory on its way in: Draft → Tagged → Screened → Admitted → Sealed. No step can be skipped.

Each noun holds the one before it, and only the step between them makes the next: the ledger takes
`Sealed` alone, which only a vault makes, from `Admitted` alone, which only `guard.remember` and
`guard.releasing` make, from `Screened`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

import msgspec

from memory.origin import Channel, Hint, Origin, OriginClass
from memory.signals import Blinded, Signals
from memory.types import (
    Body,
    ClientId,
    Epoch,
    Kind,
    Layer,
    LeafId,
    MemoryId,
    Owner,
    SessionId,
    State,
    Trigger,
)
from policies.model import Completion, Decision, Finding


class Draft(msgspec.Struct, frozen=True, omit_defaults=True):
    """Untrusted content, as received and bounded by the edge."""

    text: str
    layer: Layer | None = None
    kind: Kind | None = None
    importance: float | None = None
    ttl_days: int | None = None
    entities: tuple[str, ...] = ()
    session: SessionId | None = None
    occurred_at: datetime | None = None
    hint: Hint = Hint()
    metadata: Mapping[str, str] = msgspec.field(default_factory=dict)
    trigger: Trigger | None = None


class Tagged(msgspec.Struct, frozen=True):
    """A draft whose identity, time and origin the gateway has fixed."""

    draft: Draft
    id: MemoryId
    owner: Owner
    at: datetime
    origin: Origin


class View(msgspec.Struct, frozen=True):
    """One reading of a text: what it says after one kind of disguise is taken off (W2).

    `text[i]` stems from the original's code points [starts[i], ends[i]), so a finding in any view
    maps back to evidence in the original.
    """

    name: str
    text: str
    starts: Sequence[int]
    ends: Sequence[int]


class Near(msgspec.Struct, frozen=True):
    """A memory of the same subject that is near a draft: its row, and the cosine by vector name.

    The cosines are exact: taken from the sealed vectors of the memory, never from the index.
    """

    row: "Row"
    likeness: Mapping[str, float]


class Detected(msgspec.Struct, frozen=True):
    """What one detector made of a draft: proof that it ran or how it failed, and what it found."""

    completion: Completion
    findings: tuple[Finding, ...] = ()


class Facts(msgspec.Struct, frozen=True):
    """All that the decision may look at, gathered in one round at the subject's epoch.

    `near` holds the nearest own memories, nearest first; `unseen` says that the index did not take
    part in looking for them. `pull` is how near the text is to unrelated questions; from 1 on, as
    near as no ordinary text. `detected` is what the models said. `kin` are the own memories to
    compare with: near ones and those that speak of the same. `twins` are those of equal text or
    equal `claim`, in any state. `reading` is the record of what the text was read as.
    """

    epoch: Epoch
    views: tuple[View, ...]
    signals: Signals
    blinded: Blinded
    fingerprint: bytes
    twins: tuple["Row", ...]
    recent_writes: int
    near: tuple[Near, ...] = ()
    unseen: bool = False
    pull: float = 0.0
    detected: tuple[Detected, ...] = ()
    kin: tuple["Row", ...] = ()
    claim: bytes = b""
    reading: bytes = b""


class Screened(msgspec.Struct, frozen=True):
    """A tagged draft with everything the stages found and what policy makes of it.

    `models` is the version of all that looked, empty where nobody asked for it.
    """

    tagged: Tagged
    findings: tuple[Finding, ...]
    completions: tuple[Completion, ...]
    decision: Decision
    models: str = ""


class Admitted(msgspec.Struct, frozen=True):
    """Content the pipeline let through (or holds): ready to be sealed.

    `recorded_at` is when the memory was first written; `screened.tagged.at` is when this revision
    was, and becomes the label's `changed_at`. `superseded_by` is set where a newer memory stands
    already when this one arrives. `faded` is how often it was let fade before this revision.
    """

    screened: Screened
    body: Body
    signals: Signals
    fingerprint: bytes
    layer: Layer
    state: State
    importance: float
    confidence: float
    recorded_at: datetime
    expires_at: datetime | None
    revision: int
    version: int
    leaf: LeafId
    superseded_by: MemoryId | None = None
    claim: bytes = b""
    faded: int = 0


class Label(msgspec.Struct, frozen=True, array_like=True):
    """What the ledger knows of a memory in the clear. Covered whole by a keyed tag.

    `revision` counts contents (bound by the cipher), `version` counts changes of the label.
    `source` and `session` are keyed ids. `digest` and `entry_digest` are SHA-256 over the sealed
    bytes, empty when forgotten. `leaf` is the audit leaf of the change that made this version.
    `faded` counts how often it was let fade since it was last stated. `gravity` says, while it is
    held, how bad what was found in it is, from 0 to 9. Fields may only be appended: the tag is over
    the MessagePack array.
    """

    id: MemoryId
    tenant: str
    subject: str
    layer: Layer
    kind: Kind
    state: State
    revision: int
    version: int
    origin: OriginClass
    trust: int
    channel: Channel
    client: ClientId
    source: str
    session: str
    importance: float
    confidence: float
    recorded_at: datetime
    changed_at: datetime
    expires_at: datetime | None
    superseded_by: MemoryId | None
    policy: str
    digest: bytes
    entry_digest: bytes
    leaf: LeafId
    faded: int = 0
    gravity: int = 0


class Sealed(msgspec.Struct, frozen=True):
    """The only form storage accepts: label, its tag, and three tokens of sealed bytes.

    `token` is the content (a `Body`), `entry` the blinded search material, `evidence` the findings
    and completions that the decision rested on. `fingerprint` is a keyed id of the normalised text,
    `claim` of what it says, empty where that was not understood or is older than claims.
    """

    label: Label
    tag: bytes
    token: bytes
    entry: bytes
    evidence: bytes
    fingerprint: bytes
    claim: bytes = b""


class Evidence(msgspec.Struct, frozen=True, array_like=True):
    """What a decision rested on, sealed beside the content. Fields may only be appended.

    `models` is the version of all that looked at the text, empty for what is older than versions.
    """

    findings: tuple[Finding, ...]
    completions: tuple[Completion, ...]
    reasons: tuple[str, ...]
    models: str = ""


class Decided(msgspec.Struct, frozen=True):
    """What is made anew when a stored memory is decided again, its content staying as it is."""

    evidence: Evidence
    policy: str
    confidence: float


class Laid(msgspec.Struct, frozen=True):
    """Where a stored memory is put, its content staying as it is, and until when it is kept."""

    layer: Layer
    expires_at: datetime | None


class Row(msgspec.Struct, frozen=True):
    """A sealed memory as the ledger returns it, with the newest audit leaf that names it.

    `newest_leaf` is the leaf with the highest label version among those that name the memory (not
    by time: clocks differ between replicas). A row whose `sealed.label.leaf` is another one was
    rolled back behind the ledger's back.
    """

    sealed: Sealed
    newest_leaf: LeafId
    indexed: bool


class Leaf(msgspec.Struct, frozen=True, array_like=True):
    """One line of the audit: who did what to which object, with which outcome. No content.

    `object` is a memory id (or another id that `action` explains), `version` its label version,
    `digest` the content digest after the change, `reasons` machine-readable codes.
    """

    id: LeafId
    tenant: str
    subject: str
    actor: str
    client: ClientId
    channel: Channel
    action: str
    object: str
    version: int
    outcome: str
    policy: str
    digest: bytes
    reasons: tuple[str, ...]
    at: datetime


class Answer(msgspec.Struct, frozen=True):
    """The first answer to a write that came with an idempotency key, kept until `expires_at` (E10).

    `mark` is the keyed id of the caller's key, `request` that of what was asked, `token` the sealed
    outcome. `memory` is the id that the outcome names: forgetting it removes the answer.
    """

    mark: bytes
    request: bytes
    memory: MemoryId | None
    expires_at: datetime
    token: bytes


class Deferred(msgspec.Struct, frozen=True, array_like=True):
    """What is sealed of a write that is decided later: all that only its acceptance could tell.

    Fields may only be appended.
    """

    draft: Draft
    origin: Origin
    recent_writes: int


class Accepted(msgspec.Struct, frozen=True):
    """A write is taken in, to be decided later; `token` is its sealed `Deferred`."""

    id: MemoryId
    at: datetime
    token: bytes


class Ended(msgspec.Struct, frozen=True):
    """A write that waited is decided; its outcome stays readable until `expires_at`."""

    id: MemoryId
    memory: MemoryId | None
    expires_at: datetime
    outcome: bytes


class Cancelled(msgspec.Struct, frozen=True):
    """A write that waited is forgotten before it was decided."""

    id: MemoryId


Later = Accepted | Ended | Cancelled
"""What becomes of a write that is decided later. The last two are conflicts unless it waits."""


class Progress(StrEnum):
    """How far a write that was accepted is. A dead one waits for an operator."""

    QUEUED = "queued"
    DEAD = "dead"
    DONE = "done"


class Write(msgspec.Struct, frozen=True):
    """An accepted write as the ledger has it. Done, `token` is empty; before that, `outcome` is."""

    id: MemoryId
    progress: Progress
    accepted_at: datetime
    token: bytes
    outcome: bytes


class SealedRemark(msgspec.Struct, frozen=True):
    """What a reviewer remarked on a memory, sealed. `id` is the audit leaf that it belongs to."""

    id: LeafId
    owner: Owner
    memory: MemoryId
    token: bytes


class Barred(msgspec.Struct, frozen=True):
    """A memory that a ban on its origin holds, the version that did so, and when it was last
    changed before.
    """

    ban: str
    memory: MemoryId
    version: int
    changed_at: datetime


class Undoable(msgspec.Struct, frozen=True):
    """A decision that can be undone until `expires_at`. `leaf` is the decision's, `token` has the
    row from before it, sealed.
    """

    owner: Owner
    memory: MemoryId
    leaf: LeafId
    expires_at: datetime
    token: bytes


class SealedProposal(msgspec.Struct, frozen=True):
    """What a reviewer proposed for a memory, until `expires_at`; only `token` says what."""

    id: str
    owner: Owner
    memory: MemoryId
    expires_at: datetime
    token: bytes


class Change(msgspec.Struct, frozen=True):
    """One atomic change of one subject's memories, and of what is kept beside them.

    `epoch` is the one at which the facts were gathered: the commit fails with ConflictError when
    it has moved. Each row with version 1 is new, each other replaces exactly version - 1. Every row
    has its leaf among `leaves`; a change without rows has a leaf, too. An answer whose mark has one
    already that has not expired is a conflict. Rows that become forgotten take along the answers
    and outcomes that name them. `doubts` are pairs of active memories of which it is not known
    whether both can hold, the first a row of the change; a row that is no longer active takes along
    the doubts that name it. Each of `remarks` belongs to a leaf of the change. `escalated` are
    held rows of the change that are marked for other reviewers, until they are held no more. Each
    of `undoable` takes the place of an earlier decision on its memory; of those `undone`, and of
    those forgotten, none is kept any more. `proposed` waits for a second reviewer; to settle what
    does not wait any more is a conflict. `derived` are pairs of
    a row of the change and a memory that it was derived from; `barred`, rows that a ban holds.
    """

    owner: Owner
    epoch: Epoch
    rows: tuple[Sealed, ...]
    leaves: tuple[Leaf, ...]
    answer: Answer | None = None
    later: Later | None = None
    doubts: tuple[tuple[MemoryId, MemoryId], ...] = ()
    remarks: tuple[SealedRemark, ...] = ()
    escalated: tuple[MemoryId, ...] = ()
    undoable: tuple[Undoable, ...] = ()
    undone: tuple[MemoryId, ...] = ()
    proposed: tuple[SealedProposal, ...] = ()
    settled: tuple[str, ...] = ()
    derived: tuple[tuple[MemoryId, MemoryId], ...] = ()
    barred: tuple[Barred, ...] = ()


class Opened(msgspec.Struct, frozen=True):
    """A memory that proved to be what it says: label tag, digest and cipher all held."""

    label: Label
    body: Body
