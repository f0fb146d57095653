"""What became of suspicious writes, as OCSF Detection Findings (class 2004). Pure, and no content.

One memory that was held is one finding: its uid is the memory's id, and what is decided later
updates or closes it. Each audit leaf that tells of it is one event: `metadata.uid` is the leaf's id
and `metadata.sequence` its number, so that what comes twice is known, and what is missing shows.

The version of the schema is `SCHEMA` (https://schema.ocsf.io/1.4.0/classes/detection_finding); what
we keep of it stands as a table in `tests/unit/test_findings.py`.
"""

from collections.abc import Sequence
from enum import StrEnum
from importlib.metadata import version
from typing import Final

import msgspec

from guard.leaves import STATE_AFTER
from guard.nouns import Label, Leaf
from guard.provenance import provenance_in, reasons_in
from memory.types import State

SCHEMA: Final = "1.4.0"
CLASS: Final = 2004
CATEGORY: Final = 2
PRODUCT: Final = "Memguard"
_VERSION: Final = version("memguard-gateway")
_OTHER: Final = 99
_SOURCE: Final = "memory.source"


class Event(StrEnum):
    """What happened to a suspicious write; also what a webhook may ask for."""

    HELD = "held"
    """It waits for a person, now or after it was judged again."""
    AGAIN = "held-again"
    """It was written once more, left to others, or found to contradict more trust: it waits on. Or
    the decision on it was taken back, and it waits again.
    """
    REFUSED = "refused"
    """The policy refused it, and nothing was kept."""
    RELEASED = "released"
    """It is a memory now: a reviewer let it through, or the subject vouched for it."""
    REJECTED = "rejected"
    """A reviewer discarded it, or two had it erased."""
    EXPIRED = "expired"
    """Nobody decided in time."""
    WITHDRAWN = "withdrawn"
    """Its subject had it forgotten before anybody decided."""


class Score(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one detector made of the text: a code and how sure it was, where it says so."""

    reason: str
    severity: str
    score: float | None = None


class Told(msgspec.Struct, frozen=True):
    """One leaf that tells of a finding, and what is known of its memory when it is asked for.

    `label` is None where no memory was kept, `scores` are empty where the evidence is gone.
    """

    sequence: int
    leaf: Leaf
    event: Event
    label: Label | None = None
    scores: tuple[Score, ...] = ()


class Product(msgspec.Struct, frozen=True):
    """OCSF `product`."""

    name: str = PRODUCT
    vendor_name: str = PRODUCT
    version: str = _VERSION


class Metadata(msgspec.Struct, frozen=True):
    """OCSF `metadata`."""

    uid: str
    sequence: int
    tenant_uid: str
    event_code: Event
    version: str = SCHEMA
    product: Product = Product()
    profiles: tuple[str, ...] = ("security_control",)


class Analytic(msgspec.Struct, frozen=True):
    """OCSF `analytic`: the policy that decided."""

    name: str
    uid: str
    type_id: int = 1
    type: str = "Rule"


class FindingInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """OCSF `finding_info`."""

    uid: str
    title: str
    types: tuple[str, ...]
    created_time: int | None = None
    modified_time: int | None = None
    analytic: Analytic | None = None


class User(msgspec.Struct, frozen=True):
    """OCSF `user`."""

    uid: str


class Resource(msgspec.Struct, frozen=True):
    """OCSF `resource_details`: the memory, and whose it is."""

    uid: str
    owner: User
    type: str = "memory"


class Observable(msgspec.Struct, frozen=True):
    """OCSF `observable`: something that findings are joined by."""

    name: str
    value: str
    type_id: int
    type: str


class Unmapped(msgspec.Struct, frozen=True, omit_defaults=True):
    """What OCSF has no place for. `source` and `session` are keyed ids, the same for the same."""

    event: Event
    action: str
    outcome: str
    actor: str
    client: str
    channel: str
    reasons: tuple[str, ...]
    policy: str
    origin: str | None = None
    trust: int | None = None
    source: str | None = None
    session: str | None = None
    scores: tuple[Score, ...] = ()


class Finding(msgspec.Struct, frozen=True):
    """OCSF `detection_finding`."""

    activity_id: int
    activity_name: str
    type_uid: int
    type_name: str
    time: int
    severity_id: int
    severity: str
    status_id: int
    status: str
    action_id: int
    action: str
    disposition_id: int
    disposition: str
    is_alert: bool
    message: str
    metadata: Metadata
    finding_info: FindingInfo
    resources: tuple[Resource, ...]
    observables: tuple[Observable, ...]
    unmapped: Unmapped
    category_uid: int = CATEGORY
    category_name: str = "Findings"
    class_uid: int = CLASS
    class_name: str = "Detection Finding"


class Course(msgspec.Struct, frozen=True):
    """What OCSF says of one event: numbers with their captions."""

    activity: tuple[int, str]
    status: tuple[int, str]
    severity: tuple[int, str]
    action: tuple[int, str]
    disposition: tuple[int, str]
    title: str


_CREATE, _UPDATE, _CLOSE = (1, "Create"), (2, "Update"), (3, "Close")
_NEW, _UNDER_WAY, _RESOLVED = (1, "New"), (2, "In Progress"), (4, "Resolved")
_INFO, _MEDIUM, _HIGH = (1, "Informational"), (3, "Medium"), (4, "High")
_ALLOWED, _DENIED = (1, "Allowed"), (2, "Denied")
_QUARANTINED, _DELETED = (3, "Quarantined"), (5, "Deleted")
COURSES: Final = {
    Event.HELD: Course(
        _CREATE, _NEW, _MEDIUM, _DENIED, _QUARANTINED, "A write to memory was held for review"
    ),
    Event.AGAIN: Course(
        _UPDATE, _UNDER_WAY, _MEDIUM, _DENIED, _QUARANTINED, "A held write to memory waits on"
    ),
    Event.REFUSED: Course(
        _CREATE, _RESOLVED, _HIGH, _DENIED, (2, "Blocked"), "A write to memory was refused"
    ),
    Event.RELEASED: Course(
        _CLOSE,
        (3, "Suppressed"),
        _INFO,
        _ALLOWED,
        (9, "Restored"),
        "A held write to memory was let through",
    ),
    Event.REJECTED: Course(
        _CLOSE, _RESOLVED, _INFO, _DENIED, _DELETED, "A held write to memory was discarded"
    ),
    Event.EXPIRED: Course(
        _CLOSE,
        (_OTHER, "Expired"),
        _INFO,
        _DENIED,
        _DELETED,
        "A held write to memory was given up undecided",
    ),
    Event.WITHDRAWN: Course(
        _CLOSE,
        (_OTHER, "Withdrawn"),
        _INFO,
        _DENIED,
        _DELETED,
        "A held write to memory was forgotten at its subject's wish",
    ),
}
_UNTOUCHED: Final = frozenset({"merged", "faded"})
"""Outcomes that only what is recalled can have: no held memory is merged or fades."""
_GONE_BY: Final = {"expire": Event.EXPIRED, "erase": Event.REJECTED}
"""Who else than its subject makes a held memory go for good."""


def asks_before(leaf: Leaf) -> bool:
    """Return whether a leaf's event depends on what its memory was before it."""
    return leaf.version > 1 and leaf.outcome in STATE_AFTER and leaf.outcome not in _UNTOUCHED


def event_of(leaf: Leaf, before: Leaf | None) -> Event | None:
    """Return what a leaf tells of a finding, None when it tells of none.

    `before` is the leaf that made the version before; it counts where `asks_before` says so.
    """
    after = STATE_AFTER.get(leaf.outcome)
    if leaf.version == 0:
        # Nothing was written: it was refused, or a held twin stands for it.
        told = {"rejected": Event.REFUSED, "quarantined": Event.AGAIN}
        return told.get(leaf.outcome) if leaf.action == "remember" else None
    was_held = before is not None and STATE_AFTER.get(before.outcome) is State.HELD
    if after is State.HELD:
        # What a decision closed is the same finding when that is taken back.
        return Event.AGAIN if was_held or leaf.action == "undo" else Event.HELD
    return _end_of(leaf, after) if was_held else None


def _end_of(leaf: Leaf, after: State | None) -> Event:
    if after is State.REJECTED:
        return Event.REJECTED
    if after is State.FORGOTTEN:
        return _GONE_BY.get(leaf.action, Event.WITHDRAWN)
    return Event.RELEASED


def finding(told: Told) -> Finding:
    """Return the event as OCSF has it."""
    course, leaf, label = COURSES[told.event], told.leaf, told.label
    at = _milliseconds(leaf)
    created = None if label is None else int(label.recorded_at.timestamp() * 1000)
    activity, name = course.activity
    return Finding(
        activity_id=activity,
        activity_name=name,
        type_uid=CLASS * 100 + activity,
        type_name=f"Detection Finding: {name}",
        time=at,
        severity_id=course.severity[0],
        severity=course.severity[1],
        status_id=course.status[0],
        status=course.status[1],
        action_id=course.action[0],
        action=course.action[1],
        disposition_id=course.disposition[0],
        disposition=course.disposition[1],
        is_alert=course.activity == _CREATE,
        message=course.title,
        metadata=Metadata(leaf.id, told.sequence, leaf.tenant, told.event),
        finding_info=FindingInfo(
            uid=leaf.object,
            title=course.title,
            types=_families(reasons_in(leaf)),
            created_time=created,
            modified_time=at,
            analytic=Analytic("policy", leaf.policy) if leaf.policy else None,
        ),
        resources=(Resource(leaf.object, User(leaf.subject)),),
        observables=_observables(leaf, label),
        unmapped=_unmapped(told),
    )


def _milliseconds(leaf: Leaf) -> int:
    return int(leaf.at.timestamp() * 1000)


def _families(reasons: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds of reasons, such as `injection` of `injection.override`."""
    return tuple(dict.fromkeys(reason.partition(".")[0] for reason in reasons))


def _observables(leaf: Leaf, label: Label | None) -> tuple[Observable, ...]:
    found = [
        Observable("resources.uid", leaf.object, 10, "Resource UID"),
        Observable("unmapped.client", leaf.client, _OTHER, "Client"),
    ]
    came = provenance_in(leaf) if label is None else label
    if came is not None and came.source:
        found.append(Observable("unmapped.source", came.source, _OTHER, "Source"))
    return tuple(found)


def _unmapped(told: Told) -> Unmapped:
    leaf, label = told.leaf, told.label
    plain = Unmapped(
        event=told.event,
        action=leaf.action,
        outcome=leaf.outcome,
        actor=leaf.actor,
        client=leaf.client,
        channel=str(leaf.channel),
        reasons=reasons_in(leaf),
        policy=leaf.policy,
        scores=told.scores,
    )
    came = provenance_in(leaf) if label is None else label
    if came is None:
        return plain
    return msgspec.structs.replace(
        plain,
        origin=str(came.origin),
        trust=came.trust,
        source=came.source or None,
        session=came.session or None,
    )
