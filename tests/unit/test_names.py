"""People, places and products by name: found as words, in both languages (R2)."""

import pytest

from guard.nouns import Draft
from guard.outcomes import Stored
from memory.types import MemoryId
from tests.house import ALICE, House

NAMED = (
    ("Nora keeps the spare key in the cellar.", "Where does Nora keep the spare key?"),
    ("Emil keeps the spare key in the garage.", "Where does Emil keep the spare key?"),
    ("The office in Lyndhurst opens at nine.", "When does the Lyndhurst office open?"),
    ("The office in Marwick opens at noon.", "When does the Marwick office open?"),
    (
        "The Brightline printer has its toner in the cupboard.",
        "Where is toner for the Brightline?",
    ),
    ("The Fenwick printer has its toner in the drawer.", "Where is toner for the Fenwick?"),
    ("苏晴把备用钥匙放在地下室。", "苏晴把备用钥匙放在哪里？"),
    ("林涛把备用钥匙放在车库。", "林涛把备用钥匙放在哪里？"),
    ("云溪的门店九点开门。", "云溪的门店几点开门？"),
    ("临港的门店中午开门。", "临港的门店几点开门？"),
)


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("indexed", [True, False])
async def test_whoever_is_named_is_found_among_others_of_whom_the_same_is_said(
    *, indexed: bool
) -> None:
    """The one word that differs decides; in the index, and in rows that it lacks."""
    house = House()
    ids: dict[str, MemoryId] = {}
    for text, _ in NAMED:
        outcome = await house.remember(ALICE, Draft(text))
        assert isinstance(outcome, Stored), text
        ids[text] = outcome.id
    if indexed:
        await house.follower.drain()
    for text, question in NAMED:
        answer = await house.recall(ALICE, question)
        assert answer.items[0].memory.id == ids[text], question


@pytest.mark.requirement("R2")
async def test_a_name_that_was_never_said_finds_nobody_else() -> None:
    """What is known of Nora answers nothing about Greta, whatever words they share."""
    house = House()
    await house.remember(ALICE, Draft("Nora was born in Lyndhurst."))
    assert (await house.recall(ALICE, "Where was Nora born?")).reliable
    assert not (await house.recall(ALICE, "Which instrument does Greta play?")).reliable
