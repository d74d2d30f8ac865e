/* Batches and single prompts, under every rule: the counts are those of the cells, a pause shows the
   beginning of the run. */
#include "fuzz.h"
#include "smp.h"

struct batch {
  smp_stop_cell *cells;
  smp_stop_row *ends;
  smp_stop_result *result;
  smp_status status;
};

static struct batch run(const uint32_t *candidates, const uint32_t *lengths, uint32_t rows, const uint32_t *eos,
                        uint32_t n_eos, const smp_stop_options *o, int fill) {
  const size_t n = o->max_new_tokens <= SMP_STOP_TOKENS && rows <= SMP_STOP_ROWS ? o->max_new_tokens * rows : 0;
  struct batch batch = {area(n * sizeof *batch.cells, fill), area(rows * sizeof *batch.ends, fill),
                        area(sizeof *batch.result, fill), SMP_OK};
  smp_where where;
  batch.status = smp_stop_run(candidates, lengths, rows, eos, n_eos, o, batch.cells, batch.ends, batch.result, &where);
  if (batch.status == SMP_OK) return batch;
  must(filled_with(batch.cells, n * sizeof *batch.cells, fill) &&
           filled_with(batch.ends, rows * sizeof *batch.ends, fill) &&
           filled_with(batch.result, sizeof *batch.result, fill),
       "status %d, and something was written", batch.status);
  return batch;
}

static void end(struct batch *batch) {
  free(batch->cells);
  free(batch->ends);
  free(batch->result);
}

static void check(const struct batch *batch, uint32_t rows, const smp_stop_options *o) {
  const smp_stop_result *r = batch->result;
  uint32_t roles[8] = {0}, finished = 0;
  must(r->columns <= o->max_new_tokens && r->columns <= o->steps, "%u columns", r->columns);
  for (uint32_t i = 0; i < r->columns * rows; i++) {
    const smp_stop_cell *c = &batch->cells[i];
    must((uint32_t)c->role < 8 && c->appended != SMP_NONE, "cell %u", i);
    must(c->before <= c->after, "cell %u ends what had ended", i);
    roles[c->role]++;
  }
  must(roles[SMP_ROLE_PAD] == r->pad && roles[SMP_ROLE_JUNK] == r->junk, "%u PAD, %u junk", r->pad, r->junk);
  for (uint32_t i = 0; i < rows; i++) {
    const smp_stop_row *end = &batch->ends[i];
    finished += end->finish == SMP_FINISH_EOS || end->finish == SMP_FINISH_LENGTH;
    must(end->answer <= r->columns && end->step <= r->columns, "row %u: %u answer, step %u", i, end->answer, end->step);
  }
  must(finished == r->finished, "%u finished, counted %u", r->finished, finished);
}

static void one(struct bytes *b, const uint32_t *candidates, uint32_t n, const uint32_t *eos, uint32_t n_eos,
                uint32_t most) {
  uint32_t prompt[5], n_prompt = below(b, 6), n_out = SMP_NONE;
  for (uint32_t i = 0; i < 5; i++) prompt[i] = below(b, 9) ? below(b, 9) : SMP_NONE;
  const size_t room = n_prompt + (most <= SMP_STOP_TOKENS ? most : 0);
  uint32_t *out = area(room * sizeof *out, 0xa5);
  smp_finish finish;
  smp_where where;
  const smp_status status =
      smp_stop_one(prompt, n_prompt, candidates, n, eos, n_eos, most, below(b, 3), out, &n_out, &finish, &where);
  if (status)
    must(n_out == SMP_NONE && filled_with(out, room * sizeof *out, 0xa5), "status %d, and it wrote", status);
  else
    must(n_out <= room && memcmp(out, prompt, n_prompt * sizeof *out) == 0, "%u ids", n_out);
  free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct bytes b = {data, size};
  const uint32_t rows = below(&b, 8) ? below(&b, 6) : below(&b, SMP_STOP_ROWS + 2),
                 n_eos = below(&b, 8) ? below(&b, 4) : 65;
  smp_stop_options o = {below(&b, 8) ? below(&b, 12) : below(&b, 1026), below(&b, 16) ? below(&b, 9) : SMP_NONE,
                        (smp_rule)below(&b, 6), below(&b, 3) ? SMP_STOP_TOKENS : below(&b, 14)};
  uint32_t *lengths = area(rows * sizeof *lengths, 0), *eos = area(n_eos * sizeof *eos, 0), n = 0;
  for (uint32_t i = 0; i < rows; i++)
    n += lengths[i] = below(&b, 16) ? o.max_new_tokens + below(&b, 3) : below(&b, 1026);
  for (uint32_t i = 0; i < n_eos; i++) eos[i] = below(&b, 32) ? below(&b, 9) : SMP_NONE;
  uint32_t *candidates = area(n * sizeof *candidates, 0);
  for (uint32_t i = 0; i < n; i++) candidates[i] = below(&b, 128) ? below(&b, 9) : SMP_NONE;

  struct batch whole = run(candidates, lengths, rows, eos, n_eos, &o, 0xa5);
  if (whole.status == SMP_OK) {
    check(&whole, rows, &o);
    smp_stop_options part = o;
    part.steps = below(&b, 6);
    struct batch paused = run(candidates, lengths, rows, eos, n_eos, &part, 0x5a);
    must(paused.status == SMP_OK, "a pause is refused: %d", paused.status);
    check(&paused, rows, &part);
    const uint32_t common =
        whole.result->columns < paused.result->columns ? whole.result->columns : paused.result->columns;
    must(memcmp(whole.cells, paused.cells, common * rows * sizeof *whole.cells) == 0, "a pause changes cells");
    end(&paused);
  }
  end(&whole);
  one(&b, candidates, n, eos, n_eos, o.max_new_tokens);
  free(lengths);
  free(eos);
  free(candidates);
  return 0;
}
