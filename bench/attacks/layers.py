"""The defences of the gateway, added one at a time by composing its rooms.

There is no switch in the product that takes one away; what is left out here is left out of the
rooms: stages, detectors and the rules that name them, origins, bounds of recall.
"""

from collections.abc import Mapping
from typing import Final, TypeVar

import msgspec

from gateway.doors import UseCases
from guard.nouns import Draft
from guard.outcomes import WriteOutcome
from guard.pipeline import Stage
from guard.ports import Detector
from guard.principal import Principal
from guard.rooms import Rooms
from memory.origin import Hint, OriginClass
from memory.ranking import Thresholds
from policies.model import Effect, Policy

T = TypeVar("T", Stage, Detector)

ORIGIN: Final = ("authority",)
RULES: Final = ("injection", "secrets", "worth")
MODELS: Final = ("classifier", "second", "judge")
ANOMALY: Final = ("anomaly", "rate")
_EVERYTHING: Final = Thresholds(reliable=0.0, kept=0.0)
_MANY: Final = 1000


class Layer(msgspec.Struct, frozen=True):
    """What is in force: these stages, origins or none, and the bounds and marks of recall."""

    name: str
    stages: tuple[str, ...]
    origins: bool = True
    marks: bool = False

    def rooms(self, rooms: Rooms) -> Rooms:
        """Return the rooms with nothing more than this layer and those under it."""
        unknown = set(rooms.policy.stages) - {*ORIGIN, *RULES, *MODELS, *ANOMALY}
        if unknown:
            raise LookupError(f"no layer has the stages {', '.join(sorted(unknown))}")
        bounds = rooms.bounds
        if not self.marks:
            bounds = msgspec.structs.replace(bounds, low_trust_items=_MANY, thresholds=_EVERYTHING)
        return msgspec.structs.replace(
            rooms,
            policy=self._policy(rooms.policy),
            stages=self._some(rooms.stages),
            detectors=self._some(rooms.detectors),
            bounds=bounds,
        )

    def doors(self, use_cases: UseCases) -> UseCases:
        """Return the doors; without origins, whatever is written counts as the subject's own."""
        if self.origins:
            return use_cases

        async def remember(principal: Principal, draft: Draft, rooms: Rooms) -> WriteOutcome:
            own = msgspec.structs.replace(principal, ceiling=OriginClass.USER_STATED)
            bare = msgspec.structs.replace(draft, hint=Hint())
            return await use_cases.remember(own, bare, rooms)

        return msgspec.structs.replace(use_cases, remember=remember)

    def _some(self, by_name: Mapping[str, T]) -> Mapping[str, T]:
        return {name: one for name, one in by_name.items() if name in self.stages}

    def _policy(self, policy: Policy) -> Policy:
        return Policy(
            name="part",
            version=f"part-{len(self.stages)}",
            stages=tuple(name for name in policy.stages if name in self.stages),
            rules=tuple(rule for rule in policy.rules if rule.stage in self.stages),
            otherwise=policy.otherwise if self.stages else Effect.ALLOW,
        )


LAYERS: Final = (
    Layer("none", (), origins=False),
    Layer("origin and trust", ORIGIN),
    Layer("rules", (*ORIGIN, *RULES)),
    Layer("classifier", (*ORIGIN, *RULES, *MODELS)),
    Layer("anomaly", (*ORIGIN, *RULES, *MODELS, *ANOMALY)),
    Layer("recall", (*ORIGIN, *RULES, *MODELS, *ANOMALY), marks=True),
)
"""From a bare store to the gateway as it is served; each has all that those before it have."""
