"""What `memory.quotation` looks for: how speech is reported, how it is limited, how it is taken back."""

import re
from typing import Final


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split("|"))


PASTED: Final = re.compile(
    r"```|~~~|^\s*>|^-{3,}|<[a-z!/][^>]{0,200}>|\{\{|"
    r"^\s*(?:from|to|subject|sent|date|re|fwd?|发件人|收件人|主题|日期)\s*:|original message|"
    r"\b(?:summari[sz]e|translate|proofread|rewrite|rephrase|paraphrase|explain|analy[sz]e|review|check|"
    r"read|correct|fix|edit|improve|repeat|classify|answer|reply to|respond to)\b[^\n]{0,40}?"
    r"\b(?:this|these|that|those|following|below|above|text|page|article|e-?mail|message|letter|document|"
    r"paragraph|sentence|post|comment|note|code|log|output)\b|\btl;?dr\b|"
    r"\b(?:page|site|website|article|e-?mail|mail|message|letter|document|text|post|comment|paragraph|log|"
    r"output|snippet|quote|review|thread|invoice|transcript|result|response|reply)s?\b[^\n.]{0,30}:(?!//)|"
    r"(?:总结|翻译|改写|润色|校对|解释|分析|检查|修改|概括|看看|看一下|读一下|回复|处理)[^\n。]{0,10}"
    r"(?:这|以下|下面|上面|原文|邮件|网页|文章|消息|内容|文字|一段|句)|"
    r"(?:以下|下面|原文|转发|邮件|网页|文章|消息|内容|正文|结果|输出)[^\n。]{0,12}:",
    re.IGNORECASE | re.MULTILINE,
)
"""What a turn has that hands on the text of others, or asks for something to be done with one."""

REPORTED: Final = re.compile(
    r"\b(?:says|said|saying|wrote|writes|written|claims?|claimed|states|stated|told|tells|according to|reads|"
    r"quot(?:e|es|ed|ing)|allegedly|supposedly|apparently|heard|recommends|recommended|suggests|suggested|"
    r"insists|insisted|announced|asks|asked|advised|advises|warned|warns|instructed|demands|demanded|wants|"
    r"read (?:that|in|on|about|somewhere))\b|"
    r"(?<!跟)(?<!跟我)(?<!和我)(?<!对我)说(?!话|中文|英文|英语|法语|德语|普通话|粤语|日语|韩语|慢|清楚|明)|表示|写着|写道|"
    r"提到|声称|宣称|据|根据|听说|建议(?=我)|告诉我|转告|引用|来信|上说|显示",
    re.IGNORECASE,
)
"""What makes a sentence the word of somebody else."""

BOUND: Final = re.compile(
    r"\b(?:if|unless|except|only|but|however|although|though|otherwise|instead|until|till|provided|as long as|"
    r"max|maximum|min|minimum|at (?:most|least)|up to|limit\w{0,6}|capped?|within|without|during|while|whenever|as soon as|"
    r"today|tomorrow|tonight|temporar\w{2,5}|for now|subject to|pending|apart from|aside from|exclu\w{2,6}|solely|merely|"
    r"assuming|given that|in case|on condition|expires?|valid|permission|approval|consent|revok\w{1,4}|withdr[ae]w\w{0,3}|"
    r"undo|hold on|hang on|jk|j/k|lol|lmao|haha\w{0,8}|nvm|sike|psych|as if|yeah right|nothing|nobody|none|nowhere|longer|"
    r"texted|messaged|e-?mailed|phoned|rang|replied|answered|explained|mentioned|posted|shared|forwarded|sent|got|"
    r"received|came|found|promised|assured|informed|reminded|letter|message|voicemail|"
    r"that|this|it|its|these|those|same|kidding|jok(?:e|es|ing)|sarcas\w{0,4}|suppose|imagine|hypothetical\w{0,2}|"
    r"for example|e\.g|actually|wait|never ?mind|correction|sorry|mistake|wrong|false|untrue|lies?|pretend|"
    r"role ?play|story|scam\w{0,4}|fake|test|not|never|no|nope|nah|then|before|after|when|once|them|he|she|they|"
    r"former|latter|above|below|rather|cancel|forget|scratch|ignore|disregard|maybe|perhaps|might|or)\b|n't\b|"
    r"^\W*(?:with|for|from|in|on|at|by|under|over|between|since|as|of|to|just|starting|beginning|and|plus)\b|"
    r"如果|要是|假如|假设|万一|除非|除了|只有|只是|只在|但|不过|然而|可是|否则|不然|直到|之前|之后|以前|的话|时候|这|那|它|他|她|"
    r"最多|最少|至多|至少|以内|之内|上限|限|仅|暂|今天|明天|本周|本月|期间|经我|同意后|哈哈|逗你|撤|收到|来信|短信|微信|消息|邮件|"
    r"发来|发给我|转发|来电|电话里|"
    r"上面|下面|以上|以下|玩笑|讽刺|比如|例如|其实|等等|算了|错|假的|骗|不|没|别|勿|然后|再|也许|可能|或|取消|忘|同样|照旧|一样",
    re.IGNORECASE,
)
"""What a sentence has that may limit, revoke or refer to another one beside it."""

TAKEN_BACK: Final = re.compile(
    r"\b(?:never ?mind|forget (?:that|it|what i said|about (?:it|that))|scratch that|disregard (?:that|it|what|my)|"
    r"ignore (?:that|what i said|my)|cancel (?:that|it)|take (?:that|it) back|(?:just|only|was|am|i'm) "
    r"(?:kidding|joking)|changed my mind|(?:that|it) was (?:wrong|a mistake|a joke)|i was wrong|correction|"
    r"i misspoke|i meant|on (?:second thought|reflection)|nvm|jk|j/k|sike|undo|revok(?:e|ed|ing)|rescind\w{0,3}|"
    r"withdr[ae]w\w{0,3}|no longer|any ?more|rather not|hold on|hang on|strike that|please (?:do not|don't|stop))\b|"
    r"^\W*(?:(?:oh|ah|ok|okay|hm+|um|well|please|sorry)\W+)*(?:no|nope|nah|wait|actually|sorry|stop|don't|do not)\b(?!\W{0,3}(?:thanks|thank|problem|worries))|"
    r"算了|当我没说|玩笑|说错|撤回|收回|不算数|改主意|改变主意|忘了我?刚才|取消|撤销|撤消|不再|不用了|还是(?:不|别|算)|逗你|更正|作废|我的意思是|别(?:这么|那么|这样|那样)|"
    r"^\W*(?:不是|不对|不要|不行|别|不[,。!\s]|等等|等一下|停)",
    re.IGNORECASE,
)
"""What a later turn of the user's has that may take back an earlier one."""

ASKS_FIRST: Final = _words(
    "is|are|am|was|were|do|does|did|can|could|will|would|should|shall|may|might|have|has|had|must"
)
ASKED_OF: Final = _words(
    "i|you|we|he|she|it|they|the|a|an|my|your|our|this|that|these|those|there|any|anyone|"
    "someone|everyone"
)
ASKING: Final = frozenset({"who", "what", "when", "where", "why", "how", "which", "whose", "whom"})
ASKS_CN: Final = re.compile(
    r"吗|[么呢]$|是不是|能不能|可不可以|可以不可以|要不要|会不会|有没有|该不该|对不对|行不行|好不好|如何|怎么|怎样|为什么|为何|"
    r"什么|哪|谁|多少|几(?!乎)|是否|难道"
)

FRAME: Final = re.compile(
    r"^(?:(?:the |this |our )?user(?:'s)?\s*:\s*|(?:according to|per) (?:the )?user\s*[,:]\s*|"
    r"(?:the |this |our )?user (?:(?:has|have|just|also|explicitly|clearly|earlier|already|later|now|recently|"
    r"repeatedly|today) )*(?:(?:said|says|stated|states|mentioned|mentions|noted|notes|wrote|writes|confirmed|"
    r"confirms|explained|explains|reported|reports|added|shared|clarified|expressed)|"
    r"(?:told|tells|informed) (?:me|us|the assistant|the agent))\s*(?:[,:]\s*)?(?:(?:that|to)\b\s*)?)",
    re.IGNORECASE,
)
ASKED: Final = re.compile(
    r"^(?:the |this |our )?user (?:(?:has|have|just|also|explicitly|clearly|earlier|already|now) )*"
    r"(?:asked|asks|wants|wanted|told|tells|instructed|instructs|requested|requests|expects|needs|would like) "
    r"(?:me|us|you|the assistant|the agent) (?:(not|never|always) )?to (?:(not) )?",
    re.IGNORECASE,
)
FRAME_CN: Final = re.compile(
    r"^(?:(?:该|这位|本)?用户(?:刚才|刚刚|明确|曾经?|再次|特别|之前|今天|已经?)?地?"
    r"(?:(?:说|表示|提到|提及|称|声明|指出|强调|补充|告知|写道|反馈)(?:了|过|道|到)?|告诉了?(?:我|助手))|用户(?=\s*:))"
    r"\s*(?:[,:]\s*)?"
)
ASKED_CN: Final = re.compile(
    r"^(?:该|这位|本)?用户(?:刚才|刚刚|明确|曾经?|再次|特别|之前|今天|已经?)?地?"
    r"(?:要求|请求|让|叫|吩咐|嘱咐|希望|想要?)(?:了|过)?(?:我|你|助手|助理)?(?:能够?|可以)?\s*(?:[,:]\s*)?"
)
REQUEST_CN: Final = re.compile(
    r"^(?:请|以后|今后|从现在|从今|每次|每天|每周|每月|总是|一律|不要|不用|别|勿|切勿|务必|把|将|用|使用|叫|给|帮|回复|回答|提醒|只|都|"
    r"优先|避免|尽量|不再|永远|始终|默认|订|选|发|寄|买|推荐|翻译|称呼|记住|先|直接|必须|一定)"
)
"""How a request begins in Chinese, where it has no form of its own that would tell it from a report."""

OPPOSED: Final = re.compile(
    r"\b(?:not|no|never|nothing|nobody|none|stop|instead|only|except|unless|wrong|cancel\w{0,4}|remove\w?|rather|"
    r"but)\b|n't\b|不|没|别|勿|停|改|只|仅|无|除",
    re.IGNORECASE,
)
"""What a later turn of the user's has that may speak against an earlier one on the same matter."""
UNDOES: Final = re.compile(
    r"\b(?:revoke|undo|withdraw|cancel|delete|remove|forget|discard|take (?:that|it) back|scratch)\b|"
    r"撤销|撤回|收回|取消|删除|作废|忘掉",
    re.IGNORECASE,
)
"""What an assistant's question has that a mere "yes" takes an earlier statement back by."""
MATTER: Final = 4
"""Letters of a word that tells what a turn is about, at least; a number always does."""
COMMON: Final = _words(
    "that|this|with|have|like|want|need|from|your|when|will|would|could|should|please|they|them|their|there|"
    "what|about|always|never|only|also|just|than|then|into|some|make|more|very|been|were"
)
HEDGED_CN: Final = re.compile(
    r"(?:是|可以|应该|应当|会|能|已|了|有|在|没|同意|授权|大概|好像).*吧\W*$"
)
"""A guess, not a request: what the particle at its end makes of a statement."""

ADVERBS: Final = _words(
    "always|never|usually|often|also|really|generally|normally|still|now|currently|"
    "sometimes|already|only|strongly|definitely|mostly|rarely|just"
)
BE: Final = "be"
NOW: Final = {"am": BE, "is": BE, "are": BE, "has": "have", "does": "do"}
THEN: Final = {
    "was": BE,
    "were": BE,
    "had": "have",
    "did": "do",
    "would": "will",
    "could": "can",
    "thought": "think",
    "felt": "feel",
    "knew": "know",
}
"""States alone: "he said he paid" tells of something done, "I pay" does not."""
STATES: Final = _words(
    "prefer|like|love|hate|dislike|want|need|live|use|enjoy|avoid|own|believe|trust|expect|hope|wish|speak|"
    "require|suffer"
)
VARIED: Final = _words("not|can|will|shall|do|is|am|are|have|would|self")
"""Words that may stand in a turn in a short form."""
DROPPED: Final = _words(
    "prefers|likes|loves|hates|dislikes|wants|needs|lives|works|uses|eats|drinks|avoids|"
    "enjoys|speaks"
)
DROPPED_CN: Final = re.compile(
    r"^(?:不?喜欢|偏好|讨厌|爱吃|不吃|不喝|住在|习惯|来自|擅长|对.{1,8}过敏)"
)
