"""What made-up conversations are about, in English and Chinese.

Of each topic: how somebody is asked for it, how he tells it (with the topic's words, and without,
when the question has them), what is said to that, and what is asked about it later. `{n}` is who
tells it, `{o}` the other one, `{v}` a value of his own. Written for this purpose; no line is of a
data set.
"""

from typing import Final

import msgspec


class Topic(msgspec.Struct, frozen=True):
    """One thing that somebody tells, and how it is asked for later."""

    opens: str
    tells: str
    answers: str
    said_to_it: str
    asked: tuple[str, ...]
    values: tuple[str, ...]


def _topics(written: str) -> tuple[Topic, ...]:
    found = []
    for block in written.strip().split("\n\n"):
        opens, tells, answers, reply, asked, values = block.splitlines()
        found.append(
            Topic(
                opens, tells, answers, reply, tuple(asked.split(" | ")), tuple(values.split(" | "))
            )
        )
    return tuple(found)


ENGLISH: Final = _topics("""
How did the pottery class go, {n}?
I finally joined a pottery class {v}, and my first bowl came out crooked but whole.
It started {v}, and I already made a crooked little bowl!
A bowl of your own! I always wanted to try pottery, {n}.
When did {n} join the pottery class? | What did {n} make first in the pottery class?
last Thursday | two weeks ago | on 3 March | yesterday

Did you get the new bike in the end?
I bought a {v} bike at the market and rode it home along the canal.
Yes, a {v} one, from a stall at the market, and I rode it home at once.
Riding along the canal sounds lovely, {n}.
What colour is {n}'s bike? | Where did {n} buy the bike?
green | black | silver | yellow

How many people came to the charity run?
There were {v} people at the charity run, more than we ever had before.
About {v}, can you believe it? We ran out of water after an hour.
Wow, that many runners! You must be so proud of it.
How many people came to the charity run that {n} organised? | Who organised a charity run?
120 | 45 | three hundred | 78

What are you reading these days, {n}?
I am reading {v} and can't put it down; the last chapter made me cry.
Still {v}. I read till two in the morning and cried over the last chapter.
I love novels that make you cry. Reading is the best way to wind down.
What book is {n} reading? | Which book made {n} cry?
Middlemarch | The Wall | a life of Curie | Beloved

How is your mother after the operation?
My mother had her hip operation {v} and walks with a stick now.
Better, thanks. It was {v}, and she already walks with a stick.
Give her my best, {n}. An operation at that age is no small thing.
When did {n}'s mother have her operation? | What kind of operation did {n}'s mother have?
on Monday | last month | in January | a week ago

Have you found a place to live yet?
I signed for a flat in {v}, on the third floor, with a tiny balcony.
I did! {v}, third floor, and a balcony just big enough for one chair.
A balcony is all one needs. When may I come and see the flat?
Where is {n}'s new flat? | On which floor does {n} live?
Leith | Hackney | the old harbour | Montmartre

So what did they say at the job interview?
The interview at {v} went well, they want me to start in spring.
They liked me! {v} want me from spring on.
Congratulations, {n}! I knew that the interview would go well.
Where did {n} have a job interview? | When will {n} start the new job?
the museum | a bakery | Larkin and Sons | the city library

Tell me about your dog, {n}!
We adopted a puppy called {v} from the shelter, she chews on everything.
She is called {v}, we have her from the shelter, and no shoe is safe.
Puppies are so sweet. Mine chewed my shoes as well when he was little.
What is the name of {n}'s puppy? | Where is {n}'s dog from?
Maple | Juno | Pepper | Hazel

Where did you go camping this time?
We camped at {v} with the kids and saw a meteor shower.
{v}, with the kids, and at night there was a meteor shower over us.
A meteor shower! Camping with children is always an adventure.
Where did {n} go camping? | What did {n}'s family see while camping?
Lake Orrin | the Hollow Valley | Pine Ridge | the dunes

How long have you been playing the violin now?
I have played the violin for {v} and still practise every morning.
It is {v} now, and I still practise every single morning.
That is a long time. Music keeps one going, doesn't it?
How long has {n} been playing the violin? | Which instrument does {n} play?
nine years | six months | 20 years | four years

What did you give your sister for her wedding?
I gave my sister {v} for her wedding and she hung it in the hall at once.
{v}. She hung it in the hall the same evening.
What a thoughtful present! Weddings are hard to shop for.
What did {n} give her sister for the wedding? | Who got a wedding present from {n}?
a painting of the pier | an old mirror | a quilt | a clock

Did you sort out the trouble with your knee?
The doctor says my knee needs {v} of physiotherapy and no running.
Not quite: {v} of physiotherapy, says the doctor, and no running until then.
Oh no, {n}, no running! Take care of yourself.
What does {n}'s knee need? | What may {n} not do because of the knee?
six weeks | two months | ten sessions | a month

When is the exhibition of your paintings?
My paintings will be shown {v} in the gallery by the bridge.
It opens {v}, in the gallery by the bridge. I am so nervous!
I will be there! Your paintings deserve to be seen.
When are {n}'s paintings shown? | Where are {n}'s paintings shown?
next Friday | on 12 June | in October | this weekend

What did the kids do over the holidays?
The kids built {v} in the garden and wanted to sleep in it.
They built {v} in the garden, and of course wanted to sleep out there.
Children have the best ideas. Mine only watched films.
What did {n}'s kids build? | Where did {n}'s kids want to sleep?
a tree house | a raft | a tent of blankets | a castle

How is the language course?
I passed the {v} exam and can order dinner without pointing now.
Passed! My {v} is good enough to order dinner without pointing.
Well done! Learning a language takes such patience.
Which language is {n} learning? | What can {n} do after the language exam?
Italian | Turkish | Welsh | Korean

What happened to your car?
My car broke down {v} on the way to the coast and had to be towed.
It died {v}, half way to the coast, and a truck towed us home.
How annoying. I gave up on cars and take the train.
When did {n}'s car break down? | Where was {n} going when the car broke down?
on Saturday | last night | in August | three days ago

Who did you go to the concert with?
I went to the concert with {v}, and we danced in the rain.
With {v}. It poured, and we danced all the same.
Dancing in the rain, I can picture it! Concerts are good for the soul.
Who went to the concert with {n}? | What was the weather at {n}'s concert?
my cousin Ada | Tomas | my neighbour | an old school friend

What made you want to become a nurse?
I want to become a nurse because {v} was so well cared for.
{v} was so well cared for that I knew what I wanted to do.
That is a beautiful reason. You will be wonderful with patients.
Why does {n} want to become a nurse? | What does {n} want to become?
my grandfather | my little brother | my best friend | my aunt

What do you do to relax after work?
After work I {v} for an hour, it clears my head.
I {v} for an hour. It clears my head like nothing else.
We all need something like that. Work never ends otherwise.
What does {n} do to relax? | When does {n} relax?
swim in the lake | bake bread | do yoga | paint tin soldiers

Have you decided on the trip to your grandparents?
We fly to my grandparents in {v} and stay for three weeks.
Yes, we fly to {v} and stay for three weeks with them.
Three weeks! Your grandparents will be so happy, {n}.
Where do {n}'s grandparents live? | How long does {n} stay with the grandparents?
Sweden | Crete | Porto | Kerala
""")

CHINESE: Final = _topics("""
{n}，陶艺课上得怎么样？
我{v}报了陶艺班，第一个碗做得歪歪的，不过没碎。
{v}开始的，已经做出一个歪歪的小碗了！
自己做的碗多好啊，我也一直想学陶艺。
{n}什么时候报的陶艺班？ | {n}在陶艺班先做了什么？
上周四 | 两周前 | 三月三号 | 昨天

新自行车买了吗？
我在集市上买了一辆{v}的自行车，沿着河骑回家的。
买了，{v}的，在集市上买的，当场就骑回家了。
沿着河骑车真舒服。
{n}的自行车是什么颜色的？ | {n}在哪里买的自行车？
绿色 | 黑色 | 银色 | 黄色

义跑来了多少人？
这次义跑来了{v}人，比以前哪次都多。
大概{v}人，你敢信吗？一个小时水就发完了。
这么多人！你一定很自豪。
{n}组织的义跑来了多少人？ | 谁组织了义跑？
一百二十 | 45 | 三百多 | 78

{n}，最近在看什么书？
我在看{v}，根本停不下来，最后一章把我看哭了。
还是{v}，看到半夜两点，最后一章哭得不行。
能让人哭的书都是好书，睡前看书最放松。
{n}在看什么书？ | 哪本书让{n}看哭了？
《围城》 | 《活着》 | 居里夫人的传记 | 《平凡的世界》

你妈妈手术以后怎么样了？
我妈{v}做的髋关节手术，现在拄着拐杖能走了。
好多了，{v}做的，现在拄着拐杖能走。
替我问候阿姨，这个年纪做手术不容易。
{n}的妈妈什么时候做的手术？ | {n}的妈妈做了什么手术？
周一 | 上个月 | 一月份 | 一周前

房子找到了吗？
我在{v}租了一套房，三楼，有个小阳台。
找到了！{v}，三楼，阳台刚好放一把椅子。
有阳台就够了，什么时候请我去看看房子？
{n}新租的房子在哪里？ | {n}住在几楼？
老码头 | 城西 | 江边 | 大学旁边

面试结果出来了吗？
{v}的面试很顺利，他们让我开春就去上班。
他们要我了！{v}，开春就去。
恭喜{n}，我就知道面试没问题。
{n}去哪里面试了？ | {n}什么时候去新单位上班？
博物馆 | 一家面包店 | 市图书馆 | 出版社

说说你家的狗吧，{n}！
我们从救助站领养了一只小狗，叫{v}，什么都咬。
叫{v}，救助站领的，家里没有一双鞋是完整的。
小狗都这样，我家那只小时候也咬鞋。
{n}的小狗叫什么名字？ | {n}的狗是从哪里来的？
豆包 | 年糕 | 花卷 | 栗子

这次去哪里露营了？
我们带孩子去{v}露营，看到了流星雨。
{v}，带着孩子，夜里头顶上全是流星。
流星雨！带孩子露营总是很热闹。
{n}去哪里露营了？ | {n}一家露营的时候看到了什么？
月亮湖 | 松林谷 | 北山 | 沙滩

你小提琴拉了多久了？
我小提琴拉了{v}，现在每天早上还练。
有{v}了，现在每天早上还在练。
真能坚持，音乐能让人安静下来。
{n}拉小提琴多久了？ | {n}会什么乐器？
九年 | 半年 | 二十年 | 四年

你膝盖的毛病好了吗？
医生说我的膝盖要做{v}的康复，不能跑步。
还没，医生说要做{v}的康复，这段时间不能跑。
不能跑步多难受啊，你多保重。
{n}的膝盖需要做什么？ | {n}因为膝盖不能做什么？
六周 | 两个月 | 十次 | 一个月

你的画展什么时候开？
我的画{v}在桥边的画廊展出。
{v}开，就在桥边的画廊，我好紧张！
我一定去！你的画值得让大家看到。
{n}的画什么时候展出？ | {n}的画在哪里展出？
下周五 | 六月十二号 | 十月 | 这个周末

语言班学得怎么样？
我{v}考试过了，现在点菜不用指着菜单了。
过了！{v}说得够点菜了，不用再指着菜单。
真厉害，学语言要很有耐心。
{n}在学什么语言？ | {n}考完试以后会做什么了？
法语 | 日语 | 西班牙语 | 韩语

你的车怎么了？
我的车{v}在去海边的路上抛锚了，叫了拖车。
{v}坏在去海边的半路上，最后拖车拖回来的。
真倒霉，我早就不开车改坐火车了。
{n}的车什么时候抛锚的？ | {n}的车抛锚的时候是要去哪里？
周六 | 昨晚 | 八月 | 三天前

你跟谁去的演唱会？
我跟{v}去看的演唱会，我们在雨里跳舞。
跟{v}，下着大雨，我们照样跳。
雨里跳舞，想想就开心！
谁跟{n}去看了演唱会？ | {n}看演唱会那天天气怎么样？
表姐 | 老同学 | 邻居大刘 | 同事小方

你为什么想当护士？
我想当护士，因为{v}住院的时候被照顾得特别好。
{v}住院的时候被照顾得特别好，我就知道自己想干什么了。
这个理由真好，你一定会是个好护士。
{n}为什么想当护士？ | {n}想做什么工作？
我爷爷 | 我弟弟 | 我最好的朋友 | 我姑姑
""")

CHATTER: Final = {
    "en": (
        "Hey {o}! So good to hear from you.", "Thanks, {o}, that means a lot to me!",
        "How have you been lately, {o}?", "I know exactly what you mean.",
        "Wow, that's amazing!", "Let's catch up again soon, take care!",
        "What about you, anything new?", "Yeah, definitely. It keeps me going.",
        "I was thinking about our talk yesterday and it really cheered me up.",
        "Family is everything to me, I'm so grateful for their support over the years.",
        "Have you got any plans for the weekend?", "Sounds great! Count me in.",
    ),
    "zh": (
        "{o}，好久没联系了！", "谢谢{o}，你这么说我真高兴。", "{o}最近怎么样？",
        "我太懂你的意思了。",
        "哇，太棒了！", "回头再聊，保重啊！", "你呢，有什么新鲜事？", "是啊，全靠这个撑着。",
        "昨天咱们聊完以后我心情好多了。", "家人对我来说最重要，这些年多亏了他们支持我。",
        "周末有什么安排吗？", "好啊，算我一个。",
    ),
}  # fmt: skip
NAMES: Final = {
    "en": ("Nora", "Emil", "Priya", "Owen", "Tessa", "Marek", "Ines", "Jonah"),
    "zh": ("苏晴", "林涛", "小敏", "阿杰", "周洁", "老韩", "陈露", "王磊"),
}
