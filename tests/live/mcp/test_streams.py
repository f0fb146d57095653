"""How long open streams outlive what let them in, on a gateway with the settings it comes with.

That they end is insisted on; how soon is shown.
"""

import asyncio
import base64
import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import httpx2
import msgspec
import pytest

from gateway import app
from tests.live.conftest import Figure
from tests.live.gateway_process import SCOPES, GatewayProcess
from tests.live.mcp.talk import REVISION

pytestmark = [
    pytest.mark.live,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.requirement("M3", "E1", "E6"),
]


def _token(gateway: GatewayProcess, subject: str, *scopes: str, seconds: int = 3600) -> str:
    return app.token(
        gateway.settings,
        tenant="streams",
        subject=subject,
        scopes=scopes or SCOPES,
        client="streams",
        ttl_seconds=seconds,
    )


def _claims(token: str) -> Mapping[str, Any]:
    body = token.split(".")[1]
    return msgspec.json.decode(base64.urlsafe_b64decode(body + "=="), type=dict[str, Any])


async def _opened(http: httpx2.AsyncClient, path: str, token: str) -> dict[str, str]:
    """Return the headers with which a stream is asked for; open a session first if it needs one."""
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
    }
    if path == "/sse":
        return headers
    asked = {
        "protocolVersion": REVISION,
        "capabilities": {},
        "clientInfo": {"name": "streams", "version": "1"},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}
    answer = await http.post(path, json=message, headers=headers)
    assert answer.status_code == HTTPStatus.OK
    return headers | {"mcp-session-id": answer.headers["mcp-session-id"]}


@pytest.mark.parametrize("path", ["/sse", "/mcp"])
@pytest.mark.parametrize("how", ["expired", "taken back"])
async def test_an_open_stream_ends_with_its_token(
    shared: GatewayProcess, figure: Figure, path: str, how: str
) -> None:
    """Properly, and soon after the token ran out, leeway included, or was taken back."""
    expires = how == "expired"
    token = _token(shared, f"{how}-{path[1:]}", seconds=3 if expires else 3600)
    async with httpx2.AsyncClient(base_url=shared.url, timeout=60, trust_env=False) as http:
        headers = await _opened(http, path, token)
        async with http.stream("GET", path, headers=headers) as stream:
            assert stream.status_code == HTTPStatus.OK
            if expires:
                over = _claims(token)["exp"] + shared.settings.auth.leeway_seconds
            else:
                admin = {"Authorization": f"Bearer {_token(shared, 'root', 'tenant:admin')}"}
                body = {"token": _claims(token)["jti"]}
                over = time.time()
                answer = await http.post("/v1/tenant/revocations", json=body, headers=admin)
                assert answer.status_code == HTTPStatus.CREATED, answer.text
            async with asyncio.timeout(30):
                async for _ in stream.aiter_bytes():
                    pass
        figure(f"{path} stream ended {time.time() - over:.2f} s after its token was {how}")
