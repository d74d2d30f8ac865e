// The script of a model, added to a page by hand: what it writes there is what smp writes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { alone } from "../native/commands.mjs";
import { start } from "./support.mjs";

const { lab, base } = await start();

test("sampling-lab-model-zh.js: a quatrain of the page is that of smp, and nothing else is asked for", async () => {
  const page = await lab("", { script: "sampling-lab-model-zh.js" });
  const poem = await page.evaluate(async () => {
    const api = await import("/dist/core.mjs"),
      core = await api.load(),
      model = api.modelNamed(core, "zh");
    const steps = [
      ["temperature", 0.8],
      ["top_k", 40],
    ];
    const tokens = [...api.generate(core, model, { prompt: "明月", steps, seed: "42", maxNewTokens: 40 })];
    return api.decode(core, model, [...api.encode(core, model, "明月"), ...tokens.map(({ id }) => id)]);
  });
  const words = "generate --model zh --prompt 明月 --temperature 0.8 --top-k 40 --seed 42 --max-new 40";
  const { status, stdout, stderr } = alone(words.split(" "));
  assert.deepEqual([status, stderr], [0, ""]);
  assert.match(poem, /^明月.{3}，.{5}。.{5}，.{5}。$/u);
  assert.equal(`${poem}\n`, stdout);
  assert.deepEqual(page.heard.messages, []);
  assert.deepEqual(page.heard.requests.slice(1), [`${base}/dist/sampling-lab-model-zh.js`, `${base}/dist/core.mjs`]);
});
