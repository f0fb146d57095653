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

_OF_AGE: Final = (
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|hundred|thousand)\b|[一二两三四五六七八九十百]+(?=[岁周个半多几了,，。.!！\s年]|$)"
)
"""A number, and in Chinese none that counts something else: 缝了两针."""

PROPERTIES: Final = {
    "age": (
        re.compile(
            r"\bhow old\b|\bwhat age\b|\bage of\b|几岁|多大(?!码)(?:年纪|岁数|了|年龄)?(?=[?？了吗呢]|$|年|岁)"
            r"|岁数|年纪|年龄|高寿|贵庚"
        ),
        re.compile(
            r"(?<!\bat )(?:"
            + _OF_AGE
            + r")|\bbirth|\bborn|\bage|teen|\b(?:year|month|week)s?[ -]old|岁|月大|出生"
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
            r"|\b(?:in|near|at|to|from) (?!(?:my|his|her|our|their|an?|the|this|that)\b)[a-z]"
            r"|住|搬|家|租|房|楼|小区|地址|宿舍|寝室|定居|[省市区县镇村]"
        ),
    ),
    "where": (
        re.compile(
            r"^\W*(?:and |so )?where\b|(?<!伤到过)(?<!伤到)(?<!伤了)(?<!疼在)哪里(?!不)|哪儿|什么地方|在哪(?![个家种位天年月些一])"
        ),
        re.compile(
            r"\b(?:in|at|to|from|near|under|behind|beside|by|on|inside|outside|into|over|above|below"
            r"|between|around|home|there|here|abroad|via|through)\b"
            r"|[在从去到住搬回来里旁底边处内外间角柜箱盒桌架]|[上下](?![午班学网次周个课])|位于|[省市区县镇村路街巷号楼栋层室山湖海岛国州港]|这边|那边|对面"
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
            r"\bfloor|\bstor(?:e?y|ies)\b|\bground\b|basement|attic|stairs\b|[楼层]|(?<!\d)\d{3,4}(?![\d#])|\d ?f\b"
        ),
    ),
    "medicine": (
        re.compile(
            r"\b(?:what|which)\b.*\b(?:medicines?|medication|pills?|drugs?|tablets?|antibiotics?)\b"
            r"|吃的?(?:什么|哪[一种]*)药|药.{0,2}(?:什么|哪)|什么药"
        ),
        re.compile(
            r"\b(?:medic\w*|pills?|drugs?|tablets?|antibiotic\w*|prescri\w+|dose|mg|takes?|taking|inhaler|spray"
            r"|insulin|allerg\w+|vaccin\w+|\w+(?:cillin|statin|pril|olol|azole|mycin|phen))\b"
            r"|药|片|服|毫克|针|膏|胶囊|过敏|喷|[\u4e00-\u9fff][平林素坦汀]"
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
            r"|\b(?:seeing|dating) (?:any|some)(?:one|body)\b|\bin a relationship\b"
            r"|\b(?:is|are) [\w' -]+ single\b|结婚(?:了吗|了没|没有|纪念日)|(?:跟|和)谁结婚"
            r"|哪[年天]结的?婚|有(?:没有)?(?:对象|[男女]朋友)(?:了?[吗没]|$|[?？])|谈恋爱[了吗没]|单身吗"
        ),
        re.compile(
            r"\bmarri|\bwed|\bpartner\b|\bwife\b|\bhusband\b|\bspouse|\banniversary|\bengage|\bsingle\b|\bdivorc"
            r"|\bbride|\bgroom|\bboyfriend|\bgirlfriend|\bdat(?:e|es|ed|ing)\b|\bbroke up\b|\bsplit"
            r"|对象|朋友|恋|相亲|分手|婚|嫁|娶|老公|老婆|爱人|丈夫|妻子|太太|先生|伴郎|伴娘|单身"
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
    "duration": (
        re.compile(
            r"\bhow long (?:has|have|had|did|does|do|is|was|were)\b|\bsince when\b"
            r"|\bhow many (?:years|months|weeks|days)\b|多久|多长时间|几年|(?<!哪)几(?:个月|个?星期|周|天)"
        ),
        re.compile(
            _NUMBER + r"|\b(?:year|month|week|day|hour|minute|night|decade|fortnight|weekend)s?\b"
            r"|\b(?:since|from|until|till|half|long|forever|new)\b|\b(?:start|beg[au]n|join|mov|adopt)"
            r"|\bbought\b|\bgot\b|[年月天周半刚从到买搬养]|星期|小时|分钟|以来|一直|开始|加入|入职"
        ),
    ),
    "hobby": (
        re.compile(
            r"\bhobb(?:y|ies)\b|\b(?:free|spare) time\b|\bfor fun\b|\bpastime|爱好|兴趣|业余|消遣"
            r"|(?:平时|闲|空|周末).{0,4}(?:喜欢|爱|[做干玩])(?:什么|啥)"
        ),
        re.compile(
            r"\b(?:lov|lik|enjoy|hobb|play|collect|paint|draw|sing|sang|danc|read|knit|run|swim|climb"
            r"|cycl|fish|bak|cook|garden|hik|ski|surf|sail|rid|keen|into|fan|club|choir|band|team|game"
            r"|chess|sew|pottery|photo|weekend|evening|sunday|saturday|spare|learn|practi|train|watch"
            r"|breed|build|restor|every|mad|crazy|relax)"
            r"|[爱玩迷唱跳弹拉吹画钓养种跑游泳爬骑打踢下听看读写练学攒集]|喜欢|每|常|周末|俱乐部|[队团社]"
        ),
    ),
    "origin": (
        re.compile(
            r"\bwhere (?:did|does|do|is|was|were|are|am) [^?]*\b(?:grow up|grew up|come from|raised|born"
            r"|from)\b|\bhome ?town\b|老家|在哪[里儿]?(?:长大|出生)|哪[里儿的]?人(?:[?？]|$)|籍贯"
        ),
        re.compile(
            r"\bfrom\b|\bborn\b|\bgr[eo]w|\braised\b|\bnative\b|\bhome|\bchild|\bas a (?:kid|boy|girl)\b"
            r"|\borigin|\broots\b|\baccent|\w(?:ish|ese|ian)\b|老家|长大|出生|[籍人从来]|小时候"
        ),
    ),
    "opinion": (
        re.compile(
            r"\bwhat (?:do|does|did) [^?]*\b(?:think|feel|make) (?:of|about)\b|\bfeel about\b"
            r"|\b(?:opinion|view)s? (?:of|on|about)\b|怎么[看想](?:[的待这那]|$|[?？])|看法|态度"
            r"|觉得.{0,8}(?:怎么?样|如何)"
        ),
        re.compile(
            r"\b(?:th(?:ink|ought)|fe(?:el|lt)|reckon|believ|lov|hat|lik|dislik|prefer|happ|glad|proud"
            r"|angry|cross|upset|annoy|worr|hop(?:e|ing)|want|agree|against|opinion|sa(?:y|id)|told|tell"
            r"|complain|prais|impress|disappoint|good|bad|great|awful|boring|best|worst|ought|should|too"
            r"|not|never|finds?|found|calls?)|n't|[看说嫌爱恨不好坏烦夸骂怕想愁]|觉得|认为|喜欢|讨厌|高兴"
            r"|生气|担心|满意|支持|反对|同意"
        ),
    ),
    "work": (
        re.compile(
            r"\bwhat (?:do|does|did) (?!i\b|we\b|you\b)[^?,]{1,40} (?<!\bto )do(?: for (?:a living|work|a job)| now"
            r"| (?:him|her)self| these days)?\W*$|\b(?:do|does|did) for (?:a living|work)\b"
            r"|\bline of work\b|\boccupation\b|\bprofession\b|\bwork as\b|'s (?:job|trade)\b"
            r"|做什么(?:工作|行|的)|干(?:什么|啥)(?:工作|的|活)?(?:[?？]|$)|[做干]的?是?哪一?行|什么工作|什么职业|负责(?:什么|啥|哪)"
        ),
        re.compile(
            r"\b(?:work|job|teach|taught|run|ran|driv|drov|sell|sold|stud|retire|career|train|business"
            r"|shop|office|clinic|hospital|school|compan|factor|farm|firm|crew|shift|boss|manag|lead|own"
            r"|apprentic|freelanc|engineer|nurs|doctor|law|keep|mak|fix|repair|build|design|writ|edit"
            r"|cook|bak|cut|clean|serv|paint|photo|deliver|guard|earn|hire|employ|qualif)"
            r"|\b(?!(?:(?:(?:grand|step)?(?:mo|fa)|bro|o|ano|whe|toge|wea|ra)ther|sister|daughter|partner|after"
            r"|n?ever|[ou]nder|over|her|later|number|order|dinner|winter|summer|for|n?or|want|cousin)\b)"
            r"[a-z]{2,}(?:ist|ician|eer|smith|wright|monger|man|woman|medic|ant|or|er)\b"
            r"|\b(?:is|was|as|are|am|been|became|becomes) (?:an?|the|our|my|in|at|with)\b"
            r"|\b[a-z]{3,}s (?!on\b|in\b|at\b|to\b|for\b)(?:\w+ )?[a-z]{3,}s\b|\b(?:at|for) [a-z]+ "
            r"|(?<!返)[工]|[医教护师员做干当卖修管编警兵厨演画摄岗职种养]|上班|公司|[厂店局院所校]|银行|铁路"
            r"|生意|老板|经理|律|退休|研究|学生|专业|司机|记者|会计|设计|程序|开发|作家|单位|部门|负责|开[^心始会]"
        ),
    ),
    "clock": (
        re.compile(r"\bwhat time\b|(?<!星期)(?<!周)几点(?!了)"),
        re.compile(
            r"\d|\b(?:noon|midnight|midday|dawn|dusk|sun(?:rise|set)|morning|afternoon|evening|night|early|late"
            r"|o'clock|past|quarter|half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|lunch\w*"
            r"|breakfast|dinner|supper|always|after|before|until)\b|[一二两三四五六七八九十半]点|[早晚午夜晨]|点[半多钟]"
        ),
    ),
    "coming": (
        re.compile(
            r"\bwhen (?:is|are|am|will|does|do)\b(?!.* (?:last|usually)\b)"
            r"|(?:什么时候|何时|哪[天月])(?:要|会|能|才|该|打算|准备)(?![^?？]*(?:[的了过]|来着)[?？。\s]*$)"
        ),
        re.compile(
            r"\d|\b(?:to(?:day|night|morrow)|next|soon|later|spring|summer|autumn|fall|winter|christmas|easter"
            r"|new year|term|season|holidays?|daily|weekly|monthly|yearly|nightly|always|every|each|before|after"
            r"|until|till|while|when|once|during|since|now|mornings?|evenings?|afternoons?|nights?|noon|midnight"
            r"|\w+ly due|weeks?|weekends?|months?|years?|days?|first|second|third|fourth|fifth|\w{3,}th"
            r"|january|february|march|april|may|june|july|august|september|october|november|december"
            r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|one|two|three|four|five|six|seven|eight|nine|ten)\b"
            r"|[日号月年周天点早晚午春夏秋冬节底初末前后]|星期|礼拜|马上|快"
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

WHO: Final = re.compile(r"^\W*(?:and |so )?who(?:m|'s)?\b|谁")
"""Asks for somebody."""
SOMEBODY: Final = re.compile(
    r"\b(?:i|we|he|she|they|us|me|him|them|mine|ours|my(?:self)?|people|someone|somebody|everyone|everybody|nobody"
    r"|no one|team|crew|staff|police|neighbou?rs?|friends?|guys?|kids?|folks|both|nurse|vet|chef|cook|boss|guest\w*"
    r"|coach|landlord|landlady|firm|company|(?!(?:after|n?ever|[ou]nder|over|her|later|number|order|dinner|winter"
    r"|summer|for|n?or|other|another|whether|together|weather|rather|paper|letter|water|corner)\b)"
    r"[a-z]{2,}(?:ers?|ors?|ists?|ants?|icians?|men|man|woman|women|eers?))\b"
)
"""Whom a text may mean that has no name."""
TITLE: Final = re.compile(
    r"\b(?:which|what) (?:hospital|journal|magazine|newspaper|airline|airport|hotel|restaurant|pub|street|village"
    r"|town|city|country|island|band|song|film|movie|book|novel)s?\b"
)
"""Asks for what has a name."""
TITLED: Final = re.compile(r"[\"“`「]|\d")
REASON: Final = re.compile(
    r"\bwhy\b|\bhow come\b|\breasons? (?:for|why|behind)\b|\bthe reason\b|\bwhat (?:made|caused|was the reason)\b|为什么|为何|为啥|怎么[会就]|什么原因|凭什么"
)
"""Asks for a reason."""
REASONED: Final = re.compile(
    r"\b(?:because|caus|since|due|owing|after|as|so|for|reason|without|couldn|wouldn|can.t|cannot"
    r"|not|no|never|too|only|out of|over|want|need|fail|br[eo]ke|if|when|but|where|that)"
    r"|\bto (?!the\b)[a-z]|n't\b|[;:,—–，；：、]|[因为由怕嫌太才不没想要是坏错满少缺漏断迟]|所以|导致|结果"
)
"""May give one."""
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
AT_A_NAME: Final = re.compile(r"\b(?:at|to|from)(?: the)? [A-Z]")
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
        "spring summer autumn winter",
        "breakfast lunch dinner supper",
        "older younger",
        "kitchen bathroom bedroom hall garage attic cellar garden",
        "前门 后门",
        "左边 右边",
        "楼上 楼下",
        "早上 晚上",
        "春天 夏天 秋天 冬天",
        "春游 秋游",
        "春季 秋季",
        "期中 期末",
        "早饭 午饭 晚饭 年夜饭",
        "降压 降糖 降脂",
        "初中 高中",
        "中考 高考",
        "客厅 卧室 厨房 卫生间 阳台",
    )
)
"""Words of which one excludes the others: the front door is not the back door."""

NEEDS: Final = {
    "age": ("old", "age", "岁", "多大", "年纪", "年龄", "高寿", "贵庚"),
    "home": ("live", "reside", "住", "家在"),
    "where": ("where", "哪里", "哪儿", "什么地方", "在哪"),
    "breed": ("breed", "kind of", "品种", "什么"),
    "plate": ("plate", "registration", "车牌", "牌照"),
    "school": (
        "school",
        "college",
        "universit",
        "kindergarten",
        "nursery",
        "study",
        "学",
        "幼儿园",
        "高中",
        "读书",
        "念书",
    ),
    "bank": ("bank", "银行"),
    "blood": ("blood", "血型"),
    "size": ("size", "多大", "码"),
    "body": ("tall", "heavy", "weigh", "身高", "体重", "多高"),
    "floor": ("floor", "楼", "层"),
    "medicine": ("medic", "pill", "drug", "tablet", "antibiotic", "药"),
    "instrument": ("instrument", "乐器"),
    "married": (
        "married",
        "wedding",
        "seeing",
        "dating",
        "relationship",
        "single",
        "婚",
        "对象",
        "朋友",
        "谈恋爱",
        "单身",
    ),
    "smokes": ("smok", "烟"),
    "faith": ("church", "religion", "faith", "mosque", "temple", "parish", "教", "信仰"),
    "vote": ("vot", "投"),
    "rent": ("rent", "mortgage", "租", "房贷"),
    "clock": ("what time", "几点"),
    "coming": ("when", "什么时候", "何时", "哪天", "哪月"),
    "duration": ("long", "since", "how many", "多久", "多长时间", "几"),
    "hobby": ("hobb", "time", "for fun", "pastime", "爱好", "兴趣", "业余", "消遣", "什么", "啥"),
    "origin": ("where", "home", "老家", "在哪", "哪", "籍贯"),
    "opinion": (
        "what do",
        "what did",
        "feel about",
        "opinion",
        "view",
        "怎么",
        "看法",
        "态度",
        "觉得",
    ),
    "work": (
        "do",
        "occupation",
        "profession",
        "work",
        "job",
        "trade",
        "什么",
        "啥",
        "行",
        "负责",
        "living",
    ),
    "full": ("surname", "name"),
    "called": ("called", "name", "叫", "名字", "姓"),
    "brand": ("brand", "make", "model", "牌"),
    "reason": ("why", "how come", "what", "reason", "为", "怎么", "什么", "凭"),
    "who": ("who", "谁"),
    "title": ("which", "what"),
}
"""Of which a question has one that asks for it: looked for first, at a tenth of the cost."""
