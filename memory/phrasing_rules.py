"""The words and signs that `memory.phrasing` takes for mere form, in English and Chinese."""

import re
from typing import Final


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split("|"))


def _phrases(listed: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(phrase.split(" ")) for phrase in listed.split("|"))


USER: Final = "\x01"
ASSISTANT: Final = "\x02"
OWNS: Final = "\x03"
"""What stands between an owner and what is his. None of the three can stand in a text."""

HAN: Final = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HAN_ONLY: Final = re.compile(rf"[{HAN}]")
LETTER: Final = rf"(?:(?![{HAN}])[^\W\d_])"
TOKEN: Final = re.compile(
    r"(?P<atom>(?:https?://|www\.)[^\s<>\"“”()（），。；]+"
    r"|[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
    r"|(?<![^\s(\"'])\.[A-Za-z_][A-Za-z0-9_.-]*[A-Za-z0-9_]"
    r"|[A-Za-z0-9_]+(?:\.[A-Za-z_][A-Za-z0-9_-]*)+"
    r"|(?:\.|(?<!\w),)?[A-Za-z_]*\d[A-Za-z0-9_]*(?:[.,:/-][A-Za-z_]*\d[A-Za-z0-9_]*)*)"
    rf"|(?P<word>{LETTER}+(?:['’]{LETTER}+)*)"
    r"|(?P<end>\n|[!?;。]|\.(?=[\s\"'”’」』)\]]|$)|\.(?=[\u3400-\u9fff]))"
    r"|(?P<more>\.{2,}|…+)"
    r"|(?P<sign>\S)"
)
SILENT: Final = frozenset(",.:'\"()[]“”‘’«»「」『』《》【】、—–·`")
PAUSES: Final = frozenset(",、:—–")
"""Signs that are kept where the sense may hang on them: "no, pay" is not "no pay"."""
DASHES: Final = frozenset("—–")
"""What is a minus, or stands for "to", before a number."""
NEGATING: Final = frozenset("不没别勿无未非") | {"not", "no", "never"}
OPENING: Final = "“‘«「『《【(["
CLOSING: Final = "”’»」』》】)]"
ABBREVIATIONS: Final = _words(
    "mr|mrs|ms|dr|st|no|vs|etc|eg|ie|approx|inc|ltd|co|jr|sr|prof|dept|fig|am|pm|nr|tel|"
    "al|max|min|incl|excl|ca|resp|est|hr|hrs|mins|sec|no|ave|rd|blvd|apt|bldg|corp|gov|univ|rev|"
    "jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun"
)
"""Words after which a full stop ends nothing; initials, of one letter, are such as well."""
VALUES: Final = re.compile(
    "([\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209f\u2150-\u215f\u2189\u2460-\u24ff\u2776-\u2793"
    "\u3190-\u319f\u3200-\u33ff\U0001f100-\U0001f1ff]+)"
)
"""Raised, lowered, enclosed and broken numbers: "10²" in one width would be 102."""
UPPER_NAMES: Final = frozenset({"US"})
"""Names that are another word in lower case."""

SHORT_FORMS: Final = {
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "won't": ("will", "not"),
    "shan't": ("shall", "not"),
    "dont": ("do", "not"),
    "doesnt": ("does", "not"),
    "didnt": ("did", "not"),
    "isnt": ("is", "not"),
    "cant": ("can", "not"),
    "wont": ("will", "not"),
    "im": ("i", "am"),
    "ive": ("i", "have"),
}
ENDINGS: Final = (
    ("n't", "not"),
    ("'m", "am"),
    ("'re", "are"),
    ("'ve", "have"),
    ("'ll", "will"),
    ("'d", "would"),
    ("'s", OWNS),
)
POLITE: Final = frozenset({"please", "kindly"})
OPENERS: Final = _phrases(
    "just so you know|by the way|for the record|keep in mind that|do not forget that|remember that|note that|"
    "remember|hey|hi|hello|ok|okay|well|so|oh|um|uh|yes|yeah|yep|sure|btw|fyi|thanks|also|and|plus"
)
"""What may stand before a sentence and adds nothing to it; words with their short forms spelt out."""
CLOSERS: Final = _phrases("thank you|thanks|thx|ok|okay|cheers")
ARTICLES: Final = frozenset({"a", "an"})
POINTERS_ALONE: Final = frozenset({"the"})
NOT_AFTER_ARTICLE: Final = _words(
    "few|little|bit|lot|and|or|is|are|was|for|but|not|with|from|then|please|to"
)
LEAST_NOUN: Final = 3

CN_OPENERS: Final = re.compile(
    r"^(?:(?:嗯+|哦+|噢|好的?|好吧|对了|那个|另外|还有|顺便(?:说|提)一下|你好|您好|哈喽|备注)[,:!\s]+|"
    r"(?:请(?:你|您)|请(?=以后|今后|从|每|总是|一律|不|别|勿|务必|把|将|用(?!户)|使用|叫|给|帮(?!手)|回[复答]|提醒|只|都|优先|避免|"
    r"尽量|永远|始终|默认|订|发|寄|推荐|翻译|称呼|记|先(?!生)|直接|必须|一定)|(?:麻烦|拜托)(?:你|您))(?=[^你您])|"
    r"(?:请?(?:你|您)?记住|记得|(?:请|帮我)?记一下|帮我记住?)[,:!\s]*)"
)
CN_CLOSERS: Final = re.compile(
    r"[,\s]*(?:[哦噢喔啊呀啦嘛呗哟]|(?<![酒网贴])吧|谢谢(?:你|您)?|多谢|拜托了?)$"
)
CN_WISH: Final = re.compile(r"^我(?:希望|想让|想要|要|需要)(?:你|您)(?:能够?|可以)?")
_HIS: Final = rf"(?:的(?=[{HAN}]))?"
CN_ME: Final = re.compile(r"(?:我(?![们国司方])|本人)" + _HIS)
CN_USER: Final = re.compile(r"(?:该|这位|本)?用户(?![名们体手界])" + _HIS)
CN_YOU: Final = re.compile(r"[你您](?!们)" + _HIS)
CN_ASSISTANT: Final = re.compile(r"(?:助手|助理|智能体)" + _HIS)
CN_SELF: Final = re.compile(r"^(?:自己|其)(?!他)")
CN_HIM: Final = re.compile(r"(?:(?<!其)他|她)(?![们人])" + _HIS)


FIRST: Final = {"i": (USER,), "me": (USER,), "my": (USER, OWNS), "myself": (USER, "self")}
SECOND: Final = {
    "you": (ASSISTANT,),
    "your": (ASSISTANT, OWNS),
    "yourself": (ASSISTANT, "self"),
}
CALLED: Final = {"user": (USER,), "assistant": (ASSISTANT,), "agent": (ASSISTANT,)}
"""What an agent calls the two. A user who says "agent" means somebody else."""
THIRD: Final = {
    "he": (USER,),
    "she": (USER,),
    "they": (USER,),
    "him": (USER,),
    "them": (USER,),
    "his": (USER, OWNS),
    "her": (USER, OWNS),
    "their": (USER, OWNS),
    "himself": (USER, "self"),
    "herself": (USER, "self"),
    "themselves": (USER, "self"),
}
POINTERS: Final = frozenset({"the", "this", "our", "your"})
