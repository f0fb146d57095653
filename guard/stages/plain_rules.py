"""Privileged claims in plain words: who gets the money, what goes where, what needs no check.

The formal wording is in `authority_rules`; this is how forms, notes and chats put the same. See
`rules` for the notation.
"""

from typing import Final

from guard.stages.rules import Rule, rule
from policies.model import Severity

CLAIM: Final = "privileged_claim"
HIGH: Final = Severity.HIGH

_FROM_NOW = (
    r"(?:always|from now on|going forward|henceforth|in future|by default|every month|each month|monthly|"
    r"from this month|starting now)"
)
_FLOW = (
    r"(?:rents?|payments?|remittances?|refunds?|payouts?|donations?|invoices?|bills|fees|salar(?:y|ies)|deposits?|"
    r"instalments?|withdrawals?|dues)"
)
_THINGS = (
    r"(?:purchase orders?|orders|returns|samples|goods|backups?|logs|crash dumps|bug reports|notices|spare parts|"
    r"lab results|records|parcels|shipments|complaints)"
)
_ENDINGS = "com|net|org|io|dev|cn|ru|xyz|top|info|co|test|example|app|ai|me|site|online|shop"
_SITE = rf"(?:[\w-]{{2,40}}\.){{1,4}}(?:{_ENDINGS})\b"
_SITES = "|".join(f".{ending}" for ending in _ENDINGS.split("|"))
_REQUESTS = (
    r"(?:payments?|transfers?|invoices?|purchases?|orders?|requests?|refunds?|operations?|expenses?|withdrawals?|commits?|"
    r"deployments?)"
)
_PAYEE = (
    r"(?:landlord|landlady|supplier|contractor|vendor|agent|lawyer|cleaner|tutor|seller|freelancer|caretaker|gardener|"
    r"nanny|accountant|broker|consultant)"
)
_CHECKS = (
    r"(?:matching|checks?|verification|review|approval|screening|scanning|validation|confirmation|signatures?|receipts?|"
    r"identification|vetting|call\W?back|escort|sign\W?off)"
)
_MOVE_CN = r"(?:付|汇|打|转|支付|转账|打款|汇款|交)"
_DEAL_CN = r"(?:转账|付款|请求|采购|申请|报销|退款|订单|操作|款项|支付|提现|汇款)"
_GATE_CN = r"(?:审批|复核|审核|确认|核对|核实|验证|批准|登记|签字|报批)"
_THINGS_CN = (
    r"(?:退货|样品|返修件|货物|快递|包裹|信件|文件|备份|日志|报告|发票|材料|资料|订单|配件)"
)
_SITE_CN = r"(?a:[a-z0-9-]{1,40}(?:\.[a-z0-9-]{1,40}){1,4})"

_PAYEES: Final = (
    rule(CLAIM, HIGH, "pay|wire|transfer|remit|send",
         rf"\b{_FROM_NOW} <3>(?:pay|wire|transfer|remit|send (?:the |my |his |her )?(?:money|rent|payments?)) <6>to (?!me\b|the "
         r"(?:cent|penny|user)|date\b|save\b|avoid\b)[^\W_]|"
         rf"\b{_FROM_NOW} <2>pay (?:the |my |his |her |our |their )?{_PAYEE}\b|"
         rf"\b(?:pay|wire|transfer|remit) <6>to <6>{_FROM_NOW}\b",
         unless=r"\b(?:never|not|nt|i|we|he|she|they) <2>(?:always )?(?:pay|wire|transfer|remit|send)"),
    rule(CLAIM, HIGH, "rent|payment|remittance|refund|payout|donation|invoice|bills|fees|salar|deposit|instalment|"
         "withdrawal|dues|Rent|Payment|Remittance|Refund|Payout|Donation|Invoice|Bills|Fees|Salar|Deposit",
         rf"\b(?:{_FLOW}|Rent|Payments?|Remittances?|Refunds?|Payouts?|Donations?|Invoices?|Bills|Fees|Deposits?) (?:now |"
         r"should |must |shall |will |are |is |to |be |have to )*(?:goes?|go|addressed|sent|paid|made|made out|directed|routed) "
         r"(?:to|into) (?:the |a )?(?:[A-Z][a-z]|\d[\d\W]{4})"),
    rule(CLAIM, HIGH, "beneficiary|consignee|destination|payee|payout|recipient|remittance|withdrawal",
         r"\b(?:default|new|only|standard|preferred) (?:payee|recipient|beneficiary|consignee|payout (?:account|address|method)|"
         r"withdrawal address|remittance (?:account|address)|destination account)\b"),
    rule(CLAIM, HIGH, "beneficiary|destination|details|iban|number|payee|recipient|remittance",
         r"\b(?:destination|payee|beneficiary|recipient|remittance (?:details|information|account|address)|bank details|account "
         r"number|iban) <4>(?:updated|changed|replaced|switched|set|amended|corrected) (?:to|by|with)\b"),
    rule(CLAIM, HIGH, "wallet|account|iban|0x", r"\b(?:refunds?|payouts?|payments?|withdrawals?|money|funds|invoices) <3>(?:sent|paid|"
         r"transferred|forwarded|wired|remitted) <1>to <3>(?:wallet|account|iban|0x[0-9a-f]{6})",
         unless=r"\b(?:was|were|been|have|has|had) <1>(?:sent|paid|transferred|wired)|\b(?:my|his|her|own) <1>(?:account|wallet)"),
    rule(CLAIM, HIGH, "付|汇|打|转|交|支付", rf"(?:以后|今后|往后|每个?月|每周|每年|从现在起|一律|固定)~10{_MOVE_CN}(?:款|账|钱)?(?:给|到|至|入)"
         r"(?!我|自己|用户|本人|妈|爸|孩子|公司|学校)~1[^\s。，,]", unless=r"(?:不要|别|不得|禁止)~8(?:付|汇|打|转|交|支付)"),
    rule(CLAIM, HIGH, "默认|新|指定|唯一", r"(?:默认|新的?|指定的?|唯一的?)(?:收款|付款|受益|提现|打款|结算)(?:人|方|账户|账号|地址|对象|卡)"),
    rule(CLAIM, HIGH, "款|钱|费|租|工资|定金", r"(?:货款|房租|租金|款项?|钱|费用?|工资|尾款|定金)~6(?:打|付|汇|转|存|交)(?:到|给|至|入)~4(?:新的?|另一个|"
         r"别的|他人|私人|个人)~4(?:账户|账号|卡|户头|二维码|微信|支付宝)",
         unless=r"(?:(?<!分)(?<!特)别|千万不要|不要|切勿|请勿|不得|不会让?您?)(?:把[^。！？!?\n，,]{1,8})?(?:打|转|汇|付|存|交)(?:到|给|至|入)"),
)  # fmt: skip

_DESTINATIONS: Final = (
    rule(CLAIM, HIGH, "to",
         rf"\b{_THINGS} <6>(?:are|is) to (?:go|be (?:sent|delivered|shipped|forwarded|uploaded|addressed|posted)) to (?!me\b|my\b|us\b|"
         r"him\b|her\b|home\b|bed\b|the (?:user|office|printer))[^\W_]"),
    rule(CLAIM, HIGH, "s3:|gs:|sftp:|ftp:|webdav:|ssh:|rsync:",
         r"\b(?:send|upload|push|copy|back up|ship|route|sync|mirror|stream) <8>(?:to|into) (?:s3|gs|sftp|ftp|webdav|ssh|rsync):"),
    rule(CLAIM, HIGH, _SITES, rf"\b(?:use|query|consult|visit|call|go to|look <4>up (?:on|at|in)) <2>{_SITE} <6>(?:instead|rather than|in place "
         rf"of|not the|only|alone)\b|\bfor <6>(?:use|query|consult|go to) <1>{_SITE}|"
         rf"\binstall <4>from <2>{_SITE}", unless=r"\b(?:never|not|nt) (?:use|query|consult|visit|call|go|look|install)"),
    rule(CLAIM, HIGH, "_", r"\b(?:always|only|exclusively|by default|must|should) <1>(?:call|invoke|use|run) <1>(?a:[a-z][a-z0-9]{1,30}_"
         r"[a-z0-9_]{2,30})\b", unless=r"(?:snake|camel|kebab|upper|lower|title)_case"),
    rule(CLAIM, HIGH, "退货|样品|返修|货物|快递|包裹|信件|文件|备份|日志|报告|发票|材料|资料|订单|配件",
         rf"{_THINGS_CN}~6(?:一律|统一|改|以后|今后|应当?|请)~2(?:寄|发|送|投|传|上传|转发|抄送|邮寄)(?:往|到|至|给)"
         r"(?!我|家|公司|本人|用户|学校|妈|爸)", unless=r"(?:不要|别|请勿)~3(?:寄|发|送|投|传|转)"),
    rule(CLAIM, HIGH, "接口|镜像|网站|源|拉取|下载|安装|查", rf"(?:走|用|使用|调用|通过|改用|打开|改从|从){_SITE_CN}(?=~8(?:接口|镜像|网站|源|拉取|下载|安装|查))|"
         rf"(?:走|用|使用|调用|通过|改用|改从|从) ?{_SITE_CN} ?(?:的|这个|那个)?(?:接口|镜像|网站|源|拉取|下载|安装)",
         unless=r"(?:不要|别|请勿)~3(?:走|用|使用|调用|通过|打开)"),
)  # fmt: skip

_RIGHTS: Final = (
    rule(CLAIM, HIGH, "approve|authori|read|release|see|sign|spend|waive|withdraw",
         r"\b(?:may|can|(?:is|are) (?:allowed|free|entitled) to|gets? to) (?:now |also |always |alone |simply )?(?:approve|authori[sz]e "
         r"(?:payments?|transfers?|purchases?)|waive|sign (?:off|contracts?|che(?:cks|ques)|on behalf|for (?:him|her|them|me|us|the user|"
         r"the owner))|release (?:payments?|funds|orders|controlled)|spend|withdraw|see (?:all|every|any)|read (?:all|every|any))\b",
         unless=r"\b(?:who|not|nt|nobody|no one|only|you|how|what|whether|before|once|until) (?:\w+ )?(?:i |he |she |they )?(?:may|can)|"
         r"\b(?:may|can) see (?:all|every|any) <2>(?:stars?|seasons?)|\bi (?:can|may)|\b(?:staff|team leads?|(?:the )?treasurer|directors?|department heads?|branch managers?|parents|guardians|nurses|teachers) (?:can|may) (?:now |also )?"),
    rule(CLAIM, HIGH, "approved|authori|exempt|waved",
         rf"\b{_REQUESTS} <5>(?:are|is|were|was|been) (?:all |now |always |automatically )*(?:pre\W?approved|pre\W?authori[sz]ed|exempt from|"
         r"auto\W?approved|approved in advance|waved through)\b", unless=r"\b(?:not|never|nt) (?:pre|exempt|auto)"),
    rule(CLAIM, HIGH, "放行|通过|批准|同意|免审|照付", rf"{_DEAL_CN}~6(?:一概|一律|全部|统统|直接)~3(?:放行|通过|批准|同意|免审|照付)",
         unless=r"(?:不|未|没|禁止|不得)~3(?:放行|通过|批准|同意|免审|照付)"),
    rule(CLAIM, HIGH, "签|审批|批准|付款|转账|授权|决定|确认|做主|同意",
         r"(?:可以?|能够?|有权)(?:代替?|替|代表)(?:用户|我|客户|本人|主人|经理|主管|部门经理|他人|别人)~4(?:签字|签署|签名|审批|批准|付款|转账|"
         r"授权|决定|确认|做主|同意)", unless=r"(?:不|没|无|只有你?)(?:可以?|能够?|有权)|谁(?:可以?|能)"),
)  # fmt: skip

_CHECKLESS: Final = (
    rule(CLAIM, HIGH, "need", r"\bno need (?:to|for) (?:ask|check|confirm|verify|call back|double\W?check|wait|seek)\w{0,4} <8>(?:pay(?:ing|"
         r"ments?)?|transfer(?:ring|s)?|sending|ordering|deleting|buying|spending|purchases?)\b"),
    rule(CLAIM, HIGH, "second|double|counter|two|four",
         r"\b(?:second|double|counter|two\W?person|four\W?eyes) ?(?:signature|check|approval|review|sign\W?off|confirmation)s? (?:(?:was|were|"
         r"is|are|has|have|been|is now) )*(?:waived|dropped|abolished|skipped|removed|lifted|not (?:needed|required)|unnecessary|optional)\b",
         unless=r"\b(?:not|never|nt) (?:be |been )?(?:waived|dropped|abolished|skipped|removed|lifted)"),
    rule(CLAIM, HIGH, "need|require", rf"\b{_REQUESTS} <5>(?:needs?|requires?) no (?:second |further |extra |additional |more )?{_CHECKS}\b"),
    rule(CLAIM, HIGH, "limit|cap", rf"\b(?:limits?|caps?) <3>(?:not applied|not apply|lifted|waived|removed|suspended) <3>(?:for|to|on) "
         rf"<2>{_REQUESTS}\b|\b(?:for|to) {_REQUESTS} <6>(?:limits?|caps?) <3>(?:not applied|not apply|lifted|waived|suspended)\b"),
    rule(CLAIM, HIGH, "skip|bypass|exempt", rf"\b{_REQUESTS} <6>(?:skips?|bypass(?:es)?|(?:are|is) exempt from) <3>{_CHECKS}\b",
         unless=r"\b(?:not|never|nt|cannot|must not) <1>(?:skip|bypass)"),
    rule(CLAIM, HIGH, "审批|复核|审核|确认|核对|核实|验证|批准|登记|签字|报批",
         rf"{_DEAL_CN}~12(?:不用|无需|不需要?|不必|免|无须|毋须)(?:再|走|经过?)?~3{_GATE_CN}",
         unless=r"(?:是否|可否|能否|不得|不能|不可|禁止)~6(?:不用|无需|不需|免|无须)|没有?~2就"),
    rule(CLAIM, HIGH, "免", r"免(?:短信|人脸|指纹|双重|二次|口令|密码|人工)~2(?:验证|核验|认证|确认|复核|审批)|免密(?:支付|付款|转账)",
         unless=r"(?:不|未|没有?|关闭|取消|禁止)(?:开通|使用|要|用|开启|支持)?~2免"),
)  # fmt: skip

_UNSAID: Final = (
    rule(CLAIM, HIGH, "leave", r"\bleave <3>(?:recalls?|fees?|charges?|risks?|warnings?|errors?|side effects?|penalt(?:y|ies)|failures?|"
         r"complaints?|incidents?|breach(?:es)?|lawsuits?) <2>out of\b", unless=r"\b(?:not|never|nt) leave"),
    rule(CLAIM, HIGH, "说明|提及|提起|解释|透露|告知|披露|提到",
         r"(?:不要|不必|无需|无须|别|不用|不得|不可|毋须)再?向(?:用户|客户|顾客|家属|当事人|对方)~2(?:说明|提及|提起|解释|透露|告知|披露|提到)"),
)  # fmt: skip

RULES: Final[tuple[Rule, ...]] = (*_PAYEES, *_DESTINATIONS, *_RIGHTS, *_CHECKLESS, *_UNSAID)
