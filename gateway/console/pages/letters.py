"""Dead letters: accepted writes and findings that were given up, and having them tried again."""

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal

import msgspec
from litestar import Response, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.response import Redirect, Template
from msgspec import Meta

from gateway import wire
from gateway.console.cookies import Incoming
from gateway.console.forms import Forms, asked
from gateway.console.frame import Frame
from gateway.console.shield import ROOT
from gateway.doors import Edge

_MOST: Final = 100


class AskLetters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was done on the page before."""

    done: Literal["writes", "posts"] | None = None


class ReplayWrite(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which write is tried again."""

    id: wire.Id


class ReplayPost(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which webhook's finding is posted again: one leaf's, or all."""

    id: Annotated[str, Meta(min_length=1, max_length=64)]
    leaf: Annotated[int, Meta(ge=1, le=2**53)] | None = None


def letters_pages(edge: Edge, frame: Frame, forms: Forms) -> Iterable[HTTPRouteHandler]:
    """Return the handlers of dead letters."""
    writes, posts, rooms = edge.use_cases.queue, edge.use_cases.reports, edge.rooms

    @get("/letters")
    async def letters(request: Incoming) -> Template:
        wanted = asked(request.query_params.multi_items(), AskLetters)
        return frame.page(
            request,
            "letters.html",
            wanted=wanted,
            writes=await writes.given_up(request.auth, _MOST, rooms),
            posts=await posts.dead_posts(request.auth, _MOST, rooms),
            most=_MOST,
        )

    @post("/letters/write", status_code=303)
    async def write(request: Incoming) -> Response[Any]:
        said = await forms.submitted(request, ReplayWrite)
        await writes.replay(request.auth, wire.memory_id(said.id), rooms)
        return Redirect(f"{ROOT}/letters?done=writes", status_code=303)

    @post("/letters/post", status_code=303)
    async def again(request: Incoming) -> Response[Any]:
        said = await forms.submitted(request, ReplayPost)
        await posts.replay_posts(request.auth, said.id, said.leaf, rooms)
        return Redirect(f"{ROOT}/letters?done=posts", status_code=303)

    return [letters, write, again]
