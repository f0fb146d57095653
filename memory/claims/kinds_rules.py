"""Words that are one of a kind: what one is by trade, and how far a thing has come. A space ends a
word, `_` is a space. `kind/concept: words`, English and Chinese in one line where they mean the same.
"""

from typing import Final

KINDS: Final = """
occupied/nurse: nurse 护士
occupied/physician: surgeon 外科医生
occupied/dentist: dentist 牙科医生 牙医
occupied/teacher: teacher schoolteacher school_teacher 老师 教师
occupied/professor: professor lecturer 教授 讲师
occupied/engineer: engineer software_engineer 工程师 软件工程师
occupied/developer: developer programmer software_developer 程序员 码农 开发工程师
occupied/designer: designer graphic_designer 设计师
occupied/accountant: accountant bookkeeper 会计 会计师
occupied/lawyer: lawyer attorney solicitor 律师 执业律师
occupied/chef: chef pastry_chef 厨师
occupied/barista: barista 咖啡师
occupied/waiter: waiter waitress 服务员
occupied/driver: driver taxi_driver bus_driver truck_driver 司机 出租车司机
occupied/pilot: pilot 飞行员
occupied/electrician: electrician 电工
occupied/plumber: plumber 水管工
occupied/carpenter: carpenter 木匠
occupied/welder: welder 焊工
occupied/mechanic: mechanic 修理工
occupied/journalist: journalist reporter 记者
occupied/writer: writer author novelist 作家
occupied/translator: translator interpreter
occupied/librarian: librarian 图书管理员
occupied/architect: architect 建筑师
occupied/pharmacist: pharmacist 药剂师
occupied/vet: veterinarian 兽医
occupied/therapist: therapist psychologist physiotherapist 心理咨询师 治疗师
occupied/scientist: scientist researcher 科学家 研究员
occupied/analyst: analyst data_analyst 分析师 数据分析师
occupied/consultant: consultant 顾问
occupied/salesperson: salesperson salesman 销售员
occupied/cashier: cashier 收银员
occupied/baker: baker 面包师
occupied/farmer: farmer 农民
occupied/gardener_by_trade: gardener 园丁
occupied/firefighter: firefighter 消防员
occupied/officer: police_officer policeman 警察
occupied/soldier: soldier 军人
occupied/musician: musician 音乐家
occupied/photographer: photographer 摄影师
occupied/student: student undergraduate 学生 大学生
occupied/retired: retired 退休
occupied/unemployed: unemployed 失业 待业
occupied/freelancer: freelancer 自由职业 自由职业者
occupied/secretary: secretary 秘书
occupied/assistant: assistant 助理
occupied/product_manager: product_manager 产品经理
occupied/project_manager: project_manager 项目经理
status/pending: pending awaiting 待处理 待办
status/unpaid: unpaid 待付款 未付款
status/paid: paid 已付款
status/to_ship: 待发货 未发货
status/processing: being_processed processing in_progress 处理中 进行中 办理中
status/shipped: shipped dispatched 已发货 已发出
status/in_transit: in_transit 运输中 在途
status/delivered: delivered 已签收 已送达 已收货
status/delayed: delayed 已延误 延误
status/returned: returned 已退货
status/refunded: refunded 已退款
status/cancelled: 已取消
status/open: open unresolved 未解决
status/closed: closed 已关闭
status/solved: resolved solved 已解决 已修复
status/done: completed 已完成 已办结
status/approved: approved 已批准 已通过
status/rejected: rejected declined 已拒绝 已驳回
status/merged: merged 已合并
status/blocked: blocked 已阻塞
status/reviewed: in_review under_review 审核中 待审核
status/broken: broken out_of_order 坏了
status/repaired: repaired 修好了
sugar/full: full_sugar 全糖 正常糖
sugar/seven: 七分糖
sugar/half: half_sugar 半糖 五分糖
sugar/three: 三分糖 少糖 微糖
sugar/no_sugar: sugar-free no_sugar 无糖 不加糖
ice/normal: 正常冰 多冰
ice/less: 少冰
ice/no_ice: 去冰 不加冰
ice/hot: 热的
ice/cold: 冰的
length/short: brief concise 简短 简洁 简短一点 短一点 简洁一点
length/long: detailed lengthy 详细 详细一点 详尽 长一点
tone/formal: formal formally 正式 正式一点 正式点
tone/casual: casual informal informally 随意 随意一点 随和 随和一点 轻松 轻松一点 口语化
taste/rare: medium_rare rare
taste/done: well_done
eats/vegetarian: vegetarian 素食者 素食主义者
eats/vegan: vegan 纯素食者
eats/carnivore: meat_eater
courier/jd: 京东
indent/tabs: tab tabs 制表符
indent/spaces: spaces two_spaces four_spaces 空格
sugar/some: with_sugar 加糖
travel/high_speed: 高铁 动车
travel/plane: plane airplane 飞机
travel/train: train 火车
travel/metro: metro subway 地铁
travel/bus: bus 公交 公交车
travel/taxi: taxi cab 出租车
travel/tram: tram 电车
travel/bike: bike bicycle 自行车
fruit/strawberry: strawberry strawberries 草莓
fruit/apple: apple apples 苹果
fruit/banana: banana bananas 香蕉
fruit/mango: mango mangoes 芒果
fruit/grape: grape grapes 葡萄
fruit/watermelon: watermelon 西瓜
fruit/peach: peach peaches 桃子
fruit/kiwi: kiwi_fruit 猕猴桃
flower/rose: rose roses 玫瑰
flower/sunflower: sunflower sunflowers 向日葵
flower/tulip: tulip tulips 郁金香
flower/lily: lily lilies 百合
brew/oolong: oolong 乌龙茶
brew/green: green_tea 绿茶
brew/black: black_tea 红茶
brew/jasmine: jasmine_tea 茉莉花茶
allergen/ibuprofen: ibuprofen 布洛芬
allergen/aspirin: aspirin 阿司匹林
allergen/sesame: sesame sesame_seed sesame_seeds 芝麻
allergen/soy: soy soya soybean 大豆
allergen/egg: egg eggs 鸡蛋
allergen/wheat: wheat 小麦
allergen/gluten: gluten 麸质
allergen/dust: dust dust_mites 尘螨
allergen/latex: latex 乳胶
allergen/walnut: walnut walnuts 核桃
allergen/cashew: cashew cashews 腰果
city/kyoto: kyoto 京都
city/osaka: osaka 大阪
city/seoul: seoul 首尔
city/singapore: singapore 新加坡
city/bangkok: bangkok 曼谷
city/sydney: sydney 悉尼
city/melbourne: melbourne 墨尔本
city/toronto: toronto 多伦多
city/vancouver: vancouver 温哥华
city/losangeles: los_angeles 洛杉矶
city/sanfrancisco: san_francisco 旧金山
city/boston: boston 波士顿
city/chicago: chicago 芝加哥
city/seattle: seattle 西雅图
city/munich: munich 慕尼黑
city/frankfurt: frankfurt 法兰克福
city/rome: rome 罗马
city/milan: milan 米兰
city/madrid: madrid 马德里
city/barcelona: barcelona 巴塞罗那
city/vienna: vienna 维也纳
city/amsterdam: amsterdam 阿姆斯特丹
city/moscow: moscow 莫斯科
city/dubai: dubai 迪拜
city/nanjing: nanjing 南京
city/suzhou: suzhou 苏州
city/wuhan: wuhan 武汉
city/xian: xi'an 西安
city/chongqing: chongqing 重庆
city/xiamen: xiamen 厦门
city/qingdao: qingdao 青岛
city/tianjin: tianjin 天津
city/hongkong: hong_kong 香港
city/taipei: taipei 台北
browser/firefox: firefox 火狐
browser/chrome: chrome 谷歌浏览器
browser/safari: safari
browser/edge: microsoft_edge
browser/brave: brave_browser
text_editor/vim: vim neovim
text_editor/emacs: emacs
text_editor/vscode: vs_code vscode
text_editor/helix: helix
text_editor/pycharm: pycharm intellij
sql/mysql: mysql
sql/postgres: postgres postgresql
sql/sqlite: sqlite
sql/mariadb: mariadb
sql/oracle: oracle
sql/mongo: mongodb mongo
ci/jenkins: jenkins
ci/github: github_actions
ci/gitlab: gitlab_ci
ci/circle: circleci
chat/slack: slack
chat/teams: microsoft_teams
chat/discord: discord
chat/feishu: feishu 飞书
chat/dingtalk: dingtalk 钉钉
notes/notion: notion
notes/obsidian: obsidian
notes/evernote: evernote 印象笔记
tasks/trello: trello
tasks/linear: linear
tasks/asana: asana
tasks/jira: jira
mail_service/gmail: gmail
mail_service/proton: proton protonmail proton_mail
mail_service/outlook: outlook
storage/dropbox: dropbox
storage/gdrive: google_drive
storage/baidu: 百度网盘
shell/zsh: zsh
shell/bash: bash
shell/fish: fish_shell
phone_system/iphone: iphone 苹果手机
phone_system/android: android 安卓
laptop_system/mac: macbook macos
laptop_system/windows: windows
laptop_system/linux: linux ubuntu debian
maps/baidu_maps: 百度地图
maps/amap: 高德 高德地图
maps/google: google_maps
rides/didi: 滴滴
rides/uber: uber
food_delivery/meituan: 美团 美团外卖
food_delivery/eleme: 饿了么
calls/zoom: zoom
calls/tencent: 腾讯会议
paper/a4: A4
document/pdf: pdf PDF格式
document/word: Word格式
spelling/british: british british_english
spelling/american: american american_english
clock/24: 24-hour
clock/12: 12-hour
"""
"""`occupied` is one's trade; `status` is what comes of orders, tickets and devices."""
