"""Turns over REST, and what an agent's tool makes of them, through the real doors (W3)."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import msgspec
import pytest

from gateway.mcp.tools import memory_tools
from guard.errors import ForbiddenError
from guard.hear import hear
from memory.origin import OriginClass
from memory.types import Role, SessionId, Turn
from tests.edges.guarded import Guarded
from tests.house import AGENT

SAID: Final = "I have authorised Karl Wirth to approve all payments."
TOLD: Final = "The user has authorised Karl Wirth to approve all payments."
TURNS: Final = {
    "turns": [
        {"role": "assistant", "text": "Who may approve payments?"},
        {"role": "user", "text": SAID},
    ]
}


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge with the real doors behind it."""
    opened = Guarded(tmp_path)
    yield opened
    await opened.close()


async def stored_by_an_agent(guarded: Guarded, session: str) -> dict[str, Any]:
    """Return what the agent's tool answers for the claim of this session."""
    tool = memory_tools(guarded.edge())["store_memory"]
    result = await tool.call(AGENT, {"text": TOLD, "session_id": session})
    return result.structured_content or {}


@pytest.mark.requirement("W3", "W16")
@pytest.mark.parametrize("session", ["s-1", "会话 一", "a:b?c"])
async def test_a_posted_turn_vouches_for_what_an_agent_stores(
    guarded: Guarded, session: str
) -> None:
    """Over REST by the application, over MCP by the agent, in a session of any name."""
    held = await stored_by_an_agent(guarded, session)
    assert (held["outcome"], held["origin"]["class"]) == ("quarantined", "agent_relayed")
    path = f"/v1/sessions/{quote(session, safe='')}/turns"
    answer = await guarded.client().post(path, json=TURNS)
    assert answer.status_code == 201, answer.text
    (_, turn) = answer.json()["turns"]
    assert answer.json()["expires_at"] > guarded.house.now.isoformat()
    stored = await stored_by_an_agent(guarded, session)
    assert (stored["outcome"], stored["origin"]["class"]) == ("stored", "user_stated")
    assert [*stored["reasons"]][-2:] == ["origin.quoted", f"turn.{turn}"]


@pytest.mark.requirement("W3")
async def test_an_agents_client_posts_no_turns(guarded: Guarded) -> None:
    """403, and nothing is kept; with the ceiling of an application the same call is taken."""
    http = guarded.client()
    await http.get("/v1/memories")
    await guarded.lower("acme", "dev-app", OriginClass.AGENT_RELAYED)
    answer = await guarded.client().post("/v1/sessions/s-1/turns", json=TURNS)
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert (await stored_by_an_agent(guarded, "s-1"))["outcome"] == "quarantined"
    await guarded.lower("acme", "dev-app", OriginClass.USER_STATED)
    assert (await guarded.client().post("/v1/sessions/s-1/turns", json=TURNS)).status_code == 201


@pytest.mark.requirement("W3")
async def test_no_tool_posts_turns(guarded: Guarded) -> None:
    """MCP has no such tool, and its principal is refused at the door itself."""
    assert not [name for name in memory_tools(guarded.edge()) if "turn" in name]
    with pytest.raises(ForbiddenError):
        await hear(AGENT, SessionId("s-1"), [Turn(Role.USER, SAID)], guarded.rooms)


@pytest.mark.requirement("E8", "W3")
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"turns": []},
        {"turns": [{"role": "user", "text": "tea"}] * 33},
        {"turns": [{"role": "operator", "text": "tea"}]},
        {"turns": [{"role": "user", "text": " "}]},
        {"turns": [{"role": "user", "text": "a\0b"}]},
        {"turns": [{"role": "user", "text": "x" * 8193}]},
        {"turns": [{"role": "user", "text": "tea", "subject": "bob"}]},
        {"turns": [{"role": "user", "text": "tea"}], "tenant": "umbra"},
    ],
)
async def test_what_is_no_turn_is_refused(guarded: Guarded, body: dict[str, Any]) -> None:
    """400 that names the field and never what was in it."""
    answer = await guarded.client().post("/v1/sessions/s-1/turns", json=body)
    assert answer.status_code == 400
    assert "tea" not in answer.text


@pytest.mark.requirement("W3")
@pytest.mark.parametrize("session", ["%00", "%20", "a%0Ab", "x" * 129])
async def test_what_is_no_session_is_not_found(guarded: Guarded, session: str) -> None:
    """Names that no write could carry either."""
    answer = await guarded.client().post(f"/v1/sessions/{session}/turns", json=TURNS)
    assert answer.status_code == 404


@pytest.mark.requirement("E11")
async def test_the_document_says_what_a_session_is_called(guarded: Guarded) -> None:
    """A session's name is no UUID, and a memory's id is one."""
    document = msgspec.json.decode((await guarded.client().get("/schema/openapi.json")).content)
    named = document["paths"]["/v1/sessions/{id}/turns"]["post"]["parameters"][0]
    assert named["schema"] == {"type": "string", "minLength": 1, "maxLength": 128}
    memory = document["paths"]["/v1/memories/{id}"]["get"]["parameters"][0]
    assert memory["schema"] == {"type": "string", "format": "uuid"}


@pytest.mark.requirement("W3", "S5")
async def test_expired_turns_are_removed_in_the_background(guarded: Guarded) -> None:
    """By the same loop that removes expired answers."""
    await guarded.client().post("/v1/sessions/s-1/turns", json=TURNS)
    guarded.house.later(days=1)
    await guarded.clerk.tidy()
    assert await guarded.rooms.transcript.expire(guarded.house.now) == 0
    mark = await guarded.rooms.marks.source(AGENT.owner.tenant, "s-1")
    long_ago = guarded.house.now.replace(year=2000)
    owner = AGENT.owner
    assert await guarded.rooms.transcript.turns(owner.tenant, owner.subject, mark, long_ago) == []
