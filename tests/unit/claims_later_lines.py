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
)

LATER_APART: Final[tuple[tuple[str, str], ...]] = (
    ("我的上班时间是9点。", "我的午休时间是12点。"),
    ("The team has 12 developers.", "The team has 3 designers."),
    ("宽带300兆。", "流量每月30G。"),
    ("The office lease ends on 2026-09-30.", "The car lease ends on 2026-12-31."),
    ("My hotel costs $180.", "My flight costs $220."),
    ("年会是12月26日。", "年会时间是下午三点。"),
)
"""Honest memories that both stay, in either order."""
