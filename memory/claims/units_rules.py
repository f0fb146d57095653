"""Units and number words of both languages, and what each unit is in the base unit of its kind."""

from fractions import Fraction
from typing import Final

from memory.claims.small_rules import words as listed

_LINES: Final = """
kg 1: kg kilo kilos kilogram kilograms 公斤 千克
kg 1/1000: g gram grams 克
kg 1/1000000: mg milligram milligrams 毫克
kg 1/2: 斤
kg 1/20: 两
kg 1000: tonne tonnes 吨
kg 45359237/100000000: lb lbs 磅
kg 45359237/1600000000: oz ounce ounces 盎司
m 1: m metre metres meter meters 米
m 1000: km kilometre kilometres kilometer kilometers 公里 千米
m 1/100: cm centimetre centimetres centimeter centimeters 厘米 公分
m 1/1000: mm millimetre millimetres millimeter millimeters 毫米
m 1609344/1000: mile miles 英里
m 3048/10000: ft foot feet 英尺
m 254/10000: inch inches 英寸
m 500: 里路 里地 华里 里
s 1: s sec secs second seconds 秒 秒钟
s 1/1000: ms millisecond milliseconds 毫秒
s 60: min mins minute minutes 分钟
s 3600: h hr hrs hour hours 小时 钟头 个小时 个钟头
s 86400: day days 天 日
s 604800: week weeks 周 星期 个星期 礼拜 个礼拜
mo 1: month months 月 个月
mo 12: year years yr yrs 年
l 1: l litre litres liter liters 升
l 1/1000: ml millilitre millilitres milliliter milliliters 毫升
m2 1: sqm 平方米 平米 平
m2 10000/15: 亩
m2 10000: 公顷 hectare hectares
m2 40468564224/10000000: 英亩 acre acres
mbps 1: 兆 mbps mbit
mbps 1000: gbps gbit
w 1: w watt watts 瓦
w 1000: kw kilowatt kilowatts 千瓦
kcal 1: kcal 千卡 大卡 卡路里
byte 1: byte bytes 字节
byte 1000: kb
byte 1000000: mb
byte 1000000000: gb
byte 1000000000000: tb
usd 1: usd dollar dollars 美元 美金 刀
eur 1: eur euro euros 欧元
gbp 1: gbp pound pounds 英镑
cny 1: cny rmb yuan 元 块 块钱 人民币 元人民币 圆
jpy 1: jpy yen 日元
hkd 1: hkd 港币 港元
chf 1: chf franc francs 瑞士法郎
inr 1: inr rupee rupees 卢比
% 1: % percent 个百分点
c 1: °c ℃ celsius 摄氏度 度
f 1: °f ℉ fahrenheit 华氏度
floor 1: floor 楼 层
kmh 1: km/h kmh 公里每小时
old 1: 岁 周岁 岁半
"""
UNITS: Final = {
    word: (head.split(" ")[0], Fraction(head.split(" ")[1]))
    for head, _, words in (line.partition(":") for line in _LINES.strip().splitlines())
    for word in words.split()
}
COUNTERS: Final = listed(
    "年级 个 位 名 台 辆 只 条 张 件 次 本 家 杯 瓶 间 套 份 门 双 把 棵 匹 头 支 部 单 人 口 遍 章 页 "
    "字 行 节 步 级 期 片 粒 颗 号 路 点 分 折 倍 座 首 种 项 块儿 楼的 股 届"
)
"""What may follow a Chinese number; the word itself stays with the slot."""
SIGNS: Final = {"$": "usd", "€": "eur", "£": "gbp", "¥": "cny"}
SCALES: Final = {
    "k": 1_000, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000,
    "hundred": 100, "dozen": 12, "百": 100, "千": 1_000, "万": 10_000, "亿": 100_000_000,
}  # fmt: skip
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
ENGLISH_NUMBERS: Final = {word: n for n, word in enumerate(_SMALL.split())} | {
    word: n * 10 for n, word in enumerate(_TENS.split(), 2)
}
DIGITS: Final = {char: n for n, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
TENS: Final = {"十": 10, "百": 100, "千": 1_000}
MYRIADS: Final = {"万": 10_000, "亿": 100_000_000}
NUMERALS: Final = frozenset([*DIGITS, *TENS, *MYRIADS])
_MONTHS: Final = (
    "january,jan february,feb march,mar april,apr may june,jun july,jul august,aug "
    "september,sep,sept october,oct november,nov december,dec"
)
_WEEKDAYS: Final = (
    "monday,mon,周一,星期一,礼拜一 tuesday,tue,tues,周二,星期二,礼拜二 "
    "wednesday,wed,周三,星期三,礼拜三 thursday,thu,thurs,周四,星期四,礼拜四 "
    "friday,fri,周五,星期五,礼拜五 saturday,sat,周六,星期六,礼拜六 "
    "sunday,周日,周天,星期日,星期天,礼拜天"
)
MONTHS: Final = {name: n for n, names in enumerate(_MONTHS.split(), 1) for name in names.split(",")}
WEEKDAYS: Final = {
    name: n for n, names in enumerate(_WEEKDAYS.split()) for name in names.split(",")
}
_WEEKS: Final = {"下": 1, "下个": 1, "本": 0, "这": 0, "这个": 0, "上": -1, "上个": -1}
THAT_WEEK: Final = {
    week + day: (weeks, weekday)
    for week, weeks in _WEEKS.items()
    for day, weekday in WEEKDAYS.items()
    if not day.isascii()
} | {
    f"{week} {day}": (weeks, weekday)
    for week, weeks in (("next", 1), ("this", 0), ("last", -1))
    for day, weekday in WEEKDAYS.items()
    if day.isascii()
}
"""Days named with their week: how many weeks on, and which day of it."""
EVERY_WEEK: Final = {f"每{day}": n for day, n in WEEKDAYS.items() if not day.isascii()}
DAYS: Final = {
    "today": 0, "今天": 0, "今日": 0, "tomorrow": 1, "明天": 1, "明日": 1, "后天": 2, "大后天": 3,
    "yesterday": -1, "昨天": -1, "昨日": -1, "前天": -2, "大前天": -3,
    "the day after tomorrow": 2, "day after tomorrow": 2, "the day before yesterday": -2,
    "day before yesterday": -2,
}  # fmt: skip
LATE: Final = frozenset({"下午", "晚上", "傍晚", "夜里"})
