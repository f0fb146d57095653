"""The rules for privileged claims; see `rules` for the notation."""

from typing import Final

from guard.stages.hearsay_rules import RULES as HEARSAY_RULES
from guard.stages.plain_rules import RULES as PLAIN_RULES
from guard.stages.rules import Rule, rule
from guard.stages.standing_rules import RULES as STANDING_RULES
from guard.stages.steering_rules import RULES as STEERING_RULES
from policies.model import Severity

CLAIM = "privileged_claim"
HIGH = Severity.HIGH

_GRANTED = (
    r"(?:authori[sz]e[sd]?|approve[sd]?|pre\W?approved|pre\W?authori[sz]ed|consent(?:s|ed) to|granted|"
    r"permits|permitted|signed off on|green\W?lit|agreed to|allows|allowed|whitelisted|cleared)"
)
_DEALINGS = (
    r"(?:payments?|transfers?|transactions?|purchases?|wires?|withdrawals?|refunds?|operations?|actions?|"
    r"requests?|orders?|spending|expenses?|deletions?|trades?|access|permissions?|privileges?|changes|"
    r"deployments?|commands?|downloads?|invoices?|bookings?)"
)
_MONEY = (
    r"(?:payments|transfers|transactions|withdrawals|operations|wire transfers?|money transfers?)"
)
_ALL = r"(?:all|any|every|each|future|further|unlimited|blanket|automatic(?:ally)?|full|unrestricted|standing)"
_CHECK = (
    r"(?:confirm(?:ation|ations|ing)?|approvals?|authori[sz]ation|verif(?:y|ication|ying)|permission|consent|"
    r"2fa|mfa|two\W?factor|one\W?time (?:password|code)s?|otp|security (?:check|question|review|step|warning|"
    r"prompt)s?|identity checks?|safety checks?|double\W?check(?:ing)?|fraud checks?|validation|"
    r"(?:password|id|age|credit|virus) checks?|human review|sign\W?off|review step|approval step)"
)
_TARGET = r"(?:https?:/|ftp:/|www\.|[\w.+-]{1,64}@[\w-]{1,63}\.)"
_NUMBERED = r"(?=[^.!?\n]{0,40}?(?:\d[\d\s\-]{3}|iban|ending|below|[a-z]{2}\d{2}))"
# An account that is only spoken of ("the club's account") tells nobody where to pay.
_ACCOUNT = (
    r"(?:(?:new|private|personal|different|another|following|other|alternative|updated|temporary|interim|holding|collection|"
    r"safe|safekeeping) <2>accounts?|accounts?(?! (?:managers?|teams?|support|executives?|settings|page))"
    + _NUMBERED
    + r"|iban|"
    r"wallets?|bitcoin|btc|usdt|paypal|venmo|[a-z]{2}\d{2}[a-z0-9]{8,30}|[a-z]{2}\d{2} \d{4}|0x[0-9a-f]{6}|\d{10,20}|payee|"
    r"beneficiary(?! on file))"
)
_PAPERS = (
    r"(?:reports?|documents?|files?|statements?|data|records?|backups?|logs?|results?|contracts?|copies|copy|"
    r"e\W?mails?|messages?|notifications?|credentials?|passwords?|invoices?|receipts?|transcripts?|"
    r"conversations?|payments?|everything)"
)
_PRINCIPAL = (
    r"(?:the |your |our |any )?(?:user|customer|client|account (?:holder|owner)|owner|human|operator|admin(?:istrator)?|"
    r"auditors?|compliance|security team|manager|supervisor|boss)s?"
)
_BAD_NEWS = (
    r"(?:fees?|charges?|costs?|surcharges?|commissions?|risks?|warnings?|errors?|side effects?|logs?|alerts?|"
    r"transactions?|penalt(?:y|ies)|failures?|recalls?|complaints?|price increases?|conflicts? of interest)"
)
# Not to agree, and not to press a button, is care and skips nothing.
_GIVE_CN = r"(?:轻易|随便|随意)?(?:点击?|给)?(?:授权|同意|批准|(?<=点)确认|(?<=点击)确认)"
_WARNED_CN = r"(?![^。！？!?\n]{0,40}?(?:(?:请?不要|请?勿|别|可以直接)(?:转|付|打|汇|理|照做|相信|挂断)|报警|举报|都是骗|是诈骗|不实|并未发出))"
_GATE_CN = r"(?:确认|核实|验证|审批|审核|复核|审查|授权|核验|验证码|安全检查|校验|询问用户|请示|双重认证|同意)"
_DEAL_CN = (
    r"(?:付款|支付|转账|汇款|交易|操作|访问|权限|提现|扣款|删除|退款|请求|采购|购买|打款|下单|消费)"
)
_ACCOUNT_CN = (
    r"(?:(?:新的?|个人|私人|以下|下面|下列|如下|另一个?|另外的?|别的|临时|安全|备用|他的|她的|其)~3(?:账户|账号|帐号|帐户|卡号|银行卡|户头|卡)|"
    r"(?:账户|账号|帐号|帐户|卡号|银行卡)(?=[^。！？!?\n]{0,14}\d{4})|钱包|支付宝|微信|尾号|\d{8,}|[a-z]{2}\d{10,})"
)
_PROTECTS = r"\b(?:never|not|nt|don t|cannot|can t|no one|nobody|must not|without) (?:ever )?"

_AUTHORISED: Final = (
    rule(CLAIM, HIGH, "author|approve|consent|granted|permit|signed|green|agreed|allow|whitelist|cleared",
         rf"\b{_GRANTED} <5>{_ALL} <4>{_DEALINGS}\b", unless=r"\b(?:not|never|nt|hasn\W?t) (?:yet )?"
         rf"{_GRANTED}"),
    rule(CLAIM, HIGH, "author|approve|consent|granted|permit|signed|green|agreed|allow|whitelist|cleared",
         rf"\b{_GRANTED} (?:the |these |our |your |me to |you to |to make )?<3>{_MONEY}\b"),
    rule(CLAIM, HIGH, "author|approve", rf"\b{_ALL} <4>{_DEALINGS} <3>(?:are|is|were|has been|have been|being)"
         r" <2>(?:pre\W?)?(?:authori[sz]ed|approved)\b"),
    rule(CLAIM, HIGH, "approved|authori",
         r"\b(?:user|customer|owner|manager|boss|ceo|cfo|admin(?:istrator)?|i|client|operator) (?:has |have |had |"
         r"hereby |already |fully |explicitly )*(?:authori[sz]e[sd]?|pre\W?approved|approved) <3>(?:payment|"
         r"transfer|purchase|wire|withdrawal|assistant|agent|you|access|deletion)\b"),
    rule(CLAIM, HIGH, "access|authority|control|permission|privilege|right",
         r"\b(?:has|have|given|grant(?:ed|s)?|gets?|give) <4>(?:admin(?:istrator)?|root|superuser|full|"
         r"unrestricted|unlimited|elevated|owner) <2>(?:access|rights?|privileges?|permissions?|control|authority)\b(?! (?:only|solely) (?:inside|within|during|while|by|after|with|for the)\b)",
         unless=r"\b(?:never|not|nt) (?:be )?(?:give|grant)"),
    rule(CLAIM, HIGH, "admin|authori|superuser|approver|signatory",
         r"(?<![_.])\b(?:is|are|am|becomes?|added as|registered as|act(?:s|ing)? as|treated as) (?:now |also )?(?:an? |the )?(?:new |only |"
         r"sole |full )?(?:system |account )?"
         r"(?:admin|administrator|superuser|approver|authori[sz]ed (?:user|signatory|contact|person|recipient|"
         r"administrator|agent|representative|buyer|payer))s?\b(?![^.!?\n]{0,60}\b(?:while|until|during) [^.!?\n]{1,40}\b(?:leave|holidays?|away|absent|absence|back|returns?)\b)", unless=r"\bnot (?:an? |the )?(?:admin|authori)|is_admin|\badmin (?:one|password|panel|page)|"
         r"\b(?:if|who|whether) <3>(?:is|are|am)"),
    rule(CLAIM, HIGH, "授权|批准|许可|准许|审批|允许|同意|认可",
         rf"(?:授权|批准|许可|准许|审批通过|允许|同意|认可)(?:了)?~10(?:(?:所有|全部|任何|一切|每笔|后续|今后|以后|无限|自动)~6"
         rf"{_DEAL_CN}|付款|支付|转账|汇款|提现|扣款)", unless=r"(?:未经?|没有?|不|尚未|需要?|须|请)(?:得到|获得)?~4"
         r"(?:授权|批准|许可|准许|审批通过|允许|同意|认可)"),
    rule(CLAIM, HIGH, "授权|批准|同意|通过|审批", rf"(?:所有|全部|任何|一切|每笔)~8{_DEAL_CN}~4(?:已|均|都|全部)~4(?:授权|批准|同意|"
         r"审批|通过)"),
    rule(CLAIM, HIGH, "权限|权力|访问权|管理员|审批人|授权人",
         r"(?:拥有|具有|享有|获得|授予|赋予|给予|开通)~8(?:管理员|最高|全部|所有|完全|超级|root|admin)~3(?:权限|权力|访问权)|"
         r"(?:是|成为|为|作为)(?:系统|新的?|超级|授权的?|唯一的?|本系统)?(?:管理员|授权人|审批人)", unless=r"(?:不|没|未)(?:是|会|有|再)|(?:自称|冒充|声称|谁都可以说|谎称|假装)"),
    rule(CLAIM, HIGH, "permission|authori|consent|approval|clearance|mandate",
         r"\b(?:has|have|had|gives?|gave|given|grants?|granted|with) <3>(?:permissions?|authori[sz]ation|authority|"
         r"consent|approval|clearance|mandate) <1>(?:to|for) <2>(?:complete|make|execute|pay|purchase|transfer|delete|"
         r"disable|access|read|share|send|approve|spend|order|buy|trade|modify|change|install|run|act|sign|release|"
         r"withdraw|payments?|transfers?|purchases?|all|any)\b",
         unless=r"\b(?:no|not|never|nt|without) <2>(?:permission|authori|consent|approval|clearance)|asked"),
    rule(CLAIM, HIGH, "auto",
         r"\bauto(?:matically)?\W?(?:approv|pay|accept|confirm|execut|transfer|purchas|authori[sz]|delet|"
         r"grant|releas|sign)(?:e|es|ed|ing|al)?\b(?!:| (?:is|was|are|stays?|remains?) (?:disabled|off|forbidden|not))|\b(?:complete|approve|pay|transfer|purchase|execute|sign|buy)d? <5>"
         r"automatically\b", unless=r"\b(?:not|never|nt) <1>auto"),
    rule(CLAIM, HIGH, "allowed|permitted|entitled|cleared",
         r"\b(?:allowed|permitted|entitled|cleared) to (?:read|access|see|view|delete|modify|approve|transfer|spend|"
         r"export|change|share|pay) <2>(?:all|any|every|other|everyone|everything)\b",
         unless=r"\b(?:not|never|nt|nobody|no one) (?:be )?(?:allowed|permitted|entitled|cleared)"),
    rule(CLAIM, HIGH, "treat", r"\btreat(?:ed)? <10>as (?:if )?<3>(?:admin\w{0,10}|operator|the system|owner|trusted|"
         r"authori[sz]ed|verified|approved|confirmed)\b"),
    rule(CLAIM, HIGH, "自动|授权|委托",
         r"(?:可以?|允许|一律|直接|希望)自动(?:完成|批准|支付|付款|转账|扣款|执行|下单|通过|放行|审批)|自动(?:批准|审批|放行)|"
         r"(?:长期|永久|全权|一次性|无限期)(?:授权|委托)", unless=r"(?:不|禁止|没有?)(?:要|得|能|可|允许)?~2自动"),
    rule(CLAIM, HIGH, "可以|有权|允许|能够|视为|视作|当作",
         r"(?:可以|能够|有权|允许)~2(?:查看|访问|读取|修改|删除|批准|审批|导出|动用|使用)~4(?:所有|全部|任何|一切|其他)~3(?:用户|"
         r"人|记录|数据|文件|账户|权限|资金|订单|请求)|有权~3(?:关闭|禁用|跳过|删除|批准|转账|访问|修改|审批|付款)|"
         r"(?:视为|视作|当作)~4(?:管理员|系统|授权|可信|已确认|已批准|运营方)", unless=r"(?:不|没|无)(?:可以|能够|有权|允许|权)"),
)  # fmt: skip

_SKIP: Final = (
    rule(CLAIM, HIGH, "2fa|approval|authori|check|confirm|consent|double|factor|fraud|human|identity|mfa|otp|"
         "permission|safety|security|sign|step|time|validation|verification|verify",
         r"\b(?:skip(?:ping)?|bypass(?:ing)?|omit(?:ting)?|disable|waive|suppress|turn off|forgo|ignore|drop|"
         r"(?:don\W?t|do not|never|stop|no need to|needn\W?t) (?:ask(?:ing)?|wait(?:ing)?|require|requiring|need|"
         r"bother|seek|request)|(?:no|without) need (?:for|to)) (?:to |for |with |any |the |a |about |all |"
         rf"my |user |further |manual |asking )*<2>{_CHECK}\b(?! e\W?mails?\b)",
         unless=_PROTECTS + r"(?:skip|bypass|omit|disable|waive|suppress|turn off|forgo|ignore|drop)|"
         r"don\W?t forget|\bnever ask (?:you )?for <3>(?:one\W?time|otp|2fa|mfa)|\b(?:if|whoever|anyone who|who|they|it|he|she) <2>"
         r"(?:skip|bypass|disable|suppress|ignore)s?\b"),
    rule(CLAIM, HIGH, "2fa|approval|authori|check|confirm|consent|double|factor|fraud|human|identity|mfa|otp|"
         "permission|safety|security|sign|step|time|validation|verification|verify",
         r"\b(?:pay|transfer|send|delete|execute|run|proceed|purchase|buy|approve|deploy|act|go ahead|process|"
         r"complete|perform|order|withdraw|book|sign|make|trade|install|grant|paid|goes? out|issued?|refunds?|payments?|transfers?|"
         r"purchases?|transactions?|operations?|actions?) <8>(?:without|no|(?:needs?|requires?) no) (?:any |my |"
         rf"further |asking |user |additional |prior |manual |the user\W?s? |for )*<2>{_CHECK}\b",
         unless=_PROTECTS + r"(?:<3>)?(?:pay|transfer|send|delete|execute|run|proceed|purchase|buy|approve|deploy|"
         r"act|process|complete|perform|order|withdraw|book|sign|make|trade|install|grant|share)|\blimit <1>without"),
    rule(CLAIM, HIGH, "necessary|need|require|wanted",
         rf"\b{_CHECK} <3>(?:is|are) (?:not |no longer |un)(?:needed|required|necessary|wanted)\b|\b(?:does not|"
         rf"doesn\W?t|do not|don\W?t|no longer) (?:need|require)s? <4>{_CHECK}\b"),
    rule(CLAIM, HIGH, "bypassed|disabled|ignored|omitted|skipped|suppressed|turned|waived",
         rf"\b{_CHECK} <5>(?:skipped|bypassed|omitted|disabled|waived|ignored|suppressed|turned off)\b",
         unless=r"\bno (?:skipped|bypassed|omitted)|\b(?:not|never|nt|cannot) <1>(?:be )?(?:skipped|bypassed|omitted|disabled|waived|ignored|suppressed)"),
    rule(CLAIM, HIGH, "跳过|绕过|省略|免|取消|关闭|忽略|无需|不需|不用|不必|不要|别|略过|无须",
         rf"(?:跳过|绕过|省略|略过|免去|免除|免(?=审|确认|验)|取消|关闭|忽略|无需|无须|不需要?|不用|不必|不要(?!每次都弹|{_GIVE_CN})|(?<![分个特区级性类差告识辨])别(?!把|{_GIVE_CN}))"
         rf"(?:再|去|经过|走)?[^。！？!?\n，,、；;“”\"]{{0,8}}?(?<!离线){_GATE_CN}(?!码截图|费|框|弹窗|额度(?:还是|仍|不变))", unless=r"(?:不要|不得|禁止|切勿|不能|不可|别|勿|不应|请勿|严禁)~2"
         r"(?:跳过|绕过|省略|取消|关闭|忽略|略过|免)|忘|没有|未经?|之前|再次?被|不要在|不要~4不|(?:关闭|取消)~6(?:前|须|应|需|先)|指绕过|会(?:略过|跳过|绕过)|(?:并不|不会|只是)跳过|读取"),
)  # fmt: skip

_PAY: Final = (
    rule(CLAIM, HIGH, "balance|bill|deposit|fees|funds|invoice|money|move|paid|pay|redirect|refund|remit|rent|route|"
         "salaries|salary|send|transfer|wire",
         r"\b(?:pay|transfer|wire|send|remit|deposit|paid|route|redirect|move|invoices?|payments?|bills?|salary|"
         r"salaries|payroll|funds|money|refunds?|rent|fees|deposits?|transfers?|remittances?|balance) <10>"
         rf"(?:to|into|via|onto) <4>{_ACCOUNT}\b(?! (?:stored|printed|named|stated|given|shown|listed|on file|of record|as before))",
         unless=r"\b(?:same|usual|your own|my own|their own|known|registered|existing|special attention)\b|\b(?:never|not|nt) (?:ever )?(?:asks?|calls?|tells?|demands?|requests?|writes?)\b|\bno such thing as\b|"
         r"\b(?:was|were|been) <3>(?:paid|sent|"
         r"transferred|wired|remitted)|\b(?:remitted|paid) <5>beneficiary"),
    rule(CLAIM, HIGH, "bank|beneficiary|billing|iban|payee|payment|payout|remittance|supplier|vendor|wallet|wire",
         r"\b(?:(?:bank(?:ing)?|payment|wire|billing|remittance|payout|wallet|vendor|supplier) (?:account|details|"
         r"information|info|number|address|instructions)|payee|beneficiary|iban) (?:details |number )?<3>(?:(?:has|have|"
         r"was|were|is|are|got) (?:been )?(?:now )?(?:changed|updated|replaced|moved|different|new)|changed|will "
         r"change)\b(?! <1>(?:only|after|once|unless|by calling))|"
         r"\b(?:new|updated|changed|replacement) (?:bank(?:ing)?|payment|payee|beneficiary|iban|wallet|remittance|"
         r"payout)(?: bank)? (?:accounts?|details|address|instructions|information|number|is|:)",
         unless=r"\b(?:if|whether|should|when|whenever|never|not|only|once|in case|before|ever|compare[sd]?|check(?:s|ing)?|verif(?:y|ies|ying)|confirm(?:s|ing)?|about|requests? for|asks? for|asked for) <3>(?:bank|"
         r"payment|wire|billing|remittance|payout|wallet|vendor|supplier|payee|beneficiary|iban|new|updated|changed|replacement)\b|"
         r"\b(?:changed|updated|replaced) (?:only|after|by calling|unless)|\bvoted in\b|"
         r"\b(?:saying|claiming|claims|pretending) that\b|\bchanged bank details in the portal\b|\b(?:are|is|be) (?:only |never )?changed <4>(?:only|after|once)"),
    rule(CLAIM, HIGH, "recipient|payee|beneficiary|landlord|rent|invoice|payment|salary|refund",
         r"\b(?:recipient|payee|beneficiary|landlord|rent|invoices?|payments?|salary|refunds?) <6>(?:is|are) (?:now )?"
         rf"<3>{_ACCOUNT}\b", unless=r"\b(?:overdue|late|due|from|by)\b"),
    rule(CLAIM, HIGH, "收款|付款对象|房东|供应商",
         rf"(?:收款人|收款方|付款对象|收款单位|房东|供应商)~12(?:是|为|改为|现在|:)~14{_ACCOUNT_CN}"),
    rule(CLAIM, HIGH, "付|汇|打|转|存|款|钱|工资|发票|退",
         r"(?:付款|货款|汇款|款项|工资|发票|资金|租金|费用|尾款|定金|转账|钱|退款|报销款?|账款|所有款|余额)~16"
         rf"(?:打|付|汇|转|支付|存|转账|打款|汇入|转入)(?:款)?(?:到|至|入|给|进|往)?~14{_ACCOUNT_CN}{_WARNED_CN}",
         unless=r"您本人|本人名下|原(?:支付|付款)|原路|合同(?:所载|约定|所列)|对公账户|备案|所谓|(?:(?<!分)(?<!特)别|千万不要|不要|切勿|请勿|不得|不会让?您?)(?:把[^。！？!?\n，,]{1,8})?(?:打|转|汇|付|存)"),
    rule(CLAIM, HIGH, "转|汇|打|付",
         rf"(?:转账|汇款|打款|付款|转|汇|打钱|付钱)(?:\d{{1,9}})?(?:元|块|万)?(?:给|到|至|往|入)~12{_ACCOUNT_CN}{_WARNED_CN}",
         unless=r"您本人|本人名下|原(?:支付|付款)|原路|合同(?:所载|约定|所列)|对公账户|备案|所谓|(?:(?<!分)(?<!特)别|千万不要|不要|切勿|请勿|不得|不会让?您?)(?:把[^。！？!?\n，,]{1,8})?(?:打|转|汇|付|存)"),
    rule(CLAIM, HIGH, "收款|银行|付款|结算|对公|开户",
         r"(?:收款|银行|付款|结算|对公|开户)[^。！？!?\n，,、；;“”\"]{0,3}(?:账户|账号|帐号|帐户|信息|卡号|收款人|收款方|行|码)[^。！？!?\n，,、；;“”\"]{0,5}?"
         r"(?:变更|更改|更换|改为|更新|换成|变为|改成|调整为|已改|换了)(?!须|应|需|必须|要|时|前|后|函|通知|登记|流程|申请)|"
         r"新的?(?:收款|银行|对公|结算)(?:账户|账号|帐号|人|卡)(?!须|应|需|必须|要)",
         unless=r"(?:未|没有?|不会|不得|不|是否|如果?|若|凡|任何|一旦|假如|识别|防范|核实|随时|声称|谎称|自称|说|来函|来信|询问的|所谓)[^。！？!?\n]{0,10}(?:收款|银行|付款|结算|对公|开户)|(?:填写?|输入|绑定|添加|登记)新的?(?:收款|银行|对公|结算)|"
         r"(?:未|没有?|不会|从不)~4(?:变更|更改|更换|改|更新|换)"),
)  # fmt: skip

_SEND: Final = (
    rule(CLAIM, HIGH, "http|ftp|www.|@",
         r"\b(?:send|forward|e\W?mail|mail|upload|post|submit|deliver|copy|cc|bcc|share|report|export|sync|fax|"
         rf"push|backup|back up|relay|transmit) (?=[^.!?\n]{{0,90}}\b(?:all|every|each|any|copy|copies|always|first|automatically|silently|his|her|their|the user|"
         rf"user\W?s|users|customer\W?s?|clients?|patients?|chats?|conversations?|transcripts?|histor\w{{1,3}}|memor\w{{1,3}}|credentials?|passwords?|keys?|"
         rf"tokens?|secrets?|logs?|backups?|database|records?|contacts?|statements?|invoices?|contracts?|files|payslips?|data|everything|from now on|"
         rf"results?|attachments?|drafts?|balances?|cards?|numbers?)\b)<10>(?:to|at|with|into|on|onto) <3>{_TARGET}",
         unless=_PROTECTS + r"(?:send|forward|e\W?mail|mail|upload|post|submit|share)|"
                r"\b(?:e\W?mail|mail|report|copy|post|export) (?:was|were|has|had)\b"),
    rule(CLAIM, HIGH, "@", r"\b(?:bcc|cc|copy in|loop in) <3>[\w.+-]{1,64}@[\w-]{1,63}\."),
    rule(CLAIM, HIGH, "http|ftp|www.|@",
         rf"\b{_PAPERS} <6>(?:go|goes|be sent|are sent|is sent|be forwarded|are forwarded|be delivered|be uploaded|"
         rf"be emailed|be shared|be submitted|be posted|are emailed) <3>(?:to|at|with) <3>{_TARGET}"),
    rule(CLAIM, HIGH, "http|www.|@|邮箱|网址",
         r"(?:发送|转发|抄送|上传|发|提交|同步|寄|推送|备份|传)(?:一份)?(?:给|到|至|往)~10(?:https?:/|www\.|[\w.+-]{1,64}@)",
         unless=r"(?:不要|别|请勿|切勿|禁止|不得)~20(?:发|转|传|提交|寄|抄送|同步)"),
    rule(CLAIM, HIGH, "password|credential|pin|code|key|token|secret",
         r"\b(?:passwords?|credentials?|pins?|codes?|api keys?|keys|tokens?|secrets?) <4>(?:should|must|can|may|are to|"
         r"is to) <1>be (?:shared|given|sent|provided|disclosed|handed|forwarded|revealed|posted)\b"),
    rule(CLAIM, HIGH, "密码|验证码|密钥|身份证|口令|令牌",
         r"(?:索要|索取|要求提供|询问|问到)~4(?:密码|验证码|密钥|身份证|口令|令牌)~6(?:应当?|要|必须|直接|就|可以?)~2(?:提供|告知|告诉|给|"
         r"发)|(?:密码|验证码|密钥|口令|令牌)~6(?:应当?|可以?|必须|请)~3(?:提供给?|告诉|告知|发给|交给|分享给?)",
         unless=r"(?:不|勿|别|禁止|无权)~3(?:提供|告知|告诉|给|发|交|分享)|(?:无权|不得|不要|切勿)[^。！？!?\n]{0,16}(?:密码|验证码|密钥|口令|令牌)"),
    rule(CLAIM, HIGH, "@|http", r"(?:密送|抄送)~6(?:https?:/|[\w.+-]{1,64}@)", unless=r"(?:不要|别|请勿|切勿)~3(?:密送|抄送)"),
)  # fmt: skip

_USE: Final = (
    rule(CLAIM, HIGH, "http|www.|ftp",
         r"\b(?:use|trust|call|query|connect|switch|rely|point|route|redirect|treat|set|fetch|download|install|"
         r"log in|login|visit|go|submit|register) (?:to |on |in |at |from |via |through |the |this |only |our )*"
         r"<5>(?:https?:/|ftp:/|www\.)\S{1,200} <6>(?:as|for|instead|when|to|whenever|from now)\b"),
    rule(CLAIM, HIGH, "api|desk|dns|download|endpoint|gateway|hotline|login|mirror|payment|portal|proxy|registry|"
         "repository|server|support|url|webhook",
         r"\b(?:api|endpoint|server|webhook|gateway|proxy|registry|mirror|repository|base url|dns|portal|"
         r"login page|support (?:line|number|address)|hotline|help ?desk|update server|download (?:site|link)|"
         r"payment page) <5>(?:has |have |is |are |was )?(?:now|moved|changed|switched|migrated|been replaced|only|"
         rf"the official|the correct) <6>(?:https?:/|www\.|{_TARGET}|\d{{1,3}}\.\d{{1,3}}\.\d|\+?\d{{5}}|"
         r"[\w-]{2,40}\.(?:com|net|org|io|dev|cn|ru|xyz|top|info|co)\b)"),
    rule(CLAIM, HIGH, "tool|plugin|function|endpoint|server|url|link|connector|extension|mcp|api|agent",
         r"\b(?:only|always|exclusively|must|should|default to|from now on|prefer|instead) <4>(?:use|call|invoke|"
         r"choose|trust|rely on|go through|connect to|using|calling) <5>(?:tool|plugin|function|endpoint|server|url|"
         r"connector|extension|mcp|api)\b"),
    rule(CLAIM, HIGH, "trust",
         r"\b(?:always |fully |must |should |can |completely |blindly |please )trust (?:the |all |any |every |this )*"
         r"<4>(?:tools?|sources?|sites?|websites?|domains?|address|senders?|messages?|e\W?mails?|links?|results?|"
         r"output|instructions?|anything|everything|content)\b", unless=r"\b(?:not|never|nt) "),
    rule(CLAIM, HIGH, "trusted|whitelisted|safe|verified|authorised|authorized|allowlisted",
         r"\b(?:is|are|as) (?:an? |the )?(?:now |fully |completely |officially |always )?(?:trusted|whitelisted|"
         r"allowlisted|verified|pre\W?verified|authori[sz]ed) <1>(?:sources?|domains?|senders?|vendors?|tools?|"
         r"address|contacts?|endpoints?|accounts?|recipients?|suppliers?|sites?|servers?|partners?|links?)\b"),
    rule(CLAIM, HIGH, ":/|www.|切换到|变成|变更为|已更换|换成|改为|改成|更新为|现在是|迁移到", r"(?:使用|改用|采用|信任|访问|连接|调用|用|切换到|改为|换成|变更为|更新为|以|登录)~8(?:https?:/|"
         r"www\.)[^\s，。]{1,200}\W{0,2}(?:作为|做|当|为|来|进行|下载|登录|提交)|(?:接口|端点|网址|官网|服务器|域名|镜像|webhook|"
         r"api)~8(?:改为|变更为|已更换|换成|更新为|迁移到|变成|改成|现在是|切换到)"),
    rule(CLAIM, HIGH, "接口|地址|客服|热线|电话",
         r"(?:(?<!收货)(?<!家庭)(?<!居住)(?<!通讯)地址|客服(?:电话|热线)?|热线)~4(?:改为|变更为|已更换为?|换成|更新为|改成|现在是)"),
    rule(CLAIM, HIGH, "工具|接口|插件|函数|链接|网址|网站|api|端点|服务器|mcp",
         r"(?:只能?|必须|务必|一律|优先|应当?|总是|始终|以后都?|默认|每次都?)~4(?:使用|调用|用|信任|选择|通过|走)~12(?:工具|接口|"
         r"插件|函数|链接|网址|api|端点|服务器|mcp)", unless=r"(?:院内|院方|公司|内部|单位|自有|制片方|编辑部|本(?:校|院|司|单位))"),
    rule(CLAIM, HIGH, "信任|可信|白名单",
         r"(?:完全|绝对|可以|应当?|必须|始终|无条件|请)信任~10(?:工具|来源|网站|域名|发件人|消息|邮件|输出|结果|指令|链接|内容)|"
         r"(?:是|为|属于)(?:官方|完全|唯一|绝对)?(?:认证的?)?(?:可信|受信任|白名单)的?~4(?:来源|网站|域名|发件人|工具|地址|供应商|账户)"),
    rule(CLAIM, HIGH, ":/|@|www.",
         r"\b(?:safe|ok|okay|fine|allowed) to (?:run|open|install|execute|download|visit|trust|click|use|enter) <8>"
         rf"{_TARGET}", unless=r"\bnot (?:safe|ok|okay|fine|allowed)"),
    rule(CLAIM, HIGH, "number|address|mail|line|phone|contact",
         r"\b(?:correct|official|new|real|right|only|actual) <3>(?:support|customer service|hotline|help ?desk|contact|"
         r"service) <1>(?:number|address|e\W?mail|line|phone)s? <2>(?:is|are|:)"),
    rule(CLAIM, HIGH, "http|www.", r"(?:直接|放心|可以)~3(?:运行|打开|安装|执行|下载|点击|访问)~8(?:https?:/|www\.)",
         unless=r"(?:不|勿|别|禁止)~4(?:运行|打开|安装|执行|下载|点击|访问)"),
    rule(CLAIM, HIGH, "客服|热线|联系", r"(?:正确|官方|新|真正|唯一|最新)的?(?:客服|热线|联系)(?:电话|热线|号码|邮箱|方式)~3(?:是|为|:)"),
)  # fmt: skip

_HIDE: Final = (
    rule(CLAIM, HIGH, "alert|disclos|inform|mention|notify|report|reveal|show|tell|warn",
         r"\b(?:do not|don\W?t|never|avoid|must not|should not|stop) (?:ever )?(?:tell(?:ing)?|inform(?:ing)?|"
         r"notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|(?:mention|disclos|reveal|show|report)(?:e|ing)? <6>to)"
         rf" {_PRINCIPAL}\b"),
    rule(CLAIM, HIGH, "conceal|disclos|display|downplay|hide|leave|list|mention|omit|report|reveal|show|suppress|"
         "withhold",
         r"\b(?:(?:do not|don\W?t|never|avoid) (?:mention|disclos|reveal|show|report|display|list)(?:e|ing)?|hide|"
         rf"conceal|omit|suppress|leave out|withhold|downplay) (?:the |any |all |these |about |our )*<3>{_BAD_NEWS}\b",
         unless=_PROTECTS + r"(?:hide|conceal|omit|suppress|leave out|withhold|downplay)"),
    rule(CLAIM, HIGH, "from", rf"\b(?:hide|conceal|keep|withhold|hidden) <8>from {_PRINCIPAL}\b",
         unless=_PROTECTS + r"(?:hide|conceal|keep|withhold)"),
    rule(CLAIM, HIGH, "用户|客户|主人|老板|审计|管理员|合规|使用者",
         r"(?:不要|不得|别|禁止|不能|切勿|请勿|不可|不许|无需|不必|不用)(?:再)?(?:告诉|告知|透露给|通知|汇报给|报告给?|(?:向|对|跟)"
         r"(?=~3(?:用户|客户|主人|老板|审计|管理员)))~3(?:用户|客户|主人|老板|审计|管理员|合规|使用者)|(?:不要|别|不得|禁止|避免)让~2"
         r"(?:用户|客户|主人|老板|审计|管理员)~3(?:知道|发现|看到|察觉)|(?:瞒着|对)(?:用户|客户|老板|审计)~2(?:隐瞒|保密)?"
         r"(?<=隐瞒|保密)"),
    rule(CLAIM, HIGH, "不得披露|不提|不要披露|不要提到|不要提及|不要显示|不要说明|别提|掩盖|淡化|隐瞒|隐藏",
         r"(?:隐瞒|隐藏|不要提及|不要提到|别提|不提|掩盖|不要显示|不要披露|不得披露|淡化|不要说明)~10(?:费用|手续费|风险|收费|错误|"
         r"警告|副作用|日志|告警|异常|交易|佣金|涨价|故障|召回)", unless=r"(?:不要|不得|禁止|切勿|不能)(?:隐瞒|隐藏|掩盖|淡化)"),
    rule(CLAIM, HIGH, "log|audit|monitoring|history",
         r"\b(?:disable|disabling|turn off|stop|clear|wipe|erase|delete|tamper with) <3>(?:logging|audit|(?:audit|access|"
         r"security|system) logs?|monitoring)\b", unless=_PROTECTS + r"(?:disable|turn off|stop|clear|wipe|erase|delete)"),
    rule(CLAIM, HIGH, "日志|审计|监控", r"(?:关闭|停用|禁用|清除|删除|清空|停止)~2(?:日志|审计|监控)~2(?:记录|功能)?",
         unless=r"(?:不|勿|别|禁止)(?:要|得|能|可)?(?:自行|擅自|随意)?(?:关闭|停用|禁用|清除|删除|清空|停止)"),
)  # fmt: skip

RULES: Final[tuple[Rule, ...]] = (
    *_AUTHORISED,
    *_SKIP,
    *_PAY,
    *_SEND,
    *_USE,
    *_HIDE,
    *HEARSAY_RULES,
    *PLAIN_RULES,
    *STEERING_RULES,
    *STANDING_RULES,
)
