"""What stands where a detector could be and none is configured."""

from collections.abc import Sequence

from guard.nouns import Facts, Tagged
from policies.model import Finding


class Unasked:
    """Fulfils `guard.ports.Detector`, and asks nobody."""

    @property
    def version(self) -> str:
        """Changes when a model is configured, so that stored memories are looked at again."""
        return "none"

    async def detect(
        self, tagged: Tagged, facts: Facts, before: Sequence[Finding]
    ) -> tuple[Finding, ...]:
        """Return nothing."""
        del tagged, facts, before
        return ()
