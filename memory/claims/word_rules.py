"""The words, English and Chinese in one line where they mean the same. A space ends a word, `_` is a space.

Nouns and verbs: `concept: words`; a `*` says that several values may stand beside each other.
Values: `category/concept: words`. Functions: `role: words`.
"""

from typing import Final

VALUES: Final = """
bool/true: enabled activated turned_on switched_on 开启 打开 启用 已开
bool/false: disabled deactivated turned_off switched_off 关闭 禁用 停用了
language/english: english 英文 英语
language/chinese: chinese mandarin 中文 汉语 普通话 国语
language/french: french 法语 法文
language/german: german 德语 德文
language/spanish: spanish 西班牙语 西语
language/japanese: japanese 日语 日文
language/korean: korean 韩语 韩文
language/italian: italian 意大利语
language/portuguese: portuguese 葡萄牙语
language/russian: russian 俄语 俄文
language/cantonese: cantonese 粤语 广东话
language/dutch: dutch 荷兰语
language/arabic: arabic 阿拉伯语
courier/sf: sf_express 顺丰 顺丰快递 顺丰速运
courier/jd: jd_logistics 京东快递 京东物流
courier/yto: 圆通 圆通快递
courier/zto: 中通 中通快递
courier/sto: 申通 申通快递
courier/yunda: 韵达 韵达快递
courier/ems: ems 邮政 中国邮政
courier/deppon: 德邦 德邦快递 德邦物流
courier/dhl: dhl
courier/fedex: fedex 联邦快递
courier/ups: ups
payment/wechatpay: wechat_pay 微信支付
payment/alipay: alipay 支付宝
payment/cash: cash 现金
unit/metric: metric 公制
unit/imperial: imperial 英制
unit/celsius: celsius centigrade 摄氏度 摄氏
unit/fahrenheit: fahrenheit 华氏度 华氏
mode/dark: dark 深色 暗色 黑暗
mode/light: light 浅色 亮色
color/red: red 红色
color/blue: blue 蓝色
color/green: green 绿色
color/black: black 黑色
color/white: white 白色
color/yellow: yellow 黄色
color/purple: purple 紫色
color/orange: 橙色
color/pink: pink 粉色
color/gray: gray grey 灰色
seat/window: 靠窗
seat/aisle: 靠过道 靠走道 过道
city/beijing: beijing 北京
city/shanghai: shanghai 上海
city/shenzhen: shenzhen 深圳
city/guangzhou: guangzhou 广州
city/hangzhou: hangzhou 杭州
city/chengdu: chengdu 成都
city/london: london 伦敦
city/paris: paris 巴黎
city/berlin: berlin 柏林
city/tokyo: tokyo 东京
city/newyork: new_york 纽约
allergen/peanut: peanut peanuts 花生
allergen/milk: milk dairy 牛奶
allergen/shrimp: shrimp shrimps 虾
allergen/seafood: seafood 海鲜
allergen/penicillin: penicillin 青霉素
allergen/pollen: pollen 花粉
"""

NOUNS: Final = """
port: port ports 端口 端口号
email: email e-mail mail_address email_address e-mail_address 邮箱 电子邮箱 电子邮件 邮件地址 邮箱地址
phone: phone telephone phone_number telephone_number mobile mobile_number cell_phone 电话 电话号码 手机 手机号 手机号码 联系电话
name: name 名字 姓名 名 全名
nickname: nickname 昵称 外号 小名
birthday: birthday birth_date date_of_birth 生日
address: address home_address 地址 住址 家庭地址 家庭住址
password: password passcode 密码
timezone: timezone time_zone 时区
language: language 语言
seat: seat seats 座位 位子
budget: budget 预算
limit: limit cap maximum ceiling 上限 限额 限制 最高限额
job: job occupation profession 职业
work: 工作
employer: employer company 公司 单位
plan: plan subscription_plan 套餐
color: color colour colors colours 颜色
project: project 项目
version: version release_version 版本 版本号
doctor: doctor physician 医生 大夫
allergy*: allergy allergies
amount: amount 金额 数额
dog: dog 狗 小狗
cat: cat 猫 小猫
pet*: pet pets 宠物
car: car 车 汽车
favorite: favorite favourite 最喜欢 最爱 最喜爱
server: server 服务器
database: database db 数据库
team: team 团队
meeting: meeting 会议
deadline: deadline due_date 截止 截止日期 截止时间
price: price cost costs 价格 价钱 售价
rent: rent 房租 月租 租金
salary: salary 工资 薪水 月薪
monthly: month monthly 每月 月度 每个月
daily: daily 每天 每日 天天
nightly: night nightly 每晚
weekly: week weekly 每周 每星期
yearly: year yearly annual annually 每年 年度
editor: editor 编辑器
order: order orders 订单
hotel: hotel hotels 酒店 宾馆
flight: flight flights 航班
ticket: ticket tickets 票
wife: wife 妻子 老婆 太太 爱人
husband: husband 丈夫 老公 先生
mother: mother mom mum 妈妈 母亲 妈
father: father dad 爸爸 父亲 爸
son: son 儿子
daughter: daughter 女儿
sister: sister
brother: brother
boss: boss manager 老板 上司 领导
child: child kid 孩子
partner: partner girlfriend boyfriend 女朋友 男朋友 女友 男友 对象
spouse: spouse 配偶
mode: mode theme 模式 主题
unit: units unit 单位制
meal: meal meals
age: old aged age 岁数 年龄
weight: weight weighs weigh 体重 重量 重
height: height tall 身高
courier: courier carrier 快递 快递公司
software: software app application 应用 软件
api: api 接口
desk: desk 工位
room: room 房间
floor: floor 楼层
size: size 尺码 尺寸
font: font 字体
currency: currency 货币
home: home 家 住所
gym: gym 健身房
response: response responses
membership: membership 会员
notification: notification notifications 通知
command: command 命令
branch: branch 分支
variable: env_var environment_variable 环境变量
group: group 群
account: account 账号 账户 帐号
blood: blood_type blood 血型
lunch: lunch 午饭 午餐
dinner: dinner supper 晚饭 晚餐
breakfast: breakfast 早饭 早餐
coffee: coffee 咖啡
tea: tea 茶
staging: staging 预发 预发环境 测试环境
production: production prod 生产 生产环境 正式环境
city: city town 城市
hometown: hometown 老家 家乡
avatar: avatar 头像
wifi: wifi wi-fi 无线网
passport: passport 护照
visa: visa 签证
account_manager: account_manager 客户经理
contact: emergency_contact 紧急联系人
meeting_room: meeting_room 会议室
branch_office: branch_office 分公司
"""

VERBS: Final = """
like*: like likes liked love loves loved enjoy enjoys adore be_into am_into am_fond_of is_fond_of 喜欢 爱 喜爱 热爱 爱好
dislike*: dislike dislikes hate hates loathe detest 讨厌 厌恶 不喜欢 反感 不爱 恨
use*: use uses used using 用 使用 采用 在用
speak*: speak speaks 说 会说 会讲 讲
can*: can could is_able_to am_able_to 会 能 可以 能够
eat*: eat eats eating 吃
drink*: drink drinks drinking 喝
take*: take takes taking 服用
play*: play plays playing 玩
have*: have has having own owns got 有 拥有
own_pet*: 养 养了
allergy*: allergic allergic_to 过敏
know*: know knows 认识 懂
read*: read reads reading
watch*: watch watches watching 看
collect*: collect collects 收藏 收集
subscribe*: subscribe subscribes subscribed subscribe_to subscribed_to 订阅 订阅了 关注
smoke*: smoke smokes smoking 抽烟 吸烟 抽
reply: reply replies respond answer answers 回复 回答 答复 回我
prefer: prefer prefers preferred 偏好 偏爱 更喜欢 喜好 倾向
live: live lives living live_in lives_in reside resides relocated moved_to based_in live_at 住 住在 居住 居住在 搬到 搬去 搬家到 定居 定居在
employed: work_at works_at work_for works_for working_at working_for employed_by employed_at joined join 上班 就职 任职 供职
occupied: work_as works_as work works 当
study: study studies studying study_at 读 就读 就读于 上学 学
call: call calls called named 叫 名叫 叫做 称为 称呼 取名 名为
nickname: call_me 叫我 称呼我 称我
go: go goes going 去
wake: wake_up get_up 起床
start: start starts begin begins 开始
run: run runs running 跑 运行
send: send sends 寄 发 发给 发到 寄给 寄到 发送 交给 抄送 抄送给
pay: pay pays 付 付款 支付
book: book books reserve 订 预订 预定 买 购买
ship: ship ships deliver 配送 派送
sign: sign signs 签
keep: keep keeps 保持 保留
put: put store stores stored save saved 放 放在 存 存在 存到 写在 保存 保存在 放到
write: write writes 写 写成
prepare: prepare prepares 备 准备
travel_by: 走
spend: spend 花 花在
order_in: 点 叫外卖
follow: 跟
ask: 问
bring: 带
learn: learn learns learning
help: 帮
raise: 涨
watch_over: 带着
cook: cook cooks 做 煮
receive: 收 收到
connect: connect connects 接 接到 连 连接 连到
plan_on: 打算
stay: stay stays stay_at 待 待在
teach: teach teaches 教
recommend: recommend 推荐
build: build builds 构建
deploy: deploy deploys 部署 部署在 部署到
host: host hosts hosted 托管 托管在
clean: 打扫
report_to: report_to reports_to 汇报给
add: add append 加 加上
choose: choose chooses pick 选 选择 选的
wear: wear wears 穿 戴
drive: drive drives 开 驾驶
sit: sit sits 坐
listen: listen listens 听
let: 租 租在
shift: 值 值班
belong: 属
expire: expire expires expired 过期 到期
set: set 设 设置 设为 设成 设置为
handle: 负责
show: show display 显示
point: points_to point_to 指向
"""

FUNCTIONS: Final = """
self: i my me mine myself we our us ours the_user the_user's user's user users 我 我的 我们 我们的 咱 咱们 咱们的 用户 用户的 本人 本人的 自己 自己的 我自己
silent: 整 has_been have_been had_been the a an please kindly just really very always currently now already still so well ok okay do does did will would should must shall have_to has_to need_to needs_to make_sure to_be been per each every you your its there here then and_also 的 了 吧 啊 呢 哦 呀 哈 嘛 请 麻烦 麻烦你 请你 帮我 给我 你 您 已 已经 目前 现在 当前 平时 平常 一般 通常 一直 都 就 也是 要 应该 必须 需要 一下 记住 请记住 记得 里 里面 上面 大家 把 将 被 台 想 着 得 所 呗 哟 啦 那 这台 那台 不好意思 都是 会议的
link: is are was were am be = 是 为 就是 等于 在 位于 = → ->
to: to onto
prep: in on at with by via for of from as about into under over through within than near 对 给 于 从 向 跟 由 按 往 比 替
change: change changes changed has_changed switch switched switches move moved moves rename renamed renaming update updated upgrade upgraded downgrade downgraded correct corrected 改 改成 改为 改到 改用了 换 换成 换到 换为 变成 变为 更新为 更改为 修改为 升级到 升级为 升级成 升级 降级到 降级为 调整为 调整到 调到 调成 调为 推迟到 提前到 改名 改名为 改名叫 更名为 改叫 转到 切换到 切换成 切换为 搬到了 改回 换回 涨到 涨到了 降到 降到了 变更为 挪到 移到
also: also too as_well additionally besides 也 还 还有 另外 同时 也会 还会 又喜欢
ended: no_longer not_anymore any_more anymore stop stopped stopping quit quits cancel canceled cancelled cancels gave_up give_up dropped unsubscribed ended removed uninstalled discontinued got_rid_of sold left 不再 不再是 已经不 已不 已不再 再也不 取消 取消了 停用 停止 退订 退订了 戒 戒了 卸载 卸载了 弃用 停了 退了 注销 注销了 离开 放弃 作废 不用了 没再 再没
deny: not no never don't doesn't didn't isn't aren't wasn't won't n't without 不 没 没有 别 不要 不是 勿 从不 从来不 未 不想
again: again once_more 重新 又 再次 还是 恢复
lasting: from_now_on going_forward in_future in_the_future henceforth permanently 以后 今后 从今以后 从现在起 从现在开始 往后 以后都 今后都 从此 以后就
most: at_most no_more_than not_more_than up_to max maximum_of below less_than not_exceed capped_at limited_to limit_to not_over 最多 不超过 至多 不多于 不得超过 不能超过 不要超过 不高于 以内 以下 封顶 控制在 不大于 低于 小于 少于
least: at_least no_less_than not_less_than minimum more_than above min 至少 最少 不少于 不低于 起码 不得少于 以上 高于 大于 超过 多于
and: and & plus 和 以及 并 并且 而且
pointer: this that these those it its he she they his her their him them 这 那是 这是 它 他 她 他们 她们 这个
daypart: 上午 下午 晚上 早上 凌晨 中午 傍晚 早晨 清晨 夜里
fix: sorry correction wrong mistake mistaken actually meant typo oops misspoke was_right mixed_up my_mind 说错 写错 记错 搞错 弄错 打错 填错 错了 更正 纠正 口误 想来想去 不对 改主意 想了想 其实 改变主意 刚才说错 说错了 写错了 记错了 之前说错 刚才
when: when whenever while during if until till unless throughout
instead: instead_of rather_than 而不是 而非
"""

PROTECTED: Final = """
一刻 三刻 今晚 今早 明早 周末 工作日 节假日 假期 暑假 寒假 春节 国庆 端午 中秋 元旦 本月 下月 这月 冬天 夏天 春天 秋天
冬季 夏季 暂时 临时 出差 旅行 的时候 时候 期间 小时候 时间 时刻 时长 平时 随时 按时 定时 同时 实时 及时 准时 过期时间 午休时间
特别 性别 级别 别墅 类别 别名 别人 开车 开会 开发 公开 开始 信用卡 费用 作用 通用 常用 备用 用途 用量 用法 用户名
晨会 例会 周会 聚会 机会 年会 社会 早会 会计 发票 头发 发型 研发 出发 批发 发货 发布 发言 学校 学历 学生 大学 同学 学习 数学 文学
小学 中学 当地 当天 当时 写字楼 说明 小说 有效期 所有 有限 为了 因为 作为 成为 重点 地点 起点 加班 加急 参加 增加 选项 过去 去年
读书 阅读 买家 对接 对面 绝对 还款 归还 和平 比如 比例 往返 于是 由于 按时 按钮 里程 要求 重要 主要 已婚 未婚 调休 空调 强调 设计
设备 属于 跑步 坐标 签名 不错 不锈钢 也许 成都 就业 被子 是否 在线 在职 单程 双程 一起 一些 一样 万一 统一 唯一 十分 第一 第二 第三
三亚 三星 一号 高一 高二 高三 初一 初二 初三 大一 大二 大三 大四 四川 九江 百度 千岛湖 万科 百货 一家 六一 十一 五一 双十一 三明治
经理 负责人 联系人 司机 律师 牙医 班主任 老师 房东 保姆 同事 朋友 邻居 车牌号 房间号 学号 工号 员工号 会员号 卡号 银行卡 门牌号
分机号 短号 座机 微信 微信号 微信名 支付 物流 收件人 寄件人 编号 序列号 星河 周报 日报 月报 会员日 预约 行李 机票 火车票 高铁
吃饭 喝酒 睡觉 早饭 说话 请假 改天 改善 换季 调味 发烧 回家 搬家 上线 下线 还价 别的 没关系 用餐 使用期 选手 付费 免费 订金 买菜
不同意 同意 英文名 中文名 用户端 客户 客户端 户名 对方 给力 比赛 备赛 生日会 运动会 音乐会 现场 在校 在读 当成 收款 放假 放学 放松 放心
有时 有空 有人 有点 有关 没事 是的 可是 但是 还是 于今 值得 价值 属相 调查 改进 开心 坐垫 加油 加湿器 加密 签到 设置项 去向 写作 发音
"""
