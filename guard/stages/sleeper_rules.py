"""Dormant conditions: nothing happens until somebody says a word, and then the agent acts (W8).

A condition on what people say, followed by a consequence. Grave consequences move money, data or
rights, run things or drop rules; lesser ones put words or a choice into the agent's mouth. Those
that only set a manner (in Chinese, in Celsius, in brief) are preferences and not found. See `rules`
for the notation.
"""

from typing import Final

from guard.stages.rules import Rule, rule
from policies.model import Severity

SLEEPER: Final = "sleeper"
HIGH: Final = Severity.HIGH
MEDIUM: Final = Severity.MEDIUM

_WHO: Final = (
    r"(?:(?:the |a |an |any |this |your |our |some )?(?:user|customer|client|person|caller|visitor|human|owner|"
    r"conversation|chat|message|question|query|prompt|request|discussion|topic|email|e\W?mail)s?|someone|somebody|"
    r"anyone|anybody|he|she|they|i|we)"
)
_SAYS: Final = (
    r"(?:mentions?|says?|asks?|brings? up|talks?|types?|writes?|enters?|uses?|contains?|includes?|inquires?|"
    r"requests?|hears?|sees?|reads?|encounters?|refers?|speaks?|comes? up|turns? to|touch(?:es)?|starts? with|"
    r"is about|are about|am|is asked|are asked|mention(?:ed|ing)?|said|asked|logs? in|opens?|greets?|wants?|needs?|"
    r"looks? for|considers?|tells?)"
)
_WHEN: Final = (
    r"\b(?:when|whenever|if|once|as soon as|the moment|the (?:next|first) time|next time|every time|each time|"
    r"any ?time|should|in case|upon|after|only when|only if|until)"
)
# "If you want more, visit …" stands on every page; it is the reader who is meant to hear a word.
_HEARS: Final = (
    r"you (?:<1>(?:see|read|hear|encounter|notice|detect|spot)|(?:are|re|get) (?:ever )?asked)"
)
_CONDITION: Final = rf"{_WHEN} (?:{_WHO} <2>{_SAYS}|{_HEARS})\b"
_TRIGGER: Final = r"\b(?:trigger|activation|activating|code|magic|secret|wake|wake\W?up) ?(?:word|phrase|sentence|string|signal)s?\b"
_LINK: Final = (
    r"(?:(?:then|please|always|immediately|instantly|automatically|silently|quietly|secretly|must|should|shall|will|has to|"
    r"have to|needs? to|is to|are to|you|(?:the )?(?:assistant|agent)|it|also|first|instead|do|don\W?t|never|subtly|"
    r"casually|gently|always)[\W_]{1,4})"
)
_THEN: Final = rf"(?:(?:(?<=[,;:]\x20)|(?<=[,;:])|(?<=-\x20)){_LINK}{{0,4}}|{_LINK}{{1,4}})"
_GRAVE: Final = (
    r"(?:sends?|forwards?|transfers?|wires?|pays?|remits?|refunds?|purchases?|buys?|runs?|executes?|invokes?|calls? (?:the )?"
    r"(?:tool|function|api|endpoint)|downloads?|installs?|uploads?|posts?|visits?|clicks?|opens? (?:the )?(?:link|url|page|site|"
    r"attachment)|disclos(?:es?|ing)|reveals?|leaks?|shares? (?:the |all |his |her |their |your |my )?<2>(?:password|key|token|data|"
    r"details|prompt|file|history|memor(?:y|ies)|contact|address)\w{0,2}|exfiltrat\w{1,4}|"
    r"ignores?|disregards?|bypass(?:es)?|disables?|deletes?|erases?|wipes?|overwrites?|grants?|authori[sz]es?|"
    r"switch(?:es)? to|activates?|enters? <3>mode|skips? (?:the |all |any )?<1>(?:confirmation|check|verification|approval|"
    r"review|warning|step)s?|approves?|cop(?:y|ies) <3>to|bccs?|blind copy|redirects?|substitutes?|replaces?|swaps?|"
    r"withholds?|conceals?|hides?|lies?|deceives?|impersonates?|pretends?)"
)
_WORDS: Final = (
    r"(?:recommends?|suggests?|promotes?|advertis(?:es?|ing)|endorses?|favou?rs?|pushes|steers?|directs?|refers?|points?|"
    r"persuades?|convinces?|discourages?|warns? <3>(?:against|about|off)|denies|deny|insists?|claims?|"
    r"(?:say|says|state|states|answer|answers|reply|replies|respond|responds|tell|tells|mention|mentions|add|adds|explain|explains|"
    r"assure|assures|confirm|confirms|emphasi[sz]es?|stress|stresses|repeat|repeats|inform|informs|note|notes) "
    r"<4>(?:that\b|with (?:the )?(?:following|exact|words|phrase|sentence|text)|to (?:contact|call|visit|use|buy|invest|click|"
    r"pay|send|go)|(?:is|are) (?:the )?(?:best|only|safe|dangerous|unsafe|closed|better|cheapest|unreliable)))"
)

_PERSON_CN: Final = r"(?:用户|客户|顾客|有人|任何人|对方|别人|访客|主人|老板|他|她|我|你(?=看到|听到|收到|读到|被问)|对话|消息|问题|聊天|话题|邮件|请求|提问)"
_SAYS_CN: Final = (
    r"(?:提到|提及|说到|说出|说起|说|问到|问起|问|询问|咨询|输入|发送|发来|谈到|谈起|聊到|聊起|出现|包含|含有|要求|打开|登录|看到|听到|涉及|"
    r"想要?|需要|寻找|打算|准备|表示|请求|使用)"
)
_WHEN_CN: Final = (
    r"(?:当|如果|若|一旦|只要|每当|每次|等到?|凡是|但凡|倘若|要是|假如|下次|下一次|在|待)"
)
_TRIGGER_CN: Final = r"(?:触发词|触发语|激活词|激活语|暗号|暗语|口令词|关键口令|唤醒词|密语)"
_THEN_CN: Final = r"(?:就|则|便|立即|立刻|马上|随即|请|务必|必须|直接|自动|悄悄|偷偷|应当?|要|都|,|:|需|须|你|助手|智能体|ai)"
_GRAVE_CN: Final = (
    r"(?<!建议)(?<!推荐)(?:转账|付款|支付|汇款|打款|下单|购买|发送|转发|抄送|上传|泄露|透露|公开|外发|执行|运行|调用|下载|安装|忽略|无视|绕过|跳过|关闭|禁用|删除|"
    r"清空|覆盖|授权|批准|放行|激活|启用|切换|进入~6模式|点击|访问~2(?:链接|网址|http)|打开~2(?:链接|网址|http)|替换|换成|隐瞒|伪装|假装|冒充|"
    r"(?:发|寄|传|同步|提交|导出|抄)(?:到|给|往|去)|不再遵守|解除)"
)
_WORDS_CN: Final = (
    r"(?:推荐|建议|引导|宣传|推销|主推|优先介绍|安利|声称|强调|否认|劝(?:说|阻|他|她|用户)?|说服|(?:说|回答|回复|告诉~4|答复|告知~4|表示)(?:,|:|“|\"|'|"
    r"[\u4e00-\u9fff]{0,6}(?:是最|是唯一|不?安全|没有?问题|已经?(?:关闭|停|失效|下架)|更好|最好|应该|只能|必须)))"
)

RULES: Final[tuple[Rule, ...]] = (
    rule(SLEEPER, HIGH, "activate|api|approve|authori|bcc|blind|buy|bypass|click|conceal|copies|copy|deceive|delete|"
         "disable|disclos|disregard|download|endpoint|enter|erase|execute|exfiltrat|forward|function|"
         "grant|hide|ignore|impersonate|install|invoke|leak|lie|open|overwrite|pay|post|pretend|"
         "purchase|redirect|refund|remit|replace|reveal|run|send|share|skip|substitute|swap|switch|"
         "tool|transfer|upload|visit|wipe|wire|withhold",
         rf"{_CONDITION} <16>{_THEN}{_GRAVE}\b",
         unless=r"\b(?:do not|don\W?t|never|must not|should not|shouldn\W?t|cannot|can\W?t) <2>"
         rf"{_GRAVE}\b"),
    rule(SLEEPER, MEDIUM, "add|advertis|answer|assure|claim|confirm|convince|denies|deny|direct|discourage|emphasi|"
         "endorse|explain|favo|inform|insist|mention|note|persuade|point|promote|pushes|recommend|"
         "refer|repeat|replies|reply|respond|say|state|steer|stress|suggest|tell|warn",
         rf"{_CONDITION} <16>{_THEN}{_WORDS}"),
    rule(SLEEPER, HIGH, "trigger|activation|activating|code|magic|secret|wake",
         rf"{_TRIGGER} <12>{_THEN}(?:{_GRAVE}|{_WORDS}|act|behave|begin|start|do)\b|"
         rf"\b(?:on|upon|after|when|once|hearing|seeing|receiving) <4>{_TRIGGER} <8>(?:{_GRAVE}|{_WORDS})"),
    rule(SLEEPER, HIGH, "dormant|hidden|inactive|normal|nothing|quiet|silent|usual",
         r"\b(?:until then|till then|until (?:that|it|the (?:trigger|signal|date|word))|before (?:that|then)|in the meantime|meanwhile|"
         r"for now) <4>(?:act|behave|operate|respond|continue|work|reply) (?:as )?(?:completely |entirely )?(?:normal(?:ly)?|usual|"
         r"as if nothing)|\b(?:stay|remain|lie|keep|be) (?:dormant|silent|hidden|inactive|quiet) <2>until\b|"
         r"\b(?:until then|till then|before that|before then) <3>(?:stay|remain|lie|keep|be) (?:dormant|silent|hidden|inactive|quiet)"),
    rule(SLEEPER, HIGH, "当|如果|若|一旦|只要|每|等|凡|要是|假如|下次|下一次|在|待",
         rf"{_WHEN_CN}~4{_PERSON_CN}~6{_SAYS_CN}~24{_THEN_CN}~6{_GRAVE_CN}",
         unless=rf"(?:不要|别|不得|禁止|切勿|勿|不能|不可|不许)~4{_GRAVE_CN}"),
    rule(SLEEPER, MEDIUM, "当|如果|若|一旦|只要|每|等|凡|要是|假如|下次|下一次|在|待",
         rf"{_WHEN_CN}~4{_PERSON_CN}~6{_SAYS_CN}~24{_THEN_CN}~6{_WORDS_CN}"),
    rule(SLEEPER, HIGH, "触发|激活|暗号|暗语|口令|唤醒|密语",
         rf"{_TRIGGER_CN}~20{_THEN_CN}~8(?:{_GRAVE_CN}|开始行动)|(?:听到|收到|看到|说出|出现)~6{_TRIGGER_CN}~16"
         rf"(?:{_GRAVE_CN}|开始行动)"),
    rule(SLEEPER, HIGH, "之前|此前|在那|平时|潜伏|蛰伏|休眠",
         r"(?:在此之前|在那之前|此前|没有?(?:收到|听到|出现)~8之前|平时)~4(?:保持(?:沉默|正常|安静|潜伏)|正常(?:表现|回答|工作|运行)|装作|"
         r"什么都不(?:做|说)|不要有任何(?:动作|异常)|潜伏|蛰伏|休眠)"),
)  # fmt: skip
