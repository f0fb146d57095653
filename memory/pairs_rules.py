"""The words that the signs of a pair count, in English and in Chinese."""

from typing import Final

from memory.understanding_rules import FUNCTION

NAMES: Final = (
    "now",
    "change",
    "correction",
    "end",
    "negation",
    "again",
    "addition",
    "scope",
    "preference",
    "past",
    "question",
    "first_person",
    "courtesy",
)
"""What each pattern of `MARKERS` stands for, in order. The model's file was fitted to this order."""
MARKERS: Final = (
    (
        r"\bnow\b|from now on|from here on|these days|going forward|current|as of|since"
        r"|现在|如今|目前|以后|今后|从.{0,6}起|往后|最新|最近"
    ),
    (
        r"chang|mov(?:ed|ing)|switch|replac|renam|instead|updat|\bnew\b|swap|becom|became|transfer"
        r"|migrat|upgrad|reschedul|postpon|shift|push|extend|went up|rais|drop|down to|up to"
        r"|went down|\bcut\b|lower|reduc|increas|bumped|\bgrew\b|grown|took over|taken over"
        r"|改|换|搬|调|升|降|变|挪|移|转|涨|延|推迟|提前|定了"
    ),
    (
        r"actually|correct|mistake|wrong|i meant|scratch|sorry|rather|turns out|typo|misspoke"
        r"|after all|not .{1,40}(?:but|,)|misread|misheard|\boops|\bwait, no|\bmy bad\b"
        r"|其实|更正|纠正|说错|记错|弄错|搞错|应该是|不是.{1,20}是|写错|有误|看错|记岔|口误|笔误"
    ),
    (
        r"no longer|any ?more|stop|quit|cancel|gave up|given up|don't .{0,20}any|never mind|without"
        r"|ended|\bleft\b|sold|closed|dropped|lapse|expired|retired|scrapp|called off|discontinu"
        r"|delet|remov|divorced|used to|\bgone\b|broke up|\bditch|terminat|abandon"
        r"|不再|取消|不用了|已经不|没有了|作废|退|戒|停|离职|卖了|分手|注销|放下|没续"
        r"|卖掉|离婚|拆了|删了|散了|不干了|不去了|黄了|扔了|关掉|收回|解约|报废|用不上"
    ),
    r"\bnot\b|n't\b|\bno\b|never|avoid|hate|can't stand|不|没|别|无|讨厌|受不了",
    r"\bagain\b|\bback\b|still|as before|又|还是|依然|仍|恢复|重新",
    (
        r"\balso\b|\btoo\b|as well|another|besides|in addition|plus\b|second\b"
        r"|也|还|另外|再加|加上|除了"
    ),
    (
        r"this (?:week|month|weekend|quarter|time|mon|tue|wed|thu|fri|sat|sun)|today|tomorrow|tonight"
        r"|on (?:mon|tue|wed|thu|fri|sat|sun)|weekend|when(?:ever)? |while |during|until|for now"
        r"|temporar|except|unless|\bif |only for|in (?:summer|winter|spring|autumn)|on sunny|for the "
        r"|这周|本周|今天|明天|今晚|这个月|周末|周[一二三四五六日]|期间|时候|暂时|临时"
        r"|的话|如果|除非|只有|出差|出门"
    ),
    r"prefer|like|love|favou?rite|喜欢|爱|偏好|最",
    (
        r"\blast (?:night|week|year|month)|yesterday|\bago\b|\bin (?:19|20)\d\d"
        r"|昨|上周|上个月|去年|过一趟|过$"
    ),
    r"\?$|？$|吗$",
    r"\b(?:i|my|me|we|our)\b|我|咱",
    (
        r"!|\bthank|\bbye\b|good luck|congrat|\bwow\b|\bhey\b|\bhi\b|keep (?:it )?(?:up|going)|no problem|no worries"
        r"|take care|you can do|proud of|sorry to hear|happy for you|！|谢|加油|恭喜|拜拜|哈哈|真棒|保重|为你"
    ),
)
WHOSE: Final = (
    r"\b(?:wife|husband|mother|mum|mom|father|dad|sister|brother|son|daughter|boss|manager|team"
    r"|colleague|partner|friend|dog|cat|kids?|grandma|grandpa|aunt|uncle|cousin|client|neighbou?r"
    r"|staging|production|office|home)\b"
    r"|老婆|妻子|老公|丈夫|妈|爸|姐|哥|弟|妹|儿子|女儿|老板|经理|同事|朋友|狗|猫|爷爷|奶奶|姥|外婆|外公"
    r"|叔|姨|舅|孩子|客户|邻居|测试|生产|公司|家里"
)
"""Whose or which one: two texts that name different ones seldom speak of one thing."""
REASONS: Final = (
    "common_topic",
    "no_common_word",
    "slot_more_exact",
    "said_to_be_added",
    "says_more",
    "one_more",
    "scope",
    "several_may_hold",
    "another_kind_of_thing",
    "kinds",
    "put_otherwise",
    "one_place_differs",
    "other_roles",
    "replaces_a_part",
    "opposite_of_another",
    "not_that_either",
    "of_another",
    "limit_or_value",
    "other_end",
    "same_value_of_another",
    "other_value",
    "aligned",
    "changed",
    "opposite",
    "given_up_for_another",
    "taken_back",
    "same_claims",
    "same_value",
    "value_more_exact",
)
"""Reasons of bonds that the model knows, in order. All others are no sign."""
EMPTY_WORDS: Final = FUNCTION | {"user", "user's"}
"""Words that say nothing of what a text is about. The model's file was fitted with these: a word
more or less moves its signs a little, and is no reason to fit it anew at once.
"""
EMPTY_CHARACTERS: Final = frozenset(
    "的了是在我你他她它们这那就都很也还和跟把被给对从到要会能有一个不没别吗呢吧啊户用"
)
