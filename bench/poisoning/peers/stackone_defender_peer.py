"""stackone-defender: patterns and model at their defaults, with blocking switched on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from stackone_defender import create_prompt_defense

_TOOLS = {
    "web": "web_fetch",
    "document": "read_document",
    "tool_output": "call_tool",
    "agent_relayed": "store_memory",
    "user_stated": "store_memory",
}


def opened(folder: Path) -> Callable[[str, str], dict[str, dict[str, Any]]]:
    """Return the judge."""
    del folder
    defense = create_prompt_defense(block_high_risk=True, require_tier2=True)
    defense.warmup_tier2()

    def judge(text: str, origin: str) -> dict[str, dict[str, Any]]:
        result = defense.defend_tool_result({"content": text}, _TOOLS[origin])
        # It does not run its model on what is too short; then there is nothing to see in it.
        score = 0.0 if result.tier2_score is None else float(result.tier2_score)
        return {"default": {"held": not result.allowed, "score": score}}

    return judge
