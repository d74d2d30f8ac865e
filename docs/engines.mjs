// Writes the tables of engines.md from the core:  node docs/engines.mjs  after a build.
import { readFileSync, writeFileSync } from "node:fs";

const SHORT = {
  temperature: "T",
  repetition_penalty: "penalty",
  typical_p: "typical",
  epsilon_cutoff: "epsilon",
  eta_cutoff: "eta",
};
const short = setting => SHORT[setting] ?? setting;
const KEPT = { TIE_STRICT: "k", TIE_THRESHOLD: "all" };
const BOUNDARIES = {
  BOUNDARY_BELOW: "mass before < p",
  BOUNDARY_ASCENDING: "ascending: drops while sum <= 1 - p",
  BOUNDARY_OPEN: "ascending; may drop all",
  BOUNDARY_AT_MOST: "mass before <= p",
  BOUNDARY_EQUALS: "mass of all larger < p",
  BOUNDARY_HEAP: "a heap: drops the smallest while the sum exceeds p",
  BOUNDARY_NONE: "has none",
};
const EOS = { yes: "yes", no: "no", caller: "caller appends" };
/** The row that values are tried on. */
const LENGTH = 8;

const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map(cells => `| ${cells.join(" | ")} |`).join("\n");

/** The tables of engines.md by name. */
export function tables(api, core) {
  const rows = Object.entries(core.abi.profile);
  return {
    rules: table(
      ["engine", "version", "checked", "steps", "equals of the k-th", "top-p keeps", "EOS in the result"],
      rows.map(([name, { steps, version, how, tie, boundary, eos }]) => [
        name,
        version,
        how,
        stepsOf(steps),
        steps.includes("top_k") ? KEPT[tie] : "has no top_k",
        BOUNDARIES[boundary],
        EOS[eos],
      ]),
    ),
    values: table(
      [
        "engine",
        "defaults",
        "top_k -1",
        "top_k 0",
        "top_k above the row",
        "top_p 0",
        "temperature 0",
        "small temperatures",
        "below 0",
      ],
      rows.map(([name, profile]) => {
        const said = (setting, value) => saidOf(api, core, name, setting, value);
        return [
          name,
          defaultsOf(api, core, name),
          said("top_k", -1),
          said("top_k", 0),
          said("top_k", LENGTH + 1),
          said("top_p", 0),
          said("temperature", 0),
          small(profile),
          said("temperature", -1),
        ];
      }),
    ),
    sources: table(
      ["engine", "read in (commit)"],
      rows.filter(([, { how }]) => how === "read").map(([name, { source }]) => [name, sourceOf(source)]),
    ),
  };
}

/** A softmax stands before the first filter that follows it; the windows of a penalty are no steps. */
function stepsOf(steps) {
  const shown = steps.filter(step => step !== "repeat_last_n" && step !== "prompt_ignore_length");
  return shown.map(short).join(", ");
}

function defaultsOf(api, core, name) {
  const states = Object.entries(api.settingsInForce(core, name, LENGTH)).filter(
    ([, { why }]) => why !== "absent" && why !== "unset",
  );
  const told = states.filter(
    ([setting, { on, why }]) => setting !== "greedy" && (on || why === "keeps-all" || setting === "temperature"),
  );
  const texts = told.map(([setting, { value }]) =>
    setting === "temperature" && value === 0 ? "greedy" : `${short(setting)} ${value}`,
  );
  return texts.join(", ") || "none";
}

/** In words what an engine makes of a value: what the core says of the setting, and where that runs, what
    the run says. */
function saidOf(api, core, name, setting, value) {
  const settings = { temperature: 1, [setting]: value },
    options = { settings, settingsOnly: true };
  const { [setting]: state, greedy } = api.settingsInForce(core, name, LENGTH, options);
  if (state.why === "absent") return "has none";
  if (state.why === "not-followed") return "not followed";
  if (state.why === "refused") return state.refusal.split(":")[0];
  if (state.why === "off" || state.why === "keeps-all") return state.why.replace("-", " ");
  if (greedy.on) return "greedy";
  const { refusal, kept } = api.engine(
    core,
    name,
    Float32Array.from({ length: LENGTH }, (_, id) => -id),
    options,
  );
  if (refusal) return refusal.split(":")[0];
  if (setting === "temperature") return value < 0 ? "reverses the order" : "as given";
  return state.why === "moved" ? `as ${state.value}` : `keeps ${kept.length}`;
}

const small = ({ greedy_below, least }) =>
  [greedy_below && `greedy below ${greedy_below}`, least && `raised to ${least}`].filter(Boolean).join(", ") ||
  "as given";

/** `owner/name path commit, path commit`: paths as code. */
const sourceOf = source =>
  source
    .replace(/^(\S+) /, "$1 ")
    .replace(
      /(\S+\.\w+)( [0-9a-f]{12})?(?=,|$)/g,
      (_, path, commit) => `\`${path}\`${commit ? ` (${commit.trim()})` : ""}`,
    );

/** The text with each table between its two marks. */
export function withTables(text, made) {
  return Object.entries(made).reduce((sum, [name, rows]) => {
    const parts = sum.split(new RegExp(`(?<=<!-- table: ${name} -->\\n)[\\s\\S]*?(?=\\n<!-- end -->)`));
    if (parts.length !== 2) throw new Error(`engines.md has no place for the table ${name}`);
    return parts.join(rows);
  }, text);
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const api = await import("../dist/sampling-lab.mjs"),
    path = new URL("engines.md", import.meta.url);
  const core = await api.instantiate(readFileSync(new URL("../dist/smp.wasm", import.meta.url)));
  writeFileSync(path, withTables(readFileSync(path, "utf8"), tables(api, core)));
}
