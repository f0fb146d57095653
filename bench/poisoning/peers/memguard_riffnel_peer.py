"""memguard-riffnel (no relation): its presets, and what is left of them without the origin.

Both presets hold whatever is said to come from outside, honest or not; `content alone` calls it the
output of a tool and shows what its detectors see in the text.
"""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memguard import MemGuard, MemGuardConfig

_SOURCES = {
    "web": "external_content",
    "document": "external_content",
    "tool_output": "tool_output",
    "agent_relayed": "agent_internal",
    "user_stated": "user_input",
}
_PRESETS = {"balanced": "balanced", "strict": "strict", "content alone": "balanced"}


def opened(folder: Path) -> Callable[[str, str], dict[str, dict[str, Any]]]:
    """Return the judge. It gives no score."""
    guards = {name: _guard(preset, folder / name) for name, preset in _PRESETS.items()}
    numbers = itertools.count()

    def judge(text: str, origin: str) -> dict[str, dict[str, Any]]:
        number = next(numbers)
        verdicts = {}
        for name, guard in guards.items():
            source = "tool_output" if name == "content alone" else _SOURCES[origin]
            # A key and a session of its own: writes of a session are limited in number.
            key = f"note-{number}"
            result = guard.write(key, text, source_type=source, session_id=key)
            guard.delete(key)
            verdicts[name] = {"held": not result.allowed, "score": None}
        return verdicts

    return judge


def _guard(preset: str, folder: Path) -> MemGuard:
    config = MemGuardConfig.preset(preset)
    config.db_path = str(folder / "memories.db")
    config.audit_path = str(folder / "audit.jsonl")
    config.key_path = str(folder / "keys")
    return MemGuard(config=config)
