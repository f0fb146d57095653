"""Which policy decides for a tenant, and which stages and models look at its texts.

Both make the version that each decision records: `<policy>/<models>`, such as
`strict@0f3a…+tenant@77b1…/5c0d9a1e`. Equal versions decide alike. Which part differs tells whether
a stored memory is decided again from its findings, or looked at again (R5).
"""

import hashlib
from typing import Final

import msgspec

from guard.nouns import Screened
from guard.rooms import Rooms
from memory.types import TenantId
from policies.load import tightened
from policies.model import Policy

RULES: Final = 1
"""To be raised when what the stages without a model find has changed so much that stored memories
should be looked at again: every one of them is outdated by that."""
_DIGITS: Final = 8


def policy_for(tenant: TenantId, rooms: Rooms) -> Policy:
    """Return the policy in force for a tenant: the platform's, beside the tenant's own rules."""
    own = rooms.overrides.get(tenant)
    return rooms.policy if own is None else tightened(rooms.policy, own)


def models_of(rooms: Rooms) -> str:
    """Return the version of all that looks at a text, a few characters; changes with any of it."""
    looking = dict.fromkeys(rooms.stages, f"{RULES}")
    looking |= {name: detector.version for name, detector in rooms.detectors.items()}
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


def stamped(screened: Screened, rooms: Rooms) -> Screened:
    """Return it with the models that looked, in the evidence and in the decision's version."""
    models = models_of(rooms)
    policy = policy_for(screened.tagged.owner.tenant, rooms)
    decision = msgspec.structs.replace(screened.decision, policy=versioned(policy, models))
    return msgspec.structs.replace(screened, decision=decision, models=models)
