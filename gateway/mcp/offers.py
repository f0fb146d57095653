"""What is offered beside the tools: two resources and a prompt (M5)."""

from collections.abc import Mapping
from typing import Final

from mcp.types import (
    GetPromptResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from gateway import wire
from gateway.mcp.arguments import AnswerWithMemory
from gateway.mcp.looking import Looking
from gateway.mcp.results import bounded
from gateway.mcp.wording import (
    MEMORY_TEXT,
    MEMORY_TITLE,
    PROFILE_TEXT,
    PROFILE_TITLE,
    PROMPT,
    PROMPT_TEXT,
    PROMPT_TITLE,
)
from guard.principal import Principal

_SCHEME: Final = "memory://"
PROFILE: Final = "memory://profile"
MEMORY: Final = "memory://{id}"
_PLAIN: Final = "text/plain"

RESOURCE_OFFERS: Final = {
    PROFILE: Resource(
        name="profile", title=PROFILE_TITLE, uri=PROFILE, description=PROFILE_TEXT, mime_type=_PLAIN
    )
}
TEMPLATE_OFFERS: Final = {
    MEMORY: ResourceTemplate(
        name="memory",
        title=MEMORY_TITLE,
        uri_template=MEMORY,
        description=MEMORY_TEXT,
        mime_type=_PLAIN,
    )
}
PROMPT_OFFERS: Final = {
    "answer_with_memory": Prompt(
        name="answer_with_memory",
        title=PROMPT_TITLE,
        description=PROMPT_TEXT,
        arguments=[
            PromptArgument(
                name="question", description="The user's question, as he asked it.", required=True
            )
        ],
    )
}


def template_of(uri: str) -> str | None:
    """Return the row of the scopes table that a URI falls under, None for what is no resource."""
    if uri in RESOURCE_OFFERS:
        return uri
    return MEMORY if uri.startswith(_SCHEME) else None


async def read(principal: Principal, uri: str, looking: Looking) -> ReadResourceResult:
    """Return the resource. Raises NotFoundError for an id that is nobody's or another's, alike."""
    if uri == PROFILE:
        text = await looking.profile(principal)
    else:
        text = await looking.one(principal, wire.memory_id(uri.removeprefix(_SCHEME)))
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=_PLAIN, text=text)])


async def answer_with_memory(
    principal: Principal, arguments: Mapping[str, str], looking: Looking
) -> GetPromptResult:
    """Return the question, what memory says to it, and how to use that."""
    question = wire.from_arguments(arguments, AnswerWithMemory).question
    bounded("question", question, looking.max_text_chars)
    found = await looking.found(principal, question)
    text = PROMPT.format(context=found.context, question=question)
    return GetPromptResult(
        description=PROMPT_TEXT,
        messages=[PromptMessage(role="user", content=TextContent(text=text))],
    )
