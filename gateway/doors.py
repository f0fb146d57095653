"""What the edge is built from: the use-cases it may call, and what it needs to call them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime

import msgspec

from gateway.auth import Admission, Verifier
from gateway.metrics import Metrics
from gateway.revoked import Revoked
from gateway.settings import Settings
from gateway.tracing import Tracing
from guard.amend import Amendment
from guard.ban import Impact, Lifted
from guard.blast import Report
from guard.bulk import Done, Preview, Verdict
from guard.casefile import CaseFile
from guard.dismiss import Dismissed
from guard.docket import Search
from guard.dossier import Dossier
from guard.enact import Standing
from guard.explain import WhyNot
from guard.findings import Event
from guard.foresee import Foreseen
from guard.hooks import DeadPost
from guard.hunt import Bag, Scent
from guard.nouns import Draft
from guard.once import Once
from guard.origins import Ban, Groups, Kind, Place
from guard.outcomes import (
    Case,
    Cases,
    Doubts,
    Heard,
    History,
    Listing,
    Memory,
    Query,
    Receipt,
    Recollection,
    Told,
    WriteOutcome,
    WriteStatus,
)
from guard.overview import Overview
from guard.ports import Allowed, Buckets, Client, Dead, Filter, Tenant
from guard.principal import Principal
from guard.proposal import Proposal
from guard.proposals import Settled
from guard.record import Consistent, Included, Leaves, Sought, Tree
from guard.reporting import Findings
from guard.reveal import Ground, Revealed
from guard.revoke import Desk as Revoking
from guard.revoke import Of, Revocation
from guard.rooms import Rooms
from guard.rulebook import Checked, Difference, Enactments, Rulesets
from guard.ruling import Manner, Ruling
from guard.statutes import Ruleset
from guard.tenants import Terms
from guard.trace import Trace
from guard.visits import Visits
from guard.webhooks import Webhook
from memory.origin import OriginClass
from memory.types import ClientId, Layer, MemoryId, SessionId, SubjectId, TenantId, TraceId, Turn

Probe = Callable[[], Awaitable[None]]
"""Returns when what it looks at works, and raises anything when it does not."""
Lifespan = Callable[[], AbstractAsyncContextManager[None]]


class TenantDoors(msgspec.Struct, frozen=True, kw_only=True):
    """The doors of administrators. None of them reaches a memory."""

    register: Callable[[Principal, TenantId, Terms, Sequence[Client], Rooms], Awaitable[Tenant]]
    registered: Callable[[Principal, TenantId | None, int, Rooms], Awaitable[list[Tenant]]]
    grant: Callable[
        [Principal, TenantId, OriginClass | None, Allowed | None, Rooms], Awaitable[Tenant]
    ]
    suspend: Callable[[Principal, TenantId, Rooms], Awaitable[Tenant]]
    resume: Callable[[Principal, TenantId, Rooms], Awaitable[Tenant]]
    clients: Callable[[Principal, ClientId | None, int, Rooms], Awaitable[list[Client]]]
    put_client: Callable[[Principal, ClientId, OriginClass, Rooms], Awaitable[Client]]
    remove_client: Callable[[Principal, ClientId, Rooms], Awaitable[None]]


class QueueDoors(msgspec.Struct, frozen=True, kw_only=True):
    """What a tenant's administrator may do with accepted writes that were given up."""

    given_up: Callable[[Principal, int, Rooms], Awaitable[list[Dead]]]
    replay: Callable[[Principal, MemoryId, Rooms], Awaitable[None]]


class TokenDoors(msgspec.Struct, frozen=True, kw_only=True):
    """What an administrator may do with tokens that others issued: have them believed no longer."""

    revoke: Callable[[Principal, Of, str, datetime | None, Revoking], Awaitable[Revocation]]
    revoke_tenant: Callable[[Principal, TenantId, datetime | None, Revoking], Awaitable[Revocation]]
    revoked: Callable[[Principal, str | None, int, Revoking], Awaitable[list[Revocation]]]


class PolicyDoors(msgspec.Struct, frozen=True, kw_only=True):
    """What a tenant may do with its own rules: write versions of them, look, put one in force."""

    check: Callable[[Principal, str, Rooms], Awaitable[Checked]]
    put: Callable[[Principal, str, str, Rooms], Awaitable[Ruleset]]
    versions: Callable[[Principal, int | None, int, Rooms], Awaitable[Rulesets]]
    version: Callable[[Principal, int, Rooms], Awaitable[Ruleset]]
    enactments: Callable[[Principal, int | None, int, Rooms], Awaitable[Enactments]]
    diff: Callable[[Principal, int, int, Rooms], Awaitable[Difference]]
    activate: Callable[[Principal, int, int, Rooms], Awaitable[Standing]]
    roll_back: Callable[[Principal, int, Rooms], Awaitable[Standing]]
    foresee: Callable[[Principal, int, int, MemoryId | None, Rooms], Awaitable[Foreseen]]
    hunt: Callable[[Principal, Scent, MemoryId | None, int, Rooms], Awaitable[Bag]]


class TraceDoors(msgspec.Struct, frozen=True, kw_only=True):
    """What recalls looked at, and where one memory was lost."""

    traced: Callable[[Principal, TraceId, Rooms], Awaitable[Trace]]
    why_not: Callable[[Principal, MemoryId, Query, Rooms], Awaitable[WhyNot]]


class OriginDoors(msgspec.Struct, frozen=True, kw_only=True):
    """How far a bad origin reaches, and its quarantine as a whole. None shows a text."""

    origins: Callable[[Principal, Kind, str | None, int, Rooms], Awaitable[Groups]]
    report: Callable[[Principal, Place, MemoryId | None, int, Rooms], Awaitable[Report]]
    preview: Callable[[Principal, Place, Rooms], Awaitable[Impact]]
    quarantine: Callable[[Principal, Place, Rooms], Awaitable[Impact]]
    lift: Callable[[Principal, str, Rooms], Awaitable[Lifted]]
    bans: Callable[[Principal, str | None, int, Rooms], Awaitable[list[Ban]]]


class RecordDoors(msgspec.Struct, frozen=True, kw_only=True):
    """What the audit of a tenant says, and proofs that it is the one that was."""

    tree: Callable[[Principal, Rooms], Awaitable[Tree]]
    included: Callable[[Principal, int, int | None, Rooms], Awaitable[Included]]
    consistent: Callable[[Principal, int, int | None, Rooms], Awaitable[Consistent]]
    leaves: Callable[[Principal, Sought, int, int, Rooms], Awaitable[Leaves]]


class DecisionDoors(msgspec.Struct, frozen=True, kw_only=True):
    """What a reviewer may decide on what is held, hold, or move. Each needs a reason."""

    release: Callable[[Principal, MemoryId, Rooms, Ruling, Manner], Awaitable[Case]]
    reject: Callable[[Principal, MemoryId, Rooms, Ruling], Awaitable[Case]]
    escalate: Callable[[Principal, MemoryId, Rooms, Ruling], Awaitable[Case]]
    undo: Callable[[Principal, MemoryId, Rooms, Ruling], Awaitable[Case]]
    hold: Callable[[Principal, MemoryId, Rooms, Ruling], Awaitable[Case]]
    move: Callable[[Principal, MemoryId, Layer, Rooms, Ruling], Awaitable[Case]]


class CaseDoors(msgspec.Struct, frozen=True, kw_only=True):
    """What a reviewer decides a case by."""

    file: Callable[[Principal, MemoryId, Rooms], Awaitable[CaseFile]]


class DossierDoors(msgspec.Struct, frozen=True, kw_only=True):
    """What a reviewer may see of a subject's active memories: labels, and a text for a ground."""

    dossier: Callable[[Principal, SubjectId, str | None, int, Rooms], Awaitable[Dossier]]
    entry: Callable[[Principal, MemoryId, Rooms], Awaitable[Case]]
    disclose: Callable[[Principal, MemoryId, Ground, str, Rooms], Awaitable[Revealed]]


class ReportDoors(msgspec.Struct, frozen=True, kw_only=True):
    """What a SIEM is told: findings for who asks, webhooks for who has them posted, and what was
    given up. None shows content; a webhook's secret is shown by the call that makes it.
    """

    findings: Callable[[Principal, int, int, Rooms], Awaitable[Findings]]
    webhooks: Callable[[Principal, Rooms], Awaitable[list[Webhook]]]
    put_webhook: Callable[[Principal, str, str, Sequence[Event], Rooms], Awaitable[Webhook]]
    rotate_webhook: Callable[[Principal, str, int, Rooms], Awaitable[Webhook]]
    remove_webhook: Callable[[Principal, str, Rooms], Awaitable[None]]
    dead_posts: Callable[[Principal, int, Rooms], Awaitable[list[DeadPost]]]
    replay_posts: Callable[[Principal, str, int | None, Rooms], Awaitable[int]]


class BulkDoors(msgspec.Struct, frozen=True, kw_only=True):
    """What a reviewer decides on many cases at once, as it was shown to him."""

    preview: Callable[[Principal, Verdict, Search | Sequence[MemoryId], Rooms], Awaitable[Preview]]
    decide: Callable[[Principal, Verdict, str, Ruling, Rooms], Awaitable[tuple[Done, ...]]]


class ProposalDoors(msgspec.Struct, frozen=True, kw_only=True):
    """What takes two reviewers: more trust for a memory, and the erasure of what is another's."""

    change_trust: Callable[[Principal, MemoryId, int, Ruling, Rooms], Awaitable[Settled | Proposal]]
    propose_erasure: Callable[[Principal, MemoryId, Ruling, Rooms], Awaitable[Proposal]]
    proposed: Callable[[Principal, str | None, int, Rooms], Awaitable[list[Proposal]]]
    approve: Callable[[Principal, str, Ruling, Rooms], Awaitable[Settled]]
    refuse: Callable[[Principal, str, Ruling, Rooms], Awaitable[Proposal]]


class RevisionDoors(msgspec.Struct, frozen=True, kw_only=True):
    """What replaced what: told, changed, and undone by the subject or a reviewer."""

    history: Callable[[Principal, MemoryId, Rooms], Awaitable[History]]
    amend: Callable[[Principal, MemoryId, Amendment, Rooms], Awaitable[WriteOutcome]]
    amend_once: Callable[[Principal, MemoryId, Amendment, Once, Rooms], Awaitable[Told]]
    restore: Callable[[Principal, MemoryId, Rooms], Awaitable[WriteOutcome]]
    restore_once: Callable[[Principal, MemoryId, Once, Rooms], Awaitable[Told]]
    restore_for: Callable[[Principal, MemoryId, Rooms], Awaitable[Case]]
    doubted: Callable[[Principal, str | None, int, Rooms], Awaitable[Doubts]]
    dismiss: Callable[[Principal, MemoryId, Rooms, Ruling], Awaitable[Dismissed]]


class UseCases(msgspec.Struct, frozen=True, kw_only=True):
    """The guard's doors: the only functions through which the edges reach any memory."""

    remember: Callable[[Principal, Draft, Rooms], Awaitable[WriteOutcome]]
    remember_once: Callable[[Principal, Draft, Once, Rooms], Awaitable[Told]]
    accept: Callable[[Principal, Draft, Once | None, Rooms], Awaitable[Told]]
    status: Callable[[Principal, MemoryId, Rooms], Awaitable[WriteStatus]]
    recall: Callable[[Principal, Query, Rooms], Awaitable[Recollection]]
    forget: Callable[[Principal, MemoryId, Rooms], Awaitable[Receipt]]
    fade: Callable[[Principal, MemoryId, Rooms], Awaitable[Receipt]]
    confirm: Callable[[Principal, MemoryId, Rooms], Awaitable[WriteOutcome]]
    hear: Callable[[Principal, SessionId, Sequence[Turn], Rooms], Awaitable[Heard]]
    fetch: Callable[[Principal, MemoryId, Rooms], Awaitable[Memory]]
    browse: Callable[[Principal, Filter, str | None, int, Rooms], Awaitable[Listing]]
    held: Callable[[Principal, str | None, int, Rooms, Search], Awaitable[Cases]]
    reveal: Callable[[Principal, MemoryId, Ground, str, Rooms], Awaitable[Revealed]]
    cases: CaseDoors
    dossiers: DossierDoors
    decisions: DecisionDoors
    bulk: BulkDoors
    proposals: ProposalDoors
    revisions: RevisionDoors
    traces: TraceDoors
    origins: OriginDoors
    record: RecordDoors
    overview: Callable[[Principal, int, Rooms], Awaitable[Overview]]
    reports: ReportDoors
    tenants: TenantDoors
    queue: QueueDoors
    tokens: TokenDoors
    policies: PolicyDoors


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the HTTP and MCP edge is built from.

    `buckets` count what callers spend and `peers` what addresses do, in this process alone;
    `probes` answer readiness by name; `lifespans` open in order before the first request and close
    in reverse after the last.
    """

    settings: Settings
    rooms: Rooms
    use_cases: UseCases
    verifier: Verifier
    admission: Admission
    revoked: Revoked
    visits: Visits
    buckets: Buckets
    peers: Buckets
    metrics: Metrics
    tracing: Tracing | None = None
    probes: Mapping[str, Probe]
    lifespans: Sequence[Lifespan] = ()
