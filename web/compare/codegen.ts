// A move as the code that one would run: Python for transformers, llama.cpp and mlx-lm, Rust for candle. The oracle
// runs what is written here against the packages.
import type { Core, Profile } from "../core/module.ts";
import type { Move, Op, Plan, Rule, Way } from "./migrate.ts";

export type Code = { readonly language: "Python" | "Rust"; readonly text: string };

/** The code by which `to` makes the move; null where its library cannot be run from either language. */
export function codeOf(core: Core, to: string, { way, plan }: Pick<Move, "way" | "plan">): Code | null {
  const write = WRITERS[to];
  return write ? write(plan, way, core.abi.profile[to]!) : null;
}

/** A number as both languages read a float. */
const float = (x: number): string => (Number.isInteger(x) && Math.abs(x) < 1e21 ? `${x}.0` : String(x));
const valueOf = ({ ops }: Plan, setting: Rule): number | undefined => ops.find(op => op.setting === setting)?.value;
const has = (plan: Plan, setting: Rule): boolean => valueOf(plan, setting) !== undefined;
const lines = (...parts: readonly (string | false | readonly string[])[]): string =>
  `${parts.flatMap(part => (part === false ? [] : part)).join("\n")}\n`;
const PENALTY = "repetition_penalty";

// ---- transformers -----------------------------------------------------------------------------------------------

function transformers(plan: Plan, way: Way): Code {
  return { language: "Python", text: way === "settings" ? transformersSettings(plan) : transformersSteps(plan) };
}

function transformersSettings(plan: Plan): string {
  const given = [
    `do_sample=${plan.greedy ? "False" : "True"}`,
    ...(plan.greedy
      ? []
      : [
          `temperature=${float(valueOf(plan, "temperature") ?? 1)}`,
          `top_k=${valueOf(plan, "top_k") ?? 0}`,
          `top_p=${float(valueOf(plan, "top_p") ?? 1)}`,
        ]),
    ...(!plan.greedy && has(plan, "min_p") ? [`min_p=${float(valueOf(plan, "min_p")!)}`] : []),
    ...(has(plan, PENALTY) ? [`repetition_penalty=${float(valueOf(plan, PENALTY)!)}`] : []),
  ];
  return lines(
    "from transformers import GenerationConfig",
    "",
    `config = GenerationConfig(${given.join(", ")})`,
    "# model.generate(ids, generation_config=config)",
  );
}

const WARPERS: Readonly<Record<Rule, (value: number) => string>> = {
  temperature: value => `TemperatureLogitsWarper(${float(value)})`,
  top_k: value => `TopKLogitsWarper(${value})`,
  top_p: value => `TopPLogitsWarper(${float(value)})`,
  min_p: value => `MinPLogitsWarper(${float(value)})`,
  repetition_penalty: value => `RepetitionPenaltyLogitsProcessor(${float(value)})`,
};

const EXACTLY = [
  "class ExactlyK(LogitsProcessor):",
  '    """Keeps k, also where others equal the last."""',
  "    def __init__(self, k):",
  "        self.k = k",
  "",
  "    def __call__(self, input_ids, scores):",
  "        kept = scores.topk(min(self.k, scores.shape[-1])).indices",
  '        return scores.new_full(scores.shape, float("-inf")).scatter(-1, kept, scores.gather(-1, kept))',
];
const RECENT = [
  "class Recent(LogitsProcessor):",
  '    """Shows a step only the last n ids."""',
  "    def __init__(self, n, step):",
  "        self.n, self.step = n, step",
  "",
  "    def __call__(self, input_ids, scores):",
  "        return self.step(input_ids[:, -self.n:], scores)",
];

function transformersSteps(plan: Plan): string {
  const exact = (op: Op): boolean => op.setting === "top_k" && !op.all,
    recent = (op: Op): boolean => op.setting === PENALTY && plan.window > 0;
  const step = (op: Op): string =>
    exact(op)
      ? `ExactlyK(${op.value})`
      : recent(op)
        ? `Recent(${plan.window}, ${WARPERS[op.setting](op.value)})`
        : WARPERS[op.setting](op.value);
  const own = plan.ops.some(op => exact(op) || recent(op));
  const names = [
    ...new Set(plan.ops.filter(op => !exact(op)).map(op => WARPERS[op.setting](op.value).split("(")[0]!)),
  ].sort();
  return lines(
    `from transformers import ${[...(own ? ["LogitsProcessor"] : []), "LogitsProcessorList"].join(", ")}`,
    names.length > 0 && `from transformers.generation.logits_process import ${names.join(", ")}`,
    "",
    plan.ops.some(exact) ? [...EXACTLY, ""] : [],
    plan.ops.some(recent) ? [...RECENT, ""] : [],
    "steps = LogitsProcessorList([",
    plan.ops.map(op => `    ${step(op)},`),
    "])",
    `# model.generate(ids, do_sample=${plan.greedy ? "False" : "True, top_k=0"}, logits_processor=steps)`,
  );
}

// ---- llama.cpp --------------------------------------------------------------------------------------------------

const INITS: Readonly<Record<Exclude<Rule, "repetition_penalty">, (value: number) => string>> = {
  top_k: value => `top_k(${value})`,
  top_p: value => `top_p(${float(value)}, 1)`,
  min_p: value => `min_p(${float(value)}, 1)`,
  temperature: value => `temp(${float(value)})`,
};

/** Its settings are a chain as well, in the order of its programs. */
function llama(plan: Plan, way: Way, { steps }: Profile): Code {
  const place = (op: Op): number => steps.indexOf(op.setting);
  const ops = plan.ops.filter(({ setting }) => !plan.greedy || setting === PENALTY),
    ordered = way === "settings" ? [...ops].sort((a, b) => place(a) - place(b)) : ops;
  const init = ({ setting, value }: Op): string =>
    `    llama_cpp.llama_sampler_init_${setting === PENALTY ? `penalties(n_vocab, ${plan.window || "len(context)"}, ${float(value)}, 0.0, 0.0)` : INITS[setting](value)},`;
  const text = lines(
    "import llama_cpp",
    "",
    "def chain_of(n_vocab, context, seed):",
    "    chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())",
    "    for step in (",
    ordered.map(op => `    ${init(op)}`),
    `        llama_cpp.llama_sampler_init_${plan.greedy ? "greedy()" : "dist(seed)"},`,
    "    ):",
    "        llama_cpp.llama_sampler_chain_add(chain, step)",
    "    for token in context:",
    "        llama_cpp.llama_sampler_accept(chain, token)",
    "    return chain",
  );
  return { language: "Python", text };
}

// ---- mlx-lm -----------------------------------------------------------------------------------------------------

function mlx(plan: Plan, way: Way): Code {
  const penalty = valueOf(plan, PENALTY);
  const processors =
    penalty === undefined
      ? "processors = []"
      : `processors = make_logits_processors(repetition_penalty=${float(penalty)}, repetition_context_size=${plan.window || "2**31"})`;
  const importing = (...names: readonly string[]): string =>
    `from mlx_lm.sample_utils import ${[...names, ...(penalty === undefined ? [] : ["make_logits_processors"])].sort().join(", ")}`;
  const end = "# generate_step(prompt, model, sampler=sampler, logits_processors=processors)";
  if (plan.greedy)
    return {
      language: "Python",
      text: lines(importing("make_sampler"), "", "sampler = make_sampler(temp=0.0)", processors, end),
    };
  const t = float(valueOf(plan, "temperature") ?? 1);
  if (way === "settings") {
    const given = [
      `temp=${t}`,
      `top_p=${float(valueOf(plan, "top_p") ?? 0)}`,
      `min_p=${float(valueOf(plan, "min_p") ?? 0)}`,
      `top_k=${valueOf(plan, "top_k") ?? 0}`,
    ];
    return {
      language: "Python",
      text: lines(importing("make_sampler"), "", `sampler = make_sampler(${given.join(", ")})`, processors, end),
    };
  }
  const filters = plan.ops.filter(({ setting }) => setting !== PENALTY && setting !== "temperature");
  const step = ({ setting, value }: Op): string[] =>
    setting === PENALTY
      ? []
      : setting === "temperature"
        ? [`    x = normalised(x * (1 / ${float(value)}))`]
        : [`    x = normalised(apply_${setting}(x, ${setting === "top_k" ? value : float(value)}))`];
  const text = lines(
    "import mlx.core as mx",
    importing(...filters.map(({ setting }) => `apply_${setting}`), "categorical_sampling"),
    "",
    "def normalised(x):",
    "    return x - mx.logsumexp(x, axis=-1, keepdims=True)",
    "",
    "def sampler(x):",
    plan.ops.flatMap(step),
    "    return categorical_sampling(x, 1.0)",
    "",
    processors,
    end,
  );
  return { language: "Python", text };
}

// ---- candle -----------------------------------------------------------------------------------------------------

const SHARE = [
  "fn share(p: &mut [f32]) {",
  "    let sum: f32 = p.iter().sum();",
  "    p.iter_mut().for_each(|x| *x /= sum);",
  "}",
];

/** Steps on probabilities, each of which leaves them summing to 1. */
const CLOSURES: Readonly<Record<"all" | "exact" | "top_p" | "min_p" | "temperature", readonly string[]>> = {
  all: [
    "/// Keeps k, and all that equal the last of them.",
    "fn keep_top_k(p: &mut [f32], k: usize) {",
    "    let mut falling = p.to_vec();",
    "    falling.sort_unstable_by(|a, b| b.total_cmp(a));",
    "    let least = falling[k.min(p.len()) - 1];",
    "    p.iter_mut().filter(|x| **x < least).for_each(|x| *x = 0.0);",
    "    share(p);",
    "}",
  ],
  exact: [
    "/// Keeps k, the earlier ones among equals.",
    "fn keep_exactly(p: &mut [f32], k: usize) {",
    "    let mut ids: Vec<usize> = (0..p.len()).collect();",
    "    ids.sort_by(|&i, &j| p[j].total_cmp(&p[i]));",
    "    ids.iter().skip(k).for_each(|&i| p[i] = 0.0);",
    "    share(p);",
    "}",
  ],
  top_p: [
    "/// Keeps while the sum before is below the limit.",
    "fn keep_top_p(p: &mut [f32], limit: f32) {",
    "    let mut ids: Vec<usize> = (0..p.len()).collect();",
    "    ids.sort_by(|&i, &j| p[j].total_cmp(&p[i]));",
    "    let mut before = 0.0;",
    "    for i in ids {",
    "        let x = p[i];",
    "        if before >= limit {",
    "            p[i] = 0.0;",
    "        }",
    "        before += x;",
    "    }",
    "    share(p);",
    "}",
  ],
  min_p: [
    "/// Keeps what has at least this part of the greatest.",
    "fn keep_min_p(p: &mut [f32], part: f32) {",
    "    let least = part * p.iter().copied().fold(0.0, f32::max);",
    "    p.iter_mut().filter(|x| **x < least).for_each(|x| *x = 0.0);",
    "    share(p);",
    "}",
  ],
  temperature: [
    "/// The temperature, after the filters.",
    "fn cool(p: &mut [f32], temperature: f32) {",
    "    let most = p.iter().copied().fold(0.0, f32::max);",
    "    p.iter_mut().for_each(|x| *x = (*x / most).powf(1.0 / temperature));",
    "    share(p);",
    "}",
  ],
};

/** The step as a call, and the function that it calls. */
function closureOf({
  setting,
  value,
  all,
}: Op): { readonly call: string; readonly name: keyof typeof CLOSURES } | null {
  if (setting === "top_k")
    return { call: `${all ? "keep_top_k" : "keep_exactly"}(p, ${value})`, name: all ? "all" : "exact" };
  if (setting === PENALTY) return null;
  const call = { top_p: "keep_top_p", min_p: "keep_min_p", temperature: "cool" }[setting];
  return { call: `${call}(p, ${float(value)})`, name: setting };
}

function candle(plan: Plan, way: Way): Code {
  const penalty = valueOf(plan, PENALTY),
    k = valueOf(plan, "top_k"),
    p = valueOf(plan, "top_p");
  const rest = plan.ops.filter(({ setting }) => setting !== PENALTY),
    first = rest[0]?.setting === "temperature" ? rest[0].value : null;
  const steps = way === "settings" || plan.greedy ? [] : first === null ? rest : rest.slice(1),
    last = steps.at(-1);
  const own = last?.setting === "top_p" ? last.value : null,
    closures = (own === null ? steps : steps.slice(0, -1)).flatMap(op => closureOf(op) ?? []);
  const temperature = `temperature: ${float(way === "settings" ? (valueOf(plan, "temperature") ?? 1) : (first ?? 1))}`;
  const sampling = plan.greedy
    ? "ArgMax"
    : way === "steps"
      ? own === null
        ? `All { ${temperature} }`
        : `TopP { p: ${float(own)}, ${temperature} }`
      : k !== undefined && p !== undefined
        ? `TopKThenTopP { k: ${k}, p: ${float(p)}, ${temperature} }`
        : k !== undefined
          ? `TopK { k: ${k}, ${temperature} }`
          : p !== undefined
            ? `TopP { p: ${float(p)}, ${temperature} }`
            : `All { ${temperature} }`;
  const named = [...new Set(closures.map(({ name }) => name))];
  const text = lines(
    "use candle_core::{Result, Tensor};",
    "use candle_transformers::generation::{LogitsProcessor, Sampling};",
    penalty !== undefined && "use candle_transformers::utils::apply_repeat_penalty;",
    "",
    "pub fn processor(seed: u64) -> LogitsProcessor {",
    `    LogitsProcessor::from_sampling(seed, Sampling::${sampling})`,
    "}",
    "",
    `pub fn next(processor: &mut LogitsProcessor, logits: &Tensor, ${penalty === undefined ? "_context" : "context"}: &[u32]) -> Result<u32> {`,
    penalty !== undefined &&
      `    let logits = &apply_repeat_penalty(logits, ${float(penalty)}, ${plan.window ? `&context[context.len().saturating_sub(${plan.window})..]` : "context"})?;`,
    closures.length === 0
      ? ["    processor.sample(logits)"]
      : ["    processor.sample_f(logits, |p| {", ...closures.map(({ call }) => `        ${call};`), "    })"],
    "}",
    named.flatMap(name => ["", ...CLOSURES[name]]),
    named.length > 0 ? ["", ...SHARE] : [],
  );
  return { language: "Rust", text };
}

const WRITERS: Readonly<Record<string, (plan: Plan, way: Way, profile: Profile) => Code>> = {
  transformers,
  candle,
  "llama.cpp": llama,
  "mlx-lm": mlx,
};
