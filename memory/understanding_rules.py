"""Words by which `understanding` tells what a question leaves out. Pure data, English and Chinese."""

import re
from typing import Final

FUNCTION: Final = frozenset(
    ["a", "an", "and", "any", "are", "aren't", "as", "at", "be", "been", "being", "but", "by", "can", "can't", "could", "couldn't", "did", "didn't", "do", "does", "doesn't", "doing", "don't", "for", "from", "get", "give", "go", "going", "gonna", "got", "had", "has", "have", "having", "he", "her", "hers", "him", "his", "how", "how's", "i", "i'd", "i'll", "i'm", "i've", "if", "in", "into", "is", "isn't", "it", "it's", "its", "just", "let", "let's", "like", "may", "maybe", "me", "mean", "might", "mine", "more", "much", "must", "my", "need", "no", "not", "now", "of", "off", "ok", "okay", "on", "one", "ones", "or", "other", "others", "our", "ours", "out", "over", "please", "quite", "really", "right", "same", "say", "she", "should", "so", "some", "still", "sure", "tell", "than", "thank", "thanks", "that", "that's", "the", "their", "theirs", "them", "then", "there", "these", "they", "they're", "thing", "things", "think", "this", "those", "though", "to", "too", "up", "us", "very", "want", "was", "wasn't", "we", "we'll", "we're", "well", "were", "what", "what's", "whats", "when", "when's", "where", "where's", "which", "while", "who", "who's", "whom", "whose", "why", "will", "with", "won't", "would", "yeah", "yep", "yes", "you", "you'd", "you'll", "you're", "your", "yours", "also", "again", "about", "after", "all", "alright", "and", "another", "before", "both", "each", "either", "else", "every", "former", "latter", "neither", "first", "second", "third", "last", "next", "previous", "many", "few", "hi", "hello", "hey", "great", "nice", "good", "cool", "noted", "fine", "oh", "hmm", "remind", "know", "remember", "recall", "here", "i'd'e", "actually", "anyway", "wait", "sorry"]
)  # fmt: skip
"""Say nothing of what a text is about."""

LEADS_ON: Final = re.compile(
    r"\s*(?:(?:and|but|so|or|also|then|ok(?:ay)?|no|hm+|oh|well|sorry)[\s,]+){0,3}"
    r"(?:what|how) about\b|\s*(?:and|but|or|also|plus|then|same for|any other|anything else)\b"
    r"|\s*(?:那么?|还有|另外|然后|以及|其他|其它|而|但|再)",
)
"""Begins as if something had been said before."""
LEAVES_OFF: Final = re.compile(
    r"呢\s*[?？。!！]*\s*$|\b(?:too|as well|instead|then|though|again)\s*[?.!]*\s*$"
)
POINTS: Final = re.compile(
    r"\b(?:it|its|it's|they|them|their|theirs|they're|he|him|his|she|her|hers|there|one|ones|one's|former|latter|both|either|neither"
    r"|other|others|another|same|else|rest)\b"
    r"|\b(?:that|this|these|those)\b(?!\s(?:i|we|you|he|she|they|my|our|day|days|week|weekend|month|year|morning|afternoon|evening|quarter)\b)"
    r"|\bthe (?:first|second|third|fourth|last|next|previous|big|bigger|small|smaller|old|older|new|newer)\s*[?.!]*$"
    r"|[它他她]们?|那[个些边里儿次位家件条种本张台辆只部座所]|这[个些边里儿次位家件条种本张台辆只部座所](?![周月星礼])|另[外一]|前者|后者|其中|两者|上述|哪[个一]个?"
    r"|其[他它余]|别的|剩下|第[一二三四五六七八九十\d]+[个次件条位家]|最后[一那]?[个次件条位]|同样|一样|也是",
)
"""Points at something that stands elsewhere."""
LOOKS_BACK: Final = re.compile(
    r"\b(?:first|former|earlier|before|other|another|both|previous)\b|前[面者一]|之前|第一|另[外一]|两[者个]|都"
)
"""Points past the last thing that was said."""
ASKS: Final = re.compile(
    r"[?？]|\b(?:what|when|where|which|who|whom|whose|why|how)\b|吗|什么|怎么|哪|谁|多少|几[个点号时次]|为何|是不是|有没有|呢\s*$"
)
NOISE: Final = re.compile(
    r"我想知道|我想问一?下?|想问一?下?|请问一?下?|告诉我|帮我查?一?下?|麻烦你?|能不能|可不可以|可以吗|好的|谢谢你?|多谢|没问题|收到|明白了?|知道了|对了|顺便|还记得|记得"
    r"|记下来?了?|记住了|真好|好嘞|请(?![客假柬教求])|什么时候|什么|怎么样|怎么|哪里|哪儿|哪个|哪天|哪些|哪|多少|为什么|是不是|有没有|是谁|谁|呢|吗|吧|啊|呀|嘛|哦|嗯|我们|你们|我|你|您"
    r"|(?:还有|另外|然后|那么|以及)|那(?![么些])|^好"
)
"""Chinese words and particles that say nothing of what a text is about."""
WORD: Final = re.compile(
    r"(?P<han>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)|(?P<word>[^\W_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+(?:[.\-_'@:/][^\W_\u3400-\u4dbf\u4e00-\u9fff]+)*)"
)
