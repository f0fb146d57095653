"""The MCP server behind all transports: what each message's own token allows, paid for, in turn.

A refused tool call is a tool error, which reaches the model, where the transport's own 429 would
end as a broken connection. Resources and prompts have no such answer: theirs are protocol errors
with the same code.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final, TypeVar

from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from gateway.doors import Edge
from gateway.limits import within
from gateway.mcp import offers
from gateway.mcp.looking import Looking
from gateway.mcp.refusals import refused
from gateway.mcp.results import MemoryTool
from gateway.mcp.tools import memory_tools
from gateway.mcp.wording import INSTRUCTIONS
from gateway.problems import problem_of, retry_after
from gateway.rates import (
    Cashier,
    Operation,
    operation_of_prompt,
    operation_of_resource,
    operation_of_tool,
)
from gateway.scopes import PROMPTS, RESOURCES, TOOLS, allows
from gateway.slots import Slots
from gateway.telemetry import LOGGER
from guard.errors import GuardError, NotFoundError, UnavailableError
from guard.principal import Principal, Scope

Context = ServerRequestContext[Any]
Offer = TypeVar("Offer")
_Paged = PaginatedRequestParams | None
Turn = Callable[[Principal, Scope, Operation], AbstractAsyncContextManager[None]]
"""Lets a block run for a caller who has the scope, once it is paid for and has a slot."""

_CALLERS_FAULT: Final = frozenset({"invalid", "forbidden", "not_found"})


def build_server(edge: Edge, cashier: Cashier, slots: Slots) -> Server[Any]:
    """Return the MCP server: it lists and serves what each message's own token allows."""
    tools, looking = memory_tools(edge), Looking(edge)
    _require_rows(tools, TOOLS)
    _require_rows({**offers.RESOURCE_OFFERS, **offers.TEMPLATE_OFFERS}, RESOURCES)
    _require_rows(offers.PROMPT_OFFERS, PROMPTS)
    turn = _turns(edge, cashier, slots)
    list_tools, call_tool = _tool_handlers(tools, turn)
    list_resources, list_templates, read = _resource_handlers(looking, turn)
    list_prompts, get_prompt = _prompt_handlers(looking, turn)
    return Server(
        "memguard",
        version="1",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def _require_rows(offered: Mapping[str, object], table: Mapping[str, Scope]) -> None:
    if offered.keys() != table.keys():
        raise RuntimeError("whatever is offered needs a row in the scopes table, and conversely")


def _turns(edge: Edge, cashier: Cashier, slots: Slots) -> Turn:
    seconds = edge.settings.limits.request_deadline_seconds

    @asynccontextmanager
    async def turn(
        principal: Principal, needed: Scope, operation: Operation
    ) -> AsyncIterator[None]:
        principal.require(needed)
        await cashier.charge(principal, operation)
        async with (
            within(seconds, UnavailableError("deadline")),
            slots.held(principal.owner.tenant),
        ):
            yield

    return turn


def _tool_handlers(tools: Mapping[str, MemoryTool], turn: Turn) -> tuple[Any, Any]:
    async def list_tools(context: Context, _: _Paged) -> ListToolsResult:
        principal = _principal(context)
        return ListToolsResult(
            tools=[one.tool for name, one in tools.items() if allows(principal, TOOLS, name)]
        )

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        principal, name = _principal(context), params.name
        if name not in tools:
            raise MCPError(INVALID_PARAMS, "Unknown tool")
        try:
            async with turn(principal, TOOLS[name], operation_of_tool(name)):
                return await tools[name].call(principal, params.arguments or {})
        except GuardError as error:
            return refused(error, name)
        # The SDK would send the exception's own words, which may be content, to the client.
        except Exception as error:  # noqa: BLE001
            LOGGER.exception("tool failed", extra={"tool": name})
            return refused(error, name)

    return list_tools, call_tool


def _resource_handlers(looking: Looking, turn: Turn) -> tuple[Any, Any, Any]:
    async def list_resources(context: Context, _: _Paged) -> ListResourcesResult:
        return ListResourcesResult(resources=_allowed(context, offers.RESOURCE_OFFERS, RESOURCES))

    async def list_templates(context: Context, _: _Paged) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(
            resource_templates=_allowed(context, offers.TEMPLATE_OFFERS, RESOURCES)
        )

    async def read(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        principal, template = _principal(context), offers.template_of(params.uri)
        if template is None:
            raise _told(NotFoundError(), uri=params.uri)
        with_turn = turn(principal, RESOURCES[template], operation_of_resource(template))
        try:
            async with with_turn:
                return await offers.read(principal, params.uri, looking)
        except NotFoundError as error:
            raise _told(error, uri=params.uri) from None
        except Exception as error:  # noqa: BLE001 - as for tools
            raise _told(error) from None

    return list_resources, list_templates, read


def _prompt_handlers(looking: Looking, turn: Turn) -> tuple[Any, Any]:
    async def list_prompts(context: Context, _: _Paged) -> ListPromptsResult:
        return ListPromptsResult(prompts=_allowed(context, offers.PROMPT_OFFERS, PROMPTS))

    async def get_prompt(context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        principal, name = _principal(context), params.name
        if name not in PROMPTS:
            raise MCPError(INVALID_PARAMS, "Unknown prompt")
        with_turn = turn(principal, PROMPTS[name], operation_of_prompt(name))
        try:
            async with with_turn:
                return await offers.answer_with_memory(principal, params.arguments or {}, looking)
        except Exception as error:  # noqa: BLE001 - as for tools
            raise _told(error) from None

    return list_prompts, get_prompt


def _allowed(
    context: Context, offered: Mapping[str, Offer], table: Mapping[str, Scope]
) -> list[Offer]:
    principal = _principal(context)
    return [one for name, one in offered.items() if allows(principal, table, name)]


def _told(error: Exception, uri: str | None = None) -> MCPError:
    """Return the protocol error for what went wrong, from the same table as everything else.

    `uri` is what was asked for and is not there, told again as the resources specification has it.
    """
    problem = problem_of(error)
    if not isinstance(error, GuardError):
        LOGGER.error("resource or prompt failed", exc_info=error)
    data: dict[str, Any] = {"code": problem.code}
    for name, value in (("scope", problem.scope), ("detail", problem.detail), ("uri", uri)):
        data |= {} if value is None else {name: value}
    wait = retry_after(error)
    data |= {} if wait is None else {"retry_after_seconds": wait}
    number = INVALID_PARAMS if problem.code in _CALLERS_FAULT else INTERNAL_ERROR
    return MCPError(number, problem.title, data)


def _principal(context: Context) -> Principal:
    """Return who sent this very message: the request's principal, not the session's."""
    principal = context.request.scope["auth"] if context.request is not None else None
    if not isinstance(principal, Principal):
        raise MCPError(INVALID_PARAMS, "Unauthenticated")
    return principal
