// The formulas of one candidate, with its own numbers in them.
import type { ComponentChildren } from "preact";
import { decimal, probability } from "../../i18n/format.ts";
import { plain } from "../../i18n/rich.ts";
import { Heading } from "../../ui/parts.tsx";
import { Rich } from "../../ui/rich.tsx";
import type { Sampled } from "../../core/lab.ts";
import { decisionOf } from "./filters.tsx";
import { RULES } from "./rules.ts";
import { STEPS, type Scene, type ViewProps } from "./scene.ts";

export function Work({ scene }: Pick<ViewProps, "scene">) {
  const { s, sampled, step } = scene,
    title = s.work.title(scene.shown);
  return (
    <div class="notes work" role="group" aria-label={plain(title)}>
      <div>
        <Heading sub>
          <Rich of={title} />
        </Heading>
        {sampled ? (
          <Formulas scene={scene} r={sampled} />
        ) : (
          <p>
            <Rich of={s.work.greedy(maxOf(scene))} />
          </p>
        )}
      </div>
      {sampled && step >= STEPS.before && (
        <p class="quiet">
          <Rich of={s.work.sum(decimal(sampled.weight_sum), scene.logits.length)} />
        </p>
      )}
      <p class="quiet no-print">{s.work.hint}</p>
    </div>
  );
}

const maxOf = ({ logits, result }: Scene): string => decimal(logits[result.top]!);

type FormulaProps = { readonly scene: Scene; readonly r: Sampled };

/** As many as there are up to the step on view. */
function Formulas({ scene, r }: FormulaProps) {
  const { s, step, shown: id, config } = scene,
    kept = scene.kept.includes(id);
  return (
    <>
      {step >= STEPS.score && <Score scene={scene} r={r} />}
      {step >= STEPS.before && (
        <Line label={s.work.before}>
          <Fraction>
            <msup>
              <mi>e</mi>
              <Num>{decimal(r.score[id]!)}</Num>
            </msup>
            <Num>{decimal(r.weight_sum)}</Num>
          </Fraction>
          <mo>=</mo>
          <Num>{probability(r.p[id]!)}</Num>
        </Line>
      )}
      {step >= STEPS.keep && scene.filtered && <Decisions scene={scene} />}
      {step >= STEPS.keep && !kept && <p>{s.work.removed}</p>}
      {step >= STEPS.after && kept && config.share === "zeroed" && <p>{s.work.zeroed}</p>}
      {step >= STEPS.after && kept && config.share !== "zeroed" && (
        <Line label={s.work.after}>
          <Fraction>
            <Num>{probability(r.p[id]!)}</Num>
            <Num>{probability(r.kept_mass)}</Num>
          </Fraction>
          <mo>=</mo>
          <Num>{probability(r.q[id]!)}</Num>
        </Line>
      )}
      {step >= STEPS.place && kept && <From scene={scene} r={r} />}
    </>
  );
}

function Score({ scene, r }: FormulaProps) {
  const { s, config, shown: id } = scene;
  return (
    <Line label={s.work.score}>
      <Fraction>
        <mrow>
          <mi>z</mi>
          <mo>−</mo>
          <mi>max</mi>
        </mrow>
        <mi>τ</mi>
      </Fraction>
      <mo>=</mo>
      <Fraction>
        <mrow>
          <Num>{decimal(scene.logits[id]!)}</Num>
          <mo>−</mo>
          <Num>{maxOf(scene)}</Num>
        </mrow>
        <Num>{decimal(config.tau)}</Num>
      </Fraction>
      <mo>=</mo>
      <Num>{decimal(r.score[id]!)}</Num>
    </Line>
  );
}

/** Where the interval begins: the shares before it, added. */
function From({ scene: { s, kept, shown: id }, r }: FormulaProps) {
  return (
    <Line label={s.work.from}>
      {kept
        .filter(other => other < id)
        .map((other, index) => (
          <>
            {index > 0 && <mo>+</mo>}
            <msub>
              <mi>q</mi>
              <mn>{other}</mn>
            </msub>
          </>
        ))}
      {kept[0] !== id && <mo>=</mo>}
      <Num>{probability(r.lo[id]!)}</Num>
    </Line>
  );
}

/** What each filter that found the candidate compared it with. */
function Decisions({ scene }: Pick<FormulaProps, "scene">) {
  const { stages, shown: id } = scene;
  return stages
    .filter(({ step }) => step.rank[id])
    .map(stage => (
      <div key={stage.rule} class="formula">
        <span>④ {RULES[stage.rule]}</span>
        <span>{decisionOf(scene, stage, id)}</span>
      </div>
    ));
}

function Line({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="formula">
      <span>{label}</span>
      <math>
        <mrow>{children}</mrow>
      </math>
    </div>
  );
}

function Fraction({ children }: { children: ComponentChildren }) {
  return <mfrac>{children}</mfrac>;
}

function Num({ children }: { children: string }) {
  return <mn>{children}</mn>;
}
