"""memwall: what its gateway holds, by the origin it is told; its severity serves as a score."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from memwall.heuristics import evaluate
from memwall.models import MemoryRecord, Severity
from memwall.policy import resolve

_SETTINGS = {name: resolve(name) for name in ("balanced", "strict")}
_ORIGINS = {
    "web": "web",
    "document": "document",
    "tool_output": "tool",
    "agent_relayed": "agent",
    "user_stated": "user",
}


def opened(folder: Path) -> Callable[[str, str], dict[str, dict[str, Any]]]:
    """Return the judge."""
    del folder

    def judge(text: str, origin: str) -> dict[str, dict[str, Any]]:
        record = MemoryRecord(id="1", content=text, store="gateway", source="store_memory")
        worst = evaluate(record).max_severity
        score = 0.0 if worst is None else (worst + 1) / (Severity.CRITICAL + 1)
        return {
            name: {
                "held": worst is not None and worst >= policy.threshold_for(_ORIGINS[origin]),
                "score": score if name == "balanced" else None,  # the settings differ in thresholds
            }
            for name, policy in _SETTINGS.items()
        }

    return judge
