"""What no rule compares is weighed; what a rule says stands."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from guard.claimed import ByClaims
from guard.errors import UnavailableError
from guard.models import pairs
from guard.models.pairs import Pairs
from guard.relating import Odds, Read, Said, Tie
from guard.weighed import Weighed
from memory.claims import Bond, claims_of, relate_all
from memory.pairs import MOST_CHARACTERS, overlap, side_of, signs, words_of
from memory.pairs_told import carrying, shared

START = datetime(2026, 5, 4, 9, tzinfo=UTC)
READER = Weighed(Pairs.load())


def tie(old: str, new: str, reader: ByClaims = READER) -> Tie:
    """Return what `new` is to `old`."""
    (found,) = reader.ties(Said(new, START), [Said(old, START)])
    return found


def odds_of(new: str, old: Sequence[str]) -> list[Odds]:
    """Return the odds of `new` with each of `old`, all read by the rules."""
    mine, its = claims_of(new), [claims_of(text) for text in old]
    bonds = relate_all(mine, its)
    read = [Read(text, claims) for text, claims in zip(old, its, strict=True)]
    return Pairs.load().weighed(Read(new, mine), list(zip(read, bonds, strict=True)))


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("我们队穿蓝色球衣。", "球衣换成白色的了。"),
        ("I have a subscription to Chess Weekly.", "I let my Chess Weekly subscription lapse."),
        ("Our dog is called Biscuit.", "We call the dog Rusty, Biscuit never stuck."),
    ],
)
def test_what_no_rule_reads_may_replace(old: str, new: str) -> None:
    """The rules alone leave both; what says something else of the same thing takes its place."""
    assert tie(old, new, ByClaims()) is Tie.BESIDE
    assert tie(old, new) is Tie.AGAINST


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The cat sleeps on the sofa.", "Our choir rehearses in the old chapel."),
        ("The cat sleeps on the sofa.", "The dog sleeps in a box under the stairs."),
        ("Room 4 has a projector.", "Room 5 has a whiteboard."),
        ("奶茶要全糖。", "周三要交水费。"),
        ("妈妈住在绍兴。", "姐姐住在丽水。"),
        ("Keep the window closed at night.", "Keep the window open during the day."),
    ],
)
def test_what_speaks_of_something_else_stays(old: str, new: str) -> None:
    """Another thing, another one, another time: both stay."""
    assert tie(old, new) in {Tie.BESIDE, Tie.DOUBT}


@pytest.mark.requirement("W10")
def test_a_rule_stands() -> None:
    """What rules decide is not weighed; the reader that recall asks has the rules alone."""
    old, new = Said("My port is 5432.", START), Said("My port is 5433.", START)
    assert READER.ties(new, [old]) == ByClaims().ties(new, [old]) == [Tie.AGAINST]
    named = (Said("Shelf B12: paint", START), Said("Shelf C7: paint", START))
    assert READER.ties(named[1], [named[0]]) == [Tie.BESIDE]
    assert not isinstance(READER.certain, Weighed)


@pytest.mark.requirement("W10")
def test_long_texts_are_left_to_the_rules() -> None:
    """They say too many things at once. The same sentence alone is weighed."""
    old, new = "The cat sleeps on the sofa.", "The cat sleeps in a box under the stairs now."
    assert odds_of(new, [old])[0].against > 0
    (odds,) = odds_of(new + " It rains." * MOST_CHARACTERS, [old])
    assert odds.against == odds.same == 0


def test_only_the_nearest_are_weighed() -> None:
    """However many there are, the cost is bounded; the nearest one is among the weighed."""
    old = [f"The cat sleeps on sofa number {number}." for number in range(40)]
    odds = odds_of("The cat sleeps on sofa number 7 and 8.", old)
    weighed = [place for place, one in enumerate(odds) if one.against + one.same > 0]
    assert 7 in weighed
    assert len(weighed) < len(old)


def test_the_signs_are_as_many_as_the_model_was_fitted_to() -> None:
    """A file of another shape would fail at the first write."""
    side = side_of("A b.", words_of("A b."), claims_of("A b."))
    (bond,) = relate_all(claims_of("A b."), [claims_of("A b.")])
    assert len(signs(side, side, bond)) == len(Pairs.load()._mean)


@pytest.mark.parametrize("text", ["", "\ud800", "。", "1,000 €", "𝒜" * 9, "x" * MOST_CHARACTERS])
def test_any_text_has_signs(text: str) -> None:
    """Nothing that can be written raises, nor divides by nothing."""
    words, claims = words_of(text), claims_of(text)
    (bond,) = relate_all(claims, [claims])
    side = side_of(text, words, claims)
    assert 0 <= overlap(words, words) <= 1
    assert 0 <= shared(carrying(claims), carrying(claims)) <= 1
    assert all(abs(sign) < 1000 for sign in signs(side, side, bond))


def test_a_file_that_was_swapped_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One bit is enough; the file as it is loads."""
    Pairs.load()
    folder = tmp_path / "artefacts"
    folder.mkdir()
    (folder / "pairs.json").write_bytes(b"{}")
    monkeypatch.setattr(pairs, "files", lambda _: tmp_path)
    with pytest.raises(UnavailableError):
        Pairs.load()


class Sure:
    """Fulfils `guard.relating.Weighing`: the later an old text comes, the surer it is replaced."""

    def weighed(self, new: Read, old: Sequence[tuple[Read, Bond]]) -> list[Odds]:
        """Return odds that all replace."""
        del new
        return [Odds(against=0.9 + 0.01 * place) for place, _ in enumerate(old)]


@pytest.mark.requirement("W10")
def test_one_memory_at_most_is_replaced_by_weighing() -> None:
    """The likeliest; others are in doubt. None where a rule knows which one is meant."""
    new = Said("The gate squeaks less since the winter.", START)
    olds = [Said(f"The gate squeaks {how}.", START) for how in ("in the wind", "at night")]
    assert {Tie.AGAINST, Tie.SAME}.isdisjoint(ByClaims().ties(new, olds))
    assert Weighed(Sure()).ties(new, olds) == [Tie.DOUBT, Tie.AGAINST]
    known = [*olds, new]
    assert Weighed(Sure()).ties(new, known) == ByClaims().ties(new, known)


@pytest.mark.requirement("W10")
def test_things_with_names_of_their_own_and_what_rules_tell_apart_are_not_weighed() -> None:
    """However sure the model is; the control is a pair that nothing is known of."""
    reader = Weighed(Sure())
    for old, new in (
        ("Shelf B12: paint", "Shelf C7: paint"),
        ("My birthday is 3 May.", "My sister's birthday is 3 May."),
        ("Minimum order is 20 pieces.", "Maximum order is 500 pieces."),
    ):
        assert tie(old, new, reader) is Tie.BESIDE, new
    assert tie("The gate squeaks at night.", "The gate squeaks less.", reader) is Tie.AGAINST


@pytest.mark.requirement("W10")
def test_a_text_that_says_many_things_replaces_none_by_weighing() -> None:
    """However sure the model is, the two are in doubt; what says one of them alone may replace."""
    reader, old = Weighed(Sure()), "The gate squeaks at night."
    many = "The gate squeaks less. The hedge is cut. The drive is swept."
    assert tie(old, "The gate squeaks less.", reader) is Tie.AGAINST
    assert tie(old, many, reader) is Tie.DOUBT
    numbers = "The number of Sue's spare kayak is 7500. The pump is at Ed's. The oars are red."
    assert tie("The number of Sue's red kayak is 1464.", numbers) in {Tie.BESIDE, Tie.DOUBT}


@pytest.mark.requirement("W10")
def test_codes_of_two_things_and_counted_things_stay_however_sure_the_model_is() -> None:
    """Unless a change is told, by which one thing may be meant both times: the control."""
    reader = Weighed(Sure())
    for old, new in (
        ("Our own car is KX21 BTR2.", "The courtesy car is KX21 BRT2."),
        ("主力无人机的序列号是 D3-2207-418F。", "备用无人机的序列号是 D3-2207-481F，桨有点裂。"),
        ("My first child sleeps badly.", "My second child sleeps badly, too."),
        ("The lift is broken, form LK-4471.", "The lift was repaired, they changed a cable."),
    ):
        assert tie(old, new, ByClaims()) in {Tie.BESIDE, Tie.DOUBT}, new
        assert tie(old, new, reader) in {Tie.BESIDE, Tie.DOUBT}, new
    for old, new in (
        ("The lift key is LK-4471.", "We no longer have a lift key."),
        ("The lift was checked, form LK-4471.", "The lift form changed to LK-9902 for good."),
        ("我的护具单号是 HJ-3310。", "上次有误，护具的快递单号是 HJ-3301。"),
    ):
        assert tie(old, new, reader) is Tie.AGAINST, new
