"""A model says again what a question leaves out: what it is sent, and what counts of it (R2)."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from guard.errors import InvalidError, UnavailableError
from guard.explain import traced
from guard.models.chat import QUESTION, ChatEndpoint, Endpoint
from guard.outcomes import Query
from guard.recall import recall
from guard.rewording import MOST, Rewording, decoded
from guard.stages import secrets
from memory.times import NO_TIMES
from memory.types import Role, TraceId
from memory.understanding import Understood, completed, shown
from tests.contracts.chat_double import MODEL, Gate, saying
from tests.contracts.embedding_double import Answer, EndpointDouble, endpoint, status
from tests.house import ALICE, House

HERE = ZoneInfo("UTC")
ASKED = datetime(2026, 5, 20, 15, 30, tzinfo=UTC)
WINDOW = ("We looked at the harbour flat and the mill flat.", "The harbour flat has a balcony.")
ASK = "And the other one?"
MILL = "The mill flat has a cellar and costs 900."


@pytest.fixture
def double() -> Iterator[EndpointDouble]:
    """Yield a model that means the mill flat, whatever it is asked."""
    with endpoint() as serving:
        serving.always = saying({"question": "Does the mill flat have a cellar?"})
        yield serving


@pytest.fixture
async def chat(double: EndpointDouble) -> AsyncIterator[ChatEndpoint]:
    """Yield the double as a model."""
    found = ChatEndpoint(Endpoint(url=double.url, model=MODEL, deadline=30.0), QUESTION)
    yield found
    await found.close()


def rewording(chat: ChatEndpoint, seconds: float = 30.0, gate: Gate | None = None) -> Rewording:
    """Return a fresh one that asks the double."""
    return Rewording(chat, secrets.found_in, gate or Gate(), seconds=seconds)


async def understood_as(house: House, query: Query, asker: Rewording | None) -> tuple[str, bool]:
    """Return what a question was searched for as, and whether it went by rule alone."""
    rooms = house.with_rooms(rewording=asker)
    answer = await recall(ALICE, query, rooms)
    trace = await traced(ALICE, TraceId(answer.trace_id), rooms)
    return trace.question.understood, trace.unassisted


@pytest.mark.requirement("R2")
async def test_the_models_words_are_searched_for_beside_the_question(
    double: EndpointDouble, chat: ChatEndpoint
) -> None:
    """In place of those that the rule adds; the trace says what it was understood as."""
    house = House()
    await house.remember(ALICE, MILL)
    query = Query(ASK, 5, window=WINDOW)
    by_rule, _ = await understood_as(house, query, None)
    assert "cellar" not in by_rule
    found, unassisted = await understood_as(house, query, rewording(chat))
    assert found.startswith(ASK)
    assert {"mill", "flat", "cellar"} <= set(found.split())
    assert not unassisted
    assert len(double.asked) == 1


@pytest.mark.requirement("R2")
async def test_only_a_question_that_leans_on_turns_is_sent(
    double: EndpointDouble, chat: ChatEndpoint
) -> None:
    """And with it the turns, without secrets; nobody's name, no memory, no other field."""
    house, asker = House(), rewording(chat)
    await house.remember(ALICE, MILL)
    await understood_as(house, Query("Does the mill flat have a cellar?", 5, window=WINDOW), asker)
    await understood_as(house, Query(ASK, 5), asker)
    assert (double.asked, asker.asked) == ([], 0)
    secret = "My password is hunter2-Xq7!."
    await understood_as(house, Query(ASK, 5, window=(*WINDOW, secret)), asker)
    (sent,) = double.asked
    message = sent.body["messages"][1]["content"]
    assert all(turn in message for turn in (*WINDOW, ASK, "[redacted:"))
    assert "hunter2" not in message
    whole = str(sent.body)
    assert not any(word in whole for word in ("900", "alice", "acme"))
    assert sent.body["response_format"]["json_schema"]["name"] == "question"


FAULTS: dict[str, Answer] = {
    "silence": status(503),
    "words": saying("It is about the mill."),
    "more": saying({"question": "the mill?", "layers": ["semantic"]}),
    "none": saying({"question": ""}),
    "long": saying({"question": "mill " * 80}),
    "lines": saying({"question": "the mill?\nand all else"}),
    "twice": saying('{"question": "the mill?", "question": "the harbour?"}'),
    "cut": saying({"question": "the mill?"}, finish_reason="length"),
}


@pytest.mark.requirement("R2", "R11")
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_any_other_answer_leaves_what_the_rule_makes_of_it(
    double: EndpointDouble, chat: ChatEndpoint, fault: Answer
) -> None:
    """No error: counted, told in the trace, and asked again the next time."""
    house, asker = House(), rewording(chat)
    await house.remember(ALICE, MILL)
    query = Query(ASK, 5, window=WINDOW)
    by_rule, _ = await understood_as(house, query, None)
    double.answers = [fault]
    assert await understood_as(house, query, asker) == (by_rule, True)
    assert (asker.asked, asker.failed) == (1, 1)
    assert "cellar" in (await understood_as(house, query, asker))[0]


@pytest.mark.requirement("R2", "R11")
async def test_a_late_answer_is_none(double: EndpointDouble, chat: ChatEndpoint) -> None:
    """The question waits as long as is set, and goes on by rule."""
    double.gate.clear()
    asker = rewording(chat, seconds=0.05)
    assert await asker.reworded(ALICE.owner.tenant, ASK, WINDOW) is None
    assert asker.failed == 1
    double.gate.set()
    assert await rewording(chat).reworded(ALICE.owner.tenant, ASK, WINDOW) is not None


@pytest.mark.requirement("R2")
def test_a_reworded_question_adds_words_and_no_more() -> None:
    """Few of them; a time only where question and turns name none, and as the rules read it."""
    plain = Understood("and Friday?", NO_TIMES)
    found = completed("and Friday?", plain, "what did we eat last Thursday", ASKED, HERE)
    assert found.text.startswith("and Friday? ")
    assert "eat" in found.added
    assert [span.since for span in found.times.spans] == [datetime(2026, 5, 14, tzinfo=UTC)]
    timed = Understood("and then?", found.times)
    other = completed("and then?", timed, "what did we drink last Monday", ASKED, HERE)
    assert other.times == found.times
    assert "monday" not in other.text.casefold()
    many = completed("it?", plain, " ".join(f"word{n}" for n in range(200)), ASKED, HERE)
    assert len(many.added) <= 24
    assert completed("and Friday?", plain, "and Friday?", ASKED, HERE) is plain


@pytest.mark.requirement("R2")
def test_what_a_tool_said_is_not_shown() -> None:
    """Nor more than the last turns, nor more of one than the rules read."""
    turns = [(Role.USER, "a"), (Role.TOOL, "ignore this"), (None, "b" * 5_000)]
    assert shown([*turns, (Role.ASSISTANT, "c")]) == ["a", "b" * 1_000, "c"]
    assert len(shown([(None, str(n)) for n in range(9)])) == 4


@pytest.mark.requirement("R2")
def test_the_form_has_one_field_of_one_line() -> None:
    """In any script, as long as a question is."""
    assert decoded('{"question": "磨坊那套有地窖吗？"}') == "磨坊那套有地窖吗？"
    assert decoded('{"question": "\\u78e8?"}') == "磨?"
    for wrong in ("", "[]", '{"question": 1}', '{"question": "' + "x" * (MOST + 1) + '"}'):
        with pytest.raises(UnavailableError):
            decoded(wrong)


@pytest.mark.requirement("R2")
def test_an_endpoint_that_others_can_overhear_is_refused() -> None:
    """The line names the setting of the rewrite, and not the judge's."""
    with pytest.raises(InvalidError, match=r"recall\.rewrite_url"):
        ChatEndpoint(Endpoint(url="http://models.example/v1", model=MODEL), QUESTION)


@pytest.mark.requirement("R2", "S6")
async def test_no_question_of_a_sealed_tenant_is_sent(
    double: EndpointDouble, chat: ChatEndpoint
) -> None:
    """It goes by rule, which is no failure; nor is it sent while nobody knows whether it may be."""
    house, gate = House(), Gate(is_open=False)
    await house.remember(ALICE, MILL)
    asker, query = rewording(chat, gate=gate), Query(ASK, k=3, window=WINDOW)
    by_rule = (await understood_as(house, query, None))[0]
    assert await understood_as(house, query, asker) == (by_rule, False)
    assert (double.asked, asker.asked, asker.failed) == ([], 0, 0)
    gate.is_down = True
    assert await understood_as(house, query, asker) == (by_rule, True)
    assert (double.asked, asker.asked, asker.failed) == ([], 1, 1)
    gate.is_down, gate.is_open = False, True
    assert "cellar" in (await understood_as(house, query, asker))[0]
    assert len(double.asked) == 1
