"""A ledger on disk as an older release left it: what looked at its memories found nothing."""

from collections.abc import Iterable, Sequence

import msgspec

from gateway.app.keep import opened_keep
from gateway.app.rescanning import opened_rooms
from gateway.app.serving import prepare_models
from gateway.settings import Settings
from guard.nouns import Draft, Facts, Tagged
from guard.outcomes import Stored
from guard.principal import Principal
from guard.remember import remember
from memory.types import MemoryId
from policies.model import Finding


class Older:
    """A detector of the older release, which minded nothing."""

    version = "older@1"

    async def detect(
        self, _tagged: Tagged, _facts: Facts, _before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Find nothing."""
        return ()


def _blind(_tagged: Tagged, _facts: Facts) -> tuple[Finding, ...]:
    return ()


async def store_aged(settings: Settings, writer: Principal, texts: Iterable[str]) -> list[MemoryId]:
    """Store texts on the settings' ledger as the older release would have; return their ids."""
    prepare_models(settings, lambda _step, _done, _total: None)
    ids = []
    async with opened_keep(settings) as keep, opened_rooms(settings, keep) as rooms:
        older = msgspec.structs.replace(
            rooms,
            stages=dict.fromkeys(rooms.stages, _blind),
            detectors=dict.fromkeys(rooms.detectors, Older()),
        )
        for text in texts:
            outcome = await remember(writer, Draft(text), older)
            assert isinstance(outcome, Stored)
            ids.append(outcome.id)
    return ids
