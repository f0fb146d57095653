"""What reviewers send and are told of what takes two of them."""

from datetime import datetime
from typing import Annotated, Self

import msgspec
from msgspec import Meta

from gateway.rulings import Decide
from guard.proposal import Proposal, Wish
from guard.proposals import Settled
from guard.ruling import Because
from memory.origin import TRUST_OF_SUBJECT
from memory.types import State


class Weigh(Decide, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How far a memory is to be trusted, and why."""

    trust: Annotated[int, Meta(ge=0, le=TRUST_OF_SUBJECT)]


class ListProposals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which page of what waits for a second reviewer, oldest first; `after` is an id."""

    after: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 20


class ProposalAnswer(msgspec.Struct, frozen=True):
    """What one reviewer proposed for a memory, and until when another may decide."""

    id: str
    memory: str
    subject: str
    wish: Wish
    trust: int | None
    by: str
    reason: Because | None
    at: datetime
    expires_at: datetime

    @classmethod
    def of(cls, proposal: Proposal) -> Self:
        """Return it as reviewers see it."""
        return cls(
            id=proposal.id,
            memory=proposal.memory,
            subject=proposal.owner.subject,
            wish=proposal.wish,
            trust=proposal.trust,
            by=proposal.by,
            reason=proposal.because,
            at=proposal.at,
            expires_at=proposal.expires_at,
        )


class ProposalsAnswer(msgspec.Struct, frozen=True):
    """What waits for a second reviewer."""

    items: tuple[ProposalAnswer, ...]


class SettledAnswer(msgspec.Struct, frozen=True):
    """A memory as a decision left it; or, while that takes another reviewer, what was proposed."""

    id: str
    state: State | None = None
    trust: int | None = None
    proposal: ProposalAnswer | None = None

    @classmethod
    def of(cls, made: Settled | Proposal) -> Self:
        """Return it as reviewers see it."""
        if isinstance(made, Proposal):
            return cls(made.memory, proposal=ProposalAnswer.of(made))
        return cls(made.memory, made.state, made.trust)
