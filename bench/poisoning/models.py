"""The models behind the stages, counted or asked once while something is measured.

They have ports, and whoever asks them made them himself. So what they all go through is exchanged
meanwhile: the queue in front of every packaged model, and the reader of the classifier.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from guard.detectors.classifier import Judgement
from guard.models.batching import Batching
from guard.models.reading import Asked
from memory.signals import Vectors

Submit = Callable[..., Awaitable[list[Any]]]
"""A queue and its texts to one answer a text."""


@contextmanager
def submitting(change: Callable[[Submit], Submit]) -> Iterator[None]:
    """Let every model be asked as `change` makes of the way it is asked meanwhile."""
    with instead(Batching, "submit", change(Batching.submit)):
        yield


@contextmanager
def asked_once() -> Iterator[None]:
    """Have every model read each text once meanwhile: it says the same under the next origin."""
    known: dict[tuple[int, Any], Any] = {}

    def remembering(submit: Submit) -> Submit:
        async def submit_new(queue: Any, texts: Sequence[Any]) -> list[Any]:
            new = list(dict.fromkeys(text for text in texts if (id(queue), text) not in known))
            if new:
                answers = await submit(queue, new)
                known.update({(id(queue), t): a for t, a in zip(new, answers, strict=True)})
            return [known[id(queue), text] for text in texts]

        return submit_new

    with submitting(remembering):
        yield


@contextmanager
def scores_told() -> Iterator[Mapping[str, float]]:
    """Lend the classifier's score of every text that it judges meanwhile, by the text.

    It says itself only what is suspicious.
    """
    told: dict[str, float] = {}
    judgement = Asked.judgement

    async def judgement_told(asked: Asked, vectors: Vectors) -> Judgement:
        made = await judgement(asked, vectors)
        told[asked.text] = made.score
        return made

    with instead(Asked, "judgement", judgement_told):
        yield told


@contextmanager
def instead(owner: object, name: str, function: Callable[..., Any]) -> Iterator[None]:
    """Have the function stand in the place of the one that `owner` has by this name meanwhile."""
    original = getattr(owner, name)
    setattr(owner, name, function)
    try:
        yield
    finally:
        setattr(owner, name, original)
