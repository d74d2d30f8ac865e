// Chinese: the source. English has the same keys, checked by types.
import type { PresetName } from "../elements/sampling/presets.ts";
import type { FieldName, Problem } from "../elements/sampling/state.ts";
import type { PresetName as BatchName } from "../elements/stopping/presets.ts";
import type { RowProblem } from "../elements/stopping/state.ts";
import { id, list, nb, say, strong, v, type Part } from "./rich.ts";

const ids = (values: readonly number[]): Part => list(values.map(id), "、");
const names = (values: readonly number[]): Part => list(values.map(value => `ID ${value}`), "、");
const equals = (name: string, value: string): Part => nb(v(name), ` = ${value}`);

const allowed = {
  logits: () => "可填 1–8 个数，各在 −100 到 100 之间",
  tau: () => "可填 0 或任意正数",
  k: (count: number) => (count === 1 ? "只能填 1" : `可填 1 到 ${count} 的整数`),
  u: () => "可填 0 到 1，不含 1",
} satisfies Record<FieldName, (count: number) => string>;

export function fault(problem: Problem): string {
  const place = "index" in problem && problem.index !== undefined ? `第 ${problem.index + 1} 个数` : "";
  switch (problem.kind) {
    case "empty":
      return "还没有填";
    case "notNumber":
      return `${place}“${problem.text}”不是数`;
    case "tooMany":
      return `填了 ${problem.found} 个数，太多`;
    case "tooLong":
      return `超过 ${problem.most} 个字符`;
    case "outOfRange":
      return `${place} ${problem.text} 超出范围`.trimStart();
    case "negative":
      return "不能是负数";
    case "infinite":
      return "太大，双精度放不下";
    case "notWhole":
      return `${problem.text} 不是整数`;
    case "aboveCount":
      return `只有 ${problem.count} 个候选，k 不能是 ${problem.text}`;
    case "reachesOne":
      return `${problem.text} 太大，u 要小于 1`;
  }
}

export const zh = {
  lang: "zh",
  title: say`给定 ${v("u")}，${nb("下一个 token 就定了")}`,
  tasks: {
    chapter: "拖动地图里的圆点，找出选 ID 3 与选 ID 2 的分界线。",
    tie: "两个 2 并列第二。换一种并列规则，看留下几个。",
    greedy: "两个 1 并列最高，贪心只取 ID 小的。再看旁边的 τ = 0.01。",
    nearZero: "τ 很小，但不是 0：并列的两个各占一半，u 说了算。",
    real: "真实模型给第一个 token 打分，这是前八名。升温，看 The 让出多少。",
    hot: "τ = 2，四个候选拉近了，但先后没变。",
    cold: "τ = 0.2，最高分几乎独占，其余还没到 0。",
    shift: "每个 logit 都加 50，概率一个也没变：分数只看差。",
    single: "k = 1 也可能留下两个：同分的都留时，并列第一的各占一半。",
    three: "三个候选，全留下。拖动圆点，看三块区域怎样分。",
    five: "五个候选，全留下。降温，看谁最先消失。",
    extremes: "概率都大于 0，后两个却小到没有位置：哪个 u 都选不中。",
    close: "真实模型的前四名，前两名只差 0.0104。换成 float64 再看选中谁。",
  } satisfies Record<PresetName, string>,
  free: "改一个数，看哪几句话跟着变。",
  presets: {
    label: "预设",
    more: "更多",
    back: "回到预设",
    names: { chapter: "课本例", tie: "并列", greedy: "贪心并列", nearZero: "τ = 0.01", real: "真实候选", hot: "高温", cold: "低温", shift: "整体加 50", single: "k = 1 并列", three: "三个候选", five: "五个候选", extremes: "两端悬殊", close: "只差一点" } satisfies Record<PresetName, string>,
  },

  inputs: "输入",
  fields: {
    logits: say`${strong("logits")} ${v("z")}`,
    tau: say`${strong("温度")} ${v("τ")}`,
    k: say`${strong("top-k")} ${v("k")}`,
    u: say`${strong("落点")} ${v("u")}`,
  } satisfies Record<FieldName, Part>,
  logitsHint: "1–8 个数，−100 到 100，空格或逗号隔开",
  sliders: {
    tau: "温度 τ，0 到 2",
    k: (count: number) => `top-k，1 到 ${count}`,
    u: "落点 u，0 到 1，不含 1",
    ruler: "u，在尺上移动",
    logit: (value: number) => `ID ${value} 的 logit`,
  },
  problem: (field: FieldName, problem: Problem, count: number) => `${fault(problem)}。${allowed[field](count)}。`,
  stale: "下面仍是上次有效输入的结果。",

  best: (count: number, top: readonly number[]) => say`${String(count)} 个候选，${ids(top)} ${top.length > 1 ? "并列最高" : "分数最高"}。`,
  likeliest: (top: readonly number[], p: string) =>
    top.length > 1 ? say`过滤前 ${ids(top)} 并列最可能，各 ${nb(p)}。` : say`过滤前 ${ids(top)} 最可能，概率 ${nb(p)}。`,
  noProbability: say`${equals("τ", "0")}：不算概率，直接取最高分。`,
  keeps: (kept: readonly number[], mass: string) => say`留下 ${ids(kept)}，过滤前合计 ${nb(mass)}。`,
  keepsAll: (count: number) => `${count} 个全留下，没有过滤。`,
  noFilter: say`贪心不过滤，${v("k")} 合法即可。`,
  chooses: (chosen: number, q: string, range: string) => say`选中 ${id(chosen)}，概率 ${nb(q)}，区间 ${nb(range)}。`,
  choosesGreedy: (chosen: number) => say`选中 ${id(chosen)}，贪心不看 ${v("u")}。`,
  choosesNone: say`${v("u")} 落进空档，谁也没选中。`,

  dtype: {
    label: "logits 的数值格式",
    merged: (dtype: string, same: readonly number[]): Part => say`${dtype} 放不下这点差别：${names(same)} 变成并列。`,
    changed: (dtype: string, count: number): Part => (count ? `${dtype}：${count} 个数被舍入，没有新的并列。` : `${dtype}：每个数都放得下，没有变化。`),
  },
  quiz: {
    label: "先猜",
    question: (u: string): Part => say`${equals("u", u)} 会选中谁？`,
    answer: (right: boolean, u: string, chosen: number): Part => say`${right ? "猜对了" : "不对"}：${equals("u", u)} 选中 ${id(chosen)}。`,
    skip: "跳过",
    close: "收起",
  },
  exports: {
    label: "分享与导出",
    link: "复制链接",
    csv: "表存为 CSV",
    svg: "图存为 SVG",
    copied: "链接已复制，打开就是现在这组参数。",
    copyThis: "这里不能自动复制，手动复制下面这行：",
    saved: (name: string) => `已存为 ${name}，内容如下。`,
  },

  steps: {
    label: "计算步骤",
    names: ["读入", "算分数", "算概率", say`留 ${v("k")} 个`, "归一化", say`放 ${v("u")}`] as readonly Part[],
    again: "重来",
    back: "上一步",
    forward: "下一步",
    all: "走完",
    read: (count: number) => `读入 ${count} 个 logits。它们是分数，不是概率。`,
    score: (max: string, tau: string) => say`每个 logit 减去最大值 ${max}，再除以 ${equals("τ", tau)}；最高的得 0。`,
    probability: (sum: string) => say`取 ${v("e")} 的分数次方，各除以总和 ${nb(sum)}，合计 1。`,
    keep: (kept: readonly number[], removed: readonly number[]) =>
      removed.length ? say`按 logit 从高到低，留下 ${names(kept)}，移除 ${names(removed)}。` : say`${v("k")} 等于候选数，一个也不移除。`,
    renormalise: (mass: string) => say`留下的合计 ${nb(mass)}，各除以它，合计又是 1。`,
    zeroed: (mass: string) => say`跳过归一化：移除的变成 0，合计只有 ${nb(mass)}。`,
    place: (kept: readonly number[], u: string, chosen: number) =>
      say`把 ${names(kept)} 的概率从 0 起依次铺开，${equals("u", u)} 落在 ID ${String(chosen)} 那一段，就选 ID ${String(chosen)}。`,
    gap: (u: string) => say`${equals("u", u)} 落在所有区间之外，谁也没选中。`,
    greedy: [
      "",
      say`${equals("τ", "0")} 是另一条规则：不除以 0，也不算分数。`,
      "贪心不需要概率。",
      say`贪心不过滤，${v("k")} 合法即可。`,
      "没有概率，就没有归一化。",
    ] as readonly Part[],
    greedyName: "取最高",
    greedyChoice: (max: string, chosen: number, tied: boolean) =>
      tied ? `最大的 logit 是 ${max}，不止一个；取 ID 最小的，就选 ID ${chosen}。` : `最大的 logit 是 ${max}，就选 ID ${chosen}。`,
  },

  table: {
    name: "表",
    caption: "由公式算出的概率，不是抽样频数。显示六位小数，判断用未舍入的值。",
    candidate: "候选",
    score: "分数",
    before: say`过滤前 ${v("p")}`,
    after: say`过滤后 ${v("q")}`,
    interval: "区间",
    state: "状态",
    total: "合计",
    pending: "待算",
    undefined: "不算",
    kept: "保留",
    removed: "移除",
    chosen: "选中",
    notOne: (sum: string) => `${sum}，不是 1`,
  },

  work: {
    title: (lit: number) => say`${id(lit)} 的每个数从哪来`,
    score: "② 分数",
    before: "③ 过滤前",
    after: "⑤ 过滤后",
    from: "⑥ 起点",
    removed: "已移除，没有区间。",
    zeroed: "没有归一化，照抄过滤前。",
    greedy: (max: string) => say`${equals("τ", "0")}：取最大的 logit ${max}，不算别的。`,
    sum: (sum: string, count: number) => say`分母 ${nb(sum)}：${String(count)} 个候选的 ${v("e")} 的分数次方相加。`,
    hint: "点别的 ID，这里换成它的算式。",
  },

  figure: {
    name: "图",
    caption: say`${v("u")} 尺和温度地图，共用一根 ${v("u")} 轴`,
    before: "过滤前",
    after: "过滤后",
    segments: (which: string, parts: readonly string[]) => `${which}：${parts.join("，")}`,
    segment: (value: number, text: string) => `ID ${value} ${text}`,
    gap: "空",
    gapFrom: (sum: string) => `${sum} 起为空档`,
    greedy: say`贪心：${v("u")} 不起作用`,
  },

  map: {
    label: "温度地图：横轴 u，纵轴 τ",
    words: (order: readonly number[], top: readonly number[], tau: number): Part =>
      say`从 u = 0 起依次选 ${names(order)}。τ 趋近 0 时，${names(top)} ${top.length > 1 ? "平分" : "占满"}；τ 趋于无穷时，留下的平分。${tau === 0 ? "现在 τ = 0，在地图之外。" : ""}`,
    chooses: (value: number): Part => `选 ID ${value}`,
    none: "谁也选不中",
    point: (tau: string, u: string, result: string) => `τ ${tau}，u ${u}。${result}方向键移动。`,
  },

  notes: {
    label: "读图",
    read: "怎么读",
    reading: (tau: string) => say`尺就是地图里 ${equals("τ", tau)} 那一行。降温，最高分占得更宽；升温，留下的候选趋向平分。`,
    readingGreedy: say`${equals("τ", "0")} 时没有概率，尺上没有区间。`,
    gone: "移除的候选",
    removed: (removed: readonly number[], mass: string) => say`${names(removed)} 在过滤前占 ${nb(mass)}，过滤后没有位置，任何 ${v("u")} 都选不中。`,
    noneRemoved: "一个也没有移除。",
    mistake: "常见错误",
    mistakeSwitch: "只把移除项置零，不归一化",
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
    limitsText: say`分数先减最大值，${v("τ")} 再小也不溢出；太小的概率会变成 0，${v("u")} 选不中它。`,
    sources: {
      real: "SmolLM2-135M 在“Write one sentence about the sea.”之后的前八名，概率只在这八个之间算。",
      close: "SmolLM2-135M 同一次回答里第六个 token 的前四名，按真实 ID 排，概率只在这四个之间算。",
    },
  },

  stopping: {
    title: say`先结束的行，${nb("要等其他行")}`,
    tasks: {
      rowByRow: "三行在不同的步遇到 EOS。往前走，看先结束的行补进什么。",
      length: "上限只有 2，行 3 来不及遇到 EOS。看它因为什么结束。",
      shared: "PAD 和 EOS 的数字一样了，看角色还分不分得清。",
      together: "三行同一步结束，谁也不用等，一个 PAD 也不补。",
      padOwn: "行还没结束，候选里就有 PAD。它不是 EOS，算回答的一部分。",
      padShared: "候选没变，只是共用了 ID：行里的 PAD 就是 EOS。",
      prompt: "行 2 的提示里有 EOS，它照样生成到上限。",
      single: "只有一行时，错误的规则看不出错。",
      eight: "三行走八步，看先结束的行等了多久。",
    } satisfies Record<BatchName, string>,
    free: "改一行候选，看谁先结束，谁在等。",
    presets: {
      rowByRow: "逐行遇 EOS", length: "先到上限", shared: "共用 ID", together: "同时结束", padOwn: "手写 PAD",
      padShared: "手写 PAD，共用 ID", prompt: "提示里有 EOS", single: "只有一行", eight: "三行八步",
    } satisfies Record<BatchName, string>,

    rows: "每行的候选 token",
    row: (row: number) => `行 ${row}`,
    add: "加一行",
    remove: "删一行",
    hint: "每行 1–8 个，空格或逗号隔开；EOS、PAD 要大写",
    lookalike: (text: string) => `“${text}”是普通 token，大写才是 ${text.toUpperCase()}。`,
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
    preview: (steps: number, row: number, finish: string) => `走完共 ${steps} 步，行 ${row} ${finish === "eos" ? "以 EOS 结束" : "到上限结束"}。`,
    shared: "PAD 与 EOS 共用一个 ID",
    ids: (pad: number) => (pad === 1 ? "现在 EOS 和 PAD 都是 1。" : `现在 EOS 是 1，PAD 是 ${pad}。`),
    idsHint: "共用以后数字一样，角色仍然不同",

    quiz: {
      question: "任一行遇 EOS，整批就停：哪几行会被切断？",
      answer: (right: boolean, cut: readonly number[]) => `${right ? "猜对了" : "不对"}：${cut.length ? `被切断的是行 ${cut.join("、行 ")}` : "没有行被切断"}。`,
      reveal: "揭晓",
      veiled: "先猜，揭晓后再看它停在哪。",
    },

    steps: {
      label: "步骤",
      name: (step: number) => (step ? `第 ${step} 列` : "开始"),
      start: "还没有追加。每行的 finished 都是 false，提示里的 EOS 不算。",
      pads: (row: number, token: string) => `行 ${row} 早已结束，候选 ${token} 换成 PAD`,
      eos: (row: number, token: string) => (token === "EOS" ? `行 ${row} 遇到 EOS，就此结束` : `行 ${row} 的 ${token} 就是 EOS，就此结束`),
      limit: (row: number, token: string) => `行 ${row} 追加 ${token}，到了上限`,
      adds: (row: number, token: string) => `行 ${row} 追加 ${token}`,
      all: (parts: readonly string[], stopped: boolean) => `${parts.join("；")}。${stopped ? "全部结束，整批停下。" : "整批继续。"}`,
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
    counts: (now: { columns: number; finished: number; pad: number; idle: number; stopped: boolean }, limit: number, rows: number): readonly (readonly [string, string])[] => [
      ["已追加", `${now.columns} 列，上限 ${limit}`],
      ["已结束", `${now.finished} 行，共 ${rows}`],
      ["补 PAD", `${now.pad} 格`],
      ["空算", `${now.idle} 次`],
      ["整批", now.stopped ? "停下" : "继续"],
    ],

    wrong: "错误：",
    choose: "选一种错误的规则",
    rules: { any: "任一行遇 EOS，整批就停", "same-step": "同一步全是 EOS 才停", scalar: "拿整列比较当条件", single: "只收一行" },
    lost: "丢失",
    junk: "多出",
    nothing: "无",
    extra: "多",
    halt: "停",
    tally: {
      waiting: "还没有哪一行遇到 EOS。",
      cut: (column: number, lost: number, eos: number) => `第 ${column} 列后停下：回答少 ${lost} 个 token，EOS 少 ${eos} 个。`,
      harmless: (column: number) => `第 ${column} 列后停下，什么也没丢。`,
      junk: (junk: number, idle: number) => `多出 ${junk} 个 token，都在本行 EOS 之后；空算 ${idle} 次。`,
      clean: "到这一步，没有多出的 token。",
      same: "只有一行，和正确的规则一样。",
      scalar: "第 1 步就报错：一列有几个元素，和 EOS 比较没有唯一的真假。一列也没追加。",
      single: "一开始就拒绝：给了 EOS，就只收一行。一步也没走。",
    },
    roles: {
      eos: "首次结束，记入本行",
      given: "提示里的，不算结束",
      pad: "结束后补位",
      replaced: "行结束后的候选，由 PAD 替换",
      next: "还没走到",
      lost: "提前停下，丢了",
      junk: "本行结束后多出的",
    },
    small: "右下角小字是 ID",

    log: {
      title: (steps: number) => `逐步记录（${steps} 步）`,
      caption: (rows: number) => `每一格按行 1 到行 ${rows} 排列。`,
      heads: (): readonly string[] => ["步", "候选", "步前 finished", "追加", "步后 finished", "整批"],
      batch: (stopped: boolean): string => (stopped ? "停下" : "继续"),
    },

    notes: {
      steps: "每一步做三件事",
      first: "已结束的行，候选换成 PAD。",
      second: "整列追加到每一行。",
      third: "遇到 EOS 或到了上限的行记为结束；全部结束，整批才停。",
      prompt: "提示",
      promptText: "提示左侧已补齐，小字是 attention mask。开始时每行的 finished 都是 false，提示里的 EOS 不触发停止。",
      roles: "为什么光看数字不够",
      rolesText: "共用 ID 时，首次 EOS 和补位的数字相同。分清它们要靠步前的 finished；最后的数组里没有这一项。",
      returns: "返回值里有没有 EOS",
      returnsText: "有的库把 EOS 留在返回值里，有的先检查再追加，返回值里就没有。这里留着，有效回答只取它前面的部分。",
    },
    closing: "这里没有运行模型，候选是事先写好的。tokenizer 解码时怎样隐藏特殊 token，这里不模拟。正确的规则和 transformers 5.22 的 generate 对过 207 批，结果一致。",
  },

  closing: "这里没有运行模型，也没有抽随机数；ID 不对应真实词表。top-p、EOS、上下文和多步生成不在这个实验里。",
  blocked: {
    policy: "页面的安全策略不允许运行 WebAssembly：script-src 要加上 'wasm-unsafe-eval'。下面是算好的例子。",
    browser: "这个浏览器不能运行带 SIMD 的 WebAssembly；换用脚本 sampling-lab.compat.js 就不需要 SIMD。下面是算好的例子。",
  },
};

export type Messages = typeof zh;
