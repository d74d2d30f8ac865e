// The page side of the suite, bundled into one classic script with all vectors, so that it runs from disk and in a
// sandboxed frame, where nothing can be fetched. Sends its report to the page around it, or to itself.
import * as api from "../../../dist/sampling-lab.mjs";
import vectors from "../../vectors/softmax64.json";
import batches from "../../vectors/stop.json";
import { digestOfEverything } from "../../node/digest.mjs";
import { model, rows, simd, scalar } from "suite:files";
import "./sampling.mjs";
import "./stopping.mjs";
import "./both.mjs";
import { runAll, same, test } from "./tools.mjs";

const plain = api.instantiate(scalar); // what every browser can run
const floats = bytes => new Float32Array(bytes.slice().buffer);

/** The digest of a module, where the address asks for digests and the browser knows its instructions; else null. */
async function digest(bytes) {
  if (location.search !== "?digests" || !WebAssembly.validate(bytes)) return null;
  return digestOfEverything(api, await api.instantiate(bytes), vectors, name => floats(rows[name]), model);
}

for (const { id, candidates, max_new_tokens, eos_id, pad_id, new_tokens } of batches.cases)
  test(
    `stop.json ${id}`,
    async () => {
      const { cells, columns } = api.stop(await plain, candidates, {
        eos: [eos_id].flat(),
        pad: pad_id,
        maxNewTokens: max_new_tokens,
      });
      same(
        cells.map(row => row.slice(0, columns).map(cell => cell.appended)),
        new_tokens,
      );
    },
    { once: true },
  );

async function report() {
  const digests = { simd: await digest(simd), scalar: await digest(scalar) };
  return { digests, ...(await runAll()), heard };
}

addEventListener("load", async () => parent.postMessage(await report(), "*"));
