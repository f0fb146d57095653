"""All that a reviewer decides a case by, without a word of its text (Q1); see `guard.reveal`.

Opened on the way are texts, parents and vectors; what leaves are labels, ids, codes, numbers and
places. So nothing here is written down, and nothing here needs to be.
"""

from typing import Final

import msgspec

from guard.checks import is_current
from guard.errors import NotFoundError, UnreadableError
from guard.forebears import Chain, forebears
from guard.governing import policy_for, versioned
from guard.likecases import Alike, Cluster, alike, clusters
from guard.nouns import Evidence, Label, Row
from guard.opposed import Opposition, opposed_to
from guard.outcomes import Case
from guard.principal import Principal
from guard.retire import REASON_DOUBT
from guard.revise import Proven
from guard.rooms import Rooms
from memory.types import MemoryId, Owner, State, SubjectId
from policies.decide import decide, effect_of
from policies.model import Completion, Effect, Finding, Policy, Span

UNREADABLE: Final = "check.unreadable"
OUTRUN: Final = "check.current"


class Place(msgspec.Struct, frozen=True):
    """Where in what was written: code points [start, end) of the text, or after it, of the other
    fields that the writer filled.
    """

    start: int
    end: int
    in_text: bool


class Found(msgspec.Struct, frozen=True):
    """One finding, what today's policy makes of it alone, and by which rules."""

    finding: Finding
    places: tuple[Place, ...]
    effect: Effect
    rules: tuple[str, ...]


class Verdict(msgspec.Struct, frozen=True):
    """What the policy in force makes of all findings together. `policy` is its version as cases
    name it: equal to a case's, it is the one that held it.
    """

    policy: str
    effect: Effect
    rules: tuple[str, ...]


class Record(msgspec.Struct, frozen=True):
    """What is sealed of a case, as far as it may be told without its text."""

    findings: tuple[Found, ...]
    completions: tuple[Completion, ...]
    today: Verdict
    parents: tuple[MemoryId, ...]
    chain: Chain
    against: Opposition
    alike: tuple[Alike, ...]


class CaseFile(msgspec.Struct, frozen=True):
    """A case, and everything around it. Without a record it failed its proof: its reason says how,
    and its label is what somebody made of it.
    """

    case: Case
    record: Record | None
    clusters: tuple[Cluster, ...]


async def casefile(principal: Principal, id: MemoryId, rooms: Rooms) -> CaseFile:
    """Return what the reviewer's tenant holds, or has in doubt, under this id.

    Raises NotFoundError for whatever else the tenant has, and for what it has not.
    """
    # (1) Find it, and prove it.
    tenant = principal.owner.tenant
    held = await rooms.quarantine.case(tenant, id)
    row = held or await rooms.quarantine.case(tenant, id, State.ACTIVE)
    if row is None:
        raise NotFoundError
    label = row.sealed.label
    owner = Owner(tenant, SubjectId(label.subject))
    memory = await _proven(owner, row, rooms)

    # (2) What is stored and in no doubt is none of a reviewer's business; nor is it when nobody can
    # tell any more.
    doubted = isinstance(memory, Proven) and REASON_DOUBT in memory.evidence.reasons
    if held is None and not doubted:
        raise NotFoundError

    # (3) What surrounds it in the queue is known by its label; everything else is sealed.
    around = await clusters(tenant, label, rooms)
    if not isinstance(memory, Proven):
        return CaseFile(Case(label, (memory,)), None, around)
    record = await _record(memory, rooms)
    return CaseFile(Case(label, memory.evidence.reasons), record, around)


async def _proven(owner: Owner, row: Row, rooms: Rooms) -> Proven | str:
    """Return the memory, or the reason for which nobody can tell what it is."""
    try:
        opened = await rooms.vault.open(owner, row.sealed)
        evidence = await rooms.vault.open_evidence(owner, row.sealed)
    except UnreadableError:
        return UNREADABLE
    return Proven(owner, row.sealed, opened, evidence) if is_current(row) else OUTRUN


async def _record(memory: Proven, rooms: Rooms) -> Record:
    label, evidence, body = memory.opened.label, memory.evidence, memory.opened.body
    policy = policy_for(memory.owner.tenant, rooms)
    return Record(
        findings=tuple(_found(one, len(body.text), label, policy) for one in evidence.findings),
        completions=evidence.completions,
        today=_verdict(policy, label, evidence),
        parents=body.parents,
        chain=await forebears(memory, rooms),
        against=await opposed_to(memory, rooms),
        alike=await alike(memory, rooms),
    )


def _found(finding: Finding, length: int, label: Label, policy: Policy) -> Found:
    alone = decide(policy, label.trust, (), (finding,))
    places = tuple(_place(span, length) for span in finding.spans)
    return Found(finding, places, effect_of(policy, label.trust, finding), alone.rules)


def _place(span: Span, length: int) -> Place:
    return Place(span.start, span.end, span.start < length)


def _verdict(policy: Policy, label: Label, evidence: Evidence) -> Verdict:
    made = decide(policy, label.trust, evidence.completions, evidence.findings)
    return Verdict(versioned(policy, evidence.models), made.effect, made.rules)
