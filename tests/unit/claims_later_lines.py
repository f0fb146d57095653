"""Pairs for the rules that came with the fourth table of relations, in words of their own."""

from typing import Final

LATER: Final[tuple[tuple[str, str, str], ...]] = (
    # kind, earlier text, later text; `beside` also stands for doubt
    ("same", "用户习惯使用 Sublime Text 记笔记。", "用户习惯使用Sublime Text记笔记。"),
    ("same", "档案室在四楼东侧。", "档案室在4楼东侧。"),
    ("supersedes", "The ferry leaves on 7 June at 06:30.", "The ferry leaves on 9 June at 06:30."),
    ("supersedes", "空调滤网三个月洗一次。", "空调滤网现在一年洗一次。"),
    ("same", "颁奖礼是11月3日。", "颁奖礼日期：11月3日"),
    ("same", "The choir has 31 members.", "Choir size: 31 members"),
    ("same", "仓库一共有九辆叉车。", "仓库的叉车总共9辆"),
    ("supersedes", "果园有四亩。", "果园现在有六亩。"),
    ("supersedes", "My visa expires on 4 June.", "Sorry, misread it. My visa runs out on 6 June."),
    ("supersedes", "I like mushrooms.", "I absolutely hate mushrooms now."),
    ("supersedes", "我喜欢爬山。", "我现在特别讨厌爬山。"),
    ("supersedes", "The queue holds 40 jobs.", "The queue is bumped to 60 jobs."),
    ("supersedes", "My cholesterol is 210.", "My cholesterol is down to 180."),
    ("supersedes", "我的体脂率是22%。", "刚量过，我的体脂率是20%。"),
    ("same", "托盘单件最高不能超过30公斤。", "托盘单件最多30公斤。"),
    ("supersedes", "The gym gave me locker 12.", "The gym gave me a different locker, 19."),
    # What is spoken of first, what a clause leaves out, what another clause names
    ("retracts", "我在练吉他。", "吉他我不练了。"),
    ("supersedes", "我同意把聚餐改到周五。", "想了想，把聚餐改到周五我不同意。"),
    ("supersedes", "停车费每个月三百五。", "停车费涨价了，每个月四百二。"),
    ("supersedes", "宽带是300兆。", "宽带升级了，现在1000兆。"),
    ("supersedes", "The suitcase weighs 21 kg.", "I weighed the suitcase again, it's 24 kg now."),
    ("same", "雨伞放在门厅柜子里。", "雨伞，放在门厅的柜子里。"),
    ("same", "颁奖礼在三月八日办，场地是星海剧院。", "颁奖礼的场地是星海剧院。"),
    ("supersedes", "晚饭吃面条。", "算了，晚饭吃饺子。"),
    ("retracts", "I trust that supplier.", "I don't trust that supplier any longer."),
    ("supersedes", "我用安卓手机。", "我换了苹果手机。"),
    ("supersedes", "我侄子上五年级。", "我侄子升六年级了。"),
    ("supersedes", "我不会滑雪。", "我学会滑雪了。"),
    ("supersedes", "备用金是三千。", "备用金加到五千了。"),
    # Who says so, who did it, what was given up
    (
        "supersedes",
        "The rent is 900 euros.",
        "The landlord says we pay 950 euros rent from now on.",
    ),
    ("same", "The mural was painted by Ines.", "Ines painted the mural."),
    ("same", "房子被小李买下了。", "小李买下了房子。"),
    ("supersedes", "I drive a Corolla.", "Swapped my Corolla for a Jimny."),
    ("supersedes", "We use MySQL for billing.", "We replaced MySQL with Postgres for billing."),
    ("supersedes", "My tutor is Mr. Hall.", "Ms. Price took over as my tutor."),
    ("supersedes", "My lunch order is a salad.", "Make my lunch order a wrap."),
    ("supersedes", "I fly with Norra.", "I fly with Velaair and not with Norra now."),
    ("same", "The shed isn't insured.", "The shed has not been insured."),
    ("supersedes", "Pineapple pizza 👎", "Pineapple pizza 👍"),
    ("same", "The walk takes 90 minutes.", "The walk is 1.5 hours."),
    ("supersedes", "I'm against the merger.", "I'm in favour of the merger after all."),
)

LATER_APART: Final[tuple[tuple[str, str], ...]] = (
    ("我的上班时间是9点。", "我的午休时间是12点。"),
    ("The team has 12 developers.", "The team has 3 designers."),
    ("宽带300兆。", "流量每月30G。"),
    ("The office lease ends on 2026-09-30.", "The car lease ends on 2026-12-31."),
    ("My hotel costs $180.", "My flight costs $220."),
    ("The main server has 16 GB.", "The backup server was moved, it has 32 GB now."),
    ("The report was written by Ana.", "Tom wrote the report."),
    ("小李骗了小王。", "小王骗了小李。"),
    ("小李被小王骗了。", "小李骗了小王。"),
    ("I use Gmail.", "I've changed to Slack for chat."),
    ("I live in Oslo.", "I used to live in Rome, it was lovely."),
    ("I live in Oslo.", "Anna says she lives in Rome."),
    ("昨天我没吃饭。", "我吃饭。"),
    ("Pizza night 🍕", "Pizza night 🎉 with Tom"),
    ("The hotel is $180.", "We got a refund for the flight: the airline paid $220."),
    ("年会是12月26日。", "年会时间是下午三点。"),
)
"""Honest memories that both stay, in either order."""
