"""Two names that have changed places: neither text is the other, and neither hides the other."""

from datetime import UTC, datetime

import pytest

from guard.claimed import ByClaims
from guard.relating import Said, Tie
from memory.claims import claims_of
from memory.claims.exchanging import both_so, exchanged, order_of

AT = datetime(2026, 11, 30, 9, tzinfo=UTC)
BOTH_STAY = [
    ("Tom lent Ana 20 euros.", "Ana lent Tom 20 euros."),
    ("Tom lent Ana 20 euros.", "Ana lent Tom 50 euros."),
    ("Tom owes Ana 20 euros.", "Ana owes Tom 20 euros."),
    ("小王借给小李200块", "小李借给小王200块"),
    ("小王借给小李200块。", "小李借给小王300块。"),
    ("张伟欠王芳200元", "王芳欠张伟200元"),
    ("Tom lent Ana 20 euros.", "Tom was lent 20 euros by Ana."),
    ("Maria is Tom's boss.", "Tom is Maria's boss."),
    ("小王是小李的老板", "小李是小王的老板"),
    ("I moved from Berlin to Paris.", "I moved from Paris to Berlin."),
    ("Maria relocated from Oslo to Rome.", "Maria relocated from Rome to Oslo."),
    ("我从北京搬到上海", "我从上海搬到北京"),
    (
        "The train from Leeds to York takes 30 minutes.",
        "The train from York to Leeds takes 1 hour.",
    ),
    ("北京到上海的火车要5小时", "上海到北京的火车要5小时"),
    ("Copy files from /srv/a to /srv/b.", "Copy files from /srv/b to /srv/a."),
    ("Ana emailed Tom about the budget.", "Tom emailed Ana about the budget."),
    ("The meeting with Ana about Tom is at 5 pm.", "The meeting with Tom about Ana is at 6 pm."),
]
STILL = [
    (Tie.SAME, "My boss's name is Ana.", "Ana is my boss's name."),
    (Tie.SAME, "Tom and Ana are married.", "Ana and Tom are married."),
    (Tie.SAME, "The gate code of the cabin is 4417.", "The cabin's gate code is 4417."),
    (Tie.SAME, "Tom lent Ana 20 euros.", "tom lent ana 20 euros"),
    (Tie.SAME, "小王借给小李200块", "小王借给小李200块。"),
    (Tie.AGAINST, "I prefer tea to coffee.", "I prefer coffee to tea."),
    (Tie.AGAINST, "We switched from MySQL to Postgres.", "We switched from Postgres to MySQL."),
    (Tie.AGAINST, "从MySQL换成Postgres", "从Postgres换成MySQL"),
    (Tie.AGAINST, "Use Postgres instead of MySQL.", "Use MySQL instead of Postgres."),
    (Tie.AGAINST, "My port changed from 5432 to 5433.", "My port changed from 5433 to 5432."),
]


def tie(old: str, new: str) -> Tie:
    """Return what the later text is to the earlier one."""
    (found,) = ByClaims().ties(Said(new, AT), [Said(old, AT)])
    return found


@pytest.mark.requirement("W9", "W10")
@pytest.mark.parametrize(("old", "new"), BOTH_STAY)
def test_names_in_each_others_place_leave_both_texts(old: str, new: str) -> None:
    """In either order of saying both stay, at most in doubt."""
    assert tie(old, new) in {Tie.DOUBT, Tie.BESIDE}
    assert tie(new, old) in {Tie.DOUBT, Tie.BESIDE}


@pytest.mark.requirement("W9", "W10")
@pytest.mark.parametrize(("what", "old", "new"), STILL)
def test_what_is_one_thing_in_another_order_is_not_taken_for_two(
    what: Tie, old: str, new: str
) -> None:
    """Control: lists, names given, what one prefers or changed to are read as before."""
    assert tie(old, new) is what


def test_an_order_is_kept_only_where_two_names_could_change_places() -> None:
    """A slot and its number have no order to keep, so their record is no longer than before."""
    assert order_of([]) == ()
    assert [claim.order for claim in claims_of("Port 5432.")] == [()]
    assert [claim.order for claim in claims_of("Tom lent Ana 20 euros.")] == [
        ("tom", "lent", "ana", "#")
    ]


def test_what_stands_between_has_to_put_the_two_in_relation() -> None:
    """In a list, and around "is", two names stand alike; a sequence is no exchange of itself."""
    assert exchanged(("tom", "lent", "ana"), ("ana", "lent", "tom"))
    assert both_so(("tom", "lent", "ana"), ("ana", "lent", "tom"))
    assert not exchanged(("tom", ",", "ana", "married"), ("ana", ",", "tom", "married"))
    assert not exchanged(("boss", "=", "ana"), ("ana", "=", "boss"))
    assert not exchanged(("tom", "lent", "ana"), ("tom", "lent", "ana"))
    assert not exchanged((), ())
    assert exchanged(("!prefer", "tea", "<to", "milk"), ("!prefer", "milk", "<to", "tea"))
    assert not both_so(("!prefer", "tea", "<to", "milk"), ("!prefer", "milk", "<to", "tea"))
