"""What a version of a tenant's rules would have changed, before it holds: a simulation (Q4)."""

from datetime import timedelta
from typing import Final

import msgspec

from guard.enact import candidate
from guard.governing import policy_for, policy_with
from guard.hunt import stock_of
from guard.principal import Principal, Scope
from guard.rooms import Rooms
from guard.simulate import Simulation, since, stretch
from memory.types import MemoryId

MOST: Final = 2_000
"""Decisions that are compared in one call."""


class Foreseen(msgspec.Struct, frozen=True):
    """What would come out otherwise, of at most `MOST` decisions; `cursor` is where to go on."""

    simulation: Simulation
    cursor: MemoryId | None


async def foresee(
    principal: Principal, number: int, days: int, after: MemoryId | None, rooms: Rooms
) -> Foreseen:
    """Compare what holds with a version, or with none for 0, over the decisions of the last days.

    Raises NotFoundError for a version that there isn't. Changes nothing, and opens no text.
    """
    principal.require(Scope.POLICY_READ)
    tenant = principal.owner.tenant
    policies = (
        policy_for(tenant, rooms),
        policy_with(tenant, await candidate(tenant, number, rooms), rooms),
    )
    stored = stock_of(rooms), since(rooms.clock() - timedelta(days=days))
    found, last = await stretch(tenant, policies, stored, rooms.vault, after, MOST)
    return Foreseen(found, last)
