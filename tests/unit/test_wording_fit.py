"""The conversations that wording is fitted on: always the same, with the answers they promise."""

import pytest

from bench.wording.talks import Seen, talks
from bench.wording.topics import NAMES
from memory.answering import features


@pytest.mark.requirement("R3")
def test_the_same_seed_gives_the_same_conversations_and_another_others() -> None:
    """In both languages."""
    made = list(talks(2))
    assert made == list(talks(2))
    assert made != list(talks(2, seed=8))
    assert [talk.name for talk in made] == ["en0", "en1", "zh0", "zh1"]


@pytest.mark.requirement("R3")
def test_each_question_is_answered_by_a_turn_of_its_conversation() -> None:
    """Said by whom the question names, where it names somebody: of both the same may be told."""
    for talk in talks(3):
        said = {turn.id: turn.text for turn in talk.turns}
        assert len(said) == len(talk.turns)
        assert talk.questions
        names = {name for every in NAMES.values() for name in every}
        for asked in talk.questions:
            named = {name for name in names if name in asked.text}
            assert named <= {said[asked.answer].replace("：", ":").split(":")[0]} or not named
            assert not said[asked.answer].endswith(("?", "？"))


@pytest.mark.requirement("R3")
def test_the_fit_finds_what_tells_the_answers() -> None:
    """Who speaks decides in these, and the length says nothing. Needs scikit-learn."""
    pytest.importorskip("sklearn")
    from bench.wording.fitting import fitted  # noqa: PLC0415

    def seen(number: int, who: str, length: int) -> Seen:
        told = features("Where does Nora work?", f"{who}: {'word ' * length}")
        answers = who == "Nora"
        return Seen("en0", str(number), answers, 0.5 + (0.01 if answers else 0.0), told)

    every = [
        seen(number, who, 5 + (number + place) % 3)
        for number in range(30)
        for place, who in enumerate(("Nora", "Emil", "Tessa"))
    ]
    speaker, _, substance, _, _ = fitted(every)
    assert speaker > 10 * abs(substance)
