"""The memory tools that look, the resources' reads and the prompt: all text goes into the fence.

Clients may show a model the structured part of a result instead of its text part, and remembered
text must not get around the fence that way: the structured part repeats none outside `context`.
"""

from typing import Any, Final

import msgspec
from mcp.types import CallToolResult

from gateway import answers, wire
from gateway.doors import Edge
from gateway.mcp.arguments import GetContext, ListOwn, SummarizeMemories
from gateway.mcp.fencing import EMPTY, MOST_IN_PROFILE, PAGE, PROFILE, WHOLE, fenced
from gateway.mcp.results import MemoryTool, bounded, result
from gateway.mcp.schemas import tool
from guard.outcomes import Memory, Recollection
from guard.ports import Filter
from guard.principal import Principal
from memory.assembly import ContextBounds
from memory.origin import OriginClass
from memory.summary import summarize
from memory.types import Kind, Layer, MemoryId, State

_FOR_A_TASK: Final = 20
"""How many memories a task's context is chosen from."""
_NEWEST: Final = 50
"""How many of the newest memories a summary without a topic is made of."""


class ListedItem(msgspec.Struct, frozen=True):
    """What is said of one memory beside its text, which stands fenced in `context`."""

    id: str
    layer: Layer
    kind: Kind
    origin: OriginClass
    trust: int
    stored_at: str

    @classmethod
    def of(cls, memory: Memory) -> "ListedItem":
        """Return what may stand outside the fence."""
        return cls(
            memory.id,
            memory.layer,
            memory.kind,
            memory.origin,
            memory.trust,
            memory.stored_at.isoformat(),
        )


class RecalledItem(ListedItem, frozen=True, kw_only=True):
    """The same of one recalled memory, with the score from 0 to 1 that ranked it."""

    score: float


class RecallOutput(msgspec.Struct, frozen=True):
    """What memory knows, with all text inside the fenced `context`."""

    items: tuple[RecalledItem, ...]
    reliable: bool
    context: str
    degraded: bool
    trace_id: str


class ContextOutput(msgspec.Struct, frozen=True):
    """The fenced `context` for a task, the ids in it in order, and how many tokens it has."""

    context: str
    ids: tuple[str, ...]
    tokens: int
    reliable: bool
    degraded: bool
    trace_id: str


class ListOutput(msgspec.Struct, frozen=True):
    """One page, with all text inside the fenced `context`; without a `cursor` it is the last."""

    items: tuple[ListedItem, ...]
    context: str
    cursor: str | None


class SummaryOutput(msgspec.Struct, frozen=True):
    """A few sentences in the fenced `context`, and the ids of the memories they stand in.

    `of` is how many memories were read.
    """

    context: str
    ids: tuple[str, ...]
    of: int


def looking_tools(edge: Edge) -> list[MemoryTool]:
    """Return the tools that change nothing."""
    looking = Looking(edge)
    return [
        MemoryTool(tool("recall_memory", RecallOutput, reads_only=True), looking.recall),
        MemoryTool(tool("get_context", ContextOutput, reads_only=True), looking.context),
        MemoryTool(tool("list_memories", ListOutput, reads_only=True), looking.listed),
        MemoryTool(tool("summarize_memories", SummaryOutput, reads_only=True), looking.summary),
    ]


class Looking:
    """The doors that show memories, with a fence around what comes out of them."""

    def __init__(self, edge: Edge) -> None:
        self._doors, self._rooms = edge.use_cases, edge.rooms
        self.max_text_chars = edge.settings.limits.max_text_chars

    async def recall(self, principal: Principal, arguments: dict[str, Any]) -> CallToolResult:
        """Answer a question: the twin of `POST /v1/recall`."""
        query = wire.from_arguments(arguments, wire.RecallMemory).query_of(
            max_text_chars=self.max_text_chars
        )
        found = answers.RecallAnswer.of(await self._doors.recall(principal, query, self._rooms))
        return result(found.context, _without_text(found))

    async def context(self, principal: Principal, arguments: dict[str, Any]) -> CallToolResult:
        """Return what is known about a task, as much as fits the tokens."""
        asked = wire.from_arguments(arguments, GetContext)
        bounded("task", asked.task, self.max_text_chars)
        found = await self.found(principal, asked.task, asked.time_zone)
        memories = [one.memory for one in found.items]
        context, shown, tokens = found.context, 0, 0
        if memories:
            bounds = ContextBounds(_FOR_A_TASK, _FOR_A_TASK, asked.max_tokens)
            block = fenced(memories, bounds, self._rooms)
            context, shown, tokens = block.context, block.shown, block.tokens
        ids = tuple(one.id for one in memories[:shown])
        answer = ContextOutput(context, ids, tokens, found.reliable, found.degraded, found.trace_id)
        return result(context, answer)

    async def listed(self, principal: Principal, arguments: dict[str, Any]) -> CallToolResult:
        """Return one page: the twin of `GET /v1/memories` for what an agent may see."""
        page = wire.from_arguments(arguments, ListOwn).listed()
        listing = await self._doors.browse(
            principal, page.filter(), page.cursor, page.limit, self._rooms
        )
        context = self._fence(listing.items, PAGE)
        items = tuple(ListedItem.of(one) for one in listing.items)
        return result(context, ListOutput(items, context, listing.cursor))

    async def summary(self, principal: Principal, arguments: dict[str, Any]) -> CallToolResult:
        """Return the gist of what is known about a topic, or of the newest memories."""
        asked = wire.from_arguments(arguments, SummarizeMemories)
        if asked.topic is None:
            newest = Filter(states=(State.ACTIVE,))
            page = await self._doors.browse(principal, newest, None, _NEWEST, self._rooms)
            memories = list(page.items)
        else:
            bounded("topic", asked.topic, self.max_text_chars)
            found = await self.found(principal, asked.topic, asked.time_zone)
            memories = [one.memory for one in found.items]
        told = summarize([one.text for one in memories], asked.sentences)
        quoted = [msgspec.structs.replace(memories[one.source], text=one.text) for one in told]
        context = self._fence(quoted, PAGE)
        ids = tuple(dict.fromkeys(one.id for one in quoted))
        return result(context, SummaryOutput(context, ids, len(memories)))

    async def found(self, principal: Principal, text: str, time_zone: str = "UTC") -> Recollection:
        """Return what memory says to a text; the time zone is a name that the wire checks."""
        asked = {"query": text, "k": _FOR_A_TASK, "time_zone": time_zone}
        query = wire.from_arguments(asked, wire.RecallMemory).query_of(
            max_text_chars=self.max_text_chars
        )
        return await self._doors.recall(principal, query, self._rooms)

    async def profile(self, principal: Principal) -> str:
        """Return the newest standing preferences as one block."""
        standing = Filter(
            states=(State.ACTIVE,), layers=(Layer.SEMANTIC,), kinds=(Kind.PREFERENCE,)
        )
        page = await self._doors.browse(principal, standing, None, MOST_IN_PROFILE, self._rooms)
        return self._fence(page.items, PROFILE)

    async def one(self, principal: Principal, id: MemoryId) -> str:
        """Return one memory in full as a block. Raises NotFoundError like the door."""
        return self._fence([await self._doors.fetch(principal, id, self._rooms)], WHOLE)

    def _fence(self, memories: list[Memory] | tuple[Memory, ...], bounds: ContextBounds) -> str:
        return fenced(memories, bounds, self._rooms).context if memories else EMPTY


def _without_text(found: answers.RecallAnswer) -> RecallOutput:
    items = tuple(
        RecalledItem(
            one.id,
            one.layer,
            one.kind,
            one.origin,
            one.trust,
            one.stored_at.isoformat(),
            score=one.score,
        )
        for one in found.items
    )
    return RecallOutput(items, found.reliable, found.context, found.degraded, found.trace_id)
