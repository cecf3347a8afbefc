/* A plug-in with one of everything, in C: an environment with a ragged group, a running system, a
 * policy with scores and an importer. libfirst.so is made of it with the first park/plugin.h; it is
 * committed, and has to load into every later Park (README.md). */
#include <stdlib.h>

#include "park/plugin.h"

#define MOST_JOBS 32

/* --- What all of them describe ----------------------------------------------------------------- */

struct ParkConfig {
  int64_t jobs;
  double scale;
};

static const ParkField kJobs = {.size = sizeof(ParkField),
                                .name = "jobs",
                                .doc = "that wait at first",
                                .unit = "1",
                                .type = "integer",
                                .default_text = "6",
                                .min = 1,
                                .max = MOST_JOBS,
                                .names = PARK_NAMES_NOTHING};
static const ParkField kScale = {.size = sizeof(ParkField),
                                 .name = "scale",
                                 .doc = "seconds that a unit of work takes",
                                 .unit = "s",
                                 .type = "number",
                                 .default_text = "1",
                                 .min = 0.1,
                                 .max = 10,
                                 .tune = "0.5|1|2",
                                 .names = PARK_NAMES_NOTHING};
static const ParkField* const kFields[] = {&kJobs, &kScale};

static const ParkGroup kWaiting = {sizeof(ParkGroup), "waiting", MOST_JOBS};
static const ParkGroup* const kGroups[] = {&kWaiting};
static const ParkLeaf kNow = {.size = sizeof(ParkLeaf),
                              .name = "time_s",
                              .dtype = PARK_F64,
                              .high = 1e6,
                              .unit = "s",
                              .doc = "since the episode began"};
static const ParkLeaf kWork = {.size = sizeof(ParkLeaf),
                               .name = "waiting.work",
                               .dtype = PARK_F32,
                               .high = 2,
                               .unit = "work",
                               .doc = "of a job",
                               .group = "waiting"};
static const ParkLeaf kMask = {.size = sizeof(ParkLeaf),
                               .name = "mask.pick",
                               .dtype = PARK_U8,
                               .high = 1,
                               .unit = "1",
                               .doc = "1: it may be picked",
                               .group = "waiting"};
static const ParkLeaf kPick = {.size = sizeof(ParkLeaf),
                               .name = "pick",
                               .dtype = PARK_I32,
                               .high = MOST_JOBS - 1,
                               .unit = "1",
                               .doc = "the job that is served next",
                               .index_of = "waiting"};
static const ParkLeaf* const kLeaves[] = {&kNow, &kWork, &kMask};
static const ParkLeaf* const kHeads[] = {&kPick};
static const ParkRecord kObservation = {sizeof(ParkRecord), kLeaves, 3, kGroups, 1};
static const ParkRecord kAction = {sizeof(ParkRecord), kHeads, 1, NULL, 0};
static const ParkMetric kMean = {sizeof(ParkMetric), "mean_s", "s", 1,
                                 "mean time of a job until it is served"};
static const ParkMetric* const kMetrics[] = {&kMean};

#define SPEC(NAME, REPLAYABLE)                                                             \
  {                                                                                        \
    .size = sizeof(ParkSpec), .name = NAME, .summary = "serve jobs in a good order",       \
    .reference = "Smith's rule, 1956", .version = 1, .observation = &kObservation,         \
    .action = &kAction, .metrics = kMetrics, .metric_count = 1, .replayable = REPLAYABLE,  \
    .cloneable = REPLAYABLE                                                                \
  }
static const ParkSpec kEnvSpec = SPEC("first_jobs", 1);
static const ParkSpec kSystemSpec = SPEC("first_live", 0);

/* The value of a field of a canonical text, or the default. */
static double field(const char* text, const char* name, double standard) {
  for (; *text != '\0'; ++text) {
    uint64_t i = 0;
    while (name[i] != '\0' && text[i] == name[i]) ++i;
    if (name[i] == '\0' && text[i] == '=') return strtod(text + i + 1, NULL);
  }
  return standard;
}

static int32_t configure(const char* text, ParkConfig** config, ParkError* error) {
  ParkConfig* c = malloc(sizeof *c);
  if (c == NULL) return park_fail(error, PARK_FAILED, "no memory");
  c->jobs = (int64_t)field(text, "jobs", 6);
  c->scale = field(text, "scale", 1);
  if ((double)c->jobs * c->scale > 300) {
    free(c);
    return park_fail(error, PARK_INVALID_CONFIG, "jobs, scale: allowed is a product up to 300");
  }
  *config = c;
  return PARK_OK;
}

static void forget(ParkConfig* config) { free(config); }

static int32_t env_spec(const ParkConfig* config, const ParkSpec** spec, ParkError* error) {
  (void)config, (void)error;
  *spec = &kEnvSpec;
  return PARK_OK;
}

static int32_t system_spec(const ParkConfig* config, const ParkSpec** spec, ParkError* error) {
  (void)config, (void)error;
  *spec = &kSystemSpec;
  return PARK_OK;
}

/* --- The environment --------------------------------------------------------------------------- */

struct ParkEnv {
  ParkConfig config;
  double horizon_s, now_s, sum_s;
  uint64_t waiting, served;
  float work[MOST_JOBS];
  uint8_t mask[MOST_JOBS];
  const ParkSink* sink;
};

static int32_t create_env(const ParkConfig* config, ParkEnv** env, ParkError* error) {
  *env = calloc(1, sizeof **env);
  if (*env == NULL) return park_fail(error, PARK_FAILED, "no memory");
  (*env)->config = *config;
  return PARK_OK;
}

static void destroy_env(ParkEnv* env) { free(env); }

static void show(ParkEnv* env, ParkNewRow* row) {
  *(double*)row->columns[0] = env->now_s;
  row->columns[1] = env->work;
  row->columns[2] = env->mask;
  row->counts[0] = env->waiting;
}

static int32_t reset_env(ParkEnv* env, const ParkEpisode* episode, ParkNewRow* row,
                         ParkError* error) {
  (void)error;
  const uint64_t key = park_rng_key(episode->inputs);
  env->horizon_s = episode->horizon_s;
  env->now_s = env->sum_s = 0;
  env->served = 0;
  env->waiting = (uint64_t)env->config.jobs;
  for (uint64_t j = 0; j < env->waiting; ++j) {
    env->work[j] = (float)(0.5 + 1.5 * park_rng_uniform(park_rng_split(key, j), 1));
    env->mask[j] = 1;
    const ParkEventArg job = {sizeof(ParkEventArg), "job", (double)j, ""};
    const ParkEventArg* const args[] = {&job};
    if (env->sink != NULL) env->sink->point(env->sink->self, "queue", 0, "arrival", args, 1);
  }
  show(env, row);
  return PARK_OK;
}

static int32_t step_env(ParkEnv* env, const ParkRow* action, ParkOutcome* outcome, ParkNewRow* row,
                        ParkError* error) {
  const int32_t pick = *(const int32_t*)action->columns[0];
  if (pick < 0 || (uint64_t)pick >= env->waiting)
    return park_fail(error, PARK_ILLEGAL_ACTION, "pick: no such job");
  double took_s = env->work[pick] * env->config.scale;
  outcome->end = PARK_GOES_ON;
  if (env->now_s + took_s >= env->horizon_s) {
    took_s = env->horizon_s - env->now_s;
    outcome->end = PARK_TRUNCATED;
  }
  outcome->elapsed_s = took_s;
  outcome->reward = -took_s * (double)env->waiting;
  env->now_s += took_s;
  if (outcome->end == PARK_GOES_ON) {
    const ParkEventArg job = {sizeof(ParkEventArg), "job", (double)pick, ""};
    const ParkEventArg* const args[] = {&job};
    env->sum_s += env->now_s;
    ++env->served;
    if (env->sink != NULL)
      env->sink->point(env->sink->self, "queue", env->now_s, "completion", args, 1);
    --env->waiting;
    for (uint64_t j = (uint64_t)pick; j < env->waiting; ++j) env->work[j] = env->work[j + 1];
    if (env->waiting == 0) outcome->end = PARK_TERMINATED;
  }
  show(env, row);
  return PARK_OK;
}

static int32_t env_metrics(ParkEnv* env, double* values, uint64_t count, ParkError* error) {
  (void)error;
  if (count > 0) values[0] = env->sum_s / (double)env->served;
  return PARK_OK;
}

static uint64_t env_event_count(const ParkEnv* env) { return env->served; }
static void env_events(ParkEnv* env, const ParkSink* sink) { env->sink = sink; }

static int32_t clone_env(const ParkEnv* env, ParkEnv** copy, ParkError* error) {
  *copy = malloc(sizeof **copy);
  if (*copy == NULL) return park_fail(error, PARK_FAILED, "no memory");
  **copy = *env;
  (*copy)->sink = NULL;
  return PARK_OK;
}

static const ParkEnvType kEnv = {.size = sizeof(ParkEnvType),
                                 .name = "first_jobs",
                                 .fields = kFields,
                                 .field_count = 2,
                                 .configure = configure,
                                 .forget = forget,
                                 .spec = env_spec,
                                 .create = create_env,
                                 .destroy = destroy_env,
                                 .reset = reset_env,
                                 .step = step_env,
                                 .metrics = env_metrics,
                                 .event_count = env_event_count,
                                 .events = env_events,
                                 .clone = clone_env};

/* --- The running system: the same environment, asked from its own thread ----------------------- */

struct ParkSystem {
  ParkConfig config;
};

static int32_t create_system(const ParkConfig* config, ParkSystem** system, ParkError* error) {
  *system = malloc(sizeof **system);
  if (*system == NULL) return park_fail(error, PARK_FAILED, "no memory");
  (*system)->config = *config;
  return PARK_OK;
}

static void destroy_system(ParkSystem* system) { free(system); }

/* One episode as one context. After a stop it is closed as truncated. */
static int32_t play(const ParkSystem* system, const ParkDecider* decider,
                    const ParkEpisode* episode, ParkError* error) {
  ParkEnv env = {.config = system->config};
  void* columns[3] = {&env.now_s, NULL, NULL};
  uint64_t counts[1] = {0};
  ParkNewRow to = {sizeof to, columns, counts};
  const ParkRow row = {sizeof row, (const void* const*)columns, counts};
  ParkOutcome outcome = {.size = sizeof outcome};
  ParkContext context = {.size = sizeof context};
  int32_t pick = 0, applied = 0, code = decider->open(decider->self, episode, &context);
  if (code == PARK_OK) code = reset_env(&env, episode, &to, error);
  void* const choice[] = {&pick};
  const void* const chosen[] = {&pick};
  const ParkRow action = {sizeof action, chosen, NULL};
  while (code == PARK_OK && outcome.end == PARK_GOES_ON) {
    code = decider->decide(decider->self, &context, &outcome, &row, choice, PARK_NEVER, &applied);
    if (code != PARK_OK) break;
    if (applied == PARK_FALLBACK) { /* without a deadline: only at a stop */
      outcome.reward = outcome.elapsed_s = 0;
      outcome.end = PARK_TRUNCATED;
    } else {
      code = step_env(&env, &action, &outcome, &to, error);
    }
  }
  double mean_s = env.sum_s / (double)env.served;
  if (code == PARK_OK)
    code = decider->close(decider->self, &context, &outcome, &row, &mean_s, 1);
  return code;
}

static int32_t run_system(ParkSystem* system, const ParkDecider* decider, ParkError* error) {
  ParkEpisode episode = {.size = sizeof episode};
  int32_t code = PARK_OK;
  while (code == PARK_OK && !decider->stopped(decider->self) &&
         decider->next(decider->self, &episode))
    code = play(system, decider, &episode, error);
  return code;
}

static const ParkSystemType kSystem = {.size = sizeof(ParkSystemType),
                                       .name = "first_live",
                                       .fields = kFields,
                                       .field_count = 2,
                                       .configure = configure,
                                       .forget = forget,
                                       .spec = system_spec,
                                       .create = create_system,
                                       .destroy = destroy_system,
                                       .run = run_system};

/* --- The policy: the shortest job, or the longest ---------------------------------------------- */

struct ParkPolicy {
  double sign;
  uint64_t room; /* of the arrays that scores returns */
  uint64_t rows;
  int64_t* offsets;
  int32_t* value;
  float* score;
  uint64_t work, mask; /* columns of the spec */
};

static int same(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

/* The column of a leaf of the group "waiting", or leaf_count. */
static uint64_t find(const ParkRecord* record, const char* name, int32_t dtype) {
  for (uint64_t c = 0; c < record->leaf_count; ++c) {
    const ParkLeaf* leaf = record->leaves[c];
    if (same(leaf->name, name) && leaf->dtype == dtype && leaf->dims == 0 &&
        same(leaf->group, "waiting"))
      return c;
  }
  return record->leaf_count;
}

static int32_t create_policy(const char* text, const ParkSpec* spec, ParkPolicy** policy,
                             ParkError* error) {
  const ParkRecord* observation = spec->observation;
  const uint64_t work = find(observation, "waiting.work", PARK_F32);
  const uint64_t mask = find(observation, "mask.pick", PARK_U8);
  const ParkRecord* action = spec->action;
  if (work == observation->leaf_count || mask == observation->leaf_count ||
      observation->group_count != 1 || action->leaf_count != 1 ||
      !same(action->leaves[0]->name, "pick") || action->leaves[0]->dims != 0 ||
      action->leaves[0]->dtype != PARK_I32 || !same(action->leaves[0]->index_of, "waiting"))
    return park_fail(error, PARK_INVALID_SPACE,
                     "first_order: allowed are specs with the head pick of a group waiting and "
                     "its leaves waiting.work and mask.pick");
  *policy = calloc(1, sizeof **policy);
  if (*policy == NULL) return park_fail(error, PARK_FAILED, "no memory");
  (*policy)->sign = field(text, "longest", 0) != 0 ? 1 : -1;
  for (; *text != '\0'; ++text)
    if (*text == '=' && text[1] == 't') (*policy)->sign = 1; /* longest=true */
  (*policy)->work = work;
  (*policy)->mask = mask;
  return PARK_OK;
}

static void destroy_policy(ParkPolicy* policy) {
  free(policy->offsets);
  free(policy->value);
  free(policy->score);
  free(policy);
}

static int32_t act(ParkPolicy* policy, const ParkQuestions* questions, void* const* actions,
                   ParkError* error) {
  const ParkRows* rows = questions->observation;
  const float* work = rows->columns[policy->work];
  const uint8_t* mask = rows->columns[policy->mask];
  int32_t* pick = actions[0];
  for (uint64_t r = 0; r < questions->count; ++r) {
    const int64_t begin = rows->offsets[0][r], end = rows->offsets[0][r + 1];
    int64_t best = -1;
    for (int64_t j = begin; j < end; ++j)
      if (mask[j] && (best < 0 || policy->sign * work[j] > policy->sign * work[best])) best = j;
    if (best < 0) return park_fail(error, PARK_ILLEGAL_ACTION, "pick: no job may be picked");
    pick[r] = (int32_t)(best - begin);
  }
  return PARK_OK;
}

/* Arrays for that many rows and candidates. */
static int grow(ParkPolicy* policy, uint64_t rows, uint64_t candidates) {
  if (rows >= policy->rows) {
    free(policy->offsets);
    policy->rows = rows + 1;
    policy->offsets = malloc(policy->rows * sizeof *policy->offsets);
  }
  if (candidates > policy->room) {
    free(policy->value);
    free(policy->score);
    policy->room = candidates;
    policy->value = malloc(candidates * sizeof *policy->value);
    policy->score = malloc(candidates * sizeof *policy->score);
  }
  return policy->offsets != NULL && (policy->room == 0 || (policy->value && policy->score));
}

static int32_t scores(ParkPolicy* policy, const ParkRows* rows, uint64_t head,
                      const void* const* actions, ParkScores* to, int32_t* has, ParkError* error) {
  const float* work = rows->columns[policy->work];
  const uint8_t* mask = rows->columns[policy->mask];
  int64_t n = 0;
  (void)head, (void)actions;
  if (!grow(policy, rows->rows, (uint64_t)rows->offsets[0][rows->rows]))
    return park_fail(error, PARK_FAILED, "no memory");
  for (uint64_t r = 0; r < rows->rows; ++r) {
    policy->offsets[r] = n;
    for (int64_t j = rows->offsets[0][r]; j < rows->offsets[0][r + 1]; ++j) {
      if (!mask[j]) continue;
      policy->value[n] = (int32_t)(j - rows->offsets[0][r]);
      policy->score[n++] = (float)(policy->sign * work[j]);
    }
  }
  policy->offsets[rows->rows] = n;
  to->offsets = policy->offsets;
  to->value = policy->value;
  to->score = policy->score;
  *has = 1;
  return PARK_OK;
}

static const ParkField kLongest = {.size = sizeof(ParkField),
                                   .name = "longest",
                                   .doc = "the longest job instead of the shortest",
                                   .unit = "1",
                                   .type = "bool",
                                   .default_text = "false",
                                   .names = PARK_NAMES_NOTHING};
static const ParkField* const kPolicyFields[] = {&kLongest};
static const char* const kFits[] = {"first_jobs", "first_live"};
static const ParkPolicyType kPolicy = {.size = sizeof(ParkPolicyType),
                                       .name = "first_order",
                                       .summary = "the shortest job first",
                                       .reference = "Smith's rule, 1956",
                                       .environments = kFits,
                                       .environment_count = 2,
                                       .fields = kPolicyFields,
                                       .field_count = 1,
                                       .create = create_policy,
                                       .destroy = destroy_policy,
                                       .act = act,
                                       .scores = scores};

/* --- The importer: lines with digits are kept, others are broken ------------------------------- */

static int32_t import_lines(const char* text, const ParkImport* host, ParkError* error) {
  char line[64];
  uint64_t length = 0;
  (void)text;
  for (uint64_t f = 0; f < host->file_count; ++f) {
    const ParkInput* file = host->files[f];
    char byte = 0;
    for (;;) {
      const int64_t got = file->read(file->self, &byte, 1);
      if (got < 0) return park_fail(error, PARK_BAD_FILE, "the file broke off");
      if (got > 0 && byte != '\n') {
        if (length < sizeof line - 1) line[length++] = byte;
        continue;
      }
      if (length > 0) {
        host->rows(host->self, 1);
        line[length++] = '\n';
        if (line[0] < '0' || line[0] > '9')
          host->broken(host->self, "a line without a number");
        else if (host->append(host->self, line, length) != PARK_OK)
          return park_fail(error, PARK_IO, "the host ended the import");
      }
      length = 0;
      if (got == 0) break;
    }
  }
  host->made(host->self, "some numbers", "{\"kind\": \"numbers\"}");
  return PARK_OK;
}

static const ParkImporterType kImporter = {.size = sizeof(ParkImporterType),
                                           .kind = "first_numbers",
                                           .kind_summary = "numbers, one a line",
                                           .environment = "first_jobs",
                                           .kind_example = "import lines a.txt --out b.txt",
                                           .form = "lines",
                                           .summary = "lines that begin with a digit",
                                           .details = "Other lines are broken.",
                                           .example = "a.txt --out b.txt",
                                           .run = import_lines};

/* --- The plug-in ------------------------------------------------------------------------------- */

PARK_PLUGIN_NOTE("first", "1.0", "MIT");

static const ParkEnvType* const kEnvs[] = {&kEnv};
static const ParkSystemType* const kSystems[] = {&kSystem};
static const ParkPolicyType* const kPolicies[] = {&kPolicy};
static const ParkImporterType* const kImporters[] = {&kImporter};
static const ParkPlugin kPlugin = {.size = sizeof(ParkPlugin),
                                   .abi = PARK_PLUGIN_ABI,
                                   .name = "first",
                                   .version = "1.0",
                                   .licence = "MIT",
                                   .envs = kEnvs,
                                   .env_count = 1,
                                   .systems = kSystems,
                                   .system_count = 1,
                                   .policies = kPolicies,
                                   .policy_count = 1,
                                   .importers = kImporters,
                                   .importer_count = 1};

PARK_PLUGIN_EXPORT const ParkPlugin* park_plugin(uint32_t host_abi, const ParkHost* host) {
  (void)host_abi, (void)host;
  return &kPlugin;
}
