"""What one reviewer proposes and another decides: the noun, and how it is sealed."""

from datetime import datetime
from enum import StrEnum

import msgspec

from guard.errors import UnreadableError
from guard.nouns import SealedProposal
from guard.ports import Record
from guard.rooms import Rooms
from guard.ruling import Because
from memory.types import MemoryId, Owner, SubjectId


class Wish(StrEnum):
    """What takes two reviewers."""

    RAISE = "raise"
    """More trust for a memory."""
    ERASE = "erase"
    """What is another's is to go for good."""


class Proposal(msgspec.Struct, frozen=True):
    """A wish for the version of a memory that was looked at; `id` is the leaf that tells of it."""

    id: str
    owner: Owner
    memory: MemoryId
    version: int
    wish: Wish
    trust: int | None
    by: SubjectId
    because: Because | None
    at: datetime
    expires_at: datetime


async def seal(proposal: Proposal, rooms: Rooms) -> SealedProposal:
    """Return a proposal as it is kept: nobody who writes to the ledger makes one, or another."""
    plain = msgspec.msgpack.encode(proposal)
    token = await rooms.envelopes.wrap(proposal.owner, Record.PROPOSAL, _place(proposal), plain)
    return SealedProposal(proposal.id, proposal.owner, proposal.memory, proposal.expires_at, token)


async def unseal(kept: SealedProposal, rooms: Rooms) -> Proposal | None:
    """Return what was kept, None when it is not what it says it is."""
    try:
        plain = await rooms.envelopes.unwrap(kept.owner, Record.PROPOSAL, _place(kept), kept.token)
        proposal = msgspec.msgpack.decode(plain, type=Proposal)
    except (UnreadableError, msgspec.MsgspecError):
        return None
    same = (proposal.id, proposal.owner, proposal.memory, proposal.expires_at)
    said = (kept.id, kept.owner, kept.memory, kept.expires_at)
    return proposal if same == said else None


def _place(of: Proposal | SealedProposal) -> tuple[bytes, ...]:
    return of.id.encode(), of.memory.encode()
