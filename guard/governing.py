"""Which policy decides for a tenant, and which stages and models look at its texts.

Both make the version that each decision records: `<policy>/<models>`, such as
`strict@0f3a…+tenant@3.77b1…/5c0d9a1e`. Equal versions decide alike. Which part differs tells
whether a stored memory is decided again from its findings, or looked at again (R5).
"""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Protocol

import msgspec

from guard.nouns import Screened
from guard.rooms import Rooms
from guard.statutes import InForce
from memory.types import TenantId
from policies.load import Override, tightened
from policies.model import Policy

RULES: Final = 2
"""To be raised when what the stages without a model find has changed so much that stored memories
should be looked at again: every one of them is outdated by that."""
_DIGITS: Final = 8


class Governed(Protocol):
    """What says which policy is in force: `Rooms` have it, and so has a command without them."""

    @property
    def policy(self) -> Policy:
        """The platform's."""
        ...

    @property
    def overrides(self) -> Mapping[TenantId, Override]:
        """What the operator gave tenants."""
        ...

    @property
    def enacted(self) -> InForce:
        """What tenants enacted."""
        ...


def policy_for(tenant: TenantId, rooms: Governed) -> Policy:
    """Return the policy in force for a tenant: the platform's, the rules that the operator gave
    this tenant, and those that the tenant enacted. All of them decide.

    Raises UnavailableError when it is not known what the tenant enacted.
    """
    return policy_with(tenant, rooms.enacted.own(tenant), rooms)


def policy_with(tenant: TenantId, own: Override | None, rooms: Governed) -> Policy:
    """Return the policy that a tenant would have with these rules in the place of its own."""
    beside = (rooms.overrides.get(tenant), own)
    return tightened(rooms.policy, *(one for one in beside if one is not None))


def models_of(rooms: Rooms) -> str:
    """Return the version of all that looks at a text, a few characters; changes with any of it."""
    detectors = tuple((name, detector.version) for name, detector in rooms.detectors.items())
    return _digest(tuple(rooms.stages), detectors)


@lru_cache(maxsize=16)
def _digest(stages: tuple[str, ...], detectors: tuple[tuple[str, str], ...]) -> str:
    # Asked for each memory of each recall, and nearly always the same.
    looking = dict.fromkeys(stages, f"{RULES}") | dict(detectors)
    encoded = msgspec.json.encode(looking, order="sorted")
    return hashlib.sha256(encoded).hexdigest()[:_DIGITS]


def version_for(tenant: TenantId, rooms: Rooms) -> str:
    """Return the version of the decisions that are made for a tenant now."""
    return versioned(policy_for(tenant, rooms), models_of(rooms))


def versioned(policy: Policy, models: str) -> str:
    """Return the version of a decision by this policy on what these models found.

    `models` is empty for what was decided before models had versions.
    """
    return f"{policy.edition}/{models}" if models else policy.edition


def stamped(screened: Screened, policy: Policy, rooms: Rooms) -> Screened:
    """Return it with the models that looked, in the evidence and in the decision's version.

    `policy` is the one that decided: by now another may be in force.
    """
    models = models_of(rooms)
    decision = msgspec.structs.replace(screened.decision, policy=versioned(policy, models))
    return msgspec.structs.replace(screened, decision=decision, models=models)
