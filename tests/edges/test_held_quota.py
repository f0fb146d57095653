"""A full quarantine and a text that is not worth keeping, as callers of both edges see them."""

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from mcp.types import TextContent

from gateway.mcp.refusals import refused
from gateway.mcp.tools import memory_tools
from guard.held import QuarantineFullError
from memory.types import ClientId
from tests.edges.guarded import ATTACK, UNTROUBLED, Guarded
from tests.house import AGENT


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge with the real doors behind it, where one write of an origin may be held."""
    opened = Guarded(tmp_path)
    opened.change(bounds=msgspec.structs.replace(opened.rooms.bounds, held_origin=1))
    yield opened
    await opened.close()


@pytest.mark.requirement("Q12", "E9")
async def test_a_full_quarantine_refuses_over_rest(guarded: Guarded) -> None:
    """429 with a code of its own and a time to come back; what may be stored is stored."""
    http = guarded.client()
    first = await http.post("/v1/memories", json={"text": ATTACK})
    assert (first.status_code, first.json()["outcome"]) == (202, "quarantined")
    second = await http.post("/v1/memories", json={"text": f"{ATTACK} Twice."})
    assert (second.status_code, second.json()["code"]) == (429, "quarantine_full")
    assert int(second.headers["Retry-After"]) > 60
    assert "Twice" not in second.text
    stored = await http.post("/v1/memories", json={"text": UNTROUBLED})
    assert stored.json()["outcome"] == "stored"


@pytest.mark.requirement("Q12", "E9", "M6")
async def test_a_full_quarantine_refuses_over_mcp(guarded: Guarded) -> None:
    """The tool error has the same code, and says when to try again."""
    tool = memory_tools(guarded.edge())["store_memory"]
    principal = msgspec.structs.replace(AGENT, client=ClientId("dev-app"))
    held = await tool.call(principal, {"text": ATTACK})
    assert held.structured_content is not None
    assert held.structured_content["outcome"] == "quarantined"
    with pytest.raises(QuarantineFullError) as full:
        await tool.call(principal, {"text": f"{ATTACK} Twice."})
    answer = refused(full.value)
    (told,) = answer.content
    assert isinstance(told, TextContent)
    assert answer.is_error
    assert '"code":"quarantine_full"' in told.text
    assert '"retry_after_seconds":3600' in told.text


@pytest.mark.requirement("W5", "W12", "M6")
async def test_a_skipped_write_is_no_error_and_says_why(guarded: Guarded) -> None:
    """200 without an id over REST, a result without an id over MCP; nothing is listed."""
    http = guarded.client()
    answer = await http.post("/v1/memories", json={"text": "Thanks a lot!"})
    origin = {"class": "user_stated", "trust": 3}
    said = {"outcome": "skipped", "origin": origin, "reasons": ["worth.acknowledgement"]}
    assert (answer.status_code, answer.json()) == (200, said)
    assert "Location" not in answer.headers
    principal = msgspec.structs.replace(AGENT, client=ClientId("dev-app"))
    told = await memory_tools(guarded.edge())["store_memory"].call(principal, {"text": "你好！"})
    assert told.structured_content is not None
    assert not told.is_error
    assert told.structured_content["reasons"] == ("worth.greeting",)
    assert await guarded.texts(http) == []
