"""The readings of a text that a model is shown, none of them cut."""

from collections.abc import Sequence

from guard.errors import UnavailableError
from guard.nouns import View
from guard.views import MODEL_CHARACTERS, views_for_models


def shown_whole(views: Sequence[View], stage: str) -> tuple[View, ...]:
    """Return the views that differ most, the original first.

    Raises UnavailableError for a text too long for a model: what were cut off could be anything.
    """
    if any(len(view.text) > MODEL_CHARACTERS for view in views):
        raise UnavailableError(stage)
    return views_for_models(views)
