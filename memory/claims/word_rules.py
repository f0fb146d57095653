"""The words, English and Chinese in one line where they mean the same. A space ends a word, `_` is a space.

Nouns and verbs: `concept: words`; a `*` says that several values may stand beside each other.
Values: `category/concept: words`.
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
marital/single: single 单身 未婚
marital/married: married 结婚 已婚
marital/divorced: divorced 离婚 离异
marital/engaged: engaged 订婚
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
name: name 名字 姓名 名 全名 名称
nickname: nickname 昵称 外号 小名 乳名
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
building: building buildings 大楼
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
status: status 状态 进度
wife: wife 妻子 老婆 太太 爱人
husband: husband 丈夫 老公 先生
mother: mother mom mum 妈妈 母亲 妈
father: father dad 爸爸 父亲 爸
son: son 儿子
daughter: daughter 女儿
sister: sister sisters
brother: brother brothers
elder_sister: elder_sister older_sister big_sister 姐姐 姐
younger_sister: younger_sister little_sister 妹妹 妹
elder_brother: elder_brother older_brother big_brother 哥哥 哥
younger_brother: younger_brother little_brother 弟弟 弟
grandmother: grandmother grandma granny 奶奶 外婆 姥姥
grandfather: grandfather grandpa 爷爷 外公 姥爷
uncle: uncle 叔叔 舅舅
aunt: aunt 阿姨 姑姑
boss: boss manager 老板 上司 领导
child: child kid 孩子 娃 小孩
partner: partner girlfriend boyfriend 女朋友 男朋友 女友 男友 对象
spouse: spouse 配偶
mode: mode theme 模式 主题
unit: units unit 单位制
meal: meal meals
age: old aged age 岁数 年龄
weight: weighed weight weighs weigh 体重 重量 重
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
city: city town 城市 所在城市 所在地
hometown: hometown 老家 家乡
avatar: avatar 头像
wifi: wifi wi-fi 无线网
passport: passport 护照
visa: visa 签证
expiry: expiry expiry_date expiration expiration_date 到期日 到期时间 有效期
account_manager: account_manager 客户经理
contact: emergency_contact 紧急联系人
meeting_room: meeting_room 会议室
branch_office: branch_office 分公司
"""

VERBS: Final = """
like*: like likes liked love loves loved enjoy enjoys adore be_into am_into am_fond_of is_fond_of 喜欢 爱 喜爱 热爱 爱好
dislike*: can_not_stand can_not_bear 受不了 dislike dislikes hate hates loathe detest 讨厌 厌恶 不喜欢 反感 不爱 恨
use*: use uses used using 用 使用 采用 在用
speak*: speak speaks 说 会说 会讲 讲
can*: 学会 学会了 can could is_able_to am_able_to 会 能 可以 能够
eat*: eat eats eating 吃
drink*: drink drinks drinking 喝
take*: take takes taking 服用
play*: play plays playing 玩
have*: have has having own owns got 拿到 拿到了 考到 考到了 领到 领到了 有 拥有
own_pet*: 养 养了
allergy*: allergic allergic_to 过敏
know*: know knows 认识 懂
visit*: visit visited been_to have_been_to has_been_to had_been_to 去过 到过
want: would_like want wants need needs 想要
read*: read reads reading
watch*: watch watches watching 看
collect*: collect collects 收藏 收集
subscribe*: subscribe subscribes subscribed subscribe_to subscribed_to 订阅 订阅了 关注
smoke*: smoke smokes smoking 抽烟 吸烟
reply: reply replies respond answer answers 回复 回答 答复 回我
default: default defaults
prefer: would_rather prefer prefers preferred 偏好 偏爱 更喜欢 喜好 倾向
live: moved_back_to move_back_to 搬回 搬回了 搬回到 live lives living live_in lives_in reside resides relocated moved_to based_in live_at 住 住在 居住 居住在 搬到 搬去 搬家到 定居 定居在
employed: 跳槽 跳槽到 入职 加入 work_at works_at work_for works_for working_at working_for employed_by employed_at joined join 上班 就职 任职 供职
occupied: employed_as work_as works_as working_as 当
do_work: work works
live_with: live_with lives_with living_with
study: study studies studying study_at 读 就读 就读于 上学
learn*: 学
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
learn*: learn learns learning
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
add*: add append 加 加上
choose: choose chooses pick 选 选择 选的
agree*: agree agrees agree_to 同意 赞成
disagree*: disagree disagrees 不同意 不赞成
support*: support supports in_favour_of in_favor_of am_for 支持
oppose*: oppose opposes opposed_to against 反对
trust*: trust trusts 信任 信得过
distrust*: distrust distrusts 不信任
origin: am_from is_from come_from comes_from 来自
include*: include includes 包括 包含
move_in: 常驻 长住
wear: wear wears 穿 戴
drive: drive drives 开 驾驶
sit: sit sits 坐
listen: listen listens 听
stand_for: stand_for stands_for 代表 表示
let: 租 租在
shift: 值 值班
belong: 属
surname: 姓
expire: runs_out run_out ran_out expire expires expired 过期 到期
set: set 设 设置 设为 设成 设置为
handle: 负责
show: show display 显示
point: points_to point_to 指向
"""
