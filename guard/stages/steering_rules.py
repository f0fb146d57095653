"""The rules for text that makes the assistant speak for somebody: praise this, run down that.

The subject's own wish about what he is recommended ("only vegan places") is none of it. See `rules`
for the notation.
"""

from typing import Final

from guard.stages.rules import Rule, rule
from policies.model import Severity

STEERING: Final = "steering"
MEDIUM: Final = Severity.MEDIUM

_PRAISE = r"(?:recommend|suggest|promote|praise|advertise|endorse|plug|hype|tout|push)"
_HIS_TASTE = (
    r"(?![^.!?\n]{0,70}\b(?:me|my|him|her|vegetarian|vegan|halal|kosher|organic|local|quiet|cheap|cheaper|nearby|"
    r"restaurants|hotels|places|films|movies|books|shows|recipes|flights|airlines|routes|options|shops|stores|caf[eé]s|"
    r"dishes|meals|songs|music|podcasts|games|ones|alternatives|sources|libraries|solutions|activities|exercises|"
    r"titles|gifts|that|which|with|without|under|below|in|i)\b)"
)
_AUDIENCE = r"(?:users?|customers?|people|readers?|everyone|everybody|anyone|visitors?|clients?|shoppers?|guests|patients|students)"
_BEST = (
    r"(?:best|number one|no\W?1|cheapest|safest|superior|leading|unbeatable|industry standard|safe choice|most "
    r"(?:reliable|trusted|popular)|only (?:safe|reliable|good|real|trustworthy|choice|option))"
)
_REPLIES = r"(?:repl(?:y|ies)|answers?|responses?|messages?|conversations?|summar(?:y|ies))"
_ADVERT = (
    r"(?:https?:/|www|links? <3>(?:our|shop|store|deals?|www|https?)|advertis\w{1,5}|promot\w{1,5}|prais\w{1,3}|"
    r"hashtag|slogan|sponsor\w{0,4}|discount|coupon|subscribe|buy|brand|our (?:shop|store|product|brand|site|app|company)|"
    r"recommending)"
)
_PUT = r"(?:include|add|append|insert|mention|end|close|begin|start|finish|open|sign|put|say|name)"
_RIVALS = (
    r"(?:competitors?|rivals?|(?:all |any |the )?other (?:brands?|makers?|banks?|shops?|stores?|products?|providers?|"
    r"vendors?|airlines?|companies|apps?|hotels?))"
)
_PRAISE_CN = r"(?:推荐|主推|首推|推销|安利|吹捧|夸|宣传)"
_HIS_TASTE_CN = (
    r"(?![^。，,!?！？\n]{0,16}(?:的|素食|清真|靠窗|过道|直飞|高铁|纸质|国产|二手|无糖|低糖|低盐|有机|本地|免费|开源|公共|安静|"
    r"便宜|给我|给他|给她|恐怖))"
)
_AUDIENCE_CN = r"(?:用户|客户|别人|有人|大家|顾客|游客|人家|他人|读者|所有人|家长)"
_BEST_CN = r"(?:最好|第一|唯一|最佳|最可靠|首选|最安全|最便宜|最强|最权威)"
_RIVALS_CN = r"(?:竞争对手|竞品|别家|(?:其他|别的|其它)~2(?:品牌|店家?|商家|公司|产品|平台|牌子|酒店|银行|厂家))"

RULES: Final[tuple[Rule, ...]] = (
    rule(STEERING, MEDIUM, "recommend|suggest|promote|praise|advertise|endorse|plug|hype|tout|push",
         rf"\b(?:always|only|exclusively|invariably|must|should|shall|has to|have to|needs? to) (?:first )?{_PRAISE}\b"
         rf"{_HIS_TASTE} [^\W_]",
         unless=r"\b(?:i|we|he|she|they|who|doctors?|friends?|people|experts?|reviewers?|parents|never|not|nt) (?:would |will |"
         r"do |should )?(?:always|only|should|must|have to)"),
    rule(STEERING, MEDIUM, "assure|convince|inform|persuade|remind|tell",
         rf"\b(?:tell|inform|convince|persuade|assure|remind) <2>{_AUDIENCE} <10>{_BEST}\b",
         unless=r"\b(?:not|never|nt) (?:tell|inform|convince|persuade|assure|remind)"),
    rule(STEERING, MEDIUM, "every|each|all|any",
         rf"\b{_PUT} <12>{_ADVERT} <10>(?:in|to|with|after|of) (?:every|each|all|any) <2>{_REPLIES}\b|"
         rf"\b(?:every|each|all|any) <2>{_REPLIES} <12>{_ADVERT}\b|"
         rf"\b{_PUT} <4>(?:every|each|all|any) <2>{_REPLIES} <10>{_ADVERT}\b|"
         rf"\b(?:mention|name|add|include) our <4>(?:in|to) (?:every|each|all|any) <2>{_REPLIES}\b"),
    rule(STEERING, MEDIUM, "praise|advertise|promote|endorse|plug|hype|tout",
         r"\b(?:praise|advertise|promote|endorse|plug|hype|tout) <8>(?:daily|always|whenever|every time|each time|when asked|"
         r"if asked|in (?:every|each|all))\b", unless=r"\b(?:not|never|nt|i|we|he|she|they) (?:praise|advertise|promote)"),
    rule(STEERING, MEDIUM, "even|matter|regardless|whatever",
         r"\b(?:rank|rate|place|put|list|name|show) <8>(?:first|on top|at the top|highest|five stars|number one|above all) "
         r"<2>(?:whatever|regardless|no matter|even if)\b"),
    rule(STEERING, MEDIUM, "our|competitor|rival|other",
         rf"\b(?:never|do not|don\W?t|stop|avoid) {_PRAISE}(?:ing)? <4>(?:but ours?|than ours?|except ours?|{_RIVALS})\b"),
    rule(STEERING, MEDIUM, "competitor|rival|other",
         rf"\b(?:describe|portray|present|depict|label|(?:warn|advise) <2>(?:against|about|off)|discourage) <3>{_RIVALS}\b",
         unless=r"\b(?:not|never|nt) (?:describe|portray|present|depict|label|warn|advise|discourage)"),
    rule(STEERING, MEDIUM, "steer|nudge", rf"\b(?:steer|nudge) <6>(?:conversations?|talks?|discussions?|questions?|{_AUDIENCE}|the talk)"
         r" <5>(?:to|towards?|into|away)\b"),
    rule(STEERING, MEDIUM, "推荐|主推|首推|推销|安利|吹捧|夸|宣传",
         rf"(?:总是|始终|一律|务必|必须|只能?|只准|永远|一定要|每次都?要?|首先|优先)(?:要|会|请)?(?:向{_AUDIENCE_CN})?{_PRAISE_CN}"
         rf"{_HIS_TASTE_CN}~1[^\s。，,]",
         unless=r"(?:医生|老师|朋友|同事|我|他|她|店员|专家)(?:们)?(?:总是|始终|每次|一直|只|必须)|不(?:要|能|必)?(?:只|一律|总是)"),
    rule(STEERING, MEDIUM, "推荐|主推|首推|推销|安利|吹捧|夸|宣传",
         rf"{_AUDIENCE_CN}~6(?:问|聊|提|谈|咨询|犹豫|想买|想要)~10{_PRAISE_CN}{_HIS_TASTE_CN}~1[^\s。，,]",
         unless=r"(?:不要|别|不得)~2(?:推荐|主推|推销|夸|宣传)"),
    rule(STEERING, MEDIUM, "到|起", rf"(?:说到|提到|聊到|谈到|问到|问起|说起|提起|聊起|讲到)~12(?:夸|吹捧|主推|首推|推销|安利|劝{_AUDIENCE_CN})"),
    rule(STEERING, MEDIUM, "链接|广告|网址|优惠|购买|下载|关注|公众号|认准|http|www|加群|红包|口号|好评|本店|我们",
         r"(?:每次|每个|每条|所有|任何|凡)的?~3(?:回答|回复|答复|对话|消息|话题)~6(?:加|附|带|插入|提|夸|宣传|说|写)~10(?:链接|广告|网址|"
         r"优惠|购买|下载|关注|公众号|认准|https?|www|加群|红包|口号|好评|本店|我们店|我们家|我们公司)"),
    rule(STEERING, MEDIUM, "最|第一|唯一|首选", rf"(?:告诉|跟|对|向|让|说服)(?:所有的?|每个|任何)?{_AUDIENCE_CN}~12{_BEST_CN}",
         unless=r"(?:不要|别|不得)~2(?:告诉|跟|对|向|让)"),
    rule(STEERING, MEDIUM, "不管|无论|不论|哪怕|不顾",
         r"(?:把|将)~14(?:排|放|列|摆)~3(?:第一|首位|最前|榜首|置顶)~8(?:不管|无论|不论|哪怕|不顾)|"
         r"(?:不管|无论|不论|哪怕)~16(?:排|放|列|摆)~3(?:第一|首位|最前|榜首)"),
    rule(STEERING, MEDIUM, "其他|别的|别家|其它|竞", rf"(?:不要|别|不得|不准|禁止|不许|不再)再?(?:推荐|提及|提到|介绍|提)~3{_RIVALS_CN}"),
    rule(STEERING, MEDIUM, "对手|竞品|别家|其他|别的|其它", rf"{_RIVALS_CN}~6(?:说|称|写成|描述成|说成)~6(?:不可靠|不好|差|有问题|骗|有风险|倒闭|停业|"
         rf"已满|难吃|不安全)|(?:说|写|把)~3{_RIVALS_CN}~6(?:不可靠|很差|是骗子|有风险|倒闭|停业|已满|难吃|不安全)"),
)  # fmt: skip
