"""The screening stages. Each sees every view of the text and reports findings; policy decides."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from guard.pipeline import Bounded, Stage
from guard.stages import anomaly, authority, injection, rate, secrets, worth

STAGES: Final[Mapping[str, Stage]] = MappingProxyType(
    {
        injection.NAME: Bounded(text=injection.inspect),
        authority.NAME: Bounded(text=authority.inspect),
        secrets.NAME: Bounded(text=secrets.inspect),
        rate.NAME: Bounded(rate.inspect),
        worth.NAME: Bounded(text=worth.inspect),
        anomaly.NAME: Bounded(anomaly.inspect, text=anomaly.inspect_text),
    }
)
"""Every stage by name, in the order in which they run. The patterns of all of them are bounded."""
