/* A plug-in that Park must refuse in one line, or whose environment breaks a rule while it plays.
 * One of the words that CMakeLists.txt defines says how. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "park/plugin.h"

#define UNUSED(x) (void)(x)

#ifdef STRANGER
#undef PARK_PLUGIN_ABI
#define PARK_PLUGIN_ABI 99u
#endif

#ifdef UNDEFINED
extern void function_that_nobody_has(void);
#endif

/* --- An environment of one row: choose a way in which it is wrong ------------------------------ */

static const char* const kFaults[] = {"none", "fail", "reward", "time", "end", "value", "count",
                                      "index", "null", "metrics"};
static const ParkField kFault = {.size = sizeof(ParkField),
                                 .name = "fault",
                                 .doc = "what is wrong",
                                 .unit = "1",
                                 .type = "text",
                                 .default_text = "none",
                                 .min = -1e300,
                                 .max = 1e300,
                                 .choices = kFaults,
                                 .choice_count = 10,
                                 .names = PARK_NAMES_NOTHING};
static const ParkField* const kFields[] = {&kFault};
static const ParkGroup kThings = {sizeof(ParkGroup), "things", 4};
static const ParkGroup* const kGroups[] = {&kThings};
static const ParkLeaf kLevel = {.size = sizeof(ParkLeaf),
                                .name = "level",
                                .dtype = PARK_F32,
#ifdef WRONG
                                .low = 2, /* above the upper bound */
#endif
                                .high = 1,
                                .unit = "1",
                                .doc = "a level"};
static const ParkLeaf kNext = {.size = sizeof(ParkLeaf),
                               .name = "thing.next",
                               .dtype = PARK_I32,
                               .high = 3,
                               .unit = "1",
                               .doc = "another thing",
                               .group = "things",
                               .index_of = "things"};
static const ParkLeaf kChoice = {.size = sizeof(ParkLeaf),
                                 .name = "choice",
                                 .dtype = PARK_I32,
                                 .high = 1,
                                 .unit = "1",
                                 .doc = "a choice"};
static const ParkLeaf* const kLeaves[] = {&kLevel, &kNext};
static const ParkLeaf* const kHeads[] = {&kChoice};
#ifdef TOGETHER /* rows without groups, so that many environments are stepped at once */
static const ParkRecord kObservation = {sizeof(ParkRecord), kLeaves, 1, NULL, 0};
#else
static const ParkRecord kObservation = {sizeof(ParkRecord), kLeaves, 2, kGroups, 1};
#endif
static const ParkRecord kAction = {sizeof(ParkRecord), kHeads, 1, NULL, 0};
static const ParkMetric kSum = {sizeof(ParkMetric), "sum", "1", 1, "a sum"};
static const ParkMetric* const kMetrics[] = {&kSum};
static const ParkSpec kSpec = {.size = sizeof(ParkSpec),
                               .name = "faulty",
                               .summary = "breaks a rule",
                               .reference = "a test",
                               .version = 1,
                               .observation = &kObservation,
                               .action = &kAction,
                               .metrics = kMetrics,
                               .metric_count = 1,
                               .replayable = 1};

struct ParkConfig {
  char fault; /* its first two letters make it unique */
  char second;
};

static int32_t configure(const char* text, ParkConfig** config, ParkError* error) {
  ParkConfig* c = calloc(1, sizeof *c);
  if (c == NULL) return park_fail(error, PARK_FAILED, "no memory");
  while (*text != '\0' && *text != '=') ++text;
  if (*text == '=') {
    c->fault = text[1];
    c->second = text[2];
  }
  *config = c;
  return PARK_OK;
}
static void forget(ParkConfig* config) { free(config); }

static int32_t spec(const ParkConfig* config, const ParkSpec** to, ParkError* error) {
  UNUSED(config);
  UNUSED(error);
#if defined(CRASHING)
  abort();
#elif defined(ENDLESS)
  for (;;) pause();
#elif defined(LEAVING)
  _exit(7);
#elif defined(CONTRADICTING)
  return park_fail(error, PARK_BAD_FILE, "the table of things is not there");
#endif
  *to = &kSpec;
  return PARK_OK;
}

struct ParkEnv {
  ParkConfig config;
  int32_t next[4];
};

static int is(const ParkEnv* env, const char* fault) {
  return env->config.fault == fault[0] && env->config.second == fault[1];
}

static int32_t create(const ParkConfig* config, ParkEnv** env, ParkError* error) {
  *env = calloc(1, sizeof **env);
  if (*env == NULL) return park_fail(error, PARK_FAILED, "no memory");
  (*env)->config = *config;
  return PARK_OK;
}
static void destroy(ParkEnv* env) { free(env); }

static void show(ParkEnv* env, ParkNewRow* row) {
#ifdef TOGETHER /* a reset has no fault */
  UNUSED(env);
  UNUSED(kGroups);
  *(float*)row->columns[0] = 0.5f;
#else
  *(float*)row->columns[0] = is(env, "value") ? INFINITY : 0.5f;
  env->next[1] = is(env, "index") ? 2 : 0;
  row->columns[1] = is(env, "null") ? NULL : env->next;
  row->counts[0] = is(env, "count") ? 5 : 2;
#endif
}

static int32_t reset(ParkEnv* env, const ParkEpisode* episode, ParkNewRow* row, ParkError* error) {
  UNUSED(episode);
  UNUSED(error);
  show(env, row);
  return PARK_OK;
}

static int32_t step(ParkEnv* env, const ParkRow* action, ParkOutcome* outcome, ParkNewRow* row,
                    ParkError* error) {
  UNUSED(action);
  if (is(env, "fail")) return park_fail(error, 77, "");
  outcome->reward = is(env, "reward") ? INFINITY : 1;
  outcome->elapsed_s = is(env, "time") ? -1 : 1;
  outcome->end = is(env, "end") ? 3 : PARK_TERMINATED;
  show(env, row);
  return PARK_OK;
}

#ifdef TOGETHER
/* The last environment has the fault. */
static int32_t step_many(ParkEnv* const* envs, uint64_t count, const void* const* actions,
                         void* const* observation, double* rewards, double* elapsed_s,
                         int32_t* ends, ParkError* error) {
  UNUSED(actions);
  if (is(envs[0], "fail")) return park_fail(error, PARK_IO, "all of them are gone");
  for (uint64_t i = 0; i < count; ++i) {
    const int last = i + 1 == count;
    ((float*)observation[0])[i] = last && is(envs[i], "value") ? -INFINITY : 0.5f;
    rewards[i] = last && is(envs[i], "reward") ? NAN : 1;
    elapsed_s[i] = last && is(envs[i], "time") ? -1 : 1;
    ends[i] = last && is(envs[i], "end") ? 3 : PARK_TERMINATED;
  }
  return PARK_OK;
}
#endif

static int32_t metrics(ParkEnv* env, double* values, uint64_t count, ParkError* error) {
  if (is(env, "metrics")) return park_fail(error, PARK_NOT_FINITE, "sum: nothing to add up");
  if (count > 0) values[0] = 1;
  return PARK_OK;
}

static const ParkEnvType kEnv = {.size = sizeof(ParkEnvType),
#ifdef NAMELESS
                                 .name = "two words",
#else
                                 .name = "faulty",
#endif
                                 .fields = kFields,
                                 .field_count = 1,
                                 .configure = configure,
                                 .forget = forget,
                                 .spec = spec,
                                 .create = create,
#ifndef LACKING
                                 .destroy = destroy,
#endif
                                 .reset = reset,
                                 .step = step,
#ifdef TOGETHER
                                 .step_many = step_many,
#endif
                                 .metrics = metrics};

/* --- The plug-in -------------------------------------------------------------------------------- */

#ifndef NO_NOTE
PARK_PLUGIN_NOTE("refused", "0.1", "MIT");
#endif
#ifdef LOUD /* nothing of it may run where it is only listed */
__attribute__((constructor)) static void end_the_process(void) { _exit(99); }
#endif

static const ParkEnvType* const kEnvs[] = {&kEnv};
static const ParkPlugin kPlugin = {.size = sizeof(ParkPlugin),
                                   .abi = PARK_PLUGIN_ABI,
                                   .name = "refused",
                                   .version = "0.1",
                                   .licence = "MIT",
                                   .envs = kEnvs,
                                   .env_count = 1};

#ifdef NO_ENTRY
#define park_plugin park_plugin_by_another_name
PARK_PLUGIN_EXPORT const ParkPlugin* park_plugin(uint32_t host_abi, const ParkHost* host);
#endif

PARK_PLUGIN_EXPORT const ParkPlugin* park_plugin(uint32_t host_abi, const ParkHost* host) {
  UNUSED(host_abi);
  UNUSED(destroy);
#ifdef UNDEFINED
  function_that_nobody_has();
#endif
#ifdef REFUSING
  host->refuse(host->self, "it needs a newer Park");
  return NULL;
#endif
#ifdef NOTHING
  return NULL;
#endif
  UNUSED(host);
  return &kPlugin;
}
