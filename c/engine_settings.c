/* What the table says of a call: for each setting the value that the engine works with, or that it is off, and why.
   Whoever asks whether a rule runs asks here. */
#include "engine.h"

_Static_assert(ENGINE_SETTINGS == SMP_SETTINGS, "the header names the number of settings");

/* In the order in which transformers and candle check, whose top_p depends on what becomes of top_k. */
static const unsigned char ORDER[] = {
    SMP_SET_REPETITION_PENALTY,
    SMP_SET_TEMPERATURE,
    SMP_SET_TOP_H,
    SMP_SET_TOP_K,
    SMP_SET_TOP_P,
    SMP_SET_MIN_P,
    SMP_SET_TYPICAL_P,
    SMP_SET_EPSILON_CUTOFF,
    SMP_SET_ETA_CUTOFF,
    SMP_SET_REPEAT_LAST_N,
    SMP_SET_PROMPT_IGNORE_LENGTH,
};

static double given_value(const smp_engine_call *call, smp_setting setting) {
  switch (setting) {
  case SMP_SET_TEMPERATURE:
    return call->temperature;
  case SMP_SET_TOP_K:
    return call->top_k;
  case SMP_SET_TOP_P:
    return call->top_p;
  case SMP_SET_MIN_P:
    return call->min_p;
  case SMP_SET_TYPICAL_P:
    return call->typical_p;
  case SMP_SET_EPSILON_CUTOFF:
    return call->epsilon_cutoff;
  case SMP_SET_ETA_CUTOFF:
    return call->eta_cutoff;
  case SMP_SET_TOP_H:
    return call->top_h;
  case SMP_SET_REPETITION_PENALTY:
    return call->repetition_penalty;
  case SMP_SET_REPEAT_LAST_N:
    return call->repeat_last_n;
  case SMP_SET_PROMPT_IGNORE_LENGTH:
    return call->prompt_ignore_length;
  case SMP_SET_GREEDY:
    return 1;
  }
  return 0;
}

/* What does nothing where there is no default. */
static double value_of_none(smp_setting setting) {
  switch (setting) {
  case SMP_SET_TEMPERATURE:
  case SMP_SET_TOP_P:
  case SMP_SET_TYPICAL_P:
  case SMP_SET_TOP_H:
  case SMP_SET_REPETITION_PENALTY:
    return 1;
  default:
    return 0;
  }
}

/* A filter of the row, and not of what the penalty sees. */
static int is_filter(smp_setting setting) {
  return setting != SMP_SET_REPETITION_PENALTY && setting != SMP_SET_REPEAT_LAST_N &&
         setting != SMP_SET_PROMPT_IGNORE_LENGTH && setting != SMP_SET_GREEDY;
}

static int takes_in(const engine_band *band, double x, double n) {
  switch ((engine_limit)band->limit) {
  case LIMIT_NONE:
    return 1;
  case LIMIT_BELOW:
    return x < band->at;
  case LIMIT_UP_TO:
    return x <= band->at;
  case LIMIT_EXACTLY:
    return x == band->at;
  case LIMIT_BELOW_ROW:
    return x < n;
  case LIMIT_UP_TO_ROW:
    return x <= n;
  }
  return 1;
}

static const engine_band *bands_of(const smp_engine_call *call, const engine_step *step, smp_why top_k) {
  const engine_choice *choice = smpi_engine_profile(call->engine)->choices;
  for (; choice && choice->bands; choice++)
    if (choice->setting == step->setting && (call->variant & choice->variant) == choice->variant &&
        (choice->top_k == SMP_WHY_ABSENT || choice->top_k == top_k))
      return choice->bands;
  return step->bands;
}

/* What comes of a value that was given, or of the default. */
static engine_action decide(const engine_band *band, smp_setting setting, double n, smp_setting_state *state) {
  while (!takes_in(band, state->value, n)) band++;
  state->on = band->action == DO_RUN || band->action == DO_GREEDY || band->action == DO_ARGMAX;
  switch ((engine_action)band->action) {
  case DO_OFF:
    state->why = SMP_WHY_OFF;
    break;
  case DO_KEEP_ALL:
    state->why = SMP_WHY_ALL;
    break;
  case DO_SEE_NONE:
    state->why = SMP_WHY_UNSEEN;
    break;
  case DO_MOVE:
    *state = (smp_setting_state){.value = band->at, .on = 1, .why = SMP_WHY_MOVED};
    break;
  case DO_REFUSE:
  case DO_REFUSE_SAMPLED:
    state->why = SMP_WHY_REFUSED;
    state->refusal = (smp_refusal)band->refusal;
    break;
  case DO_CLOSE:
    state->why = SMP_WHY_CLOSED;
    break;
  case DO_RUN:
  case DO_GREEDY:
  case DO_ARGMAX:
    break;
  }
  const int divides = setting == SMP_SET_TEMPERATURE || setting == SMP_SET_REPETITION_PENALTY;
  if (divides && band->action == DO_RUN && state->value == 1) {
    state->on = 0;
    state->why = SMP_WHY_OFF;
  }
  return (engine_action)band->action;
}

/* One setting, before it is known whether the engine is greedy. */
static engine_action settle(const smp_engine_call *call, smp_setting setting, double n, smp_why top_k,
                            smp_setting_state *state) {
  const engine_step *step = smpi_engine_step(smpi_engine_profile(call->engine), setting);
  const int given = is_given(call, setting);
  *state = (smp_setting_state){.value = value_of_none(setting), .why = step ? SMP_WHY_UNSET : SMP_WHY_ABSENT};
  if (!step) return DO_OFF;
  if (!given && (step->has_default == DEFAULT_NONE || (step->has_default == DEFAULT_USUAL && call->settings_only)))
    return DO_OFF;
  state->value = given ? given_value(call, setting) : step->standard;
  state->why = given ? SMP_WHY_GIVEN : SMP_WHY_DEFAULT;
  if (!given && setting == SMP_SET_TEMPERATURE && step->standard == 0) {
    state->on = 1;
    return DO_GREEDY;
  }
  return decide(bands_of(call, step, top_k), setting, n, state);
}

void smpi_engine_settings(const smp_engine_call *call, size_t n, engine_settings *settings) {
  smp_setting_state *of = settings->of;
  memset(settings, 0, sizeof *settings);
  engine_action action[ENGINE_SETTINGS] = {DO_RUN};
  for (size_t i = 0; i < sizeof ORDER; i++)
    action[ORDER[i]] = settle(call, (smp_setting)ORDER[i], (double)n, of[SMP_SET_TOP_K].why, &of[ORDER[i]]);
  if (of[SMP_SET_REPEAT_LAST_N].why == SMP_WHY_UNSEEN && of[SMP_SET_REPETITION_PENALTY].on) {
    of[SMP_SET_REPETITION_PENALTY].on = 0;
    of[SMP_SET_REPETITION_PENALTY].why = SMP_WHY_UNSEEN;
  }

  const engine_action cold = action[SMP_SET_TEMPERATURE];
  const int told = is_given(call, SMP_SET_GREEDY), greedy = told || cold == DO_GREEDY;
  of[SMP_SET_GREEDY] = (smp_setting_state){.why = SMP_WHY_UNSET};
  if (greedy || cold == DO_ARGMAX)
    of[SMP_SET_GREEDY] =
        (smp_setting_state){.value = 1, .on = 1, .why = told ? SMP_WHY_GIVEN : of[SMP_SET_TEMPERATURE].why};

  const unsigned char *checks = smpi_engine_profile(call->engine)->checks;
  for (size_t i = 0; !settings->refusal && (checks ? checks[i] != ENGINE_SOFTMAX : i < sizeof ORDER); i++) {
    const unsigned char setting = checks ? checks[i] : ORDER[i];
    if (action[setting] == DO_REFUSE) settings->refusal = of[setting].refusal;
  }
  for (size_t i = 0; i < sizeof ORDER; i++) {
    smp_setting_state *state = &of[ORDER[i]];
    if (greedy) {
      const int decides = !told && ORDER[i] == SMP_SET_TEMPERATURE;
      const int looked_at = state->on || action[ORDER[i]] == DO_REFUSE_SAMPLED;
      if (is_filter((smp_setting)ORDER[i]) && looked_at && !decides)
        *state = (smp_setting_state){.value = state->value, .why = SMP_WHY_GREEDY};
    } else if (action[ORDER[i]] == DO_REFUSE_SAMPLED && !settings->refusal)
      settings->refusal = state->refusal;
  }
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static int finite(double x) {
  return x - x == 0;
}

/* Numbers that were given are finite; which of them it takes is for the engine to say. */
static smp_param bad_number(const smp_engine_call *call) {
  const struct {
    double value;
    smp_setting setting;
    smp_param param;
  } numbers[] = {{call->temperature, SMP_SET_TEMPERATURE, SMP_AT_TEMPERATURE},
                 {call->top_p, SMP_SET_TOP_P, SMP_AT_TOP_P},
                 {call->min_p, SMP_SET_MIN_P, SMP_AT_MIN_P},
                 {call->typical_p, SMP_SET_TYPICAL_P, SMP_AT_TYPICAL_P},
                 {call->epsilon_cutoff, SMP_SET_EPSILON_CUTOFF, SMP_AT_EPSILON_CUTOFF},
                 {call->eta_cutoff, SMP_SET_ETA_CUTOFF, SMP_AT_ETA_CUTOFF},
                 {call->top_h, SMP_SET_TOP_H, SMP_AT_TOP_H},
                 {call->repetition_penalty, SMP_SET_REPETITION_PENALTY, SMP_AT_REPETITION_PENALTY}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (is_given(call, numbers[i].setting) && !finite(numbers[i].value)) return numbers[i].param;
  return SMP_AT_NONE;
}

smp_status smpi_engine_check(const smp_engine_call *call, size_t n, engine_settings *settings, smp_where *where) {
  const engine_profile *profile = smpi_engine_profile(call->engine);
  if (!profile) return smpi_fail(SMP_ERR_PARAM, SMP_AT_ENGINE, 0, where);
  if (call->given >> ENGINE_SETTINGS) return smpi_fail(SMP_ERR_PARAM, SMP_AT_SETTING, 0, where);
  if (call->variant & ~(uint32_t)profile->variants) return smpi_fail(SMP_ERR_PARAM, SMP_AT_GENERATOR, 0, where);
  const smp_param bad = bad_number(call);
  if (bad != SMP_AT_NONE) return smpi_fail(SMP_ERR_PARAM, bad, 0, where);
  for (uint32_t i = 0; i < call->n_context; i++)
    if (call->context[i] >= n) return smpi_fail(SMP_ERR_PARAM, SMP_AT_CONTEXT, i, where);
  smpi_engine_settings(call, n, settings);
  return SMP_OK;
}

smp_status smp_engine_settings(const smp_engine_call *call, size_t n, smp_setting_state *settings, smp_where *where) {
  engine_settings found;
  smp_status status = smpi_row_check_length(n, where);
  if (status == SMP_OK) status = smpi_engine_check(call, n, &found, where);
  if (status) return status;
  memcpy(settings, found.of, sizeof found.of);
  return SMP_OK;
}
