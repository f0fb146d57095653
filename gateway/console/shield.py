"""What every answer under `/console` tells a browser, whoever made it (Q8).

Nothing is loaded from elsewhere, nothing in a page is a script or a style, nobody may frame it,
and no cache keeps it.
"""

from typing import Final

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

ROOT: Final = "/console"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
# Not `no-referrer`: with that a browser sends the Origin `null` along with our own forms.
_ALWAYS: Final = {
    b"content-security-policy": POLICY.encode(),
    b"x-frame-options": b"DENY",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=()",
}
_UNLESS_SAID: Final = {b"cache-control": b"no-store"}


class Shielded:
    """Stands around the application and adds these headers to what is the console's."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        path = scope.get("path", "")
        if scope["type"] != ScopeType.HTTP or not (path == ROOT or path.startswith(f"{ROOT}/")):
            await self._app(scope, receive, send)
            return

        async def shielded(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = {name.lower(): value for name, value in message.get("headers", [])}
                kept = [
                    (name, value)
                    for name, value in message.get("headers", [])
                    if name.lower() not in _ALWAYS
                ]
                added = {n: v for n, v in _UNLESS_SAID.items() if n not in said}
                message["headers"] = [*kept, *_ALWAYS.items(), *added.items()]
            await send(message)

        await self._app(scope, receive, shielded)
