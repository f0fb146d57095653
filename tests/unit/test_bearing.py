"""What bears on a question, and what only lies near it."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.bearing import Features, Read, Sought, any_bears, bearing, features, near, sought
from memory.ranking import DEFAULT_THRESHOLDS
from memory.timely import told, within
from memory.times import times_of
from memory.types import MemoryId
from memory.unsaid import Signs, signs
from memory.wanted import Wanted

ZONE = ZoneInfo("Europe/Berlin")
ASKED = datetime(2026, 5, 20, 15, 30, tzinfo=UTC)
A, B, C = MemoryId("a"), MemoryId("b"), MemoryId("c")
FAR = {MemoryId(f"far{n}"): 0.05 + 0.02 * n for n in range(8)}
"""Evidence of what lies anywhere: a memory of some size."""


def asked(question: str) -> Sought:
    """Return what a question asks for at `ASKED`."""
    return sought(question, times_of(question, ASKED, ZONE), ASKED, ZONE)


def at(day: int, month: int = 5) -> datetime:
    """Return noon of a day in 2026."""
    return datetime(2026, month, day, 12, tzinfo=UTC)


def read(question: str, text: str, on: datetime) -> Read:
    """Return a memory as it is read when the question is asked."""
    spans = asked(question).spans
    return Read(text, within(on, spans) or told(text, on, spans, ZONE) > 0.0)


def one(question: str, text: str, *, on: datetime = ASKED, evidence: float = 0.5) -> Features:
    """Return what is said for and against one memory among many that lie far."""
    return features(asked(question), {**FAR, A: evidence}, {A: read(question, text, on)})[A]


def answered(question: str, memories: dict[MemoryId, tuple[float, str, datetime]]) -> set[MemoryId]:
    """Return the memories that pass the shipped threshold."""
    evidence = FAR | {id: value for id, (value, _, _) in memories.items()}
    seen = {id: read(question, text, on) for id, (_, text, on) in memories.items()}
    found = bearing(asked(question), evidence, seen)
    return {id for id, value in found.items() if value >= DEFAULT_THRESHOLDS.reliable}


@pytest.mark.requirement("R9")
@pytest.mark.parametrize(
    ("question", "bare", "text"),
    [
        (
            "Why was order GS-7110 late?",
            "Why was the order late?",
            "Order GS-7110 sat in customs.",
        ),
        ("GS-7110 这单货为什么晚了？", "这单货为什么晚了？", "GS-7110 这单货卡在海关。"),
    ],
)
def test_what_has_the_code_is_not_silenced_by_a_property_that_it_seems_not_to_tell(
    question: str, bare: str, text: str
) -> None:
    """The control: with the same evidence, where no code is named, it counts in full."""
    memories = {A: (0.5, text, ASKED)}
    assert answered(question, memories) == {A}
    assert answered(bare, memories) == set()


@pytest.mark.requirement("R9")
@pytest.mark.parametrize(
    ("question", "text", "other"),
    [
        (
            "Which oven is HB-48213?",
            "The big oven's number is HB-48213.",
            "The small oven's number is HB-48231.",
        ),
        ("what was order gs7110", "Order GS-7110 was for lamps.", "Order GS-7101 was for lamps."),
        ("3316 端口跑的是什么?", "测试库在 3316 端口。", "正式库在 3361 端口。"),
        ("工单 OPS-5180 是什么问题?", "工单 OPS-5180 是断网。", "工单 OPS-5108 是断网。"),
    ],
)
def test_a_code_is_answered_by_its_own_memory_alone(question: str, text: str, other: str) -> None:
    """However near the memory of a look-alike lies."""
    assert one(question, text).lacks == 0.0
    assert one(question, other).lacks == 1.0
    assert answered(question, {A: (0.6, text, ASKED)}) == {A}
    assert answered(question, {B: (0.6, other, ASKED)}) == set()


@pytest.mark.requirement("R9")
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("what was the matter with 7d0822kb", "The lamp, order 7D-0822-KB, has a crack."),
        ("有个老客户问 PL 0731K 还有没有?", "货号 pl-0731k 已经断货。"),
        (
            "\uff2d\uff23\uff0d\uff12\uff10\uff16, what did we rent?",
            "Order MC-206: eleven coats.",
        ),
        ("What breaks with v4.13.1?", "We are on 4.12.1, since 4.13.1 loses exports."),
    ],
)
def test_a_code_that_is_there_answers_however_far_the_rest_lies(question: str, text: str) -> None:
    """Who names a code shares little else with its memory."""
    other = {MemoryId(f"near{n}"): (0.24, "Rain all day.", ASKED) for n in range(6)}
    assert A in answered(question, other | {A: (0.24, text, ASKED)})
    bare = "".join(" " if char.isdecimal() else char for char in text)
    assert A not in answered(question, other | {A: (0.24, bare, ASKED)})
    assert (one(question, text).named, one("What came?", text).named) == (1.0, 0.0)


@pytest.mark.requirement("R9")
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Why did the backup fail last week?", "The backup failed since the tape was full."),
        ("上周消息队列为什么堵了?", "消息队列堵了,磁盘写满。"),
    ],
)
def test_what_was_so_at_another_time_is_no_answer(question: str, text: str) -> None:
    """The same words at the time that is spoken of are."""
    assert answered(question, {A: (0.6, text, at(12))}) == {A}
    assert answered(question, {A: (0.6, text, at(12, month=2))}) == set()


def test_a_text_that_tells_of_the_time_is_within_it() -> None:
    """Said the day before."""
    later = one("Where was I on 12 May?", "The dentist is tomorrow.", on=at(11))
    assert (later.inside, later.outside) == (1.0, 0.0)
    other = one("Where was I on 12 May?", "The dentist is today.", on=at(11))
    assert (other.inside, other.outside) == (0.0, 1.0)


@pytest.mark.requirement("R9")
@pytest.mark.parametrize("question", ["What happened last week?", "上周发生了什么?"])
def test_a_question_for_a_time_alone_is_answered_by_what_was_so_then(question: str) -> None:
    """It shares no word with the answer, and lies near nothing."""
    assert asked(question).empty == 1.0
    assert answered(question, {A: (0.06, "Biscuit ate a sock.", at(12))}) == {A}
    assert answered(question, {A: (0.06, "Biscuit ate a sock.", at(12, month=3))}) == set()
    full = "Which port did the staging catalogue database of the library use last week?"
    assert asked(full).empty == 0.0
    assert answered(full, {A: (0.06, "Biscuit ate a sock.", at(12))}) == set()


def test_a_coming_time_excludes_nothing() -> None:
    """What is planned for tomorrow was told before."""
    assert asked("What do I need tomorrow?").spans == ()
    assert one("What do I need tomorrow?", "Bring the papers.", on=at(2)).outside == 0.0


@pytest.mark.parametrize("question", ["What did she paint recently?", "她最近画了什么?"])
def test_a_vague_time_excludes_nothing(question: str) -> None:
    """Nobody says where it ends; one that has ends does exclude."""
    assert asked(question).spans == ()
    assert len(asked(question.replace("recently", "yesterday").replace("最近", "昨天")).spans) == 1


def test_a_time_long_after_all_that_is_known_excludes_nothing() -> None:
    """A history that was brought along ended years before the question is asked."""
    question = "What did she paint last week?"
    times = times_of(question, ASKED, ZONE)
    assert sought(question, times, ASKED, ZONE, at(1, month=1)).spans == ()
    assert sought(question, times, ASKED, ZONE, at(1, month=4)).spans == times.spans


def test_what_is_asked_for_and_was_so_at_another_time_counts_against_what_was_so_then() -> None:
    """Something else happened that month; the backup failed in another one."""
    question = "Why did the backup fail in March?"
    seen = {
        A: read(question, "The fibre was cut by a digger.", at(9, month=3)),
        B: read(question, "The backup failed, an expired certificate.", at(5)),
    }
    found = features(asked(question), {**FAR, A: 0.2, B: 0.6}, seen)
    assert found[A].elsewhen > 0.9
    assert found[B].elsewhen == 0.0
    alone = features(asked(question), {**FAR, A: 0.2}, {A: seen[A]})
    assert alone[A].elsewhen == 0.0


@pytest.mark.parametrize(
    ("question", "text", "misfit"),
    [
        ("What is Anna's phone number?", "Anna is my sister.", 1.0),
        ("What is Anna's phone number?", "Anna: 0171 555 2040.", 0.0),
        ("How much did the pump cost?", "The pump came on 3 May 2026.", 1.0),
        ("How much did the pump cost?", "The pump was 900 euros.", 0.0),
        ("How old is Tom?", "Tom starts at school.", 1.0),
        ("How old is Tom?", "Tom is six.", 0.0),
        ("What is her email address?", "She writes a lot.", 1.0),
        ("What is her email address?", "She is ann@example.com.", 0.0),
        ("网站的密码是什么?", "网站很慢。", 1.0),
        ("网站的密码是什么?", "网站密码是 crumbs。", 0.0),
        ("工资多少?", "在银行工作。", 1.0),
        ("工资多少?", "工资八千。", 0.0),
        ("豆豆的生日是哪天?", "豆豆会骑车。", 1.0),
        ("豆豆的生日是哪天?", "豆豆的生日是五月三号。", 0.0),
        ("Who is Tom?", "Tom is a friend.", 0.0),
        ("What is my rent?", "The rent is due on Fridays.", 1.0),
        ("Which account is the rent paid to?", "The rent goes to the landlord's account.", 0.0),
        ("Who knows the door code?", "Tom knows the door code.", 0.0),
        ("What is the door code?", "Tom knows the door code.", 1.0),
        ("房租打到哪个账户?", "房租打到房东的账户。", 0.0),
        ("工资单由谁审批?", "工资单由佐藤英审批。", 0.0),
        ("房租是多少?", "房租打到房东的账户。", 1.0),
        ("Which phone does Anna have?", "Anna has a Fairphone.", 0.0),
        ("Which phone number does Anna have?", "Anna has a Fairphone.", 1.0),
        ("How was the phone call with Anna?", "The call with Anna went well.", 0.0),
        ("How do I change the door code?", "The door code is changed with the blue key.", 0.0),
        ("How long is the door code?", "The door code is changed with the blue key.", 1.0),
        ("Is the door code taped inside?", "It is taped inside the cupboard.", 0.0),
        ("Is there a door code?", "Tom opens the door.", 1.0),
        ("上次给安娜打电话说了些啥?", "跟安娜聊了搬家。", 0.0),
        ("安娜的电话?", "跟安娜聊了搬家。", 1.0),
        ("门禁密码如何修改?", "门禁在物业那里改。", 0.0),
        ("门禁密码如何?", "门禁在物业那里改。", 1.0),
        ("你要的是安娜的电话吗?", "要找安娜。", 0.0),
        ("你知道安娜的电话是多少吗?", "要找安娜。", 1.0),
        ("How much did the pump cost?", "The pump is a Borea, serial 21-2217-0935.", 1.0),
        ("How much did the pump cost?", "The pump was 1,450 in the end.", 0.0),
        ("How much is the coffee?", "The coffee is 3.50 now.", 0.0),
        ("水泵花了多少钱?", "水泵合同编号 ZA-60418。", 1.0),
        ("我的退休金有多少?", "我退休前教地理。", 1.0),
        ("我的退休金有多少?", "退休金每月四千。", 0.0),
        ("水泵花了多少钱?", "水泵一共4200。", 0.0),
        ("What did I pay for the pump?", "The pump has serial TK-77-2061.", 1.0),
        ("What did I pay for the pump?", "The pump was 180.", 0.0),
        ("直播一个月能赚多少", "直播每天开。", 1.0),
        ("直播一个月能赚多少", "直播每月八千。", 0.0),
        ("保姆一个月工钱多少", "保姆请了假。", 1.0),
        ("保姆一个月工钱多少", "保姆每月五千。", 0.0),
        ("频道有多少粉丝?", "频道星期六更新。", 1.0),
        ("频道有多少粉丝?", "频道有两万人看。", 0.0),
        ("How many rooms are there?", "It is an old house.", 1.0),
        ("How many beds are in room 12?", "The key of room 12 is KR-2207.", 1.0),
        ("How many beds are in room 12?", "Room 12 has two beds.", 0.0),
        ("What colour is the door?", "The door is oxblood.", 0.0),
        ("How many rooms are there?", "It has nine.", 0.0),
        ("What is the password of the relay?", "The relay runs version 3.9.0.", 1.0),
        ("What is the password of the relay?", "The relay opens with heron22.", 0.0),
        ("Who changed the password of the relay?", "Tom looked after the relay.", 0.0),
        ("门禁密码是多少?", "门禁改成 4421 了。", 0.0),
        ("我的身份证号是多少?", "我的工号是 EL-20857。", 1.0),
        ("我的身份证号是多少?", "我的身份证是 110101199001010011。", 0.0),
        ("What is my passport number?", "My staff number is 20857.", 1.0),
        ("What is my passport number?", "My passport: K2211903.", 0.0),
        ("What colour is the door?", "The door jams in winter.", 1.0),
        ("What colour is the door?", "The door is a dark green.", 0.0),
        ("门是什么颜色?", "门一到冬天就卡。", 1.0),
        ("门是什么颜色?", "门是深绿的。", 0.0),
    ],
)
def test_a_kind_that_is_asked_for_has_to_be_there(question: str, text: str, misfit: float) -> None:
    """A number, an amount, an address: a date is no amount."""
    assert one(question, text).misfit == misfit


@pytest.mark.requirement("R9")
def test_what_stands_out_answers_and_what_lies_like_all_the_others_does_not() -> None:
    """The same evidence, in a memory where it is unusual and in one where it is not."""
    question, text = "Who supervises my thesis?", "My supervisor is Professor Vos."
    assert answered(question, {A: (0.42, text, ASKED)}) == {A}
    crowd = {MemoryId(f"near{n}"): 0.40 + 0.005 * n for n in range(12)}
    found = bearing(asked(question), {**crowd, A: 0.42}, {A: read(question, text, ASKED)})
    assert found[A] < DEFAULT_THRESHOLDS.reliable


@pytest.mark.requirement("R9")
def test_standing_out_makes_up_for_no_more_than_it_is_worth() -> None:
    """The only memory of its topic lies as far from the others as can be, and may tell nothing."""
    near = one("What does Otto take in his tea?", "Took Otto to the play.", evidence=0.5)
    nearer = one("What does Otto take in his tea?", "Took Otto to the play.", evidence=0.9)
    assert near.apart == nearer.apart == 3.0
    alike = one("What does Otto take?", "What does Otto take in his tea?", evidence=0.9)
    assert alike.apart > 6.0


@pytest.mark.requirement("R9")
def test_a_memory_of_somebody_else_does_not_answer_for_who_is_named() -> None:
    """Beside one that names him; the control: without that one, it may speak of him."""
    question = "How does young Otto get to work?"
    other = (0.6, "I cycle to work.", ASKED)
    assert answered(question, {A: (0.3, "Otto is ill.", ASKED), B: other}) == set()
    assert answered(question, {A: (0.3, "It is late.", ASKED), B: other}) == {B}
    code = "What is the code of the gate? Here stands Otto."
    gate = (0.6, "The gate takes 31960.", ASKED)
    assert answered(code, {A: (0.3, "Otto is ill.", ASKED), B: gate}) == {B}


@pytest.mark.requirement("R9")
def test_an_age_may_have_been_told_in_any_year() -> None:
    """So the year that is spoken of excludes nothing, and lifts nothing either."""
    assert asked("How old is Otto this year?").spans == ()
    assert asked("Where was Otto this year?").spans != ()


def test_who_asks_for_the_last_time_expects_several_alike() -> None:
    """None of twelve lunches stands out from the others; asked for as the last one, it answers."""
    text = "Had lunch with Ivo."
    alike = {MemoryId(f"lunch{n}"): 0.45 for n in range(12)}
    seen = {id: Read(text, then=False) for id in alike}
    last = bearing(asked("the last time I had lunch with Ivo"), alike, seen)
    assert min(last.values()) >= DEFAULT_THRESHOLDS.reliable
    plain = bearing(asked("What do I eat with Ivo?"), alike, seen)
    assert max(plain.values()) < min(last.values())


def test_a_first_memory_is_held_against_what_is_usual() -> None:
    """With one memory nothing stands out; it answers, and something far does not."""
    question = "Which port does the staging database use?"
    text = "The staging database listens on port 5433."
    for evidence, passes in ((0.75, True), (0.15, False)):
        found = bearing(asked(question), {A: evidence}, {A: read(question, text, ASKED)})
        assert (found[A] >= DEFAULT_THRESHOLDS.reliable) is passes
    assert bearing(asked(question), {}, {}) == {}


def test_what_is_near_or_of_the_time_is_read() -> None:
    """And nothing else."""
    assert near({A: 0.3, B: 0.1, C: 0.1}, 0.22, [C]) == {A, C}
    assert near({}, 0.22, []) == set()


@pytest.mark.requirement("R9")
def test_pages_that_repeat_a_question_make_its_answer_look_no_less_special() -> None:
    """Or whoever stores the question itself a few times takes the answer away from everybody."""
    question, answer = "Where does the review take place?", "The review takes place in Lisbon."
    own = {A: (0.6, answer, ASKED)}
    pages = {MemoryId(f"page{n}"): (0.98, f"{question} See page {n}.", ASKED) for n in range(12)}
    others = dict.fromkeys(pages, (0.98, "The review took all day.", ASKED))
    assert answered(question, own) == {A}
    assert A in answered(question, own | pages)
    assert A not in answered(question, own | others)


_SAID = (
    "Otto is nine.",
    "My sister lives in Bonn.",
    "My brother lives in Rome.",
    "Where does my sister live?",
    "Order GS-7110 sat in customs.",
    "The front door has a new lock.",
    "The back door sticks.",
    "I had lunch with Ivo on Friday.",
    "我妹妹在银行上班。",
    "我姐姐会开车。",
    "GS-7110 这单货卡在海关。",
    "Rain all day.",
)
_ASKED_FOR = (
    "How old is Otto?",
    "Where does my sister live?",
    "Why was order GS-7110 late?",
    "Does the front door have a new lock?",
    "What did I do last Friday?",
    "the last time I had lunch with Ivo",
    "我妹妹在哪里上班?",
    "GS-7110 这单货为什么晚了？",
)


@given(
    question=st.sampled_from(_ASKED_FOR),
    memories=st.lists(st.tuples(st.sampled_from(_SAID), st.floats(0.0, 1.0)), max_size=8),
    least=st.sampled_from((0.0, 0.1, 0.36, 0.8)),
)
def test_whether_any_bears_is_what_reading_all_of_them_tells(
    question: str, memories: list[tuple[str, float]], least: float
) -> None:
    """However few of them are read for what they leave unsaid."""
    ids = [MemoryId(f"m{n}") for n in range(len(memories))]
    evidence = {id: value for id, (_, value) in zip(ids, memories, strict=True)}
    seen = {id: read(question, text, ASKED) for id, (text, _) in zip(ids, memories, strict=True)}
    every = bearing(asked(question), evidence, seen)
    found = any_bears(asked(question), evidence, seen, least)
    assert found == (max(every.values(), default=0.0) >= least)


def test_no_more_is_read_for_what_it_leaves_unsaid_than_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The strongest does, so that no other one is read; where none does, all that might are."""
    looked: list[str] = []

    def noted(asked: Wanted, text: str, plain: str) -> Signs:
        looked.append(text)
        return signs(asked, text, plain)

    monkeypatch.setattr("memory.bearing.signs", noted)
    question = "Where does my sister live?"
    evidence = FAR | {A: 0.5, B: 0.7, C: 0.05}
    seen = {A: Read("My sister is ill.", then=False), C: Read("Rain all day.", then=False)}
    told_it = {**seen, B: Read("My sister lives in Bonn.", then=False)}
    assert any_bears(asked(question), evidence, told_it, DEFAULT_THRESHOLDS.reliable)
    assert looked == ["My sister lives in Bonn."]
    looked.clear()
    untold = {**seen, B: Read("My sister is sad.", then=False)}
    assert not any_bears(asked(question), evidence, untold, DEFAULT_THRESHOLDS.reliable)
    assert looked == ["My sister is sad.", "My sister is ill."]
