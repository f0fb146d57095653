"""Webhooks for a tenant's administrator: where its findings are posted, and what was given up (Q7).

Names and URLs stand in bodies and never in paths, which end in the logs of every proxy.
"""

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import Request, delete, get, post, put
from litestar.handlers import HTTPRouteHandler
from msgspec import Meta

from gateway import wire
from gateway.doors import Edge
from gateway.limits import Shape
from guard.findings import Event
from guard.hooks import DeadPost
from guard.webhooks import Webhook

Incoming = Request[Any, Any, Any]

_Id = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"\A[a-z0-9][a-z0-9._-]*\Z")]
_Number = Annotated[int, Meta(ge=1, le=2**53)]


class WebhookBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A webhook: its name, where findings are posted, and which; by default all."""

    id: _Id
    url: Annotated[str, Meta(min_length=1, max_length=2048)]
    events: Annotated[tuple[Event, ...], Meta(min_length=1, max_length=len(Event))] = tuple(Event)


class NameWebhook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which webhook."""

    id: _Id


class RotateWebhook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which webhook gets a new secret, and for how many hours the former one counts, too."""

    id: _Id
    former_hours: Annotated[int, Meta(ge=0, le=720)] = 24


class ReplayPosts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is posted again: one leaf of a webhook, or all that is dead of it."""

    id: _Id
    leaf: _Number | None = None


class ListDead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many, longest dead first."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class WebhookAnswer(msgspec.Struct, frozen=True):
    """A webhook. `secret` is there once: in the answer that made it."""

    id: str
    url: str
    events: tuple[Event, ...]
    paused: str | None
    position: int
    changed_at: datetime
    two_secrets_until: datetime | None
    secret: str | None

    @classmethod
    def told(cls, one: Webhook) -> "WebhookAnswer":
        """Return a webhook as administrators see it."""
        return cls(
            id=one.id,
            url=one.url,
            events=one.events,
            paused=one.paused or None,
            position=one.position,
            changed_at=one.changed_at,
            two_secrets_until=one.two_secrets_until,
            secret=one.secret,
        )


class WebhooksAnswer(msgspec.Struct, frozen=True):
    """All webhooks of the own tenant."""

    items: tuple[WebhookAnswer, ...]


class NamedAnswer(msgspec.Struct, frozen=True):
    """Which webhook is there no longer."""

    id: str


class DeadPostAnswer(msgspec.Struct, frozen=True):
    """One finding that was given up: of which leaf, how often it was tried, and why in vain."""

    webhook: str
    leaf: int
    attempts: int
    reason: str
    dead_since: datetime

    @classmethod
    def told(cls, one: DeadPost) -> "DeadPostAnswer":
        """Return it as administrators see it."""
        return cls(one.hook, one.sequence, one.attempts, one.reason, one.at)


class DeadPostsAnswer(msgspec.Struct, frozen=True):
    """The findings, longest dead first."""

    items: tuple[DeadPostAnswer, ...]


class PostsReplayedAnswer(msgspec.Struct, frozen=True):
    """How many findings are posted again."""

    id: str
    replayed: int


def webhook_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """Return the handlers under `/v1/tenant/webhooks`."""
    return [*_own_routes(edge), *_dead_routes(edge)]


def _own_routes(edge: Edge) -> list[HTTPRouteHandler]:
    doors, rooms = edge.use_cases.reports, edge.rooms

    @get("/v1/tenant/webhooks", opt={"shape": Shape("List webhooks", WebhooksAnswer)})
    async def webhooks(request: Incoming) -> WebhooksAnswer:
        found = await doors.webhooks(request.auth, rooms)
        return WebhooksAnswer(tuple(WebhookAnswer.told(one) for one in found))

    @put(
        "/v1/tenant/webhooks",
        opt={"shape": Shape("Add or replace a webhook", WebhookAnswer, body=WebhookBody)},
    )
    async def put_webhook(request: Incoming) -> WebhookAnswer:
        body = wire.from_json(await request.body(), WebhookBody)
        made = await doors.put_webhook(request.auth, body.id, body.url, body.events, rooms)
        return WebhookAnswer.told(made)

    @post(
        "/v1/tenant/webhooks/rotate",
        status_code=200,
        opt={"shape": Shape("Give a webhook a new secret", WebhookAnswer, body=RotateWebhook)},
    )
    async def rotate(request: Incoming) -> WebhookAnswer:
        body = wire.from_json(await request.body(), RotateWebhook)
        made = await doors.rotate_webhook(request.auth, body.id, body.former_hours, rooms)
        return WebhookAnswer.told(made)

    @delete(
        "/v1/tenant/webhooks",
        status_code=200,
        opt={"shape": Shape("Remove a webhook", NamedAnswer, query=NameWebhook)},
    )
    async def remove(request: Incoming) -> NamedAnswer:
        named = wire.from_query(request.query_params.multi_items(), NameWebhook)
        await doors.remove_webhook(request.auth, named.id, rooms)
        return NamedAnswer(named.id)

    return [webhooks, put_webhook, rotate, remove]


def _dead_routes(edge: Edge) -> list[HTTPRouteHandler]:
    doors, rooms = edge.use_cases.reports, edge.rooms

    @get(
        "/v1/tenant/webhooks/dead",
        opt={"shape": Shape("List findings that were given up", DeadPostsAnswer, query=ListDead)},
    )
    async def dead(request: Incoming) -> DeadPostsAnswer:
        page = wire.from_query(request.query_params.multi_items(), ListDead)
        found = await doors.dead_posts(request.auth, page.limit, rooms)
        return DeadPostsAnswer(tuple(DeadPostAnswer.told(one) for one in found))

    @post(
        "/v1/tenant/webhooks/dead/replay",
        status_code=200,
        opt={"shape": Shape("Have findings posted again", PostsReplayedAnswer, body=ReplayPosts)},
    )
    async def replay(request: Incoming) -> PostsReplayedAnswer:
        body = wire.from_json(await request.body(), ReplayPosts)
        replayed = await doors.replay_posts(request.auth, body.id, body.leaf, rooms)
        return PostsReplayedAnswer(body.id, replayed)

    return [dead, replay]
