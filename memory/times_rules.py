"""Words that name a time, in English and Chinese: tables and patterns of `times`. Pure data.

Patterns read text that is NFKC, lower case, and has simplified forms of the characters in `SIMPLER`.
"""

import re
from typing import Final

SIMPLER: Final = str.maketrans(
    "週後個點鐘禮兩號剛過幾現時間來從誕國慶節陽們這舊夜內開終於說講",
    "周后个点钟礼两号刚过几现时间来从诞国庆节阳们这旧夜内开终于说讲",
)
"""Traditional characters of times, one for one, so that places in the text stay."""

_WORDS: Final = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
NUMBERS: Final = {word: place + 1 for place, word in enumerate(_WORDS.split())} | {
    "a": 1, "an": 1, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90,
    "a couple of": 2, "couple of": 2, "a couple": 2, "couple": 2,
}  # fmt: skip
DIGITS: Final = {char: place for place, char in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
}
TENS: Final = {"十": 10, "百": 100}

MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sept sep", "october oct", "november nov", "december dec",
        ), 1)
    for name in names.split()
}  # fmt: skip
DAYS: Final = {
    name: number
    for number, names in enumerate(
        ("monday mon 一", "tuesday tues tue 二", "wednesday weds wed 三", "thursday thurs thu 四",
         "friday fri 五", "saturday sat 六", "sunday sun 日 天")
    )
    for name in names.split()
}  # fmt: skip
SEASONS: Final = {
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12,
}  # fmt: skip
PARTS: Final = {
    "凌晨": (0, 6), "清晨": (4, 9), "早晨": (4, 11), "早上": (4, 12), "今早": (4, 12), "上午": (4, 12), "中午": (11, 14),
    "下午": (12, 18), "傍晚": (16, 20), "晚上": (17, 28), "夜里": (20, 30), "深夜": (22, 30), "半夜": (22, 30),
    "晚": (17, 28), "夜": (18, 30), "早": (4, 12), "晨": (4, 11),
    "early morning": (0, 9), "morning": (4, 12), "noon": (11, 14), "lunchtime": (11, 14), "afternoon": (12, 18),
    "evening": (16, 24), "night": (17, 28),
}  # fmt: skip
"""First hour and the hour after the last; what is over 24 belongs to the next day."""
THIRDS: Final = {
    "early": 0, "beginning of": 0, "the beginning of": 0, "start of": 0, "the start of": 0, "mid": 1, "mid-": 1, "middle of": 1,
    "the middle of": 1, "late": 2, "end of": 2, "the end of": 2, "初": 0, "上旬": 0, "中": 1, "中旬": 1, "底": 2, "末": 2,
    "下旬": 2,
}  # fmt: skip
TURNS: Final = {
    "last": -1, "previous": -1, "past": -1, "this": 0, "the current": 0, "current": 0, "next": 1, "coming": 1, "the coming": 1,
    "上": -1, "上个": -1, "上一个": -1, "上一": -1, "上上": -2, "上上个": -2, "这": 0, "这个": 0, "本": 0, "当": 0,
    "下": 1, "下个": 1, "下一个": 1, "下下": 2, "下下个": 2,
}  # fmt: skip
YEARS: Final = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
RELATIVE_DAYS: Final = {
    "大前天": -3, "前天": -2, "前日": -2, "前晚": -2, "昨天": -1, "昨日": -1, "昨": -1, "今天": 0, "今日": 0, "今": 0, "当天": 0,
    "明天": 1, "明日": 1, "明": 1, "后天": 2, "大后天": 3,
    "the day before yesterday": -2, "day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1,
    "the day after tomorrow": 2, "day after tomorrow": 2,
}  # fmt: skip

FEASTS: Final = {
    "christmas eve": (12, 24, 1), "christmas day": (12, 25, 1), "christmas": (12, 25, 1), "xmas": (12, 25, 1),
    "new year's eve": (12, 31, 1), "new years eve": (12, 31, 1), "new year's day": (1, 1, 1), "new year's": (1, 1, 1),
    "new year": (1, 1, 1), "valentine's day": (2, 14, 1), "halloween": (10, 31, 1), "boxing day": (12, 26, 1),
    "元旦": (1, 1, 1), "情人节": (2, 14, 1), "妇女节": (3, 8, 1), "三八节": (3, 8, 1), "愚人节": (4, 1, 1), "清明节": (4, 4, 3),
    "清明": (4, 4, 3), "劳动节": (5, 1, 5), "五一": (5, 1, 5), "儿童节": (6, 1, 1), "六一": (6, 1, 1), "教师节": (9, 10, 1),
    "国庆节": (10, 1, 7), "国庆": (10, 1, 7), "十一假期": (10, 1, 7), "万圣节": (10, 31, 1), "双十一": (11, 11, 1), "双11": (11, 11, 1),
    "平安夜": (12, 24, 1), "圣诞节": (12, 25, 1), "圣诞": (12, 25, 1), "跨年": (12, 31, 1), "双十二": (12, 12, 1), "national day": (10, 1, 7),
}  # fmt: skip
"""Month, day, days. Feasts of other calendars are in `MOVING`."""
_SPRING: Final = "2-19 2-8 1-28 2-16 2-5 1-25 2-12 2-1 1-22 2-10 1-29 2-17 2-6 1-26 2-13 2-3 1-23 2-11 1-31 2-19 2-8"
_DRAGON: Final = "6-20 6-9 5-30 6-18 6-7 6-25 6-14 6-3 6-22 6-10 5-31 6-19 6-9 5-28 6-16 6-5 6-24 6-12 6-1 6-20 6-10"
_MOON: Final = "9-27 9-15 10-4 9-24 9-13 10-1 9-21 9-10 9-29 9-17 10-6 9-25 9-15 10-3 9-22 9-12 10-1 9-19 9-8 9-27 9-16"
MOVING_FROM: Final = 2015


def _dates(line: str) -> dict[int, tuple[int, int]]:
    pairs = (one.split("-") for one in line.split())
    return {MOVING_FROM + place: (int(m), int(d)) for place, (m, d) in enumerate(pairs)}


_NEW_YEAR, _BOATS, _MOONS = _dates(_SPRING), _dates(_DRAGON), _dates(_MOON)
MOVING: Final = {
    "春节": (_NEW_YEAR, 0, 7), "过年": (_NEW_YEAR, -1, 8), "大年初一": (_NEW_YEAR, 0, 1), "除夕": (_NEW_YEAR, -1, 1),
    "元宵节": (_NEW_YEAR, 14, 1), "元宵": (_NEW_YEAR, 14, 1), "chinese new year": (_NEW_YEAR, 0, 7), "lunar new year": (_NEW_YEAR, 0, 7),
    "spring festival": (_NEW_YEAR, 0, 7), "端午节": (_BOATS, 0, 1), "端午": (_BOATS, 0, 1), "dragon boat festival": (_BOATS, 0, 1),
    "中秋节": (_MOONS, 0, 1), "中秋": (_MOONS, 0, 1), "mid-autumn festival": (_MOONS, 0, 1),
}  # fmt: skip
"""First days by year, days from there to the feast, its length. Outside of the table: not read."""
EASTER: Final = "easter"
THANKSGIVING: Final = ("thanksgiving", "感恩节")


def _any(names: object) -> str:
    """Return an alternation of words, the longest first, so that none hides a longer one."""
    assert isinstance(names, dict | tuple | list)  # noqa: S101 - tables of this file
    return "|".join(sorted((re.escape(str(n)) for n in names), key=lambda n: (-len(n), n)))


_HAN_NUMBER: Final = "[零〇一二两三四五六七八九十百]"
_SMALL: Final = rf"(?:(?<!\d)\d{{1,2}}|(?<!{_HAN_NUMBER}){_HAN_NUMBER}{{1,3}})"
_COUNT: Final = rf"(?:(?<![\d.])\d{{1,4}}|(?<!{_HAN_NUMBER}){_HAN_NUMBER}{{1,5}})"
_YEAR: Final = (
    r"(?:(?<!\d)(?:19|20)\d\d|(?<![零〇一二三四五六七八九])[一二][零〇一二三四五六七八九]{3})"
)
_EN_COUNT: Final = rf"(?:\d{{1,4}}|{_any([n for n in NUMBERS if n != 'couple'])})"
_EN_MONTH: Final = _any([m for m in MONTHS if len(m) > 4 or m in ("may", "june", "july")])  # noqa: PLR2004 - the abbreviations
_ANY_MONTH: Final = rf"(?:{_any(MONTHS)})\.?"
_EN_DAY: Final = _any([d for d in DAYS if d.endswith("day")])
_UNIT: Final = r"(minute|min|hour|hr|day|night|week|fortnight|month|year)s?"
_HAN_UNIT: Final = r"(分钟|个?小时|个?钟头|天|日|晚|周|个?星期|个?礼拜|个月|年)"
_ZH_MONTH_END: Final = r"(初|底|末|上旬|中旬|下旬|中(?![国文心间学秋])|)"
_ALL_FEASTS: Final = [*FEASTS, *MOVING, EASTER, *THANKSGIVING]
_EN_FEAST: Final = _any([f for f in _ALL_FEASTS if f.isascii()])
_ZH_FEAST: Final = _any([f for f in _ALL_FEASTS if not f.isascii()])
_EN_PART: Final = _any([p for p in PARTS if p.isascii()])
_ZH_PART: Final = _any([p for p in PARTS if not p.isascii() and len(p) > 1])
_ZH_SHORT: Final = "[晚夜早晨]"
_ZH_TURN: Final = r"(上上个?|上一?个?|这个?|本|当|下下个?|下一?个?)"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


PATTERNS: Final = {
    # Exact stretches that end now.
    "just_now": _pattern(r"\bjust now\b|\b(?:a|one) (?:moment|minute|second|sec) ago\b|\bmoments ago\b|刚才|刚刚|刚(?=[说讲提聊问告发才])|方才"),
    "lately": _pattern(r"\b(?:recently|lately|of late|these days|in recent (?:days|weeks))\b|近来|近期|近日|前阵子|前段时间|这阵子|这段时间|前一阵|最近(?![的一二两三四五六七八九十几]|\d)"),
    "few_days": _pattern(r"\bthe other day\b|\b(?:a )?few days (?:ago|back)\b|\bin the (?:last|past) few days\b|\bthe (?:last|past) few days\b|前几天|几天前|前两天|前些天|前些日子|这几天|这两天|这些天|最近几天|近几天|过去几天|最近两天"),
    "few_units": _pattern(r"\b(?:a )?(?:few|several) (week|month|year|hour|minute)s (?:ago|back)\b|几(周|个?星期|个?礼拜|个?月|年|个?小时|分钟)(?:之|以)?前"),
    "last_few": _pattern(r"\b(?:last|past|recent) (?:few|several) (week|month|year|hour|minute)s\b|(?:最近|过去|近|这)几(周|个?星期|个?礼拜|个?月|年|个?小时|分钟)"),
    "half_ago": _pattern(r"\bhalf an? (hour|year) ago\b|半个?(小时|钟头|月|年)(?:之|以)?前"),
    "last_half": _pattern(r"\b(?:last|past) half (?:an? )?(hour|year)\b|(?:最近|过去|近)半个?(小时|钟头|月|年)"),
    # Counted from now.
    "ago": _pattern(rf"\b({_EN_COUNT}) {_UNIT} (?:ago|back|earlier)\b"),
    "ago_zh": _pattern(rf"(?<!月)(?<!月\s)({_COUNT})\s?{_HAN_UNIT}\s?(?:之|以)?前(?![天面后])"),
    "within": _pattern(rf"\b(?:(?:with)?in |over |during |for )?(?:the )?(?:last|past|previous) ({_EN_COUNT}) {_UNIT}\b"),
    "within_zh": _pattern(rf"(?:最近|过去|近|这|在过去的?|最近的)\s?({_COUNT})\s?{_HAN_UNIT}(?![初底末前])(?:之内|以内|内|里|来)?|({_COUNT})\s?{_HAN_UNIT}(?:之内|以内|内)"),
    "past_unit": _pattern(r"\b(?:in |over |during |for )?the past (hour|day|week|month|year)\b|\bpast (week|month|year)\b"),
    "ahead": _pattern(rf"\bin ({_EN_COUNT}) {_UNIT}(?: time)?\b(?! ago)|\b({_EN_COUNT}) {_UNIT} (?:from now|from today)\b"),
    "ahead_zh": _pattern(rf"(?<!第)(?<!月)(?<!月\s)(?<!最近)(?<!过去)({_COUNT})\s?{_HAN_UNIT}\s?(?:之|以)?后(?![来天面])"),
    # Dates.
    "date": _pattern(rf"({_YEAR})\s?[-/.年]\s?({_SMALL})\s?[-/.月]\s?({_SMALL})\s?[日号]?(?!\d)"),
    "year_month": _pattern(r"(?<![\d-])((?:19|20)\d\d)[-/](0[1-9]|1[0-2])(?![\d/-])"),
    "month_zh": _pattern(rf"(?:({_YEAR})\s?年\s?)?(?<![每几个])({_SMALL})\s?月(?!球|亮|饼|薪|租|费)(?:\s?份)?(?:\s?({_SMALL})\s?[日号](?!线|楼|桌))?{_ZH_MONTH_END}"),
    "month_turn_zh": _pattern(rf"{_ZH_TURN}月(?!球|亮|饼)(?:\s?({_SMALL})\s?[日号])?{_ZH_MONTH_END}"),
    "third_of_month_zh": _pattern(r"(?<![个本上下这当今去前明后\d一二三四五六七八九十每])(月初|月中(?=旬|[,，。\s的我你]|$)|月底|月末|年初|年中|年底|年末)"),
    "year_zh": _pattern(rf"({_YEAR})\s?年(?:度)?(初|中(?![国文心间学秋])|底|末|上半年|下半年|)"),
    "year_turn_zh": _pattern(r"(大前年|前年|去年|今年|本年|明年|后年)(?:度)?(初|中(?![国文心间学秋])|底|末|上半年|下半年|)"),
    "half_zh": _pattern(r"(上半年|下半年)"),
    "day_of_month_zh": _pattern(rf"({_SMALL})\s?[日号](?=那天|当天|的|之后|以后|之前|以前|前|后|起|晚|早|上午|下午|中午|凌晨|到|至|[,，。?？\s]|$)"),
    "days_month": _pattern(rf"\b(?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\s?(?:-|–|to|and|until|through)\s?(?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_ANY_MONTH})(?:,? ((?:19|20)\d\d))?(?!\w)"),
    "month_days": _pattern(rf"\b({_ANY_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?\s?(?:-|–|to|through)\s?(\d{{1,2}})(?:st|nd|rd|th)?(?:,? ((?:19|20)\d\d))?(?![\d:])"),
    "day_month": _pattern(rf"\b(?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_ANY_MONTH})(?:,? ((?:19|20)\d\d))?(?!\w)"),
    "month_day": _pattern(rf"\b({_ANY_MONTH}) (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?:,? ((?:19|20)\d\d))?(?![\d:.]|\w| ?[ap]\.?m\b)"),
    "slashed": _pattern(r"(?<![\d/])(\d{1,2})/(\d{1,2})/((?:19|20)\d\d)(?![\d/])"),
    "month_year": _pattern(rf"\b({_ANY_MONTH})(?: of)?,? ((?:19|20)\d\d)\b"),
    "day_of_month": _pattern(r"\bon the (\d{1,2})(?:st|nd|rd|th)\b"),
    # Relative to the calendar.
    "day": _pattern(r"\b(?:the )?day before yesterday\b|\b(?:the )?day after tomorrow\b|\byesterday\b|\btoday\b|\btomorrow\b|\bearlier today\b|大前天|前天|昨天|昨日|今天|今日|明天|明日|大后天|后天"),
    "night": _pattern(r"\b(last night|tonight|this morning|this afternoon|this evening|this noon)\b"),
    "night_zh": _pattern(rf"(昨|今|明|前)({_ZH_SHORT})上?(?!安|餐)"),
    "before_last": _pattern(r"\bthe (week|month|year|weekend) before last\b"),
    "turn": _pattern(rf"\b(last|previous|past|this|the current|current|next|the coming|coming) (week|month|year|quarter|weekend|spring|summer|autumn|fall|winter|{_EN_DAY}|{_EN_MONTH}|{_EN_FEAST})\b(?! (?:before|after) (?:last|next))(?!'s? name)"),
    "the_unit": _pattern(r"(?<=of )(?<!day of )(?<!days of )(?<!time of )(?<!times of )the (week|month|year)\b"),
    "weekend": _pattern(r"\b(?:(?:at|on|over|during) )?the weekend\b"),
    "week_zh": _pattern(rf"{_ZH_TURN}(?:周|星期|礼拜)([一二三四五六日天末](?![个位次杯天岁])|)(?:初|)"),
    "weekday_zh": _pattern(r"(?<![每上下这本一二两三四五六七八九十几\d个])(?:周|星期|礼拜)([一二三四五六日天末])(?![个位岁])"),
    "weekday": _pattern(rf"\b({_EN_DAY})(?!s)\b(?!\s(?:morning|afternoon|evening|night)s\b)"),
    "weekday_short": _pattern(r"\b(mon|tues?|weds?|thurs?|fri|sat|sun)\b\.?"),
    "quarter": _pattern(r"\bq([1-4])\b|\b(first|second|third|fourth|last) quarter of(?: the year)?|\b(first|second|third|fourth) quarter\b"),
    "quarter_zh": _pattern(r"第?([一二三四1-4])季度"),
    "quarter_turn_zh": _pattern(rf"{_ZH_TURN}季度?"),
    "season": _pattern(r"\b(spring|summer|autumn|winter)\b"),
    "season_zh": _pattern(r"(春|夏|秋|冬)(?:天|季)"),
    "feast": _pattern(rf"\b({_EN_FEAST})\b|({_ZH_FEAST})"),
    "month": _pattern(rf"\b({_EN_MONTH})\b(?! (?:i|we|you|he|she|they|it|be|not|have)\b)"),
    "year": _pattern(r"\b((?:19|20)\d\d)\b(?![年./:-]\d)"),
    # Refinements: only beside something that they refine.
    "third": _pattern(r"\b((?:the )?(?:beginning|start|middle|end) of)(?=\s|the)"),
    "early": _pattern(r"\b(early|mid-?|late)(?=\s|(?<=-))"),
    "half": _pattern(r"\b(?:the )?(first|second) half of(?: the)?\b"),
    "clock": _pattern(r"\b(?:at |around )?(\d{1,2})(?:[:.](\d\d))?\s?(a\.?m\b\.?|p\.?m\b\.?)|\b(?:at )?(\d{1,2}):(\d\d)\b"),
    "clock_zh": _pattern(rf"({_SMALL})\s?点(?!心|评|赞|击|名|菜|单|子)(?:钟|整)?(?:(半|一刻|三刻)|({_SMALL})\s?分?)?"),
    "part": _pattern(rf"\b({_EN_PART})\b"),
    "part_zh": _pattern(rf"({_ZH_PART})(?!好)"),
}  # fmt: skip
"""By name, in the order in which they are tried; a place in the text is read once."""

WEAK: Final = frozenset(
    "month year season season_zh weekday_short".split()  # noqa: SIM905 - reads better
)
"""Words that also mean other things: read only beside another time, or after `LEADS`."""
ALSO_OTHER: Final = frozenset({"may", "march", "august", "april", "june", "mar", "sep", "jan"})
"""Months that are also words or names; the others stand alone."""
DATES: Final = frozenset(
    "date month_zh days_month month_days day_month month_day slashed".split()  # noqa: SIM905
)
"""Whose words are no other time when no calendar has the day."""
FLOATING_UNLESS: Final = re.compile(
    r"\b(?:every|each|usually|always|generally|normally|often|weekly|yearly|annually)\b"
    r"|每[天日周月年个逢]|一般|通常|平时|总是|经常"
)
"""Habits: a day or month without its year is then no single one."""

LEADS: Final = re.compile(
    r"\b(?:in|since|before|after|during|until|till|from|of|on|by|last|between|about|for|until|and|to)\s(?:the\s)?$"
)
_SP: Final = r"[\s,，的]{0,3}"
JOINT: Final = re.compile(rf"{_SP}(?:(?:in|of|on|at|around|during)\s)?(?:the\s)?{_SP}")
"""What may stand between two parts of one time."""
SINCE: Final = re.compile(
    r"(?:\b(?:since|starting|starting from|from|as of)\s(?:the\s|about\s)?|自从?|从)\s?$"
)
AFTER: Final = re.compile(r"\b(?:after|later than|following|past)\s(?:the\s)?$")
BEFORE: Final = re.compile(r"\b(?:before|prior to|earlier than|ahead of)\s(?:the\s)?$")
UNTIL: Final = re.compile(r"(?:\b(?:until|till|up to|through)\s(?:the\s)?|截[至止]到?|直到)\s?$")
ABOUT: Final = re.compile(
    r"(?:\b(?:around|roughly|approximately|circa|near)\s(?:the\s)?|大约|大概|约|差不多)\s?$"
)
BETWEEN: Final = re.compile(r"(?:\b(?:between|from)\s(?:the\s)?|从|在|自)\s?$")
TO: Final = re.compile(
    r"\s?(?:到了?|至|~|-|–|—|\bto|\buntil|\btill|\bthrough|\bthru|\bup to)\s?(?:the\s)?"
)
AND: Final = re.compile(r"\s?(?:和|与|跟|及|\band)\s?(?:the\s)?")
ENDS: Final = (
    ("between", re.compile(r"\s?(?:的)?(?:之间|期间|这段)")),
    ("after", re.compile(r"\s?(?:之后|以后|过后|后(?![来天面悔果续台]))")),
    ("before", re.compile(r"\s?(?:之前|以前|前(?![天面后台者端提任言几两些阵段]))")),
    ("since", re.compile(r"\s?(?:以来|起(?!床|来|飞)|开始|至今|到现在|到今天|onwards?\b|and later\b|or later\b)")),
    ("until", re.compile(r"\s?(?:为止|截止)")),
    ("about", re.compile(r"\s?(?:左右|前后|上下)")),
)  # fmt: skip

_WHO: Final = "(?:i|we|you|he|she|they|it)"
_HAVE: Final = "(?:did|do|does|have|has|had)"
_UNITS: Final = rf"(?:night|week|month|year|quarter|weekend|few|{_EN_DAY}|{_EN_MONTH}|{_EN_FEAST})"

NEWEST: Final = re.compile(
    r"\b(?:(?:the )?last time|most recent(?:ly)?|(?:the )?latest|newest)\b"
    r"|\b(?:my|our|his|her|their|your|the) last(?= (?!name|word|mile|minute|straw|resort|thing|night|week|month|year|few|quarter|day|weekend|\d|one\b|two\b|three\b)\w)"
    rf"|\b(?:{_HAVE} {_WHO}|when {_WHO}) last (?!{_UNITS}\b)[a-z]"
    r"|上一?[次回]|最近(?:的)?一[次回个条笔份]|最后一[次回]|最新|前一次"
)
OLDEST: Final = re.compile(
    r"\b(?:(?:the )?(?:very )?first time|first ever|earliest|oldest|originally|initially|at first)\b"
    rf"|\b(?:{_HAVE} {_WHO}|when {_WHO}) first [a-z]"
    r"|第一[次回]|首次|头一[次回]|最早|最初|最开始|一开始|起初"
)
