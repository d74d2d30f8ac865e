/* compare --json: one line of JSON, with the fields and values of eval's answer to the operation compare. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_compare.h"

/* Up to LISTED candidates are listed; of more, the most probable. */
enum { LISTED = 400, MOST_PROBABLE = 64 };

static void print_text(const char *text) {
  putchar('"');
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c < 32 || c == 127)
      printf("\\u%04x", c);
    else
      printf(c == '"' || c == '\\' ? "\\%c" : "%c", c);
  }
  putchar('"');
}

static void print_number(double x) {
  char text[32];
  smp_cli_shortest(text, x);
  printf("%s", text);
}

static void print_ids(const char *name, const uint32_t *ids, size_t n) {
  printf("\"%s\":[", name);
  for (size_t i = 0; i < n; i++) printf(i ? ",%u" : "%u", ids[i]);
  printf("]");
}

static void print_numbers(const char *name, const double *x, size_t n) {
  printf("\"%s\":[", name);
  for (size_t i = 0; i < n; i++) {
    if (i) printf(",");
    print_number(x[i]);
  }
  printf("]");
}

/* The most probable of n > MOST_PROBABLE candidates with ascending ids, the smallest id first among equals. */
static void take_most_probable(const uint32_t *ids, const double *p, size_t n, uint32_t *top, double *top_p) {
  size_t m = 0;
  for (size_t i = 0; i < n; i++) {
    if (m == MOST_PROBABLE && p[i] <= top_p[m - 1]) continue;
    size_t at = m < MOST_PROBABLE ? m++ : m - 1;
    for (; at > 0 && top_p[at - 1] < p[i]; at--) {
      top[at] = top[at - 1];
      top_p[at] = top_p[at - 1];
    }
    top[at] = ids[i];
    top_p[at] = p[i];
  }
}

/* Candidates with ascending ids, as "kept" or by another name, and their probabilities. */
static void print_listed(const char *name, const uint32_t *ids, const double *p, size_t n) {
  uint32_t top[MOST_PROBABLE];
  double top_p[MOST_PROBABLE];
  const int all = n <= LISTED;
  if (!all) take_most_probable(ids, p, n, top, top_p);
  print_ids(all ? name : "top_ids", all ? ids : top, all ? n : MOST_PROBABLE);
  printf(",");
  print_numbers(all ? "probs" : "top_probs", all ? p : top_p, all ? n : MOST_PROBABLE);
}

static void print_draws(const struct outcome *o, struct draws draws) {
  if (!draws.seed || o->error) return;
  if (o->drawn) {
    print_ids("ids", o->drawn, draws.count);
    printf(",\"words\":");
    print_number(o->words);
  } else
    printf("\"ids\":null,\"words\":null");
  if (o->draws_error) {
    printf(",\"draws_error\":");
    print_text(o->draws_error);
  }
  printf(",");
}

static void print_outcome(const struct outcome *o, const smp_engine_call *call, struct draws draws) {
  printf("{\"engine\":\"%s\",\"n_kept\":%u,", smp_engine_name(o->engine), o->ids ? o->result.n_kept : 0);
  if (o->ids) {
    print_listed("kept", o->ids, o->p, o->result.n_kept);
    printf(",");
  }
  printf("\"by_rounding\":%s,", o->result.by_rounding ? "true" : "false");
  print_draws(o, draws);
  printf("\"ignored\":[");
  const char *comma = "";
  for (smp_setting i = 0; i < SMP_SETTINGS; i++) {
    if (!smp_cli_is(o, call->given, i, SMP_WHY_ABSENT)) continue;
    printf("%s\"%s\"", comma, smp_setting_name(i));
    comma = ",";
  }
  printf("],\"error\":");
  if (o->error)
    print_text(o->error);
  else
    printf("null");
  printf(",\"checked\":\"%s\",\"version\":", smp_engine_checked(o->engine));
  print_text(smp_engine_version(o->engine));
  printf("}");
}

/* Room for candidates, taken before anything is printed. */
struct listed {
  uint32_t *ids;
  double *p;
};

/* What a has and b has not. */
static void print_only(const struct outcome *a, const struct outcome *b, double mass, struct listed only) {
  size_t n = 0;
  for (uint32_t i = 0, j = 0; i < a->result.n_kept; i++) {
    while (j < b->result.n_kept && b->ids[j] < a->ids[i]) j++;
    if (j < b->result.n_kept && b->ids[j] == a->ids[i]) continue;
    only.ids[n] = a->ids[i];
    only.p[n++] = a->p[i];
  }
  printf("{\"n\":%zu,\"mass\":", n);
  print_number(mass);
  printf(",");
  print_listed("ids", only.ids, only.p, n);
  printf("}");
}

static void print_pair(const struct outcome *a, const struct outcome *b, struct listed only) {
  printf("{\"engines\":[\"%s\",\"%s\"],", smp_engine_name(a->engine), smp_engine_name(b->engine));
  smp_distance g;
  if (!a->ids || !b->ids) {
    printf("\"error\":");
    print_text(a->error ? a->error : b->error);
    printf("}");
    return;
  }
  smp_engine_distance(a->ids, a->p, a->result.n_kept, b->ids, b->p, b->result.n_kept, &g, NULL);
  printf("\"tv\":");
  print_number(g.total_variation);
  printf(",\"max_diff\":");
  print_number(g.max_difference);
  printf(",\"max_id\":%u,\"n_kept\":[%u,%u],\"only\":[", g.max_id, a->result.n_kept, b->result.n_kept);
  print_only(a, b, g.only_p, only);
  printf(",");
  print_only(b, a, g.only_q, only);
  printf("],\"by_rounding\":%s}", a->result.by_rounding || b->result.by_rounding ? "true" : "false");
}

void smp_cli_compare_json(const struct outcome *outcomes, size_t n, const smp_engine_call *call, struct draws draws) {
  uint32_t most = 0;
  for (size_t i = 0; i < n; i++)
    if (outcomes[i].ids && outcomes[i].result.n_kept > most) most = outcomes[i].result.n_kept;
  const struct listed only = {smp_cli_room(most, sizeof *only.ids), smp_cli_room(most, sizeof *only.p)};
  printf("{\"engines\":[");
  for (size_t i = 0; i < n; i++) {
    if (i) printf(",");
    print_outcome(&outcomes[i], call, draws);
  }
  printf("],\"pairs\":[");
  const char *comma = "";
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++, comma = ",") {
      printf("%s", comma);
      print_pair(&outcomes[i], &outcomes[j], only);
    }
  printf("]}\n");
  free(only.ids);
  free(only.p);
}
