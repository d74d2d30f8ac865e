// The table as CSV and the picture as SVG, from the same scene that is on view.
import { plain } from "../../i18n/rich.ts";
import { decimal, probability } from "../../i18n/format.ts";
import type { Scene } from "./scene.ts";
import type { Sampled } from "../../core/lab.ts";
import { marked, RULES } from "./rules.ts";
import { exact, ruleFields } from "./state.ts";

/** Every number in full: the shortest decimals that read back as the same doubles; the words as JSON, so that none is
    taken for a formula; and in each row the setting. In English whatever the language: for scripts, and for spreadsheets
    that guess another encoding. */
export function csvOf({ logits, sampled, result, kept, config, stages, filtered }: Scene): string {
  const setting = [config.tau, ...config.rules.map(rule => config[ruleFields[rule]]), config.u],
    switched = [...(["tie", "tie_p"] as const).filter(name => tieOf[name](config)), "share", "dtype"] as const;
  const steps = filtered ? stages : [];
  const rows = logits.map((logit, id) => [
    id,
    config.labels[id] ? cellOf(JSON.stringify(config.labels[id])) : "",
    exact(logit),
    ...(sampled ? [exact(sampled.score[id]!), sampled.p[id], sampled.q[id]] : ["", "", ""]),
    ...(sampled && kept.includes(id) ? [sampled.lo[id], sampled.hi[id]] : ["", ""]),
    result.id === id ? "chosen" : !sampled ? "" : kept.includes(id) ? "kept" : "removed",
    ...steps.flatMap(({ step }) =>
      step.rank[id] ? [step.p[id], exact(step.value[id]!), exact(step.threshold), step.kept[id]] : ["", "", "", ""],
    ),
    ...setting.map(exact),
    ...switched.map(name => config[name]),
  ]);
  const heads = [
    ...["id", "token", "logit", "score", "p", "q", "lo", "hi", "state"],
    ...steps.flatMap(({ rule }) => ["found", "compared", "threshold", "kept"].map(name => `${rule}_${name}`)),
    ...["tau", ...config.rules.map(rule => ruleFields[rule]), "u", ...switched],
  ];
  return [heads, ...rows].map(row => `${row.join(",")}\r\n`).join("");
}

/** Which switches play a part. */
const tieOf = {
  tie: ({ rules }: Scene["config"]) => rules.includes("top_k"),
  tie_p: ({ rules }: Scene["config"]) => rules.includes("top_p"),
};

const cellOf = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const LEFT = 60,
  WIDTH = 640,
  MAP_HEIGHT = 260;
const MIDDLE = 'text-anchor="middle"';

const x = (u: number): string => (LEFT + WIDTH * u).toFixed(2);
const text = (at: string | number, y: number, words: string, more = ""): string =>
  `<text x="${at}" y="${y}" ${more}>${escape(words)}</text>`;

/** Gives the colour of a token. */
type Color = (name: string) => string;

const fillOf = (id: number, color: Color): string => color(id < 8 ? `--id-${id}` : "--edge");

/** How a candidate is painted: its colour, so strong, in an outline of its ink. */
const paint = (id: number, share: number, color: Color): string =>
  `fill="${fillOf(id, color)}" fill-opacity="${share}" stroke="${color(id < 8 ? `--id-${id}-ink` : "--text")}"`;

const box = (u0: number, u1: number, y: number, height: number, more: string): string =>
  `<rect x="${x(u0)}" y="${y}" width="${(WIDTH * (u1 - u0)).toFixed(2)}" height="${height}" ${more}/>`;

/** Id and word of a candidate in so many characters. */
const nameOf = ({ labels }: Scene, id: number, room: number): string =>
  cut(labels?.[id] ? `ID ${id} ${labels[id]}` : `ID ${id}`, room);

/** What the strips need below those of one filter: one more for each filter but the last. */
const downOf = ({ stages }: Scene): number => 26 * Math.max(0, stages.length - 1);

/** Ruler and map on white, in the light colours, with nothing but plain SVG. */
export function svgOf(scene: Scene, color: Color): string {
  const { s, sampled, config, tauAt, labels } = scene;
  const down = downOf(scene),
    top = 120 + down,
    height = 440 + down;
  const y = top + (sampled ? MAP_HEIGHT * tauAt : MAP_HEIGHT + 10);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="720" height="${height}" fill="#fff"/>`,
    ...(labels
      ? [text(0, 14, cut(logitsOf(scene), 100)), text(0, 32, settingOf(scene))]
      : [text(0, 20, `${logitsOf(scene)}   ${settingOf(scene)}`)]),
    ...(sampled ? stripsOf(scene, sampled, color) : [text(x(0.5), 80, plain(s.figure.greedy), MIDDLE)]),
    ...planeOf(scene, top, color),
    `<path d="M${LEFT} ${top}h${WIDTH}v${MAP_HEIGHT}h${-WIDTH}ZM${x(config.u)} ${sampled ? 72 + down : top}V${top + MAP_HEIGHT}M${LEFT} ${y}h${WIDTH}" fill="none" stroke="${color("--accent")}"/>`,
    `<circle cx="${x(config.u)}" cy="${y}" r="6" fill="${color("--accent")}"/>`,
    ...axesOf(scene, top),
    `</svg>`,
  ].join("\n");
}

/** Before the filters, after each of them, and at the end, with names where there is room. */
function stripsOf(scene: Scene, sampled: Sampled, color: Color): string[] {
  const { s, kept, result, logits, stages } = scene,
    down = downOf(scene),
    stays = (index: number, id: number) => (stages[index]!.step.kept[id] ? 0.22 : 0);
  const strip = (lo: number, hi: number, y: number, id: number, index: number) =>
    box(lo, hi, y, 16, paint(id, stays(index, id), color));
  const between = stages
    .slice(0, -1)
    .flatMap(({ rule, left }, index) => [
      text(0, 79 + 26 * index, RULES[rule]),
      ...marked(left.kept).map(id => strip(left.lo[id]!, left.hi[id]!, 66 + 26 * index, id, index + 1)),
    ]);
  const name = (id: number) =>
    text(
      x((sampled.lo[id]! + sampled.hi[id]!) / 2),
      94 + down,
      `${nameOf(scene, id, 90 * sampled.q[id]! - 9)} ${probability(sampled.q[id]!)}`,
      MIDDLE,
    );
  return [
    ...logits.map((_, id) => strip(sampled.start[id]!, sampled.start[id]! + sampled.p[id]!, 40, id, 0)),
    ...between,
    ...kept.map(id =>
      box(sampled.lo[id]!, sampled.hi[id]!, 72 + down, 34, paint(id, id === result.id ? 0.34 : 0.22, color)),
    ),
    ...kept.filter(id => sampled.q[id]! > 0.15).map(name),
    text(0, 53, plain(s.figure.before)),
    text(0, 94 + down, plain(s.figure.after)),
  ];
}

function planeOf(scene: Scene, top: number, color: Color): string[] {
  const { regions, ys } = scene.plane,
    row = ys.findIndex(at => at >= 1 / 12);
  const areas = regions.map(
    ({ id, area }) => `<path d="${area}" ${paint(id, 0.2, color)} vector-effect="non-scaling-stroke"/>`,
  );
  const names = regions.flatMap(({ id, rows }) => {
    const [lo, hi] = rows[row]!;
    return hi - lo > 0.08 ? [text(x((lo + hi) / 2), top + 30, nameOf(scene, id, 90 * (hi - lo)), MIDDLE)] : [];
  });
  return [
    `<svg x="${LEFT}" y="${top}" width="${WIDTH}" height="${MAP_HEIGHT}" viewBox="0 0 1000 1000" preserveAspectRatio="none">${areas.join("")}</svg>`,
    ...names,
  ];
}

/** Ticks and titles of both axes of the map. */
function axesOf({ s, plane }: Scene, top: number): string[] {
  const bottom = top + MAP_HEIGHT;
  return [
    ...plane.ticks.map(({ tau, at }) => text(LEFT - 8, top + MAP_HEIGHT * at + 4, String(tau), 'text-anchor="end"')),
    ...[0, 0.25, 0.5, 0.75, 1].map(u => text(x(u), bottom + 32, String(u), MIDDLE)),
    text(x(0.5), bottom + 50, plain(s.fields.u), MIDDLE),
    text(0, 0, plain(s.fields.tau), `${MIDDLE} transform="translate(12 ${top + MAP_HEIGHT / 2}) rotate(-90)"`),
  ];
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** At most so many characters, the last an ellipsis. */
function cut(text: string, most: number): string {
  const letters = Array.from(text);
  return letters.length <= most ? text : `${letters.slice(0, Math.max(4, most - 1)).join("")}…`;
}

const logitsOf = ({ logits, labels }: Scene): string =>
  `logits ${logits
    .map((logit, id) => (labels?.[id] ? `${cut(labels[id], 12)}: ${decimal(logit)}` : decimal(logit)))
    .join(labels ? ", " : " ")}`;

const settingOf = ({ config }: Scene): string =>
  [
    `τ = ${decimal(config.tau)}`,
    ...config.rules.map(rule => `${rule === "top_k" ? "k" : RULES[rule]} = ${decimal(config[ruleFields[rule]])}`),
    `u = ${decimal(config.u)}`,
  ].join("   ");
