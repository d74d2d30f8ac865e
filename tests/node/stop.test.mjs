// Stop protocols through the module and through the command line: 207 batches of the real `generate`, and the op.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, cores, readVectors, SMALL_BATCH } from "./support.mjs";

const core = cores.simd;
const { cases } = readVectors("stop.json");
const ask = line => JSON.parse(api.evaluateLine(core, JSON.stringify(line)));
const STREAMS = {
  op: "stop",
  candidates: [
    [5, 1, 6, 7],
    [7, 8, 1, 9],
    [11, 2, 3, 4],
  ],
  eos: [1],
  pad: 0,
  max_new_tokens: 4,
};

test("the file holds what the real system answered", () => assert.equal(cases.length, 207));

for (const { id, candidates, max_new_tokens, eos_id, pad_id, new_tokens } of cases)
  test(`stop.json ${id}`, () => {
    const options = { eos: [eos_id].flat(), pad: pad_id, maxNewTokens: max_new_tokens };
    for (const each of Object.values(cores)) {
      const { cells, columns, stopped } = api.stop(each, candidates, options);
      assert.equal(stopped, true);
      assert.deepEqual(
        cells.map(row => row.slice(0, columns).map(cell => cell.appended)),
        new_tokens,
      );
    }
    const answer = ask({ op: "stop", candidates, eos: eos_id, pad: pad_id, max_new_tokens, rule: "latch" });
    assert.deepEqual(answer.new_tokens, new_tokens);
    assert.equal(answer.steps.length, new_tokens[0].length);
  });

test("the op: every field of a small batch", () => {
  assert.deepEqual(ask(SMALL_BATCH), {
    new_tokens: [
      [1, 0],
      [22, 1],
    ],
    finish: ["eos", "eos"],
    stop_step: [1, 2],
    steps: [
      {
        candidate: [1, 22],
        finished_before: [false, false],
        appended: [1, 22],
        finished_after: [true, false],
        batch_finished: false,
      },
      {
        candidate: [20, 1],
        finished_before: [true, false],
        appended: [0, 1],
        finished_after: [true, true],
        batch_finished: true,
      },
    ],
    counters: { pad: 1, lost: 0, lost_eos: 0, junk: 0, idle: 1 },
  });
  assert.deepEqual(ask({ ...SMALL_BATCH, rule: undefined }), ask(SMALL_BATCH), "latch where no rule is given");
});

test("the op: a wrong rule cuts, another runs on", () => {
  const any = ask({ ...STREAMS, rule: "any" });
  assert.deepEqual(any.new_tokens, [
    [5, 1],
    [7, 8],
    [11, 2],
  ]);
  assert.deepEqual(any.finish, ["eos", "cut", "cut"]);
  assert.deepEqual(any.stop_step, [2, 2, 2]);
  assert.deepEqual(any.counters, { pad: 0, lost: 2, lost_eos: 1, junk: 0, idle: 0 });
  const same = ask({ ...STREAMS, rule: "same-step" });
  assert.deepEqual(same.new_tokens, STREAMS.candidates);
  assert.deepEqual(same.finish, ["eos", "eos", "length"]);
  assert.deepEqual(same.counters, { pad: 0, lost: 0, lost_eos: 0, junk: 3, idle: 3 });
});

test("the op: EOS as a list, one id, or none", () => {
  const tokens = eos => ask({ ...STREAMS, eos }).new_tokens;
  assert.deepEqual(tokens(1), tokens([1]));
  assert.deepEqual(tokens([6, 1, 8, 11]), [
    [5, 1],
    [7, 8],
    [11, 0],
  ]);
  for (const none of [null, [], undefined]) assert.deepEqual(tokens(none), STREAMS.candidates);
  assert.deepEqual(ask({ ...STREAMS, eos: [], rule: "scalar" }).new_tokens, STREAMS.candidates);
});

test("the op: refusals are error lines that point at the place", () => {
  const refusals = [
    [{ rule: "scalar" }, "ERR_REFUSED", "rule", 1],
    [{ rule: "single" }, "ERR_REFUSED", "rule", 0],
    [{ rule: "latchet" }, "ERR_PARAM", "rule", 0],
    [{ candidates: [] }, "ERR_EMPTY", "candidates", 0],
    [{ candidates: [[1, 2, 3, 4], []] }, "ERR_EMPTY", "candidates", 1],
    [
      {
        candidates: [
          [1, 2, 3, 4],
          [5, 2, 3],
        ],
      },
      "ERR_SHORT",
      "candidates",
      1,
    ],
    [{ candidates: Array(65).fill([1, 2, 3, 4]) }, "ERR_LENGTH", "candidates", 0],
    [{ candidates: Array(1e5).fill([1, 2, 3, 4]) }, "ERR_LENGTH", "candidates", 0],
    [{ candidates: [Array(1025).fill(1)] }, "ERR_LENGTH", "candidates", 0],
    [{ candidates: [Array(4).fill(1), Array(5e6).fill(1)] }, "ERR_LENGTH", "candidates", 1],
    [{ candidates: [[1, 2, 3, 4.5]] }, "ERR_PARAM", "candidates", 3],
    [{ candidates: [[1, 2, 3, 2 ** 32 - 1]] }, "ERR_PARAM", "candidates", 3],
    [{ candidates: [[1, 2, 3, -1]] }, "ERR_PARAM", "candidates", 3],
    [{ candidates: [[1, 2, 3, "x"]] }, "ERR_PARAM", "candidates", 3],
    [{ candidates: [1] }, "ERR_PARAM", "candidates", 0],
    [{ candidates: 1 }, "ERR_PARAM", "candidates", 0],
    [{ eos: "EOS" }, "ERR_PARAM", "eos", 0],
    [{ eos: [1, -1] }, "ERR_PARAM", "eos", 1],
    [{ eos: Array(65).fill(1) }, "ERR_LENGTH", "eos", 0],
    [{ pad: 2 ** 32 - 1 }, "ERR_PARAM", "pad", 0],
    [{ max_new_tokens: 0 }, "ERR_PARAM", "max_new_tokens", 0],
    [{ max_new_tokens: 2.5 }, "ERR_PARAM", "max_new_tokens", 0],
    [{ max_new_tokens: 1025 }, "ERR_PARAM", "max_new_tokens", 0],
    [{ max_new_tokens: 1e9 }, "ERR_PARAM", "max_new_tokens", 0],
    [{ max_new_tokens: 5 }, "ERR_SHORT", "candidates", 2],
    [{ max_new_tokens: 5, rule: "same-step" }, "ERR_SHORT", "candidates", 0],
    [{ hex: true }, "ERR_PARAM", "hex", 0],
  ];
  for (const [change, code, param, index] of refusals) {
    const name = JSON.stringify(change).slice(0, 80),
      mark = core.call.smp_arena_mark();
    const { error } = ask({ ...STREAMS, ...change });
    assert.equal(error?.code, code, name);
    assert.deepEqual(error.where, { param, index }, name);
    assert.match(error.message, /allowed: ./, name);
    assert.equal(core.call.smp_arena_mark(), mark, name);
  }
  assert.equal(ask({ ...STREAMS, pad: undefined }).error.where.param, "pad");
  assert.deepEqual(ask({ ...STREAMS, candidates: [[5, 1, 6, 7]], rule: "single" }).new_tokens, [[5, 1]]);
});

test("a short row that ended with an EOS is complete: the batch is that of rows filled up with anything", () => {
  for (const rule of ["latch", "any"]) {
    const answer = (first, second) =>
      ask({
        ...STREAMS,
        rule,
        candidates: [
          [5, 1, ...first],
          [7, 8, 1, ...second],
          [11, 2, 3, 4],
        ],
      });
    const { steps, ...ragged } = answer([], []),
      { steps: whole, ...rest } = answer([6, 7], [9]);
    assert.deepEqual(ragged, rest, rule);
    for (const [t, { candidate, ...step }] of steps.entries()) {
      const { candidate: known, ...same } = whole[t];
      assert.deepEqual(step, same);
      assert.deepEqual(candidate, [t < 2 ? known[0] : null, t < 3 ? known[1] : null, known[2]]);
    }
  }
  assert.deepEqual(
    ask({ op: "stop-one", prompt: [1], candidates: [7, 3], eos: 3, max_new_tokens: 9, keep_eos: true }),
    { ids: [1, 7, 3], finish: "eos" },
  );
});

test("one prompt: the model that always says 3", () => {
  const line = { op: "stop-one", prompt: [1, 2], candidates: [3, 3, 3], eos: 3, max_new_tokens: 3 };
  assert.deepEqual(ask(line), { ids: [1, 2], finish: "eos" });
  assert.deepEqual(ask({ ...line, keep_eos: true }), { ids: [1, 2, 3], finish: "eos" });
  assert.deepEqual(ask({ ...line, eos: null }), { ids: [1, 2, 3, 3, 3], finish: "length" });
  assert.deepEqual(ask({ ...line, prompt: [3] }).ids, [3]);
  const refusals = [
    [{ prompt: [] }, "ERR_EMPTY", "prompt"],
    [{ prompt: Array(1025).fill(1) }, "ERR_LENGTH", "prompt"],
    [{ candidates: [4, 4] }, "ERR_SHORT", "candidates"],
    [{ keep_eos: 1 }, "ERR_PARAM", "keep_eos"],
  ];
  for (const [change, code, param] of refusals) {
    const { error } = ask({ ...line, ...change });
    assert.deepEqual([error?.code, error?.where.param], [code, param], JSON.stringify(change).slice(0, 60));
  }
});

test("a row that ends with an EOS may be shorter than the limit: what would follow is never read", () => {
  // the rows of STREAMS, cut behind their EOS; the third has none and stays whole
  const ragged = [
    [5, 1],
    [7, 8, 1],
    [11, 2, 3, 4],
  ];
  for (const rule of ["latch", "any"]) {
    const { new_tokens, finish, stop_step, counters } = ask({ ...STREAMS, rule });
    const short = ask({ ...STREAMS, candidates: ragged, rule });
    assert.deepEqual(
      [short.new_tokens, short.finish, short.stop_step, short.counters],
      [new_tokens, finish, stop_step, counters],
      rule,
    );
  }
  assert.deepEqual(ask({ ...STREAMS, candidates: ragged }).new_tokens, [
    [5, 1, 0, 0],
    [7, 8, 1, 0],
    [11, 2, 3, 4],
  ]);
  assert.deepEqual(ask({ ...STREAMS, candidates: [[1]], rule: "single" }).new_tokens, [[1]]);
  const errors = [
    { candidates: ragged, rule: "same-step" }, // there an ended row goes on
    {
      candidates: [
        [5, 1],
        [7, 8, 9],
        [11, 2, 3, 4],
      ],
    }, // no EOS
    { candidates: ragged, eos: [6] },
    { candidates: ragged, eos: [] },
  ].map(change => ask({ ...STREAMS, ...change }).error);
  assert.deepEqual(
    errors.map(error => [error?.code, error?.where]),
    [0, 1, 0, 0].map(index => ["ERR_SHORT", { param: "candidates", index }]),
  );
  assert.deepEqual(
    ask({ op: "stop-one", prompt: [1, 2], candidates: [7, 3], eos: 3, max_new_tokens: 1000, keep_eos: true }),
    { ids: [1, 2, 7, 3], finish: "eos" },
  );
});

test("a paused run is the beginning of the whole one", () => {
  const options = { eos: [1], pad: 0, maxNewTokens: 4 },
    whole = api.stop(core, STREAMS.candidates, options);
  for (let steps = 0; steps <= 4; steps++) {
    const part = api.stop(core, STREAMS.candidates, { ...options, steps });
    assert.equal(part.columns, steps);
    assert.deepEqual(
      part.cells.map(row => row.slice(0, steps)),
      whole.cells.map(row => row.slice(0, steps)),
    );
    assert.equal(part.stopped, steps === 4);
  }
  assert.deepEqual(
    api.stop(core, STREAMS.candidates, { ...options, steps: 0 }).rows,
    Array(3).fill({ answer: 0, finish: "none", step: 0 }),
  );
});
