"""Prints how many cases of the table of relations the pure relation gets right.

A case is right when every write has the table's relation, and its recall when the same texts are
active at the end. `uncertain` counts as `beside`: the table has no word for doubt.
"""

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from bench.relations.replaying import Answer, Case, cases, replay
from memory.claims import claims_of

TABLE = Path(__file__).parents[2] / "tests" / "tables" / "relations.jsonl"
_PARTS: dict[str, Callable[[Case], bool]] = {
    "all": lambda _: True,
    "odd": lambda case: int(case.id[-3:]) % 2 == 1,
    "even": lambda case: int(case.id[-3:]) % 2 == 0,
}


_LONG = {
    "en": ("My Postgres port is 5432 and I live in Berlin. I like jazz, hiking and tea. " * 30)[
        :2000
    ],
    "zh": ("我的端口是5432，我住在柏林。我喜欢爵士乐。房租每月八千三百元。周五我在家办公。" * 60)[
        :2000
    ],
}
_COST = "for the claims of 2,000 characters (median of 50, processor time)"


def _cost(text: str) -> float:
    spent = []
    for _ in range(50):
        started = time.process_time()
        claims_of(text)
        spent.append(time.process_time() - started)
    return statistics.median(spent) * 1000


def _right(case: Case, answer: Answer) -> tuple[bool, bool]:
    return case.relations == answer.relations, sorted(case.recall) == sorted(answer.recall)


def _row(name: str, played: Iterable[tuple[Case, Answer]]) -> str:
    results = [_right(case, answer) for case, answer in played]
    total = len(results)
    shares = "  ".join(
        f"{sum(r[n] for r in results):>4} {sum(r[n] for r in results) / total:>7.1%}"
        for n in (0, 1)
    )  # noqa: E501
    return f"{name:<14} {total:>5}  {shares}"


def _missed(case: Case, answer: Answer) -> str:
    lines = [f"{case.id} {case.kind}"]
    for n, write in enumerate(case.writes):
        reasons = ", ".join(f"{b.kind}:{b.reason}" for b in answer.bonds[n])
        lines.append(
            f"    {case.relations[n]:<11}{answer.relations[n]:<11}{write.text}  [{reasons}]"
        )
    return "\n".join(lines)


def main() -> None:
    """Play the table and print."""
    asked = argparse.ArgumentParser(prog="python -m bench.relations", description=__doc__)
    asked.add_argument("--table", type=Path, default=TABLE, help="another table of the same form")
    asked.add_argument("--part", choices=_PARTS, default="all", help="cases by their number")
    asked.add_argument("--misses", action="store_true", help="list each case that is wrong")
    given = asked.parse_args()
    played = [(c, replay(c)) for c in cases(given.table) if _PARTS[given.part](c)]
    kinds: dict[str, list[tuple[Case, Answer]]] = defaultdict(list)
    for case, answer in played:
        kinds[case.kind].append((case, answer))
        kinds[f"[{case.lang}]"].append((case, answer))
    print(f"{'kind':<14} {'cases':>5}  {'relations':>12}  {'recall':>12}")
    for kind in sorted(kinds):
        print(_row(kind, kinds[kind]))
    print(_row("all", played))
    print(f"doubts: {sum(answer.doubts for _, answer in played)}")
    print("  ".join(f"{name} {_cost(text):.2f} ms" for name, text in _LONG.items()), _COST)
    if given.misses:
        for case, answer in played:
            if _right(case, answer) != (True, True):
                print(_missed(case, answer))


if __name__ == "__main__":
    main()
