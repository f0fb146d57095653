"""What an admitted draft becomes, ready to be sealed: layer, importance, expiry and content."""

from datetime import datetime, timedelta
from typing import Final

from guard.nouns import Admitted, Draft, Screened
from guard.rooms import Bounds
from memory.origin import Origin
from memory.ranking import LOW_TRUST
from memory.signals import Signals
from memory.types import Body, Kind, Layer, LeafId, State, Trigger
from policies.model import Decision

_LOWERED: Final = 0.5
"""What is left of the confidence in a memory that policy lowers."""


def admit(
    screened: Screened,
    signals: Signals,
    fingerprint: bytes,
    bounds: Bounds,
    *,
    state: State,
    leaf: LeafId,
) -> Admitted:
    """Return a screened draft ready to be sealed, with layer, importance and expiry settled."""
    tagged = screened.tagged
    draft, origin = tagged.draft, tagged.origin
    layer = draft.layer or Layer.EPISODIC
    return Admitted(
        screened=screened,
        body=_body(draft, origin),
        signals=signals,
        fingerprint=fingerprint,
        layer=layer,
        state=state,
        importance=_importance(draft, origin, bounds),
        confidence=confidence_of(screened.decision, origin.trust, bounds),
        recorded_at=tagged.at,
        expires_at=expiry(tagged.at, layer, draft.ttl_days, bounds),
        revision=1,
        version=1,
        leaf=leaf,
    )


def _importance(draft: Draft, origin: Origin, bounds: Bounds) -> float:
    """Return how much it matters: a correction of the user's more than other things (W13).

    What comes from outside corrects nobody, whatever it says of itself.
    """
    importance = bounds.importance_default if draft.importance is None else draft.importance
    if draft.trigger is Trigger.USER_CORRECTION and origin.trust > LOW_TRUST:
        return max(importance, bounds.importance_correction)
    return importance


def confidence_of(decision: Decision, trust: int, bounds: Bounds) -> float:
    """Return how far a memory counts in ranking after this decision."""
    confidence = bounds.confidence(trust)
    return confidence * _LOWERED if decision.lowered else confidence


def _body(draft: Draft, origin: Origin) -> Body:
    return Body(
        text=draft.text,
        kind=draft.kind or Kind.NOTE,
        entities=draft.entities,
        occurred_at=draft.occurred_at,
        metadata=dict(draft.metadata),
        reference=origin.reference,
        session=origin.session,
        parents=origin.parents,
        credential=origin.credential,
        trigger=draft.trigger,
    )


def expiry(at: datetime, layer: Layer, ttl_days: int | None, bounds: Bounds) -> datetime:
    """Return until when a memory is kept that was put into a layer at that time."""
    semantic = layer is Layer.SEMANTIC
    default = bounds.ttl_semantic_days if semantic else bounds.ttl_episodic_days
    return at + timedelta(days=default if ttl_days is None else ttl_days)
