"""What a question means and is found by, made while its vectors are: the first step of a recall."""

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import datetime

import msgspec

from guard.ahead import beginning
from guard.aside import aside
from guard.outcomes import Query
from guard.ports import Purpose
from guard.rooms import Rooms
from guard.understand import Understanding, understand
from memory.bearing import Sought, sought
from memory.entities import entities_of
from memory.signals import Blinded, Signals, Vectors
from memory.terms import terms_of
from memory.types import Owner


class Sighted(msgspec.Struct, frozen=True):
    """A question as it is understood, what it is found by, and what it asks for; None where that
    depends on the hour and on what is found.
    """

    meant: Understanding
    blinded: Blinded
    wanted: Sought | None = None


def timeless(meant: Understanding, now: datetime) -> Sought | None:
    """Return what a question asks for, if it speaks of no time: else it is known later."""
    if meant.times.spans:
        return None
    return sought(meant.query.text, meant.times, meant.query.reference_time or now, meant.zone)


async def seek(owner: Owner, query: Query, now: datetime, rooms: Rooms) -> Sighted:
    """Return what a question means, and what it is found by, under the subject's keys.

    The model leaves the interpreter to others: what needs no vector is done meanwhile. A question
    is only put into other words by the turns before it, so that without any it is embedded at once.
    """
    with ExitStack() as begun:
        stands = not query.window and query.session is None
        embedding = None
        if stands:
            embedding = begun.enter_context(beginning(_vectors_of(query.text, rooms)))
            await asyncio.sleep(0)
        meant = await understand(owner, query, now, rooms)
        text = meant.query.text
        if embedding is None or text != query.text:
            embedding = begun.enter_context(beginning(_vectors_of(text, rooms)))
            await asyncio.sleep(0)
        terms, named = await aside(len(text), _words_of, text)
        words = await rooms.vault.blind(owner, Signals({}, terms, tuple(dict.fromkeys(named))))
        wanted = await aside(len(text), timeless, meant, now)
        vectors = await embedding
    turned = await rooms.vault.blind(owner, Signals(vectors, {}, ()))
    return Sighted(meant, msgspec.structs.replace(words, vectors=turned.vectors), wanted)


async def _vectors_of(text: str, rooms: Rooms) -> Vectors:
    (vectors,) = await rooms.embedder.embed([text], Purpose.QUESTION)
    return vectors


def _words_of(text: str) -> tuple[Mapping[str, float], tuple[str, ...]]:
    return terms_of(text), entities_of(text)
