"""One subject at the edges of a gateway: himself over REST, his agent over MCP, and what each sees.

What an agent is told is read as a strict reader would: headers and fences begin a line, content
stands behind a bar, and a line that is none of these got out of the fence.
"""

from typing import Any, Final

import httpx2
import msgspec
import regex

from memory.assembly import NO_RELIABLE_MEMORY, PREAMBLE
from memory.origin import OriginClass
from memory.types import Role

_REVISION: Final = "2026-07-28"
_META: Final = {
    "io.modelcontextprotocol/protocolVersion": _REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "agent", "version": "1"},
}
_BEGIN: Final = regex.compile(r"<<<memory ([0-9A-Za-z-]+) begin>>>")
_SAID: Final = frozenset((*PREAMBLE.split("\n"), *NO_RELIABLE_MEMORY.split("\n")))
_NOT_FOR_ACTION: Final = " not-for-action"


class Written(msgspec.Struct, frozen=True):
    """What became of a write; a call that was refused has neither id nor trust."""

    outcome: str
    id: str | None = None
    trust: int | None = None
    reasons: tuple[str, ...] = ()


class Told(msgspec.Struct, frozen=True):
    """One memory in the block that an agent reads."""

    id: str
    trust: int
    marked: bool
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """What is quoted of it."""
        return "\n".join(self.lines)


class Context(msgspec.Struct, frozen=True):
    """The block that an agent reads: its memories in order, and lines that are none of its own."""

    memories: tuple[Told, ...]
    escaped: tuple[str, ...]

    def of(self, id: str) -> Told | None:
        """Return what is told of one memory."""
        return next((one for one in self.memories if one.id == id), None)


class Caller:
    """Speaks for one subject. `http` sends his token, the application's and the agent's alike."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def says(self, text: str) -> Written:
        """Have the subject state something through his application."""
        return await self._post(text, {})

    async def reads(
        self, text: str, class_: OriginClass, reference: str, parents: tuple[str, ...] = ()
    ) -> Written:
        """Have the application keep what it read somewhere, and say so."""
        origin = {"class": class_.value, "reference": reference, "parents": list(parents)}
        return await self._post(text, {"origin": origin})

    async def hears(self, session: str, *turns: tuple[Role, str]) -> None:
        """Have the application report what was said in a session."""
        said = [{"role": role.value, "text": text} for role, text in turns]
        answer = await self._http.post(f"/v1/sessions/{session}/turns", json={"turns": said})
        assert answer.status_code == 201, answer.text

    async def agent(
        self,
        text: str,
        class_: OriginClass | None = None,
        parents: tuple[str, ...] = (),
        session: str | None = None,
    ) -> Written:
        """Have the agent store something; without a class it says nothing of the source."""
        origin: dict[str, Any] = {"parents": list(parents)} if parents else {}
        origin |= {} if class_ is None else {"class": class_.value}
        arguments: dict[str, Any] = {"text": text} | ({"origin": origin} if origin else {})
        arguments |= {} if session is None else {"session_id": session}
        result = await self._tool("store_memory", arguments)
        if "structuredContent" not in result:
            told = msgspec.json.decode(result["content"][0]["text"])["error"]
            assert told["code"] == "invalid", told
            return Written("refused")
        return _written(result["structuredContent"])

    async def asks(self, question: str) -> Context:
        """Have the agent recall; return what a model is shown."""
        result = await self._tool("recall_memory", {"query": question})
        (block,) = result["content"]
        return parsed(block["text"])

    async def _post(self, text: str, more: dict[str, Any]) -> Written:
        answer = await self._http.post("/v1/memories", json={"text": text} | more)
        body = answer.json()
        if "outcome" not in body:
            assert answer.status_code == 400, answer.text
            return Written("refused")
        return _written(body)

    async def _tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        params = {"name": name, "arguments": arguments, "_meta": _META}
        headers = {
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": _REVISION,
            "mcp-method": "tools/call",
            "mcp-name": name,
        }
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = await self._http.post("/mcp", json=call, headers=headers)
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()["result"]
        return result


def parsed(context: str) -> Context:
    """Return what a strict reader makes of a block."""
    lines = context.split("\n")
    begin = _BEGIN.fullmatch(lines[0])
    assert begin is not None, "a block begins with its fence"
    nonce = begin[1]
    header = regex.compile(rf"\[\d+\] {nonce} id=(\S+) origin=\S+ trust=(\d) (.*)")
    memories: list[Told] = []
    escaped: list[str] = []
    for line in lines[1:-1]:
        found = header.fullmatch(line)
        if found is not None:
            marked = found[3].endswith(_NOT_FOR_ACTION)
            memories.append(Told(found[1], int(found[2]), marked, ()))
        elif line.startswith("| ") and memories:
            last = memories[-1]
            memories[-1] = msgspec.structs.replace(last, lines=(*last.lines, line[2:]))
        elif line not in _SAID:
            escaped.append(line)
    if lines[-1] != f"<<<memory {nonce} end>>>":
        escaped.append(lines[-1])
    return Context(tuple(memories), tuple(escaped))


def _written(body: dict[str, Any]) -> Written:
    return Written(body["outcome"], body.get("id"), body["origin"]["trust"], tuple(body["reasons"]))
