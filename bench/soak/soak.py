"""One soak from start to end, and its report."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

import msgspec

from bench.soak.asking import Asking
from bench.soak.book import Book, Owner
from bench.soak.faults import Faults
from bench.soak.greedy import GREEDY, UNITS_PER_MINUTE, Excess, Greed, excess, told
from bench.soak.proving import Proving, audited, drained, stopped
from bench.soak.site import Site
from bench.soak.visiting import Visiting
from gateway.minting import DEVELOPMENT_CLIENT

Say = Callable[[str], None]
_RATIO_SLACK: Final = 1.0
_CREATED: Final = 201


class Plan(msgspec.Struct, frozen=True):
    """How long and how hard."""

    seconds: float
    seed: int
    gateways: int = 4
    rate: float = 15.0
    tenants: int = 50
    subjects: int = 20


class Report(msgspec.Struct, frozen=True):
    """What was done and what was found."""

    plan: Plan
    counts: Counter[str]
    injected: Counter[str]
    greed: Excess
    given: int
    refused: int
    leaves: int
    slowest: float
    violations: list[str]

    def lines(self) -> list[str]:
        """Return it as text."""
        plan = self.plan
        return [
            f"seed {plan.seed}: {plan.seconds:.0f} s at {plan.rate} visits a second",
            f"{plan.gateways} gateways, {plan.tenants} tenants x {plan.subjects} subjects",
            *(f"  {name}: {count}" for name, count in sorted(self.counts.items())),
            "faults:",
            *(f"  {name}: {count}" for name, count in sorted(self.injected.items())),
            f"limit of one subject: {self.given} let in, {self.refused} refused",
            f"  {self.greed.shared:.2f} x the limit at most, in spans without an outage of Redis",
            f"  {self.greed.alone:.2f} x the limit at most, in spans that touch one",
            f"audit: {self.leaves} leaves; slowest answer {self.slowest:.1f} s",
            f"violations: {len(self.violations)}",
            *(f"  {one}" for one in self.violations[:50]),
        ]


async def soak(site: Site, plan: Plan, say: Say) -> tuple[Report, Book]:
    """Load the site, break it, mend it, and hold it against what it said."""
    chance = random.Random(plan.seed)  # noqa: S311 - choices, not secrets
    book = Book()
    owners = [Owner(t, s) for t in range(plan.tenants) for s in range(plan.subjects)]
    urls = tuple(one.url for one in site.gateways)
    async with Asking(urls, site.token, book, plan.seed + 1) as asking:
        await _register_greedy(asking)
        faults = Faults(site, book, random.Random(plan.seed + 2))  # noqa: S311
        greed = Greed(asking, book)
        visiting = Visiting(asking, book, owners, chance)
        say(f"seed {plan.seed}: loading for {plan.seconds:.0f} s")
        greedy = asyncio.create_task(greed.run())
        began = time.monotonic()
        async with faults.running():
            await visiting.run(plan.rate, plan.seconds)
        say(f"loaded for {time.monotonic() - began:.0f} s; mended; draining")
        greedy.cancel()
        await asyncio.wait((greedy,))
        for gateway in site.gateways:
            if not gateway.runs:
                book.violated(f"ENDED: a gateway ended by itself: …{gateway.last_words()[-800:]}")
                await faults.started(gateway)
        await drained(site, book)
        say("drained; proving each acknowledgement")
        await Proving(asking, book).everything(chance)
    leaves = await audited(site, book)
    await stopped(site, book)
    offset = asyncio.get_running_loop().time() - time.time()
    alone = [
        outage
        for gateway in site.gateways
        for outage in told(gateway.log.read_text("utf-8", "replace").splitlines(), offset)
    ]
    most = excess(greed.given, [*faults.outages, *alone])
    _check_limits(book, most, plan, greed)
    say("proved")
    report = Report(
        plan=plan,
        counts=book.counts,
        injected=faults.injected,
        greed=most,
        given=len(greed.given),
        refused=greed.refused,
        leaves=leaves,
        slowest=asking.slowest,
        violations=book.violations,
    )
    return report, book


def _check_limits(book: Book, most: Excess, plan: Plan, greed: Greed) -> None:
    if most.shared > _RATIO_SLACK:
        book.violated(f"LIMIT: {most.shared:.2f} x while the limits were shared")
    if most.alone > plan.gateways + 1:
        book.violated(f"LIMIT: {most.alone:.2f} x around an outage of the shared limits")
    if not greed.refused or not greed.given:
        book.violated("LIMIT: nobody was limited, so nothing was shown")


async def _register_greedy(asking: Asking) -> None:
    """Give one subject a limit that it will exceed."""
    body = {
        "id": GREEDY.tenant,
        "limits": {"subject_units_per_minute": UNITS_PER_MINUTE},
        "clients": [{"id": DEVELOPMENT_CLIENT, "ceiling": "user_stated"}],
    }
    answer = await asking.rest(Owner(0, 0), "POST", "/v1/admin/tenants", body)
    if answer.status != _CREATED:
        raise RuntimeError(f"the greedy tenant was not registered: {answer}")
