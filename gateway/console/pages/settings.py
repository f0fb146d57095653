"""What a tenant's administrator sets: clients, webhooks, and tokens that are believed no longer."""

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import Response, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.response import Redirect, Template
from msgspec import Meta

from gateway.console.cookies import Incoming
from gateway.console.forms import Forms, asked
from gateway.console.frame import Frame
from gateway.console.shield import ROOT
from gateway.doors import Edge
from gateway.rest.revocations import RevokeTokens, TokenDesk
from gateway.rest.tenants import ClientBody, NameClient
from gateway.rest.webhooks import NameWebhook, RotateWebhook, WebhookBody
from guard.findings import Event
from guard.webhooks import Webhook
from memory.origin import OriginClass
from memory.types import ClientId

_MOST: Final = 200
_DONE = Literal["client", "client_removed", "webhook_removed", "revoked"]


class AskSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was done on the page before."""

    done: _DONE | None = None


class PutWebhook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A webhook, as a form has it."""

    id: Annotated[str, Meta(min_length=1, max_length=64)]
    url: Annotated[str, Meta(min_length=1, max_length=2048)]
    events: Annotated[tuple[Event, ...], Meta(max_length=len(Event))] = ()

    def body(self) -> WebhookBody:
        """Return it as REST takes it; no event is every event."""
        plain = msgspec.to_builtins(self) | ({} if self.events else {"events": [*Event]})
        return msgspec.convert(plain, WebhookBody)


class Revoke(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whose tokens: one by its id, or all of a subject so far."""

    of: Literal["token", "subject"]
    name: Annotated[str, Meta(min_length=1, max_length=512)]

    def body(self) -> RevokeTokens:
        """Return it as REST takes it."""
        return msgspec.convert({self.of: self.name}, RevokeTokens)


def settings_pages(edge: Edge, frame: Frame, forms: Forms) -> Iterable[HTTPRouteHandler]:
    """Return the handlers of a tenant's settings."""
    cases, rooms, revoked = edge.use_cases, edge.rooms, edge.revoked
    desk = TokenDesk(rooms.clock, rooms.new_id, revoked.store)

    async def page(request: Incoming, done: _DONE | None, made: Webhook | None = None) -> Template:
        return frame.page(
            request,
            "settings.html",
            done=done,
            made=made,
            clients=await cases.tenants.clients(request.auth, None, _MOST, rooms),
            ceilings=list(OriginClass),
            webhooks=await cases.reports.webhooks(request.auth, rooms),
            events=list(Event),
            revoked=await cases.tokens.revoked(request.auth, None, _MOST, desk),
        )

    def gone(done: _DONE) -> Response[Any]:
        return Redirect(f"{ROOT}/settings?done={done}", status_code=303)

    @get("/settings")
    async def settings(request: Incoming) -> Template:
        return await page(request, asked(request.query_params.multi_items(), AskSettings).done)

    @post("/settings/client", status_code=303)
    async def put_client(request: Incoming) -> Response[Any]:
        said = await forms.submitted(request, ClientBody)
        await cases.tenants.put_client(request.auth, ClientId(said.id), said.ceiling, rooms)
        return gone("client")

    @post("/settings/client/remove", status_code=303)
    async def remove_client(request: Incoming) -> Response[Any]:
        said = await forms.submitted(request, NameClient)
        await cases.tenants.remove_client(request.auth, ClientId(said.id), rooms)
        return gone("client_removed")

    # The secret is shown on the very page that answers, and never again.
    @post("/settings/webhook", status_code=200)
    async def put_webhook(request: Incoming) -> Template:
        said = (await forms.submitted(request, PutWebhook)).body()
        what = said.id, said.url, said.events
        return await page(
            request, None, await cases.reports.put_webhook(request.auth, *what, rooms)
        )

    @post("/settings/webhook/rotate", status_code=200)
    async def rotate(request: Incoming) -> Template:
        said = await forms.submitted(request, RotateWebhook)
        what = said.id, said.former_hours
        return await page(
            request, None, await cases.reports.rotate_webhook(request.auth, *what, rooms)
        )

    @post("/settings/webhook/remove", status_code=303)
    async def remove_webhook(request: Incoming) -> Response[Any]:
        said = await forms.submitted(request, NameWebhook)
        await cases.reports.remove_webhook(request.auth, said.id, rooms)
        return gone("webhook_removed")

    @post("/settings/revoke", status_code=303)
    async def revoke(request: Incoming) -> Response[Any]:
        said = (await forms.submitted(request, Revoke)).body()
        await cases.tokens.revoke(request.auth, *said.of(), said.before, desk)
        await revoked.look()
        return gone("revoked")

    return [settings, put_client, remove_client, put_webhook, rotate, remove_webhook, revoke]
