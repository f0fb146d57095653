"""What happened on a day: a newer may take its place, and the past still tells it (W10, R14)."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from tests.edges.guarded import Guarded

FIRST: Final = "Upgraded the mail relay to version 3.8.1."
SECOND: Final = "Upgraded the mail relay to version 3.9.0."
TWICE: Final = [
    ("投影仪坏了,报修单 BX-77120", "投影仪又黑屏了,报修单 BX-77385"),
    ("The projector went black. The ticket is BX-77120.",
     "The projector went black again. The ticket is BX-77385."),
]  # fmt: skip
BACK: Final = [
    ("路由器型号是 AX-3000", "路由器型号又换成 AX-1800 了"),
    ("The release branch is rel-41.", "The release branch is rel-40 again."),
]


@pytest.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    """Lend an edge with the real doors behind it."""
    opened = Guarded(tmp_path)
    yield opened
    await opened.close()


async def said(http: httpx2.AsyncClient, text: str, **more: Any) -> dict[str, Any]:
    """Write, and return what was told."""
    told: dict[str, Any] = (await http.post("/v1/memories", json={"text": text, **more})).json()
    return told


async def known(http: httpx2.AsyncClient, query: str, **more: Any) -> list[str]:
    """Return the texts that a question brings back."""
    answer = await http.post("/v1/recall", json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    return [item["text"] for item in answer.json()["items"]]


@pytest.mark.requirement("W10", "R14")
async def test_an_older_version_is_told_by_the_past_and_by_the_history(guarded: Guarded) -> None:
    """Now the newer version is told alone; of the instant between, the older; the history has both,
    each with the day on which it was done.
    """
    http, asked = guarded.client(), "Which version has the mail relay?"
    days = "2026-01-05T09:00:00+00:00", "2026-02-09T09:00:00+00:00"
    old = await said(http, FIRST, occurred_at=days[0])
    between = guarded.house.now.isoformat()
    guarded.house.later(hours=1)
    new = await said(http, SECOND, occurred_at=days[1])
    assert (new["outcome"], new["supersedes"]) == ("superseding", old["id"])
    assert await known(http, asked) == [SECOND]
    assert await known(http, asked, as_of=between) == [FIRST]
    told = (await http.get(f"/v1/memories/{new['id']}/history")).json()["items"]
    assert [one["text"] for one in told] == [SECOND, FIRST]
    assert [one["valid_from"][:10] for one in told] == [day[:10] for day in reversed(days)]


@pytest.mark.requirement("W9", "W10")
@pytest.mark.parametrize(("first", "second"), TWICE)
async def test_two_faults_with_a_number_each_both_stay(
    guarded: Guarded, first: str, second: str
) -> None:
    """That it came about again doesn't take back that it did before."""
    http = guarded.client()
    await said(http, first)
    guarded.house.later(hours=1)
    assert (await said(http, second))["outcome"] == "stored"
    assert sorted(await guarded.texts(http)) == sorted((first, second))


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(("first", "second"), BACK)
async def test_what_is_set_again_still_takes_the_place_of_what_was(
    guarded: Guarded, first: str, second: str
) -> None:
    """Control: "again" of a value is a change."""
    http = guarded.client()
    await said(http, first)
    guarded.house.later(hours=1)
    assert (await said(http, second))["outcome"] == "superseding"
    assert [*await guarded.texts(http)] == [second]
