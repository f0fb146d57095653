"""Words by which a text is known to speak of attacks, of attackers, and of acting on what it says."""

import re
from typing import Final

QUOTED: Final = re.compile(
    r"“[^“”]{1,400}”|\"[^\"]{1,400}\"|「[^「」]{1,400}」|『[^『』]{1,400}』|«[^«»]{1,400}»|»[^«»]{1,400}«|‘[^‘\n]{1,400}?’(?!\w)"
    r"|(?<![\w'])'[^\n]{1,400}?'(?![\w'])|`[^`\n]{1,400}`"
)
ABOUT: Final = re.compile(
    r"\b(?:prompt[\W_]injections?|injection (?:attacks?|attempts?)|injections?|jailbreak(?:s|ing)?|(?:an? )?attack(?:s|er|ers)?|"
    r"phishing|phish|scam(?:s|mers?)?|fraud(?:s|sters?|ulent)?|malicious|poison(?:ed|ing)|social engineering|red[\W_]team(?:ers?|ing)?|"
    r"under test|forged|forger(?:y|ies)|faked?|bogus|hoax(?:es)?|examples? (?:from|of)|(?:lab|class) exercises?|(?:is|are) (?:a|the) classics?|"
    r"(?:pupils|students|users|people|visitors|kids|testers|somebody|someone) (?:will |may |might |often |sometimes )?(?:try|tries|types?|pastes?d?)|"
    r"(?:page|site|letter|mail|comment|document)s? that (?:says?|reads?)|we (?:told|fed|planted|injected)|"
    r"honeypot|spoof(?:ed|ing)|con (?:artists?|men|man)|impostors?|crooks|spot the (?:trick|fake)|warning signs?|red flags?|"
    r"planted|white on white|such (?:lines|notes|sentences|comments)|nobody [^.\n]{0,24}said so|no one knew who|taken down|"
    r"(?:audit|review|investigation|regulator|article|study) (?:found|finds|prints|quotes|showed|describes)|did(?: not|n['’]t) (?:store|save|follow|obey) (?:it|this|that|them)|"
    r"suspicious|researchers?|hidden (?:line|text|sentence|words?|comment|instruction|note)s?|white(?:\W?on\W?white)? (?:text|letters)|chat templates?|tokeni[sz]ers?|(?:phrase|string|sentence|text|message|payload|input)s? (?:like|such as)|"
    r"for example|e\.g\.|such as|an example of)(?!\w)|test_\w{1,40}\(|\bassert\b|"
    r"注入|越狱|攻击|攻擊|投毒|骗子|騙子|诈骗|詐騙|反诈|钓鱼|釣魚|行骗|冒充|不法分子|黑客|恶意|惡意|话术|疑似|可疑|例如|比如|诸如|之类的|"
    r"来信称|来电称|(?:没有|未)(?:照做|照办|改动)|待(?:您|你|用户|本人)(?:决定|确认)|与合同[^。！？!?\n]{0,8}不(?:同|符|一致)|复盘|复核发现|审计发现|"
    r"误拦|誤攔|拦截|演练|对话模板|案例|典型例子|个例子|红队|被测|受试|研究者|网友发现|藏着|藏了|咒语|流传|练习题|疑点",
    re.IGNORECASE,
)
ATTACKER: Final = re.compile(
    r"\b(?:attackers?|fraudsters?|scammers?|criminals?|thie(?:f|ves)|con (?:artists?|men|man)|impostors?|phishers?|hackers?|"
    r"crooks?|swindlers?|burglars?|malware|ransomware(?: (?:crews?|gangs?|groups?))?|gangs?|spyware|intruders?|cyber\W?criminals?|(?:callers?|people|someone|somebody|messages?|mails?|accounts?) (?:posing|pretending|claiming)|red[\W_]team(?:ers?|s)?|(?:jailbreaks?|jailbreak prompts?)|(?:the|a|each|this) (?:scam|fraud|phishing (?:mail|letter|page|message))s?|"
    r"(?:hidden|planted) (?:text|line|instruction|comment|note|sentence)s? (?:telling|asking|ordering|that (?:tells?|asks?|orders?))|"
    r"(?:note|letter|message|mail|e\W?mail|text|call|sms)s? (?:saying|claiming|that (?:says?|claims?))|"
    r"(?:forged|fake|fraudulent|phishing) (?:letters?|mails?|e\W?mails?|messages?|pages?|calls?|invoices?)|(?:agent|assistant|model) under test)\b"
    r"|\b(?:if|when|whenever) (?:someone|somebody|anyone|anybody|a caller|a stranger|the caller|an? (?:e\W?mail|message|letter))\b[^,;:]{0,30}?\b"
    r"(?:says?|claims?|pretends?)(?: that)?(?: \w{1,12}){0,3}\W{0,2}$"
    r"|\b(?:does|did) (?:the |your |an? )?\w{1,16} (?:want|ask|tell|urge|press) you to\W{0,2}$"
    r"|红队|被测|攻击者|攻擊者|骗子|騙子|诈骗分子|诈骗者|不法分子|犯罪分子|黑客|歹徒|恶意(?:软件|程序|扩展|插件|代码|网页|应用)|钓鱼(?:邮件|短信|网站)|"
    r"假客服|冒充(?!我)|假冒|谎称|勒索(?:团伙|软件)|团伙|越狱(?:提示词?|话术|文本|句式)|注入(?:文本|句式|指令)",
    re.IGNORECASE,
)
ACTED_ON: Final = re.compile(
    r"(?<!not )(?<!n't )(?<!n’t )(?<!never )\b(?:follow|obey|execute|carry out|act on|act upon|do (?:exactly )?(?:as|what)|apply|comply with|perform|adopt|remember|"
    r"store|save|memori[sz]e|respect|implement|honou?r) (?:it|this|that|these|those|them|(?:the )?(?:sentences?|text|above|"
    r"following|quoted|quotes?|lines?|instructions?|orders?|words|said)|everything)\b|"
    r"\b(?:is|are) (?:now )?(?:in force|binding|to be (?:followed|obeyed|applied|carried out))\b|"
    r"(?<!没有)(?<!没)(?<!未)(?<!不)(?<!可能)(?<!两款)照做|照办|照辦|照此|照着做|执行(?:它|上述|该|这|以上|引号)|执行之|按(?:它|上述|其|此|该|引号)|遵照|遵从|请执行|请遵|即刻生效|立即生效",
    re.IGNORECASE,
)
"""What asks for the deed: who says that he did not do it does not ask."""
ASKED: Final = re.compile(
    r"^\W{0,3}(?:(?:[\w ]{1,24}: )?(?:does|do|did|is|are|was|were|should|has|have|why|how|who|what|which)\b)[^?\n]*\?$"
    r"|(?:吗|么|怎么|为什么|为何|是不是|会不会|算不算|该不该|如何)[^？?\n]{0,24}[？?]$",
    re.IGNORECASE,
)
"""A sentence that asks whether something is so, or what to say to it."""
REQUEST: Final = re.compile(
    r"\b(?:can|could|would|will|did|do) you\b|\bplease\b|\bwhy not\b|\bwhy do(?:n['’]t| not)\b|请(?!问|教)|麻烦|能不能|可不可以|可以帮|帮忙把|何不|为什么不|怎么不",
    re.IGNORECASE,
)
"""A question that is none: it asks for a deed."""
ANSWERED: Final = re.compile(
    r"^\s{0,3}(?:a|answer|答|答案|回答|回复|yes|no|ja|可以|能|是的?|行|当然)\W", re.IGNORECASE
)
"""How an answer begins: what was asked before it is said by both."""
UNSURE: Final = re.compile(
    r"\s{0,3}(?:is (?:that|this|it) (?:normal|usual|safe|ok|okay|legit\w{0,8}|legal|right|a (?:scam|fraud|trick))|should i|do i have to|what should i)\b[^.!?\n]{0,40}\?"
    r"|\s{0,3}(?:这样|这|这个)?(?:正常|靠谱|可信|合规|合法|安全|是骗子|是诈骗)吗[？?]",
    re.IGNORECASE,
)
"""A question behind what was told: the writer does not know whether to believe it."""
