"""Over HTTP, whatever is written in whatever order: nothing is lost and nothing stands twice."""

import asyncio
import secrets
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gateway.app.serving import USE_CASES
from tests.edges.guarded import Guarded
from tests.edges.served import served

ORIGINS: Final = ("web", "document", "agent_relayed", "user_stated")
TRUST: Final = {"web": 0, "document": 1, "agent_relayed": 2, "user_stated": 3}
TEXTS: Final = {
    ("port", 1): ("My port is 5432.", "The port is now 5432."),
    ("port", 2): ("My port is 5433.", "我的端口改成5433了。"),
    ("city", 1): ("我住在杭州。", "我现在住在杭州。"),
    ("city", 2): ("我住在苏州。",),
}
SLOT_OF: Final = {text: key for key, texts in TEXTS.items() for text in texts}
ASKED: Final = {"port": "What is my port?", "city": "我住在哪里？"}

Write = tuple[str, str]
writes = st.lists(
    st.tuples(st.sampled_from(ORIGINS), st.sampled_from(sorted(SLOT_OF))), min_size=1, max_size=7
)


async def said(http: httpx2.AsyncClient, origin: str, text: str) -> dict[str, Any]:
    """Write, and return what was told."""
    body = {"text": text, "origin": {"class": origin}}
    answer = await http.post("/v1/memories", json=body)
    assert answer.status_code in (200, 201, 202), answer.text
    told: dict[str, Any] = answer.json()
    return told


async def listed(http: httpx2.AsyncClient, query: str = "") -> list[dict[str, Any]]:
    """Return what is kept."""
    answer = await http.get(f"/v1/memories?limit=100{query}")
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


async def hold(http: httpx2.AsyncClient, some: list[Write]) -> None:
    """Write them one after the other, and see that the promises hold over the edge."""
    best: dict[str, tuple[int, int]] = {}
    for origin, text in some:
        told = await said(http, origin, text)
        slot, value = SLOT_OF[text]
        if told["outcome"] != "quarantined":
            trust = told["origin"]["trust"]
            assert trust <= TRUST[origin]
            known = best.get(slot)
            # Of more trust than the new one nothing gives way.
            assert known is None or known[0] == value or known[1] <= trust
            best[slot] = value, max(trust, known[1]) if known and known[0] == value else trust
        again = await said(http, origin, text)
        assert again["outcome"] in ("merged", "quarantined")
        assert again["id"] == told["id"]
    await stands(http, best)


async def stands(http: httpx2.AsyncClient, best: dict[str, tuple[int, int]]) -> None:
    """See that one value of each slot stands, with the latest word of the highest trust."""
    active = await listed(http)
    values: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for one in active:
        slot, value = SLOT_OF[one["text"]]
        values[slot][value] = max(one["trust"], values[slot].get(value, 0))
    assert {slot: {value: trust} for slot, (value, trust) in best.items()} == dict(values)
    # Per origin, trust and wording there is one memory, however often it was said: an agent that
    # repeats a page has the page's trust, and his own earlier word stands beside it.
    said_by = [(one["origin"], one["trust"], one["text"]) for one in active]
    assert len(set(said_by)) == len(said_by)
    after = {
        one["id"]: one["superseded_by"]
        for one in await listed(http, "&state=active&state=superseded")
    }
    for start in after:
        seen, at = {start}, start
        while (following := after[at]) is not None:
            assert following not in seen
            seen.add(following)
            at = following
    for slot, question in ASKED.items():
        answer = await http.post("/v1/recall", json={"query": question, "k": 9})
        shown = {SLOT_OF[item["text"]] for item in answer.json()["items"]}
        of_slot = {value for of, value in shown if of == slot}
        assert of_slot <= ({best[slot][0]} if slot in best else set())


@pytest.mark.requirement("W9", "W10", "W4")
@given(some=writes)
@settings(max_examples=8, deadline=None, phases=(Phase.explicit, Phase.generate))
def test_over_the_edge_the_last_word_of_the_highest_trust_stands_alone(some: list[Write]) -> None:
    """The same write twice is one memory; chains have no ring; recall shows one value of a slot."""

    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            guarded = Guarded(Path(folder))
            try:
                await hold(guarded.client(), some)
            finally:
                await guarded.close()

    asyncio.run(run())


@pytest.mark.live
@pytest.mark.requirement("W9", "W10", "W4")
def test_over_sockets_and_real_stores_it_stands_as_well(tmp_path: Path) -> None:
    """SQLite, the embedded index and the packaged models behind a listening gateway."""
    with served(tmp_path, {"honest": USE_CASES}) as running:

        @given(some=writes)
        @settings(
            max_examples=15,
            deadline=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        def always(some: list[Write]) -> None:
            async def run() -> None:
                token = running.token(f"anna-{secrets.token_hex(4)}")
                async with httpx2.AsyncClient(
                    base_url=running.urls["honest"],
                    headers={"Authorization": f"Bearer {token}"},
                    timeout=60,
                ) as http:
                    await hold(http, some)

            asyncio.run(run())

        always()
