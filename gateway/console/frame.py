"""What stands around every page: who is there, in which language, and where he may go.

Pages are Jinja templates whose values are always escaped. A page says what it shows by name; the
frame adds the words, the form's secret and the links that the scopes table allows this visitor.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.response import Template
from litestar.template import TemplateConfig

from gateway.console.cookies import THEMES, Cookies, Incoming
from gateway.console.shield import ROOT
from gateway.console.words import LANGUAGES, WORDS, Words, language_of
from gateway.scopes import ROUTES, Access
from guard.errors import UnauthenticatedError
from guard.principal import Principal

HERE: Final = Path(__file__).parent
FORM: Final = b"memguard/visit/form"
"""What the secret of a visit's forms is derived for."""
SECTIONS: Final = (
    "overview",
    "queue",
    "proposals",
    "origins",
    "memories",
    "policies",
    "audit",
    "letters",
    "settings",
)
"""The sections of the console in the order of its menu; the first that is allowed is its home."""
_SHORT: Final = 8
_PATH: Final = re.compile(r"\A/console(/[A-Za-z0-9-]+)*\Z")


class Frame:
    """Makes pages of templates."""

    def __init__(self, cookies: Cookies) -> None:
        self.cookies: Final = cookies
        self.templates: Final = TemplateConfig(
            instance=JinjaTemplateEngine.from_environment(environment())
        )
        self._stamp = _stamp()

    def page(self, request: Incoming, template: str, status: int = 200, **shown: Any) -> Template:
        """Return a page for whoever asks. Nothing of `shown` is markup, whatever is in it."""
        words = self.words(request)
        theme = request.cookies.get(self.cookies.theme)
        principal = visitor(request)
        around = {
            "t": words,
            "language": words.language,
            "languages": LANGUAGES,
            "theme": theme if theme in THEMES else THEMES[0],
            "themes": THEMES,
            "visitor": principal,
            "sections": [] if principal is None else allowed(principal),
            "here": request.scope.get("path", ROOT),
            "form_secret": self._form_secret(request, principal),
            "static": self._stamp,
            "may": lambda method, path: principal is not None and may(principal, method, path),
        }
        return Template(template, context={**around, **shown}, status_code=status)

    def words(self, request: Incoming) -> Words:
        """Return the words of a request's language."""
        chosen = request.cookies.get(self.cookies.language)
        return WORDS[language_of(chosen, request.headers.get("accept-language", ""))]

    def _form_secret(self, request: Incoming, principal: Principal | None) -> str:
        if principal is None:
            return ""
        try:
            return self.cookies.ticket(request.scope).derived(FORM)
        except UnauthenticatedError:
            return ""


def visitor(request: Incoming) -> Principal | None:
    """Return who is signed in on this request, as the bearer check found."""
    found = request.scope.get("auth")
    return found if isinstance(found, Principal) else None


def may(principal: Principal, method: str, path: str) -> bool:
    """Return whether the scopes table lets somebody go there. For what a page offers; the route
    asks the table itself.
    """
    needed = ROUTES.get((method, path))
    return needed in (Access.PUBLIC, Access.ANY_AUTHENTICATED) or needed in principal.scopes


def allowed(principal: Principal) -> list[str]:
    """Return the sections that somebody may see."""
    return [one for one in SECTIONS if may(principal, "GET", f"{ROOT}/{one}")]


def own_path(said: str) -> str:
    """Return where to go on in the console; its root for whatever is not a path of it."""
    return said if _PATH.match(said) else ROOT


def environment() -> Environment:
    """Return the engine: everything is escaped, and a name that a page forgot is an error."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters["instant"] = instant
    made.filters["short"] = short
    made.filters["base64"] = lambda raw: base64.b64encode(raw).decode()
    return made


def instant(at: datetime) -> str:
    """Return a time as pages show it, in UTC."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def short(id: str) -> str:
    """Return the end of an id, by which people tell it apart."""
    return id[-_SHORT:]


def statics() -> Mapping[str, tuple[bytes, str]]:
    """Return the files that pages load, each with its media type."""
    kinds = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
    return {
        path.name: (path.read_bytes(), kinds[path.suffix])
        for path in sorted((HERE / "static").iterdir())
        if path.suffix in kinds
    }


def _stamp() -> str:
    """Return what changes with the files, so that browsers may keep them."""
    digest = hashlib.sha256()
    for name, (content, _) in statics().items():
        digest.update(f"{name}:{len(content)}:".encode() + content)
    return digest.hexdigest()[:16]
