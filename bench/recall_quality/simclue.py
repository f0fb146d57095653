"""Chinese sentences as memories of one subject, each asked for in other words."""

import json
from collections import Counter
from pathlib import Path

from bench.recall_quality.site import Grounds


def rows_of(file: Path) -> list[dict[str, str]]:
    """Return the rows of a file."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


async def measure(site: Grounds, rows: list[dict[str, str]]) -> str:
    """Write and ask everything; return how often the paraphrase came first."""
    subject = site.subject("simclue")
    said = [row[f"sentence_{row['label']}"] for row in rows]
    await site.prepare([*said, *(row["sentence_0"] for row in rows)])
    written = [await subject.write(text=text) for text in said]
    first = within = 0
    for row, one in zip(rows, written, strict=True):
        answer = await subject.ask(row["sentence_0"], 5)
        first += answer.ids[:1] == (one.id,)
        within += one.id in answer.ids
    ends = Counter(one.outcome for one in written)
    replaced = sum(one.supersedes is not None for one in written)
    count = len(rows)
    return (
        f"SimCLUE: recall@1 {first / count:.3f}, recall@5 {within / count:.3f} of {count}\n"
        f"writes: {dict(ends)}, of which {replaced} took another's place"
    )
