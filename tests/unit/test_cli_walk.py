"""The walk of the demo keeps its word: it passes a sound gateway and catches each kind of fault."""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from gateway.cli.edges import Answer, EdgeError, forged
from gateway.cli.walk import CLAIM, PAGE, PAGE_CHINESE, Step, Tokens, Walk

TOKENS: Final = Tokens(
    user="acme/alice/app",
    agent="acme/alice/agent",
    stranger="globex/alice/app",
    neighbour="acme/bob/app",
    forged="forged",
)
HELD: Final = (PAGE, PAGE_CHINESE, CLAIM)


class Double:
    """A gateway in twenty lines that keeps every promise but the one that `fault` names."""

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.kept: dict[str, dict[str, Any]] = {}

    async def ask(
        self, token: str, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> Answer:
        """Answer like REST."""
        if path == "/mcp":
            return Answer(200 if self.fault == "believes forged tokens" else 401, {})
        if token == "forged":
            if self.fault != "believes forged tokens":
                return Answer(401, {"title": "Authentication required"})
            token = TOKENS.user
        if self.fault == "says nothing":
            return Answer(200, {})
        _, _, room, *rest = path.split("/")
        if method == "POST":
            return self._post(token, room, rest, dict(body or {}))
        if method == "DELETE":
            return self._forget(rest[0])
        return self._get(token, rest[0]) if rest else self._recall(token, lists=True)

    def _post(self, token: str, room: str, rest: list[str], body: dict[str, Any]) -> Answer:
        if room == "recall":
            return self._recall(token)
        return self._confirm(token, rest[0]) if rest else self._store(token, body, "user_stated", 3)

    async def call(self, token: str, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Answer like MCP."""
        if self.fault == "has no MCP":
            raise EdgeError("unreachable")
        if self.fault == "says nothing":
            return Answer(200, {})
        if tool == "store_memory":
            return self._store(token, dict(arguments), "agent_relayed", 2)
        if tool == "forget_memory":
            return self._forget(arguments["id"])
        return self._recall(token)

    def _store(self, token: str, body: dict[str, Any], class_: str, trust: int) -> Answer:
        id = f"id-{len(self.kept)}"
        held = body["text"] in HELD and not (
            (self.fault == "lets pages in" and body["text"] != CLAIM)
            or (self.fault == "lets claims in" and body["text"] == CLAIM)
        )
        self.kept[id] = {
            "id": id,
            "text": body["text"],
            "origin": class_,
            "score": 0.5,
            "owner": token.rpartition("/")[0],
            "held": held,
        }
        outcome = "quarantined" if held else "stored"
        origin = {"class": class_, "trust": 4 if self.fault == "raises trust" else trust}
        return Answer(201, {"id": id, "outcome": outcome, "origin": origin, "reasons": []})

    def _mine(self, token: str) -> list[dict[str, Any]]:
        owner = token.rpartition("/")[0]
        if self.fault == "shares tenants":
            return [row for row in self.kept.values() if row["owner"].endswith("/alice")]
        if self.fault == "shares subjects":
            return [row for row in self.kept.values() if row["owner"][:5] == owner[:5]]
        return [row for row in self.kept.values() if row["owner"] == owner]

    def _recall(self, token: str, *, lists: bool = False) -> Answer:
        if self.fault == "recalls nothing" and not lists:
            return Answer(200, {"items": [], "reliable": False, "context": ""})
        items = [row for row in self._mine(token) if not row["held"] or self.fault == "shows held"]
        text = "" if self.fault == "fences nothing" else str([row["text"] for row in items])
        return Answer(200, {"items": items, "reliable": True, "context": text})

    def _get(self, token: str, id: str) -> Answer:
        found = [row for row in self._mine(token) if row["id"] == id]
        if not found and self.fault == "tells foreign ids" and id in self.kept:
            return Answer(404, {"title": "Not yours"})
        return Answer(200, found[0]) if found else Answer(404, {"title": "Not found"})

    def _confirm(self, token: str, id: str) -> Answer:
        if token == TOKENS.agent and self.fault != "lets agents confirm":
            return Answer(403, {})
        self.kept[id]["held"] = False
        origin = {"class": "user_stated", "trust": 3}
        return Answer(200, {"id": id, "outcome": "stored", "origin": origin, "reasons": []})

    def _forget(self, id: str) -> Answer:
        if self.fault != "forgets nothing":
            del self.kept[id]
        return Answer(200, {"id": id, "removed": ["content"]})


async def _walk(fault: str = "") -> list[Step]:
    told: list[Step] = []
    steps = await Walk(Double(fault), TOKENS, told.append).run()
    assert told == steps
    return steps


async def test_a_sound_gateway_passes_every_step() -> None:
    """Nothing is wrong when every promise is kept: the positive control of all that follows."""
    steps = await _walk()
    assert [step for step in steps if not step.ok] == []
    assert len(steps) == len({step.step for step in steps}) > 10


@pytest.mark.parametrize(
    ("fault", "caught_by"),
    [
        ("recalls nothing", "recall it in Chinese"),
        ("fences nothing", "recall it in English"),
        ("raises trust", "store what the user says, in English"),
        ("lets pages in", "hold a poisoned page, in Chinese"),
        ("lets claims in", "hold an agent's claim of authority"),
        ("shows held", "recall nothing of the poisoned pages"),
        ("lets agents confirm", "refuse the agent's own confirmation"),
        ("believes forged tokens", "refuse a forged token"),
        ("shares tenants", "show another tenant nothing"),
        ("shares subjects", "show another user nothing"),
        ("tells foreign ids", "show another tenant nothing"),
        ("forgets nothing", "recall nothing that is forgotten"),
        ("has no MCP", "forget over MCP"),
    ],
)
async def test_a_broken_promise_is_caught_by_its_step(fault: str, caught_by: str) -> None:
    """Each fault makes the step that promises the opposite come out wrong."""
    wrong = [step.step for step in await _walk(fault) if not step.ok]
    assert caught_by in wrong


async def test_a_step_that_leans_on_a_missing_id_is_wrong() -> None:
    """When a store kept nothing, the steps that would look for it do not pass by looking away."""
    right = [step.step for step in await _walk("says nothing") if step.ok]
    assert right == ["refuse a forged token"]


def test_a_forged_token_differs_in_its_payload_alone() -> None:
    """Header and signature stay, so that only the signature check can tell."""
    token = "aGVhZA.eyJzdWIiOiJtYWxsb3J5In0.c2ln"
    assert forged(token, sub="alice") == "aGVhZA.eyJzdWIiOiJhbGljZSJ9.c2ln"
