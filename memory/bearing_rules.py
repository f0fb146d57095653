"""Words by which `bearing` tells what a question asks for, and what holds it. Pure data.

Patterns read text that is NFKC and lower case, English and Chinese alike.
"""

import re
from typing import Final

_MONTH: Final = (
    "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
CALENDAR: Final = re.compile(
    rf"\b(?:19|20)\d\d\b|\d+\s?[年月日号点]|[一二三四五六七八九十]+[月日号点]"
    r"|(?:星期|礼拜|周)[一二三四五六]"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\s{_MONTH}\b|\b{_MONTH}\s\d{{1,2}}\b|\d{{1,2}}:\d\d"
)
"""Numbers of dates and clocks, which answer no question for a number."""

_A_NUMBER: Final = (
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen"
    r"|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty"
    r"|ninety|hundreds?|thousands?|millions?|half|both|couple|pair|few|several|dozens?|once|twice"
    r"|single|all|every|none|no)\b|[一二两双三四五六七八九十百千万半几每]"
)

KINDS: Final = {
    "phone": (
        # To phone somebody, and which phone somebody has, asks for no number.
        re.compile(
            r"(?<!which )(?<!what )\b(?:tele)?phone\b(?! (?:call|bill|case|screen)s?\b)"
            r"|\b(?:(?:tele)?phone|mobile|cell) number\b|(?<!打)(?<!打[个了过通])电话(?!会)|手机号"
        ),
        re.compile(r"\d[\d -]{4,}\d"),
    ),
    "email": (re.compile(r"\be-?mail address\b|邮箱|邮件地址"), re.compile(r"@")),
    "money": (
        # A question about the rent may ask for its day or its account: the noun alone is no sum.
        re.compile(
            r"\bhow (?:much (?!time)|expensive)"
            r"|\bwhat(?!.*\b(?:day|date|time|account)\b).*\b(?:price|cost|salary|wages?"
            r"|(?<!\bi )(?<!(?:we|he|ey|ou|to) )rent)\b"
            r"|\bwhat (?:do|does|did) [^?]*\b(?:pay|spend|charge|earn)\b"
            r"|[挣赚花付卖][了的]?[^谁哪,，。]{0,3}多少(?:[?？了]|$)"
            r"|多少钱|(?:工[资钱]|薪[水资]|[月年]薪|收入|奖金|押金|[退养][休老]金|学费|价格|费用|租金|房租|报酬)[^谁哪何时候怎]*(?:多少|几[百千万块元]|多高)"
        ),
        re.compile(
            # The digits of a code are no sum.
            r"[$€£¥]|(?<![a-z0-9/_-])\d{2,}(?:k\b|(?![a-z0-9/_-]))"
            r"|\b(?:hundred|thousand|million|grand|free|dollars?|euros?|pounds?|bucks)"
            r"|[百千万]|[一二两三四五六七八九十]块|免费|元"
        ),
    ),
    "count": (
        re.compile(
            r"\bhow (?:many|old|far|long|tall|big|often)\b|\bwhat age\b"
            r"|多少(?![钱元块码号度])[\u4e00-\u9fff]|几[个次岁位本张只件台名斤米公年]|(?<!哪)几天|多[大远高重长久]"
        ),
        re.compile(_A_NUMBER),
    ),
    "code": (
        re.compile(
            r"\b(?:serial|plate|code|pin|(?<!passport )(?<!security )(?<!card )number|asset tag)\b"
            r"|编号|账号|卡号|单号|户号|学号|(?<!身份)证号|工号|型号|车牌|号码"
        ),
        re.compile(r"\d|\bpass(?:word|code)\b|密码"),
    ),
    "password": (
        re.compile(r"\bpass(?:word|code|phrase)\b|密码|口令"),
        re.compile(
            r"\bpass(?:word|code|phrase)|\b(?:code|pin|login|log-?in)\b|密码|口令"
            r"|(?<![a-z0-9])(?=[a-z]*\d)[a-z0-9]{4,}"
        ),
    ),
    "identity": (
        re.compile(
            r"\b(?:passport|social security|identity card|id card) (?:number|no)\b|(?:身份证|护照)号"
        ),
        re.compile(r"passport|social security|\bid\b|identity|身份证|护照|\d{15}"),
    ),
    "colour": (
        re.compile(r"\b(?:what|which) colou?r\b|(?:什么|啥|哪种)(?:颜?色)"),
        re.compile(
            r"\b(?:black|white|gr[ae]y|silver|gold(?:en)?|red|crimson|maroon|pink|orange|yellow|beige"
            r"|cream|ivory|brown|tan|green|olive|teal|turquoise|blue|navy|cyan|purple|violet|lilac"
            r"|lavender|magenta|burgundy|bronze|copper|khaki|mint|indigo|sage|oxblood|plum|mustard|charcoal|peach"
            r"|salmon|coral|ochre|terracotta|rose|aqua|lime|wine|chestnut|cherry|amber|pearl|slate|sand|mauve|scarlet"
            r"|ruby|emerald|jade|apricot|blonde?|pale|dark)\w{0,3}\b"
            r"|[黑白灰银金红粉橙橘黄米棕褐绿青蓝紫]|咖啡色|卡其"
        ),
    ),
    "born": (
        re.compile(r"\bbirthday\b|\bborn\b|生日|出生"),
        re.compile(r"birth|born|生日|出生|生"),
    ),
}
"""What asks for a kind of thing, and what any text that holds one has."""

NEEDS: Final = {
    "phone": ("phone", "mobile", "cell", "电话", "手机号"),
    "email": ("mail", "邮箱", "邮件地址"),
    "money": ("how much", "expensive", "what", "多少", "几", "多高"),
    "count": ("how", "age", "多", "几"),
    "code": ("serial", "plate", "code", "pin", "number", "tag", "号", "车牌"),
    "password": ("pass", "密码", "口令"),
    "identity": ("passport", "social", "card", "身份证", "护照"),
    "colour": ("colo", "色"),
    "born": ("birth", "born", "生日", "出生"),
}
"""Of which a question has one that asks for it: looked for first, at a tenth of the cost."""

ELSE: Final = re.compile(
    r"\b(?:who|whose|whom|when|where|why)\b"
    r"|\bhow (?:to|do|does|did|can|could|should)\b|^\s*(?:is|are|was|were) (?!there\b)"
    r"|谁|什么时候|何时|哪里|哪儿|为什么|为何|怎么|(?:如何|怎样)(?=[\u4e00-\u9fff])"
    r"|^(?!.*(?:多少|知道|记得|告诉|什么|哪)).*(?:是不是|是否|是.*吗|对吗)"
)
"""What asks for a person, a time, a place, a reason, a way, or for yes or no: neither who knows the
code nor how it is changed is a question for it. 价格如何 asks for the price: no verb follows."""
NAMED: Final = frozenset(["phone", "email", "money", "code", "password", "identity"])
"""Kinds that a question may name without asking for one."""

EMPTY: Final = frozenset(
    ["happen", "tell", "told", "did", "do", "go", "went", "who", "whom", "whose", "where", "when", "how", "why", "any", "anything", "something", "time", "ask", "said", "say", "talk", "news", "other", "there", "back"]
)  # fmt: skip
"""Terms of a question that do not say what it is about, beside words that never do."""
EMPTY_HAN: Final = re.compile(
    r"什么|怎么样?|哪[里儿个天次些位]?|谁|多少|几|为什么|是不是|吗|呢|我们?|的|了|是|发生|事情?|做|干嘛?|说|告诉|有|在|去|过"
)

VAGUE: Final = re.compile(
    r"recently|lately|of late|these days|in recent \w+|the other day|近来|近期|近日|最近|前阵子|前段时间|这阵子|这段时间|前一阵"
)
"""Times of which nobody says where they end."""
