"""Small sets of words that the reading of a clause turns on, each named for what it decides."""

from typing import Final


def words(listed: str) -> frozenset[str]:
    """Return the words of a line."""
    return frozenset(listed.split())


ABBREVIATED: Final = words("dr mr mrs ms st prof no vs etc e.g i.e inc ltd p.m a.m")
"""What a full stop after is none."""
HEADS: Final = words("mode unit seat meal plan size font currency language color room")
"""Nouns that name the slot when they end the value: "dark mode"."""
WEAK: Final = words("have put keep set run show use choose prefer be new write call like want")
"""Verbs that say nothing of the slot beside a value that has a type, or a head that names it."""
PERSONS: Final = words(
    "wife husband mother father son daughter sister brother boss child partner spouse doctor dog cat pet "
    "elder_sister younger_sister elder_brother younger_brother grandmother grandfather uncle aunt"
)
AT_TIMES: Final = words(
    "下周 这周 本周 上周 这个月 下个月 这次 雨天 下雨天 晴天 雪天 过年 今天 今晚 今早 明早 周末 工作日 节假日 假期 暑假 寒假 春节 本周 这周 下周 上周 本月 下月 这月 冬天 夏天 春天 秋天 冬季 夏季 暂时 临时 "
    "出差 旅行 weekend weekends holiday holidays vacation summer winter spring autumn today tonight "
    "temporarily weekdays weekday trip abroad "
    "这周末 本周末 下周末 上周末"
)
"""Times that a statement may be limited to."""
SPAN_ENDS: Final = words("的时候 时候 期间 为止 的话")
TRAILS: Final = SPAN_ENDS | {"时", "的", ","}
NOT_TIMES: Final = words("小 平 随 按 定 临 同 实 及 准 有 暂 工")
"""What makes another word of 时 when it stands before it."""
LEADS: Final = words("on in at for this next during every over from")
SPANS: Final = words("week month year now")
CONDITIONS: Final = words("on in at for after before")
CONDITION_ENDS: Final = words("时 时候 期间 候 间 周末 后 前 天")
MOVES: Final = frozenset({"moved to", "relocated", "搬到", "搬去"})
"""Living somewhere else, or, after a noun, a change of its place."""
OWNERS: Final = words("my our 我的 我们的 用户的 本人的 咱们的 mine ours")
OBJECT: Final = words("me us myself")
TASTE: Final = words("like dislike prefer")
OBJECTS: Final = words("use choose prefer order_in")
"""Verbs whose object a bare number belongs to: four spaces are one thing to use."""
COMMON: Final = words(
    "的 了 用 use 是 在 有 have like can eat drink take be put daily weekly monthly nightly to i live go call "
    "amount"
)
"""Words that show no common topic by themselves."""
CHINESE_BARE: Final = words(
    "个 位 名 台 辆 只 条 张 件 本 家 瓶 套 份 门 双 把 棵 匹 头 支 部 颗 粒 块儿"
)
"""Counters that add nothing to the noun after them."""
SLOTS: Final = {
    ("language", "reply"): "reply_language",
    ("live",): "home",
    ("employed",): "employer",
    ("occupied",): "job",
    ("use",): "uses_tool",
    ("like",): "likes",
    ("speak",): "languages",
}
"""Names of slots that are put in several ways."""
