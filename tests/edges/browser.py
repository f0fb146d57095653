"""A browser without a screen: it keeps cookies, sends the forms of the pages that it was shown."""

import html
import re
from collections.abc import Mapping
from typing import Any, Final

import httpx2
import msgspec

from gateway.edge import build
from gateway.settings import Http, Settings
from tests.edges.guarded import Guarded
from tests.edges.world import token

HERE: Final = "http://127.0.0.1:8080"
SECURE: Final = "https://memguard.example"
_SECRET: Final = re.compile(r'name="form_secret" value="([^"]*)"')
REVIEWER: Final = "quarantine:read quarantine:decide quarantine:reveal audit:read"


class Browser:
    """Somebody's browser at the console of one gateway."""

    def __init__(self, app: Any, origin: str = HERE) -> None:
        self.origin = origin
        self.http = httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=origin)
        self.page = ""

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        """Go to a page."""
        return self._seen(await self.http.get(path, headers=headers))

    async def post(
        self,
        path: str,
        fields: Mapping[str, Any] | None = None,
        *,
        secret: str | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> httpx2.Response:
        """Send a form as the page that is shown would: with its secret and from its origin."""
        said = {"Origin": self.origin} | dict(headers or {})
        known = self.secret if secret is None else secret
        data = {"form_secret": known, **(fields or {})}
        sent = {name: value for name, value in said.items() if value is not None}
        return self._seen(await self.http.post(path, data=data, headers=sent))

    async def sign_in(self, key: Mapping[str, Any], **claims: Any) -> httpx2.Response:
        """Sign in with a token of these claims."""
        given = token(key, **{"sub": "rita", "scope": REVIEWER} | claims)
        await self.get("/console/login")
        return await self.post("/console/login", {"token": given})

    @property
    def secret(self) -> str:
        """The secret of the forms of the page that is shown."""
        found = _SECRET.search(self.page)
        return html.unescape(found[1]) if found else ""

    def _seen(self, answer: httpx2.Response) -> httpx2.Response:
        if answer.headers.get("content-type", "").startswith("text/html") and answer.text:
            self.page = answer.text
        return answer


def console_of(guarded: Guarded, *, public_url: str | None = None) -> Any:
    """Return the application of a gateway that people reach at this address."""
    edge = guarded.edge()
    settings = Settings(http=Http(public_url=public_url)) if public_url else edge.settings
    return build(msgspec.structs.replace(edge, settings=settings))
