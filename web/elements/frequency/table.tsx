// Counts beside what was to be expected, and the same stream at every power of ten.
import { minus } from "../../i18n/format.ts";
import { Rich, Token } from "../../ui/rich.tsx";
import { Heads, Line } from "../../ui/table.tsx";
import { bands } from "../../core/frequency.ts";
import type { Scene, ViewProps } from "./scene.ts";

export const signed = (x: number, digits: number): string => {
  const text = minus(x.toFixed(digits));
  return x > 0 ? `+${text}` : text;
};

export function CountTable({ scene, act }: ViewProps) {
  const { s, m, looked, run, lit } = scene;
  if (!looked) return null;
  const all = [...run.candidates.p.keys()],
    grouped = (n: number) => n.toLocaleString(m.locale);
  return (
    <table class="tallied">
      <caption>
        <b>{s.table.name}</b>
        {s.table.caption(grouped(looked.n))}
      </caption>
      <Heads of={s.table.heads} />
      <tbody role="rowgroup">
        {all.map(id => {
          const count = looked.counts[id]!,
            band = looked.bands[id]!,
            gone = run.candidates.p[id] === 0;
          return (
            <Line
              key={id}
              class={gone ? "removed" : lit === id ? "raised" : undefined}
              data-id={id}
              head={<Token id={id} />}
              onPointerEnter={() => act.point(id)}
              onPointerLeave={() => act.point(null)}
            >
              <td role="cell" class="num">
                <b>{grouped(count)}</b>
              </td>
              <td role="cell" class="num">
                {gone ? "0" : band.expected.toFixed(3)}
              </td>
              {gone ? (
                <td role="cell" colSpan={3}>
                  {s.table.removed}
                </td>
              ) : (
                <>
                  <td role="cell" class="num">
                    {signed(count - band.expected, 3)}
                  </td>
                  <td role="cell" class="num">
                    {band.count_error.toFixed(3)}
                  </td>
                  <td role="cell" class="zcell">
                    <span class="num">{signed(looked.fit.z[id]!, 3)}</span>
                    <Deviation z={looked.fit.z[id]!} />
                  </td>
                </>
              )}
            </Line>
          );
        })}
      </tbody>
      <tfoot role="rowgroup">
        <Line head={s.table.total}>
          <td role="cell" class="num">
            {grouped(looked.n)}
          </td>
          <td role="cell" class="num">
            {grouped(looked.n)}
          </td>
          <td role="cell" colSpan={2} />
          <td role="cell" class="zaxis" aria-hidden="true">
            {[-3, -2, 0, 2, 3].map(z => (
              <span key={z} style={{ "--x": (z + 3) / 6 }}>
                {minus(String(z))}
              </span>
            ))}
          </td>
        </Line>
      </tfoot>
    </table>
  );
}

/** A dot on the fixed scale from -3 to 3; beyond it, at its end. */
function Deviation({ z }: { z: number }) {
  return (
    <span class="zed" aria-hidden="true">
      <i style={{ "--x": (Math.max(-3, Math.min(3, z)) + 3) / 6 }} />
    </span>
  );
}

export function DecadeTable({ scene }: { scene: Scene }) {
  const { s, m, core, run, about } = scene,
    p = run.candidates.p[about]!;
  const marks = run.marks.filter(({ n }) => n >= 10 && (isPower(n) || n === run.config.draws));
  if (marks.length === 0 || scene.kept.length === 1) return null;
  const around = bands(
    core,
    p,
    marks.map(({ n }) => n),
  );
  return (
    <table class="decades">
      <caption>
        <b>{s.table.name}</b>
        <Rich of={s.decades.caption(about)} />
      </caption>
      <Heads of={s.decades.heads} />
      <tbody role="rowgroup">
        {marks.map(({ n, counts }, index) => (
          <Line key={n} head={<span class="num">{n.toLocaleString(m.locale)}</span>}>
            <td role="cell" class="num">
              {counts[about]!.toLocaleString(m.locale)}
            </td>
            <td role="cell" class="num">
              {(counts[about]! / n).toFixed(6)}
            </td>
            <td role="cell" class="num">
              {signed(counts[about]! / n - p, 6)}
            </td>
            <td role="cell" class="num">
              {(2 * around[index]!.error).toFixed(6)}
            </td>
          </Line>
        ))}
      </tbody>
    </table>
  );
}

const isPower = (n: number): boolean => /^10*$/.test(String(n));

export function csvOf({ s, looked, run, config }: Scene): string {
  const lines = [...run.candidates.p.keys()].map(id =>
    [
      id,
      config.logits[id],
      run.candidates.p[id],
      looked?.counts[id] ?? 0,
      looked?.bands[id]?.expected ?? 0,
      looked?.fit.z[id] ?? 0,
    ].join(","),
  );
  const settings = `# tau ${config.tau}, k ${config.k}, N ${looked?.n ?? 0}, ${config.source}${config.replacement ? ", replacement" : ""}, seed ${config.seed}`;
  return `${settings}\n${s.csv.join(",")}\n${lines.join("\n")}\n`;
}
