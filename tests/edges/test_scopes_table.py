"""One table decides what each route and tool asks for, and nothing stands outside it (E4)."""

from collections.abc import Iterator
from typing import Any, cast

import pytest
from litestar import Litestar, get
from litestar.routes import ASGIRoute, HTTPRoute
from litestar.testing import TestClient

from gateway import scopes
from gateway.edge import Edge
from gateway.mcp import offers
from gateway.mcp.server import build_server
from gateway.mcp.tools import memory_tools
from guard.principal import Scope
from tests.edges.lasting import lasting_fixtures
from tests.edges.world import EVERY_SCOPE, ID, World, bearer, token

_BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/v1/sessions/{id}/turns"): {"turns": [{"role": "user", "text": "tea"}]},
    ("POST", "/v1/memories"): {"text": "tea"},
    ("PATCH", "/v1/memories/{id}"): {"text": "tea"},
    ("POST", "/v1/recall"): {"query": "tea"},
    ("POST", "/v1/traces/why-not"): {"query": "tea", "id": ID},
    ("POST", "/v1/quarantine/{id}/release"): {"reason": "false_positive"},
    ("POST", "/v1/memories/{id}/trust"): {"reason": "mistake", "trust": 0},
    ("POST", "/v1/memories/{id}/erase"): {"reason": "policy_violation"},
    ("POST", "/v1/proposals/{id}/approve"): {"reason": "verified_with_subject"},
    ("POST", "/v1/proposals/{id}/refuse"): {"reason": "duplicate"},
    ("POST", "/v1/quarantine/bulk"): {"decision": "reject", "reason": "spam", "ids": [ID]},
    ("POST", "/v1/quarantine/{id}/undo"): {"reason": "mistake"},
    ("POST", "/v1/quarantine/{id}/escalate"): {"reason": "poisoning"},
    ("POST", "/v1/memories/{id}/hold"): {"reason": "poisoning"},
    ("POST", "/v1/memories/{id}/layer"): {"reason": "spam", "layer": "episodic"},
    ("POST", "/v1/quarantine/{id}/reject"): {"reason": "poisoning"},
    ("POST", "/v1/consistency/{id}/dismiss"): {"reason": "false_positive"},
    ("POST", "/v1/quarantine/{id}/reveal"): {"ground": "review", "comment": "tea"},
    ("POST", "/v1/subjects/memories/{id}/reveal"): {"ground": "audit", "comment": "tea"},
    ("POST", "/v1/admin/tenants"): {"id": "acme"},
    ("POST", "/v1/admin/tenants/grant"): {"id": "acme", "ceiling": "web"},
    ("POST", "/v1/admin/tenants/suspend"): {"id": "acme"},
    ("POST", "/v1/admin/tenants/resume"): {"id": "acme"},
    ("POST", "/v1/admin/tenants/revoke"): {"id": "acme"},
    ("POST", "/v1/tenant/revocations"): {"subject": "alice"},
    ("POST", "/v1/tenant/policies"): {"text": "tea"},
    ("POST", "/v1/tenant/policies/check"): {"text": "tea"},
    ("POST", "/v1/tenant/policies/{id}/simulate"): {},
    ("POST", "/v1/tenant/hunts"): {},
    ("POST", "/v1/origins/report"): {"by": "source", "name": "tea"},
    ("POST", "/v1/origins/quarantine"): {"by": "source", "name": "tea"},
    ("PUT", "/v1/tenant/clients"): {"id": "app", "ceiling": "web"},
    ("PUT", "/v1/tenant/webhooks"): {"id": "siem", "url": "https://siem.example/"},
    ("POST", "/v1/tenant/webhooks/rotate"): {"id": "siem"},
    ("POST", "/v1/tenant/webhooks/dead/replay"): {"id": "siem"},
}
_QUERIES = {
    ("DELETE", "/v1/tenant/clients"): "?id=app",
    ("GET", "/v1/subjects/memories"): "?subject=alice",
    ("DELETE", "/v1/tenant/webhooks"): "?id=siem",
    ("GET", "/v1/audit/proof/inclusion"): "?leaf=1",
    ("GET", "/v1/audit/proof/consistency"): "?first=1",
}
_FIELDS = {
    ("POST", "/v1/tenant/policies/rollback"): {"If-Match": '"1"'},
    ("POST", "/v1/tenant/policies/{id}/activate"): {"If-Match": '"0"'},
}
_WITHOUT_DOOR = {"/metrics"}
"""Routes that show nothing of any memory."""


lasting, signing_key, world, client = lasting_fixtures()


def _routes(app: Litestar) -> Iterator[tuple[str, str]]:
    for route in app.routes:
        template = route.path_format
        if isinstance(route, ASGIRoute):
            yield scopes.ANY_METHOD, template
        elif isinstance(route, HTTPRoute):
            for method in route.methods - {"OPTIONS"}:
                yield method, template


@pytest.mark.requirement("E4")
def test_every_route_has_a_row_and_every_row_a_route(world: World) -> None:
    """The built application and the table name the same routes, in both directions."""
    assert set(_routes(world.app())) == set(scopes.ROUTES)


@pytest.mark.requirement("E4")
def test_every_tool_has_a_row_and_every_row_a_tool(edge: Edge) -> None:
    """The tools and the table name the same tools, in both directions."""
    assert set(memory_tools(edge)) == set(scopes.TOOLS)


@pytest.mark.requirement("E4", "M5")
def test_every_resource_and_prompt_has_a_row_and_every_row_something_offered() -> None:
    """What is offered beside the tools and the tables name the same, in both directions."""
    assert set(offers.RESOURCE_OFFERS) | set(offers.TEMPLATE_OFFERS) == set(scopes.RESOURCES)
    assert set(offers.PROMPT_OFFERS) == set(scopes.PROMPTS)


@pytest.mark.requirement("E4", "M5")
def test_a_server_that_offers_something_without_a_row_is_not_built(
    edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor one with a row for what it does not offer; with the tables as they are it is."""
    cashier, slots = cast("Any", None), cast("Any", None)
    assert build_server(edge, cashier, slots).name == "memguard"
    for table, row in (
        (scopes.TOOLS, "forget_memory"),
        (scopes.RESOURCES, "memory://{id}"),
        (scopes.PROMPTS, "answer_with_memory"),
    ):
        with monkeypatch.context() as changed:
            changed.delitem(table, row)
            with pytest.raises(RuntimeError, match="scopes table"):
                build_server(edge, cashier, slots)


@pytest.mark.requirement("E4")
def test_a_route_without_a_row_is_refused(world: World, signing_key: dict[str, Any]) -> None:
    """A handler that somebody forgets to list serves nobody, whatever their scopes."""

    @get("/v1/forgotten")
    async def forgotten() -> dict[str, str]:
        return {"leak": "all"}

    app = world.app()
    app.register(forgotten)
    with TestClient(app, raise_server_exceptions=False) as client:
        assert client.get("/v1/forgotten").status_code == 401
        answer = client.get("/v1/forgotten", headers=bearer(token(signing_key)))
        assert answer.status_code == 403
        assert "leak" not in answer.text


@pytest.mark.requirement("E4")
@pytest.mark.parametrize(
    ("method", "template", "needed"),
    [
        (*row, needed)
        for row, needed in scopes.ROUTES.items()
        # Pages take no bearer token: `test_console.py` asks the same of them.
        if isinstance(needed, Scope) and not row[1].startswith("/console")
    ],
)
def test_each_route_asks_for_exactly_its_scope(  # noqa: PLR0917
    client: TestClient[Litestar],
    world: World,
    signing_key: dict[str, Any],
    method: str,
    template: str,
    needed: Scope,
) -> None:
    """All scopes but the right one give 403 that names it; the right one alone gets in."""
    numbered = template.startswith("/v1/tenant/policies/")
    path = template.replace("{id}", "1" if numbered else ID) + _QUERIES.get((method, template), "")
    body = _BODIES.get((method, template))
    others = " ".join(set(EVERY_SCOPE.split()) - {needed})

    def ask(scope: str) -> Any:
        headers = bearer(token(signing_key, scope=scope)) | _FIELDS.get((method, template), {})
        return client.request(method, path, headers=headers, json=body)

    refused = ask(others)
    assert refused.status_code == 403
    assert f'scope="{needed}"' in refused.headers["www-authenticate"]
    assert world.calls.names == []
    assert ask(needed).status_code in {200, 201, 404}
    assert len(world.calls.names) == (template not in _WITHOUT_DOOR)


@pytest.mark.requirement("E4")
def test_options_is_refused_without_a_row(
    client: TestClient[Litestar], signing_key: dict[str, Any]
) -> None:
    """The framework's own OPTIONS handlers are behind the check like everything else."""
    assert client.options("/v1/memories").status_code == 401
    answer = client.options("/v1/memories", headers=bearer(token(signing_key)))
    assert answer.status_code == 403
