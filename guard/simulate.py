"""What another policy would have made of what is stored, told in numbers (Q4). Changes nothing.

Both policies decide on the same stored findings, as they would at recall: what a person released or
confirmed stays as long as neither rejects it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

import msgspec

from guard.checks import STANDING
from guard.errors import UnreadableError
from guard.nouns import Evidence, Row
from guard.ports import Stock, Stretch, Sweep, Vault
from memory.types import MemoryId, Owner, State, SubjectId, TenantId
from policies.decide import MONITOR, decide, strictest
from policies.model import Decision, Effect, Policy, Status

SAMPLES: Final = 5
"""Ids that are named for each kind of change."""
OTHERWISE: Final = "(otherwise)"
"""Stands for what calls for an effect without being a rule."""
_STRETCH: Final = 256
_KEPT: Final = (State.ACTIVE, State.HELD, State.SUPERSEDED)

Progress = Callable[[int], None]
"""Told how many decisions have been looked at so far."""


class Moved(msgspec.Struct, frozen=True):
    """Decisions that would come out otherwise in the same way, with some of their ids."""

    before: Effect
    after: Effect
    count: int
    samples: tuple[MemoryId, ...]


class Mover(msgspec.Struct, frozen=True):
    """A rule that makes decisions stricter (`tightens`), or whose absence makes them looser."""

    rule: str
    tightens: bool
    count: int
    samples: tuple[MemoryId, ...]


class Simulation(msgspec.Struct, frozen=True):
    """What would come out otherwise. `decisions` were compared; of the rest, `incomplete` lack a
    stage that a policy requires, until a rescan has looked, and `unreadable` failed their proof.

    `recorded` counts what a watching policy wrote down that it would have done at the time.
    """

    current: str
    candidate: str
    decisions: int
    incomplete: int
    unreadable: int
    recorded: dict[str, int]
    changes: tuple[Moved, ...]
    rules: tuple[Mover, ...]


def since(at: datetime) -> Sweep:
    """Return the sweep over everything that was stored since and still has its findings."""
    return Sweep(states=_KEPT, since=at)


async def simulate(
    tenant: TenantId,
    policies: tuple[Policy, Policy],
    stored: tuple[Stock, Sweep],
    vault: Vault,
    progress: Progress,
) -> Simulation:
    """Compare the policy in force with a candidate, in this order, over stored decisions."""
    comparison, seen = _Comparison(*policies), 0
    after: MemoryId | None = None
    while True:
        read = await _compared(tenant, comparison, stored, vault, after)
        seen += len(read.rows)
        progress(seen)
        if read.last is None:
            return comparison.result()
        after = read.last


async def stretch(  # noqa: PLR0917 - a simulation, and from where to where
    tenant: TenantId,
    policies: tuple[Policy, Policy],
    stored: tuple[Stock, Sweep],
    vault: Vault,
    after: MemoryId | None,
    most: int,
) -> tuple[Simulation, MemoryId | None]:
    """Compare two policies over about `most` decisions after `after`; return where to go on."""
    comparison, seen = _Comparison(*policies), 0
    while seen < most:
        read = await _compared(tenant, comparison, stored, vault, after)
        seen += len(read.rows)
        after = read.last
        if after is None:
            break
    return comparison.result(), after


async def _compared(
    tenant: TenantId,
    comparison: "_Comparison",
    stored: tuple[Stock, Sweep],
    vault: Vault,
    after: MemoryId | None,
) -> Stretch:
    stock, sweep = stored
    read = await stock.rows(tenant, sweep, after, _STRETCH)
    for row in read.rows:
        owner = Owner(tenant, SubjectId(row.sealed.label.subject))
        try:
            comparison.add(row, await vault.open_evidence(owner, row.sealed))
        except UnreadableError:
            comparison.unreadable += 1
    return read


class _Comparison:
    """Two policies side by side, one decision after the other."""

    def __init__(self, current: Policy, candidate: Policy) -> None:
        self.unreadable = 0
        self._current, self._candidate = current, candidate
        self._required = {*current.stages, *candidate.stages}
        self._decisions = self._incomplete = 0
        self._recorded: Counter[str] = Counter()
        self._changes: defaultdict[tuple[Effect, Effect], list[MemoryId]] = defaultdict(list)
        self._movers: defaultdict[tuple[str, bool], list[MemoryId]] = defaultdict(list)

    def add(self, row: Row, evidence: Evidence) -> None:
        """Compare what both make of one memory."""
        done = {c.stage for c in evidence.completions if c.status is Status.DONE}
        if not done >= self._required:
            self._incomplete += 1
            return
        self._decisions += 1
        self._recorded.update(r for r in evidence.reasons if r.partition(".")[0] == MONITOR)
        label = row.sealed.label
        before, after = (
            decide(policy, label.trust, evidence.completions, evidence.findings)
            for policy in (self._current, self._candidate)
        )
        one, other = (_lasting(d.effect, evidence.reasons) for d in (before, after))
        if one is other:
            return
        self._changes[one, other].append(label.id)
        tightens = strictest((one, other)) is other
        policy, decision = (self._candidate, after) if tightens else (self._current, before)
        for rule in _callers(policy, decision):
            self._movers[rule, tightens].append(label.id)

    def result(self) -> Simulation:
        """Return what was found, most frequent first."""
        return Simulation(
            current=self._current.edition,
            candidate=self._candidate.edition,
            decisions=self._decisions,
            incomplete=self._incomplete,
            unreadable=self.unreadable,
            recorded=dict(self._recorded.most_common()),
            changes=tuple(
                Moved(before, after, len(ids), tuple(ids[-SAMPLES:]))
                for (before, after), ids in sorted(self._changes.items(), key=_fewness)
            ),
            rules=tuple(
                Mover(rule, tightens, len(ids), tuple(ids[-SAMPLES:]))
                for (rule, tightens), ids in sorted(self._movers.items(), key=_fewness)
            ),
        )


def _fewness(item: tuple[object, list[MemoryId]]) -> int:
    return -len(item[1])


def _lasting(effect: Effect, reasons: Iterable[str]) -> Effect:
    """Return the effect on what is stored: a person's decision stands against a hold."""
    stands = effect is Effect.QUARANTINE and bool(set(STANDING) & set(reasons))
    return Effect.ALLOW if stands else effect


def _callers(policy: Policy, decision: Decision) -> list[str]:
    """Return the rules that called for exactly the effect of a decision."""
    effects = {rule.id: rule.effect for rule in policy.every_rule}
    found = [id for id in decision.rules if effects[id] is decision.effect]
    return found or [OTHERWISE]
