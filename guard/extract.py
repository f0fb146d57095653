"""What rules can't read of a draft is asked of a model, where one is configured."""

import msgspec

from guard.aside import aside
from guard.extracting import LONGEST
from guard.gather import around_of, at_of, kin_in
from guard.kin import entities_for
from guard.nouns import Facts, Screened
from guard.relating import Said
from guard.rooms import Rooms
from memory.signals import Signals
from policies.model import Effect

_KEPT_AS_IT_IS = frozenset({Effect.ALLOW, Effect.LOWER})


async def extracted(screened: Screened, facts: Facts, rooms: Rooms) -> Facts:
    """Return the facts with what a model says a draft speaks of, and what is to be compared for it.

    Decided is everything before that. Nothing is sent of a draft that policy holds, refuses or cuts
    something out of, of one that the rules can read, and of one that only asks.
    """
    asker, tagged = rooms.telling, screened.tagged
    if asker is None or screened.decision.effect not in _KEPT_AS_IT_IS:
        return facts
    text = tagged.draft.text
    said = Said(text, at_of(tagged), facts.reading)
    if len(text) > LONGEST or not await aside(len(text), rooms.relating.is_unread, said):
        return facts
    with rooms.watch.step("remember.extract"):
        told = await asker.told(tagged.owner.tenant, text)
    if told is None:
        return facts
    said = msgspec.structs.replace(said, record=b"", told=told, by=asker.name)
    reading = await aside(len(text), rooms.relating.read, said)
    facts = msgspec.structs.replace(facts, reading=reading.record)
    if not reading.slots:
        return facts
    plain, owner = facts.signals, tagged.owner
    entities = dict.fromkeys((*plain.entities, *entities_for(reading.slots)))
    signals = Signals(plain.vectors, plain.terms, tuple(entities))
    blinded = await rooms.vault.blind(owner, signals)
    # What came in between has moved the epoch, and the commit notices it.
    around = await around_of(owner, signals, blinded, rooms)
    return msgspec.structs.replace(
        facts, signals=signals, blinded=blinded, kin=kin_in(around, tagged.id)
    )
