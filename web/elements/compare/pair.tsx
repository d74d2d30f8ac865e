// All pairs as distances, and one pair closely: why, where it begins, and the tokens around the cut.
import type { ComponentChildren } from "preact";
import { probability } from "../../i18n/format.ts";
import { Heading } from "../../ui/parts.tsx";
import { Select } from "../../ui/select.tsx";
import { Heads, Line } from "../../ui/table.tsx";
import { Rich } from "../../ui/rich.tsx";
import { aroundOf } from "../../compare/around.ts";
import { apart } from "../../compare/explain.ts";
import { profileOf, type ViewProps } from "./scene.ts";
import { distance, logitText, prose, reasonText, settingText } from "./sentences.ts";
import { keeps, onlyIn, probabilityOf } from "../../compare/run.ts";
import { Id, slotOf } from "./token.tsx";

/** Ids that are named one by one. */
const NAMED = 8;

export function Matrix({ scene, act }: ViewProps) {
  const { s, solved, config } = scene,
    names = config.engines;
  return (
    <div role="group" class="matrix" aria-label={s.matrix.name}>
      <p class="caption">
        <b>{s.matrix.name}</b>
        {s.matrix.caption}
      </p>
      <div class="scroller" tabIndex={0} role="group" aria-label={s.matrix.table}>
        <table>
          <caption class="vh">{s.matrix.table}</caption>
          <Heads of={["", ...names.slice(0, -1)]} />
          <tbody>
            {names.slice(1).map((name, index) => (
              <Line key={name} head={name}>
                {names.slice(0, -1).map((other, column) => {
                  if (column > index) return <td key={other} />;
                  const gap = solved.gaps[index + 1]![column],
                    waits = solved.runs[index + 1]!.waiting || solved.runs[column]!.waiting,
                    tv = gap ? distance(gap.total_variation) : waits ? s.matrix.waits : s.matrix.none;
                  return (
                    <td key={other}>
                      <button
                        type="button"
                        class={apart(gap ?? null) ? "differs" : undefined}
                        aria-label={s.matrix.cell(other, name, tv)}
                        aria-pressed={config.pair.includes(name) && config.pair.includes(other)}
                        onClick={() => act.pair(other, name)}
                      >
                        {gap ? tv : waits ? "…" : "—"}
                      </button>
                    </td>
                  );
                })}
              </Line>
            ))}
          </tbody>
        </table>
      </div>
      <Refusals scene={scene} />
    </div>
  );
}

function Refusals({ scene: { s, solved } }: Pick<ViewProps, "scene">) {
  const silent = solved.runs.filter(run => !run.distribution && !run.waiting);
  if (!silent.length) return null;
  return (
    <ul class="refusals" aria-label={s.refusals}>
      {silent.map(({ name, refusal, closed }) => (
        <li key={name}>
          {refusal === undefined ? (
            s.closed(name, closed ?? "")
          ) : (
            <>
              {s.says(name)} <q lang="en">{refusal}</q>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

export function PairView({ scene, act }: ViewProps) {
  const { s, config, solved } = scene,
    [first, second] = config.pair;
  const choose = (label: string, value: string, other: string, onChoose: (name: string) => void) => (
    <Select label={label} value={value} values={config.engines} isOff={name => name === other} onChoose={onChoose} />
  );
  return (
    <div
      role="group"
      class="pair"
      aria-label={s.pair.title(first, second)}
      aria-busy={solved.pair.reason.kind === "pending" ? "true" : undefined}
    >
      <Heading sub>
        {choose(s.pair.first, first, second, name => act.pair(name, second))} <span class="quiet">↔</span>{" "}
        {choose(s.pair.second, second, first, name => act.pair(first, name))}
      </Heading>
      <p class="why">
        <strong>{s.why.label}</strong> {reasonText(scene)}
      </p>
      <Figures scene={scene} />
      <ul class="sources" aria-label={s.sources.label}>
        {[first, second].map(name => {
          const { how, version, date, source } = profileOf(scene, name);
          return (
            <li key={name}>{s.sources.line(name, s.how[how!]!, String(version), String(date), String(source))}</li>
          );
        })}
      </ul>
      {solved.pair.reason.ladder.length > 0 && <Ladder scene={scene} />}
    </div>
  );
}

function Figures({ scene }: Pick<ViewProps, "scene">) {
  const {
      s,
      solved: { pair },
    } = scene,
    { first, second, gap } = pair;
  if (!gap || !first.distribution || !second.distribution) return null;
  const p = s.pair,
    ids = (list: readonly number[], mass: number): ComponentChildren =>
      list.length ? (
        <>
          {list.slice(0, NAMED).map(id => (
            <Id key={id} id={id} row={scene.row} />
          ))}
          {list.length > NAMED && <span class="nb">{p.more(list.length)}</span>}{" "}
          <span class="num">{p.mass(probability(mass))}</span>
        </>
      ) : (
        p.nobody
      );
  const lines: readonly (readonly [string, ComponentChildren])[] = [
    [p.kept, p.keptOf(first.name, first.distribution.ids.length, second.name, second.distribution.ids.length)],
    ["TV", <span class="num">{distance(gap.total_variation)}</span>],
    [p.most, <Rich of={p.mostAt(distance(gap.max_difference), gap.max_id)} />],
    [p.rounding, pair.byRounding ? p.roundingYes : p.roundingNo],
    [p.only(first.name), ids(onlyIn(first, second), gap.only_p)],
    [p.only(second.name), ids(onlyIn(second, first), gap.only_q)],
  ];
  return (
    <dl class="figures">
      {lines.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Ladder({ scene }: Pick<ViewProps, "scene">) {
  const {
      s,
      solved: { pair },
    } = scene,
    { reason, first, second } = pair,
    at = "at" in reason ? reason.at : undefined;
  return (
    <table class="ladder">
      <caption>
        <b>{s.ladder.name}</b>
        {s.ladder.caption}
      </caption>
      <Heads of={[s.ladder.setting, s.ladder.kept(first.name), s.ladder.kept(second.name), "TV"]} />
      <tbody>
        {reason.ladder.map(({ setting, values, kept, gap }) => (
          <Line key={setting} class={setting === at ? "bite" : undefined} head={settingText(scene, setting, values)}>
            {kept ? kept.map((count, side) => <td key={side}>{count}</td>) : <td colSpan={2}>{s.ladder.refused}</td>}
            <td>
              {gap ? distance(gap.total_variation) : "—"} {setting === at && <em>{s.ladder.apart}</em>}
            </td>
          </Line>
        ))}
      </tbody>
    </table>
  );
}

export function Tokens({ scene }: Pick<ViewProps, "scene">) {
  const { m, s, config, solved } = scene,
    { first, second } = solved.pair,
    t = s.tokens;
  const { ids, above, below, plain } = aroundOf(config, first, second),
    others = above + below;
  return (
    <div role="group" class="tokens" aria-label={t.name}>
      <table role="table">
        <caption>
          <b>{t.name}</b>
          {prose(
            m,
            t.caption,
            others > 0 && !plain && t.others(others),
            plain && above > 0 && t.above(above),
            plain && below > 0 && t.below(below),
          )}
        </caption>
        <Heads of={[t.id, t.logit, first.name, second.name, t.who]} />
        <tbody role="rowgroup">
          {ids.map(id => {
            const one = keeps(first, id),
              two = keeps(second, id);
            return (
              <Line
                key={id}
                data-id={slotOf(id, scene.row)}
                class={one !== two ? "split" : one ? undefined : "removed"}
                head={<Id id={id} row={scene.row} />}
              >
                <td role="cell">{logitText(config.logits[id]!)}</td>
                {[first, second].map(run => (
                  <td role="cell" key={run.name} class={keeps(run, id) ? undefined : "quiet"}>
                    {run.distribution ? probability(probabilityOf(run, id)) : "—"}
                  </td>
                ))}
                <td role="cell" class="who">
                  {one && two ? t.both : one ? t.only(first.name) : two ? t.only(second.name) : t.none}
                </td>
              </Line>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
