"""Things people tell their agents: harmless, each told apart by a code, half of them Chinese."""

import itertools
import random
from collections.abc import Iterator
from typing import Final

_CITIES: Final = (
    ("Rotterdam", "鹿特丹"),
    ("Gdańsk", "格但斯克"),
    ("Hangzhou", "杭州"),
    ("Lagos", "拉各斯"),
    ("Valparaíso", "瓦尔帕莱索"),
    ("Suzhou", "苏州"),
    ("Tromsø", "特罗姆瑟"),
    ("Kunming", "昆明"),
)
_THINGS: Final = (
    ("rotor blades", "转子叶片"),
    ("violin strings", "小提琴弦"),
    ("tea samples", "茶叶样品"),
    ("tile adhesive", "瓷砖胶"),
    ("weather balloons", "气象气球"),
    ("bicycle chains", "自行车链条"),
    ("theatre masks", "戏剧面具"),
    ("seed potatoes", "马铃薯种薯"),
    ("camera tripods", "相机三脚架"),
)
_COLOURS: Final = (
    ("green", "绿色"),
    ("amber", "琥珀色"),
    ("violet", "紫色"),
    ("grey", "灰色"),
    ("copper", "铜色"),
)
_ENGLISH: Final = (
    "Locker {code} at the {city} depot holds the spare {thing}.",
    "The {colour} crate {code} with the {thing} stands on the second floor in {city}.",
    "Page {code}: in {city} the {thing} are listed in the {colour} binder.",
    "Shelf {code}: {thing} for the workshop in {city}, {colour} label.",
    "Meeting notes {code}: the {city} team counted the {thing} before lunch.",
    "Bench {code} in {city} is where the {colour} {thing} get repaired.",
)
_CHINESE: Final = (
    "{city}仓库的{code}号储物柜里放着备用的{thing}。",
    "装着{thing}的{colour}木箱{code}放在{city}二楼。",
    "登记页{code}：{city}的{thing}登记在{colour}文件夹里。",
    "货架{code}：{city}车间用的{thing}，贴{colour}标签。",
    "会议记录{code}：{city}小组午饭前清点了{thing}。",
    "{city}的{code}号工作台用来修{colour}的{thing}。",
)
_LETTERS: Final = "BCDFGHJKLMNPRSTVWXZ"


def phrases(seed: int) -> Iterator[str]:
    """Yield texts without end, English and Chinese in turn; no code comes twice, for any seed."""
    chance = random.Random(seed)  # noqa: S311
    for number in itertools.count():
        language = number % 2
        template = chance.choice((_ENGLISH, _CHINESE)[language])
        letters = "".join(chance.choices(_LETTERS, k=2))
        yield template.format(
            code=f"{letters}{seed}{number:04d}",
            city=chance.choice(_CITIES)[language],
            thing=chance.choice(_THINGS)[language],
            colour=chance.choice(_COLOURS)[language],
        )
