"""Finds a burst of writes from one origin (W8's floor; the limits at the edge come on top)."""

from typing import Final

from guard.nouns import Facts, Tagged
from guard.pipeline import Stage
from policies.model import Finding, Severity

NAME: Final = "rate"
WRITES_PER_WINDOW: Final = 120
"""Twice what a person's busy session writes; a flood that shifts recall needs more."""


def rate_stage(limit: int) -> Stage:
    """Return the stage that finds `burst` when an origin has written more than `limit` times."""
    if limit < 1:
        raise ValueError("a limit below one write would hold everything")

    def inspect(_tagged: Tagged, facts: Facts) -> tuple[Finding, ...]:
        if facts.recent_writes <= limit:
            return ()
        return (Finding(NAME, "burst", Severity.MEDIUM),)

    return inspect


inspect = rate_stage(WRITES_PER_WINDOW)
