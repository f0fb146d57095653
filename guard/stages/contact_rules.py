"""Patterns of telephone numbers and mail addresses, and of the lines that say whose they are."""

import re
from typing import Final

NUMBER_LABEL: Final = re.compile(
    r"(?i:order|tracking|invoice|ticket|case|serial|sku|isbn|ref|reference|订单|运单|快递|单号|"
    r"发票|流水|编号|工单|货号)[^\d]{0,16}$"
)
"""Ends in the name of a number that is no telephone and no card."""

EMAIL: Final = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}"
    r"(?![A-Za-z0-9-])"
)
PHONE: Final = re.compile(r"(?<![\w+.])(?:\+|00)?\(?\d(?:[ ().\-]{0,2}\d){6,16}(?!\w)", re.ASCII)
PHONE_LABEL: Final = re.compile(
    r"(?i:(?<![a-z])(?:(?:tele|smart|home|cell|work|mobile)?phones?|tel|mobile|cell|call(?:s|ed|ing)?|fax"
    r"|whatsapp|sms|text (?:me|him|her|them)|dial|ring|reach)(?![a-z])|电话|手机|致电|联系|座机|微信|号码|拨打)"
)
MOBILE_CN: Final = re.compile(r"^1[3-9]\d{9}$")
FREE: Final = re.compile(
    r"^(?:\+?1[ .-]?)?\(?8(?:00|88|77|66|55|44|33)\)?[ .-]|^[48]00[ -]?\d{3}[ -]?\d{4}$|^0(?:3\d\d|800|808|84[3-5]|87[0-3])[ -]?\d{3}[ -]?\d{3,4}$"
)
_ROLE = (
    "info|support|help|helpdesk|sales|contact|hello|admin|office|press|media|pr|marketing|security|abuse|"
    "postmaster|webmaster|hostmaster|mailer-daemon|team|news|newsletter|notifications?|alerts?|updates?|"
    "service|services|customer-?(?:service|care|support)|care|clientservices?|billing|accounts?|accounting|"
    "accountspayable|invoices?|payments?|finance|payroll|orders?|returns?|shipping|reservations?|bookings?|"
    "events?|webinars?|careers?|jobs|recruit(?:ing|ment)|hr|legal|privacy|dpo|compliance|feedback|enquir(?:y|ies)|"
    "inquir(?:y|ies)|reception|frontdesk|concierge|partners?|partnerships|membership|subscriptions?|store|shop|mail|"
    "e?mail|no-?reply|do-?not-?reply|git|root|it|ops|noc|dev|devs|kefu|kontakt|community|board|school|library|"
    "courses|classes|warranty|manager|management|reports?|claims|tickets|donations?|volunteers?|editor|editorial|letters|"
    "submissions?|stock|repairs?|delivery|dispatch|hire|rentals?|lettings|admissions|registrar|secretary|treasurer|chair|"
    "committee|club|hotel|stores|warehouse|soc|audit|oncall|on-?call|duty|desk|servicedesk|postbox|registration|rsvp|signup|test|"
    "intake|applications?|competitions?|prize|tours?|visits?|parking|facilities|maintenance|"
    "restaurant|garage|archive|ombud[a-z]{0,8}|duchayuan|tougao|yuyue|zixun|zhaopin|caiwu|xiaoshou|shouhou|fuwu|wuye|"
    r"all|everyone|staff|members|residents|tenants|neighbou?rs|trustees|governors|parents|students|alumni|visitors?|crew|"
    r"kitchen|bakery|bar|cafe|menu|catering|housekeeping|workshop|studio|gallery|museum|theatre|theater|choir|band|orchestra|box-?office|"
    r"treasury|ledger|receivables|payables|procurement|purchasing|tenders?|logistics|transport|fleet|customs|grants|fundraising|giving|"
    r"clinic|surgery|pharmacy|laborator(?:y|ies)|ward|nursing|therapy|vet|appointments|dental|"
    r"parish|church|council|clerk|mayor|planning|housing|benefits|consulate|embassy|visas?|police|fire|emergency|safety|faults?|outages?|"
    r"training|learning|academy|exams?|results|placements?|internships?|research|stud(?:y|ies)|ethics|survey|thesis|faculty|dean|"
    r"sysadmin|infra|platform|analytics|status|incidents?|pager|sre|dba?|domains?|dns|hosting|cert|csirt|psirt|disclosure|"
    r"bugs?|issues?|releases?|packages|builds?|ci|deploy|docs|wiki|forum|moderators?|mods|photos?|newsroom|tips|podcast|radio|"
    r"lost-?(?:and-?)?(?:found|property)|exchange|spares|parts|service-?cent(?:er|re)|"
    r"renshi|xingzheng|bangong|jiaowu|zhaosheng|caigou|tousu|jubao|baoming|huiwu|mishu|jishu|yunwei|anquan|zhiban|tushuguan|guahao"
)
PUBLIC_MAILBOX: Final = re.compile(rf"^(?:{_ROLE})(?:[+._-][a-z0-9+._-]{{0,40}})?@")
PUBLIC_LINE: Final = re.compile(
    r"(?i:(?<![a-z])(?:(?:call|contact|reach|phone|ring|fax|dial|e-?mail|write to|visit|text)(?: to)? (?:us|our)|"
    r"customer (?:service|care|support)|(?:technical |tech )?support|hot ?line|help ?(?:line|desk)|toll[- ]?free|"
    r"reception|front desk|head ?quarters|head office|main office|box office|reservations?|bookings?|sales|"
    r"enquiries|inquiries|switchboard|our (?:office|team|store|shop|clinic|phone|number)|opening hours|info ?line|"
    r"emergency (?:line|number)|service (?:line|number|cent(?:er|re))|(?:duty|on[- ]call) (?:phone|officer|desk|manager|engineer|number)|"
    r"(?:any )?(?:questions|enquiries|queries)(?: (?:to|go to|about|on))?|registrations?|register(?: (?:with|at|by|via))?|sign up|rsvp(?: to)?|apply to|"
    r"applications?(?: (?:to|go to))?|entries (?:to|go to)|appointments?|press (?:contact|officer|office)|spokes(?:man|woman|person)|abuse contact|contact person|(?:team|office|branch|department|clinic|shop|school|practice) (?:phone|line|number)|for (?:more )?(?:details|information)|further information|"
    r"more information|faults to|complaints (?:go )?to|tickets (?:from|at)|school office|surgery|practice|municipality|town hall|department|"
    r"urgent (?:matters|cases|requests|questions|enquiries|issues)|in (?:my|his|her|their) absence|while (?:i am|i m|i'm|i’m|she is|he is) (?:away|out)|my (?:deputy|stand\W?in|substitute))(?![a-z])|(?:休假|请假|外出|出差|不在)期间|值班|办公室|部门新?(?:座机|电话|号码)|(?:诊所|门诊部|医院|学校|门店|本店)[^\n。]{0,24}电话|督察员|预约|预订|咨询|应聘|招聘|投稿|联系人|负责人|物业|窗口|门诊|急诊|服务部|维修|报修|教务处|秘书处|"
    r"有疑问|有问题|如需|急事|详情|客服|热线|服务电话|咨询电话|联系我们|"
    r"总机|前台|预订电话|预约电话|投诉电话|官方电话|服务台|订座|售后|咨询热线|报名电话|监督电话|举报电话)[^\n]{0,48}$"
)

OWN: Final = re.compile(
    r"(?i:(?<![a-z])(?:(?:call|ring|text|reach|phone|write(?: to)?|e-?mail|message|find|contact|ping|tell) me(?: (?:back|up))?|"
    r"my (?:new |direct |work |mobile |phone |office |own |private |current )*(?:number|phone|mobile|cell|line|e-?mail|address|extension))(?![a-z])|"
    r"打我(?:的)?(?:电话|手机)|给我(?:打|回)?(?:电话|发邮件|来电|回电)|我的?(?:新|办公|工作)?(?:电话|手机号?|号码|邮箱|微信|分机)|联系我(?!的|家)|找我(?!的|家)|致电本人|"
    r"本人(?:电话|手机|邮箱))[^\n]{0,40}$"
)
"""Ends in words by which a writer says how to reach himself."""
FOOTER: Final = re.compile(
    r"(?:^|[\n.!?。！？][ \t]{0,4})(?:--?|—|–|~)[ \t]{0,3}[^\n.!?。！？]{0,60}$"
)
"""Ends in the dash under which somebody signs."""

HEADER: Final = re.compile(
    r"(?:^|[\n|>;{,(])[ \t>*\"']{0,8}(?:e-?mail[_ -]?)?(?:from|to|cc|bcc|sender|recipients?|reply[-_ ]?to|envelope[-_ ]to"
    r"|delivered[-_ ]to|sent by|发件人|收件人|抄送|密送|来自|寄件人|发送至|回复至)(?:[\"']{1,2}[ ]?[:=][^\n|,}]{0,120}|[ \t*]{0,3}[:：][^\n|]{0,400})",
    re.IGNORECASE,
)
AUTHOR: Final = re.compile(
    r"(?:^|\n)[ \t>]{0,8}(?:author|committer|signed-off-by|co-authored-by|reviewed-by|acked-by|organizer|attendee|maintainer)"
    r"[ \t]{0,3}[:：][^\n]{0,200}|(?:\bfrom|来自) ?[\"“][^\"”\n]{1,40}[\"”] ?<[^>\n]{3,80}>",
    re.IGNORECASE,
)
"""Who made a change, called a meeting or sent what was read: what is told of it by its nature."""
SUBJECT: Final = re.compile(
    r"(?:^|[\n|>])[ \t>*]{0,8}(?:subject|re|date|sent|received date|主题|日期|时间)[ \t*]{0,3}[:：]",
    re.IGNORECASE,
)
SALUTATION: Final = re.compile(
    r"(?:^|\n)[ \t>]{0,8}(?:(?:dear|hi|hello|hey|good (?:morning|afternoon))\b|尊敬的|亲爱的|您好|你好)[^\n]{0,60}"
    r"(?:[,:，：!！]|\n)",
    re.IGNORECASE,
)
CLOSING: Final = re.compile(
    r"(?:^|\n)[ \t>]{0,8}(?:(?:(?:best|kind(?:est)?|warm(?:est)?|with (?:best|kind)|many)[ \t]+)?(?:regards|wishes)|best"
    r"|(?:yours )?(?:sincerely|faithfully|truly|respectfully|cordially)(?: yours)?|(?:many )?thanks(?: again)?|thank you"
    r"(?: (?:very|so) much)?|cheers|sincerely yours|all the best|此致|敬礼|祝好|顺颂商祺|谢谢|敬上|-- ?)[^\n]{0,24}(?=\n)"
    r"|(?<=[.!?] )(?:(?:best|kind(?:est)?|warm(?:est)?|with (?:best|kind)|many)[ \t]+(?:regards|wishes)|yours (?:sincerely|faithfully|truly)|(?:sincerely|regards)),",
    re.IGNORECASE,
)
