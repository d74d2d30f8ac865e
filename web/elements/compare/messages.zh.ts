// Chinese of <smp-compare>: the source. It travels only with the script that holds the engines.
import type { Heights } from "../snippet.ts";
import type { PresetName } from "./presets.ts";
import type { Rule } from "../../compare/explain.ts";
import type { SettingName } from "../../compare/config.ts";
import type { FieldName, Problem } from "./state.ts";
import { nb, say, strong, v, type Part } from "../../i18n/rich.ts";
import { fileProblem } from "../../files/messages.zh.ts";
import { fault } from "../../i18n/messages.zh.ts";

const allowed: Readonly<Record<FieldName, string>> = {
  logits: "可填 2–64 个数，各在 −1000 到 1000 之间",
  temperature: "可填任意数，或留空",
  top_k: "可填 −2147483648 到 2147483647 的整数，或留空",
  top_p: "可填任意数，或留空",
  min_p: "可填任意数，或留空",
  repetition_penalty: "可填任意数，或留空",
  repeat_last_n: "可填 0 到 4294967295 的整数，0 为全部（llama.cpp、exllamav2 为不看），或留空",
  context: "可填至多 128 个候选的 ID，或留空",
  seed: "可填 0 到 18446744073709551615 的整数",
};

function wrong(problem: Problem): string {
  switch (problem.kind) {
    case "tooFew":
      return `只有 ${problem.found} 个数，比不出什么`;
    case "notAnId":
      return `${problem.text} 不是候选的 ID，ID 从 0 到 ${problem.count - 1}`;
    default:
      return fault(problem);
  }
}

/** A name in running text: a space beside it where it is Latin. */
const spaced = (name: string, after = ""): string => (/^[a-z]/.test(name) ? ` ${name}${after}` : name);

const boundaries: Readonly<Record<string, string>> = {
  BOUNDARY_BELOW: "前面累计 <\u00a0p 就留",
  BOUNDARY_ASCENDING: "从小往大加，和 ≤\u00a01\u00a0−\u00a0p 就删",
  BOUNDARY_OPEN: "从小往大加，和 <\u00a01\u00a0−\u00a0p 就删",
  BOUNDARY_AT_MOST: "前面累计 ≤\u00a0p 就留",
  BOUNDARY_EQUALS: "更大者累计 <\u00a0p 就留，同分一起",
  BOUNDARY_HEAP: "用堆，总和超过 p 就删最小的",
  BOUNDARY_NONE: "没有 top-p",
};

export const messages = {
  title: say`同一组 logits，${nb("换一个库，留下的就不同")}`,
  tasks: {
    measure: "先取前 2 名，再取 top-p。重新归一化早一步还是晚一步，留下的就差一个。",
    order: "温度在前还是在后，top-p 看到的概率不一样。",
    tie: "两个 2 并列第二，k 却是 2。看谁多留一个。",
    boundary: "前两名合计正好是 0.75。碰线时停不停？",
    minP: "温度先把概率拉平，min-p 就删不掉什么；反过来，会删掉一半。",
    defaults: "只写了温度，别的都没写。有的库自己加了 top-k。",
    minPFirst: "top-p 与 min-p 谁先谁后，也会差一个。",
    penalty: "出现过的 token 要受罚。有一个库没有这一项，设了也不起作用。",
    stream: "留下的一样，概率也一样，种子还一样。抽出来的却不同。",
    zero: "温度 0：有的当作贪心，有的拒绝，原话在这里。",
    mix: "三种过滤一起用。六个库给出三种结果。",
  } satisfies Record<PresetName, string>,
  free: "改一个数，看是谁先变。",
  presets: {
    measure: "归一化先后",
    order: "温度先后",
    tie: "并列",
    boundary: "碰线",
    minP: "min-p",
    defaults: "默认值",
    minPFirst: "min-p 先后",
    penalty: "重复惩罚",
    stream: "同种子",
    zero: "温度 0",
    mix: "一起用",
  } satisfies Record<PresetName, string>,

  fields: {
    logits: say`${strong("logits")} ${v("z")}`,
    temperature: strong("温度"),
    top_k: strong("top-k"),
    top_p: strong("top-p"),
    min_p: strong("min-p"),
    repetition_penalty: strong("重复惩罚"),
    repeat_last_n: strong("惩罚窗口"),
    context: say`${strong("上下文")} 已有的 ID，从旧到新`,
    seed: strong("种子"),
  } satisfies Record<FieldName, Part>,
  /** In sentences; no line ends at a hyphen. */
  names: {
    temperature: "温度",
    top_k: "top-\u2060k",
    top_p: "top-\u2060p",
    min_p: "min-\u2060p",
    repetition_penalty: "重复惩罚",
    repeat_last_n: "惩罚窗口",
  } satisfies Record<SettingName, string>,
  /** Of a slider that rests on a default. */
  unset: "未设，停在默认值",
  slider: (name: string) => `滑块：${name}`,
  count: (count: number) => `${count} 个候选，ID 从 0 到 ${count - 1}。`,
  logitsHint: "2–64 个数，空格或逗号隔开",
  defaults: (groups: readonly (readonly [names: string, value: string])[]) =>
    `留空时：${groups.map(([names, value]) => `${names} ${value}`).join("；")}。`,
  value: (name: SettingName, value: number | null): string =>
    name === "repeat_last_n" && !value
      ? "全看"
      : value === null
        ? "不用"
        : name === "temperature" && value === 0
          ? "贪心"
          : name === "top_k"
            ? `前 ${value}`
            : String(value),
  noSuch: "没有这一项",
  lacking: (names: readonly string[]) => `${names.join("、")} 没有这一项，填了也不起作用。`,
  allHave: "选中的库都有这一项。",
  contextOf: (count: number, used: boolean) =>
    count === 0 ? "没有上下文，重复惩罚不起作用。" : used ? `${count} 个 ID。` : `${count} 个 ID。没有惩罚，不起作用。`,
  problem: (field: FieldName, problem: Problem) => `${wrong(problem)}。${allowed[field]}。`,

  source: {
    label: "logits 从哪来",
    typed: "手填",
    file: "选文件",
    hint: (endings: readonly string[]) => `也可以拖一个文件到这里：${endings.join("、")}。只在本页读，不上传。`,
    missing: (name: string) => `没有“${name}”这个位置，先用手填的。它在 sampling-lab-logits.js 里。`,
    come: (name: string, count: number) => `已载入 ${name}，${count} 个 logit。`,
    wrong: (name: string) => `${name}：`,
    problem: fileProblem,
    position: (title: string, count: number) => `SmolLM2-135M 的真实 logits，“${title}”：${count} 个。`,
    context: "上文",
    loaded: (name: string, dtype: string, shape: readonly number[], count: number) =>
      `${name}：${dtype}，形状 (${shape.join(", ")})，取 ${count} 个。`,
    most: (value: string, id: number, piece: string) => `最大 ${value}，在 ID ${id}${piece && `“${piece}”`}。`,
    rounded: (count: number) => `其中 ${count} 个舍入成了 float32。`,
    tensor: "张量",
    row: (rows: number) => `行，0 到 ${rows - 1}`,
    save: "存这一行为 .f32",
    told: "行长，设置已换成温度 0.7、top-k 40、top-p 0.9，其余清空；点“手填”就还原。",
    noLink: "链接里没有这个文件，只有设置。",
  },

  engines: "要比较的库",
  noEngine: (found: string, known: readonly string[]) => `没有“${found}”这个库。可填 ${known.join("、")}。`,
  fewEngines: "至少选两个库。",
  how: { ran: "已运行核对", read: "仅据源码" } as Readonly<Record<string, string>>,
  checked: (how: string, version: string) => `${how}，${version}`,
  refusals: "不给结果的库",
  says: (name: string) => `${name} 拒绝，原话：`,
  closed: (name: string, setting: string) => `${name}：${setting} 取这个值，这里不演算。`,

  matrix: {
    name: "距离",
    table: "TV 距离表",
    caption: "两两之间的 TV 距离：差的绝对值之和的一半，0 为相同，1 为毫无重叠。选一格，细看这一对。",
    cell: (first: string, second: string, tv: string) => `${first} 与 ${second}，TV ${tv}`,
    none: "无",
    waits: "正在算",
  },
  pair: {
    title: (first: string, second: string) => `${first} 与 ${second}`,
    first: "第一个库",
    second: "第二个库",
    kept: "留下",
    keptOf: (first: string, mine: number, second: string, its: number) => `${first} ${mine} 个，${second} ${its} 个`,
    most: "概率差最大",
    mostAt: (difference: string, id: number): Part => say`${difference}，在 ID ${String(id)}`,
    only: (name: string) => `只有 ${name} 留`,
    mass: (mass: string) => `合计 ${mass}`,
    more: (count: number) => `等 ${count} 个`,
    nobody: "没有",
    rounding: "由舍入决定",
    roundingYes: "是：截断处离阈值不到 4 ulp，换一台机器可能不同",
    roundingNo: "不是",
  },
  why: {
    label: "为什么",
    pending: "正在逐项比较。",
    same: "两个库留下的一样，概率只差舍入。",
    refused: "有一个库不给结果，无从比较。",
    unknown: "逐项单加时两个库都一样，合起来才不同；从规则表里看不出是哪一条。",
    absent: (name: string, setting: string) => `${name} 没有${spaced(setting)}，另一个库照做。`,
    default: (setting: string, first: string, mine: string, second: string, its: string) =>
      `没有写${spaced(setting)}，两个库各用默认值：${first} ${mine}，${second} ${its}。`,
    bites: (setting: string, tv: string, ids: string) =>
      `加到${spaced(setting, " ")}这一项才分开，TV ${tv}${ids ? `，差在 ${ids}` : ""}。`,
    rule: (names: readonly string[], tested: boolean) =>
      tested || names.length === 1 ? `${names.join("；")}。` : `有几处不同，分不出是哪一处：${names.join("；")}。`,
    none: (setting: string) => `两个库处理${spaced(setting, " ")}的算法不同，规则表里没有对应的一栏。`,
    detail: {
      order: (name: string, temperatureFirst: boolean) => `${name} ${temperatureFirst ? "先温度" : "先过滤"}`,
      measure: (name: string, within: boolean) =>
        `${name} ${within ? "先在 top-k 留下的候选里重新归一化再累计" : "按原概率累计"}`,
      minP: (name: string, minPFirst: boolean) => `${name} ${minPFirst ? "先 min-p" : "先 top-p"}`,
      tie: (name: string, all: boolean) => `${name} ${all ? "同分都留" : "恰好 k 个"}`,
      equals: (name: string) => `${name} 在同分里按自己的次序挑`,
      boundary: (name: string, boundary: string) => `${name} ${boundaries[boundary] ?? boundary}`,
      window: (name: string, last: number) => `${name} ${last ? `看最后 ${last} 个` : "看全部"}`,
      smallT: (name: string, least: number, greedyBelow: number) =>
        `${name} ${greedyBelow > 1e-300 ? `低于 ${greedyBelow} 当贪心` : least ? `低于 ${least} 抬到 ${least}` : "照算"}`,
    } satisfies Record<Rule, unknown>,
    ids: (ids: readonly number[]) => `ID\u00a0${ids.join("、")}`,
  },
  ladder: {
    name: "逐项加上",
    caption: "从什么都不设开始，一次多加一项，看从哪一项起分开。",
    setting: "多加",
    kept: (name: string) => `${name} 留`,
    apart: "分开",
    refused: "拒绝",
  },
  tokens: {
    name: "截断处附近",
    caption: "按 logit 从高到低。概率是各库抽样时用的，已重新归一化。",
    id: "候选",
    logit: "logit",
    who: "谁留",
    both: "都留",
    none: "都不留",
    only: (name: string) => `只有 ${name}`,
    above: (count: number) => `前面还有 ${count} 个，两个库都留。`,
    below: (count: number) => `后面还有 ${count} 个，两个库都不留。`,
    others: (count: number) => `另有 ${count} 个没有列出。`,
  },
  cut: {
    name: (setting: string) => `${setting} 这一步的数`,
    caption:
      "各库拿来比较的数，按它自己的浮点算法。相差以阈值处的 ulp 计，就是相邻浮点数的间距；4 ulp 以内，换一种算法就可能变，标作“舍入”。",
    kinds: {
      logit: "logit",
      p: "概率",
      "sum-before": "从大到小、排在它前面的累计",
      "sum-from-below": "从小到大、含它在内的累计",
    } as Readonly<Record<string, string>>,
    compares: (name: string, what: string, threshold: string) => `${name} 比的是${spaced(what)}，阈值 ${threshold}`,
    nothing: (name: string, setting: string) => `${name}：没有比${spaced(setting)}，或者没有单独一个数可比`,
    ulps: (count: string) => `差 ${count} ulp`,
    stays: "留",
    goes: "删",
    gone: "早已删去",
    rounding: "舍入",
  },
  stages: {
    logits: "先看 logits",
    distributions: "再看分布",
    greedy: "然后看贪心",
    random: "最后才看抽出来的",
    equal: "同一行，施加惩罚后也逐位相同。",
    unequal: (ids: readonly number[]) =>
      `施加惩罚后不同：ID\u00a0${ids.slice(0, 8).join("、")}${ids.length > 8 ? ` 等 ${ids.length} 个` : ""}。`,
    noLogits: "有一个库不收这个惩罚。",
    both: "只取最大的，两个库都选",
    apart: "：只取最大的也不一样。",
    noGreedy: "有一个库不给结果。",
  },
  tools: "移植",
  migrate: {
    title: "改哪里，两个库才一样",
    heading: (from: string, to: string) => `让 ${to} 照 ${from} 做`,
    settings: "改设置就够了。",
    steps: "光改设置不够，抽样步骤要重组。",
    fell: (before: string, after: string) => `TV 从 ${before} 降到 ${after}。`,
    agree: (tried: number) => `另有 ${tried} 组短 logits，也都一样。`,
    equals: (row: string) => `有并列时仍可能不同，例如 ${row}。`,
    differs: (row: string) => `换一组仍会不同，例如 ${row}。`,
    settingsAre: (settings: string) => `设成：${settings || "都关掉"}。`,
    lacks: (name: string, setting: string) => `做不到：${name} 没有${spaced(setting)}，步骤也不能自己拼。`,
    none: (why: string) => `做不到，改哪项设置都一样。${why}`,
  },
  hunt: {
    title: "找最小的反例",
    hint: (most: number) => `用现在的设置，从最短最简单的试起，至多 ${most} 个 logits。`,
    start: "开始找",
    tried: (count: string) => `试了 ${count} 组。`,
    found: (row: string, count: string) => `在 ${row} 上两个库不同。试了 ${count} 组。`,
    none: (count: string) => `试了 ${count} 组，没有一组不同。`,
    nothing: "这样设置，有一个库总不给结果，没有可比的。",
    take: "填进 logits",
  },
  document: {
    title: "与一篇文章量得的数对照",
    caption:
      "左边一列是一篇文章在自己的 logits 上量的；右边用同样的设置，算的是上面这一行。logits 不同，数就不同，规则是同一条。",
    theirs: "文章",
    ours: "这里",
    kept: "温度 0.7，top-k 40，top-p 0.9：transformers / candle 留",
    tv: "这时的 TV",
    outside: "candle 落在 transformers 留的以外",
    bare: "只写温度 0.7，TV",
    changed: "惩罚 1.3：看全部 / 只看最后 64 个，改动的 logits",
    most: "这两种最多差",
  },
  streams: {
    label: "同一个种子",
    name: "前 20 个 token",
    caption: (seed: string) => `种子 ${seed}，各用自己的生成器。`,
    engine: "库",
    ids: "抽到的 ID",
    words: "用掉的随机数",
    seedHint: "0 到 2⁶⁴ − 1",
    seedTaken: "各库用同一个种子。",
    not: (names: readonly string[]) => `${names.join("、")} 的抽样不在这里重演。`,
    refused: (allowed: string) => `不收这个种子。可填：${allowed}`,
    why: (parts: readonly string[]) => `种子一样，token 不一样：${parts.join("；")}。`,
    uses: (name: string, generator: string, each: string) =>
      `${name} 用 ${generator}，每个 token 用 ${each} 个 32 位随机数`,
    empty: "选中的库里，没有能重演抽样的。",
    pending: "正在抽。",
  },
  draws: {
    label: "抽 100,000 次",
    engine: "用哪个库抽",
    start: "开始抽",
    cancel: "停下",
    progress: (done: string) => `已抽 ${done}`,
    name: "频率与概率",
    caption: "标准误是频率该有的起伏；差在两三个标准误以内，就与概率相符。",
    id: "候选",
    count: "次数",
    frequency: "频率",
    p: "概率",
    error: "标准误",
    rest: (count: number) => `其余 ${count} 个`,
    outside: (count: string, share: string, other: string) =>
      `其中 ${count} 次（${share}）抽到 ${other} 根本不留的 token。`,
    inside: (other: string) => `抽到的 token，${other} 都留。`,
    done: (name: string) => `${name} 抽完了。`,
    idle: "改任何一项，正在抽的就作废。",
    none: "这一对里没有能重演抽样的库。",
  },
  sources: {
    label: "依据",
    line: (name: string, how: string, version: string, date: string, source: string) =>
      `${name}：${how}，${version}，${date}。${source}`,
  },
  vector: "存为测试向量",
  closing:
    "这里没有运行这些库，规则由同一个核心照做。“已运行核对”的，与真正的包逐位比过；“仅据源码”的，没有运行过。显卡上的实现可能另有做法。",
};

export type CompareMessages = typeof messages;

/** Measured in this language. */
export const heights: Heights = [
  [280, 5560],
  [352, 5093],
  [368, 5105],
  [408, 4922],
  [552, 4618],
  [560, 3943],
  [592, 3801],
  [784, 3585],
  [928, 3547],
  [952, 3496],
  [960, 2982],
  [1072, 2857],
  [1200, 2845],
];
