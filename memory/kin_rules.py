"""Words for people by what they are to somebody, English and Chinese alike. Pure data.

One line is one kind of person: `kind: words`, `_` a space. `FITS` names the kinds that a word may
also mean: a child may be a son. Who is the elder is told apart by `ELDER` and `YOUNGER`.
"""

from typing import Final

KIN: Final = """
wife: wife 老婆 妻子 太太 爱人 媳妇 夫人
husband: husband hubby 老公 丈夫 先生 爱人 老伴
spouse: spouse partner 爱人 对象 老伴 配偶 另一半
mother: mother mum mom mummy mama 妈妈 母亲 老妈 妈
father: father dad daddy papa 爸爸 父亲 老爸 爸
parents: parents folks 父母 爸妈 双亲
son: son sons boy 儿子
daughter: daughter daughters girl 女儿 闺女
child: child children kid kids baby 孩子 小孩 宝宝 娃
sister: sister sisters 姐姐 姐 妹妹 妹
brother: brother brothers 哥哥 哥 弟弟 弟
sibling: sibling siblings 兄弟姐妹 姐弟 兄妹 兄弟 姐妹
girlfriend: girlfriend fiancée fiancee 女朋友 女友 对象
boyfriend: boyfriend fiancé 男朋友 男友 对象
former: ex ex-wife ex-husband 前女友 前男友 前任 前妻 前夫
grandmother: grandmother grandma granny nana 奶奶 外婆 姥姥
grandfather: grandfather grandpa grandad 爷爷 外公 姥爷
uncle: uncle 叔叔 舅舅 伯伯 姑父 姨夫
aunt: aunt auntie 姑姑 姨妈 舅妈 婶婶
cousin: cousin cousins 表哥 表姐 表弟 表妹 堂哥 堂姐 堂弟 堂妹
nephew: nephew nephews 侄子 外甥
niece: niece nieces 侄女 外甥女
wifes_mother: mother-in-law 婆婆 岳母 丈母娘
wifes_father: father-in-law 公公 岳父 老丈人
brother_in_law: brother-in-law 姐夫 妹夫 小舅子
sister_in_law: sister-in-law 嫂子 弟媳 小姑子 小姨子
son_in_law: son-in-law 女婿
daughter_in_law: daughter-in-law 儿媳
grandchild: grandson granddaughter grandchild grandchildren 外孙 外孙女 孙子 孙女
"""

FITS: Final = {
    "wife": ("spouse",),
    "husband": ("spouse",),
    "spouse": ("wife", "husband", "girlfriend", "boyfriend"),
    "mother": ("parents",),
    "father": ("parents",),
    "parents": ("mother", "father"),
    "son": ("child",),
    "daughter": ("child",),
    "child": ("son", "daughter", "grandchild"),
    "sister": ("sibling",),
    "brother": ("sibling",),
    "sibling": ("sister", "brother"),
    "girlfriend": ("spouse", "former"),
    "boyfriend": ("spouse", "former"),
    "former": ("girlfriend", "boyfriend", "wife", "husband"),
}

ELDER: Final = frozenset("姐哥")
YOUNGER: Final = frozenset("妹弟")

SURNAMES: Final = frozenset(
    "赵钱孙李吴郑王冯陈褚卫蒋沈韩杨朱秦许吕张孔曹严魏陶姜戚谢邹窦苏潘葛范彭鲁韦马苗俞任袁柳鲍史唐费薛雷贺倪汤"
    "滕殷罗毕郝邬傅卞齐康伍余顾孟黄穆萧尹姚邵汪祁毛狄臧戴宋庞熊纪舒屈项祝董梁杜阮蓝闵季贾江童郭梅林钟徐邱骆高夏蔡"
    "田樊胡凌霍虞柯卢莫房缪解丁邓洪左石崔龚程邢裴陆翁荀甄靳段焦侯仲宫宁仇栾甘厉武符刘景詹龙叶黎白蒲赖卓屠蒙乔闻翟"
    "谭申冉桑桂牛尚温庄晏瞿阎艾廖耿匡寇欧聂敖辛饶曾关岳闫涂肖方"
)
FAMILIAR: Final = frozenset("阿小老")
"""Before one character more they make a name: 老韩, 小顾, 阿凯."""
NO_NAME: Final = frozenset(
    [
        "老师",
        "老板",
        "老公",
        "老婆",
        "老家",
        "老人",
        "老伴",
        "老是",
        "老妈",
        "老爸",
        "小区",
        "小时",
        "小学",
        "小说",
        "小组",
        "小心",
        "小孩",
        "小吃",
        "周末",
        "金额",
        "高血",
        "高中",
        "高铁",
        "高速",
        "高原",
        "白天",
        "白酒",
        "白色",
        "马上",
        "马桶",
        "方便",
        "方案",
        "方法",
        "石头",
        "石油",
        "田地",
        "宁愿",
        "江边",
        "毛病",
        "毛衣",
        "黄色",
        "黄瓜",
        "任务",
        "任何",
        "关于",
        "关门",
        "关系",
        "温度",
        "解决",
        "解释",
        "房子",
        "房间",
        "房东",
        "房租",
        "房贷",
        "项目",
        "程序",
        "阿姨",
        "尚未",
        "牛奶",
        "牛肉",
        "曾经",
        "欧洲",
        "童年",
        "石膏",
        "武汉",
        "江苏",
        "宁波",
        "康复",
        "程度",
    ]
)
"""Words that begin like a name and are none."""
