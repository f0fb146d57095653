"""The clients that people use, against a gateway as they run it: list, store, recall, forget."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gateway import app
from gateway.scopes import TOOLS
from gateway.settings import Settings
from tests.live.gateway_process import MEMGUARD, SCOPES, GatewayProcess
from tests.live.mcp import agents
from tests.live.mcp.agents import Agent, Connected
from tests.live.mcp.npm import Npm

pytestmark = [
    pytest.mark.live,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.requirement("M1", "M7"),
]

README = Path(__file__).parents[3] / "README.md"
LOCAL = "http://127.0.0.1:8080"
_SAID = "The user wants window seats on the train to Lisbon."


def _token(settings: Settings, subject: str) -> str:
    return app.token(
        settings,
        tenant="acme",
        subject=subject,
        scopes=SCOPES,
        client="trip-agent",
        ttl_seconds=3600,
    )


async def _use(agent: Agent) -> None:
    """Have an agent see its tools, store, recall, forget, and find nothing any more."""
    assert await agent.tools() == TOOLS.keys()
    stored = await agent.call("store_memory", text=_SAID)
    assert stored.structured_content is not None
    assert stored.structured_content["outcome"] == "stored"
    assert stored.structured_content["origin"] == {"class": "agent_relayed", "trust": 2}
    id = stored.structured_content["id"]
    assert f"| {_SAID}" in await _recalled(agent)
    forgotten = await agent.call("forget_memory", id=id)
    assert forgotten.structured_content is not None
    assert "content" in forgotten.structured_content["removed"]
    assert _SAID not in await _recalled(agent)


async def _recalled(agent: Agent) -> str:
    found = await agent.call("recall_memory", query="Which seat on the train to Lisbon?")
    (block,) = found.content
    assert block.type == "text"
    return block.text


_SDK: dict[str, Callable[[str, str], Connected]] = {
    "http": agents.sdk_http,
    "sse": agents.sdk_sse,
    "stdio": lambda url, token: agents.sdk_stdio(token, "--url", url),
}


@pytest.mark.parametrize("way", _SDK)
async def test_the_python_sdk(shared: GatewayProcess, way: str) -> None:
    """Over Streamable HTTP, HTTP+SSE, and a program that passes on to the gateway."""
    async with _SDK[way](shared.url, _token(shared.settings, f"sdk-{way}")) as agent:
        await _use(agent)


async def test_the_python_sdk_with_a_gateway_of_its_own(tmp_path: Path, models: Path) -> None:
    """`memguard mcp --embedded` is program and gateway in one, over a data directory."""
    own = GatewayProcess(tmp_path / "data", models)  # never started: its folder is what is needed
    token = _token(own.settings, "sdk-embedded")
    words = ("--embedded", "--data-dir", str(own.data_dir))
    async with agents.sdk_stdio(token, *words) as agent:
        await _use(agent)
    assert await own.verify_audit() > 0


async def test_the_configurations_that_the_readme_gives(shared: GatewayProcess) -> None:
    """Each block leads to the gateway, once its placeholders are what they stand for."""
    text = README.read_text("utf-8")
    section = text.partition("## Agents over MCP")[2].partition("\n## ")[0]
    blocks = [json.loads(one) for one in re.findall(r"```json\n(.*?)```", section, re.DOTALL)]
    assert [next(reversed(one)) for one in blocks] == ["mcpServers", "mcpServers", "servers"]
    for number, block in enumerate(blocks):
        (server,) = block[next(reversed(block))].values()
        token = _token(shared.settings, f"readme-{number}")
        if "command" in server:
            assert server["env"] == {"MEMGUARD_TOKEN": "TOKEN"}
            assert Path(server["command"]).name == Path(MEMGUARD).name
            words = [shared.url if one == LOCAL else one for one in server["args"][1:]]
            connected = agents.sdk_stdio(token, *words)
        else:
            assert server["url"] == f"{LOCAL}/mcp"
            assert re.fullmatch(r"Bearer \$\{\w+:[\w-]+\}", server["headers"]["Authorization"])
            connected = agents.sdk_http(shared.url, token)
        async with connected as agent:
            await _use(agent)


@pytest.mark.parametrize("path", ["mcp", "sse"])
async def test_the_official_inspector(shared: GatewayProcess, npm: Npm, path: str) -> None:
    """Its command line, over Streamable HTTP and HTTP+SSE; the schemas are portable to it."""
    token = _token(shared.settings, f"inspector-{path}")
    async with agents.inspector(npm, f"{shared.url}/{path}", token) as agent:
        await _use(agent)


@pytest.mark.parametrize(("path", "transport"), [("mcp", "http-only"), ("sse", "sse-only")])
async def test_mcp_remote(shared: GatewayProcess, npm: Npm, path: str, transport: str) -> None:
    """The bridge that desktop clients start, over Streamable HTTP and HTTP+SSE."""
    token = _token(shared.settings, f"remote-{path}")
    async with agents.remote(npm, f"{shared.url}/{path}", transport, token) as agent:
        await _use(agent)
