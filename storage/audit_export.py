"""A record outside its ledger: one leaf a line, to be verified where no ledger is (Q6).

    {"tenant": "acme", "sequence": 1, "body": "<base64>", "chain": "<base64>"}

`body` is the leaf in its canonical form (`storage.chain`), `chain` the value after it. Leaves of
one tenant come in their order; those of several tenants may alternate.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from guard.errors import UnreadableError
from memory.types import TenantId
from storage.chain import AuditReport, Link, report
from storage.checkpoints import Checkpoint
from storage.recount import Recount


class Exported(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of an export."""

    tenant: Annotated[str, Meta(min_length=1, max_length=255)]
    sequence: Annotated[int, Meta(ge=1)]
    body: bytes
    chain: bytes


def exported(tenant: TenantId, link: Link) -> str:
    """Return the line of one leaf."""
    line = Exported(tenant, link.sequence, link.body, link.hash)
    return msgspec.json.encode(line).decode()


def verify_export(
    lines: Iterable[str | bytes], kept: Sequence[Checkpoint] = ()
) -> list[AuditReport]:
    """Return what is wrong with each tenant's record in an export, also against what was `kept`.

    A tenant of whom there is a checkpoint and no line is reported like the others. Raises
    UnreadableError, naming the line, for one that is none.
    """
    counts = {
        tenant: Recount(tenant, [one for one in kept if one.tenant == tenant])
        for tenant in {one.tenant for one in kept}
    }
    for number, line in enumerate(lines, 1):
        try:
            read = msgspec.json.decode(line, type=Exported)
        except msgspec.MsgspecError:
            raise UnreadableError(f"line {number}") from None
        tenant = TenantId(read.tenant)
        counts.setdefault(tenant, Recount(tenant)).take(
            [Link(read.sequence, read.body, read.chain)]
        )
    return [report(tenant, *counts[tenant].done()) for tenant in sorted(counts)]
