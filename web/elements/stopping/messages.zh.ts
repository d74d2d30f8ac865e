// Chinese of <smp-stopping>: the source.
import { fault } from "../../i18n/messages.zh.ts";
import { nb, say, strong } from "../../i18n/rich.ts";
import type { Problem } from "../../ui/numbers.ts";
import type { Heights } from "../snippet.ts";
import type { PresetName } from "./presets.ts";
import type { RowProblem } from "./state.ts";

export const messages = {
  title: say`先结束的行，${nb("要等其他行")}`,
  tasks: {
    rowByRow: "三行在不同的步遇到 EOS。一步步走下去，看先结束的行填进什么。",
    length: "上限只有 2，第 3 行来不及遇到 EOS。看它因为什么结束。",
    shared: "PAD 和 EOS 的 ID 一样了，看角色还分不分得清。",
    together: "三行同一步结束，谁也不用等，一个 PAD 也不填。",
    padOwn: "行还没结束，候选里就有 PAD。它不是 EOS，算回答的一部分。",
    padShared: "候选没变，只是共用了 ID：行里的 PAD 就是 EOS。",
    prompt: "第 2 行的提示里有 EOS，它照样生成到上限。",
    single: "只有一行时，错误的规则看不出错。",
    eight: "三行走八步，看先结束的行等了多久。",
  } satisfies Record<PresetName, string>,
  free: "改一行候选，看谁先结束，谁在等。",
  presets: {
    rowByRow: "逐行遇 EOS",
    length: "先到上限",
    shared: "共用 ID",
    together: "同时结束",
    padOwn: "候选里有 PAD",
    padShared: "候选里有 PAD，共用 ID",
    prompt: "提示里有 EOS",
    single: "只有一行",
    eight: "三行八步",
  } satisfies Record<PresetName, string>,

  rows: "每行的候选 token",
  row: (row: number) => `第 ${row} 行`,
  add: "加一行",
  remove: "删一行",
  hint: "每行 1–8 个，空格或逗号隔开；EOS、PAD 要大写",
  lookalike: (text: string) => `“${text}”是普通 token，大写才是 ${text.toUpperCase()}。`,
  ready: (rows: string, limit: number) => `从头开始：${rows}；最多 ${limit} 步。`,
  rowResult: (answer: string, finish: string, step: number) =>
    `${answer ? `回答 ${answer}` : "回答为空"}，第 ${step} 步${finish === "eos" ? "遇 EOS" : "到上限"}。`,
  rowProblem: (problem: RowProblem): string => {
    switch (problem.kind) {
      case "empty":
        return "还没有填，要 1–8 个 token。";
      case "textTooLong":
        return `超过 ${problem.most} 个字符，只要 1–8 个 token。`;
      case "tooMany":
        return `填了 ${problem.found} 个 token，最多 8 个。`;
      case "tokenTooLong":
        return `“${problem.text}”太长，一个 token 最多 12 个字符。`;
      case "badToken":
        return `“${problem.text}”不行，token 只能用字母、数字和下划线。`;
      case "short":
        return `只有 ${problem.found} 个 token，走完 ${problem.limit} 步至少要 ${problem.limit} 个。`;
    }
  },
  limit: say`${strong("最多新增")} token`,
  limitSlider: "最多新增 token，1 到 8",
  limitProblem: (problem: Problem) => `${fault(problem)}。可填 1 到 8 的整数。`,
  preview: (steps: number, row: number, finish: string) =>
    `走完共 ${steps} 步，第 ${row} 行${finish === "eos" ? "以 EOS 结束" : "到上限结束"}。`,
  shared: "PAD 与 EOS 共用一个 ID",
  ids: (pad: number) => (pad === 1 ? "现在 EOS 和 PAD 都是 1。" : `现在 EOS 是 1，PAD 是 ${pad}。`),
  idsHint: "共用以后数字一样，角色仍然不同",

  quiz: {
    question: "任一行遇 EOS，整批就停：哪几行会被切断？",
    answer: (right: boolean, cut: readonly number[]) =>
      `${right ? "猜对了" : "不对"}：${cut.length ? `被切断的是第 ${cut.join("、")} 行` : "没有行被切断"}。`,
    reveal: "揭晓",
    veiled: "先猜，揭晓后再看它停在哪。",
  },

  steps: {
    label: "步骤",
    name: (step: number) => (step ? `第 ${step} 步` : "开始"),
    start: "还没有追加。每行的 finished 都是 false，提示里的 EOS 不算。",
    pads: (row: number, token: string) => `第 ${row} 行早已结束，候选 ${token} 换成 PAD`,
    eos: (row: number, token: string) =>
      token === "EOS" ? `第 ${row} 行遇到 EOS，就此结束` : `第 ${row} 行的 ${token} 就是 EOS，就此结束`,
    limit: (row: number, token: string) => `第 ${row} 行追加 ${token}，到了上限`,
    adds: (row: number, token: string) => `第 ${row} 行追加 ${token}`,
    all: (parts: readonly string[], stopped: boolean) =>
      `${parts.join("；")}。${stopped ? "全部结束，整批停下。" : "整批继续。"}`,
  },

  right: "正确：逐行停止",
  rightNote: "全部结束，整批才停",
  prompt: "提示与 mask",
  answer: "有效回答",
  reason: "原因",
  stopStep: "停于",
  atStep: (step: number) => `第 ${step} 步`,
  finishes: { none: "—", eos: "EOS", length: "长度上限", cut: "被切断" },
  empty: "空",
  unfinished: "未完",
  counts: (
    now: { columns: number; finished: number; pad: number; idle: number; stopped: boolean },
    limit: number,
    rows: number,
  ): readonly (readonly [string, string])[] => [
    ["已走", `${now.columns} 步，上限 ${limit}`],
    ["已结束", `${now.finished} 行，共 ${rows}`],
    ["填充", `${now.pad} 格`],
    ["空转", `${now.idle} 次`],
    ["整批", now.stopped ? "停下" : "继续"],
  ],

  wrong: "错误：",
  choose: "选一种错误的规则",
  rules: {
    any: "任一行遇 EOS，整批就停",
    "same-step": "同一步全是 EOS 才停",
    scalar: "拿整列比较当条件",
    single: "只收一行",
  },
  lost: "丢失",
  junk: "多出",
  nothing: "无",
  extra: "多",
  halt: "停",
  tally: {
    waiting: "还没有哪一行遇到 EOS。",
    cut: (column: number, lost: number, eos: number) =>
      `第 ${column} 步后停下：回答少 ${lost} 个 token，EOS 少 ${eos} 个。`,
    harmless: (column: number) => `第 ${column} 步后停下，什么也没丢。`,
    junk: (junk: number, idle: number) => `多出 ${junk} 个 token，都在本行 EOS 之后；空转 ${idle} 次。`,
    clean: "到这一步，没有多出的 token。",
    same: "只有一行，和正确的规则一样。",
    scalar: "第 1 步就报错：一列有多个元素，与 EOS 比较得不到单一的真假值。一列也没追加。",
    single: "一开始就拒绝：给了 EOS，就只收一行。一步也没走。",
  },
  roles: {
    eos: "首个 EOS，本行到此为止",
    given: "提示里的，不算结束",
    pad: "结束后的填充",
    replaced: "行结束后的候选，由 PAD 替换",
    next: "还没走到",
    lost: "提前停下，丢了",
    junk: "本行结束后多出的",
  },
  small: "右下角小字是 ID",
  maskKey: "提示下面的 0、1 是 attention mask",
  maskBit: (bit: number) => `mask ${bit}`,

  log: {
    title: (steps: number) => `逐步记录（${steps} 步）`,
    caption: (rows: number) => `每一格按第 1 行到第 ${rows} 行排列。`,
    heads: (): readonly string[] => ["步", "候选", "步前 finished", "追加", "步后 finished", "整批"],
    batch: (stopped: boolean): string => (stopped ? "停下" : "继续"),
  },

  notes: {
    steps: "每一步做三件事",
    first: "已结束的行，候选换成 PAD。",
    second: "整列追加到每一行。",
    third: "遇到 EOS 或到了上限的行记为结束；全部结束，整批才停。",
    prompt: "提示",
    promptText:
      "提示在左侧填充，下面的 0、1 是 attention mask。开始时每行的 finished 都是 false，提示里的 EOS 不触发停止。",
    roles: "为什么光看数字不够",
    rolesText: "共用 ID 时，首个 EOS 和后面的填充是同一个数。看这一步之前的 finished 才分得清，最后的数组里没有它。",
    returns: "返回值里有没有 EOS",
    returnsText: "有的库把 EOS 留在返回值里，有的先检查再追加，返回值里就没有。这里留着，有效回答只取它前面的部分。",
  },
  closing:
    "这里没有运行模型，候选是事先写好的。tokenizer 解码时怎样隐藏特殊 token，这里不模拟。正确的规则和 transformers 5.22 的 generate 对过 207 批，结果一致。",
};

export type StoppingMessages = typeof messages;

/** Measured in this language. */
export const heights: Heights = [
  [280, 3238],
  [312, 3089],
  [320, 2876],
  [360, 2727],
  [424, 2559],
  [504, 2559],
  [552, 2426],
  [560, 2103],
  [712, 2037],
  [720, 1657],
  [856, 1521],
  [1072, 1478],
  [1080, 1307],
  [1200, 1300],
];
