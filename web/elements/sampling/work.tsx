// The formulas of one candidate, with its own numbers in them.
import type { ComponentChildren } from "preact";
import { decimal, probability } from "../../i18n/format.ts";
import { plain } from "../../i18n/rich.ts";
import { Rich } from "../../ui/rich.tsx";
import { STEPS, type ViewProps } from "./scene.ts";

export function Work({ scene }: Pick<ViewProps, "scene">) {
  const { s, sampled, shown: id, config, result, step, kept } = scene;
  const max = decimal(scene.logits[result.top]!);
  const title = s.work.title(id);
  return (
    <aside class="notes work" aria-label={plain(title)}>
      <div>
        <h3>
          <Rich of={title} />
        </h3>
        {!sampled && (
          <p>
            <Rich of={s.work.greedy(max)} />
          </p>
        )}
        {sampled && step >= STEPS.score && (
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
                <Num>{max}</Num>
              </mrow>
              <Num>{decimal(config.tau)}</Num>
            </Fraction>
            <mo>=</mo>
            <Num>{decimal(sampled.score[id]!)}</Num>
          </Line>
        )}
        {sampled && step >= STEPS.before && (
          <Line label={s.work.before}>
            <Fraction>
              <msup>
                <mi>e</mi>
                <Num>{decimal(sampled.score[id]!)}</Num>
              </msup>
              <Num>{decimal(sampled.weight_sum)}</Num>
            </Fraction>
            <mo>=</mo>
            <Num>{probability(sampled.p[id]!)}</Num>
          </Line>
        )}
        {sampled && step >= STEPS.keep && !kept.includes(id) && <p>{s.work.removed}</p>}
        {sampled && step >= STEPS.after && kept.includes(id) && config.share === "zeroed" && <p>{s.work.zeroed}</p>}
        {sampled && step >= STEPS.after && kept.includes(id) && config.share !== "zeroed" && (
          <Line label={s.work.after}>
            <Fraction>
              <Num>{probability(sampled.p[id]!)}</Num>
              <Num>{probability(sampled.kept_mass)}</Num>
            </Fraction>
            <mo>=</mo>
            <Num>{probability(sampled.q[id]!)}</Num>
          </Line>
        )}
        {sampled && step >= STEPS.place && kept.includes(id) && (
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
            <Num>{probability(sampled.lo[id]!)}</Num>
          </Line>
        )}
      </div>
      {sampled && step >= STEPS.before && (
        <p class="quiet">
          <Rich of={s.work.sum(decimal(sampled.weight_sum), scene.logits.length)} />
        </p>
      )}
      <p class="quiet no-print">{s.work.hint}</p>
    </aside>
  );
}

function Line({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="line">
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
