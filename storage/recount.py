"""A tenant's record counted again from its first leaf, beside checkpoints of it. Pure.

The same code counts what a ledger holds and what somebody exported from one.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from guard.merkle import Growing
from guard.ports import AuditHead
from memory.types import TenantId
from storage.chain import EMPTY, Flaw, Link, Problem, check_links, leaf_hash
from storage.checkpoints import Checkpoint


class Recount:
    """Takes leaves in order, a few at a time, and says at the end what is wrong with them.

    `kept` are checkpoints of this tenant whose signatures have been checked.
    """

    def __init__(self, tenant: TenantId, kept: Sequence[Checkpoint] = ()) -> None:
        self._tenant: Final = tenant
        self._head = EMPTY
        self._tree = Growing()
        self._wanted = defaultdict[int, set[bytes]](set)
        for checkpoint in kept:
            self._wanted[checkpoint.size].add(checkpoint.root)
        self._problems = self._beside()

    @property
    def after(self) -> int:
        """The number of the leaf that was taken last."""
        return self._head.size

    def take(self, links: Sequence[Link]) -> None:
        """Go on with these leaves."""
        self._problems += check_links(self._tenant, links, self._head)
        for link in links:
            self._tree.add(leaf_hash(link.body))
            self._problems += self._beside()
            self._head = AuditHead(link.sequence, link.hash)

    def done(self) -> tuple[int, list[Problem]]:
        """Return how many leaves there were, and what is wrong with them."""
        cut = sorted(size for size in self._wanted if size > self._tree.size)
        return self._tree.size, [
            *self._problems,
            *(Problem(Flaw.RECORD_CUT, size) for size in cut),
        ]

    def _beside(self) -> list[Problem]:
        """Return that the record differs from the checkpoints of its present size, if it does.

        Two checkpoints of one size that differ are a fork: no record is like both.
        """
        roots = self._wanted.get(self._tree.size)
        if roots is None or roots == {self._tree.root()}:
            return []
        return [Problem(Flaw.RECORD_OTHER, self._tree.size)]
