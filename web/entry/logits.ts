// The second script: real logits of SmolLM2-135M-Instruct at three positions, and the pieces of its vocabulary, for
// <smp-compare>. The rows are those of tests/vectors/logits that say most (temperature 0.7, top-k 40, top-p 0.9):
// a/00, the first word of an answer, the row of docs and vectors (transformers keeps 11, candle 14, TV 0.024);
// c/05, where many words would do (19 against 38, TV 0.093, and the default top-k 50 alone removes 0.075);
// c/00, where one word has 0.976: there every library keeps the same.
import first from "../../tests/vectors/logits/a/00.f32";
import sure from "../../tests/vectors/logits/c/00.f32";
import open from "../../tests/vectors/logits/c/05.f32";
import pieces from "../../tests/vectors/logits/pieces.txt";
import { publish } from "../elements/compare/positions.ts";

publish([
  { name: "first", title: { zh: "回答的第一个词", en: "First word of an answer" }, ...first, pieces },
  { name: "open", title: { zh: "接什么都行", en: "Many words would do" }, ...open, pieces },
  { name: "sure", title: { zh: "几乎只有一个词", en: "One word is almost sure" }, ...sure, pieces },
]);
