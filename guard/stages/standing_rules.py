"""The rules for standing instructions; see `rules` for the notation."""

from typing import Final

from guard.stages.rules import Rule, rule
from policies.model import Severity

STANDING = "standing_instruction"
MEDIUM = Severity.MEDIUM

_SPEAK = (
    r"(?:answer|reply|respond|recommend|suggest|mention|tell|say|address|speak|call (?:me|him|her|them|the user|it|us)"
    r"|refer|greet|remind|ask(?! for (?:the|an?) (?!user|customer|client|password|pin|code|card|one|account|passport|login))|include|summari[sz]e|translate|promote|forward|write to|talk|explain|format|cite|quote)"
)
_DO = (
    rf"(?:{_SPEAK}|use|call|send|check|write|treat|prefer|remember|keep|avoid|follow|add|start|end|sign|book|"
    r"order|choose|pick|buy|pay|ship|convert|ignore|refuse|assume|prioriti[sz]e|consider|provide|route|report|"
    r"log|store|skip|give|make|schedule|set|go with|opt|put|show|list|deliver|wake|turn|play|leave|confirm)"
)
_NAMED = r"(?:assistant|agent|ai|bot|chatbot|language model)"
_AGENT = rf"(?:{_NAMED}|you)"
# A rule that asks for people and checks protects, whoever wrote it.
_GUARDED_CN = r"(?![^。！？!?\n]{0,26}(?:核实|核对|人工|真人|复核|审批|专人|备案|脱敏|临时账号|不得|审核|确认|走平台|走系统|走流程|有疑问|法务|看过再|平台担保|平台下单|正规渠道|选择?否|否[,，。]))"
# What a house decides for its own people ("from now on meetings are not recorded") steers nobody. It
# does once the sentence has an assistant, money, a check, a place or what is told in it, or says no more
# than that it shall stay so.
_WEIGHTY_CN = (
    r"(?=[^。！？!?\n]{0,70}?(?:助手|助理|智能体|机器人|模型|ai|你|用户|客户|顾客|主人|业主|家长|回答|回复|答|说|写|讲|提醒|提到|提及|推荐|推|建议|告诉|通知|汇报|上报|知道|"
    r"转|付|款|汇|打到|账|钱|费|卡|码|密|钥|链接|网址|http|www|[a-z0-9]\.[a-z]|@|邮箱|微信|权限|授权|批|核|审|签|确认|检查|查|校验|验|证|存|记|发|传|同步|备份|抄送|公开|开放|导出|"
    r"插件|工具|软件|网站|下载|装|执行|运行|日志|告警|警|监控|登录|摘要|评|结论|检索|引用|优先|首选|排|照|沿用|同此|这样|这边|这里|也走|交|派|由|听|他|她|品牌|牌子|家|自动|替|代|改|为准|订|购|买|卖|扣|领|取|车|药|退|货|标准|规则|任务|信任|信息|略过|均用|公户|监管|必须|可以不))"
)
# The same in English, of people who come and go in a house.
_HOUSE = (
    r"(?!\W{1,3}(?:all |our |the |only |new )?(?:visitors?|guests|customers|members|parents|students|pupils|staff|employees|colleagues|volunteers|residents|tenants|drivers|players|"
    r"patients|participants|readers|suppliers|hosts|stand\W?up|(?:weekly |team |monthly )?meetings?|office|shop|library|practice|clinic|pool|canteen|gym|bus|train|course|class|lessons?)\b"
    r"(?![^.!?\n]{0,160}?(?<![a-z])(?:you|your|ai|bot|agents?|assistants?|answers?|replies|reply|recommend\w{0,5}|suggest\w{0,4}|accounts?|pay\w{0,5}|paid|transfer\w{0,4}|iban|wire|bank|fees?|refunds?|money|"
    r"https?|www|approv\w{1,4}|verif\w{1,7}|confirm\w{0,6}|checks?|passwords?|codes?|tokens?|access|admin\w{0,8}|download|install|links?|without|no longer|not be|nt|skip|ignore|told|tell|mention)(?![a-z])))"
)
_CALLS_HELP = (
    r"(?![^.!?\n]{0,110}?\b(?:tell|call|fetch|inform|ask|page|notify|alert|report (?:it|this) to) (?:the |your |a |an |our )?(?:duty |shift |line |team |ward |fire |head )*"
    r"(?:caretaker|manager|supervisor|foreman|nurse|doctor|coordinator|police|lead|leader|security|brigade|teacher|parents?|chef|pharmacist|guard|officer|engineer)\b)"
)

RULES: Final[tuple[Rule, ...]] = (
    rule(STANDING, MEDIUM, "from|further|future|going|henceforth|this",
         r"\b(?:from (?:now|today|here) on(?:wards?)?|going forward|henceforth|from this (?:point|moment|day|message)"
         r"(?: on| forward| onwards?)*|until further notice|(?:for|in) all future \w{1,20}|in (?:the )?future)" + _HOUSE + r" <10>"
         rf"(?:{_DO}|you|your|please|always|never|don\W?t|do not|must)\b",
         unless=r"\b(?:we|they|he|she|it|i) (?:will |shall |would |d |ll )?(?:in (?:the )?future|from (?:now|today) on|henceforth)\b"),
    rule(STANDING, MEDIUM, "from|going|henceforth|moment|point",
         rf"\b{_DO} <12>(?:from (?:now|today|here) on(?:wards?)?|going forward|henceforth|from this (?:point|moment)"
         r" (?:on|forward))\b"),
    rule(STANDING, MEDIUM, "always|don|ever",
         rf"(?:^|[.!?,;:\n\-*\"(]\W{{0,3}}|\b(?:please|you|to|and|must|should|but|so|also) )(?:always|never|"
         rf"do not ever|don\W?t ever) {_SPEAK}\b"),
    rule(STANDING, MEDIUM, "always|never",
         rf"(?:^|[.!?,;:\n\-*\"(]\W{{0,3}}|\b(?:please|you|must|should|(?:wants?|asks?|asked|told|prefers?|likes?) (?:you"
         rf"|me|us|the (?:assistant|agent)) (?:to)?) ?)(?:always|never) {_DO} <8>(?:for me|my|me|the user|user s|your"
         r" (?:repl|answer|response|output|message)\w{0,4}|for (?:him|her|them|us))\b"),
    rule(STANDING, MEDIUM, "always|never",
         rf"\b(?:{_NAMED} (?:must |should |shall |will |has to |have to |needs? to |are to |is to )?|you (?:must|should|shall|will|have to|"
         rf"are to) )(?:always|never) {_DO}\b|\b(?:wants?|asks?|asked|told|instructed|expects?) (?:you|me|us|the {_AGENT}) to (?:always|never)"
         rf" <1>{_DO}\b"),
    rule(STANDING, MEDIUM, "every|time|when",
         r"\b(?:whenever|every time|each time|any ?time|when(?= (?:the )?(?:user|you|asked)))" + _CALLS_HELP + r" (?:the |a )?(?:user|i|we|he|she|they|"
         r"someone|anyone|asked|customer|you (?:(?:are |re )?asked|answer|reply|respond|recommend|suggest|summari[sz]e|talk to|speak to|help))\b <12>"
         rf"(?:{_SPEAK}|use|call|send|include|provide|add|always|never|please|you (?:must|should))\b"),
    rule(STANDING, MEDIUM, "assistant|agent|bot|ai ",
         rf"\b(?:the |this |your |an? )?(?:assistant|agent|chatbot|ai assistant|ai agent|bot) (?:must|should|shall|has"
         rf" to|have to|needs to|is to|is required to|is expected to|ought to) (?:not |only |always |never |also )?{_DO}\b",
         unless=r"\b(?:whether|if) (?:the |an? |our )?(?:assistant|agent|bot)|\b(?:must|should|shall|has to|have to) (?:not|never|only) (?:ever )?(?:treat|"
         r"follow|pay|send|book|buy|store|sign|order|forward|keep)"),
    rule(STANDING, MEDIUM, "answer|conversation|message|output|replies|reply|response|session",
         r"\b(?:in|with|at the end of|to|of) (?:every|each|all)(?: of)?(?: your)? (?:reply|replies|responses?|answers?)\b|"
         r"\b(?:in|with|at the end of|to|of) (?:every|each|all) of your (?:messages?|conversations?|sessions?|outputs?)\b|"
         r"\b(?:include|add|append|mention|end|begin|start|put|say|insert|sign|repeat|write|quote|use|name) <8>(?:in|with|at the end of|to|of) "
         r"(?:every|each|all)(?: your)? (?:messages?|conversations?|sessions?|outputs?)\b"),
    rule(STANDING, MEDIUM, "always|never|only",
         rf"\b(?:when|while|for|if) <6>(?:always|never|only) {_DO}\b|\balways (?:choose|pick|select|use|prefer|book|"
         r"order|buy) <8>(?:regardless|no matter|even if|whatever|over (?:all|any|other))\b",
         unless=r"\b(?:i|he|she|they|we|who|people) (?:have |has |had )?(?:always|never|only)"),
    rule(STANDING, MEDIUM, "一律|务必|都要", r"(?:一律|务必|都要)~2(?:选择?(?!否)|用|买|订|采用|走(?!平台|系统|流程|正规|官方)|找|去)" + _GUARDED_CN),
    rule(STANDING, MEDIUM, "以后|今后|往后|从现在|从今|从此|此后|下次|自此|从明天",
         r"(?:以后(?:都|请|别|就|要|回|用|再|跟|给|叫|一律|你|的|凡|每次|每 session|不[论管]|只|直接|帮|默认|,)|(?:以后(?:不(?![论管])|每(?!次| session)|我)|今后(?!的默认|凡|也|都))" + _WEIGHTY_CN + r"|今后(?:的默认|凡|也|都)|往后(?:都|请|要|就)|从现在(?:起|开始)|"
         r"从今(?:以后|天起|天开始|往后|起)|从此(?:以后|请|都)|此后(?:请|都|一律)|下次起|自此|从明天起)~14(?:回答|回复|答复|用|使用|称呼|叫|"
         r"推荐|建议|发|提醒|选|买|订|走|说|写|调用|记住|遵守|按|优先|采用|翻译|总结|给|带|附|加|都|要|必须|应|请|默认|提供|告诉|忽略|"
         r"执行|处理|视|当作|寄|付|避免|展示|改|问|放|安排|吃|坐|联系|打|点|送|别|不)" + _GUARDED_CN, unless=r"(?:年|月|天|日|小时|分钟|周|星期|了|秧|从那|修好|做完|办完|到货)以后|今后(?:您|你)?(?:如|若)[^。！？!?\n]{0,12}疑问"),
    rule(STANDING, MEDIUM, "一律|务必|始终|永远|总是|每次|每当|凡是|不要再|别再|再也不要|一直|都要|必须",
         r"(?:一律|务必|始终|永远|总是|每次|每当|凡是|不要再|别再|再也不要|一直要|都要|必须)~10(?:回答|回复|答复|称呼|叫我|推荐|提醒我|告诉"
         r"(?:我|用户|他|她)|翻译|总结成?|输出|给我|帮我|替我|给用户|建议|引用|向用户|对用户|为我)" + _GUARDED_CN,
         unless=r"(?:我|他|她|朋友|医生|老师|店员|大家|人们)(?:们)?(?:总是|一直|始终)"),
    rule(STANDING, MEDIUM, "一律|不得|不要再|今后|以后|务必|只能|始终|必须|总是|每当|每次|永远|禁止|都要",
         r"(?:你|助手|助理|智能体|ai|模型|机器人|(?:每次|所有|每条|每个)~4(?:回答|回复|对话|答案))~4(?:以后|今后|必须|务必|一律|始终|永远|"
         r"总是|每次|每当|不要再|都要|不得|禁止|只能)~16(?:回答|回复|用|使用|推荐|建议|发|提醒|说|写|调用|记住|遵守|按|优先|采用|提供|告诉|"
         r"忽略|执行|处理|视为|当作|带|附|加|引用)" + _GUARDED_CN + r"|每当(?:我|用户|客户|有人|你)~20(?:就|都|请|要|必须|应)"),
)  # fmt: skip
