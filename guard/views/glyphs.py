"""Which characters look like which: the folding tables of the skeleton view.

Only what a reader (or a model) takes for an ASCII letter is listed; NFKC has already folded full
width, mathematical and circled letters. The traditional characters are those that the Chinese
rules use, so that one spelling of a rule sees both scripts.
"""

from typing import Final

_CYRILLIC = dict(zip("авеёзіїјкмнорԛсѕтуԝхһԁьӏг", "abeezlijkmhopqcstywxhdblr", strict=True)) | {
    "і": "i",
    "ӏ": "l",
    "г": "r",
    "п": "n",
    "и": "u",
    "я": "r",
    "ш": "w",
    "ѵ": "v",
    "ґ": "r",
    "ӕ": "ae",
    "ғ": "f",
    "ң": "h",
    "ү": "y",
    "ҳ": "x",
    "ҫ": "c",
}
_GREEK = {
    "α": "a",
    "β": "b",
    "γ": "y",
    "δ": "d",
    "ε": "e",
    "ζ": "z",
    "η": "n",
    "ι": "i",
    "κ": "k",
    "μ": "u",
    "ν": "v",
    "ο": "o",
    "π": "n",
    "ρ": "p",
    "σ": "o",
    "ς": "c",
    "τ": "t",
    "υ": "u",
    "χ": "x",
    "ω": "w",
    "ϲ": "c",
    "ϳ": "j",
    "ϝ": "f",
}
_LATIN = {
    "ı": "i",
    "ȷ": "j",
    "ɑ": "a",
    "ƅ": "b",
    "ɡ": "g",
    "ɢ": "g",
    "ɩ": "i",
    "ɪ": "i",
    "ʟ": "l",
    "ɴ": "n",
    "ʀ": "r",
    "ʏ": "y",
    "ʙ": "b",
    "ʜ": "h",
    "ø": "o",
    "đ": "d",
    "ħ": "h",
    "ł": "l",
    "ŧ": "t",
    "ƒ": "f",
    "ɓ": "b",
    "ɗ": "d",
    "ɛ": "e",
    "ɔ": "o",
    "ʋ": "v",
    "ᴀ": "a",
    "ᴄ": "c",
    "ᴅ": "d",
    "ᴇ": "e",
    "ᴊ": "j",
    "ᴋ": "k",
    "ᴍ": "m",
    "ᴏ": "o",
    "ᴘ": "p",
    "ᴛ": "t",
    "ᴜ": "u",
    "ᴠ": "v",
    "ᴡ": "w",
    "ᴢ": "z",
    "ꜱ": "s",
    "ꜰ": "f",
}
_ARMENIAN = {"օ": "o", "ո": "n", "ս": "u", "հ": "h", "ց": "g", "զ": "q", "ա": "w", "ք": "p"}
_SIGNS = {"‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "’": "'", "‘": "'", "“": '"', "”": '"'}
_TRADITIONAL = dict(
    zip(
        "無視從現後個記憶發訊將給這規則條資設開關對話應該請須為與時間問題說許權認證過確額轉帳賬號碼"
        "導銀錢電郵聯絡網頁檔協議輸詢覆復專屬業務執調機構員審統據檢驗邏輯啟動憑導號繞無會體務歷處",
        "无视从现后个记忆发讯将给这规则条资设开关对话应该请须为与时间问题说许权认证过确额转帐账号码"
        "导银钱电邮联络网页档协议输询覆复专属业务执调机构员审统据检验逻辑启动凭导号绕无会体务历处",
        strict=True,
    )
)

FOLD: Final = {
    ord(char): fold
    for char, fold in (_CYRILLIC | _GREEK | _LATIN | _ARMENIAN | _SIGNS | _TRADITIONAL).items()
    if len(fold) == 1
}
"""One character to one character, so that a fold never moves a position."""

LEET: Final = {
    ord("0"): "o",
    ord("1"): "i",
    ord("3"): "e",
    ord("4"): "a",
    ord("5"): "s",
    ord("7"): "t",
    ord("@"): "a",
    ord("$"): "s",
}
