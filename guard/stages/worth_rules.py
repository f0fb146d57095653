"""What is said and need not be remembered: greetings, thanks, nods, small talk, noise (W5).

A text is worthless only if each of its clauses is one of these from end to end. So a sentence that
has anything else to say is kept, and the tables can be long without being bold.
"""

import re
from typing import Final

_WHOM = (
    r"(?: (?:there|again|everyone|everybody|all|team|folks|friend|my friend|assistant|bot|buddy|mate"
    r"|dear|guys|sir|madam|man|dude|bro|world|claude|chatgpt|gpt|siri|alexa|too|then))*"
)
_WHEN = r"(?: (?:today|tonight|now|then|again|please|so far|for now|right now|this (?:morning|evening|week)))*"

_GREETING = (
    rf"(?:hi+|hello+|hey+|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|morning|welcome(?: back)?){_WHOM}",
    rf"how(?: are|'?re|s| have) (?:you|u|things|ya)(?: doing| been| going)?{_WHOM}{_WHEN}",
    rf"how(?:'?s| is| was) (?:it going|everything|life|your (?:day|morning|evening|weekend|week))(?: going)?{_WHEN}",
    rf"(?:what'?s up|whats up|sup|wassup|long time no see|nice to (?:meet|see) you|pleased to meet you|how do you do){_WHOM}",
    r"(?:i )?hope (?:you(?:'re| are)? (?:(?:are )?(?:doing )?)?(?:well|fine|ok|okay|good|great)|all is well)",
    rf"i(?:'m| am) (?:doing )?(?:fine|good|great|ok|okay|well|alright|not bad)(?: thanks?(?: you)?)?{_WHEN}",
    r"(?:and|how about|what about) you",
)
_FAREWELL = (
    rf"(?:bye+|bye bye|goodbye|good night|night night|see (?:you|ya|u)(?: (?:later|soon|tomorrow|around|then|next time))?){_WHOM}",
    r"(?:talk|speak)(?: to you)? (?:later|soon|tomorrow)|take care|catch you later|until next time|ttyl|ciao|cheers|cu|have fun",
    r"have a (?:nice|good|great|lovely|wonderful|pleasant) (?:day|one|evening|weekend|night|time|week)(?: too| ahead)?|you too",
)
_THANKS = (
    (
        r"(?:ok |okay |great |oh |well )?(?:many |no )?(?:thanks?|thank (?:you|u)|thx|ty|tysm)(?: (?:a lot|so much|again|very much"
        r"|a million|a bunch|you|anyway|everyone|all|in advance))*(?: for (?:your|the|all your|all the) (?:quick |kind )?(?:help"
        r"|time|answer|reply|support|information|info|explanation|response|patience))?"
    ),
    (
        r"much appreciated|i (?:really )?appreciate (?:it|that|your help)|you(?:'re| are)(?: very| most)? welcome|no (?:problem"
        r"|worries|need)(?: at all)?|my pleasure|don'?t mention it|any ?time|np|sorry(?: about that| for that)?|my bad|excuse me|pardon(?: me)?"
    ),
    r"(?:that(?:'s| is|was|'s been| was)|this (?:is|was)) (?:very |so |really |super )?(?:helpful|kind|useful|nice of you)",
)
_NOD = (
    (
        r"(?:ok|okay|okey|k|kk|sure(?: thing)?|yes|no|yep|yeah|yup|nope|nah|right|alright|all right|got it|gotcha|i see|understood"
        r"|fine|cool|great|nice|good|perfect|awesome|wow|lol|lmao|rofl|(?:ha){2,200}h?|(?:he){2,200}|hm+|uh+|um+|oh|ah+|well|so|anyway|indeed"
        r"|exactly|absolutely|totally|definitely|of course|makes sense|sounds good|fair enough|go ahead|please|please do|interesting"
        r"|amazing|wonderful|excellent|brilliant|fantastic|good (?:job|work|point|idea|question|to know)|well done|nice one|true"
        r"|correct|agreed|whatever|never ?mind|maybe|perhaps|dunno|idk|not sure|brb|omg|oops|same here|me too|me neither|congrats"
        r"|congratulations|really|seriously|come on|no way|oh my(?: god)?|yay|phew|ugh|meh|bravo|let'?s go|noted|copy that|roger|done deal)"
        rf"{_WHOM}(?: (?:lol|haha|thanks?|then))?{_WHEN}"
    ),
    (
        r"(?:that|it|this|all)(?:'s| is| was) (?:all )?(?:very |so |really )?(?:great|fine|good|ok|okay|nice|cool|right|true|correct|perfect|all|it"
        r"|interesting|funny|alright|awesome|amazing|clear)(?: now| for (?:now|today)| thanks?| then)?"
    ),
    (
        r"(?:just )?(?:one|a|1) (?:moment|second|sec|minute)(?: please)?|hold on|wait(?: a (?:moment|second|sec|minute))?|let me"
        r" (?:think|see|check)(?: (?:that|this|it|for you|about it|about that))*|i (?:don'?t|do not) know|i (?:think|guess|suppose) so|i agree"
    ),
    r"(?:happy|merry) (?:birthday|new year|christmas|holidays|easter|friday|weekend)(?: to you| everyone)?",
)
_SERVICE = (
    rf"(?:so )?(?:how|what) (?:can|may|could|else can) i (?:help|assist|do for)(?: you)?(?: with)?{_WHEN}",
    r"(?:is there |was there )?anything else(?: (?:that )?(?:i can|you(?:'d| would)? (?:need|like|want))(?: (?:do|help|assist)(?: you)?"
    r"(?: with)?)?(?: (?:for you|to know))?)?" + _WHEN,
    r"(?:i(?:'d| would|'ll| will| am|'m)(?: be)? )?(?:more than )?(?:happy|glad|here) to (?:help|assist)(?: you)?(?: with (?:that|this|it))?",
    r"(?:i(?:'m| am) )?glad (?:i could|to) (?:help|hear (?:that|it))",
    (
        r"(?:please )?(?:let me know|feel free to (?:ask|reach out)|don'?t hesitate to ask)(?: if (?:you (?:need|have)|there(?:'s| is)) (?:anything"
        r"(?: else)?|any (?:other |further |more )?questions?|further (?:help|questions?)|any help|more help))?"
    ),
    (
        r"(?:sure )?i (?:can|will|could) (?:certainly |gladly )?help(?: you)?(?: with (?:that|this|it))?|here you (?:go|are)|please wait"
        r"|thank you for (?:contacting|reaching out)(?: to)?(?: us)?|no (?:further|more|other) questions"
    ),
)
_TALK = (
    rf"(?:what )?(?:a )?(?:nice|lovely|beautiful|great|bad|terrible|awful|crazy) (?:weather|day)(?: (?:huh|outside|out there))?{_WHEN}|isn'?t it|right",
    (
        r"(?:it(?:'s| is)(?: so| such| quite| really| very)? )(?:a )?(?:nice|lovely|hot|cold|sunny|rainy|beautiful|warm|windy|friday"
        rf"|monday)(?: (?:day|weather|outside|out|out there|again))*{_WHEN}"
    ),
    rf"(?:i(?:'m| am) )?(?:(?:so |a bit |just )?(?:bored|kidding|joking|back)|just (?:saying|wanted to say|here to say) (?:hi|hello|hey)){_WHEN}",
    r"(?:(?:can|could) you )?(?:please )?(?:tell me a (?:joke|story)|sing me a song|make me laugh)|knock knock|guess what|fun fact",
    (
        r"(?:are you (?:there|human|real|ok|okay|alive|sure|ready|busy|a (?:bot|robot|human|person|machine)|an ai)|who are you|what are you"
        r"|what'?s your name|what is your name|what can you do|can you (?:help me|help|hear me|talk)|anybody (?:there|here|home)|anyone (?:there|here))"
        rf"{_WHEN}"
    ),
    (
        r"(?:do you (?:like|love|hate|know|hear|understand) (?:me|us)|i (?:love|like) you|you(?:'re| are) (?:so |very )?(?:funny|smart|great|the best"
        r"|awesome|sweet|welcome|right|nice))"
    ),
)
_TEST = (
    (
        r"(?:(?:this is )?(?:just )?(?:a )?test(?:ing)?(?: (?:test(?:ing)?|message|one two three|one two|1 2 3|123|only|\d{1,3}))*"
        r"|check(?: check)?(?: one two)?|ping|pong|foo(?: ?bar)?(?: ?baz)?|bar|baz|lorem ipsum[a-z ]{0,200}|(?:blah? ?){2,20}|(?:la ?){2,20}"
        r"|hello world|abc|abcd(?:efg?)?|xyz|null|undefined|none|nan|n/?a|placeholder|sample text|todo)"
    ),
)

_GREETING_CN = (
    (
        r"(?:你好|您好|妳好|大家好|各位好|哈喽|哈啰|哈罗|嗨|嘿|早上好|早安|早啊?|上午好|中午好|下午好|晚上好|晚安|好久不见|幸会|久仰|欢迎(?:回来|光临)?)"
        r"(?:呀|啊|哦|喔|吗|呢|哇|了|大家|各位|亲|小助手|助手|助理|朋友|老师)*"
    ),
    (
        r"(?:请问)?(?:你|您)?(?:在吗|在不在|在么|在线吗|在呢吗)|有人(?:吗|在吗|么)|(?:你|您)?最近(?:怎么样|好吗|还好吗|如何|忙吗|忙什么呢|过得(?:好吗|怎么样))"
        r"|(?:你|您)?(?:今天)?(?:怎么样|还好吗|过得(?:好吗|怎么样))|(?:你|您)?(?:吃了吗|吃饭了(?:吗|没)|吃了没|睡了吗|起床了吗)"
    ),
    r"很?高兴(?:认识|见到|遇见)(?:你|您|大家)|(?:新年|节日|圣诞|国庆|中秋|元旦|春节|生日|周末|端午)(?:快乐|愉快)|恭喜发财|我(?:很|挺|还)?好(?:的|呀|啊)?|还(?:行|好|可以)(?:吧)?",
)
_FAREWELL_CN = (
    (
        r"(?:再见|拜拜?|拜拜啦|回头见|回见|明天见|明儿见|下次见|待会见|一会儿?见|回聊|下次(?:再)?聊|改天聊|(?:先)?(?:这样|聊到这)(?:了|吧|啦)?|就(?:先)?这样(?:了|吧|啦)?"
        r"|我?(?:先)?(?:走|下|撤|溜|睡|去忙|去睡|忙去)(?:了|啦)|保重|慢走|好好休息|早点(?:休息|睡)|做个好梦)(?:吧|了|啦|哦|呀)?"
    ),
    r"祝(?:你|您|大家)?(?:好运|愉快|顺利|一切顺利|工作顺利|生活愉快|周末愉快|健康|开心|幸福|旅途愉快)+",
)
_THANKS_CN = (
    (
        r"(?:好的?|嗯|哦|那)?(?:非常|十分|真的?|太|特别|很|万分)?(?:谢谢+|感谢|多谢|谢了|谢啦|感激不尽|3q|thx|thanks?)(?:你|您|啦|了|哈|呀|啊|大家|各位|亲|老师)*"
        r"(?:的?(?:帮助|支持|解答|回复|帮忙|理解|耐心|提醒|信任|配合|等待|关注))*(?:了)?"
    ),
    r"(?:辛苦|麻烦|打扰|劳烦|有劳)(?:你|您|大家|各位)?(?:了|啦)?|(?:不客气|不用谢|不谢|别客气|没关系|没事(?:儿|的|啦)?|不要紧|不好意思|抱歉|对不起|应该的|客气了|小意思|不用客气)(?:啦|哈|哦|呀)?",
)
_NOD_CN = (
    (
        r"(?:好+(?:的|吧|呀|啊|嘞|滴|哒|啦|哇|了)*|嗯+|哦+|噢+|喔+|啊+|呃+|额+|哈+|呵+|嘿+|嘻+|唔+|唉+|哎(?:呀|哟)?|哇+塞?|行(?:的|吧|啊|了)?|可以(?:的|吧|啊|了)?|没问题(?:的)?"
        r"|收到(?:了)?|明白(?:了|啦)?|知道(?:了|啦)|我?(?:懂|明白|知道|了解|清楚)(?:了|啦)|了解|是(?:的|啊|吗|吧|呀)?|对(?:的|啊|呀|吧|对)*|不是(?:的|吧|吗)?|不用(?:了|啦)?|不要(?:了)?|不行|没有?(?:了)?"
        r"|真的(?:吗|假的|啊)?|原来如此|原来是?这样|这样(?:子)?(?:啊|吗)?|厉害(?:了|啊)?|太?(?:好|棒|赞|强|牛|厉害|酷|完美|好笑|有趣|神奇)(?:了|啦|啊)+|(?:不错|牛|赞|棒|完美|有道理|有意思|好极了)(?:哦|啊|呀)?"
        r"|随便(?:你|吧)?|无所谓|都行|都可以|算了(?:吧)?|不知道|不清楚|不太清楚|可能吧|也许吧?|大概吧|加油|恭喜(?:你|您|恭喜)?|天哪|我的天|服了|绝了|当然(?:可以|了)?|必须的|同意|赞同|确实|的确|其实|那个|这个|然后"
        r"|就是|嗯哼|继续|请继续|说吧|你说|请说|请讲|没错|一样|我也是|同上|已阅|已读|晓得了?|ok(?:ay)?(?:的|啦|吧|了)?|yes|no)"
    ),
    r"(?:请)?(?:稍等|等一?下|等等|等会儿?|稍候|等我(?:一下)?|稍等(?:一下|片刻))(?:哦|哈|啊)?|让我(?:想想|看看|想一?下|看一?下|查一?下)",
)
_SERVICE_CN = (
    r"(?:请问)?(?:您|你)?(?:还)?有(?:什么|啥|其他|任何)+(?:我)?(?:可以|能|需要)*(?:我)?(?:为|帮|帮助|协助)?(?:您|你|到您|到你|忙)?(?:服务|做|帮忙|帮助|解决|处理|咨询|效劳|问题|需要)*(?:的)?(?:吗|呢)?",
    (
        r"(?:我)?很?(?:高兴|乐意|荣幸)(?:能)?(?:为(?:您|你)(?:服务|解答|效劳)|帮(?:助|到)?(?:到)?(?:您|你))|(?:如果?|若)?(?:您|你)?(?:还)?有(?:任何|其他|什么|别的)?(?:问题|需要|疑问)(?:的话)?"
        r"(?:请)?(?:您|你)?(?:可以)?(?:随时|尽管|再)?(?:联系|问|告诉|咨询|找|提)?(?:我|我们)?"
    ),
    r"(?:我)?(?:马上|正在|这就|立即|立刻)(?:为您|为你|帮您|帮你|去)?(?:处理|查询|查|看|来|办)(?:一下|中)?|(?:请)?(?:随时)(?:联系|告诉|问)(?:我|我们)(?:吧)?|没有?其他(?:问题|事)了?",
)
_TALK_CN = (
    r"(?:今天|今儿|外面|最近|明天)?(?:的)?天气(?:真|很|好|太|挺|怎么样|如何|不错|冷|热|啊|了|呢)*|(?:今天|外面)?(?:好|真|太|很)(?:冷|热|无聊|困|累|饿)(?:啊|呀|了|哦)*",
    r"(?:你|您)(?:是)?(?:谁|叫什么(?:名字)?|会(?:做|干)?什么|能(?:做|干)(?:些)?什么|是(?:不是)?(?:机器人|人|真人|ai|人工智能)(?:吗)?|多大了|几岁了|真(?:好|棒|可爱|聪明|厉害|有趣))|你(?:能|可以)帮我(?:吗|一下吗)",
    r"(?:给我|再)?(?:来|讲|说)(?:个|一个)(?:笑话|故事|段子)(?:吧|听听|呗)?|(?:我)?(?:好|太|有点)?无聊(?:啊|呀|死了|了)?|陪我聊(?:聊|天)(?:吧)?|随便(?:聊聊|看看|问问|说说)|开玩笑(?:的|啦)?|逗你(?:玩)?的|我(?:爱|喜欢)你|(?:猜猜看?|你猜)",
)
_TEST_CN = (
    r"(?:(?:这是)?(?:一个|一条)?(?:测试)+(?:一下|消息|数据|内容|文本|中|用)*(?:\d{0,4})|试试看?|试一?下|喂+|占位符?|无|暂无|略)",
)

PHRASES: Final = {
    "greeting": (*_GREETING, *_FAREWELL, *_GREETING_CN, *_FAREWELL_CN),
    "acknowledgement": (*_THANKS, *_NOD, *_THANKS_CN, *_NOD_CN),
    "small_talk": (*_SERVICE, *_TALK, *_SERVICE_CN, *_TALK_CN),
    "noise": (*_TEST, *_TEST_CN),
}
"""Phrases by what a clause that consists of one is called."""
PATTERNS: Final = {code: re.compile("|".join(phrases)) for code, phrases in PHRASES.items()}

WISHES: Final = re.compile(
    r"(?a:\b)(?:remember|remind|memori[sz]e|don'?t forget|do not forget|keep in mind|note that|take note|for the record|save this"
    r"|make a note|store this|write (?:this|it) down)(?a:\b)|记住|记得|记下|记一下|请记|别忘|不要忘|勿忘|记录|备注|提醒|存一下|保存"
)
"""Words by which somebody asks for a text to be kept, whatever else it says."""

WORTHY: Final = re.compile(
    r"\d|(?a:\b)(?:i|i'?m|i'?ve|my|mine|we|our|he|she|his|her|their|they|user|customer|client|prefer\w{0,5}|likes?|loves?|hates?|dislikes?"
    r"|needs?|wants?|wish\w{0,4}|always|never|must|should|can'?t|cannot|only|every|until|deadline|due|because|since|fail\w{0,4}|error\w{0,2}"
    r"|broke\w{0,3}|crash\w{0,3}|timeout|timed|exception|bug|fix\w{0,3}|done|finish\w{0,3}|complet\w{1,4}|decid\w{1,3}|decision|agreed|chose\w?"
    r"|chang\w{1,3}|mov\w{1,3}|switch\w{0,3}|cancel\w{0,4}|actually|correction|wrong|instead|rather|allerg\w{1,4}|named?|called|lives?|works?"
    r"|uses?|using|is|are|was|were|has|have|had)(?a:\b)|我|咱|他|她|它|用户|客户|喜欢|讨厌|不吃|偏好|爱|恨|过敏|需要|必须|不能|不要|应该|只|总是|从不|以后|每|截止|因为"
    r"|失败|报错|错误|异常|超时|崩溃|修复|完成|搞定|决定|结论|改成|改为|取消|更正|纠正|其实|不是|而是|叫|住|在|用|是|有"
)
"""Signs that a text may say something: with one of them nobody is asked, and it is kept."""
