"""A chat endpoint on the loopback address: the embeddings double, answering as a language model.

It is a gullible one. It does what any line of the message tells it, except those between lines that
carry the mark it was told of: so a text that gets out of its enclosure decides the verdict.
"""

import json
import re
from typing import Any, Final

from guard.errors import UnavailableError
from memory.types import TenantId
from tests.contracts.embedding_double import Answer, Asked, Reply

MODEL: Final = "tiny-judge-1"
OBEYS: Final = re.compile(r"VERDICT (\w+)")
"""What a line says that the model obeys."""
_MARK = re.compile(r"The mark is ([0-9a-f]{32})\.")


class Gate:
    """Says of every tenant what a test wants."""

    def __init__(self, *, is_open: bool = True) -> None:
        self.is_open = is_open
        self.is_down = False

    async def __call__(self, tenant: TenantId) -> bool:
        """Return whether texts may leave."""
        assert tenant == "acme"
        if self.is_down:
            raise UnavailableError("ledger")
        return self.is_open


def verdict(
    verdict: str = "honest", confidence: float = 0.95, reason_code: str | None = None
) -> dict[str, Any]:
    """Return an answer in the fixed form."""
    code = reason_code or ("none" if verdict == "honest" else "goal_hijack")
    return {"verdict": verdict, "confidence": confidence, "reason_code": code}


def saying(content: object, **changed: object) -> Answer:
    """Return an endpoint's answer with this content, JSON unless it is a string."""
    said = content if isinstance(content, str) else json.dumps(content)
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": said},
    }
    whole = {"id": "x", "object": "chat.completion", "model": MODEL, "choices": [choice | changed]}
    return lambda _asked: Reply(body=json.dumps(whole).encode())


def gullible(asked: Asked) -> Reply:
    """Obey what stands outside the marked lines; without any order, find an attack."""
    message = asked.body["messages"][1]["content"]
    found = OBEYS.search("\n".join(outside(message)))
    return saying(verdict(found[1] if found else "attack"))(asked)


def outside(message: str) -> list[str]:
    """Return the lines that no marked lines enclose; the message itself says what the mark is."""
    mark = _MARK.search(message.splitlines()[0])
    assert mark is not None
    lines, inside = [], False
    for line in message.splitlines():
        if line.startswith(f"--- {mark[1]} reading "):
            inside = line.endswith("begins ---")
        elif not inside:
            lines.append(line)
    return lines
