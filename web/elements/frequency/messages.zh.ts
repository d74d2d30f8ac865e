// Chinese of <smp-frequency>: the source.
import type { Source } from "../../core/frequency.ts";
import { fault } from "../../i18n/messages.zh.ts";
import { id, list, nb, say, strong, v, type Part } from "../../i18n/rich.ts";
import type { Problem } from "../../ui/numbers.ts";
import type { Heights } from "../snippet.ts";
import type { PresetName } from "./presets.ts";
import { LIMITS, type FieldName } from "./state.ts";

const ids = (values: readonly number[]): Part => list(values.map(id), "、");
const grouped = (n: number): string => n.toLocaleString("zh");

const allowed = {
  logits: () => "可填 1–8 个数，各在 −100 到 100 之间",
  tau: () => "可填 0 或任意正数",
  k: (count: number) => (count === 1 ? "只能填 1" : `可填 1 到 ${count} 的整数`),
  draws: () => `可填 1 到 ${grouped(LIMITS.draws)} 的整数`,
  seed: () => "可填 0 到 2⁶⁴ − 1 的整数",
  taus: () => `可填 1–${LIMITS.taus} 个温度，不能为负`,
} satisfies Record<FieldName, (count: number) => string>;

/** How far a deviation is, in words. */
const deviates = (z: number): string => {
  const size = Math.abs(z);
  if (size < 0.25) return "几乎不差";
  if (size < 1) return "不到一个标准误，很常见";
  if (size < 2) return "一到两个标准误，也常见";
  return size < 3 ? "超过两个标准误，少见" : "超过三个标准误，很少见";
};

const sources: Record<Source, string> = {
  "torch-mkl": "torch，到 2.6",
  torch: "torch，现在",
  candle: "candle",
  "llama.cpp": "llama.cpp",
  "transformers.js": "transformers.js",
  own: "自带",
};

export const messages = {
  title: say`${nb("频率会靠近概率，")}${nb("多抽 100 倍才近 10 倍")}`,
  tasks: {
    record: "拖动竖线，看 230 次是怎样一次一次抽出来的。",
    today: "同一个种子，换成今天的 torch：227 次。哪里变了？",
    candle: "candle 抽一万次：7,349 和 2,651。差得多吗？",
    ten: "只抽 10 次，漏斗几乎占满整张图。",
    million: "一百万次：漏斗细成一线，离期望仍有几百次。",
    missing: "抽 10 次，ID 3 一次没来。看最下面：数组少了一格。",
    one: "先多抽一次再数：每一格都往前挪了一位。",
    three: "0.1、1、5 三个温度：哪条曲线先变平？",
    cold: "冷的时候，ID 0 的概率有多小？再看「升到 5」。",
    hot: "热了以后，ID 0 的概率是多少，实际抽到几次？",
  } satisfies Record<PresetName, string>,
  free: "改一个数，看漏斗和柱子怎样跟着变。",
  presets: {
    record: "教材记录",
    today: "今天的 torch",
    candle: "candle 记录",
    ten: "只抽 10 次",
    million: "一百万次",
    missing: "末尾没抽到",
    one: "先多抽一次",
    three: "三个温度",
    cold: "降到 0.5",
    hot: "升到 5",
  } satisfies Record<PresetName, string>,

  fields: {
    logits: say`${strong("logits")} ${v("z")}`,
    tau: say`${strong("温度")} ${v("τ")}`,
    k: say`${strong("top-k")} ${v("k")}`,
    draws: say`${strong("次数")} ${v("N")}`,
    seed: strong("种子"),
    taus: strong("温度列表"),
  } satisfies Record<FieldName, Part>,
  source: "生成器",
  sources,
  hints: {
    logits: "1–8 个数，空格或逗号隔开",
    seed: "0 到 2⁶⁴ − 1",
    taus: "最多 6 个，空格隔开，可以填 0",
  },
  sliders: {
    tau: "温度 τ，0 到 2",
    k: (count: number) => `top-k，1 到 ${count}`,
    draws: `次数 N，1 到 ${grouped(LIMITS.draws)}`,
    line: (n: number) => `竖线，第 1 到 ${grouped(n)} 次`,
    tauOf: (index: number) => `第 ${index} 个温度`,
  },
  problem: (name: FieldName, problem: Problem, count: number): string => `${fault(problem)}；${allowed[name](count)}。`,
  results: {
    count: (count: number): Part => `${count} 个候选。`,
    top: (best: readonly number[]): Part => say`过滤前 ${ids(best)} 概率最大。`,
    greedy: "贪心：每次都取最高分。",
    keeps: (kept: readonly number[]): Part => say`留下 ${ids(kept)}。`,
    expects: (which: number, expected: string): Part => say`${id(which)} 期望 ${nb(expected)} 次。`,
    takes: { nothing: "不用随机数。", race: "每个候选各取一个随机数，比值最大的胜出。", u: "每抽一次，用一个 u。" },
    refused: (name: string): Part => say`${name} 不接受这个种子。`,
  },
  replacement: "一次调用，放回抽完（replacement=True）",

  figure: {
    label: "频率随次数的变化，以及竖线处的次数",
    heading: (n: string, which: number, count: string, expected: string): Part =>
      say`抽 ${nb(n, " 次")}：${id(which)} 得 ${nb(count)}，期望 ${nb(expected)}`,
    always: (n: string, which: number): Part => say`抽 ${nb(n, " 次")}：每次都是 ${id(which)}`,
    rare: (z: number): string => (Math.abs(z) > 3 ? "，很少见" : Math.abs(z) > 2 ? "，少见" : ""),
    funnel: "漏斗",
    law: "次数 × 100，漏斗 ÷ 10",
    key: ["折线：抽到第 n 次的频率", "漏斗：概率 ± 2 个标准误", "柱：竖线处的次数，误差棒与漏斗在该处同宽"],
    bars: (parts: readonly string[]): string => `次数：${parts.join("，")}`,
    bar: (which: number, count: string): string => `ID ${which} ${count} 次`,
    walk: (which: number, share: string, n: string): string => `ID ${which} 在第 ${n} 次的频率 ${share}`,
    progress: (done: string, all: string): string => `已抽 ${done}，共 ${all}`,
    cancel: "停",
    go: "抽完",
  },
  rounds: {
    seeded: "每轮重新播种",
    again: (n: string): string => `再抽 ${n} 次`,
    told: (which: number, counts: readonly string[]): Part =>
      say`各轮 ${id(which)}：${nb(counts.slice(-12).join("、"))}${counts.every(count => count === counts[0]) ? "，同一个种子，同样的次数。" : "。"}`,
  },
  table: {
    name: "表",
    caption: (n: string): string => `抽到第 ${n} 次。概率是过滤后的；标准误是次数通常起伏的幅度。`,
    heads: ["候选", "抽到", "期望 Np", "相差", "标准误", "差几个标准误 z"],
    removed: "移除，一次也不会有",
    total: "合计",
  },
  decades: {
    caption: (which: number): Part => say`同一串随机数一直抽下去，看 ${id(which)}。`,
    heads: ["次数", "抽到", "频率", "减去 p", "漏斗 ±"],
  },
  notes: {
    far: "差得多吗",
    by: (which: number, more: boolean, off: string, z: number): Part =>
      say`${id(which)} 比期望${more ? "多" : "少"} ${nb(off, " 次")}，${deviates(z)}。`,
    chi: (chi: string, degrees: number, among: string): string =>
      `卡方 ${chi}，自由度 ${degrees}：把这么多次抽样重复一千遍，约 ${among} 遍偏差更大。`,
    few: "有候选的期望次数 Np 不到 5，卡方检验的 p 值不可靠。",
    single: "只有一个候选，没有偏差可言。",
    generators: "换一个生成器",
    same: (which: number): Part => say`同一个种子，各生成器抽到 ${id(which)} 的次数不同；多半都在 ± 2 个标准误里。`,
    slow: "慢在哪里",
    why: say`频率的标准误是 ${nb("√(p(1 − p)/n)")}，次数在根号里：${v("n")} 乘 100，漏斗窄到十分之一。频率不会从此停在概率上。`,
  },

  curves: {
    heading: "升温，概率变平，熵变大",
    name: "图",
    caption: "过滤前的概率和熵，共用一根温度轴。竖线可以拖，温度也可以写进列表。",
    words: (which: number, low: string, high: string): string => `ID ${which}：最冷 ${low}，最热 ${high}`,
    entropy: "熵",
    nats: "熵（nat）",
    bits: "熵（bit）",
    pair: ["比的前项", "比的后项"],
    only: "只取决于 logit 之差和温度，与别的候选、与 k 都无关。",
    ends: "两端",
    end: (count: number): Part =>
      say`${v("τ")} = 0 时只取最高分，熵为 0。${v("τ")} 趋于无穷时 ${String(count)} 个平分，熵为 ln ${String(count)}。`,
  },

  arrays: {
    heading: "计数少一格；先多抽一次，全都挪一位",
    lead: (count: number, draws: string): Part =>
      say`${strong("bincount")} 只数到抽到过的最大 ID。这里 ${String(count)} 个候选，抽 ${nb(draws, " 次")}：`,
    places: (count: number): string => `${count} 格`,
    lost: "缺",
    missing: (which: number, p: string, expected: string): Part =>
      say`${id(which)} 的概率是 ${nb(p)}，期望 ${nb(expected)} 次，没抽到很平常。写上 minlength 才不少格。`,
    whole: "最大的 ID 抽到过，写不写 minlength 都一样。",
    removed: (which: number): Part => say`${id(which)} 已移除，不写 minlength 就没有它的格。`,
    before: "先多抽一次",
    plain: (n: number): string => `直接抽：第 1 次到第 ${n} 次`,
    shifted: (n: number): string => `先多抽一次，再从第 1 次数起：都挪前一位，到第 ${n} 次`,
    moved: (out: number, into: number): Part =>
      out === into
        ? say`第 1 个挪出去了，末尾补进一个。两个都是 ${id(out)}，次数没变，只是碰巧。`
        : say`挪出去的是 ${id(out)}，补进来的是 ${id(into)}：一个少 1，一个多 1。`,
    race: "这个生成器一次抽完，先抽的那一次另用随机数，后面都变了。",
  },

  throws: {
    heading: "一次一次地投",
    lead: "投一次，用掉一个 u：落进哪一段，就抽到哪个候选。",
    race: "这里没有 u：每个候选用自己的概率除以一个随机数 E，商最大的胜出。",
    press: ["投 1 次", "投 10 次", "投 100 次"],
    all: "投到第 N 次",
    again: "清空",
    latest: (u: string, which: number): Part => say`${nb(v("u"), ` = ${u}`)}，落在 ${id(which)}。`,
    won: (which: number): Part => say`${id(which)} 胜出。`,
    thrown: (n: string, parts: readonly string[]): string => `投了 ${n} 次：${parts.join("，")}`,
    ruler: "u 的尺，0 到 1，每段宽是候选的概率",
    ratio: "p / E",
  },
  closing:
    "随机数由这里的核心照各个库的算法重演，同一个种子得到同样的串；没有运行模型。频率只估计这一组设置下的概率，不说明模型好坏。",
  csv: ["id", "logit", "概率", "抽到", "期望", "z"],
};

export type FrequencyMessages = typeof messages;

/** Measured in the first state. */
export const heights: Heights = [
  [280, 5134],
  [288, 5069],
  [336, 5052],
  [384, 4840],
  [472, 4674],
  [480, 4442],
  [552, 4330],
  [560, 4034],
  [568, 4016],
  [752, 3966],
  [760, 3824],
  [952, 3763],
  [960, 2764],
  [1000, 2696],
  [1200, 2696],
];
