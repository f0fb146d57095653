"""A model that tells what rules can't read, behind the real doors: a doubt, and nothing else."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from guard.claimed import ByClaims
from guard.extracting import Extracting
from guard.models.chat import CLAIMS, ChatEndpoint, Endpoint
from guard.stages import secrets
from tests.contracts.chat_double import MODEL, Gate, saying
from tests.contracts.embedding_double import endpoint
from tests.edges.guarded import Guarded

OLD = "I work at Initech."
UNREAD = "Globex pays me these days, for a change."
EMPLOYER = {
    "subject": "user",
    "attribute": "employer",
    "value": "Globex",
    "polarity": "affirmed",
    "list": False,
}


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


async def listed(guarded: Guarded) -> list[dict[str, Any]]:
    """Return what a reviewer is shown."""
    answer = await guarded.client(sub="rita").get("/v1/consistency")
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


@pytest.mark.requirement("W10")
async def test_what_a_model_tells_is_listed_as_a_doubt_and_hides_nothing(guarded: Guarded) -> None:
    """Of the subject alone: another one's memory of that slot is in no doubt for it."""
    with endpoint() as double:
        double.always = saying({"claims": [EMPLOYER]})
        chat = ChatEndpoint(Endpoint(url=double.url, model=MODEL, deadline=30.0), CLAIMS)
        asker = Extracting(chat, secrets.found_in, Gate(), seconds=30.0)
        guarded.change(telling=asker, relating=ByClaims(asker.name))
        http = guarded.client()
        await said(guarded.client(sub="bob"), OLD)
        assert (await said(http, UNREAD))["reasons"] == []
        assert await listed(guarded) == []
        old = await said(http, OLD)
        assert (old["outcome"], old["reasons"][0]) == ("stored", "relate.doubt")
        await chat.close()
    assert {OLD, UNREAD} <= {*await guarded.texts(http)}
    (item,) = await listed(guarded)
    assert (item["id"], item["subject"], item["state"]) == (old["id"], "alice", "active")
    assert len(double.asked) == 1


@pytest.mark.requirement("W10")
async def test_without_a_model_nothing_is_noticed(guarded: Guarded) -> None:
    """The control: rules find no slot in one of the texts, and both stand beside each other."""
    http = guarded.client()
    await said(http, OLD)
    assert (await said(http, UNREAD))["reasons"] == []
    assert await listed(guarded) == []
