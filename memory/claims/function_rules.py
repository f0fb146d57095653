"""What the small words do, and Chinese words that must not be taken apart. `_` is a space.

Functions: `role: words`.
"""

from typing import Final

FUNCTIONS: Final = """
self: 该用户 该用户的 this_user this_user's 俺 俺家 俺们 我们家 i my me mine myself we our us ours the_user the_user's user's user users 我 我的 我们 我们的 咱 咱们 咱们的 用户 用户的 本人 本人的 自己 自己的 我自己
silent: because 因为 由于 所以 finally at_last at_long_last absolutely totally honestly apparently basically definitely certainly quite pretty_much may might gave_me gave_us got_me assigned_me assigned_us issued_me so_far 很 非常 特别 超级 超 挺 蛮 真 真的 太 十分 比较 最近 越来越 原来 居然 竟然 没想到 果然 总算 终于 一共 总共 总共有 大概 大约 差不多 刚刚 刚才说 好像 据说 听说 那块 那条 那个 那间 那家 那张 那本 那份 那种 那排 那套 那位 那只 这块 这条 这间 这家 这张 这本 这份 这种 这排 这套 这位 btw lol ugh haha hmm update anyway 记一下 记下 帮我记下 帮我记一下 记录一下 备注一下 就行 就好 就可以了 即可 只能 的话 对了 哈哈 嗯 唉 咯 for_the_record fyi by_the_way just_so_you_know 顺便说一下 优先 尽量 remember_that remember note_that note new 再 整 has_been have_been had_been the a an please kindly just really very always currently already still so well ok okay do does did will would should must shall have_to has_to need_to needs_to make_sure to_be been per each every you your its there here then and_also 的 了 吧 啊 呢 哦 呀 哈 嘛 请 麻烦 麻烦你 请你 帮我 给我 你 您 已 已经 目前 当前 平时 平常 一般 通常 一直 都 就 也是 要 应该 必须 需要 一下 记住 请记住 记得 里 里面 上面 大家 把 将 被 台 想 着 得 所 呗 哟 啦 那 这台 那台 不好意思 都是 会议的
link: 定在 定于 安排在 took_over_as takes_over_as takes_place take_place took_place is_held are_held was_held will_be_held is are was were am be = 是 为 就是 等于 在 位于 = → ->
to: to onto
prep: in on at with by via for of from as about into under over through within than near 对 给 于 从 向 跟 由 按 往 比 替
change: 加到 减到 增到 增加至 减少至 缩到 缩减到 缩短到 缩短为 砍到 砍成 提到 降成 升到 升为 升至 升成 升 改为了 rescheduled reschedules bumped bumped_to down_to back_to back_on reverted reverted_to rolled_back rolled_back_to put_back moved_up swapped swapped_out revised revised_to 涨价 降价 涨价到 降价到 涨成 降成 放宽 放宽到 放宽至 收紧 收紧到 迁移 迁移到 迁到 迁至 退回 退回到 回退到 回滚到 调高到 调低到 上调到 上调至 下调到 下调至 上调为 下调为 往后挪到 往前挪到 推到 推迟至 提前至 顺延至 延后至 改签到 改签成 改签为 改约在 改约成 改订 went_back go_back goes_back going_back switched_back changed_back turned_up turned_down set_back 调回 改回到 换回到 改为每 挪回 转回 切回 转到了 染成 剪成 涂成 转成 extended extend postponed postpone brought_forward pushed raised lowered increased reduced went_up went_down migrated migrate converted transferred relocated_to 延到 延至 延期到 延长到 提高到 降低到 增加到 减少到 改约到 改在 改期到 定为 顺延到 延后到 change changes changed has_changed switch switched switches move moved moves rename renamed renaming update updated upgrade upgraded downgrade downgraded correct corrected 改 改成 改为 改到 改用了 换 换成 换到 换为 变成 变为 更新为 更改为 修改为 升级到 升级为 升级成 升级 降级到 降级为 调整为 调整到 调到 调成 调为 推迟到 提前到 改名 改名为 改名叫 更名为 改叫 转到 切换到 切换成 切换为 搬到了 改回 换回 涨到 涨到了 降到 降到了 变更为 挪到 移到
also: also too as_well additionally besides 也 还 另外 同时 也会 还会 又喜欢
ended: 早就不 早已不 早就不再 used_to any_longer no_need_to 不用再 不必再 无需再 不需要再 scrap scrapped no_more given_up left_out 卖掉 卖了 卖掉了 取关 退掉 停掉 关掉 删掉 离职 辞职 退出 退会 分手 结束 退掉了 取消掉 no_longer not_anymore any_more anymore stop stopped stopping quit quits cancel canceled cancelled cancels gave_up give_up dropped unsubscribed ended removed uninstalled discontinued got_rid_of sold left 不再 不再是 已经不 已不 已不再 再也不 取消 取消了 停用 停止 退订 退订了 戒 戒了 卸载 卸载了 弃用 停了 退了 注销 注销了 离开 放弃 作废 不用了 没再 再没
deny: not no never don't doesn't didn't isn't aren't wasn't won't n't without 不 没 没有 别 不要 不是 勿 从不 从来不 未 不想
again: again once_more 还真是 还真 重新 又 再次 还是 恢复
lasting: a_different as_from as_of_today as_of_now from_today_on from_today for_good 从今天起 从今天开始 now nowadays these_days 现在 如今 instead starting_from as_of effective_from 从此以后 from_now_on going_forward in_future in_the_future henceforth permanently 以后 今后 从今以后 从现在起 从现在开始 往后 以后都 今后都 从此 以后就
most: at_the_most can_go_up_to go_up_to no_longer_than not_exceeding 最高 最高不能超过 最多不能超过 最多不超过 最高不超过 不能高于 不能多于 不可超过 上限是 上限为 at_most no_more_than not_more_than up_to max maximum_of below less_than not_exceed capped_at limited_to limit_to not_over 最多 不超过 至多 不多于 不得超过 不能超过 不要超过 不高于 以内 以下 封顶 控制在 不大于 低于 小于 少于
least: at_the_least no_fewer_than no_shorter_than 不能少于 不能低于 不得低于 最低不能低于 至少要 at_least no_less_than not_less_than minimum more_than above min 至少 最少 不少于 不低于 起码 不得少于 以上 高于 大于 超过 多于
and: and & plus 和 以及 并 并且 而且
pointer: this that these those it its he she they his her their him them 这 那是 这是 它 他 她 他们 她们 这个
daypart: 上午 下午 晚上 早上 凌晨 中午 傍晚 早晨 清晨 夜里
fix: new_plan change_of_plan change_of_plans new_routine plans_changed misread misremember double-checked rechecked checked_again looked_again 计划有变 情况有变 有变动 看错 看错了 听错 听错了 称过 量过 查过 核对过 核实过 确认过 重新量过 重新称过 再确认 turns_out it_turns_out ignore_what_i_said ignore_that disregard disregard_that forget_what_i_said as_i_said_before 报错 报错了 弄错了 搞错了 打错了 填错了 second_thought scratch_that no_wait misremembered 算了 打错字 之前写错 sorry correction wrong mistake mistaken actually meant typo oops misspoke was_right mixed_up my_mind 说错 写错 记错 搞错 弄错 打错 填错 错了 更正 纠正 口误 想来想去 不对 改主意 想了想 其实 改变主意 刚才说错 说错了 写错了 记错了 之前说错 刚才
when: when whenever every_time while during if until till unless throughout
instead: instead_of rather_than 而不是 而非
"""

PROTECTED: Final = """
今年 明年 后年 日期 人数 数量 特别版 真相 真实 真心 真正 太阳 超市 超过 很多 非常规 旅行社 天津 南京 苏州 无锡 武汉 西安 重庆 厦门 青岛 宁波 长沙 郑州 合肥 济南 沈阳 大连 哈尔滨 昆明 福州 南昌 贵阳 南宁 海口 珠海 佛山 东莞 温州
常州 徐州 烟台 大理 丽江 桂林 洛阳 香港 澳门 台北 时薪 时速 时尚 时装 这周末 本周末 下周末 上周末 的话 打车 坐车 地铁 公交 电动车
存款 下周 这周 本周 上周 下个月 这个月 上个月 这次 雨天 下雨天 晴天 雪天 过年 早报 频道 房东 租客 工资卡 上班族 学费 学期 班级
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
吃饭 睡觉 早饭 说话 请假 改天 改善 换季 调味 发烧 回家 搬家 上线 下线 还价 别的 没关系 用餐 使用期 选手 付费 免费 订金 买菜
抽屉 抽奖 抽空 英文名 中文名 用户端 客户 客户端 户名 对方 给力 比赛 备赛 生日会 运动会 音乐会 现场 在校 在读 当成 收款 放假 放学 放松 放心
有时 有空 有人 有点 有关 没事 是的 可是 但是 还是 于今 值得 价值 属相 调查 改进 开心 坐垫 加油 加湿器 加密 签到 设置项 去向 写作 发音
主库 从库 组会 班会 晚会 宴会 酒会 协会 工会 体会 会场 会费 会话 会长 学会了 日志 频率 低碳 饮食 轻断食 断食 生酮 用电 用水 用药 用具 用工 应用程序 开关 开水 开销 开支 开户 开局 公开课 展开
看法 看病 看房 做法 做饭 做事 学分 学区 学位 学科 化学 科学 医学 点心 点评 起点站 观点 特点 缺点 优点 走廊 走读 跑鞋 跑步机 对手 对联 针对 从事 从容 跟踪 跟班 和气 和谐 要点 要素
想法 想象 感想 理想 思想 着急 穿着 得分 心得 获得 所长 厕所 研究所 律所 事务所 派出所 场所 再见 整理 整形 调整 台灯 台式 电台 舞台 阳台 平台 后台 前台 公里 家具 家电 专家 国家 画家 家教
家长 家务 重复 高度 高中 高铁站 高考 票价 车票 门票 邮票 人群 微信群 群主 单价 工作单位 工作室 楼下 楼上 手机壳 充电 充电器 电脑 电视 冰箱 洗衣机 路由器 打印机 投影仪 显示器 键盘 鼠标 耳机 音响 空气 净化器
停车费 停车位 车位 车牌 车险 保险 保养 加油站 地铁站 公交站 火车站 机场 登机口 航站楼 候机 行程 民宿 押金 定金 首付 贷款 利率 利息 房贷 车贷 基金 股票 理财 奖金 社保 公积金 血糖 血压
血脂 体温 心率 体检 疫苗 药量 剂量 过敏源 牙科 眼科 儿科 门诊 挂号 病房 手术 复查 近视 度数 鞋码 裤长 腰围 身份证 密码锁 验证码 门禁 门牌 快递柜 收货 收货地址 外卖 奶茶 豆浆 拿铁 美式 咖啡豆 白酒
红酒 啤酒 榴莲 山竹 菠萝蜜 菠萝 荔枝 龙眼 香菜 香叶 番茄 土豆 牛腩 面粉 大米 牛肉 羊肉 猪肉 鱼肉 火锅 烧烤 米线 面条 饺子 包子 早餐店 食堂 餐厅 菜单 口味 微辣 中辣 特辣 不辣 清淡 排练室
练习室 会议厅 办公室 仓库 车间 园区 小区 社区 街道 路口 年报 报告 合同 协议 招标 报价 报销 审批 流程 进度条 版本库 主干 代码 注释 域名 缓存 队列 日志级别 超时 重试 网关 网络 网速 流量 带宽 宽带
会员卡 年费 月费 课时 课程 教练 私教 健身 瑜伽 游泳 篮球 足球 羽毛球 乒乓球 网球 钢琴 吉他 古筝 笛子 画画 书法 舞蹈 幼儿园 研究生 博士 硕士 本科 专业 老大 老二 老三 老幺 大儿子 小儿子 大女儿 小女儿
大哥 二哥 大姐 二姐 表姐 表妹 表哥 表弟 堂哥 堂姐 堂弟 堂妹 岳父 岳母 侄子 侄女 外甥 孙子 孙女 室友 同桌 客服 供应商 供货商 甲方 乙方
"""
