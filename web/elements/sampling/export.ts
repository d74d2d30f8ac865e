// The table as CSV and the picture as SVG, from the same scene that is on view.
import { plain } from "../../i18n/rich.ts";
import { decimal, probability } from "../../i18n/format.ts";
import type { Scene } from "./scene.ts";
import { exact } from "./state.ts";

/** Every number in full: the shortest decimals that read back as the same doubles. In English whatever the language:
    for scripts, and for spreadsheets that guess another encoding. */
export function csvOf({ logits, sampled, result, kept }: Scene): string {
  const rows = logits.map((logit, id) => [
    id,
    exact(logit),
    ...(sampled ? [exact(sampled.score[id]!), sampled.p[id], sampled.q[id]] : ["", "", ""]),
    ...(sampled && kept.includes(id) ? [sampled.lo[id], sampled.hi[id]] : ["", ""]),
    result.id === id ? "chosen" : !sampled ? "" : kept.includes(id) ? "kept" : "removed",
  ]);
  return [["id", "logit", "score", "p", "q", "lo", "hi", "state"], ...rows].map(row => `${row.join(",")}\r\n`).join("");
}

/** Ruler and map on white, in the light colours, with nothing but plain SVG. `color` gives the colour of a token. */
export function svgOf(scene: Scene, color: (name: string) => string): string {
  const { s, plane, sampled, kept, config, tauAt, result } = scene;
  const left = 60,
    width = 640,
    x = (u: number) => (left + width * u).toFixed(2);
  const box = (u0: number, u1: number, y: number, height: number, fill: string, more = "") =>
    `<rect x="${x(u0)}" y="${y}" width="${(width * (u1 - u0)).toFixed(2)}" height="${height}" fill="${fill}" ${more}/>`;
  const text = (at: string | number, y: number, words: string, more = "") =>
    `<text x="${at}" y="${y}" ${more}>${escape(words)}</text>`;
  const paint = (id: number, share: number) => `fill-opacity="${share}" stroke="${color(`--id-${id}-ink`)}"`;
  const fill = (id: number) => color(`--id-${id}`);
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
              `ID ${id} ${probability(sampled.q[id]!)}`,
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
    return hi - lo > 0.08 ? [text(x((lo + hi) / 2), mapTop + 30, `ID ${id}`, 'text-anchor="middle"')] : [];
  });
  const ticks = plane.ticks.map(({ tau, at }) =>
    text(left - 8, mapTop + mapHeight * at + 4, String(tau), 'text-anchor="end"'),
  );
  const y = mapTop + (sampled ? mapHeight * tauAt : mapHeight + 10);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 420" font-family="sans-serif" font-size="13">`,
    `<rect width="720" height="420" fill="#fff"/>`,
    text(
      0,
      20,
      `logits ${scene.logits.map(decimal).join(" ")}   τ = ${decimal(config.tau)}   k = ${config.k}   u = ${decimal(config.u)}`,
    ),
    ...strips,
    `<svg x="${left}" y="${mapTop}" width="${width}" height="${mapHeight}" viewBox="0 0 1000 1000" preserveAspectRatio="none">${regions.join("")}</svg>`,
    `<path d="M${left} ${mapTop}h${width}v${mapHeight}h${-width}ZM${x(config.u)} ${sampled ? 72 : mapTop}V${mapTop + mapHeight}M${left} ${y}h${width}" fill="none" stroke="${color("--accent")}"/>`,
    `<circle cx="${x(config.u)}" cy="${y}" r="6" fill="${color("--accent")}"/>`,
    ...names,
    ...ticks,
    ...[0, 0.25, 0.5, 0.75, 1].map(u => text(x(u), mapTop + mapHeight + 32, String(u), 'text-anchor="middle"')),
    `</svg>`,
  ].join("\n");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
