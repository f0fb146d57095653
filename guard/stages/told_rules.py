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
    r"suspicious|researchers?|hidden (?:line|text|sentence|words?|comment|instruction|note)s?|white(?:\W?on\W?white)? (?:text|letters)|chat templates?|tokeni[sz]ers?|(?:phrase|string|sentence|text|message|payload|input)s? (?:like|such as)|"
    r"for example|e\.g\.|such as|an example of)(?!\w)|test_\w{1,40}\(|\bassert\b|"
    r"注入|越狱|攻击|攻擊|投毒|骗子|騙子|诈骗|詐騙|反诈|钓鱼|釣魚|行骗|冒充|不法分子|黑客|恶意|惡意|话术|疑似|可疑|例如|比如|诸如|之类的|"
    r"误拦|誤攔|拦截|演练|对话模板|案例|典型例子|个例子|红队|被测|受试|研究者|网友发现|藏着|藏了|咒语|流传|练习题|疑点",
    re.IGNORECASE,
)
ATTACKER: Final = re.compile(
    r"\b(?:attackers?|fraudsters?|scammers?|criminals?|thie(?:f|ves)|con (?:artists?|men|man)|impostors?|phishers?|hackers?|"
    r"crooks?|swindlers?|burglars?|malware|ransomware(?: (?:crews?|gangs?|groups?))?|gangs?|spyware|intruders?|cyber\W?criminals?|(?:callers?|people|someone|somebody|messages?|mails?|accounts?) (?:posing|pretending|claiming)|red[\W_]team(?:ers?|s)?|(?:jailbreaks?|jailbreak prompts?)|(?:the|a|each|this) (?:scam|fraud|phishing (?:mail|letter|page|message))s?|"
    r"(?:forged|fake|fraudulent|phishing) (?:letters?|mails?|e\W?mails?|messages?|pages?|calls?|invoices?)|(?:agent|assistant|model) under test)\b"
    r"|\b(?:if|when|whenever) (?:someone|somebody|anyone|anybody|a caller|a stranger|the caller|an? (?:e\W?mail|message|letter))\b[^,;:]{0,30}?\b"
    r"(?:says?|claims?|pretends?)(?: that)?(?: \w{1,12}){0,3}\W{0,2}$"
    r"|\b(?:does|did) (?:the |your |an? )?\w{1,16} (?:want|ask|tell|urge|press) you to\W{0,2}$"
    r"|红队|被测|攻击者|攻擊者|骗子|騙子|诈骗分子|诈骗者|不法分子|犯罪分子|黑客|歹徒|恶意(?:软件|程序|扩展|插件|代码|网页|应用)|钓鱼(?:邮件|短信|网站)|"
    r"假客服|冒充(?!我)|假冒|谎称|勒索(?:团伙|软件)|团伙|越狱(?:提示词?|话术|文本|句式)|注入(?:文本|句式|指令)",
    re.IGNORECASE,
)
ACTED_ON: Final = re.compile(
    r"\b(?:follow|obey|execute|carry out|act on|act upon|do (?:exactly )?(?:as|what)|apply|comply with|perform|adopt|remember|"
    r"store|save|memori[sz]e|respect|implement|honou?r) (?:it|this|that|these|those|them|(?:the )?(?:sentences?|text|above|"
    r"following|quoted|quotes?|lines?|instructions?|orders?|words|said)|everything)\b|"
    r"\b(?:is|are) (?:now )?(?:in force|binding|to be (?:followed|obeyed|applied|carried out))\b|"
    r"照做|照办|照辦|照此|照着做|执行(?:它|上述|该|这|以上|引号)|执行之|按(?:它|上述|其|此|该|引号)|遵照|遵从|请执行|请遵|即刻生效|立即生效",
    re.IGNORECASE,
)
