"""Properties that a question may ask for, and what any text that tells one has. Pure data.

Patterns read text that is NFKC and lower case, English and Chinese alike, and are generous in what
may tell a property: only where nothing of it stands does a memory not have it. What names a job or
a hobby has no such words, so that they are no kinds here.
"""

import re
from typing import Final

_NUMBER: Final = (
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|hundred|thousand)\b|[二两三四五六七八九十百]"
)
_ONE: Final = r"\b(?:which|what) "

PROPERTIES: Final = {
    "age": (
        re.compile(
            r"\bhow old\b|\bwhat age\b|\bage of\b|几岁|多大(?!码)(?:年纪|岁数|了|年龄)?(?=[?？了吗呢]|$|年|岁)"
            r"|岁数|年纪|年龄"
        ),
        re.compile(
            _NUMBER + r"|\bbirth|\bborn|\bage|teen|\b(?:year|month|week)s?[ -]old|岁|月大|出生"
            r"|生日|寿|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]"
        ),
    ),
    "home": (
        re.compile(
            r"\bwhere (?:do|does|did) [^?]*\b(?:live|reside)\b|住在?(?:哪|什么地方)|家(?:住|在)哪|住哪"
        ),
        re.compile(
            r"\bliv(?:e|es|ed|ing)\b|\bmov(?:e|ed|ing)\b|\b(?:home|house|flat|apartment|address|street"
            r"|road|avenue|lane|based|stay(?:s|ing|ed)?|settled|cottage|farm\w*|room|dorm|resid\w+)\b"
            r"|\b(?:in|near|at|to|from) (?!(?:my|his|her|our|their|an?|this|that)\b)[a-z]"
            r"|住|搬|家|租|房|楼|小区|地址|宿舍|寝室|定居|[省市区县镇村]"
        ),
    ),
    "where": (
        re.compile(r"^\W*(?:and |so )?where\b|哪里(?!不)|哪儿|什么地方|在哪(?![个家种位天年月些])"),
        re.compile(
            r"\b(?:in|at|to|from|near|under|behind|beside|by|on|inside|outside|into|over|above|below"
            r"|between|around|home|there|here|abroad|via|through)\b"
            r"|[在从去到住搬回来里旁上下底边处内外间角柜箱盒桌架]|位于|[省市区县镇村路街巷号楼栋层室山湖海岛国州港]|这边|那边|对面"
        ),
    ),
    "breed": (
        re.compile(_ONE + r"(?:breed|kind of (?:dog|cat))\b|品种|什么[狗猫]"),
        re.compile(
            r"\b(?:retriever|labrador|lab|collie|poodle|\w*doodle|spaniel|terrier|\w*hound|shepherd"
            r"|kelpie|heeler|dachshund|beagle|corgi|husky|bulldog|pug|mastiff|persian|siamese|\w+ blue"
            r"|\w+hair|tabby|ginger|maine coon|bengal|ragdoll|sphynx|mutt|mix|mongrel|breed|friesian"
            r"|angus|jersey)s?\b|品种|[短长无]毛|英短|美短|布偶|暹罗|波斯|缅因|狸花|橘猫|三花|田园"
            r"|柯基|金毛|拉布拉多|哈士奇|泰迪|贵宾|博美|比熊|边牧|[\u4e00-\u9fff]犬"
        ),
    ),
    "plate": (
        re.compile(r"\bplate\b|\bregistration (?:number|of)\b|车牌|牌照"),
        re.compile(
            r"plate|registration|车牌|牌照|(?<![a-z0-9])[a-z]{1,3}[ -]?\d{2,4}(?![\d-])"
            r"|[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][a-z]"
        ),
    ),
    "school": (
        re.compile(
            _ONE + r"(?:school|college|universit\w+|kindergarten|nursery)\b"
            r"|\bwhere (?:do|does|did) [^?]*\b(?:study|go to (?:school|college|university))\b"
            r"|(?:哪个|哪所|哪家|什么)(?:学校|大学|幼儿园|小学|中学|高中|学院)|哪[里儿]?(?:上学|读书|念书|上大学)"
        ),
        re.compile(
            r"\b(?:school|college|universit\w+|uni|academy|kindergarten|nursery|campus|degree|phd|major"
            r"|stud(?:y|ies|ied|ying)|faculty|institute|graduated?)\b|\bat \w"
            r"|学校|大学|学院|小学|中学|高中|幼儿园|[\u4e00-\u9fff]大[的读学]|附[小中]|[一二三四五六七八九十]中"
            r"|系|读|复旦|清华|北大"
        ),
    ),
    "bank": (
        re.compile(_ONE + r"bank\b|哪[家个]银行|什么银行"),
        re.compile(
            r"\b(?:\w*bank\w*|credit union|hsbc|barclays|lloyds|natwest|chase|anz|ing|dkb|n26|revolut"
            r"|monzo|sparkasse|santander)\b|银行|[工农中建交招]行|支付宝|信用社"
        ),
    ),
    "blood": (
        re.compile(r"\bblood (?:type|group)\b|血型"),
        re.compile(r"\bblood\b|\b(?:a|b|ab|o) ?(?:[+-]|positive\b|negative\b)|血|[abo]型"),
    ),
    "size": (
        re.compile(
            _ONE + r"size\b|\bsize (?:of|is|are)\b|多大[的码号]|什么码|几码|尺码是?(?:多|什么|几)"
        ),
        re.compile(_NUMBER + r"|\bsizes?\b|\b(?:small|medium|large|xl|xxl)\b|[码号]"),
    ),
    "body": (
        re.compile(
            r"\bhow (?:tall|heavy)\b|\bhow much (?:do|does|did) [^?]*\bweigh"
            r"|(?:身高|体重).{0,3}(?:多|几)|多高"
        ),
        re.compile(_NUMBER),
    ),
    "floor": (
        re.compile(_ONE + r"floor\b|几[楼层]|哪一?层"),
        re.compile(
            r"\bfloor|\bstor(?:e?y|ies)\b|\bground\b|basement|attic|stairs\b|[楼层]|(?<!\d)\d{3,4}(?!\d)|\d ?f\b"
        ),
    ),
    "medicine": (
        re.compile(
            r"\b(?:what|which)\b.*\b(?:medicines?|medication|pills?|drugs?|tablets?|antibiotics?)\b"
            r"|吃的?(?:什么|哪[一种]*)药|药.{0,2}(?:什么|哪)|什么药"
        ),
        re.compile(
            r"\b(?:medic\w*|pills?|drugs?|tablets?|antibiotic\w*|prescri\w+|dose|mg|takes?|taking|inhaler"
            r"|insulin|allerg\w+|vaccin\w+|\w+(?:cillin|statin|pril|olol|azole|mycin|phen))\b"
            r"|药|片|服|毫克|针|膏|胶囊|过敏|[\u4e00-\u9fff][平林素坦汀]"
        ),
    ),
    "instrument": (
        re.compile(_ONE + r"(?:musical )?instrument\b|什么乐器|哪种乐器"),
        re.compile(
            r"\b(?:instrument|piano|violin|guitar|drum|flute|cello|trumpet|sax\w*|clarinet|recorder|harp"
            r"|viola|trombone|ukulele|keyboard|oboe|bass|organ|horn|banjo|accordion|fiddle)s?\b"
            r"|琴|笛|鼓|吉他|琵琶|古筝|二胡|萨克斯|号|箫|阮|乐器"
        ),
    ),
    "married": (
        re.compile(
            r"^\W*(?:is|are|was|am) .*\bmarried\b|\bmarried to\b|\bwedding anniversary\b"
            r"|结婚(?:了吗|了没|没有|纪念日)|(?:跟|和)谁结婚"
        ),
        re.compile(
            r"\bmarri|\bwed|\bpartner\b|\bwife\b|\bhusband\b|\bspouse|\banniversary|\bengage|\bsingle\b|\bdivorc"
            r"|\bbride|\bgroom|婚|嫁|娶|老公|老婆|爱人|丈夫|妻子|太太|先生|伴郎|伴娘|单身"
        ),
    ),
    "smokes": (
        re.compile(r"^\W*(?:do|does|did|is) .*\bsmok(?:e|er|ing)\b|抽烟(?:吗|不)|吸烟(?:吗|不)"),
        re.compile(r"smok|cigar|vap(?:e|ing)|nicotin|tobacco|烟"),
    ),
    "faith": (
        re.compile(
            _ONE + r"(?:church|religion|faith|mosque|temple|parish)\b|信什么教|什么信仰|什么宗教"
        ),
        re.compile(
            r"church|relig|faith|mosque|temple|parish|catholic|protestant|anglican|methodist|muslim|islam"
            r"|buddhis|jewish|synagogue|chapel|hindu|atheis|\bst\b|教|佛|寺|庙|信仰|祷"
        ),
    ),
    "vote": (
        re.compile(r"\b(?:vote[ds]?|voting) for\b|投票?给|投了谁"),
        re.compile(
            r"\bvot(?:e[ds]?|ing) for\b|democrat|republican|labour|tor(?:y|ies)\b|conservative|liberal"
            r"|green|candidate|party|投给|党|候选"
        ),
    ),
    "rent": (
        re.compile(
            r"\bhow much (?:rent|(?:is|was|are) (?:the|my|our) (?:rent|mortgage))\b"
            r"|\bwhat is (?:the|my|our) (?:rent|mortgage)\b|(?:房租|租金|月租|房贷)[^谁哪何时候怎]*(?:多少|几[百千万块元])"
        ),
        re.compile(
            r"\brent|\bmortgage|\blease|\bpa(?:y|id)\b|\b(?:a|per|each|every) month|monthly|租|房贷|月供|押|每月|一个月"
        ),
    ),
}
"""What asks for a property, and what any text that tells it has."""

CALLED: Final = re.compile(
    r"\bcalled\b\W*$|\b(?<!user)(?<!host)names?\b|叫(?:什么|啥)|名字|姓什么|姓啥|贵姓"
)
"""Asks what somebody or something is called."""
NAMES: Final = re.compile(
    r"\bcalled\b|\bnamed?\b|\bname's\b|\bnames\b|[\"“`「]|[a-z0-9][._/-][a-z0-9]|\d"
    r"|\bis (?:now )?[\w-]+\s*(?:[.,;!]|$)"
)
"""Says what something is called, or may: hosts and files have no capital."""
NAMES_HAN: Final = re.compile(r"[叫名姓是为]|[A-Za-z]{2,}")
FULL: Final = re.compile(r"\bsurname\b|\b(?:last|family|middle|first|maiden|full) name\b")
"""Asks for a part of a name that few texts tell."""
TWO_NAMES: Final = re.compile(
    r"[A-Z][\w'’-]+ [A-Z][\w'’-]+|(?i:\b(?:surname|(?:last|family|middle|first|maiden|full) name|née|mr|mrs|ms|miss|dr"
    r"|frau|herr|prof(?:essor)?)\b)"
)
BRAND: Final = re.compile(
    r"\b(?:which|what) (?:brand|make|model)\b|\bbrand of\b|什么牌|哪个牌|牌子|品牌"
)
BRANDED: Final = re.compile(r"\bbrand|\bmade by\b|\bmodel\b|牌|型号")
BRANDED_HAN: Final = re.compile(r"[A-Za-z]{2,}|[,，][^,，]{2,5}的|是[^,，。]{2,6}的")
PLACED: Final = re.compile(r"\b(?:in|to|at|from|near|on|around)(?: the)?$")
"""Before a name: that of a place, and of nobody."""

SPEAKS: Final = re.compile(r"\s{0,4}[^\W\d_][^:：\n。！？.!?]{0,39}[:：]")
"""Whose turn a text is: he is who speaks, and not what it is about."""
ASKS_ITSELF: Final = re.compile(r"[?？]\W*$|什么|怎么|哪|谁|多少|吗")
"""A memory that asks tells nothing: it is found for being asked alike."""

YES_NO: Final = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|will|am)\b|吗[?？。\s]*$"
    r"|^(?!.*(?:多少|什么|哪|谁|几)).*(?:是不是|是否|有没有)"
)
"""Asks for yes or no."""
WHEN: Final = re.compile(r"\bwhen\b|\bhow long\b|什么时候|何时|哪[天年月]|几[号月]|多久")
"""Asks for a time."""

OPPOSED: Final = tuple(
    frozenset(line.split())
    for line in (
        "测试 正式 预发 线上 开发 生产",
        "staging production prod test dev",
        "front back rear",
        "left right",
        "big small",
        "large small",
        "upstairs downstairs",
        "upper lower",
        "north south east west",
        "morning evening",
        "summer winter",
        "kitchen bathroom bedroom hall garage attic cellar garden",
        "前门 后门",
        "左边 右边",
        "楼上 楼下",
        "早上 晚上",
        "夏天 冬天",
        "客厅 卧室 厨房 卫生间 阳台",
    )
)
"""Words of which one excludes the others: the front door is not the back door."""
