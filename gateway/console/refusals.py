"""Errors as pages: the status and the code of `gateway.problems`, and no more than that says."""

from typing import Any, Final
from urllib.parse import quote

from litestar import MediaType, Request, Response
from litestar.response import Redirect

from gateway.console.frame import Frame, own_path, visitor
from gateway.console.shield import ROOT
from gateway.problems import ProblemHandler, problem_of
from guard.errors import UnauthenticatedError

_KEPT: Final = ("retry-after", "ratelimit", "ratelimit-policy")


class PageProblems:
    """Turns every exception under `/console` into a page, or into the way to sign in."""

    def __init__(self, frame: Frame, problems: ProblemHandler) -> None:
        self._frame, self._problems = frame, problems

    def __call__(self, request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
        """Return the response for `error`; what nobody foresaw is logged as everywhere."""
        plain = self._problems(request, error)
        if isinstance(error, UnauthenticatedError) and visitor(request) is None:
            # Whoever is not signed in, or no more, signs in and comes back to where he was.
            back = own_path(request.scope.get("path", ROOT)) if request.method == "GET" else ROOT
            answer = Redirect(f"{ROOT}/login?next={quote(back, safe='/')}", status_code=303)
            # A dead ticket is dropped. Where none came along there may be a living one that another
            # site's link or form did not get to send: no other site signs anybody out.
            if self._frame.cookies.visit in request.cookies:
                answer.set_cookie(self._frame.cookies.drop(self._frame.cookies.visit))
            return answer
        problem = problem_of(error)
        page = self._frame.page(request, "refused.html", problem.status, problem=problem)
        told = {name.lower(): value for name, value in plain.headers.items()}
        page.headers.update({name: told[name] for name in _KEPT if name in told})
        page.media_type = MediaType.HTML
        return page
