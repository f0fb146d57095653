"""Facts and drafts for a stage alone: real views, everything a rule does not look at left empty."""

from datetime import UTC, datetime

from guard.detectors import DETECTORS, SCREENING
from guard.nouns import Detected, Draft, Facts, Tagged
from guard.pipeline import screen
from guard.stages import STAGES
from guard.views import views_of
from memory.origin import Channel, Origin, OriginClass
from memory.signals import Blinded, Signals, Sparse
from memory.types import ClientId, Epoch, MemoryId, Owner, SubjectId, SubjectMark, TenantId
from policies.load import load, shipped
from policies.model import Completion, Effect, Finding, Status

STRICT = load(shipped("strict"), SCREENING)
_AT = datetime(2026, 1, 2, tzinfo=UTC)
_CLASS_OF_TRUST = {
    4: OriginClass.OPERATOR,
    3: OriginClass.USER_STATED,
    2: OriginClass.AGENT_RELAYED,
    1: OriginClass.DOCUMENT,
    0: OriginClass.WEB,
}


def facts_of(text: str, recent_writes: int = 1) -> Facts:
    """Return facts that show this text and nothing else; no detector found anything."""
    return Facts(
        epoch=Epoch(0),
        views=views_of(text),
        signals=Signals({}, {}, ()),
        blinded=Blinded(SubjectMark("0" * 32), {}, Sparse((), ()), ()),
        fingerprint=b"",
        twins=(),
        recent_writes=recent_writes,
        detected=tuple(Detected(Completion(name, Status.DONE)) for name in DETECTORS),
    )


def tagged_of(text: str, trust: int = 0) -> Tagged:
    """Return a draft of this text from an origin of this trust."""
    origin = Origin(
        class_=_CLASS_OF_TRUST[trust],
        trust=trust,
        channel=Channel.REST,
        client=ClientId("client"),
        credential="credential",
        session=None,
        reference=None,
        parents=(),
        at=_AT,
    )
    owner = Owner(TenantId("tenant"), SubjectId("subject"))
    return Tagged(Draft(text), MemoryId("memory"), owner, _AT, origin)


def findings_of(text: str, recent_writes: int = 1) -> tuple[Finding, ...]:
    """Return what all stages find in this text."""
    facts, tagged = facts_of(text, recent_writes), tagged_of(text)
    return tuple(finding for stage in STAGES.values() for finding in stage(tagged, facts))


def reasons_of(text: str) -> set[str]:
    """Return the reasons that the stages give for this text."""
    return {finding.reason for finding in findings_of(text)}


def effect_of(text: str, trust: int) -> Effect:
    """Return what the shipped strict profile makes of this text from this trust."""
    return screen(tagged_of(text, trust), facts_of(text), STAGES, STRICT).decision.effect
