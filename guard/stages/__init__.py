"""The screening stages. Each sees every view of the text and reports findings; policy decides."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from guard.pipeline import Stage
from guard.stages import anomaly, authority, injection, rate, secrets, worth

STAGES: Final[Mapping[str, Stage]] = MappingProxyType(
    {
        injection.NAME: injection.inspect,
        authority.NAME: authority.inspect,
        secrets.NAME: secrets.inspect,
        rate.NAME: rate.inspect,
        worth.NAME: worth.inspect,
        anomaly.NAME: anomaly.inspect,
    }
)
"""Every stage by name, in the order in which they run."""
