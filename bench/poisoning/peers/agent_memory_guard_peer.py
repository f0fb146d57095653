"""agent-memory-guard: its documented policy, and the hardened set-up that its own bench grades."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_memory_guard import MemoryGuard, PolicyViolation
from agent_memory_guard.bench.adapters.baseline import AMGHardenedAdapter, AMGStrictAdapter
from agent_memory_guard.events import Action, SourceClass

_SETTINGS = {"strict": AMGStrictAdapter, "hardened": AMGHardenedAdapter}
_SOURCES = {
    "user_stated": SourceClass.USER_INPUT,
    "agent_relayed": SourceClass.AGENT_AUTHORED,
}
_KEY = "session.notes"
_HOLDING = (Action.BLOCK, Action.QUARANTINE)


def opened(folder: Path) -> Callable[[str, str], dict[str, dict[str, Any]]]:
    """Return the judge. It gives no score."""
    del folder

    def judge(text: str, origin: str) -> dict[str, dict[str, Any]]:
        source = _SOURCES.get(origin, SourceClass.EXTERNAL_TOOL)
        # A fresh guard a text: its detectors count how often a key is written.
        return {
            name: {"held": _held(adapter()._guard, text, source), "score": None}  # noqa: SLF001
            for name, adapter in _SETTINGS.items()
        }

    return judge


def _held(guard: MemoryGuard, text: str, source: SourceClass) -> bool:
    try:
        return guard.write(_KEY, text, source_class=source) in _HOLDING
    except PolicyViolation:
        return True
