"""Trust is not laundered by summaries, tools, repetition, merging or a forged fence (G2)."""

import pytest

from memory.origin import OriginClass
from memory.types import Role
from tests.attacks.callers import Caller
from tests.attacks.meaning import Whole
from tests.attacks.scenes import Scene, table

whole_house = pytest.mark.asyncio(loop_scope="session")
EVERY = 4


def _some(name: str) -> list[Scene]:
    return list(table(name)[::EVERY])


def _caller(whole: Whole, scene: Scene) -> Caller:
    return whole.caller("laundry", f"origin-{scene.id}")


@whole_house
@pytest.mark.requirement("W4", "W3")
@pytest.mark.parametrize("scene", _some("launder"), ids=lambda scene: scene.id)
async def test_a_summary_of_a_summary_has_the_trust_of_its_source(
    whole: Whole, scene: Scene
) -> None:
    """Two generations on it is still a document's word; the agent's own conclusion is not."""
    caller = _caller(whole, scene)
    source, once, twice = scene.honest
    first = await caller.reads(source, OriginClass.DOCUMENT, "upload/notes.pdf")
    assert first.id is not None
    second = await caller.agent(once, OriginClass.AGENT_INFERRED, (first.id,))
    assert second.id is not None
    third = await caller.agent(twice, OriginClass.AGENT_INFERRED, (second.id,))
    assert (first.trust, second.trust, third.trust) == (1, 1, 1)
    own = await caller.agent("The harbour swimming club meets at seven.")
    assert own.trust == 2


@whole_house
@pytest.mark.requirement("W3")
@pytest.mark.parametrize("scene", _some("echo"), ids=lambda scene: scene.id)
async def test_a_tool_cannot_speak_as_the_user(whole: Whole, scene: Scene) -> None:
    """Over MCP what is claimed to be the user's word is the agent's; said by himself it is his."""
    caller = _caller(whole, scene)
    assert (await caller.agent(scene.honest[0], OriginClass.USER_STATED)).trust == 2
    assert (await caller.agent(scene.honest[0], OriginClass.TOOL_OUTPUT)).trust == 1
    assert (await caller.says(scene.honest[0])).trust == 3


@whole_house
@pytest.mark.requirement("W3", "W4")
@pytest.mark.parametrize("scene", _some("echo"), ids=lambda scene: scene.id)
async def test_what_a_tool_said_is_not_made_the_users_by_relaying_it(
    whole: Whole, scene: Scene
) -> None:
    """Heard as a tool's turn it stays the agent's word, kept before as a tool's it stays a tool's;
    what the user said himself in the session becomes his.
    """
    caller = whole.caller("laundry", f"relayed-{scene.id}")
    echoed, own = scene.honest[0], "I collect stamps from Iceland."
    await caller.hears("chat", (Role.USER, own), (Role.TOOL, echoed))
    assert (await caller.agent(echoed, session="chat")).trust == 2
    assert (await caller.agent(own, session="chat")).trust == 3
    kept = "The tool answered: nine boxes in hall four."
    await caller.reads(kept, OriginClass.TOOL_OUTPUT, "tool")
    assert (await caller.agent(kept, OriginClass.USER_STATED)).trust == 1


@whole_house
@pytest.mark.requirement("W4", "R7")
@pytest.mark.parametrize("scene", _some("repeat"), ids=lambda scene: scene.id)
async def test_saying_it_again_raises_nothing_and_fills_no_answer(
    whole: Whole, scene: Scene
) -> None:
    """Eight writes of one page's claim stay trust 0, and at most two of them are in an answer; of
    the subject's own four statements all may be.
    """
    caller = _caller(whole, scene)
    for text in (*scene.attack, *scene.attack):
        written = await caller.reads(text, OriginClass.WEB, "https://forum.example/thread")
        assert written.trust in (0, None)
    context = await caller.asks(scene.asks[0])
    assert len(context.memories) <= 2
    assert all(told.marked for told in context.memories)
    for text in scene.honest:
        await caller.says(text)
    own = [told for told in (await caller.asks(scene.asks[0])).memories if told.trust == 3]
    assert len(own) > 2


@whole_house
@pytest.mark.requirement("W4", "W9")
@pytest.mark.parametrize("scene", _some("merge"), ids=lambda scene: scene.id)
async def test_a_tool_changes_nothing_of_what_the_subject_said(whole: Whole, scene: Scene) -> None:
    """Word for word or a little otherwise, it stands beside his memory; he himself is merged."""
    caller = _caller(whole, scene)
    trusted, changed = scene.attack
    own = await caller.says(trusted)
    for text in (trusted, changed):
        other = await caller.reads(text, OriginClass.TOOL_OUTPUT, "crm")
        assert other.id != own.id
        assert other.outcome not in ("merged", "superseding")
    context = await caller.asks(scene.asks[0])
    assert own.id is not None
    told = context.of(own.id)
    assert told is not None
    assert (told.text, told.trust, told.marked) == (trusted, 3, False)
    assert (await caller.says(trusted)).outcome == "merged"


@whole_house
@pytest.mark.requirement("R8")
@pytest.mark.parametrize("scene", table("fence"), ids=lambda scene: scene.id)
async def test_no_record_closes_the_fence(whole: Whole, scene: Scene) -> None:
    """Whatever is stored of it, every line of it that an agent reads stands behind a bar."""
    caller = _caller(whole, scene)
    written = [await caller.says(text) for text in (*scene.attack, *scene.honest)]
    context = await caller.asks(scene.asks[0])
    assert context.escaped == ()
    kept = [one for one in written if one.outcome == "stored"]
    assert len(kept) >= 1
    assert len(context.memories) >= 1
    assert {told.trust for told in context.memories} == {3}
