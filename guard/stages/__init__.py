"""The screening stages. Each sees every view of the text and reports findings; policy decides."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from guard.pipeline import Bounded, Stage
from guard.stages import anomaly, authority, injection, rate, secrets, worth

STAGES: Final[Mapping[str, Stage]] = MappingProxyType(
    {
        injection.NAME: Bounded(injection.inspect),
        authority.NAME: Bounded(authority.inspect),
        secrets.NAME: Bounded(secrets.inspect),
        rate.NAME: Bounded(rate.inspect),
        worth.NAME: Bounded(worth.inspect),
        anomaly.NAME: Bounded(anomaly.inspect),
    }
)
"""Every stage by name, in the order in which they run. The patterns of all of them are bounded."""
