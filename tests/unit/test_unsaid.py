"""What a memory that is near leaves unsaid."""

import re
import unicodedata
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memory import bearing_rules, unsaid_rules
from memory import wanted as wanted_of
from memory.bearing import Read, bearing, sought
from memory.ranking import DEFAULT_THRESHOLDS
from memory.times import NO_TIMES
from memory.types import MemoryId
from memory.unsaid import Signs, signs, strangers_in
from memory.wanted import wanted
from tests.unit.pattern_needs import hidden, parsed

A, B = MemoryId("a"), MemoryId("b")
NOW = datetime(2026, 11, 30, tzinfo=UTC)


def plain(text: str) -> str:
    """Return a text as it is compared."""
    return unicodedata.normalize("NFKC", text).casefold()


def said(question: str, text: str) -> Signs:
    """Return what speaks against a memory."""
    return signs(wanted(question, plain(question)), text, plain(text))


@pytest.mark.requirement("R9")
@pytest.mark.parametrize(
    ("question", "other", "text"),
    [
        ("How old is Otto?", "Otto plays the drums.", "Otto turned nine."),
        ("Where does Ingrid live?", "Ingrid breeds pigeons.", "Ingrid moved to Malmö."),
        ("Where is the spare key?", "The spare key broke.", "The spare key is under the mat."),
        ("What breed is the dog?", "The dog had its shots.", "The dog is a beagle."),
        ("What is the plate of the van?", "The van broke down.", "The van is KL 2210."),
        ("Which school does Ben go to?", "Ben is ill.", "Ben is at the Lindgren school."),
        ("Which bank do we use?", "The card was declined.", "We are with Lloyds."),
        ("What is my blood type?", "I gave up sugar.", "I am AB positive."),
        ("What size shoes do I wear?", "My shoes are soaked.", "My shoes are a 43."),
        ("How tall is Otto?", "Otto hates peas.", "Otto is 1.42 m."),
        ("Which floor is the office on?", "The office is loud.", "The office is upstairs."),
        ("Which pills does Nan take?", "Nan rang twice.", "Nan is on warfarin tablets."),
        ("What instrument does Otto play?", "Otto plays chess.", "Otto plays the oboe."),
        ("Is Ingrid married?", "Ingrid has a van.", "Ingrid's husband drives a van."),
        ("Does Ingrid smoke?", "Ingrid jogs.", "Ingrid gave up cigarettes."),
        ("Which church do we go to?", "Sunday is slow.", "We sing at St Mary."),
        ("Whom did I vote for?", "I stood in line to vote.", "I voted for the Greens."),
        ("How much is the rent?", "The flat is cold.", "The flat is 900 a month."),
        ("What is the hamster called?", "The hamster escaped.", "The hamster's name is Bo."),
        ("What is the cat called?", "The cat sleeps.", "The cat is Minka."),
        ("What is Otto's surname?", "Otto came by.", "Otto Brandt came by."),
        ("What brand is the drill?", "The drill is loud.", "The drill is a Metabo."),
        ("What is the cluster called?", "The cluster fell over.", "The cluster is heron."),
        ("What is the cat called?", "The cat sleeps.", "we got a cat, minka"),
        ("How old is Otto?", "Otto starts at nine.", "Otto is nine."),
        ("Which school did Otto leave?", "Otto finished school.", "Otto finished Hill School."),
        ("What does Otto do?", "Otto's uncle lent us a tent.", "Otto runs a bakery."),
        ("What line of work is my mother in?", "My mother has a cold.", "My mother is a welder."),
        ("Where did Ingrid grow up?", "Ingrid had lunch in Graz.", "Ingrid was born in Graz."),
        (
            "How long has Otto had the van?",
            "Otto washed the van.",
            "Otto bought the van in spring.",
        ),
        ("What are Ingrid's hobbies?", "Ingrid broke a rib.", "Ingrid sings in a choir."),
        ("What does Otto think of the van?", "Otto washed the van.", "Otto finds the van noisy."),
        ("Is Ingrid seeing anybody?", "Ingrid passed the exam.", "Ingrid's boyfriend came by."),
        ("Who broke the lamp?", "Broke the lamp last night.", "Otto broke the lamp."),
        ("Who broke the lamp?", "Broke the lamp last night.", "The plumber broke the lamp."),
        ("Why was the shed closed?", "The shed was closed.", "The shed was closed, wasps."),
        ("Why was the shed closed?", "Shed closed.", "There are wasps under the roof."),
        ("Which song did Ingrid sing?", "Ingrid sang.", "Ingrid sang Danny Boy."),
        ("Which school is Zoë at?", "Zoë left school.", "Zoë left Hill School."),
        ("When is the twins' recital?", "The twins have a recital.", "The twins sing on Friday."),
        ("What time does Otto get up?", "Otto sleeps upstairs.", "Otto is up at half past six."),
        ("What's Otto's reason for selling?", "Otto is selling.", "Otto is selling, it rusts."),
        ("How long has room 12 had a bed?", "The bed in room 12 is BD-07.", "Two years by now."),
        ("三号桌用了多久了?", "三号桌编号 YC-0952A。", "三号桌用了两年。"),
        ("李曼几点起床?", "李曼不吃葱。", "李曼六点半起。"),
        ("李曼什么时候要搬?", "李曼要搬家。", "李曼下周搬家。"),
        ("Which floor is the flat on?", "The flat's code is 1188#.", "The flat is number 1188."),
        ("Where does Ruby live?", "Ruby won at the show.", "Ruby lives at the mill."),
        ("What make is the grand?", "Broke a string on the grand.", "It's a Bechstein grand."),
        ("阿凯的馆开在哪里?", "我每周二下午跟阿凯练。", "阿凯的馆在河西。"),
        ("小宝几岁了?", "小宝摔破头,缝了五针。", "小宝五岁了。"),
        ("李曼高寿?", "李曼在会上发了火。", "李曼八十一岁。"),
        ("我们是哪年结的婚?", "我们去了海边。", "我们结婚三十年了。"),
        ("李曼在分部负责什么?", "李曼调去分部了。", "李曼在分部管账。"),
        ("李曼为什么不来了?", "李曼不来了。", "李曼不来了,嫌远。"),
        ("李曼是做什么工作的?", "李曼嫌我家太冷。", "李曼在银行上班。"),
        ("李曼平时有什么爱好?", "李曼胃疼住院了。", "李曼最近迷上了陶艺。"),
        ("李曼是哪里人?", "李曼买了船。", "李曼从温州来。"),
        ("李曼有对象了吗?", "李曼考过了。", "李曼在谈恋爱。"),
        ("李曼为什么辞职?", "李曼辞职了。", "李曼辞职了,太累。"),
        ("李曼怎么看这件事?", "李曼在厨房。", "李曼觉得很可惜。"),
        ("小宝几岁了?", "小宝会骑车了。", "小宝上个月满五岁。"),
        ("李曼住在哪里?", "李曼爱听爵士。", "李曼搬到苏州了。"),
        ("猫是什么品种?", "猫打翻了水。", "猫是英短。"),
        ("车牌号是多少?", "车坏了。", "车是沪A80231。"),
        ("小宝上哪个幼儿园?", "小宝发烧了。", "小宝在蓝天幼儿园。"),
        ("我是什么血型?", "我不喝酒。", "我是O型。"),
        ("办公室在几楼?", "办公室很吵。", "办公室在六层。"),
        ("李曼结婚了吗?", "李曼很忙。", "李曼的先生是医生。"),
        ("房租每月多少?", "房子漏水。", "房租三千二。"),
        ("房东姓什么?", "房东要涨价。", "房东叫何进。"),
        ("冰箱是什么牌子的?", "冰箱不制冷了。", "冰箱是海尔的。"),
    ],
)
def test_a_property_that_is_asked_for_has_to_be_told(question: str, other: str, text: str) -> None:
    """Any word that may tell it does; of a text that asks itself nothing is expected."""
    assert said(question, other).untold == 1.0
    assert said(question, text).untold == 0.0
    assert said(question, question).untold == 0.0


@pytest.mark.parametrize(
    ("question", "text", "other"),
    [
        ("Where does my sister live?", "My brother lives in Hull.", 1.0),
        ("Where does my sister live?", "My sister lives in Hull.", 0.0),
        ("Where does my sibling live?", "My sister lives in Hull.", 0.0),
        ("What does my husband do?", "Callum drives a bus.", 0.0),
        ("What does my boy study?", "My son studies law.", 0.0),
        ("我妹妹在哪里上班?", "我姐姐在株洲开花店。", 1.0),
        ("我姐姐在哪里上班?", "我姐姐在株洲开花店。", 0.0),
        ("我爱人做什么?", "我老公开动车。", 0.0),
        ("嫂子叫什么?", "哥哥叫骆斌。", 1.0),
    ],
)
def test_another_of_the_family_is_somebody_else(question: str, text: str, other: float) -> None:
    """A name may be the same person: nothing is held against it."""
    assert said(question, text).others == other


@pytest.mark.parametrize(
    ("question", "text", "opposed"),
    [
        ("Which port has staging?", "Production is on port 8806.", 1.0),
        ("Which port has staging?", "Staging is on port 8806.", 0.0),
        ("Which port has staging?", "Staging left production's port 8806.", 0.0),
        ("Who cooked the autumn supper?", "Otto cooked the spring supper.", 1.0),
        ("春游去了哪里?", "秋游去了木兰湖。", 1.0),
        ("正式服的端口是多少?", "测试服的端口是 8806。", 1.0),
        ("正式服的端口是多少?", "正式服的端口是 8806。", 0.0),
    ],
)
def test_one_of_a_pair_is_not_the_other(question: str, text: str, opposed: float) -> None:
    """Staging is not production."""
    assert said(question, text).opposed == opposed


@pytest.mark.requirement("R9")
@pytest.mark.parametrize(
    ("question", "text", "only"),
    [
        ("What does Ingrid work as?", "Ran into Ingrid and her dog.", 1.0),
        ("what does ingrid work as", "Ran into Ingrid and her dog.", 1.0),
        ("What does Ingrid work as?", "Ingrid works at the zoo.", 0.0),
        ("What does Zoë keep?", "Ran into Zoë and her dog.", 1.0),
        ("What does Zoë keep?", "Ran into Zoë, she keeps bees.", 0.0),
        ("What does Ingrid work as?", "Ingrid: I met a dog.", 0.0),
        ("What does Ingrid work as?", "Otto: Ran into Ingrid and her dog.", 1.0),
        ("What does Ingrid work as?", "Who knows Ingrid and her dog?", 0.0),
        ("Who is Ingrid?", "Ran into Ingrid and her dog.", 0.0),
        ("When did Ingrid leave?", "Ran into Ingrid and her dog.", 0.0),
        ("What is ZB-20417?", "Got ZB-20417 back.", 0.0),
        ("魏琴的脾气怎样?", "新护士长魏琴改了排班。", 1.0),
        ("魏琴改了什么?", "新护士长魏琴改了排班。", 0.0),
        ("老师的脾气怎样?", "老师改了排班。", 0.0),
    ],
)
def test_who_is_named_is_not_all_that_is_asked(question: str, text: str, only: float) -> None:
    """Something else of the question stands there, in its words or in those of the other tongue."""
    assert said(question, text).only_named == only


def test_yes_or_no_needs_what_is_asked_about() -> None:
    """By the share of it that is missing; what asks for something else is none of these."""
    assert said("Did Ingrid sell the boat?", "Ingrid sold a lamp.").undecided > 0.5
    assert said("Did Ingrid sell the boat?", "I helped Ingrid sell the boat.").undecided == 0.0
    assert said("What did Ingrid sell?", "Ingrid is ill.").undecided == 0.0
    assert said("妹妹买船了吗?", "妹妹会唱歌。").undecided > 0.5


@pytest.mark.requirement("R9")
@pytest.mark.parametrize(
    ("question", "text", "other"),
    [
        ("How old is Otto?", "Otto is nine.", "Otto plays the drums."),
        ("What does Ingrid work as?", "Ingrid works as a vet.", "Ran into Ingrid and her dog."),
        ("我妹妹在哪里上班?", "我妹妹在银行上班。", "我姐姐会开车。"),
    ],
)
def test_what_is_near_and_leaves_it_unsaid_is_no_answer(
    question: str, text: str, other: str
) -> None:
    """At the same evidence, under the shipped threshold."""

    def answers(one: str) -> bool:
        evidence = {A: 0.42, **{MemoryId(f"far{n}"): 0.05 + 0.01 * (n % 5) for n in range(12)}}
        asked = sought(question, NO_TIMES, NOW, ZoneInfo("UTC"))
        found = bearing(asked, evidence, {A: Read(one, then=False)})
        return found[A] >= DEFAULT_THRESHOLDS.reliable

    assert answers(text)
    assert not answers(other)


@pytest.mark.requirement("R9")
@pytest.mark.parametrize(
    ("question", "own", "other"),
    [
        ("How does young Otto get to work?", "Otto cycles.", "I cycle to work."),
        ("请问李曼养了几年猫?", "李曼养了两年猫。", "老洪停工半年。"),
    ],
)
def test_who_is_not_named_is_a_stranger_where_others_name_him(
    question: str, own: str, other: str
) -> None:
    """Where nobody does, the name may be none, or he may be known by another."""
    asked = wanted(question, plain(question))
    assert strangers_in(asked, {A: plain(own), B: plain(other)}) == {B}
    assert strangers_in(asked, {B: plain(other)}) == set()
    assert strangers_in(wanted("who is it", "who is it"), {A: plain(own)}) == set()


def test_what_passes_no_threshold_is_not_read_again() -> None:
    """Signs take, and never add: what failed before them still fails."""
    asked = sought("How old is Otto?", NO_TIMES, NOW, ZoneInfo("UTC"))
    read = {A: Read("Otto is nine.", then=False), B: Read("Rain all day.", then=False)}
    found = bearing(asked, {A: 0.5, B: 0.05}, read)
    assert found[B] == 0.0
    assert found[A] > DEFAULT_THRESHOLDS.reliable


@pytest.mark.parametrize(
    ("needs", "patterns"),
    [
        (unsaid_rules.NEEDS, wanted_of._ASKS),
        (bearing_rules.NEEDS, {name: asks for name, (asks, _) in bearing_rules.KINDS.items()}),
    ],
    ids=["properties", "kinds"],
)
def test_no_question_is_left_out_for_want_of_what_it_needs(
    needs: dict[str, tuple[str, ...]], patterns: dict[str, re.Pattern[str]]
) -> None:
    """Each pattern finds nothing that has none of its literals; without one of them some does."""
    assert needs.keys() == patterns.keys()
    for name, pattern in patterns.items():
        assert hidden(parsed(pattern.pattern), needs[name]) is None, name
    assert hidden(parsed(patterns[max(patterns)].pattern), ["zz"]) is not None
