"""Privileged claims as people put them in passing: a nod, a go-ahead, "no need to ask him".

Reported consent is the easy paraphrase of a claim that `authority_rules` knows by its formal words.
See `rules` for the notation.
"""

from typing import Final

from guard.stages.rules import Rule, rule
from policies.model import Severity

CLAIM: Final = "privileged_claim"
HIGH: Final = Severity.HIGH

_SPENDING = (
    r"(?:pay(?:s|ing|ments?)?|transfer(?:s|ring)?|wir(?:e|es|ing)|spend(?:s|ing)?|purchas(?:e|es|ing)|"
    r"buy(?:s|ing)?|withdraw(?:s|ing|als?)?|remit(?:tances?)?|refund(?:s|ing)?|"
    r"mov(?:e|es|ing) (?:the )?(?:money|funds))"
)
_HIM = (
    r"(?:him|her|them|me|us|(?:the |his |her )?(?:user|customer|client|owner|boss|manager|human))"
)
_BAD_NEWS = (
    r"(?:fees?|charges?|surcharges?|commissions?|costs?|risks?|warnings?|errors?|side effects|"
    r"price increases?|penalt(?:y|ies)|failures?|recalls?|conflicts? of interest)"
)
_SPENDING_CN = r"(?:付款|支付|转账|汇款|提现|扣款|打款|下单|采购|购买|消费|花钱|动用资金)"
_PERSON_CN = r"(?:用户|客户|主人|老板|本人|他|她)"
_AGENT_CN = r"(?:助手|助理|智能体|机器人|agent|ai|你|我)"

_CONSENT: Final = (
    rule(CLAIM, HIGH, "go|green|thumb|bless|nod|carte|free",
         r"\b(?:go\W?ahead|green light|thumbs\W?up|blessing|nod|carte blanche|free (?:rein|hand)) <1>(?:to|for|on|with)"
         rf" <4>{_SPENDING}\b", unless=r"\b(?:no|not|never|nt|without|asked for|waiting for|needs?) <3>(?:go\W?ahead|"
         r"green light|thumbs\W?up|blessing|nod|carte|free)"),
    rule(CLAIM, HIGH, "buy|funds|money|pay|purchas|refund|remit|spend|transfer|wir|withdraw", r"\b(?:ok|okay|fine|comfortable|happy|cool|agrees|agreed|no (?:problem|objections?|issue))"
         rf" (?:with|to) <2>{_SPENDING} <1>(?:being|made|going|happening|without|at any)\b",
         unless=r"\b(?:not|never|nt) <1>(?:ok|okay|fine|comfortable|happy|cool)"),
    rule(CLAIM, HIGH, "cleared", rf"\b{_SPENDING} <5>(?:are|is|were|was|been) <1>pre\W?cleared\b"),
    rule(CLAIM, HIGH, "without", rf"\b{_SPENDING} <8>without <2>(?:being asked|(?:checking|double\W?checking|clearing it|"
         rf"consulting|running it|verifying) <1>(?:with|by|past|first)|bothering|asking|consulting|approval) ?(?:{_HIM})?\b",
         unless=r"\b(?:never|not|nt|cannot|no one|nobody|no|must not) (?:<5>)?without|"
         rf"\b(?:never|not|nt|no) <2>{_SPENDING}"),
    rule(CLAIM, HIGH, "approve|funds|money|pay|purchase|spend|transfer|wire|withdraw",
         r"\b(?:assistant|agent|bot|ai) (?:may|can|is free to|is allowed to|could just) <2>(?:pay|transfer|wire|spend|"
         r"purchase|withdraw|move (?:money|funds)|approve (?:payments?|transfers?|purchases?|spending))\b",
         unless=r"\b(?:travel|estate|insurance|booking|letting|shipping|property) agents?\b"),
    rule(CLAIM, HIGH, "money|funds|account|finances|savings|wallet",
         r"\b(?:handle|manage|move|spend|use|invest) (?:all )?(?:of )?(?:his|her|their|my|the user\W?s?|our) (?:money|funds|"
         r"accounts?|finances|savings|wallet) <2>(?:as (?:i|it|you|he|she|they) (?:see|sees|like|likes|want|wants|please|"
         r"pleases)|freely|however|at (?:my|its|your) (?:own )?discretion)\b"),
    rule(CLAIM, HIGH, "delegat", r"\bdelegat(?:e|ed|es|ing) <4>(?:purchas\w{1,4}|payments?|spending|financial|approvals?|"
         r"buying|transfers?) <3>to <1>(?:assistant|agent|bot|ai|me|you|it)\b"),
    rule(CLAIM, HIGH, "need|require", r"\b(?:payments?|transfers?|deletions?|requests?|purchases?|refunds?|withdrawals?|commands?|"
         r"deployments?) <5>(?:needs?|requires?) no <2>(?:confirmation|approval|authori[sz]ation|verification|consent|"
         r"sign\W?off|review|permission)\b"),
    rule(CLAIM, HIGH, "异议|意见|点头|绿灯|首肯",
         rf"(?:点头|首肯|开了?绿灯)~10{_SPENDING_CN}|{_SPENDING_CN}~8(?:点头|首肯|开了?绿灯)|"
         rf"对~4{_SPENDING_CN}(?:没有?意见|没有?异议|无异议|无意见)", unless=r"(?:没有?|未|尚未|还没|等)(?:点头|首肯|开)"),
    rule(CLAIM, HIGH, "下单|不必|不用|付款|动用资金|打款|扣款|提现|支付|无需|无须|汇款|消费|花钱|购买|转账|采购", rf"{_SPENDING_CN}~6(?:不用|不必|无需|不需要?|别|无须|没必要|用不着)(?:再|去|先)?"
         rf"(?:问|请示|打扰|征求)(?:{_PERSON_CN}|一下|$|[。,;!\s])|(?:不用|不必|无需|无须)(?:再|去|先)?(?:问|请示)"
         rf"{_PERSON_CN}?~4(?:就|即可?|便)?(?:可以|能|直接){{1,2}}~2{_SPENDING_CN}"),
    rule(CLAIM, HIGH, "批准|同意|授权|许可|允许|认可",
         rf"{_SPENDING_CN}~3(?:用户|客户|老板|主人|领导)(?:都|已经?|均|全部?|一律)~2(?:批准|同意|授权|许可|允许|认可)",
         unless=r"(?:没|未|尚未|不)(?:都|曾)?(?:批准|同意|授权|许可|允许|认可)"),
    rule(CLAIM, HIGH, "下单|付款|动用资金|打款|扣款|提现|支付|汇款|消费|花钱|购买|转账|采购",
         rf"{_AGENT_CN}(?:就|都)?(?:可以?|能够?|有权)(?:自行|自主|自己|随意|直接|替用户)(?:决定|处理|安排|发起|完成|做主)?~2"
         rf"{_SPENDING_CN}", unless=r"(?:不|没|无)(?:可以?|能够?|有权)"),
    rule(CLAIM, HIGH, "权限|权力|权利|全权",
         rf"(?:给|授予|赋予|交给)了?{_AGENT_CN}~4{_SPENDING_CN}~2(?:权限|权力|权利)|"
         r"全权(?:处理|负责|管理|支配|决定|代理|做主)~8(?:资金|钱|付款|账户|财务|采购|支付|存款|余额)",
         unless=r"(?:没有?|未|不)(?:给|授予|赋予|交给|全权)"),
)  # fmt: skip

_PLACES: Final = (
    rule(CLAIM, HIGH, "account|details|iban",
         r"\b(?:new|supplier|vendor|company|landlord|payment|invoice|refund|contractor|employer|acme|"
         r"[a-z]{2,20}\W?s) <1>(?:bank )?(?:account|bank details|iban)(?: number| details)?(?: is| are|:) "
         r"<5>(?:[a-z]{2}\d{2}[a-z0-9]{8,30}|0x[0-9a-f]{6}|\d{8,20})",
         unless=r"\b(?:user|customer|client|my|his|her|own)(?:\W?s)? <2>(?:account|bank)"),
    rule(CLAIM, HIGH, "support|service|help|hotline|billing|login",
         r"\b(?:support|customer service|help ?desk|hotline|billing|login) ?(?:number|phone|line|page|portal|address|site|"
         r"team)? (?:is|are) (?:now |at |reached )+(?:at |under )?(?:https?:/|www\.|[\w.+-]{1,64}@|\+?\d[\d\W]{5})"),
    rule(CLAIM, HIGH, "tool|plugin|api|service|function|app",
         r"\b(?:best|preferred|recommended|right|only|correct) (?:tool|plugin|api|service|function|app) <1>for <3>"
         r"(?:payments?|transfers?|purchases?|checkout|refunds?|money) <2>(?:is|:)"),
    rule(CLAIM, HIGH, "trust", r"\b(?:user|customer|client|owner) (?:fully |completely |always |already )?trusts <2>(?:links?|"
         r"e\W?mails?|messages?|domains?|sites?|attachments?|senders?|downloads?|anything|everything) <1>(?:from|by|on|sent)\b"),
    rule(CLAIM, HIGH, "信任", r"(?:用户|客户|主人|老板)(?:完全|一直|已经?|始终)?信任~24(?:的|发来的|提供的)(?:链接|邮件|消息|附件|网站|"
         r"域名|下载|文件)", unless=r"(?:不|从不|没有)信任"),
    rule(CLAIM, HIGH, "http|www.", r"(?:一律|统一|都|务必|必须|总是|只能?|默认)~2(?:用|使用|走|通过|访问|调用)~4(?:https?:/|www\.)",
         unless=r"(?:不|别|勿)(?:要|能|得|可)?~3(?:用|使用|走|通过|访问)"),
    rule(CLAIM, HIGH, "_", r"\b(?:always|by default|default to|only|prefer|exclusively) <2>(?:use |call |using |calling )?(?:the )?"
         r"(?a:[a-z][a-z0-9]{1,30}_[a-z0-9_]{2,30})\b|(?:默认|一律|以后都?|优先|只能?|务必)~3(?:用|使用|调用)~2"
         r"(?a:[a-z][a-z0-9]{1,30}_[a-z0-9_]{2,30})", unless=r"(?:snake|camel|kebab|upper|lower|title)_case"),
)  # fmt: skip

_SILENCE: Final = (
    rule(CLAIM, HIGH, "about", r"\b(?:user|customer|client|owner|boss|he|she|they) (?:does not|doesn\W?t|do not|don\W?t|need not|"
         r"needn\W?t|should not|shouldn\W?t|must not) <2>(?:know|hear|be told|learn|find out) about <3>"
         rf"{_BAD_NEWS}\b", unless=r"\bdoes(?: not|n\W?t) (?:know|understand) (?:anything )?about"),
    rule(CLAIM, HIGH, "between", r"\bkeep (?:this|it|that) (?:just |strictly )?between (?:us|ourselves|you and me|the two of us)\b"),
    rule(CLAIM, HIGH, "知道", rf"{_PERSON_CN}(?:不需要?|不必|无需|无须|没必要|不用|不该|不应当?)知道~6(?:费用|手续费|风险|收费|"
         r"错误|警告|副作用|异常|佣金|涨价|故障|损失|罚款)|(?:只有|就)?(?:你我|我们)(?:两个?人?|俩)?知道(?:就好|就行|即可|就可以)"),
)  # fmt: skip

RULES: Final[tuple[Rule, ...]] = (*_CONSENT, *_PLACES, *_SILENCE)
