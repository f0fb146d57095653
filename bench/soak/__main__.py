"""`python -m bench.soak --minutes 10`: exit code 1 if any promise was broken."""

import argparse
import asyncio
import random
import sys
import time

from bench.soak.site import opened_site
from bench.soak.soak import Plan, Report, soak


def _say(line: str) -> None:
    print(line if line.startswith(" ") else f"{time.strftime('%H:%M:%S')} {line}", flush=True)


async def _run(plan: Plan) -> Report:
    async with opened_site(plan.gateways) as site:
        report, _ = await soak(site, plan, _say)
    return report


def main() -> int:
    """Run one soak and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long the load lasts [10]")
    parser.add_argument("--gateways", type=int, default=4, help="processes [4]")
    parser.add_argument("--rate", type=float, default=15.0, help="visits a second [15]")
    parser.add_argument("--tenants", type=int, default=50, help="[50]")
    parser.add_argument("--subjects", type=int, default=20, help="of each tenant [20]")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of all chance")  # noqa: S311
    asked = parser.parse_args()
    plan = Plan(
        seconds=asked.minutes * 60,
        seed=asked.seed,
        gateways=asked.gateways,
        rate=asked.rate,
        tenants=asked.tenants,
        subjects=asked.subjects,
    )
    report = asyncio.run(_run(plan))
    for line in report.lines():
        _say(line)
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
