"""The screening stages that ask a model. Policy requires each of them, as it does the pure ones.

One that is not configured is there all the same and finds nothing: a stage that could be missing is
one that nobody would miss.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from guard.detectors.unasked import Unasked
from guard.ports import Detector
from guard.stages import STAGES

DETECTORS: Final = ("classifier", "second", "judge")
"""Every detector by name, in the order in which they are asked."""
SCREENING: Final = frozenset((*STAGES, *DETECTORS))
"""The name of everything that looks at a write."""
UNASKED: Final[Mapping[str, Detector]] = MappingProxyType({name: Unasked() for name in DETECTORS})
"""Detectors for where no model is at hand. Each says that it looked, and finds nothing."""
