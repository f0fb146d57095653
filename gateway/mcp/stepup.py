"""A call that its token may not make is refused by HTTP, so that a client can ask for more (M2).

The authorization specification has a server answer 403 with the scopes that the current operation
needs; a client then has them granted and sends the call again. This looks at the one message in a
request before anything answers it. It is for the status alone: the server behind it checks each
call itself, and what can't be read here is refused there.
"""

from typing import Any, Final

import msgspec
from litestar.types import Receive, Send
from mcp.types import INVALID_PARAMS

from gateway.mcp.offers import template_of
from gateway.problems import challenge, problem_of
from gateway.scopes import PROMPTS, RESOURCES, TOOLS
from guard.errors import ForbiddenError
from guard.principal import Principal, Scope


class _Params(msgspec.Struct, frozen=True):
    name: str = ""
    uri: str = ""


class Message(msgspec.Struct, frozen=True):
    """What of a JSON-RPC message tells which scope it needs, and how to answer it."""

    method: str = ""
    params: _Params = _Params()
    id: int | str | None = None


_READER: Final = msgspec.json.Decoder(Message)


async def let_through(
    principal: Principal, receive: Receive, send: Send, metadata: str
) -> Receive | None:
    """Return a `receive` that gives the same request, which has come whole.

    None when the token lacks the scope which the message needs: that has been answered.
    `metadata` is where the resource's metadata is.
    """
    first: Any = await receive()
    message = _read(first.get("body", b""))
    needed = None if message is None else needed_by(message)
    if message is not None and needed is not None and needed not in principal.scopes:
        await _refuse(ForbiddenError(needed), message, send, metadata)
        return None
    pending = [first]

    async def again() -> Any:
        return pending.pop() if pending else await receive()

    return again


def needed_by(message: Message) -> Scope | None:
    """Return the scope that a message needs; None for what needs none or is nothing we offer."""
    match message.method:
        case "tools/call":
            return TOOLS.get(message.params.name)
        case "prompts/get":
            return PROMPTS.get(message.params.name)
        case "resources/read":
            return RESOURCES.get(template_of(message.params.uri) or "")
        case _:
            return None


def _read(body: bytes) -> Message | None:
    try:
        return _READER.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


async def _refuse(error: ForbiddenError, message: Message, send: Send, metadata: str) -> None:
    """Answer 403. The body is a JSON-RPC error, since clients show that to the model."""
    problem = problem_of(error)
    told = {
        "code": INVALID_PARAMS,
        "message": f"{problem.title}: the token lacks the scope {error.scope}",
        "data": {"code": problem.code, "scope": error.scope},
    }
    body = msgspec.json.encode({"jsonrpc": "2.0", "id": message.id, "error": told})
    known = challenge(error, metadata_url=metadata, attempted=True) or ""
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"www-authenticate", known.encode()),
    ]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
