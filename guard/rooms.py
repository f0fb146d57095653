"""Everything a use-case works with, wired once by the composition root."""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from guard.claimed import ByClaims
from guard.closely import Closely
from guard.doubts import Doubts, Undoubted
from guard.hot import Hot
from guard.lately import Lately
from guard.magnets import Magnets
from guard.ordering import Ordering
from guard.origins import Bans, Origins, Unbarred
from guard.pipeline import Stage
from guard.ports import (
    Answers,
    Audit,
    Clock,
    Detector,
    Embedder,
    Envelopes,
    Index,
    Journal,
    Ledger,
    Marks,
    NewId,
    Quarantine,
    Queue,
    Rates,
    Registry,
    Remarks,
    Stock,
    Traces,
    Transcript,
    Vault,
)
from guard.relating import Relating, Telling
from guard.rewording import Rewording
from guard.statutes import InForce, Statutes, Unenacted
from guard.turns import Turns
from guard.undoable import Irrevocable, Proposals, Undoing, Unproposed
from guard.unhooked import Unhooked
from guard.unremarked import Unremarked
from guard.untraced import Untraced
from guard.watch import Unwatched, Watch
from guard.webhooks import Hooking
from memory.assembly import ContextBounds, CountTokens, estimate_tokens
from memory.fusion import DEFAULT_WEIGHTS, NO_RAMPS, Fusion, FusionWeights, Ramp
from memory.ranking import DEFAULT_RANKING, DEFAULT_THRESHOLDS, RankingBounds, Thresholds
from memory.types import TenantId
from policies.load import Override
from policies.model import Policy


class Bounds(msgspec.Struct, frozen=True):
    """Configured limits that the use-cases apply, each with its unit."""

    ttl_episodic_days: int = 30
    ttl_semantic_days: int = 180
    importance_default: float = 0.5
    importance_correction: float = 0.8
    route_hits: int = 20
    session_neighbours: int = 16
    rerank_items: int = 20
    low_trust_items: int = 2
    context: ContextBounds = ContextBounds()
    unindexed_rows: int = 256
    near_rows: int = 16
    near_fresh: int = 256
    kin_rows: int = 12
    held_tenant: int = 10_000
    held_origin: int = 500
    held_days: int = 30
    undo_minutes: int = 10
    proposal_days: int = 7
    degraded_rows: int = 1000
    commit_attempts: int = 8
    answer_hours: int = 24
    queued_writes: int = 10_000
    turn_minutes: int = 240
    session_turns: int = 200
    session_bytes: int = 262_144
    stages_seconds: float = 10.0
    detector_seconds: float = 5.0
    rescreen_items: int = 8
    rescreen_seconds: float = 2.0
    fusion: Fusion = Fusion.WEIGHTED
    weights: FusionWeights = DEFAULT_WEIGHTS
    ranking: RankingBounds = DEFAULT_RANKING
    thresholds: Thresholds = DEFAULT_THRESHOLDS
    ramps: Mapping[str, Ramp] = NO_RAMPS
    confidence_by_trust: tuple[float, float, float, float, float] = (0.4, 0.6, 0.8, 1.0, 1.0)

    def confidence(self, trust: int) -> float:
        """Return how far a memory of this trust counts in ranking, in (0, 1]."""
        return self.confidence_by_trust[trust]


class Rooms(msgspec.Struct, frozen=True):
    """The ports and the policy in force. Which decides for a tenant, `guard.governing` says."""

    clock: Clock
    new_id: NewId
    policy: Policy
    stages: Mapping[str, Stage]
    vault: Vault
    marks: Marks
    ledger: Ledger
    quarantine: Quarantine
    index: Index
    embedder: Embedder
    rates: Rates
    audit: Audit
    journal: Journal
    registry: Registry
    turns: Turns
    bounds: Bounds
    envelopes: Envelopes
    answers: Answers
    queue: Queue
    transcript: Transcript
    watch: Watch = Unwatched()
    traces: Traces = Untraced()
    remarks: Remarks = Unremarked()
    undoing: Undoing = Irrevocable()
    proposals: Proposals = Unproposed()
    doubts: Doubts = Undoubted()
    hooking: Hooking = Hooking(Unhooked())
    hot: Hot = Hot()
    lately: Lately = Lately()
    detectors: Mapping[str, Detector] = MappingProxyType({})
    overrides: Mapping[TenantId, Override] = MappingProxyType({})
    enacted: InForce = Unenacted()
    statutes: Statutes = Unenacted()
    stock: Stock | None = None
    bans: Bans = Unbarred()
    origins: Origins | None = None
    magnets: Magnets | None = None
    relating: Relating = ByClaims()
    count: CountTokens = estimate_tokens
    closely: Closely | None = None
    rewording: Rewording | None = None
    ordering: Ordering | None = None
    telling: Telling | None = None
