// What a porter does next: make one library do as the other, find a row on which they differ, and set document 000's
// figures beside these. Each opens on demand and costs nothing while it is closed.
import type { ComponentChildren } from "preact";
import { Press } from "../../ui/press.tsx";
import { Heads, Line } from "../../ui/table.tsx";
import { MOST } from "../../compare/search.ts";
import { migrationOf, type Migration } from "../../compare/migrate.ts";
import { codeOf } from "../../compare/codegen.ts";
import type { Scene, Tool, ViewProps } from "./scene.ts";
import { distance, prose, reasonText } from "./sentences.ts";
import { part } from "../../compare/slices.ts";
import type { Run } from "../../compare/run.ts";
import { DOCUMENT, figuresOf, type Figures } from "../../compare/stages.ts";

export function Tools({ scene, act }: ViewProps) {
  const { s } = scene;
  const tool = (name: Tool, title: string, view: () => ComponentChildren) => (
    <details key={name} open={scene.open.includes(name)} onToggle={event => act.open(name, event.currentTarget.open)}>
      <summary>{title}</summary>
      {scene.open.includes(name) && view()}
    </details>
  );
  return (
    <div role="group" class="tools" aria-label={s.tools}>
      {tool("migrate", s.migrate.title, () => (
        <Moves scene={scene} />
      ))}
      {tool("hunt", s.hunt.title, () => (
        <Hunting scene={scene} act={act} />
      ))}
      {tool("document", s.document.title, () => (
        <Beside scene={scene} />
      ))}
    </div>
  );
}

/** Found once for a setting. */
const moving = ({ core, config }: Scene, from: Run, to: Run): Migration =>
  part(config.logits, JSON.stringify(["move", from.name, to.name, config.settings, config.context]), () =>
    migrationOf(core, config, from, to),
  );

function Moves({ scene }: Pick<ViewProps, "scene">) {
  const {
      solved: { pair, pending },
      s,
    } = scene,
    { first, second } = pair;
  if (pending) return <p class="quiet">{s.why.pending}</p>; // not while a slider moves
  return (
    <div class="moved">
      {[
        [first, second],
        [second, first],
      ].map(([from, to]) => (
        <Moved key={to!.name} scene={scene} migration={moving(scene, from!, to!)} />
      ))}
    </div>
  );
}

function Moved({
  scene,
  migration: { from, to, before, move, lacks },
}: {
  readonly scene: Scene;
  readonly migration: Migration;
}) {
  const { s } = scene,
    t = s.migrate,
    code = move && codeOf(scene.core, to, move);
  return (
    <div role="group" aria-label={t.heading(from, to)}>
      <h4>{t.heading(from, to)}</h4>
      {!move && <p>{lacks ? t.lacks(to, s.names[lacks]) : t.none(reasonText(scene))}</p>}
      {move && (
        <>
          <p>
            {prose(
              scene.m,
              t[move.way],
              t.fell(before ? distance(before.total_variation) : s.matrix.none, distance(move.gap.total_variation)),
              move.differs
                ? (new Set(move.differs).size < move.differs.length ? t.equals : t.differs)(move.differs.join(" "))
                : t.agree(move.tried),
            )}
          </p>
          {code ? (
            <pre class="scroller" tabIndex={0} role="group" aria-label={`${code.language}: ${t.heading(from, to)}`}>
              <code>{code.text}</code>
            </pre>
          ) : (
            <p>
              {t.settingsAre(
                move.plan.greedy
                  ? s.value("temperature", 0)
                  : move.plan.ops.map(({ setting, value }) => `${setting} ${value}`).join(", "),
              )}
            </p>
          )}
        </>
      )}
    </div>
  );
}

function Hunting({ scene, act }: ViewProps) {
  const { s, hunt, m } = scene,
    t = s.hunt,
    busy = hunt !== null && !hunt.over,
    grouped = (count: number) => count.toLocaleString(m.locale);
  return (
    <div class="hunting">
      <p class="hint">{t.hint(MOST)}</p>
      <div class="moves">
        <Press off={busy} onPress={act.hunt}>
          {t.start}
        </Press>
        <Press off={!busy} onPress={act.endHunt}>
          {s.draws.cancel}
        </Press>
        {hunt?.over && hunt.row && (
          <button type="button" onClick={() => act.field("logits", hunt.row!.join(" "), true)}>
            {t.take}
          </button>
        )}
      </div>
      {hunt && (
        <p class="tally">
          {hunt.row
            ? t.found(hunt.row.join(" "), grouped(hunt.tried))
            : busy
              ? t.tried(grouped(hunt.tried))
              : hunt.tried
                ? t.none(grouped(hunt.tried))
                : t.nothing}
        </p>
      )}
    </div>
  );
}

function Beside({ scene: { core, config, s } }: Pick<ViewProps, "scene">) {
  const t = s.document,
    ours = figuresOf(core, config),
    both = (pick: (figures: Figures) => string) => [pick(DOCUMENT), pick(ours)];
  const lines: readonly (readonly [string, readonly string[]])[] = [
    [t.kept, both(({ kept }) => kept.join(" / "))],
    [t.tv, both(({ tv }) => short(tv))],
    [t.outside, both(({ outside }) => `${(100 * outside).toFixed(2)} %`)],
    [t.bare, both(({ tvBare }) => short(tvBare))],
    [t.changed, both(({ changed }) => changed.join(" / "))],
    [t.most, both(({ most }) => String(Math.round(most * 100) / 100))],
  ];
  return (
    <table class="beside">
      <caption>{t.caption}</caption>
      <Heads of={["", t.theirs, t.ours]} />
      <tbody>
        {lines.map(([name, values]) => (
          <Line key={name} head={name}>
            {values.map((value, side) => (
              <td key={side}>{value}</td>
            ))}
          </Line>
        ))}
      </tbody>
    </table>
  );
}

/** Four decimals, as the document gives distances. */
const short = (x: number): string => (x < 5e-5 ? distance(x) : x.toFixed(4));
