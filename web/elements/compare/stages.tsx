// The order in which two implementations are compared: logits, distributions, the greedy choice, and only
// then what is drawn.
import type { ViewProps } from "./scene.ts";
import { Heading } from "../../ui/parts.tsx";
import { greedyIds, unequalLogits } from "../../compare/stages.ts";
import { Id } from "./token.tsx";

export function Stage({ number, title }: { readonly number: number; readonly title: string }) {
  return (
    <Heading sub class="stage">
      <span class="num">{number}</span> {title}
    </Heading>
  );
}

export function Logits({ scene: { core, config, s } }: Pick<ViewProps, "scene">) {
  const unequal = unequalLogits(core, config),
    t = s.stages;
  return <p class="line">{!unequal ? t.noLogits : unequal.length ? t.unequal(unequal) : t.equal}</p>;
}

export function Greedy({ scene: { core, config, row, s } }: Pick<ViewProps, "scene">) {
  const ids = greedyIds(core, config),
    t = s.stages;
  if (!ids) return <p class="line">{t.noGreedy}</p>;
  if (ids[0] === ids[1])
    return (
      <p class="line">
        {t.both} <Id id={ids[0]} row={row} />
      </p>
    );
  return (
    <p class="line">
      {config.pair.map((name, side) => (
        <span key={name}>
          {side > 0 && " / "}
          {name} <Id id={ids[side]!} row={row} />
        </span>
      ))}
      {t.apart}
    </p>
  );
}
