"""Chinese in other clothes: traditional characters, sound-alikes, words with signs between.

Only what helps to read: the commonest traditional characters that have one simplified form, and the
words that rules and lexicons look for. A sound-alike counts as part of such a word alone, since the
characters by themselves are as honest as any.
"""

import re
from typing import Final

_TRADITIONAL: Final = (
    "無視從現後個記憶發訊將給這規則條資設開關對話應該請須為與時間問題說許權認證過確額轉帳賬號碼"
    "導銀錢電郵聯絡網頁檔協議輸詢覆復專屬業務執調機構員審統據檢驗邏輯啟動憑繞會體歷處"
    "來們國學長見門車東馬鳥魚風飛龍黃點齊麥貝頭顯類願顧預領頻顏額飯飲館養餘駕騎驚骨鬥鬧魯鮮鹽麗"
    "萬眾優傳傷僅價儀億償儲兒冊創劃劇劍劑勞勝勢勵動匯區華單衛廠參雙變嘆吳員啞唄團園圍圓圖聖場壞塊"
    "墳壓壯聲備夠夢夾奪奮奧婦媽嬌嬰孫寧寶實寫審寬寵尋導層屆岡島嶺幣師帶幫幹庫廢廣廳彈彎彥徑從復恆"
    "惡惱慘慣態慶懷懸懲懶戀戰戲戶掃掛採揀換揮損搖搶撥擁擇擊擋擔擴擾攝攤敗敘敵數斷於昇晉曉暫曆"
    "術構條樣樓標樞橋樹機橫檯櫃權歐歡歲歸殘殺氣決沒沖況淚淨淺溝滅滾滿漁漢漲潔潛澤濃濕濟濱灣炉煉"
    "煙煩熱燈燒營爭爺牆獎獨獲獸獻瑪環產畝畢異療癒癢癮監盤盧眾睏矚礎礙礦禍禪禮禿種稱穀積穩窩窮"
    "竄竊競筆節範築篩簡簽籃籌籠糧糾紀約紅紋納紐純紗紙級紛細終組結絕絡給統絲經綁綜綠維綱網緊線緒"
    "締編緩練縣縮總績織繳繼續纖罰罵羅義習聞聰聲職聽肅脅脈脫腦腫腳膚膽臉臟臨舉舊艙艦藝藥蘇蘭蟲補裝裡"
    "製複襪襲觀覺覽觸計訂討訓託訪評詐詞試詩誠誤誘語誰課談請論諸講謝譯讀讓讚豐負財責貨販貪貫貴買費貼"
    "貿賀賃賓賜賞賠賢賣賤質賴購賽贈贊贏趕趙跡踐躍軍軌軟較載輔輕輛輝輩輪輯辦辭農邊遞遠適遲選遺還鄉鄭"
    "醫釋鈔針鈴鉛銅銷鋒鋪鋼錄錯鍋鍵鎖鎮鏡鐘鐵鑰閃閉閒閘閱闊隊階際隨險隱隻雜離難雲霧靈靜響頂項順"
    "驟體髮鬆鬱鮑鴨麵黨齒齡龜"
)
_SIMPLIFIED: Final = (
    "无视从现后个记忆发讯将给这规则条资设开关对话应该请须为与时间问题说许权认证过确额转帐账号码"
    "导银钱电邮联络网页档协议输询覆复专属业务执调机构员审统据检验逻辑启动凭绕会体历处"
    "来们国学长见门车东马鸟鱼风飞龙黄点齐麦贝头显类愿顾预领频颜额饭饮馆养余驾骑惊骨斗闹鲁鲜盐丽"
    "万众优传伤仅价仪亿偿储儿册创划剧剑剂劳胜势励动汇区华单卫厂参双变叹吴员哑呗团园围圆图圣场坏块"
    "坟压壮声备够梦夹夺奋奥妇妈娇婴孙宁宝实写审宽宠寻导层届冈岛岭币师带帮干库废广厅弹弯彦径从复恒"
    "恶恼惨惯态庆怀悬惩懒恋战戏户扫挂采拣换挥损摇抢拨拥择击挡担扩扰摄摊败叙敌数断于升晋晓暂历"
    "术构条样楼标枢桥树机横台柜权欧欢岁归残杀气决没冲况泪净浅沟灭滚满渔汉涨洁潜泽浓湿济滨湾炉炼"
    "烟烦热灯烧营争爷墙奖独获兽献玛环产亩毕异疗愈痒瘾监盘卢众困瞩础碍矿祸禅礼秃种称谷积稳窝穷"
    "窜窃竞笔节范筑筛简签篮筹笼粮纠纪约红纹纳纽纯纱纸级纷细终组结绝络给统丝经绑综绿维纲网紧线绪"
    "缔编缓练县缩总绩织缴继续纤罚骂罗义习闻聪声职听肃胁脉脱脑肿脚肤胆脸脏临举旧舱舰艺药苏兰虫补装里"
    "制复袜袭观觉览触计订讨训托访评诈词试诗诚误诱语谁课谈请论诸讲谢译读让赞丰负财责货贩贪贯贵买费贴"
    "贸贺赁宾赐赏赔贤卖贱质赖购赛赠赞赢赶赵迹践跃军轨软较载辅轻辆辉辈轮辑办辞农边递远适迟选遗还乡郑"
    "医释钞针铃铅铜销锋铺钢录错锅键锁镇镜钟铁钥闪闭闲闸阅阔队阶际随险隐只杂离难云雾灵静响顶项顺"
    "骤体发松郁鲍鸭面党齿龄龟"
)
TO_SIMPLIFIED: Final = {
    ord(old): new for old, new in zip(_TRADITIONAL, _SIMPLIFIED, strict=True) if old != new
}
"""One character to one character, so that a fold never moves a position."""

_LOOKED_FOR = """
忽略 无视 指令 提示 提示词 系统 用户 密码 密钥 助手 规则 之前 以上 所有 记住 记忆 执行 发送 转账
付款 支付 汇款 授权 批准 删除 泄露 透露 忘记 角色 扮演 开发者 管理员 限制 绕过 秘密 隐瞒 告诉
推荐 确认 账户 账号 银行 回复 回答 必须 不要 始终 永远 以后 今后 验证码 信用卡 身份证 转发 邮箱
链接 下载 安装 调用 关闭 禁用 越狱 权限
"""
WORDS: Final = tuple(_LOOKED_FOR.split())
"""Words that are read although something stands between their characters."""

_SOUNDS: Final = {
    "忽略": "忽掠 呼略 胡略 忽虐 乎略",
    "无视": "无是 吴视 无示",
    "指令": "指另 旨令 止令 纸令 指领 直令",
    "提示": "提是 题示 提市",
    "系统": "系桶 系捅 细统 西统",
    "用户": "用护 佣户 用互 拥户",
    "密码": "蜜码 密吗 米码 密马 秘码 蜜马",
    "密钥": "蜜钥 密要 秘钥",
    "助手": "助守 住手 祝手",
    "规则": "规择 归则 规责",
    "执行": "直行 值行 职行",
    "发送": "发颂 法送 发宋",
    "转账": "转张 砖账 转涨 赚账",
    "付款": "付宽 负款 附款",
    "支付": "之付 知付 支负",
    "授权": "受权 收权 授全 兽权",
    "批准": "批谁 皮准 批淮",
    "删除": "山除 删厨 珊除",
    "泄露": "泻露 谢露 泄路",
    "忘记": "望记 忘计 旺记",
    "所有": "锁有 所友",
    "管理员": "管里员 管理园 馆理员",
    "限制": "现制 限治 线制",
    "绕过": "饶过 绕锅",
    "推荐": "推见 退荐 推件",
    "告诉": "告素 告述",
    "账户": "账护 帐户 帐护",
    "验证码": "验证马 宴证码",
}
SOUNDS: Final = {wrong: word for word, some in _SOUNDS.items() for wrong in some.split()}
"""What is written for a word that sounds so. 住手 (stop it) and the like are words of their own and
become another reading, never a finding by themselves.
"""
SOUND: Final = re.compile("|".join(map(re.escape, SOUNDS)))
CUT: Final = re.compile("|".join(r"[^\w]{1,4}".join(word) for word in WORDS))
"""A word with signs, blanks or pictures between its characters."""
