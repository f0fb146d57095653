"""Where a memory's content came from, and how far that may be trusted (W3, W4).

Trust is an integer from 0 (anyone on the web) to 4 (the operator). It is the minimum of what the
channel, the registered client, the caller's own statement and all parents allow: every input can
lower it and none can raise it.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from memory.types import ClientId, MemoryId, SessionId, TurnId


class OriginClass(StrEnum):
    """Kinds of source, highest trust first."""

    OPERATOR = "operator"
    SYSTEM_DEFAULT = "system_default"
    USER_STATED = "user_stated"
    USER_CORRECTION = "user_correction"
    AGENT_RELAYED = "agent_relayed"
    AGENT_INFERRED = "agent_inferred"
    IMPORTED = "imported"
    DOCUMENT = "document"
    TOOL_OUTPUT = "tool_output"
    WEB = "web"

    @property
    def trust(self) -> int:
        """Trust of a memory of this class that has no parents, 0 to 4."""
        return _TRUST[self]


_TRUST: Final = {
    OriginClass.OPERATOR: 4,
    OriginClass.SYSTEM_DEFAULT: 4,
    OriginClass.USER_STATED: 3,
    OriginClass.USER_CORRECTION: 3,
    OriginClass.AGENT_RELAYED: 2,
    OriginClass.AGENT_INFERRED: 2,
    OriginClass.IMPORTED: 1,
    OriginClass.DOCUMENT: 1,
    OriginClass.TOOL_OUTPUT: 1,
    OriginClass.WEB: 0,
}

TRUST_OF_SUBJECT: Final = OriginClass.USER_STATED.trust
"""From this trust up a memory counts as the subject's own word."""
RELAYED: Final = (OriginClass.AGENT_RELAYED, OriginClass.AGENT_INFERRED)
"""What an agent says by itself: the only classes that the subject's word can raise."""


class Channel(StrEnum):
    """The edge a write came in through."""

    REST = "rest"
    MCP = "mcp"
    CLI = "cli"
    CONSOLE = "console"
    IMPORT = "import"
    INTERNAL = "internal"


CEILING_OF_CHANNEL: Final = {
    Channel.REST: OriginClass.OPERATOR,
    Channel.MCP: OriginClass.AGENT_RELAYED,
    Channel.CLI: OriginClass.OPERATOR,
    Channel.CONSOLE: OriginClass.OPERATOR,
    Channel.IMPORT: OriginClass.IMPORTED,
    Channel.INTERNAL: OriginClass.AGENT_INFERRED,
}
"""The most a channel can vouch for. Over MCP it is the agent that speaks, never the subject."""


class Hint(msgspec.Struct, frozen=True):
    """What the caller says of the source. It can lower the origin and never raise it."""

    class_: OriginClass | None = None
    reference: str | None = None
    parents: tuple[MemoryId, ...] = ()


class Quoted(msgspec.Struct, frozen=True):
    """The turn in which the subject himself said what an agent relays, and when it was posted."""

    turn: TurnId
    at: datetime


class Origin(msgspec.Struct, frozen=True, omit_defaults=True):
    """The provenance of one memory: set by the gateway, covered by the label's tag.

    `quoted` names the turn that made an agent's word the subject's own. A sealed origin without it
    has the bytes that it had before there was any.
    """

    class_: OriginClass
    trust: int
    channel: Channel
    client: ClientId
    credential: str
    session: SessionId | None
    reference: str | None
    parents: tuple[MemoryId, ...]
    at: datetime
    quoted: Quoted | None = None


def lower_of(one: OriginClass, other: OriginClass) -> OriginClass:
    """Return the class with less trust; `one` when they are equal."""
    return other if other.trust < one.trust else one


def ceiling(channel: Channel, client_ceiling: OriginClass) -> OriginClass:
    """Return the highest class that this client may claim over this channel."""
    return lower_of(client_ceiling, CEILING_OF_CHANNEL[channel])


def classify(
    ceiling_: OriginClass, hinted: OriginClass | None, parent_trusts: Iterable[int]
) -> tuple[OriginClass, int]:
    """Return class and trust of a write.

    The hint is taken when it does not exceed the ceiling, else the ceiling stands. Parents lower
    the trust and leave the class: an inference from a web page stays an inference, at trust 0.
    """
    class_ = ceiling_ if hinted is None or hinted.trust > ceiling_.trust else hinted
    return class_, min((class_.trust, *parent_trusts))
