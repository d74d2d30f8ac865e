// What the first two elements say, as one tree: what all elements share, the words of <smp-sampling>, and those of
// <smp-stopping> under `stopping`.
import { messages as sampling } from "../web/elements/sampling/messages.languages";
import { messages as stopping } from "../web/elements/stopping/messages.languages";
import { messages as common } from "../web/i18n/messages.languages";

function treeOf(lang) {
  const shared = common[lang],
    own = sampling[lang];
  return {
    ...shared,
    ...own,
    presets: { ...shared.presets, names: own.presets },
    quiz: { ...shared.quiz, ...own.quiz },
    steps: { ...shared.steps, ...own.steps },
    stopping: stopping[lang],
  };
}

export const zh = treeOf("zh"),
  en = treeOf("en");
