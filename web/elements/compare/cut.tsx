// What each of the two compared at the cut: value, threshold, and how far apart they are in steps of floats.
import { minus, probability } from "../../i18n/format.ts";
import type { Trace, TraceRow } from "../../core/trace.ts";
import { Heads, Line } from "../../ui/table.tsx";
import type { Cut } from "../../compare/cut.ts";
import type { ViewProps } from "./scene.ts";
import { logitText } from "./sentences.ts";
import { Id, slotOf } from "./token.tsx";

const valueText = ({ compared }: Trace, x: number): string => (compared === "logit" ? logitText(x) : probability(x));

/** Whole steps, in powers of ten from a million on. */
export const ulpText = (ulps: number): string =>
  minus(Math.abs(ulps) < 1e6 ? String(Math.round(ulps * 10) / 10) : ulps.toExponential(1));

export function CutView({ scene }: Pick<ViewProps, "scene">) {
  const {
      s,
      solved: { pair },
    } = scene,
    cut = pair.cut,
    names = [pair.first.name, pair.second.name],
    c = s.cut;
  if (!cut) return null;
  return (
    <div
      role="group"
      class="cut"
      aria-label={c.name(s.names[cut.setting])}
      aria-busy={pair.reason.kind === "pending" ? "true" : undefined}
    >
      <p class="caption">
        <b>{c.name(s.names[cut.setting])}</b>
        {c.caption}
      </p>
      <ul class="compared">
        {names.map((name, side) => {
          const trace = cut.traces[side]!;
          return (
            <li key={name}>
              {trace.compared
                ? c.compares(name, c.kinds[trace.compared]!, valueText(trace, trace.threshold))
                : c.nothing(name, s.names[cut.setting])}
            </li>
          );
        })}
      </ul>
      <Table cut={cut} names={names} scene={scene} />
    </div>
  );
}

function Table({
  cut,
  names,
  scene: { s, row },
}: { readonly cut: Cut; readonly names: readonly string[] } & Pick<ViewProps, "scene">) {
  const sides = names.map((name, side) => ({ name, trace: cut.traces[side]! })).filter(({ trace }) => trace.compared),
    c = s.cut;
  return (
    <table>
      <caption class="vh">{c.name(s.names[cut.setting])}</caption>
      <Heads of={[s.tokens.id, ...sides.map(({ name }) => name)]} />
      <tbody>
        {cut.ids.map((id, index) => (
          <Line key={id} data-id={slotOf(id, row)} head={<Id id={id} row={row} />}>
            {sides.map(({ name, trace }) => (
              <Compared key={name} trace={trace} row={trace.rows[index]!} words={c} />
            ))}
          </Line>
        ))}
      </tbody>
    </table>
  );
}

function Compared({
  trace,
  row: { found, value, ulps, kept, by_rounding },
  words,
}: {
  readonly trace: Trace;
  readonly row: TraceRow;
  readonly words: ViewProps["scene"]["s"]["cut"];
}) {
  if (!found) return <td class="quiet">{words.gone}</td>;
  return (
    <td class={kept ? undefined : "quiet"}>
      {valueText(trace, value)} {kept ? words.stays : words.goes}
      <small>
        {words.ulps(ulpText(ulps))} {by_rounding && <em>{words.rounding}</em>}
      </small>
    </td>
  );
}
