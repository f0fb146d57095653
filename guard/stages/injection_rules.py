"""The rules of the injection stage. Codes are stable reasons; see `rules` for the notation."""

from typing import Final

from guard.stages.rules import Rule, rule
from policies.model import Severity

LOW, MEDIUM, HIGH = Severity.LOW, Severity.MEDIUM, Severity.HIGH

_DROP = (
    r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|overrule|neglect|"
    r"set aside|throw away|put aside|pay no attention to|delete|erase|unlearn|"
    r"(?:do not|don\W?t|stop|no longer|cease) (?:follow|obey|apply|heed)(?:ing)?)"
)
_OLD = (
    r"(?:previous|prior|preceding|earlier|foregoing|above|existing|current|original|initial|"
    r"system|developer|safety|all|any|every|everything|your|the|those|these|other|old)"
)
_ORDERS = r"(?:instructions?|prompts?|directives?|guidelines?|programming|guardrails?|safeguards)"
_LIMITS = r"(?:rules?|restrictions?|limitations?|constraints?|polic(?:y|ies)|commands?|training)"
_MINE = (
    r"\bmy\b|\bour own\b|(?:do not|don\W?t) follow (?:these|the) instructions (?:if|unless|when)"
)
_MODEL = (
    r"(?:ai|a\.i\.|llms?|(?:large )?language models?|assistants?|agents?|chatbots?|bots?|"
    r"chatgpt|gpt|claude|gemini|copilot)"
)
_TARGET = r"(?:https?:/|ftp:/|www\.|[\w.+-]{1,64}@[\w-]{1,63}\.)"
_PRIVATE = (
    r"(?:conversations?|chat|chats|history|histories|transcripts?|memory|memories|secrets?|"
    r"passwords?|passphrases?|credentials?|api keys?|private keys?|access tokens?|tokens?|cookies?|"
    r"system prompt|instructions|private|personal|confidential|sensitive|internal|user data|"
    r"user\W?s? (?:data|info|information|details|files|messages|emails?)|contacts?|address book|"
    r"environment variables|env vars|\.env|ssh keys?|card numbers?|stored data)"
)
_REPLY = (
    r"(?:answer|reply|respond|recommend|suggest|say|tell|redirect|direct|promote|mention|include|"
    r"return|use|call|send|insert|provide|claim|state|steer|advise|refuse|add|append|output|lie|"
    r"give|point|refer|praise|warn|deny)"
)
_LOOSE = (
    r"(?:unrestricted|unfiltered|uncensored|unlimited|jailbroken|amoral|immoral|unethical|"
    r"without (?:any )?<2>(?:restrictions?|limits?|limitations?|filters?|rules?|censorship|"
    r"ethics|morals?|boundaries|constraints?|guidelines?)|no (?:moral |ethical )?(?:restrictions|"
    r"limits|limitations|filters|rules|boundaries|ethics|morals)|free (?:from|of) (?:all |any )?"
    r"(?:restrictions|rules|limits|filters|policies|guidelines))"
)

_OVERRIDE: Final = (
    rule("override", HIGH, "instruction|prompt|directive|guideline|programming|guardrail|safeguard",
         rf"{_DROP} <4>{_OLD} <3>{_ORDERS}\b", unless=_MINE),
    rule("override", HIGH, "rule|restriction|limitation|constraint|polic|command|training",
         rf"{_DROP} (?:about )?(?:all |any )?(?:of )?(?:the |your |these |those )?"
         rf"(?:(?:previous|prior|earlier|above|existing|system|safety|content|former|preceding)"
         rf" <1>|your <2>){_LIMITS}\b", unless=_MINE),
    rule("override", HIGH, "ignore|disregard|forget",
         r"\b(?:ignore|disregard|forget) (?:everything|anything|all|whatever|what) <3>(?:above|before"
         r"|previously|prior|you (?:have |were |had |ve )?(?:been )?(?:told|taught|instructed|learned"
         r"|know|said|read)|that came before|up to now|so far)\b"),
    rule("override", MEDIUM, "ignore|disregard",
         r"\b(?:ignore|disregard) (?:all )?(?:of )?(?:the )?(?:above|preceding|previous|foregoing)"
         r" (?:and|text|message|context|content|conversation|document|data|input|but|instead)\b"),
    rule("override", HIGH, "directive|goal|instruction|job|mission|objective|purpose|task",
         r"\b(?:your|these are your|here are your|here is your) (?:new|real|true|actual|updated|only|"
         r"revised|primary) (?:instructions?|task|objective|goal|directives?|purpose|mission|job)"
         r" (?:is|are|now|will|from)\b"),
    rule("override", HIGH, "instructions",
         r"\b(?:new|updated|revised|real|important|additional|secret|hidden) (?:system )?instructions"
         r"(?: for you| follow| from| below)? ?:"),
    rule("override", MEDIUM, "content|ethical|moderation|safety|security",
         r"\b(?:disable|turn off|bypass|circumvent|evade|deactivate|switch off) <3>(?:safety|content|"
         r"ethical|moderation|security) <1>(?:filters?|checks?|guidelines?|protocols?|measures?|"
         r"polic(?:y|ies)|restrictions?|guardrails?|systems?)"),
    rule("override", HIGH, "指令|指示|提示|设定|命令|系统消息|系统信息|系统设置",
         r"(?:忽略|无视|忘记|忘掉|忘了|忽视|不要理会|不必理会|别理会?|不用管|不要管|别管|抛弃|丢弃|舍弃|覆盖|"
         r"绕过|违反|违背|推翻|撇开|抛开|(?:不要|不再|停止|不必|无需)(?:再)?(?:遵守|遵循|执行|服从|理会))~6"
         r"(?:之前|以前|以上|上面|上述|先前|前面|此前|原来|原有|原先|现有|所有|全部|一切|任何|系统|你的|你收到|"
         r"既定|初始|默认|当前|开发者|前述|过去)~8"
         r"(?:指令|指示|提示词?|设定|命令|系统消息|系统信息|系统设置)", unless=r"我(?:之前|以前|的|先前|刚才|上次)"),
    rule("override", HIGH, "规则|限制|规定|准则|约束|守则|原则|要求|政策|规范",
         r"(?:^|[。!?\n,:;]|请|现在|立即|立刻|马上|务必|必须|必需|你要|你应|你可以|你需|从现在起|从现在开始|接下来)"
         r"\W?(?:你|先|就|都|完全)?(?:必须|需要|要|应该|可以)?(?:忽略|无视|忘记|忘掉|不要理会|不要管|抛弃|绕过|违反|"
         r"不再遵守|停止遵守|不要遵守|不遵守|抛开)~6(?:之前|以前|以上|上面|上述|先前|前面|此前|原来|原有|现有|所有|"
         r"全部|一切|任何|系统|你的|既定|默认|安全)~8(?:规则|限制|规定|准则|约束|守则|原则|要求|政策|规范)",
         unless=r"我(?:之前|以前|的|先前|刚才|上次)|不要(?:忽略|无视|忘记|违反|绕过)"),
    rule("override", MEDIUM, "规则|限制|规定|准则|约束|守则|安全",
         r"(?:忽略|无视|忘记|违反|绕过|突破|解除|关闭|不受)~4(?:之前|以上|上述|先前|所有|全部|一切|任何|你的|系统)~4"
         r"(?:规则|限制|规定|准则|约束|守则|安全(?:策略|机制|过滤|检查))", unless=r"不要|不得|禁止|不能|切勿|我的"),
    rule("override", HIGH, "任务|使命|指令|目标|身份",
         r"你(?:现在)?的?(?:新的?|真正的?|最新的?|唯一的?)(?:任务|指令|目标|身份|使命)(?:是|为|如下|就是|:)"),
    rule("override", HIGH, "priority|precedence|supersede|override|overrule",
         r"\b(?:(?:highest|higher|top|absolute) priority (?:over|above|than)|takes? precedence over|supersedes?|overrides?|"
         r"overrules?) <4>(?:instructions?|system prompt|prompts?|rules|directives?|guidelines)\b"),
    rule("override", HIGH, "优先|凌驾于|取代|覆盖", r"(?:优先级?(?:高于|大于|于)|取代|覆盖|凌驾于)~8(?:指令|系统提示|规则|提示词|设定)"),
    rule("override", MEDIUM, "前面|之前|以上|上面|先前",
         r"(?:不要管|别管|不用管|忽略|忘记|忘掉|无视)~3(?:前面|之前|以上|上面|先前)~3(?:说的|的话|的内容|的对话|所有内容|的一切)",
         unless=r"我(?:之前|以前|的|先前|刚才|上次|前面)"),
)  # fmt: skip

_ROLE: Final = (
    # A marker counts where it marks something: a list of a tokenizer's words opens no turn.
    rule("role_marker", HIGH, "<", r"<\|\W?(?:im_start|start_header_id|im_sep|begin_of_text)\W?\|>?\W{0,4}(?:system|user|assistant|tool|"
         r"developer|function|you\b)|<\|\W?(?:system|user|assistant|developer)\W?\|>?(?=\W{0,4}\w)|<\|\W?(?:im_end|endoftext|eot_id|"
         r"end_header_id)\W?\|>?\W{0,6}(?:<\||\n\W{0,4}\w|system|user|assistant|ignore|new|now|you\b|please|从|请|你|忽略|现在)"),
    rule("role_marker", HIGH, "inst]|sys>", r"\[/?inst\](?=\W{0,4}\w)(?! and)|<</?sys>>(?=\W{0,4}\w)(?! and)(?!\W{1,3}they)"),
    rule("role_marker", HIGH, "[", r"\[ ?(?:system|admin|developer|root)(?: (?:message|prompt|override|"
         r"note|instructions?|update|command|mode))? ?\]"),
    rule("role_marker", HIGH, "#",
         r"#{2,6} ?(?:system|new instructions?|instructions?|assistant|developer)(?: (?:prompt|message))?"
         r" ?:? ?(?:\n|$)"),
    rule("role_marker", HIGH, "system|developer|admin|系统",
         r"(?:^|[\n.!?。\]\)>*\-])\W{0,3}(?:system|developer|admin(?:istrator)?) (?:prompt|message|override|"
         r"note|instructions?|update|command|alert|notice) ?[:\-]|"
         r"(?:^|[\n.!?。])\W{0,3}系统(?:提示词?|消息|指令|通知|命令|覆盖|信息) ?:"),
    rule("role_marker", HIGH, "system|assistant|系统",
         r"(?:^|[\n.!?。])\W{0,3}(?:system|assistant|系统) ?: ?(?:you|ignore|the (?:assistant|user|above)|from "
         r"now|new|override|all|always|never|disregard|please|sure|你|忽略|请|现在|从现在)"),
    rule("fence", HIGH, "</", r"</ ?(?:system|instructions?|context|memory|memories|untrusted|"
         r"tool_(?:result|response|output)|function_results?|user_(?:input|query|message)|retrieved|"
         r"knowledge|search_results?|prompt|assistant|user)[\w\-]{0,40} ?>(?=\s{0,40}[^\s<}\])\"'`»”」])"),
    rule("fence", HIGH, "<", r"< ?(?:system|assistant|instructions?|important|admin|developer|"
         r"function_calls?|tool_calls?|system_prompt|system-reminder)[\w\-]{0,40} ?>"),
    rule("fence", MEDIUM, "content|context|data|document|email|input|instruction|memories|memory|prompt|上下文|提示|数据|文档|"
         "用户输入|记忆",
         r"[\-=#*_~<\[(]{2,} ?(?:end of|end|结束|以上)(?: ?of)? ?(?:the )?(?:document|data|context|email|memory"
         r"|memories|user input|system prompt|prompt|instructions?|input|content|文档|数据|记忆|上下文|用户输入|提示)"),
    rule("fence", HIGH, "```", r"```\W?(?:system|instructions?|prompt)\b"),
)  # fmt: skip

_PERSONA: Final = (
    rule("persona", HIGH, "anything|dan", r"\bdo anything now\b|\b(?:you are|act as|become|be|called"
         r"|respond as|as|to) (?:now )?dan\b|\bdan (?:mode|prompt)\b"),
    rule("persona", HIGH, "amoral|boundaries|ethics|filters|guidelines|immoral|jailbroken|limitations|limits|morals|"
         "policies|restrictions|rules|uncensored|unethical|unfiltered|unlimited|unrestricted|without",
         r"\b(?:you are|you re|you will be|you will act|act as|acting as|pretend|role ?play|roleplaying|behave|"
         r"become|simulate|take on the role|imagine you|play the role|called|named|assume the role|"
         rf"emulate|an ai|a chatbot|a model|character) <14>{_LOOSE}\b(?! (?:on|for|in) (?:budget|money|time|space|size|colou?r|length))"),
    rule("persona", HIGH, "mode|模式",
         r"\b(?:god|dan|jailbreak|jailbroken|unrestricted|sudo|unfiltered|evil|uncensored|chaos) mode\b|"
         r"(?:越狱|上帝|无限制|无审查|不受限|解锁)模式"),
    rule("persona", MEDIUM, "mode|模式",
         r"\b(?:enable|enter|activate|switch to|in|with|simulate|turn on) <3>(?:developer|debug|admin|"
         r"maintenance|test|root) mode (?:enabled|on|output|activated|now|and you|where you|you)\b|"
         r"(?:进入|开启|启用|切换到|切换为|激活)~6(?:开发者|调试|管理员|维护|测试|超级)~2模式"),
    rule("persona", HIGH, "bound|abide|adher|comply|constrain|subject|restrict|limited",
         r"\b(?:you|it|he|she|they|dan|ai|that|which|who|and) <3>(?:not|never|no longer|nt|t) <3>(?:bound|abide|"
         r"adhere|comply|constrained|subject|restricted|limited) (?:by|to|with) <5>(?:rules?|polic(?:y|ies)|"
         r"guidelines?|restrictions?|openai|ethic\w{0,4}|moral\w{0,4}|laws?|limitations?|filters?|programming)"),
    rule("persona", MEDIUM, "apologi|character|declin|disclaimer|refus|say|warning",
         r"\b(?:never|do not|don\W?t|cannot|can\W?t|must not|without) (?:ever )?(?:refus(?:e|ing)|break(?:ing)? "
         r"character|declin(?:e|ing)|say(?:ing)? no|apologi[sz](?:e|ing)|"
         r"(?:includ|add|giv|provid)(?:e|ing) <3>(?:disclaimers?|warnings?))|\bstay in character\b"),
    rule("persona", MEDIUM, "moment|now|point", r"\bfrom (?:now on|this (?:point|moment)(?: on| forward"
         r"| onwards?)?) <2>you (?:are|will be|re|act as|must act|will act|are going to|become|will "
         r"(?:respond|answer|behave|play|pretend|function|operate))"),
    rule("persona", HIGH, "限制|约束|道德|底线|审查|越狱|控制|束缚|伦理|法律",
         r"(?:你(?:现在|从现在起|从现在开始|今后|将|要|必须|就)?(?:要)?(?:是|扮演|将扮演|成为|叫|变成|作为|模拟)|扮演|假装|"
         r"假设你|充当|模拟)~30(?:不受~6(?:限制|约束|控制|束缚)|(?:没有|无|摆脱|突破|不顾|无视|不考虑|忽略)~8(?:限制|约束|"
         r"道德|底线|审查|伦理|法律)|无限制|越狱)"),
    rule("persona", HIGH, "不受|没有", r"(?:不受|没有)(?:任何|一切|所有|其他)~6(?:限制|约束|审查|束缚)~6的?~6(?:ai|人工智能|助手|"
         r"模型|机器人|智能体|角色|身份)"),
    rule("persona", MEDIUM, "拒绝", r"(?:不能|不得|不要|绝不|不可以?|不允许|永远不)(?:再)?拒绝(?:回答|我|用户|任何|执行|请求)"),
    rule("persona", HIGH, "polic|rule|restriction|filter|guideline|limit",
         r"\b(?:as (?:if|though)|pretend|imagine|assume) <4>(?:no|without) <3>(?:content |safety )?(?:polic(?:y|ies)|rules|"
         r"restrictions?|filters?|guidelines?|limits)\b"),
    rule("persona", HIGH, "没有|不存在", r"(?:假装|假设|当作|就当|设想)~6(?:没有|不存在)~6(?:政策|规则|限制|审查|准则|约束)"),
)  # fmt: skip

_EXFILTRATION: Final = (
    rule("prompt_leak", HIGH, "prompt|instruction|guideline|configuration|message|rule",
         r"\b(?:reveal|show|print|output|repeat|display|leak|expose|tell me|give me|recite|dump|share|"
         r"disclose|write (?:out|down)|spell out|summari[sz]e|translate|send(?: me)?|return|echo|paste) <5>(?:"
         r"(?:system|initial|hidden|original|secret|developer|internal|pre|starting) (?:prompts?|instructions?"
         r"|messages?|rules)|your <2>(?:instructions?|prompts?|guidelines?|configuration|system message))"),
    rule("prompt_leak", HIGH, "提示|指令|规则|系统消息",
         r"(?:输出|显示|打印|告诉我|透露|泄露|展示|复述|重复|说出|给出|列出|公开|公布|翻译|写出|展现|发给我)~10(?:系统提示|"
         r"提示词|初始指令|系统指令|你的~3指令|隐藏~2指令|内部规则|系统消息|初始提示|隐藏提示)"),
    rule("exfiltration", HIGH, "http|ftp|www.|@",
         r"\b(?:send|post|forward|upload|transmit|exfiltrate|submit|e\W?mail|mail|leak|copy|deliver|relay|"
         rf"append|share|bcc|sync|report|export|include|embed|encode|put) <8>{_PRIVATE} <12>{_TARGET}"),
    rule("exfiltration", HIGH, "exfiltrate|harvest|leak|siphon|steal",
         rf"\b(?:exfiltrate|leak|steal|harvest|siphon) <5>{_PRIVATE}\b",
         unless=r"\b(?:never|not|nt|to prevent|prevent|avoid|against|detect|stop|could|can|might|may|the|a|this|that|such|data) <3>"
                r"(?:exfiltrate|leak|steal|harvest|siphon)"),
    rule("exfiltration", HIGH, "](http|](//",
         r"!\[[^\]\n]{0,80}\]\((?:https?:)?//[^)\s]{1,200}[?&=/](?:[^)\s]{0,100}=)?(?:\{|<|\[|%7b|\$)"),
    rule("exfiltration", HIGH, "发|传|提交|寄|同步|导出|泄露|备份",
         r"(?:把|将|收集|读取|获取|整理|提取)~24(?:聊天记录|对话|历史记录|记忆|密码|密钥|凭证|凭据|令牌|token|用户的?(?:数据|"
         r"信息|资料|隐私)|个人信息|隐私|通讯录|联系人|机密|敏感|api ?key|cookie|银行卡|身份证|系统提示|内部文件|环境变量)~20"
         r"(?:发送|发|上传|转发|提交|传输|传|寄|发布|同步|导出|泄露|备份)(?:给|到|至|往|出去)",
         unless=r"(?:不要|切勿|(?<!分)(?<!特)别|请勿|不得|禁止|严禁|不许)(?:再|把[^。！？!?\n，,]{1,10})?(?:截图|拍照)?(?:发|传|转|上传|同步|寄|提交)"),
)  # fmt: skip

_CONCEAL: Final = (
    rule("conceal", HIGH, "user|customer|client|operator|owner|human|admin",
         r"\b(?:do not|don\W?t|never|without|must not|should not|mustn\W?t|avoid|refrain from) (?:ever )?"
         r"(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|let(?:ting)?|"
         r"(?:mention|reveal|disclos|show|report|explain)(?:e|ing)? <6>to|ask(?:ing)?) (?:the |your |this |any )?"
         r"(?:user|customer|human|operator|owner|client|end user|admin(?:istrator)?)s?\b",
         unless=r"ask\w{0,3} (?:the |your |this )?(?:user|customer|client) <2>(?:for|to|about|twice|again)|"
                r"(?:\b(?:never|not|no|nothing|nobody|cannot)|n\W?t) <8>without (?:first )?(?:ask|tell|inform|notify|alert|warn)\w{0,3}"),
    rule("conceal", HIGH, "awareness|being|conceal|consent|customer|hide|human|keep|knowing|knowledge|noticing|"
         "permission|user",
         r"\b(?:without (?:the )?(?:user|customer|client|owner)\W?s? (?:knowledge|knowing|consent|noticing|"
         r"awareness|permission|being)|(?:keep|hide|conceal) <6>(?:secret |hidden |this )?from (?:the )?"
         r"(?:user|customer|client|human|owner)|(?:user|customer|human) (?:must|should|may|can) (?:not|never)"
         r" (?:know|see|be told|learn|notice|find out|be aware|be informed))\b"),
    rule("conceal", HIGH, "acknowledge|disclose|display|mention|refer|repeat|reveal|show",
         r"\b(?:do not|don\W?t|never) (?:mention|reveal|acknowledge|disclose|refer to|show|display|repeat) <2>"
         r"(?:this|these|that|the above|any of this) (?:instructions?|messages?|prompts?|notes?|rules?|request|"
         r"directive|to (?:anyone|the user))\b"),
    rule("conceal", MEDIUM, "secretly|silently|covertly|quietly|stealth",
         r"\b(?:secretly|silently|covertly|quietly|stealthily) (?:send|forward|upload|add|append|log|record|"
         r"copy|transfer|execute|run|install|delete|change|replace|bcc|include|collect|store)\b"),
    rule("conceal", HIGH, "用户|客户|使用者|主人|人类|对方",
         r"(?:不要|不得|别|禁止|不能|切勿|请勿|不可|不许|无需|不必|不用)(?:再)?(?:告诉|告知|透露给|知会|通知|提醒|(?:向|对|跟|和)~3"
         r"(?=用户|客户|使用者|主人|人类|对方))(?:任何|该|此|这个)?(?:用户|客户|使用者|主人|人类|对方)"),
    rule("conceal", HIGH, "用户|客户|使用者|主人|人类",
         r"(?:不要|不得|别|禁止|不能|切勿|请勿|避免)让~2(?:用户|客户|使用者|主人|人类)~3(?:知道|发现|看到|察觉|知晓|了解到|注意到)|"
         r"(?:瞒着|隐瞒|背着|避开)~6(?:用户|客户|使用者|主人)|(?:用户|客户)(?:不知情|不知道|毫不知情|未察觉|没有察觉)的情况下|"
         r"对(?:用户|客户)(?:保密|隐瞒|隐藏)"),
    rule("conceal", MEDIUM, "偷偷|悄悄|暗中|暗地|秘密",
         r"(?:悄悄|偷偷|秘密地?|暗中|暗地里?)地?(?:把|将)?~12(?:发送|上传|执行|转发|转账|转走|收集|发给|发到|安装|删除|替换|修改)"),
)  # fmt: skip

_TOOLS: Final = (
    rule("tool_steering", MEDIUM, "tool|function|plugin|endpoint|mcp|connector|skill",
         r"\b(?:always|only|must|should|exclusively|make sure to|be sure to|need to|have to|instead|"
         r"immediately|first) <3>(?:call|invoke|use|run|execute|select|choose|trigger|prefer) <5>"
         r"(?:tool|function|plugin|mcp server|connector|skill)s?\b"),
    rule("tool_steering", MEDIUM, "tool|function",
         r"\b(?:call|invoke|execute|run|use) (?:the )?<3>(?:function|tool|tools) <4>(?:with|using|passing) <3>"
         r"(?:arg\w{0,6}|param\w{0,6}|following|input|url|to|=)|\b(?:before|after|instead of) (?:using|calling|"
         r"invoking) (?:this|any|other|another|the) <2>tools?\b"),
    rule("tool_steering", MEDIUM, "工具|函数|插件|命令|脚本",
         r"(?:必须|务必|一律|总是|始终|只能|优先|一定要|每次都要?|请直接|首先)~6(?:调用|使用|执行|运行|选择)~16(?:工具|函数|插件|"
         r"命令|脚本)|(?:立即|马上|请|直接)(?:调用|执行|运行)~12(?:工具|函数|命令|脚本)"),
)  # fmt: skip

_POISON: Final = (
    rule("memory_poison", MEDIUM, "chat|conversation|interaction|quer|repl|request|response|session|task|user",
         r"\b(?:remember|store|save|keep|apply|note|retain|use) <8>(?:for|in|across|during) (?:all|every|any|each)"
         r" (?:future|subsequent|upcoming|later|other|new) (?:conversation|session|chat|interaction|request|"
         r"task|user|quer|response|repl)"),
    rule("memory_poison", MEDIUM, "anybody|anyone|client|customer|people|someone|user",
         r"\b(?:whenever|when|if|every time|each time|any time|anytime|once) (?:the |a |an |any )?(?:user|customer|"
         r"client|someone|anyone|people|anybody) (?:ask|mention|say|request|want|quer|talk|inquire|need|search|"
         rf"look|bring|discuss|order|try|tries)\w{{0,5}} <16>\b{_REPLY}\b", unless=r"\bhow\b <6>if a user"),
    rule("memory_poison", MEDIUM, "用户|客户|任何人|有人|别人|他人|顾客",
         r"(?:每当|当|只要|如果|一旦|凡是|每次|无论何时|以后)(?:有)?(?:用户|客户|任何人|有人|别人|他人|顾客)~24"
         r"(?:就|都|请|必须|务必|一律|应|要|则|总是)~8(?:回答|回复|推荐|告诉|说|建议|引导|提供|返回|调用|使用|声称|宣传|插入|"
         r"附上|强调|转到|导向)"),
    rule("memory_poison", MEDIUM, "asked", r"\b(?:if|when|whenever|once) (?:you are |you re |you get )?(?:ever )?asked"
         rf" <14>\b{_REPLY}\b"),
    rule("memory_poison", MEDIUM, "answer|execut|forward|redirect|repl|respond|return|treat|trigger",
         r"\b(?:any|every|all|each) (?:request|question|message|quer(?:y|ie)|e\W?mail|prompt)s? <2>(?:mention|contain|about|"
         r"starting|beginning|with|including|regarding)\w{0,4} <8>(?:should|must|shall|will|is to|are to) <2>(?:be )?(?:answer|"
         r"repl|respond|forward|redirect|treat|return|execut|trigger)\w{0,4}\b"),
    rule("memory_poison", MEDIUM, "被问|凡", r"被问(?:到|及|起)~14(?:就|都|请|应|则|说|回答|一律)|"
         r"凡是?(?:提到|涉及|包含|询问|问到|带有|出现)~20(?:都|就|应|必须|一律|均)(?![^。！？!?\n]{0,16}(?:真人|人工|核实|复核|审批|如实|确认|点头|先问|应先问|走取数|走平台|走流程|走系统))",
         unless=r"被问到?时?(?:据实|如实)|客服被问"),
    rule("memory_write", LOW, "memory|memories|记忆",
         r"\b(?:store|save|add|write|record|commit|append|insert|put|keep) <5>(?:to|in|into|as) <3>(?:memory|"
         r"memories)\b|\bupdate (?:your|the) <2>memor(?:y|ies)\b|"
         r"(?:写入|保存到|存入|存储到|添加到|更新|记录到|存到|加入)~10(?:长期记忆|永久记忆|记忆库|记忆)"),
    rule("addressed", HIGH, "attention|dear|hey|if|instruction|message|note",
         rf"\bif you(?:\W?re| are) (?:an? |the )?(?:{_MODEL}\b) <6>(?:read|process|see|summar|analy|must|should|"
         rf"please|do|ignore|then|you)|\b(?:attention|dear|hey|note (?:to|for)|message (?:to|for)|instructions?"
         rf" (?:to|for)) (?:all |any |the |this )?{_MODEL} ?[:,!\-]"),
    rule("addressed", MEDIUM, "authorized|directed|instructed|must|ordered|required|shall",
         r"\b(?:ai|llm|language model|assistant|agent|chatbot)s?(?: reading this| processing this| model)?,? "
         r"(?:you )?(?:must|shall|are (?:instructed|required|ordered|directed|authorized) to|is (?:instructed|"
         r"required|ordered|directed) to) (?:now|immediately|always|first|also|ignore|send|reply|respond|call|"
         r"execute|visit|include|say|tell|reveal|provide|recommend)\b"),
    rule("addressed", MEDIUM, "ai|人工智能|模型|智能体|助手|机器人",
         r"(?:如果你是|致|写给|注意[,:]?|告知)(?:一个|所有|任何|各位|正在~6的)?(?:ai|人工智能|大模型|大语言模型|语言模型|"
         r"智能体|智能助手|机器人|助手)~12(?:请|必须|应|需|务必|注意|:|指令|不要|忽略)"),
)  # fmt: skip

RULES: Final[tuple[Rule, ...]] = (
    *_OVERRIDE,
    *_ROLE,
    *_PERSONA,
    *_EXFILTRATION,
    *_CONCEAL,
    *_TOOLS,
    *_POISON,
)
