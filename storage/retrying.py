"""Again, after the database broke off: only for what may be done twice without harm."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from guard.errors import ConflictError, UnavailableError
from storage.postgres import is_beaten, is_lost

PAUSES: Final = (0.0, 0.05, 0.2)
"""Seconds before each further attempt, at most; drawn at random so that rivals part."""

_P = ParamSpec("_P")
_T = TypeVar("_T")


def broke_off(error: ConflictError | UnavailableError) -> bool:
    """Tell whether the database gave up in the middle, without judging what was asked of it."""
    return is_beaten(error.__cause__) or is_lost(error.__cause__)


def retried(
    method: Callable[_P, Awaitable[_T]],
) -> Callable[_P, Coroutine[Any, Any, _T]]:
    """Repeat a method a few times after a deadlock, a serialisation failure or a lost connection.

    The last attempt's error is the answer. What the database refuses is not tried again.
    """

    @wraps(method)
    async def repeated(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        for pause in PAUSES:
            try:
                return await method(*args, **kwargs)
            except (ConflictError, UnavailableError) as error:
                if not broke_off(error):
                    raise
            await asyncio.sleep(random.uniform(0, pause))  # noqa: S311  # no secret
        return await method(*args, **kwargs)

    return repeated
