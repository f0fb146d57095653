"""Small sets of words that the reading of a clause turns on, each named for what it decides."""

from typing import Final

from memory.claims.nouns import ValueKind


def words(listed: str) -> frozenset[str]:
    """Return the words of a line."""
    return frozenset(listed.split())


ABBREVIATED: Final = words("dr mr mrs ms st prof no vs etc e.g i.e inc ltd p.m a.m")
"""What a full stop after is none."""
HEADS: Final = words("mode unit seat meal plan size font currency language color room")
"""Nouns that name the slot when they end the value: "dark mode"."""
WEAK: Final = words(
    "have put keep set run show use choose prefer be new write call like want get got"
)
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
MOVES: Final = frozenset(
    {"moved to", "relocated", "搬到", "搬去", "moved back to", "搬回", "搬回了", "搬回到"}
)
"""Living somewhere else, or, after a noun, a change of its place."""
OWNERS: Final = words("my our 我的 我们的 用户的 本人的 咱们的 mine ours")
OBJECT: Final = words("me us myself")
TASTE: Final = words("like dislike prefer")
OBJECTS: Final = words("use choose prefer order_in drive ride fly")
"""Verbs whose object a bare number belongs to: four spaces are one thing to use."""
COMMON: Final = words(
    "的 了 用 use 是 在 有 have like can eat drink take be put daily weekly monthly nightly to i live go call "
    "amount"
)
"""Words that show no common topic by themselves."""
RHYTHMS: Final = words("daily weekly monthly nightly yearly")
"""How often something is: a weekly letter is another than a daily one."""
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
ALIASES: Final = {
    frozenset(words(several)): name
    for name, listed in (
        ("employed", "work|employer|employer name|work employer|employer work"),
        ("occupied", "job|job name|job title|title job|profession"),
        ("live", "city|home|live city|home city|live home|be_from home"),
        ("courier", "use courier|choose courier"),
    )
    for several in listed.split("|")
}
"""Slots that are put in several words, by all of their words but whose they are."""
PLAIN_SIGNS: Final = words("🔴 🟠 🟡 🟢 🔵 🟣 🟤 ⚫ ⚪ 🟥 🟧 🟨 🟩 🟦 🟪 🟫 ⬛ ⬜ 🚩 🔖 📌")
"""Emoji that tell no feeling: they are what is spoken of, wherever they stand."""
VERDICTS: Final = words("👍 👎 ❤ 💔 😍 🤮 🥰 😋 🚫 ✅ ❌ 🤢 😡 💯 👌 🙅 🙆")
"""Emoji that say what one thinks of a thing."""
MONEY: Final = words("cost costs pay pays charge charges 交 付 收 费用")
MEASURED_BY: Final = {
    "s": words("take takes took last lasts lasted 时长 用时"),
    "kg": words("weigh weighs weighed"),
} | dict.fromkeys(("usd", "eur", "gbp", "cny", "jpy", "hkd", "chf", "inr"), MONEY)
"""What a quantity of a unit says by itself beside another word of its slot: a hotel *costs* $80."""
SAID_BY: Final = {
    ValueKind.NUMBER: words("number size count 总 共 人数 数量"),
    ValueKind.DATE: words("date 日期 时间 day"),
    ValueKind.TIME: words("time 时间 hour"),
}
"""What a value of a kind says by itself: 年会时间：12月26日 is when the 年会 is."""
BEING: Final = words(
    "sugar ice length tone occupied marital eats unit language city color mode courier payment bool"
)
"""Kinds of values that name their slot by themselves: "I am a nurse", "I am married"."""
OPPOSITES: Final = {
    "dislike": "like",
    "oppose": "support",
    "disagree": "agree",
    "distrust": "trust",
}
"""Verbs that deny another."""
AKIN: Final = words("use prefer choose reply")
"""What one does with things of many kinds: only a thing of the same kind is another value."""
NUMBERED: Final = words(
    "note item chapter section page line row box shelf locker room server part step issue ticket order invoice record "
    "report memory fact lesson unit gate platform track week day volume question task phase entry file case team group "
    "bus floor level season episode flat building house desk seat table camera sensor printer machine node rack slot"
)
"""Things that are told apart by numbers."""
GRADES: Final = words("status sugar ice tone length bool")
"""Kinds of values that end what they are said of: how sweet, how hot, how far it has come."""
PAST: Final = words(
    "paid ran slept met bought called spent ate went saw got made gave left took drove read wrote told said "
    "heard sent found sat flew swam sang won lost cut hit caught brought thought taught felt kept lent rode wore"
)
"""What was done once and can be done again, where the ending does not show it."""
STILL: Final = words(
    "used called named based located employed married engaged retired divorced interested excited need tired"
)
"""Words in "-ed" that say how it is."""
DONE_ONCE: Final = words("做 办 修 约 花 付 跑 买 购买 吃 喝 看 走 打 玩 寄 发 见 点")
"""Chinese verbs of what was done once, when 了 follows."""
KIN: Final = (
    words("like favorite hobby 爱 好"), words("can know play speak learn"), words("have own_pet pet child"),
)  # fmt: skip
"""Verbs and nouns of lists that are told of by turns: my hobbies are, I also enjoy."""
ACTS: Final = words(
    "take keep put have want go start run send book sign write prepare spend follow ask bring help raise cook receive "
    "plan_on teach recommend build clean add choose include handle show point read watch get talk give make know let remind phone_call remember order_in"
)
"""What one does again and again, of one thing and another: alone it is no slot of one value."""
SWITCHED: Final = words(
    "courier browser text_editor sql ci chat notes tasks mail_service storage shell phone_system "
    "laptop_system maps rides payment"
)
"""Kinds of things of which one is used, and another when one changes."""
TODAY: Final = words("今天 今晚 今早 today tonight")
"""A time of which a number is a reading, of which there can be another."""
FAINT: Final = words(
    "今年 给 happen occur take_place 举行 be can to i do use job name 多 的 了 是 在 会 就是 as up a an 一 1 上 里 来 then already"
)
"""Words without which a claim says the same."""
MEANT: Final = {
    word: name
    for name, listed in (
        ("car", "drive"),
        ("job", "occupied profession"),
        ("reply", "response"),
        ("live", "home reside"),
        ("expiry", "expire"),
        ("deadline", "due"),
        ("birthday", "born 出生"),
        ("subscribe", "subscription"),
        ("deploy", "deployment"),
        ("book", "booking reservation"),
        ("meeting", "meet"),
    )
    for word in sorted(words(listed))
}
"""What is said in a verb or in a noun, by one name."""
