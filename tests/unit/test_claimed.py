"""What the ledger makes of claims: which texts replace one another, and which never do."""

import os
import subprocess
import sys
from datetime import datetime

import pytest

from guard.claimed import ByClaims, cannot_replace
from guard.relating import Said, Tie, Told
from memory.claims import BondKind, Claim, claims_of, relate_claims
from memory.claims.version import LEXICON
from tests.house import START
from tests.unit.claims_lines import PAIRS
from tests.unit.claims_more_lines import MORE

APART = [
    ("Locker 1 holds a spare key.", "Locker 2 holds a spare key."),
    ("Locker 1 at the north hall holds cables.", "Locker 2 at the north hall holds cables."),
    ("Server 3 runs Debian.", "Server 4 runs Debian."),
    ("Note 1: the plants need light.", "Note 2: the plants need water."),
    ("Shelf BX31: tiles for the workshop.", "Shelf BX32: chains for the workshop."),
    ("2号会议室有投影仪。", "3号会议室有投影仪。"),
    ("会议记录LH30265：苏州小组清点了茶叶。", "会议记录CK30311：苏州小组清点了三脚架。"),
]
VERSIONS = [
    ("My port is 5432.", "My port is 5433."),
    ("The stand-up is at 09:30.", "The stand-up is at 10:00."),
    ("My desk is on the 4th floor.", "My desk moved to the 7th floor."),
    ("我的会议室在三楼。", "我的会议室换到五楼了。"),
    ("The staging server runs on port 81.", "The staging server runs on port 82."),
]


def tie(old: str, new: str) -> Tie:
    """Return what a text is to an older one."""
    (found,) = ByClaims().ties(Said(new, START), [Said(old, START)])
    return found


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(("old", "new"), APART)
def test_two_things_with_names_of_their_own_are_no_versions(old: str, new: str) -> None:
    """A number or code that names the thing is not its value; in neither order."""
    assert (tie(old, new), tie(new, old)) == (Tie.BESIDE, Tie.BESIDE)


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(("old", "new"), VERSIONS)
def test_two_values_of_one_thing_cannot_both_hold(old: str, new: str) -> None:
    """The control: numbers and times that are values replace one another."""
    assert tie(old, new) is Tie.AGAINST


@pytest.mark.requirement("R6")
@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("by", ["", "a model"])
def test_the_reader_of_one_answer_finds_against_what_each_pair_alone_would(
    *, recorded: bool, by: str
) -> None:
    """Whatever it was asked before, with records of today, without any, and with a model's."""
    reader = ByClaims(by)

    def said(text: str) -> Said:
        plain = Said(text, START, told=(Told("locker 1", "content", "rope"),), by=by)
        record = reader.read(plain).record if recorded else b""
        return Said(text, START, record)

    every = [said(text) for pair in (*APART, *VERSIONS) for text in pair]
    one = reader.certain
    for _ in range(2):
        for number, new in enumerate(every):
            olds = every[max(0, number - 4) : number]
            against = [tie is Tie.AGAINST for tie in ByClaims(by).ties(new, olds)]
            assert [tie is Tie.AGAINST for tie in one.ties(new, olds)] == against


@pytest.mark.requirement("R6")
def test_what_is_not_compared_whole_would_replace_nothing() -> None:
    """Any two texts of the tables, and each of them beside its own: by far most are told apart so,
    and of none is a bond lost that replaces.
    """
    pairs = [(old, new) for _, old, new in (*PAIRS, *MORE)]
    read = {text: claims_of(text, at=START) for pair in pairs for text in pair}
    texts = list(read)
    mixed = [(old, new) for at, old in enumerate(texts) for new in texts[at % 80 :: 80]]
    kinds = {True: 0, False: 0}
    for old, new in (*pairs, *mixed):
        apart = cannot_replace(read[new], read[old])
        kinds[apart] += 1
        if apart:
            bond = relate_claims(read[new], read[old])
            assert bond.kind not in (BondKind.SUPERSEDES, BondKind.RETRACTS), (old, new)
    assert kinds[True] > kinds[False]
    replacing = [(old, new) for kind, old, new in PAIRS if kind == "supersedes"]
    assert not any(cannot_replace(read[new], read[old]) for old, new in replacing)


@pytest.mark.requirement("R6")
def test_the_reader_of_one_answer_reads_each_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the next answer's reads it again: nothing of a text is kept in between."""
    read: list[str] = []

    def noted(text: str, *, at: datetime) -> tuple[Claim, ...]:
        read.append(text)
        return claims_of(text, at=at)

    monkeypatch.setattr("guard.claimed.claims_of", noted)
    old, new = (Said(text, START) for text in VERSIONS[0])
    reader = ByClaims()
    for certain in (reader.certain, reader.certain):
        read.clear()
        for _ in range(3):
            assert certain.ties(new, [old]) == [Tie.AGAINST]
        assert read == [new.text, old.text]


@pytest.mark.requirement("W15")
def test_what_says_the_same_has_one_gist_in_either_language() -> None:
    """However it is worded; another value has another."""
    reader = ByClaims()
    said = [reader.read(Said(text, START)) for text in ("My port is 5432.", "我的端口是5432。")]
    other = reader.read(Said("My port is 5433.", START))
    assert said[0].gist == said[1].gist != other.gist
    assert said[0].slots == said[1].slots == other.slots


@pytest.mark.requirement("W10")
@pytest.mark.parametrize(
    ("old", "new"), [*APART, *VERSIONS, ("我不再用顺丰了。", "以后都用顺丰。")]
)
def test_a_recorded_reading_spares_the_text_and_changes_nothing(old: str, new: str) -> None:
    """The tie is the same whether both were recorded or are read; what another lexicon recorded is
    read again, and what is no record at all as well.
    """
    reader = ByClaims()
    first, second = Said(old, START), Said(new, START)
    record, other = reader.read(first).record, reader.read(second).record
    assert reader.is_current(record)
    recorded = Said(new, START, other)
    assert reader.ties(recorded, [Said(old, START, record)]) == reader.ties(second, [first])
    stale = record.replace(LEXICON.encode(), b"00000000")
    for broken in (stale, b"\xc1", b"", record[:-1]):
        assert not reader.is_current(broken)
        assert reader.ties(second, [Said(old, START, broken)]) == reader.ties(second, [first])


@pytest.mark.requirement("W10")
def test_a_record_is_what_is_compared() -> None:
    """The control: with the record of another text the other text's claims decide."""
    reader = ByClaims()
    other = reader.read(Said("My port is 5432.", START)).record
    said = Said("My port is 5433.", START)
    assert reader.ties(said, [Said("I like tea.", START)]) == [Tie.BESIDE]
    assert reader.ties(said, [Said("I like tea.", START, other)]) == [Tie.AGAINST]


@pytest.mark.requirement("W10")
def test_of_a_long_reading_only_the_lexicon_is_recorded() -> None:
    """So that a sealed memory stays about as long as its text."""
    text = " ".join(f"My port number {n} on host {n} is {5000 + n} since May." for n in range(60))
    record = ByClaims().read(Said(text, START)).record
    assert len(record) < 20
    assert ByClaims().is_current(record)


def test_every_process_names_the_same_words_and_rules_alike() -> None:
    """A restart must not take what it sealed itself for another's reading."""
    ask = "from memory.claims.version import LEXICON; print(LEXICON, end='')"
    named = [
        subprocess.run(  # noqa: S603  # this interpreter, nothing from outside
            [sys.executable, "-c", ask],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert named == [LEXICON, LEXICON]
