"""The memory tools by name: those that write, each bound to its door, and those that look (M4)."""

from typing import Any, Final

from mcp.types import CallToolResult

from gateway import answers, wire
from gateway.doors import Edge
from gateway.fields import once_of
from gateway.mcp.arguments import SavePreference, UpdateMemory
from gateway.mcp.looking import looking_tools
from gateway.mcp.results import MemoryTool, bounded, json_of, result
from gateway.mcp.schemas import tool
from gateway.problems import STATUS_OF_OUTCOME, answer_of
from guard.once import Once
from guard.outcomes import WriteOutcome
from guard.principal import Principal

_REFUSED: Final = 400
REPLAYED_META: Final = "memguard/replayed"
"""In a result's `_meta`: it is the first answer to the same idempotency key, told again."""


def memory_tools(edge: Edge) -> dict[str, MemoryTool]:
    """Return the tools by name."""
    return {one.tool.name: one for one in (*_writing_tools(edge), *looking_tools(edge))}


def _writing_tools(edge: Edge) -> list[MemoryTool]:
    doors, rooms, limits = edge.use_cases, edge.rooms, edge.settings.limits
    leeway_seconds, max_text_chars = edge.settings.auth.leeway_seconds, limits.max_text_chars

    async def remember(
        principal: Principal, asked: wire.StoreMemoryOnce, name: str
    ) -> CallToolResult:
        draft = asked.draft(
            now=rooms.clock(), leeway_seconds=leeway_seconds, max_text_chars=max_text_chars
        )
        once = _once(asked.idempotency_key, name)
        if once is None:
            return _written(await doors.remember(principal, draft, rooms))
        told = await doors.remember_once(principal, draft, once, rooms)
        return _written(told.outcome, replayed=told.replayed)

    async def store(principal: Principal, arguments: dict[str, Any]) -> CallToolResult:
        asked = wire.from_arguments(arguments, wire.StoreMemoryOnce)
        return await remember(principal, asked, "store_memory")

    async def save(principal: Principal, arguments: dict[str, Any]) -> CallToolResult:
        asked = wire.from_arguments(arguments, SavePreference)
        bounded("preference", asked.preference, max_text_chars)
        standing = wire.from_arguments(asked.stored_as(), wire.StoreMemoryOnce)
        return await remember(principal, standing, "save_preference")

    async def update(principal: Principal, arguments: dict[str, Any]) -> CallToolResult:
        asked = wire.from_arguments(arguments, UpdateMemory)
        change = asked.amendment(
            now=rooms.clock(), leeway_seconds=leeway_seconds, max_text_chars=max_text_chars
        )
        of, once = wire.memory_id(asked.id), _once(asked.idempotency_key, "update_memory")
        if once is None:
            return _written(await doors.revisions.amend(principal, of, change, rooms))
        told = await doors.revisions.amend_once(principal, of, change, once, rooms)
        return _written(told.outcome, replayed=told.replayed)

    async def forget(principal: Principal, arguments: dict[str, Any]) -> CallToolResult:
        asked = wire.from_arguments(arguments, wire.ForgetMemory)
        door = doors.fade if asked.mode is wire.ForgetMode.FADE else doors.forget
        receipt = answers.ForgetAnswer.of(await door(principal, wire.memory_id(asked.id), rooms))
        return result(json_of(receipt), receipt)

    return [
        MemoryTool(tool("store_memory", answers.WriteAnswer), store),
        MemoryTool(tool("save_preference", answers.WriteAnswer), save),
        MemoryTool(tool("update_memory", answers.WriteAnswer, destroys=True), update),
        MemoryTool(tool("forget_memory", answers.ForgetAnswer, destroys=True), forget),
    ]


def _once(key: str | None, name: str) -> Once | None:
    return None if key is None else once_of([key], name)


def _written(outcome: WriteOutcome, *, replayed: bool = False) -> CallToolResult:
    answer = answer_of(outcome)
    refused_by_policy = STATUS_OF_OUTCOME[type(outcome)] >= _REFUSED
    told = result(json_of(answer), answer, is_error=refused_by_policy)
    return told.model_copy(update={"meta": {REPLAYED_META: True}}) if replayed else told
