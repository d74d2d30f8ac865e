// Chinese of <smp-sampling>: the source.
import { fault } from "../../i18n/messages.zh.ts";
import { id, list, named, nb, say, strong, v, type Part } from "../../i18n/rich.ts";
import type { Problem } from "../../ui/numbers.ts";
import type { Heights } from "../snippet.ts";
import type { PresetName } from "./presets.ts";
import { rules } from "./rules.zh.ts";
import type { FieldName } from "./state.ts";

const ids = (values: readonly number[]): Part => list(values.map(id), "、");
const names = (values: readonly number[]): Part => list(values.map(named), "、");
const equals = (name: string, value: string): Part => nb(v(name), ` = ${value}`);

const allowed = {
  logits: (_: number, most: number) => `可填 1–${most} 个数，各在 −100 到 100 之间；数前可以写词，如 the: 3.2`,
  tau: () => "可填 0 或任意正数",
  k: (count: number) => (count === 1 ? "只能填 1" : `可填 1 到 ${count} 的整数`),
  top_p: () => "可填 0 到 1",
  min_p: () => "可填 0 到 1",
  u: () => "可填 0 到 1，不含 1",
} satisfies Record<FieldName, (count: number, most: number) => string>;

export const messages = {
  title: say`给定 ${v("u")}，${nb("下一个 token 就定了")}`,
  tasks: {
    chapter: "拖动地图里的圆点，找出选 ID 3 与选 ID 2 的分界线。",
    tie: "两个 2 并列第二。换一种并列规则，看留下几个。",
    greedy: "两个 1 并列最高，贪心只取 ID 小的。再看旁边的 τ = 0.01。",
    nearZero: "τ 很小，但不是 0：并列的两个各占一半，u 说了算。",
    real: "真实模型给第一个 token 打分，这是前八名。升温，看 The 让出多少概率。",
    hot: "τ = 2，四个候选拉近了，但先后没变。",
    cold: "τ = 0.2，最高分几乎独占，其余仍大于 0。",
    shift: "每个 logit 都加 50，概率一个也没变：只有 logit 之差起作用。",
    single: "k = 1 也可能留下两个：同分的都留时，并列第一的两个各占一半。",
    three: "三个候选，全留下。拖动圆点，看三块区域怎样分。",
    five: "五个候选，全留下。降温，看谁最先消失。",
    extremes: "三个概率都大于 0，后两个却小得占不到位置：哪个 u 都选不中。",
    close: "真实模型的前四名，前两名只差 0.0104。换成 float64 再看选中谁。",
  } satisfies Record<PresetName, string>,
  free: "改一个数，看哪几句话跟着变。",
  presets: {
    chapter: "教材例题",
    tie: "并列",
    greedy: "贪心并列",
    nearZero: "τ = 0.01",
    real: "真实候选",
    hot: "高温",
    cold: "低温",
    shift: "整体加 50",
    single: "k = 1 并列",
    three: "三个候选",
    five: "五个候选",
    extremes: "两端悬殊",
    close: "只差一点",
  } satisfies Record<PresetName, string>,

  fields: {
    logits: say`${strong("logits")} ${v("z")}`,
    tau: say`${strong("温度")} ${v("τ")}`,
    k: say`${strong("top-k")} ${v("k")}`,
    top_p: say`${strong("top-p")} ${v("p")}`,
    min_p: say`${strong("min-p")} ${v("m")}`,
    u: say`${strong("落点")} ${v("u")}`,
  } satisfies Record<FieldName, Part>,
  logitsHint: "1–8 个数，−100 到 100，如 0 1 2 或 the: 3, a: 2",
  sliders: {
    tau: "温度 τ，0 到 2",
    k: (count: number) => `top-k，1 到 ${count}`,
    top_p: "top-p，0 到 1",
    min_p: "min-p，0 到 1",
    ruler: "u，在尺上移动",
    logit: (value: number) => say`${named(value)} 的 logit`,
  },
  moved: "在图里的尺上拖动，或拖动地图里的圆点",
  problem: (field: FieldName, problem: Problem, count: number, most = 8) =>
    `${fault(problem)}。${allowed[field](count, most)}。`,
  best: (count: number, top: readonly number[]) =>
    say`${String(count)} 个候选，${ids(top)} ${top.length > 1 ? "并列最高" : "分数最高"}。`,
  likeliest: (top: readonly number[], p: string) =>
    top.length > 1
      ? say`过滤前 ${ids(top)} 概率并列最大，各为 ${nb(p)}。`
      : say`过滤前 ${ids(top)} 概率最大，为 ${nb(p)}。`,
  noProbability: say`${equals("τ", "0")}：不算概率，直接取最高分。`,
  keeps: (kept: readonly number[], mass: string) => say`留下 ${ids(kept)}，过滤前合计 ${nb(mass)}。`,
  keepsAll: (count: number) => `${count} 个全留下，没有过滤。`,
  noFilter: say`贪心不过滤，${v("k")} 合法即可。`,
  chooses: (chosen: number, q: string, range: string) => say`选中 ${id(chosen)}，概率 ${nb(q)}，区间 ${nb(range)}。`,
  choosesGreedy: (chosen: number) => say`选中 ${id(chosen)}，贪心不看 ${v("u")}。`,
  choosesNone: say`${v("u")} 落进空档，谁也没选中。`,
  dtype: {
    label: "logits 的数值格式",
    merged: (dtype: string, same: readonly number[]): Part => say`${dtype} 分不出这点差别：${names(same)} 变成并列。`,
    changed: (dtype: string, count: number): Part =>
      count ? `${dtype}：${count} 个数被舍入，没有新的并列。` : `${dtype}：每个数都能精确表示，没有变化。`,
  },
  quiz: {
    question: (u: string): Part => say`${equals("u", u)} 会选中谁？`,
    answer: (right: boolean, u: string, chosen: number, why: string) =>
      say`${right ? "猜对了" : "不对"}：${equals("u", u)} 选中 ${id(chosen)}，因为 ${nb(why)}。`,
  },
  steps: {
    label: "计算步骤",
    names: ["读入", "缩放", "算概率", say`留 ${v("k")} 个`, "重新归一化", say`放 ${v("u")}`] as readonly Part[],
    read: (count: number) => `读入 ${count} 个 logits。它们是分数，不是概率。`,
    score: (max: string, tau: string) =>
      say`每个 logit 减去最大值 ${max}，再除以 ${equals("τ", tau)}，得缩放分数；最高的为 0。`,
    probability: (sum: string) => say`以 ${v("e")} 为底、缩放分数为指数求幂，各除以总和 ${nb(sum)}，合计 1。`,
    keep: (kept: readonly number[], removed: readonly number[]) =>
      removed.length
        ? say`按 logit 从高到低，留下 ${names(kept)}，移除 ${names(removed)}。`
        : say`${v("k")} 等于候选数，一个也不移除。`,
    renormalise: (mass: string) => say`留下的合计 ${nb(mass)}，各除以它，合计又是 1。`,
    zeroed: (mass: string) => say`跳过重新归一化：移除的变成 0，合计只有 ${nb(mass)}。`,
    place: (kept: readonly number[], u: string, chosen: number) =>
      say`把 ${names(kept)} 的概率从 0 起依次铺开，${equals("u", u)} 落在 ${named(chosen)} 那一段，就选 ${named(chosen)}。`,
    gap: (u: string) => say`${equals("u", u)} 落在所有区间之外，谁也没选中。`,
    greedy: [
      "",
      say`${equals("τ", "0")} 是另一条规则：不除以 0，也不缩放。`,
      "贪心不需要概率。",
      say`贪心不过滤，${v("k")} 合法即可。`,
      "没有概率，也就无须重新归一化。",
    ] as readonly Part[],
    greedyName: "取最高",
    greedyChoice: (max: string, chosen: number, tied: boolean) =>
      tied
        ? say`最大的 logit 是 ${max}，不止一个；取 ID 最小的，就选 ${named(chosen)}。`
        : say`最大的 logit 是 ${max}，就选 ${named(chosen)}。`,
  },
  table: {
    name: "表",
    caption: "由公式算出的概率，不是抽样频率。显示六位小数，判断用未舍入的值。",
    candidate: "候选",
    score: "缩放后",
    before: say`过滤前 ${v("p")}`,
    after: say`过滤后 ${v("q")}`,
    interval: "区间",
    state: "状态",
    total: "合计",
    pending: "待算",
    undefined: "不算",
    kept: "留下",
    removed: "移除",
    chosen: "选中",
    /** Room for the longest of these. */
    stateWidth: "58px",
    notOne: (sum: string) => `${sum}，不是 1`,
  },
  work: {
    title: (lit: number) => say`${id(lit)} 的每个数从哪来`,
    score: "② 缩放",
    before: "③ 过滤前",
    after: "⑤ 过滤后",
    from: "⑥ 起点",
    removed: "已移除，没有区间。",
    zeroed: "没有重新归一化，仍是过滤前的值。",
    greedy: (max: string) => say`${equals("τ", "0")}：取最大的 logit ${max}，不算别的。`,
    sum: (sum: string, count: number) => say`分母 ${nb(sum)} 是 ${String(count)} 个候选的 exp(缩放分数) 之和。`,
    hint: "点别的 ID，这里换成它的算式。",
  },
  figure: {
    name: "图",
    caption: say`${v("u")} 尺和温度地图，共用一根 ${v("u")} 轴`,
    before: "过滤前",
    after: "过滤后",
    segments: (which: string, parts: readonly Part[]) => say`${which}：${list(parts, "，")}`,
    segment: (value: number, text: string) => say`${named(value)} ${text}`,
    gap: "空",
    gapFrom: (sum: string) => `${sum} 起为空档`,
    greedy: say`贪心：${v("u")} 不起作用`,
  },
  map: {
    label: "温度地图：横轴 u，纵轴 τ",
    words: (order: readonly number[], top: readonly number[], tau: number): Part =>
      say`从 u = 0 起依次选 ${names(order)}。τ 趋近 0 时，${names(top)} ${top.length > 1 ? "平分" : "占满"}；τ 趋于无穷时，留下的平分。${tau === 0 ? "现在 τ = 0，在地图之外。" : ""}`,
    chooses: (value: number): Part => say`选 ${named(value)}`,
    none: "谁也选不中",
    point: (tau: string, u: string, result: string) => `τ ${tau}，u ${u}。${result}方向键移动。`,
  },
  notes: {
    label: "读图",
    read: "怎么读",
    reading: (tau: string) =>
      say`尺就是地图里 ${equals("τ", tau)} 那一行。降温，最高分占得更宽；升温，留下的候选趋向平分。`,
    readingGreedy: say`${equals("τ", "0")} 时没有概率，尺上没有区间。`,
    gone: "移除的候选",
    removed: (removed: readonly number[], mass: string) =>
      say`${names(removed)} 在过滤前占 ${nb(mass)}，过滤后没有位置，任何 ${v("u")} 都选不中。`,
    noneRemoved: "一个也没有移除。",
    mistake: "常见错误",
    mistakeSwitch: "只把移除项置零，不重新归一化",
    mistakeOff: "打开看看尺上会缺什么。",
    mistakeOn: (sum: string) => say`合计只有 ${nb(sum)}。更大的 ${v("u")} 落进空档，谁也选不中。`,
    ties: "并列",
    tieNone: say`第 ${v("k")} 名没有并列，两种规则留下的一样。`,
    tieDiffer: say`第 ${v("k")} 名有并列，两种规则留下的不同。`,
    tieRules: { strict: say`恰好 ${v("k")} 个，ID 小的先留`, threshold: say`与第 ${v("k")} 名同分的都留` },
    tieKeeps: (kept: readonly number[]) => `留下 ${kept.join("、")}`,
    zero: "τ = 0 与很小的 τ",
    zeroText: say`${equals("τ", "0")} 只取并列最高里 ID 最小的；${v("τ")} 趋近 0 时，并列最高的平分。`,
    limits: "数值边界",
    limitsText: say`logit 先减最大值，${v("τ")} 再小也不溢出；太小的概率在累加时会被舍去，${v("u")} 选不中它。`,
    sources: {
      real: "SmolLM2-135M 在“Write one sentence about the sea.”之后的前八名，概率只在这八个之间算。",
      close: "SmolLM2-135M 同一次回答里第六个 token 的前四名，按真实 ID 排，概率只在这四个之间算。",
    },
  },
  rules,
  closing: "这里没有运行模型，也没有抽随机数；ID 不对应真实词表。top-p、EOS、上下文和多步生成不在这个实验里。",
};

export type SamplingMessages = typeof messages;

/** Measured in this language. */
export const heights: Heights = [
  [280, 3465],
  [312, 3411],
  [320, 3258],
  [344, 3231],
  [360, 3067],
  [552, 2896],
  [560, 2518],
  [736, 2374],
  [752, 2334],
  [760, 2200],
  [952, 2178],
  [960, 2050],
  [1072, 2050],
  [1080, 1632],
  [1200, 1632],
];
