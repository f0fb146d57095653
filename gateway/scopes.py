"""What each route, tool, resource and prompt asks of a token (E4).

One file of tables, and what is not in them is refused.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.types import Scope as Connection

from guard.errors import ForbiddenError
from guard.principal import Principal, Scope


class Access(StrEnum):
    """Requirements other than a scope."""

    PUBLIC = "public"
    ANY_AUTHENTICATED = "any authenticated"


Requirement = Scope | Access

ANY_METHOD: Final = "*"

ROUTES: Final[dict[tuple[str, str], Requirement]] = {
    ("GET", "/healthz"): Access.PUBLIC,
    ("GET", "/readyz"): Access.PUBLIC,
    ("GET", "/schema"): Access.PUBLIC,
    ("GET", "/schema/openapi.json"): Access.PUBLIC,
    ("GET", "/.well-known/oauth-protected-resource"): Access.PUBLIC,
    ("GET", "/.well-known/oauth-protected-resource/v1"): Access.PUBLIC,
    ("GET", "/.well-known/oauth-protected-resource/mcp"): Access.PUBLIC,
    ("GET", "/.well-known/oauth-protected-resource/sse"): Access.PUBLIC,
    ("POST", "/v1/memories"): Scope.MEMORY_WRITE,
    ("GET", "/v1/memories"): Scope.MEMORY_READ,
    ("GET", "/v1/memories/{id}"): Scope.MEMORY_READ,
    ("PATCH", "/v1/memories/{id}"): Scope.MEMORY_WRITE,
    ("DELETE", "/v1/memories/{id}"): Scope.MEMORY_DELETE,
    ("GET", "/v1/memories/{id}/history"): Scope.MEMORY_READ,
    ("POST", "/v1/memories/{id}/restore"): Scope.MEMORY_WRITE,
    ("POST", "/v1/memories/{id}/confirm"): Scope.MEMORY_WRITE,
    ("POST", "/v1/sessions/{id}/turns"): Scope.MEMORY_WRITE,
    ("GET", "/v1/writes/{id}"): Scope.MEMORY_READ,
    ("POST", "/v1/recall"): Scope.MEMORY_READ,
    ("GET", "/v1/traces/{id}"): Scope.MEMORY_TRACE,
    ("POST", "/v1/traces/why-not"): Scope.MEMORY_TRACE,
    ("GET", "/v1/quarantine"): Scope.QUARANTINE_READ,
    ("GET", "/v1/quarantine/{id}"): Scope.QUARANTINE_READ,
    ("GET", "/v1/consistency"): Scope.QUARANTINE_READ,
    ("POST", "/v1/consistency/{id}/dismiss"): Scope.QUARANTINE_DECIDE,
    ("POST", "/v1/quarantine/{id}/reveal"): Scope.QUARANTINE_REVEAL,
    ("GET", "/v1/subjects/memories"): Scope.QUARANTINE_READ,
    ("POST", "/v1/subjects/memories/{id}/reveal"): Scope.QUARANTINE_REVEAL,
    ("POST", "/v1/quarantine/{id}/release"): Scope.QUARANTINE_DECIDE,
    ("POST", "/v1/quarantine/{id}/reject"): Scope.QUARANTINE_DECIDE,
    ("POST", "/v1/quarantine/{id}/escalate"): Scope.QUARANTINE_DECIDE,
    ("POST", "/v1/memories/{id}/hold"): Scope.QUARANTINE_DECIDE,
    ("POST", "/v1/memories/{id}/layer"): Scope.QUARANTINE_DECIDE,
    ("POST", "/v1/quarantine/{id}/undo"): Scope.QUARANTINE_DECIDE,
    ("POST", "/v1/quarantine/bulk"): Scope.QUARANTINE_DECIDE,
    ("POST", "/v1/memories/{id}/trust"): Scope.QUARANTINE_DECIDE,
    ("POST", "/v1/memories/{id}/erase"): Scope.QUARANTINE_DECIDE,
    ("GET", "/v1/proposals"): Scope.QUARANTINE_READ,
    ("POST", "/v1/proposals/{id}/approve"): Scope.QUARANTINE_DECIDE,
    ("POST", "/v1/proposals/{id}/refuse"): Scope.QUARANTINE_DECIDE,
    ("POST", "/v1/quarantine/{id}/restore"): Scope.QUARANTINE_DECIDE,
    ("GET", "/v1/origins"): Scope.QUARANTINE_READ,
    ("POST", "/v1/origins/report"): Scope.QUARANTINE_READ,
    ("POST", "/v1/origins/quarantine"): Scope.QUARANTINE_DECIDE,
    ("GET", "/v1/origins/quarantines"): Scope.QUARANTINE_READ,
    ("POST", "/v1/origins/quarantines/{id}/lift"): Scope.QUARANTINE_DECIDE,
    ("GET", "/v1/audit/checkpoint"): Scope.AUDIT_READ,
    ("GET", "/v1/audit/proof/inclusion"): Scope.AUDIT_READ,
    ("GET", "/v1/audit/proof/consistency"): Scope.AUDIT_READ,
    ("GET", "/v1/audit/leaves"): Scope.AUDIT_READ,
    ("GET", "/v1/findings"): Scope.AUDIT_READ,
    ("GET", "/v1/tenant/webhooks"): Scope.TENANT_ADMIN,
    ("PUT", "/v1/tenant/webhooks"): Scope.TENANT_ADMIN,
    ("DELETE", "/v1/tenant/webhooks"): Scope.TENANT_ADMIN,
    ("POST", "/v1/tenant/webhooks/rotate"): Scope.TENANT_ADMIN,
    ("GET", "/v1/tenant/webhooks/dead"): Scope.TENANT_ADMIN,
    ("POST", "/v1/tenant/webhooks/dead/replay"): Scope.TENANT_ADMIN,
    ("GET", "/metrics"): Scope.PLATFORM_ADMIN,
    ("POST", "/v1/admin/tenants"): Scope.PLATFORM_ADMIN,
    ("GET", "/v1/admin/tenants"): Scope.PLATFORM_ADMIN,
    ("POST", "/v1/admin/tenants/grant"): Scope.PLATFORM_ADMIN,
    ("POST", "/v1/admin/tenants/suspend"): Scope.PLATFORM_ADMIN,
    ("POST", "/v1/admin/tenants/resume"): Scope.PLATFORM_ADMIN,
    ("POST", "/v1/admin/tenants/revoke"): Scope.PLATFORM_ADMIN,
    ("GET", "/v1/tenant/revocations"): Scope.TENANT_ADMIN,
    ("POST", "/v1/tenant/revocations"): Scope.TENANT_ADMIN,
    ("GET", "/v1/tenant/clients"): Scope.TENANT_ADMIN,
    ("PUT", "/v1/tenant/clients"): Scope.TENANT_ADMIN,
    ("DELETE", "/v1/tenant/clients"): Scope.TENANT_ADMIN,
    ("GET", "/v1/tenant/policies"): Scope.POLICY_READ,
    ("POST", "/v1/tenant/policies"): Scope.POLICY_WRITE,
    ("POST", "/v1/tenant/policies/check"): Scope.POLICY_READ,
    ("GET", "/v1/tenant/policies/history"): Scope.POLICY_READ,
    ("POST", "/v1/tenant/policies/rollback"): Scope.POLICY_WRITE,
    ("GET", "/v1/tenant/policies/{id}"): Scope.POLICY_READ,
    ("GET", "/v1/tenant/policies/{id}/diff"): Scope.POLICY_READ,
    ("POST", "/v1/tenant/policies/{id}/simulate"): Scope.POLICY_READ,
    ("POST", "/v1/tenant/hunts"): Scope.QUARANTINE_READ,
    ("POST", "/v1/tenant/policies/{id}/activate"): Scope.POLICY_WRITE,
    ("GET", "/v1/tenant/dead-writes"): Scope.TENANT_ADMIN,
    ("POST", "/v1/tenant/dead-writes/{id}/replay"): Scope.TENANT_ADMIN,
    ("GET", "/console"): Access.ANY_AUTHENTICATED,
    ("GET", "/console/login"): Access.PUBLIC,
    ("POST", "/console/login"): Access.PUBLIC,
    ("GET", "/console/away"): Access.PUBLIC,
    ("GET", "/console/back"): Access.PUBLIC,
    ("POST", "/console/logout"): Access.ANY_AUTHENTICATED,
    ("POST", "/console/look"): Access.PUBLIC,
    ("GET", "/console/static/{name}"): Access.PUBLIC,
    ("GET", "/console/overview"): Scope.QUARANTINE_READ,
    ("GET", "/console/origins"): Scope.QUARANTINE_READ,
    ("POST", "/console/origins/find"): Scope.QUARANTINE_READ,
    ("GET", "/console/origins/of"): Scope.QUARANTINE_READ,
    ("POST", "/console/origins/preview"): Scope.QUARANTINE_DECIDE,
    ("POST", "/console/origins/hold"): Scope.QUARANTINE_DECIDE,
    ("POST", "/console/origins/lift/{id}"): Scope.QUARANTINE_DECIDE,
    ("GET", "/console/policies"): Scope.POLICY_READ,
    ("GET", "/console/policies/version/{id}"): Scope.POLICY_READ,
    ("POST", "/console/policies/version/{id}/simulate"): Scope.POLICY_READ,
    ("GET", "/console/policies/new"): Scope.POLICY_WRITE,
    ("POST", "/console/policies/new"): Scope.POLICY_WRITE,
    ("POST", "/console/policies/version/{id}/activate"): Scope.POLICY_WRITE,
    ("POST", "/console/policies/rollback"): Scope.POLICY_WRITE,
    ("GET", "/console/letters"): Scope.TENANT_ADMIN,
    ("POST", "/console/letters/write"): Scope.TENANT_ADMIN,
    ("POST", "/console/letters/post"): Scope.TENANT_ADMIN,
    ("GET", "/console/settings"): Scope.TENANT_ADMIN,
    ("POST", "/console/settings/client"): Scope.TENANT_ADMIN,
    ("POST", "/console/settings/client/remove"): Scope.TENANT_ADMIN,
    ("POST", "/console/settings/webhook"): Scope.TENANT_ADMIN,
    ("POST", "/console/settings/webhook/rotate"): Scope.TENANT_ADMIN,
    ("POST", "/console/settings/webhook/remove"): Scope.TENANT_ADMIN,
    ("POST", "/console/settings/revoke"): Scope.TENANT_ADMIN,
    ("POST", "/console/queue/bulk"): Scope.QUARANTINE_DECIDE,
    ("POST", "/console/queue/bulk/decide"): Scope.QUARANTINE_DECIDE,
    ("GET", "/console/queue"): Scope.QUARANTINE_READ,
    ("GET", "/console/queue/{id}"): Scope.QUARANTINE_READ,
    ("POST", "/console/queue/{id}/reveal"): Scope.QUARANTINE_REVEAL,
    ("GET", "/console/memories"): Scope.QUARANTINE_READ,
    ("GET", "/console/memories/{id}"): Scope.QUARANTINE_READ,
    ("POST", "/console/memories/{id}/reveal"): Scope.QUARANTINE_REVEAL,
    ("POST", "/console/memories/{id}/hold"): Scope.QUARANTINE_DECIDE,
    ("POST", "/console/memories/{id}/layer"): Scope.QUARANTINE_DECIDE,
    ("POST", "/console/memories/{id}/trust"): Scope.QUARANTINE_DECIDE,
    ("POST", "/console/memories/{id}/erase"): Scope.QUARANTINE_DECIDE,
    ("GET", "/console/proposals"): Scope.QUARANTINE_READ,
    ("POST", "/console/proposals/{id}/approve"): Scope.QUARANTINE_DECIDE,
    ("POST", "/console/proposals/{id}/refuse"): Scope.QUARANTINE_DECIDE,
    ("POST", "/console/queue/{id}/release"): Scope.QUARANTINE_DECIDE,
    ("POST", "/console/queue/{id}/reject"): Scope.QUARANTINE_DECIDE,
    ("POST", "/console/queue/{id}/escalate"): Scope.QUARANTINE_DECIDE,
    ("POST", "/console/queue/{id}/undo"): Scope.QUARANTINE_DECIDE,
    ("GET", "/console/audit"): Scope.AUDIT_READ,
    ("POST", "/console/audit/verify"): Scope.AUDIT_READ,
    # The transports carry messages of many kinds; each tool call is checked against TOOLS.
    (ANY_METHOD, "/mcp"): Access.ANY_AUTHENTICATED,
    (ANY_METHOD, "/sse"): Access.ANY_AUTHENTICATED,
    (ANY_METHOD, "/messages"): Access.ANY_AUTHENTICATED,
}

TOOLS: Final[dict[str, Scope]] = {
    "store_memory": Scope.MEMORY_WRITE,
    "save_preference": Scope.MEMORY_WRITE,
    "update_memory": Scope.MEMORY_WRITE,
    "recall_memory": Scope.MEMORY_READ,
    "get_context": Scope.MEMORY_READ,
    "list_memories": Scope.MEMORY_READ,
    "summarize_memories": Scope.MEMORY_READ,
    "forget_memory": Scope.MEMORY_DELETE,
}
RESOURCES: Final[dict[str, Scope]] = {
    "memory://profile": Scope.MEMORY_READ,
    "memory://{id}": Scope.MEMORY_READ,
}
PROMPTS: Final[dict[str, Scope]] = {
    "answer_with_memory": Scope.MEMORY_READ,
}


def requirement(connection: Connection) -> Requirement | None:
    """Return what the routed request asks for, None when the table has no row for it."""
    template = connection["path_template"]
    exact = ROUTES.get((str(connection.get("method")), template))
    return exact if exact is not None else ROUTES.get((ANY_METHOD, template))


async def scope_guard(connection: ASGIConnection, _: BaseRouteHandler) -> None:  # type: ignore[type-arg]
    """Let the request through when its token carries what the table asks for.

    Async, because Litestar runs guards that are not in a thread, at a third of the speed.
    """
    needed = requirement(connection.scope)
    if needed is Access.PUBLIC:
        return
    principal = connection.scope.get("auth")
    if needed is None or not isinstance(principal, Principal):
        raise ForbiddenError
    if isinstance(needed, Scope):
        principal.require(needed)


def allows(principal: Principal, table: Mapping[str, Scope], name: str) -> bool:
    """Return whether this token may use what `table` names so; never what has no row."""
    needed = table.get(name)
    return needed is not None and needed in principal.scopes
