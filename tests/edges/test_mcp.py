"""MCP over real sockets with the official client: each transport, one check, the same doors."""

import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from gateway.scopes import TOOLS
from guard.errors import InvalidError, LimitedError, UnavailableError
from guard.outcomes import Quarantined, Rejected
from memory.origin import Channel, OriginClass
from tests.edges.world import ID, OTHER_ID, World, bearer, token

Connect = Callable[[str, str], AbstractAsyncContextManager[Client]]


@asynccontextmanager
async def _streamable(url: str, value: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=bearer(value), timeout=20) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        yield client


@asynccontextmanager
async def _older_streamable(url: str, value: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=bearer(value), timeout=20) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode="legacy") as client,
    ):
        yield client


@asynccontextmanager
async def _sse(url: str, value: str) -> AsyncIterator[Client]:
    async with Client(sse_client(f"{url}/sse", headers=bearer(value)), mode="legacy") as client:
        yield client


@asynccontextmanager
async def _stdio(url: str, value: str) -> AsyncIterator[Client]:
    """Start the program that a desktop client starts, and speak to it."""
    program = StdioServerParameters(
        command=sys.executable,
        args=["-m", "gateway", "mcp", "--url", url],
        env={**os.environ, "MEMGUARD_TOKEN": value},
    )
    async with Client(program) as client:
        yield client


@pytest.fixture(
    params=[_streamable, _older_streamable, _sse, _stdio],
    ids=["http", "http-older", "sse", "stdio"],
)
def connect(request: pytest.FixtureRequest) -> Connect:
    """Return a way to connect: each transport in turn."""
    way: Connect = request.param
    return way


@pytest.mark.requirement("M1", "M4", "M6", "W3")
async def test_the_tools_work_over_every_transport(
    live_url: str, world: World, signing_key: dict[str, Any], connect: Connect
) -> None:
    """Store, recall and forget reach the same doors as REST, as an agent and not as the user."""
    async with connect(live_url, token(signing_key)) as client:
        tools = {one.name: one for one in (await client.list_tools()).tools}
        assert tools.keys() == TOOLS.keys()
        assert all("$ref" not in json.dumps(one.input_schema) for one in tools.values())
        stored = await client.call_tool("store_memory", {"text": "靠过道 aisle"})
        assert not stored.is_error
        assert stored.structured_content == {
            "outcome": "stored",
            "origin": {"class": "user_stated", "trust": 3},
            "reasons": [],
            "id": ID,
        }
        recalled = await client.call_tool("recall_memory", {"query": "seat", "k": 3})
        assert [one.text for one in recalled.content if one.type == "text"] == [
            "<fence>aisle</fence>"
        ]
        assert recalled.structured_content is not None
        assert recalled.structured_content["items"][0]["id"] == ID
        for name, arguments in (
            ("save_preference", {"preference": "always aisle 靠过道"}),
            ("update_memory", {"id": ID, "text": "window"}),
            ("get_context", {"task": "book a flight"}),
            ("list_memories", {}),
            ("summarize_memories", {"topic": "seats"}),
            ("forget_memory", {"id": ID}),
        ):
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, answer.content
    doors = ["remember", "recall", "remember", "amend", "recall", "browse", "recall", "forget"]
    assert world.calls.names == doors
    for _, principal, _what in world.calls.made:
        assert principal.channel is Channel.MCP
        assert principal.ceiling is OriginClass.AGENT_RELAYED
        assert (principal.owner.tenant, principal.owner.subject) == ("acme", "alice")


LOOKS: list[tuple[str, dict[str, Any]]] = [
    ("recall_memory", {"query": "seat"}),
    ("get_context", {"task": "book a flight"}),
    ("list_memories", {"limit": 1}),
    ("summarize_memories", {"topic": "seat"}),
    ("summarize_memories", {}),
]


@pytest.mark.requirement("R8", "M4")
async def test_recalled_text_reaches_a_model_only_inside_the_fence(
    live_url: str, signing_key: dict[str, Any], connect: Connect
) -> None:
    """The structured part names memories and their trust, and does not repeat their text."""
    async with connect(live_url, token(signing_key)) as client:
        for name, arguments in LOOKS:
            answer = await client.call_tool(name, arguments)
            told = answer.structured_content
            assert told is not None
            assert ID in json.dumps(told)
            (block,) = answer.content
            assert block.type == "text"
            assert block.text == told.pop("context")
            assert "likes the aisle" not in json.dumps(told)
            # Positive control: where the gateway fences it here, the text is in it, behind a bar.
            if name != "recall_memory":
                lines = [line for line in block.text.splitlines() if "likes the aisle" in line]
                assert lines
                assert all(line.startswith("| ") for line in lines)


BAD_ARGUMENTS: list[tuple[str, dict[str, Any], str]] = [
    ("store_memory", {}, "text"),
    ("store_memory", {"text": ""}, "text"),
    ("store_memory", {"text": " "}, "text"),
    ("store_memory", {"text": "a\0"}, "text"),
    ("store_memory", {"text": "a" * 8193}, "8192"),
    ("store_memory", {"text": "a", "tenant": "acme"}, "unknown field tenant"),
    ("store_memory", {"text": "a", "subject": "bob"}, "unknown field subject"),
    ("store_memory", {"text": "a", "kind": "zyzzyva"}, "kind: not one of"),
    ("store_memory", {"text": "a", "ttl_days": "5"}, "ttl_days"),
    ("recall_memory", {"query": "a", "k": 10**9}, "k"),
    ("recall_memory", {"query": "a", "tenant_id": "acme"}, "unknown field tenant_id"),
    ("forget_memory", {}, "id"),
    ("save_preference", {"text": "a"}, "unknown field text"),
    ("save_preference", {}, "preference"),
    ("save_preference", {"preference": "a" * 8193}, "8192"),
    ("update_memory", {"text": "a"}, "id"),
    ("update_memory", {"id": ID}, "nothing to change"),
    ("update_memory", {"id": ID, "importance": 2}, "importance"),
    ("get_context", {"task": "a", "max_tokens": 5}, "max_tokens"),
    ("get_context", {"task": " "}, "task"),
    ("list_memories", {"limit": 21}, "limit"),
    ("list_memories", {"kinds": ["zyzzyva"]}, "kinds"),
    ("list_memories", {"states": ["held"]}, "unknown field states"),
    ("summarize_memories", {"sentences": 0}, "sentences"),
]


@pytest.mark.requirement("M4", "E3", "E8", "E9")
async def test_a_wrong_argument_says_how_to_repair_the_call(
    live_url: str, world: World, signing_key: dict[str, Any], connect: Connect
) -> None:
    """The model gets a tool error that names the field and not the value; no door is called."""
    async with connect(live_url, token(signing_key)) as client:
        for name, arguments, hint in BAD_ARGUMENTS:
            answer = await client.call_tool(name, arguments)
            assert answer.is_error, (name, arguments)
            (block,) = answer.content
            assert block.type == "text"
            told = json.loads(block.text)["error"]
            assert told["code"] == "invalid"
            assert hint in told["detail"]
            assert told["repair"]
            assert "zyzzyva" not in block.text
        unknown = await client.call_tool("forget_memory", {"id": OTHER_ID})
        shapeless = await client.call_tool("forget_memory", {"id": "x" * 36})
        assert unknown.is_error
        assert unknown.content == shapeless.content
    assert world.calls.names == ["forget"]


@pytest.mark.requirement("E9", "M4")
async def test_errors_and_refusals_come_from_the_same_table(
    live_url: str, world: World, signing_key: dict[str, Any], connect: Connect
) -> None:
    """Each failure is a tool error with REST's code; an unforeseen one keeps its words."""
    async with connect(live_url, token(signing_key)) as client:
        for error, code in (
            (InvalidError("origin.parents: not all are memories of yours"), "invalid"),
            (LimitedError(3), "limited"),
            (UnavailableError("ledger"), "unavailable"),
            (RuntimeError("zyzzyva"), "internal"),
        ):
            world.calls.failure = error
            answer = await client.call_tool("store_memory", {"text": "a"})
            (block,) = answer.content
            assert answer.is_error
            assert block.type == "text"
            assert json.loads(block.text)["error"]["code"] == code
            assert "zyzzyva" not in block.text
        world.calls.failure = None
        for outcome, is_error in (
            (Quarantined(ID, OriginClass.WEB, 0, ("injection.override",)), False),
            (Rejected(OriginClass.WEB, 0, ("secrets.key",)), True),
        ):
            world.calls.outcome = outcome
            answer = await client.call_tool("store_memory", {"text": "a"})
            assert answer.is_error is is_error
            assert answer.structured_content is not None
            assert answer.structured_content["reasons"] == list(outcome.reasons)


@pytest.mark.requirement("E4")
async def test_tools_without_scope_are_hidden_and_refused(
    live_url: str, world: World, signing_key: dict[str, Any], connect: Connect
) -> None:
    """A token sees and calls exactly what the table grants it."""
    async with connect(live_url, token(signing_key, scope="memory:read")) as client:
        shown = {one.name for one in (await client.list_tools()).tools}
        assert shown == {name for name, scope in TOOLS.items() if scope == "memory:read"}
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("no_such_tool", {"text": "a"})
        for name in TOOLS.keys() - shown:
            assert await _refusal(client, name) == ("forbidden", TOOLS[name].value)
        assert not (await client.call_tool("recall_memory", {"query": "a"})).is_error
    assert world.calls.names == ["recall"]


async def _refusal(client: Client, name: str) -> tuple[str, str]:
    """Return the code and the scope that a refused call tells of, in whichever form."""
    try:
        answer = await client.call_tool(name, {"text": "a"})
    except MCPError as error:
        told = error.error.data
    else:
        (block,) = answer.content
        assert answer.is_error
        assert block.type == "text"
        told = json.loads(block.text)["error"]
    return told["code"], told["scope"]


@pytest.mark.requirement("M2", "E4")
@pytest.mark.parametrize(
    ("method", "params", "scope"),
    [
        ("tools/call", {"name": "store_memory", "arguments": {}}, "memory:write"),
        ("tools/call", {"name": "forget_memory", "arguments": {"id": ID}}, "memory:delete"),
        ("tools/call", {"name": "list_memories"}, "memory:read"),
        ("resources/read", {"uri": "memory://profile"}, "memory:read"),
        ("resources/read", {"uri": f"memory://{ID}"}, "memory:read"),
        ("prompts/get", {"name": "answer_with_memory"}, "memory:read"),
    ],
)
async def test_a_call_without_its_scope_is_challenged_for_it(
    live_url: str,
    signing_key: dict[str, Any],
    method: str,
    params: dict[str, Any],
    scope: str,
) -> None:
    """403 names what this one operation needs, so that a client can ask for it and try again."""
    others = " ".join({"memory:read", "memory:write", "memory:delete"} - {scope})
    message = {"jsonrpc": "2.0", "id": "seven", "method": method, "params": params}
    async with httpx2.AsyncClient(base_url=live_url) as http:
        headers = bearer(token(signing_key, scope=others)) | ACCEPT
        answer = await http.post("/mcp", json=message, headers=headers)
        assert answer.status_code == 403
        challenge = answer.headers["www-authenticate"]
        assert challenge.startswith('Bearer error="insufficient_scope"')
        assert f'scope="{scope}"' in challenge
        assert "/.well-known/oauth-protected-resource/mcp" in challenge
        assert answer.json()["id"] == "seven"
        assert answer.json()["error"]["data"] == {"code": "forbidden", "scope": scope}
        session = await _open_session(http, token(signing_key))
        allowed = bearer(token(signing_key, scope=scope)) | ACCEPT | session
        assert (await http.post("/mcp", json=message, headers=allowed)).status_code == 200


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}


async def _open_session(http: httpx2.AsyncClient, value: str) -> dict[str, str]:
    opened = await http.post("/mcp", json=INITIALIZE, headers=bearer(value) | ACCEPT)
    assert opened.status_code == 200
    session = {
        "mcp-session-id": opened.headers["mcp-session-id"],
        "mcp-protocol-version": "2025-06-18",
    }
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    await http.post("/mcp", json=note, headers=bearer(value) | ACCEPT | session)
    return session


@pytest.mark.requirement("M3")
async def test_a_session_answers_no_other_principal(
    live_url: str, world: World, signing_key: dict[str, Any]
) -> None:
    """Another subject, tenant or client with a stolen session id finds nothing there."""
    async with httpx2.AsyncClient(base_url=live_url) as http:
        session = await _open_session(http, token(signing_key))
        call = _call("recall_memory", {"query": "a"})

        async def ask(method: str = "POST", **changes: str) -> int:
            headers = bearer(token(signing_key, **changes)) | ACCEPT | session
            return (await http.request(method, "/mcp", json=call, headers=headers)).status_code

        assert await ask(sub="bob") == 404
        assert await ask(tid="globex") == 404
        assert await ask(azp="another-app") == 404
        assert await ask("GET", sub="bob") == 404
        assert await ask("DELETE", tid="globex") == 404
        assert world.calls.names == []
        assert await ask(jti="a-fresh-token-of-the-same-principal") == 200
    assert world.calls.names == ["recall"]


@pytest.mark.requirement("M3", "E11")
async def test_open_sessions_are_counted(
    live_url: str, world: World, signing_key: dict[str, Any]
) -> None:
    """Over both transports, until they end."""

    async def counted() -> int:
        page = (await world.metrics.page()).decode()
        (line,) = [one for one in page.splitlines() if one.startswith("memguard_mcp_sessions ")]
        return int(float(line.split()[1]))

    own = bearer(token(signing_key))
    async with httpx2.AsyncClient(base_url=live_url) as http:
        session = await _open_session(http, token(signing_key))
        assert await counted() == 1
        async with http.stream("GET", "/sse", headers=own) as stream:
            assert stream.status_code == 200
            assert await counted() == 2
        await http.delete("/mcp", headers=own | session)
        with anyio.fail_after(8):
            while await counted():  # noqa: ASYNC110 - the other end tells of no event
                await anyio.sleep(0.01)


@pytest.mark.requirement("M3")
async def test_pairs_of_tenant_and_client_do_not_collide(
    live_url: str, signing_key: dict[str, Any]
) -> None:
    """Names that join to the same text are still different owners."""
    async with httpx2.AsyncClient(base_url=live_url) as http:
        session = await _open_session(http, token(signing_key, tid='a","b', azp="c"))
        headers = bearer(token(signing_key, tid="a", azp='b","c')) | ACCEPT | session
        call = _call("recall_memory", {"query": "a"})
        assert (await http.post("/mcp", json=call, headers=headers)).status_code == 404


@pytest.mark.requirement("E4", "M3")
async def test_scopes_come_from_the_message_not_from_the_session(
    live_url: str, world: World, signing_key: dict[str, Any]
) -> None:
    """A session opened with all scopes lends none of them to a later, narrower token."""
    async with httpx2.AsyncClient(base_url=live_url) as http:
        session = await _open_session(http, token(signing_key))
        headers = bearer(token(signing_key, scope="memory:read")) | ACCEPT | session
        refused = await http.post(
            "/mcp", json=_call("store_memory", {"text": "a"}), headers=headers
        )
        assert refused.status_code == 403
        allowed = await http.post(
            "/mcp", json=_call("recall_memory", {"query": "a"}), headers=headers
        )
        assert "fence" in allowed.text
    assert world.calls.names == ["recall"]


@pytest.mark.requirement("M3")
async def test_an_sse_session_answers_no_other_principal(
    live_url: str, signing_key: dict[str, Any]
) -> None:
    """Posting into another's stream gets 404, posting into one's own 202."""
    async with (
        httpx2.AsyncClient(base_url=live_url) as http,
        http.stream("GET", "/sse", headers=bearer(token(signing_key))) as stream,
    ):
        endpoint = ""
        lines = stream.aiter_lines()  # kept: dropping it would close the stream
        while not endpoint:
            line = await anext(lines)
            endpoint = line.removeprefix("data:").strip() if line.startswith("data:") else ""
        for changes in ({"sub": "bob"}, {"tid": "globex"}, {"azp": "another-app"}):
            answer = await http.post(
                endpoint, json=INITIALIZE, headers=bearer(token(signing_key, **changes))
            )
            assert answer.status_code == 404
        own = await http.post(endpoint, json=INITIALIZE, headers=bearer(token(signing_key)))
        assert own.status_code == 202


@pytest.mark.requirement("M1", "E1")
@pytest.mark.parametrize("path", ["/sse", "/mcp"])
async def test_a_stream_ends_with_its_token(
    live_url: str, world: World, signing_key: dict[str, Any], path: str
) -> None:
    """A stream opened in time is closed when its token, leeway included, is over."""
    leeway = world.settings.auth.leeway_seconds
    short = token(signing_key, exp=int(time.time()) + 2 - leeway)
    async with httpx2.AsyncClient(base_url=live_url, timeout=20) as http:
        session = await _open_session(http, short) if path == "/mcp" else {}
        headers = bearer(short) | session | {"Accept": "text/event-stream"}
        with anyio.fail_after(8):
            async with http.stream("GET", path, headers=headers) as stream:
                assert stream.status_code == 200
                async for _ in stream.aiter_bytes():
                    pass


@pytest.mark.requirement("M2")
@pytest.mark.parametrize(("method", "path"), [("POST", "/mcp"), ("GET", "/sse")])
async def test_a_foreign_host_or_origin_is_refused(
    live_url: str, signing_key: dict[str, Any], method: str, path: str
) -> None:
    """A page of another site can't reach the endpoints through a rebound name."""
    headers = bearer(token(signing_key)) | ACCEPT
    async with httpx2.AsyncClient(base_url=live_url) as http:
        for name, value, status in (
            ("Host", "evil.example", 421),
            ("Origin", "http://evil.example", 403),
        ):
            answer = await http.request(
                method, path, json=INITIALIZE, headers=headers | {name: value}
            )
            assert answer.status_code == status


@pytest.mark.requirement("M2")
async def test_metadata_names_the_resource_and_its_scopes(live_url: str) -> None:
    """A client that was refused finds out where it is and what to ask for."""
    async with httpx2.AsyncClient(base_url=live_url) as http:
        refused = await http.post("/mcp", json=INITIALIZE, headers=ACCEPT)
        assert "oauth-protected-resource/mcp" in refused.headers["www-authenticate"]
        for resource in ("mcp", "sse"):
            told = (await http.get(f"/.well-known/oauth-protected-resource/{resource}")).json()
            assert told["resource"].endswith(f"/{resource}")
            assert told["scopes_supported"] == ["memory:delete", "memory:read", "memory:write"]
            assert told["bearer_methods_supported"] == ["header"]
