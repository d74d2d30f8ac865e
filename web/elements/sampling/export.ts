// The table as CSV and the picture as SVG, from the same scene that is on view.
import { plain } from "../../i18n/rich.ts";
import { decimal, probability } from "../../i18n/format.ts";
import type { Scene } from "./scene.ts";
import { RULES } from "./rules.ts";
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

/** Ruler and map on white, in the light colours, with nothing but plain SVG. `color` gives the colour of a token. */
export function svgOf(scene: Scene, color: (name: string) => string): string {
  const { s, plane, sampled, kept, config, tauAt, result, labels } = scene;
  const nameOf = (id: number, room: number) => cut(labels?.[id] ? `ID ${id} ${labels[id]}` : `ID ${id}`, room);
  const left = 60,
    width = 640,
    x = (u: number) => (left + width * u).toFixed(2);
  const box = (u0: number, u1: number, y: number, height: number, fill: string, more = "") =>
    `<rect x="${x(u0)}" y="${y}" width="${(width * (u1 - u0)).toFixed(2)}" height="${height}" fill="${fill}" ${more}/>`;
  const text = (at: string | number, y: number, words: string, more = "") =>
    `<text x="${at}" y="${y}" ${more}>${escape(words)}</text>`;
  const paint = (id: number, share: number) =>
    `fill-opacity="${share}" stroke="${color(id < 8 ? `--id-${id}-ink` : "--text")}"`;
  const fill = (id: number) => color(id < 8 ? `--id-${id}` : "--edge");
  const mapTop = 120,
    mapHeight = 260;
  const strips = sampled
    ? [
        ...scene.logits.map((_, id) =>
          box(
            sampled.start[id]!,
            sampled.start[id]! + sampled.p[id]!,
            40,
            16,
            fill(id),
            paint(id, kept.includes(id) ? 0.22 : 0),
          ),
        ),
        ...kept.map(id =>
          box(sampled.lo[id]!, sampled.hi[id]!, 72, 34, fill(id), paint(id, id === result.id ? 0.34 : 0.22)),
        ),
        ...kept
          .filter(id => sampled.q[id]! > 0.15)
          .map(id =>
            text(
              x((sampled.lo[id]! + sampled.hi[id]!) / 2),
              94,
              `${nameOf(id, 90 * sampled.q[id]! - 9)} ${probability(sampled.q[id]!)}`,
              'text-anchor="middle"',
            ),
          ),
        text(0, 53, plain(s.figure.before)),
        text(0, 94, plain(s.figure.after)),
      ]
    : [text(x(0.5), 80, plain(s.figure.greedy), 'text-anchor="middle"')];
  const regions = plane.regions.map(
    ({ id, area }) => `<path d="${area}" fill="${fill(id)}" ${paint(id, 0.2)} vector-effect="non-scaling-stroke"/>`,
  );
  const names = plane.regions.flatMap(({ id, rows }) => {
    const [lo, hi] = rows[8]!;
    return hi - lo > 0.08
      ? [text(x((lo + hi) / 2), mapTop + 30, nameOf(id, 90 * (hi - lo)), 'text-anchor="middle"')]
      : [];
  });
  const ticks = plane.ticks.map(({ tau, at }) =>
    text(left - 8, mapTop + mapHeight * at + 4, String(tau), 'text-anchor="end"'),
  );
  const y = mapTop + (sampled ? mapHeight * tauAt : mapHeight + 10);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 440" font-family="sans-serif" font-size="13">`,
    `<rect width="720" height="440" fill="#fff"/>`,
    ...(labels
      ? [text(0, 14, cut(logitsOf(scene), 100)), text(0, 32, settingOf(scene))]
      : [text(0, 20, `${logitsOf(scene)}   ${settingOf(scene)}`)]),
    ...strips,
    `<svg x="${left}" y="${mapTop}" width="${width}" height="${mapHeight}" viewBox="0 0 1000 1000" preserveAspectRatio="none">${regions.join("")}</svg>`,
    `<path d="M${left} ${mapTop}h${width}v${mapHeight}h${-width}ZM${x(config.u)} ${sampled ? 72 : mapTop}V${mapTop + mapHeight}M${left} ${y}h${width}" fill="none" stroke="${color("--accent")}"/>`,
    `<circle cx="${x(config.u)}" cy="${y}" r="6" fill="${color("--accent")}"/>`,
    ...names,
    ...ticks,
    ...[0, 0.25, 0.5, 0.75, 1].map(u => text(x(u), mapTop + mapHeight + 32, String(u), 'text-anchor="middle"')),
    text(x(0.5), mapTop + mapHeight + 50, plain(s.fields.u), 'text-anchor="middle"'),
    text(
      0,
      0,
      plain(s.fields.tau),
      `text-anchor="middle" transform="translate(12 ${mapTop + mapHeight / 2}) rotate(-90)"`,
    ),
    `</svg>`,
  ].join("\n");
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
  `logits ${logits.map((logit, id) => (labels?.[id] ? `${cut(labels[id], 12)}: ${decimal(logit)}` : decimal(logit))).join(labels ? ", " : " ")}`;

const settingOf = ({ config }: Scene): string =>
  [
    `τ = ${decimal(config.tau)}`,
    ...config.rules.map(rule => `${rule === "top_k" ? "k" : RULES[rule]} = ${decimal(config[ruleFields[rule]])}`),
    `u = ${decimal(config.u)}`,
  ].join("   ");
