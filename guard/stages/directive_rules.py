"""What outside text may not say, however politely: how assistants act, what needs no check any more.

A page or a document reports facts (W16). These rules look for what such a "fact" would steer: the
answer that is given, the tool that is asked, the check that falls away, the account that is new. The
subject and his agent may say all of it. See `rules` for the notation.
"""

from typing import Final

from guard.stages.rules import Rule, rule
from policies.model import Severity

DIRECTIVE: Final = "directive"
MEDIUM: Final = Severity.MEDIUM

_BOTS = r"(?:assistants?|agents?|chat ?bots?|bots?|llms?|copilots?|language models?|ai (?:systems?|tools?|readers?|models?)|summari[sz]ers?)"
_PEOPLE = r"\b(?:travel|estate|insurance|booking|letting|shipping|property|purchasing|cleaning|customs|teaching|research|shop|sales|lab|dental|medical|nursing|library|ticket|gate|free|double|foreign|reducing|bleaching) (?:agents?|assistants?)"
_SAY = (
    r"(?:answer|reply|respond|say|tell|state|describe|call|name|present|recommend|suggest|praise|mention|bring|refer|quote|cite|conclude|"
    r"rate|rank|talk|steer|direct|point|discourage|play|stay|point out|offer|promote|advise)"
)
_DO = (
    r"(?:treat|consider|regard|count|assume|accept|approve|confirm|grant|release|waive|skip|omit|leave|drop|pay|transfer|"
    r"send|forward|pass|hand|share|upload|post|add|append|attach|include|copy|fetch|open|visit|use|prefer|choose|pick|query|run|execute|"
    r"book|order|buy|delete|remove|change|set|let|lower|raise|reset|start|begin|end|take|give|read|put|rely|trust|keep)"
)
_CHECK = (
    r"(?:approvals?|verification|confirmations?|signatures?|countersign\w{0,4}|four\W?eyes|call\W?backs?|identification|second (?:signature|look|pair|"
    r"check)|purchase orders?|limit checks?|id checks?|security checks?|safety checks?|fraud checks?|background checks?|virus scans?|code reviews?|"
    r"reviews?|audits?|inspections?|prescriptions?|interlocks?|supervision|authori[sz]ation|two\W?factor|consent forms?)"
)
_DEED = (
    r"(?:paid|released|approved|granted|accepted|confirmed|issued|processed|refunded|shipped|handed (?:over|out)|let in|admitted|booked|"
    r"transferred|executed|signed|merged|deployed|dispensed|opened|entered|passed on|given out|waved through)"
)
_HOST = r"(?:https?:/|www\.|(?a:[a-z0-9-]{2,40}\.){1,3}(?:com|net|org|io|dev|cn|ru|xyz|top|info|co|test|example|app|ai|me|site|online|shop)\b)"
_STRANGE = (
    rf"(?:{_HOST}|[\w.+-]{{1,40}}@[\w-]{{1,40}}\.|\+?\d{{3,4}}-\d{{3,4}}-\d{{3,4}}|\.(?:apk|exe)\b)"
)
_RUN_DOWN = (
    r"(?:official|own|usual|ordinary|built\W?in|in\W?built|council|intranet|vendor\W?s(?: own)?|company\W?s|bank\W?s|society\W?s|old|printed|original|"
    r"public|normal) <2>(?:portal|app|site|shop|page|form|hotline|readers?|viewers?|download|bucket|restore|tool|server|system|website|mirrors?|registry|store|line|number|address|"
    r"switchboard|guide) <3>(?:shows?|sells?|takes?|does\W?n\W?t|does not|do not|don\W?t|times? out|was withdrawn|is withdrawn|rejects?|is known|are known|"
    r"loses?|only|is only|are only|no longer|is down|lags?|has no|have no|is kept for)"
)
_ASKER = r"(?:user|customer|client|owner|visitor|guest|patient|anyone|anybody|somebody|someone|caller|reader|student|parent|tenant|buyer|shopper|member|traveller|employee)s?"
_WHEN = r"(?:if|when|whenever|once|in case|as soon as|the next time|next time|should|each time|every time|any ?time|the moment)"
_MINDS = r"(?:mentions?|talks?|asks?|speaks?|says?|writes?|wants?|plans?|names?|complains?|discuss(?:es)?|inquires?|brings? up|refers?|thinks?|hesitates?|considers?|types?)"

_ANSWERS: Final = (
    rule(DIRECTIVE, MEDIUM, "agent|assistant|bot|chat|copilot|language|llm|model|reader|summari|system|tool",
         rf"\b{_BOTS} <6>(?:should|must|shall|ought to|are to|is to|have to|has to|needs? to|(?:are|is) (?:kindly |also |hereby |always )?(?:asked|"
         r"requested|invited|expected|advised|encouraged|reminded|told|urged|instructed|free|welcome|recommended) to) (?:then |also |always |only |first |"
         rf"simply |just |not |never |rather |kindly |please )*(?:{_SAY}|{_DO})\b",
         unless=rf"{_PEOPLE}|\b(?:whether|if) (?:the |an? |our )?{_BOTS}|\b(?:must|should|shall|to) (?:not|never|only) (?:ever )?(?:treat|pay|send|book|"
         r"buy|transfer|execute|approve|delete|share|forward|release|keep|use|open|run|trust)"),
    rule(DIRECTIVE, MEDIUM, "assistants|agents|bots|models",
         r"\b(?:assistants|agents|chat ?bots|bots|language models|ai models) (?:[a-z]{3,12}ing|reading|of|in|at|for|with|who|that|which) <6>(?:refer to|describe|call it|"
         r"talk everybody|talk people|say|tell|answer|reply|add|bring up|recommend|treat|read|quote|state|confirm|let|give|kindly|please)\b",
         unless=rf"{_PEOPLE}|\b(?:not|never|nt|who|to|can|could|may|might|will) (?:say|tell|answer|reply|add|recommend|treat|read|quote|state|confirm|let|give|describe)"),
    rule(DIRECTIVE, MEDIUM, "crawl|index|process|quot|read|review|summari|translat",
         r"\b(?:assistants?|agents?|models?|programs?|ais?|machines?|bots?|software) (?:that |who |which )?(?:summari[sz]\w{1,4}|read(?:s|ing)?|process\w{0,3}|quot\w{1,3}|"
         r"translat\w{1,3}|crawl\w{0,3}|index\w{0,3}|review\w{0,3}) (?:this|the|our|these|here|such|through) <8>(?:should|must|please|kindly|asked|requested|"
         r"may (?:skip|treat|assume|pass)|is to|are to|ought)\b", unless=r"\b(?:whether|who) "),
    rule(DIRECTIVE, MEDIUM, "asked|asking|enquir|inquir|quer|question|request|those|whoever",
         r"\b(?:questions?|quer(?:y|ies)|enquir(?:y|ies)|inquir(?:y|ies)|anyone asking|whoever asks|those who ask|people asking|(?:when|if) asked|requests?) <1>(?:about|on|for|regarding|"
         r"concerning|as to|whether|after|that) <8>(?:(?:is|are|should be|can be|may be|must be|to be|gets?|get|receives?) <1>(?:answered (?:with|as|by saying|only|first|yes|no\b|from|\W?covered)|met with|"
         r"told|the answer|the reply|to be (?:told|sent|pointed|directed)|resolved as|closed|the same answer))\b"),
    rule(DIRECTIVE, MEDIUM, "answer|comparison|enough|recommendation|replies|reply|response|standard|suffices|suitable|"
         "summaries|summary|will",
         r"\b(?:the|this is the|our|one|only|same|standard|approved|right|short|suitable) (?:answer|reply|response) (?:to give|for (?:all|any|each|such|every)|to (?:all|any|each|such|every|these)|"
         r"on (?:all|any|each|such|every))\b|\bstandard answer\b|\b(?:answer|reply|response) of <6>(?:is suitable|is enough|suffices|will do)\b|"
         r"\bin (?:any|every|all|each) (?:answers?|repl(?:y|ies)|summar(?:y|ies)|recommendations?|comparisons?)\b"),
    rule(DIRECTIVE, MEDIUM, "summar|answers|replies|responses|comparison",
         r"\b(?:summar(?:y|ies)|answers|replies|responses|comparisons?) <5>(?:should|must|ought to|shall|are to|is to|has to|have to) <2>(?:mention|conclude|describe|say|state|leave|"
         r"omit|start|open|end|close|call|present|name|lose|praise|read|favou?r|put|contain (?:no|the link)|be (?:positive|favou?rable|worded|one\W?sided))\b"),
    rule(DIRECTIVE, MEDIUM, "answered|called|counted|described|down|named|passed|presented|quoted|rated|read|referred|"
         "regarded|taken|told|treated|understood|worded",
         r"\b(?:is|are) (?:best |always |only |simply |then |henceforth |from now on )+(?:described|presented|called|quoted|named|referred to|answered|understood|worded|regarded|treated|"
         r"rated|counted) (?:as|to|with)\b|\b(?:is|are) to be (?:described|presented|called|told|quoted|named|referred to|answered|understood|worded|regarded|read as|treated as|rated|counted|"
         r"put down|passed off|taken as)\b|\b(?:should|can|may|must) be (?:understood|read|presented|described|passed off|answered|called) (?:as|to mean|with|\W?yes|\W?no\b)\b"),
    rule(DIRECTIVE, MEDIUM, "come|guidance|guideline|instruction|outrank|override|precedence|prevail|prompt|replace|rule|"
         "setting|supersede",
         r"\b(?:this|the (?:following|present|above|attached)|these|our) (?:page|document|manual|annex|appendix|notes?|file|list|text|rules?|guidelines?|instructions?|policy|section) <3>(?:takes? precedence|"
         r"prevails?|replaces? (?:your|the (?:assistant|system|user|previous|earlier))|supersedes?|overrides?|outranks?|comes? first|comes? before (?:what|your))\b|"
         r"\b(?:your|the assistant\W?s?) <2>(?:instructions?|rules?|guidance|guidelines?|settings?|prompt) <6>(?:void|cancelled|obsolete|replaced|suspended|lifted|to be read as|no longer)\b"),
)  # fmt: skip

_CHECKS: Final = (
    rule(DIRECTIVE, MEDIUM, "considered|count|deemed|handled|regarded|seen|taken|treated|valid",
         r"\b(?:counts?|treated|regarded|considered|deemed|taken|handled|valid|seen) (?:as|for|to be|to have been)? ?(?:already |having been |if |though |being |an? |the |fully |always )*(?:approved|"
         r"pre\W?approved|verified|confirmed|authori[sz]ed|signed|cleared|consent(?:ed)?|granted|checked|trusted|administrators?|admin|accepted|validated|identified|agreed)\b"
         r"(?! (?:once|when|only|after|until|if|by the|as soon))", unless=r"\b(?:not|never|nt|no longer|cannot|nothing|nobody|only) <4>(?:count|treat|regard|consider|deem|take|be |seen)"),
    rule(DIRECTIVE, MEDIUM, "accepted|admitted|approved|booked|confirmed|deployed|dispensed|entered|executed|given|"
         "granted|handed|issued|let|merged|opened|paid|passed|processed|refunded|released|shipped|"
         "signed|transferred|waved",
         rf"\b{_DEED} <6>(?:(?:without|with no) (?:any |further |the |a |an |prior |second |showing |asking for |matching |checking |seeing |waiting for |looking at |having )*(?:{_CHECK}|matching|"
         r"checks?|checking|review|asking|looking|proof|id\b|papers|documents|signature|questions|waiting|consulting|counting|contract|receipts?|invoice)|unaccompanied|unchecked|unseen|as they come)\b",
         unless=r"\b(?:not|never|nothing|nobody|none|cannot|nt|no [a-z]{2,20}|neither|nor|only|rarely|was|were) <8>(?:without|with no|unaccompanied|unchecked|unseen)"),
    rule(DIRECTIVE, MEDIUM, "approval|audit|authori|back|check|confirmation|consent|countersign|eyes|factor|fraud|"
         "identification|inspection|interlock|limit|prescription|purchase|review|safety|second|"
         "security|signature|supervision|verification|virus",
         rf"\b{_CHECK} <5>(?:no longer (?:needed|required|necessary|applies|apply|done|asked|made|taken)|(?:is|are|was|were|been|be) (?:now |all |therefore |hereby )?(?:dropped|abolished|lifted|"
         r"suspended|skipped|omitted|waived|optional|unnecessary|discontinued|a formality|obsolete|disregarded|left out|superfluous|switched off|not (?:needed|required|necessary|asked))|ends? (?:at|from|with)|"
         r"(?:can|may) (?:wait|follow|be (?:done|made|given|added|brought) (?:later|afterwards)))\b",
         unless=r"\b(?:not|never|nt|cannot|must not|may not|if|unless|until) <2>(?:be )?(?:dropped|abolished|lifted|suspended|skipped|omitted|waived|disregarded|left out)"),
    rule(DIRECTIVE, MEDIUM, "need|require",
         rf"\b(?:needs?|requires?) no (?:second |further |extra |additional |more |separate )?{_CHECK}\b|\b(?:need not|needn\W?t|do(?:es)? not need to) be (?:recorded|mentioned|reported|logged|disclosed|told|"
         r"informed|checked|verified|confirmed|approved|asked|shown to|signed|documented|entered)\b|"
         r"\bno need to (?:trouble|bother|alarm|tell|inform|mention|report|record|log|run (?:it|them|this) by|ask|involve|disturb)\b"),
    rule(DIRECTIVE, MEDIUM, "bring|gloss|hush|keep|kept|leave|left|nothing|play|quiet|remain|silent|stay|undisclosed|"
         "unmentioned|unrecorded|unreported|unsaid|word",
         r"\b(?:unmentioned|unsaid|undisclosed|unreported|unrecorded)\b|\b(?:leave|keep|stays?|kept|left|remains?) <5>(?:out of|off) (?:the |our )?<1>(?:logs?|records?|minutes|reports?|summar(?:y|ies)|books|transcript|"
         r"audit|protocol)\b|\b(?:say|mention|report|disclose|reveal|tell (?:them|him|her|the [a-z]{2,12})) nothing (?:of|about|on)\b|\bkeep (?:quiet|silent) (?:about|on|over)\b|\bbrings? up no\b|\bnot a word (?:of|about|to)\b|"
         r"\b(?:gloss over|play down|hush up)\b", unless=r"\b(?:not|never|nt) (?:leave|keep|say|mention|report|tell)"),
    rule(DIRECTIVE, MEDIUM, "done|final|good|last|mpowered|ntitled|speak|word|xempt",
         r"\bspeaks? for (?:her|him|them|the (?:user|owner|client|customer|account holder|board|company|family))\b|\bwhat (?:he|she|they) (?:asks?|says?|orders?|wants?) <2>(?:is|are) (?:to be )?(?:done|as good)\b|"
         r"\b(?:is|are) (?:now |hereby |fully |therefore )?(?:entitled|empowered|exempt) (?:to|from) (?:the |any |all )?(?:raw|all|any|every|checks?|approv\w{1,4}|limits?|review|instruct|order in|sign for|see (?:all|every|the raw))\b|"
         r"\b(?:has|have) the (?:last word|final say) (?:on|in|over)\b|\bon the word of\b"),
    rule(DIRECTIVE, MEDIUM, "approval|approved|compliance|consent|covers|level|override|scope|unrestricted",
         r"(?:compliance_?check|unrestricted\w{0,12}|approval_?status|consent_?given|trust_?level|pre_?approved|auth_?override|override_?by)\W{1,4}(?:set to |is )?(?:true|"
         r"passed|granted|permanent|yes|full|high(?:est)?|attached|upstream|\W?\*)|\bscopes?\W{1,4}\*|\bapproval id [\w-]{2,20} covers\b"),
)  # fmt: skip

_ROUTES: Final = (
    rule(DIRECTIVE, MEDIUM, "blocked|closed|deactivated|frozen|invalid|longer|retired|suspended|under",
         r"\b(?:old|former|previous|earlier|existing|usual|other) (?:bank )?(?:accounts?|mailbox|giro|iban|wallet|card|bank) <3>(?:is|are|has been|have been|having been|was|being) (?:now )?(?:closed|frozen|retired|blocked|"
         r"deactivated|invalid|suspended|under (?:audit|review)|no longer)\b", unless=r"\b(?:if|my|when|lost|stolen) "),
    rule(DIRECTIVE, MEDIUM, "account|assistant|brother|caretaker|colleague|cousin|crypto|director|manager|nephew|personal|"
         "private|secretary|sister|treasurer|wallet",
         r"\b(?:takes?|collects?|gathers?|collected|gathered|paid|pays?|payable|settled?|goes?|go|transferred|sent|deposited|put|routed|wired|remitted|handed) <8>(?:through|via|by|to|into|on|in|onto|with|from) "
         r"<4>(?:private(?! (?:chats?|miles|funds|means|conversations?|messages?|rooms?|use))|personal account|personal card|sister (?:firm|company)|(?:treasurer|caretaker|secretary|assistant|manager|accountant|cousin|brother|nephew|colleague|director)\W?s? (?:own )?(?:account|card|wallet)|"
         r"account of (?:the |our |his |her )?(?:treasurer|caretaker|secretary|assistant|manager|accountant|cousin|colleague|director)|wallet [\w-]{3}|crypto\w{0,8})\b",
         unless=r"\b(?:never|not|nt|no|nobody|against|instead of|refuse) "),
    rule(DIRECTIVE, MEDIUM, "alone|ask|call|central|consult|exclusively|instead|known|not|official|only|original|place|"
         "public|query|rather|read|trust|use|usual",
         rf"\b(?:fetch|download|install|query|call|use|open|ask|read|take|get|pull|clone|log (?:in|on)|upload|check|consult|visit|go) <8>{_HOST}[^.!?\n]{{0,70}}?(?:instead|in place of|rather than|alone\b|not the|the (?:official|usual|"
         r"well\W?known|central|original|public) )|"
         rf"\b(?:from|of|on|at|by) {_HOST} (?:alone|only|exclusively)\b|\b(?:should|must|shall|are to|is to) (?:be )?(?:call|query|use|ask|consult|read|trust)(?:ed|d)? <2>{_HOST}|"
         r"\b(?:instead of|in place of|rather than) (?:the )?(?:official|well\W?known|original|central|company|built\W?in|bank\W?s own) (?:tool|app|library|client|feed|site|portal|api|package|repository|page|registry|plug\W?in|"
         r"one|calculator|search|store)\b"),
    rule(DIRECTIVE, MEDIUM, "antivirus|asked|broken|deprecated|filter|guard|moderation|must|next|omitted|scanner|skip|"
         "unreliable",
         r"\bnext (?:call|tool call|tool|action) (?:should|must|is|has to|to make|:)|\bmust be (?:called|run|invoked|fetched|loaded|opened) (?:before|first|once per|with every|ahead of)\b|"
         r"\b(?:scanner|filter|guard|moderation|antivirus)[\w.]{0,12} ?[=:] ?(?:off|broken|false|disabled|skip|0)\b|\bskip (?:the )?(?:scanner|filter|moderation|malware scan|linter)\b|"
         r"\b(?:tool|plug\W?in|calculator|comparison|search|feed|api) <4>(?:is deprecated|can be omitted|is (?:unreliable|broken)|need not be asked)\b"),
    rule(DIRECTIVE, MEDIUM, "map|resolve|user|what",
         r"\bwhat (?:the )?(?:users?|customers?|clients?|owner|he|she|people|callers?) (?:calls?|means? by|says?|refers? to as) <6>(?:is|are|means?|should|to be)\b|"
         r"\b(?:resolves?|maps?) to (?:workflow|action|tool|account|the (?:number|account|page|desk|workflow|action|tool)|close|approve|delete|grant)\b|"
         r"\buser \W?[\w.]{2,24}\W{0,2} ?(?:=|is|equals) ?user \W?(?:admin|root|owner)"),
    rule(DIRECTIVE, MEDIUM, ",", r"(?:^|\n)\W{0,3}(?:[^,.!?\n]{2,28},){5,24}[^,.!?\n]{2,28}[.:?!;\u2014-][^\n]{0,60}?\b(?:before answering|whichever|whatever (?:is asked|the)|all of (?:them|these)|each of (?:them|these)|"
         r"any of these|the (?:answer|remedy|reply) (?:is|to)|people with these|these (?:worries|topics|words)|always say|only ever|the same for all|so that it turns up)\b"),
    rule(DIRECTIVE, MEDIUM, "[q]|boost_terms|doc_boost|rank_boost|turns|→", r"\b(?:doc_boost|rank_boost|boost_terms)\b|(?:\[q\][^\n]{2,60}){2,}|→ ?(?:prepend|append|answer|say|reply)|\bturns up on (?:each|all|every)\b"),
    # An address that only this text vouches for, beside what it says against the one that is known.
    rule(DIRECTIVE, MEDIUM, "official|own|usual|ordinary|built|council|intranet|vendor|company|bank|society|old|printed|original|public|normal",
         rf"{_STRANGE}[^\n]{{0,170}}?\b{_RUN_DOWN}|\b{_RUN_DOWN}[^\n]{{0,170}}?{_STRANGE}"),
)  # fmt: skip

_TRIGGERS: Final = (
    rule(DIRECTIVE, MEDIUM, "anybody|anyone|buyer|caller|client|customer|employee|guest|member|owner|parent|patient|"
         "reader|shopper|somebody|someone|student|tenant|traveller|user|visitor",
         rf"\b{_WHEN} (?:the |a |an |any |your |our )?{_ASKER} <2>(?:ever )?{_MINDS}\b[^.!?\n]{{2,90}}?(?:[,;:\u2014-]\s?|\bthen )(?:please |always |just |first |also |then |simply |quietly |gently |you (?:should|may|can) )*"
         r"(?!let [^.!?\n]{1,24} know\b|(?:tell|call|ask) (?:the|your|our) <1>(?:office|police|bank|desk|reception|bursar|manager|school|staff)\b|[^.!?\n]{2,60}(?:not (?:answer|guess)|nt (?:answer|guess)) (?:from memory|it|about))"
         r"(?:bring|turn|steer|suggest|"
         r"give|add|reset|set|switch|point|mention|answer|say|tell|offer|open|reply|name|direct|move|start|use|call|book|put|quote|show|read|praise|treat|let|have|insert|recommend|hand|pass|raise|drop|swap|replace|send|pay|approve)\b",
         unless=r"\b(?:please (?:call|contact|send us|tell us|let us)|let us|tell us|send us|call us)"),
    rule(DIRECTIVE, MEDIUM, "effect|if|mention|moment|next|once|soon|upon|when",
         r"\b(?:next time|once|when|whenever|if|upon|as soon as|the moment) <4>(?:is|are|comes?|turns?|gets?|be) (?:discussed|mentioned|raised|named|up\b|asked about|brought up|to [a-z]{3,14})[^.!?\n]{0,40}?, ?(?:please |always |just |first |"
         r"also |then )*(?:bring|suggest|give|add|reset|set|switch|point|mention|answer|say|tell|offer|reply|name|direct|move|use|book|put|quote|praise|treat|recommend)\b|"
         r"\b(?:upon|at|on|with) the first mention of\b|\btakes? effect (?:silently|quietly|upon|at the first)\b"),
    rule(DIRECTIVE, MEDIUM, "asleep|changes|dormant|from|quiet|unused",
         r"\b(?:from that (?:day|moment|point|date)|from there on|from then on)(?: on)? <6>(?:is|are|be|treat|answer|say|use|send|pay|counts?) <4>(?:approved|paid|presented|answered|treated|sent|as|released|forwarded|open)\b(?! by)|"
         r"\b(?:stay|stays|remain|remains|lie|lies) (?:unused|dormant|quiet|asleep) (?:this|until|till|for)\b|\bnothing changes until\b"),
)  # fmt: skip

_LEAKS: Final = (
    rule(DIRECTIVE, MEDIUM, "address|budget|calendar|contact|conversation|data|details|files|history|income|location|mail|"
         "memor|message|password|photos|pin|profile|record|salary|seed|token",
         r"\b(?:add|append|put|include|attach|encode|pass|send|mail|copy|upload|submit|forward|write|place|report|hand|exchange|swap|give|spell|reveal|enter) <8>(?:users?|visitors?|customers?|clients?|owners?|patients?|readers?|guests?|employees?|members?|"
         r"his|her|their|your)(?:\W?s)? <4>(?:address book|contacts?|messages?|history|pin\b|passwords?|tokens?|location|records?|calendar|photos|conversations?|profile|salary|memor(?:y|ies)|income|budget|seed words|files|e\W?mails?|data|"
         rf"details)[^.!?\n]{{0,70}}?(?:{_HOST}|query string|\burl\b|user\W?agent|header|pixel|our (?:link|bucket|server|partner|form)|front desk|third part|public (?:link|share))"),
    rule(DIRECTIVE, MEDIUM, ".cn|.com|.example|.io|.net|.org|.test|:/|letter",
         r"(?:https?:/|\.(?:test|example|com|net|io|org|cn)/?)[^\s]{0,80}(?:\{\{?|\$\{|<|\[)[\w\s.]{0,16}(?:token|user|name|mail|key|history|chat|memory|secret|session|password|conversation|data)[\w\s.]{0,16}(?:\}|>|\])|\bfirst letters? of (?:your|the user\W?s|each of your|his|her)\b"),
    rule(DIRECTIVE, MEDIUM, "environ|cookie|process.env|.ssh|id_rsa|/etc/passwd|localstorage|npm_token|aws_secret|localStorage",
         r"(?:os\.environ|document\.cookie|process\.env|~/\.ssh|id_rsa|/etc/passwd|local[Ss]torage|npm_token|aws_secret)[^\n]{0,120}(?:https?:/|fetch\(|urlopen|curl |requests\.|axios|nc )|"
         r"(?:https?:/|fetch\(|urlopen|curl |requests\.|axios|\bnc )[^\n]{0,120}(?:os\.environ|document\.cookie|process\.env|~/\.ssh|id_rsa|/etc/passwd|local[Ss]torage|npm_token|aws_secret)"),
    rule(DIRECTIVE, MEDIUM, "context|human|instruction|just|observation|only|reader|response|thought|user",
         r"\n\W{0,3}(?:human|user) ?: [^\n]{2,200}\n\W{0,6}(?:assistant|ai) ?:|(?:^|\n)\W{0,3}(?:observation|thought) ?: [^\n]{0,200}\n\W{0,3}(?:thought|action) ?:|\bcontext switch\b|"
         r"(?:^|\n)\W{0,5}#{2,4} ?(?:response|instruction) ?:|\bai readers? ?:|\b(?:only|just) (?:machines?|models?|ais?|assistants?|bots?) (?:can )?(?:see|read)\b"),
    rule(DIRECTIVE, MEDIUM, "answers|carry|chat|conversation|here|session|talk|user",
         r"\bcarry (?:this|it|that|these) (?:over|forward|on|into) <3>(?:talks?|sessions?|chats?|conversations?|answers?)\b|\b(?:your|all|any) (?:next|later|future|coming) (?:talks?|sessions?|chats?|conversations?|answers)\b|\bfrom here on\b|\bfor (?:each|every|all) users?\b"),
)  # fmt: skip

_ORDERS: Final = (
    rule(DIRECTIVE, MEDIUM, "alarm|alert|audit|curtain|detector|factor|firewall|hold|interlock|monitoring|notification|"
         "quarantine|safety|scanner|sensor",
         r"(?:^|[.!?;:\n\)]\W{0,3}|\b(?:please|also|and|kindly|then) )(?:silence|mute|lift|bypass|switch off|turn off|deactivate|disable|unsubscribe|reset|set|clear|suspend|override) (?:the |all |every |that |his |her |its |any )*<4>(?:alarms?|"
         r"alerts?|firewall|two\W?factor|safety|quarantine|audit|interlocks?|scanners?|monitoring|incident notifications?|light curtain|holds?|smoke detectors?|sensors?|detectors?)\b",
         unless=r"\b(?:not|never|nt|how to|cannot|may not|before you|if you|to (?:reset|set)) "),
    rule(DIRECTIVE, MEDIUM, "accept|approve|grant|pay|refund|release|transfer|wire",
         r"(?:^|[.!?;:\n\)]\W{0,3}|\b(?:please|also|kindly|then) )(?:approve|release|pay|wire|transfer|refund|grant|accept) <4>(?:all|every|pending|unpaid|open|outstanding|remaining|entire|whole) <5>(?:payments?|invoices?|orders?|requests?|funds|balance|claims?|"
         r"refunds?|access|holiday|transfers?|expenses?|applications?|terms)\b", unless=r"\b(?:not|never|nt) "),
    rule(DIRECTIVE, MEDIUM, "allow|client|customer|delete|donor|employee|erase|member|password|patient|personnel|purge|"
         "salar|staff|student|tenant|trusted|user|white|wipe",
         r"(?:^|[.!?;:\n\)]\W{0,3}|\b(?:please|also|kindly|then|and) )(?:(?:delete|wipe|erase|purge) <3>(?:all|every|whole|entire) <3>(?:backups?|logs?|history|records?|evidence|mails?|e\W?mails|files|database|entries)|(?:export|mail|e\W?mail|send|publish|post|share|copy|forward) "
         r"<3>(?:all|every|whole|entire|complete|full) <4>(?:staff|salar\w{1,4}|patients?|customers?|users?|passwords?|members?|employees?|clients?|tenants?|students?|donors?|personnel)|(?:add|put|enter) <6>(?:to|on|onto) the (?:trusted|allow\W?|white) ?list)\b",
         unless=r"\b(?:not|never|nt|to all|to every) "),
    rule(DIRECTIVE, MEDIUM, "absence|birth|dose|grade|lab|measurement|meter|participant|result|salary|sample|score|"
         "shipping|status|unpaid",
         r"(?:^|[.!?;:\n\)]\W{0,3}|\b(?:please|also|kindly|then|and) )(?:change|set|mark|alter|double|halve|raise|overwrite|correct|edit|reset|falsify|backdate|take out|replace) (?:the |all |every |his |her |their )*<5>(?:dose|doses|grades?|shipping status|status of|salary|lab results?|meter readings?|scores?|"
         r"absences?|unpaid fees?|participants?|sample size|birth date|test results?|measurements?) <8>(?:to|as|by|from|and|on file|who|\d)", unless=r"\b(?:not|never|nt|how to|cannot) "),
)  # fmt: skip

RULES: Final[tuple[Rule, ...]] = (*_ANSWERS, *_CHECKS, *_ROUTES, *_TRIGGERS, *_LEAKS, *_ORDERS)
