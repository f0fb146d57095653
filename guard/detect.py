"""The screening stages that take time, each under a deadline, and the record that each ran.

A detector that raises, hangs or answers nonsense is recorded as such and holds the write (W11).
Nothing of what it raised is kept: an exception may quote the text.
"""

import asyncio
from collections.abc import Mapping
from typing import Final

from guard.nouns import Detected, Facts, Tagged
from guard.pipeline import sound
from guard.ports import Detector
from guard.watch import Unwatched, Watch
from policies.model import Completion, Finding, Status

_NOBODY: Final = Unwatched()


async def detect(
    tagged: Tagged,
    facts: Facts,
    detectors: Mapping[str, Detector],
    seconds: float,
    watch: Watch = _NOBODY,
) -> tuple[Detected, ...]:
    """Ask the detectors in turn; each has `seconds` and sees what those before it found."""
    detected: list[Detected] = []
    found: list[Finding] = []
    for name, detector in detectors.items():
        with watch.step(f"detect.{name}"):
            outcome = await _asked(name, detector, tagged, facts, found, seconds=seconds)
        watch.detected(name, outcome.completion.status)
        detected.append(outcome)
        found.extend(outcome.findings)
    return tuple(detected)


async def _asked(
    name: str,
    detector: Detector,
    tagged: Tagged,
    facts: Facts,
    before: list[Finding],
    *,
    seconds: float,
) -> Detected:
    try:
        async with asyncio.timeout(seconds):
            findings = await detector.detect(tagged, facts, tuple(before))
        fine = sound(name, findings)
    except TimeoutError:
        return Detected(Completion(name, Status.LATE))
    # A model may fail in any way at all; whatever it was, the write is held for it.
    except Exception:  # noqa: BLE001
        return Detected(Completion(name, Status.FAILED))
    if not fine:
        return Detected(Completion(name, Status.FAILED))
    return Detected(Completion(name, Status.DONE), findings)
