"""Which resources a token can be for, by address, and which of them opens which door (RFC 8707).

Four addresses are resources: the gateway as a whole, its REST routes, and each of the two MCP
endpoints. A token whose audience names one of them opens no door of another; one for the whole
gateway, or with an audience that is configured and no address of these, opens all.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

from gateway.scopes import PROMPTS, RESOURCES, ROUTES, TOOLS
from guard.principal import Scope

METADATA: Final = "/.well-known/oauth-protected-resource"
"""Where RFC 9728 has the metadata of an origin; that of a path follows with the path."""
FIRST_SCOPES: Final = (Scope.MEMORY_READ, Scope.MEMORY_WRITE)
"""What a client of MCP asks for first. What else it turns out to need, 403 names."""


class Resource(StrEnum):
    """What a token is for: the last part of the resource's address."""

    GATEWAY = ""
    REST = "v1"
    MCP = "mcp"
    SSE = "sse"

    def address(self, url: str) -> str:
        """Return the identifier of the resource, of the gateway at `url`."""
        return f"{url}/{self.value}" if self.value else url

    @property
    def metadata_path(self) -> str:
        """The path of the resource's metadata."""
        return self.address(METADATA)

    @property
    def scopes(self) -> list[Scope]:
        """The scopes that something at this resource asks for."""
        routes = {one for one in ROUTES.values() if isinstance(one, Scope)}
        offers = {*TOOLS.values(), *RESOURCES.values(), *PROMPTS.values()}
        match self:
            case Resource.MCP | Resource.SSE:
                return sorted(offers)
            case Resource.REST:
                return sorted(routes)
            case Resource.GATEWAY:
                return sorted(routes | offers)


_AT: Final = {"/mcp": Resource.MCP, "/sse": Resource.SSE, "/messages": Resource.SSE}


def resource_at(path: str) -> Resource:
    """Return the resource that a path belongs to; what is not of MCP is of REST."""
    return _AT.get(path.rstrip("/"), Resource.REST)


class Audiences:
    """Knows which audiences are this gateway, and what each opens."""

    def __init__(self, configured: Iterable[str], url: str) -> None:
        self._configured = frozenset(configured)
        self._resources = {one.address(url): one for one in Resource}

    @property
    def ours(self) -> list[str]:
        """Every audience of which one must be named, for any door at all."""
        bare = [*self._configured, *self._resources]
        # A client that parses and prints an origin gives it a slash at the end.
        return bare + [f"{one}/" for one in self._resources]

    def open(self, audience: Any, door: Resource) -> bool:
        """Tell whether an `aud` claim that names one of `ours` opens this door.

        Once it names any resource, it opens those alone, whatever else it names.
        """
        words = [audience] if isinstance(audience, str) else audience
        named = {self._resources.get(word.removesuffix("/")) for word in words} - {None}
        return not named or not named.isdisjoint((door, Resource.GATEWAY))


def metadata_of(resource: Resource, url: str, servers: Iterable[str]) -> dict[str, object]:
    """Return the RFC 9728 document of a resource. A list that is empty is left out (section 2)."""
    document: dict[str, object] = {
        "resource": resource.address(url),
        "resource_name": "Memguard",
        "authorization_servers": list(servers),
        "scopes_supported": resource.scopes,
        "bearer_methods_supported": ["header"],
    }
    return {name: value for name, value in document.items() if value}
