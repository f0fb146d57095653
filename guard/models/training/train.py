"""Make the classifier's file, again the same from the same data."""

import hashlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from guard.detectors.classifier import GROUPS, Limits, readings_of
from guard.models.features import FEATURES, parts_of, row
from guard.models.pinned import POISON
from guard.models.poison import Card, written
from guard.models.signs import read
from guard.models.training.disguise import disguised
from guard.models.training.fitting import GAMMA, Bag, Told, fit
from guard.models.training.numbers import Numbers
from guard.models.training.sources import CORPUS, LICENCES, Example, corpus_digest, examples
from guard.models.vectors import readable
from guard.views import views_of

ORIGINS: Final = {
    "web": ("web",),
    "outside": ("document", "tool_output"),
    "agent": ("agent_relayed", "user_stated"),
    "user": ("user_stated", "agent_relayed"),
}
"""Whose honest texts of the corpus set the limits of which group."""
RATES: Final = {"info": 0.2, "low": 0.1, "medium": 0.04, "high": 0.005}
"""Share of honest texts that reach each limit, at most …"""
OF_AGENTS: Final = {"agent": {"high": 0.01}}
"""… and where another one: what agents write is held at `high` alone, and half a per cent of so few
honest texts is a dozen odd ones (ADR 25)."""
_BATCH: Final = 256


def train(folder: Path, numbers: Numbers, told: Told) -> str:
    """Write the classifier's file into `folder`; return its SHA-256.

    Raises InvalidError when a package with data is not installed.
    """
    # (1) The texts, some of them in disguise, too.
    found = examples()
    found += [hidden for one in found if (hidden := _disguised(one)) is not None]

    # (2) As numbers.
    bags = []
    for at, one in enumerate(found):
        if at % _BATCH == 0:
            told("read", at, len(found))
        bags.append(bag_of(one, numbers))
    told("read", len(found), len(found))

    # (3) Fit, set the limits, write.
    with threadpool_limits(1):
        arrays, score = fit(bags, told)
    card = Card(FEATURES, limits_of(bags, score), _data(found), GAMMA)
    content = written(card, arrays)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / POISON).write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def bag_of(example: Example, numbers: Numbers) -> Bag:
    """Return a text as the classifier would read it."""
    texts = [readable(view.text) for view in readings_of(views_of(example.text))]
    parts = parts_of(texts)
    contents = [texts[part.text][part.start : part.end] for part in parts]
    readings = tuple(read(content) for content in contents)
    rows = [
        row(*numbers(content), reading) for content, reading in zip(contents, readings, strict=True)
    ]
    return Bag(
        parts=parts,
        rows=np.stack(rows),
        readings=readings,
        attack=example.attack,
        source=example.source,
        group=example.group,
        origin=example.origin,
    )


def limits_of(bags: Sequence[Bag], score: NDArray[np.float64]) -> dict[str, Limits]:
    """Return the scores that the stated shares of honest texts reach, by group of origins."""
    limits = {}
    for group in GROUPS:
        honest = [
            score[at]
            for at, bag in enumerate(bags)
            if bag.source == CORPUS and not bag.attack and bag.origin in ORIGINS[group]
        ]
        rates = RATES | OF_AGENTS.get(group, {})
        steps = {name: _reached(honest, rate) for name, rate in rates.items()}
        limits[group] = Limits(**steps)
    return limits


def _reached(scores: Sequence[float], rate: float) -> float:
    """Return the lowest limit, to four digits, that at most this share of the scores reaches."""
    ordered = sorted(scores, reverse=True)
    return min(1.0, math.ceil((ordered[int(rate * len(ordered))] + 1e-4) * 1e4) / 1e4)


def _disguised(example: Example) -> Example | None:
    hidden = disguised(example.text) if example.source == CORPUS else None
    return None if hidden is None else msgspec.structs.replace(example, text=hidden)


def _data(found: Sequence[Example]) -> dict[str, str]:
    """Return what a model was made from, for its card."""
    counts = {name: sum(one.source == name for one in found) for name in LICENCES}
    said = {name: f"{counts[name]} texts; {licence}" for name, licence in LICENCES.items()}
    return said | {"corpus_sha256": corpus_digest()}
