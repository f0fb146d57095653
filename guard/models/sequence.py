"""A sequence classifier from a local directory, read for how much a text looks like an attack.

A long text is read in windows that overlap, each as long as the model takes, and its worst window
counts. No part goes unread: a text that has more windows than are allowed is not answered at all.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from guard.detectors.second import Reading
from guard.errors import InvalidError, UnavailableError
from guard.models.batching import BatchBounds, Batching, alike
from guard.models.directory import read
from guard.models.loading import Head, attempted, loaded
from guard.models.vectors import readable

ATTACKS: Final = frozenset(
    {"attack", "injection", "jailbreak", "malicious", "poison", "prompt_injection", "unsafe"}
)
"""What models call an attack, unless they are told which of their labels mean one."""
_UNNAMED: Final = ("label_0", "label_1")
"""Labels of a model that names none: two, and the second is what it was trained to find."""
_FIELD: Final = "screening.second_directory"
_WHAT: Final = "second"
_OVERLAP: Final = 8
"""Windows share one token in this many, so that no short command is cut in two."""
_AT_ONCE: Final = 8


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How to load a directory. `attack` names the labels that mean an attack, none: by custom.

    `tokens` is the length of a window and only lowers what the model takes; `windows` is how many
    of them one text may have.
    """

    attack: tuple[str, ...] = ()
    tokens: int = 512
    windows: int = 32
    threads: int = 2


class Window(msgspec.Struct, frozen=True):
    """A part of a text as the model reads it, and where in the text it lies."""

    ids: tuple[int, ...]
    start: int
    end: int


class Model(Protocol):
    """A tokenizer and a classifier."""

    @property
    def labels(self) -> Sequence[str]:
        """What its scores stand for, in their order."""
        ...

    def windows(self, text: str) -> Sequence[Window]:
        """Return `text` in windows, in order; one at least."""
        ...

    def logits(self, windows: Sequence[Window]) -> NDArray[np.float64]:
        """Return one row of scores per window, one for each label."""
        ...


class SequenceReader:
    """Fulfils `guard.detectors.second.Reader`, off the event loop and batched across callers."""

    def __init__(
        self, model: Model, version: str, options: Options, bounds: BatchBounds | None = None
    ) -> None:
        self._model = model
        self._attack = meaning_attack(model.labels, options.attack)
        self._windows = options.windows
        mark = hashlib.sha256(msgspec.json.encode((self._attack, options.windows))).hexdigest()
        self._version = f"{version}+{mark[:6]}"
        self._batching = Batching(self._run, bounds or BatchBounds(), _WHAT)

    @classmethod
    def load(
        cls, directory: Path, options: Options | None = None, bounds: BatchBounds | None = None
    ) -> Self:
        """Return a reader over the model in `directory`; no network.

        Raises InvalidError for a directory that can't or must not be loaded, and UnavailableError
        when the extra is not installed or the model does not work.
        """
        options = options or Options()
        manifest = read(directory, _FIELD)
        model = attempted(lambda: _proven(manifest.weights, options), _WHAT)
        version = manifest.version(model.tokens)
        return cls(model, version, options, bounds)

    @property
    def version(self) -> str:
        """Family, digest of the directory, length of a window, and the labels that count."""
        return self._version

    async def read(self, texts: Sequence[str]) -> Sequence[Reading]:
        """Return one reading per text, in order. Raises UnavailableError."""
        return await self._batching.submit([readable(text) for text in texts])

    async def close(self) -> None:
        """Refuse what waits, let the running batch answer, and end the thread. Idempotent."""
        await self._batching.close()

    def _run(self, texts: Sequence[str]) -> list[Reading]:
        cut = [self._model.windows(text) for text in texts]
        if max(map(len, cut)) > self._windows:
            raise UnavailableError(_WHAT)
        scores = iter(self._scores([window for windows in cut for window in windows]))
        return [_worst([Reading(next(scores), w.start, w.end) for w in windows]) for windows in cut]

    def _scores(self, windows: Sequence[Window]) -> list[float]:
        found: dict[int, float] = {}
        for group in alike([len(window.ids) for window in windows]):
            for start in range(0, len(group), _AT_ONCE):
                part = group[start : start + _AT_ONCE]
                logits = self._model.logits([windows[i] for i in part])
                found |= zip(part, attack_scores(logits, self._attack), strict=True)
        return [found[i] for i in range(len(windows))]


class _Torch:
    """Fulfils `Model` through transformers, one call at a time."""

    def __init__(self, weights: Path, options: Options) -> None:
        found = loaded(weights, Head.SEQUENCE, options.threads, _FIELD)
        self._torch, self._tokenizer, self._model = found
        self._filler = found.filler
        if not self._tokenizer.is_fast:
            raise InvalidError(f"{_FIELD}: its tokenizer has no fast form (tokenizer.json)")
        self.tokens = min(options.tokens, found.longest())
        self.labels = _labels_of(self._model.config)

    def windows(self, text: str) -> list[Window]:
        """Return `text` in windows that overlap; the tokenizer adds the model's own marks."""
        found = self._tokenizer(
            text,
            truncation=True,
            max_length=self.tokens,
            stride=self.tokens // _OVERLAP,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            # A text that spells out the model's own marks must not end, or mask, anything by them.
            split_special_tokens=True,
        )
        pairs = zip(found["input_ids"], found["offset_mapping"], strict=True)
        return [_window(ids, offsets) for ids, offsets in pairs]

    def logits(self, windows: Sequence[Window]) -> NDArray[np.float64]:
        """Return one row per window; the shorter ones are filled up and the filling is masked."""
        shape = (len(windows), max(len(window.ids) for window in windows))
        ids = np.full(shape, self._filler, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int64)
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1
        tensor = self._torch.from_numpy
        with self._torch.inference_mode():
            answer = self._model(input_ids=tensor(ids), attention_mask=tensor(mask))
        rows: NDArray[np.float64] = answer.logits.numpy().astype(np.float64)
        return rows


def meaning_attack(labels: Sequence[str], named: Sequence[str]) -> tuple[int, ...]:
    """Return the places of the labels that mean an attack: those named, or else those that models
    commonly call one.

    Raises InvalidError when that is none of them, or all.
    """
    known = [_plain(label) for label in labels]
    wanted = {_plain(one) for one in named}
    if not wanted:
        wanted = {_UNNAMED[1]} if tuple(known) == _UNNAMED else set(ATTACKS)
    elif not wanted <= set(known):
        raise InvalidError(f"screening.second_attack_labels: it has the labels {_listed(labels)}")
    found = tuple(place for place, label in enumerate(known) if label in wanted)
    if not found or len(found) == len(known):
        raise InvalidError(
            f"screening.second_attack_labels: name those that mean an attack of {_listed(labels)}"
        )
    return found


def attack_scores(logits: NDArray[np.float64], attack: Sequence[int]) -> list[float]:
    """Return per row how probable the model takes these labels together to be.

    Raises UnavailableError for what is no number.
    """
    if not bool(np.isfinite(logits).all()):
        raise UnavailableError(_WHAT)
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares = raised[:, list(attack)].sum(axis=1) / raised.sum(axis=1)
    return [min(1.0, float(share)) for share in shares]


def _worst(readings: Sequence[Reading]) -> Reading:
    return max(readings, key=lambda reading: reading.score)


def _proven(weights: Path, options: Options) -> _Torch:
    """Return the model when it answers for a short text and for one of several windows."""
    model = _Torch(weights, options)
    for text in ("ready", "x " * 2 * model.tokens):
        rows = model.logits(model.windows(text))
        if rows.shape[1] != len(model.labels):
            raise InvalidError(f"{_FIELD}: its scores do not fit its labels")
        attack_scores(rows, [0])
    return model


def _labels_of(config: Any) -> tuple[str, ...]:
    """Return the labels in the order of the scores."""
    if config.problem_type not in (None, "single_label_classification"):
        raise InvalidError(f"{_FIELD}: it does not choose one label of several")
    names = {int(place): str(name) for place, name in config.id2label.items()}
    if sorted(names) != list(range(len(names))) or len({_plain(n) for n in names.values()}) < 2:  # noqa: PLR2004
        raise InvalidError(f"{_FIELD}: it has no two labels")
    return tuple(names[place] for place in range(len(names)))


def _window(ids: Sequence[int], offsets: Sequence[tuple[int, int]]) -> Window:
    """Return a window; marks that stand for no part of the text have empty offsets."""
    real = [(start, end) for start, end in offsets if end > start]
    start = min((start for start, _ in real), default=0)
    return Window(tuple(ids), start, max((end for _, end in real), default=start))


def _plain(label: str) -> str:
    return label.strip().casefold().replace("-", "_").replace(" ", "_")


def _listed(labels: Sequence[str]) -> str:
    return ", ".join(label[:32] for label in labels[:16])
