// The interface of plug-ins: shared objects that bring environments, running systems, policies and
// importers to an installed Park. A plug-in is a file for dlopen with one function,
//
//     const ParkPlugin* park_plugin(uint32_t host_abi, const ParkHost* host);
//
// and an ELF note that names it (PARK_PLUGIN_NOTE below). Everything else is reached through the
// tables that this function returns. The host is Park; it calls, and the plug-in answers. Authors in
// C++ include park/plugin/cpp.h instead, which writes these tables around the classes of
// docs/new_env.md. Authors in C, Rust or Zig fill them by hand.
//
// The interface survives releases: a plug-in that was built once loads into every later Park.
//
// Growth.   Every struct begins with its own size in bytes, as its maker's header has it. Members
//           are only ever added at the end; none is removed, moved, or given another meaning. Who
//           reads a struct reads no member beyond its size and takes a missing one as zero. Who
//           fills in a struct of the other side writes no member beyond the size found there.
//           Structs therefore come one by one: a list of them is an array of pointers.
// Numbers.  PARK_PLUGIN_ABI is the number of the interface. It rises only if the rules above have
//           to be broken; a host then still knows the older numbers.
// Texts.    UTF-8, ended by NUL. NULL stands for the empty text. Texts such as
//           "mine(servers=4,rate=0.5)" are of the grammar in park/core/text.h.
// Arrays.   A pointer and, in the next member, how many. The pointer may be NULL where there are 0.
// Units.    Times are seconds, as double. Nothing is scaled.
// Errors.   A function that can fail returns a ParkCode. If that is not PARK_OK, the function has
//           written a text into the ParkError that it was given (park_fail). The text has a line
//           for each thing that is wrong, which names the field and what is allowed. Results are
//           unspecified then. No exception, no longjmp and no exit crosses.
// Lifetime. Objects are opaque. Who made one destroys it, by the function of the same table: no
//           memory is allocated on one side and freed on the other. What park_plugin returns, and
//           everything it leads to, lives as long as the process: plug-ins are never unloaded.
//           Other lifetimes stand with the functions.
// Threads.  Functions of a table may be called from any thread. Calls with the same object come
//           one at a time, except where a function says otherwise. Calls with different objects
//           may overlap. A plug-in may not fork the process or change its signals, locale or
//           working directory.
//
// Not covered: what users of an environment declare (Env::declarations), which `park attack` needs.
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A header of C: its names and its NULL are those of C. */
/* NOLINTBEGIN(readability-identifier-naming,modernize-use-nullptr) */

#ifdef __cplusplus
extern "C" {
#endif

#define PARK_PLUGIN_ABI 1u

/* --- Codes and errors ----------------------------------------------------------------------- */

/* What went wrong, for callers that react; the text is for people. As park/core/error.h. */
enum ParkCode {
  PARK_OK = 0,
  PARK_INVALID_CONFIG = 1, /* a field out of its range, unknown, or in conflict with another */
  PARK_INVALID_SPACE = 2,  /* a spec that contradicts itself, or that a policy cannot play */
  PARK_ILLEGAL_ACTION = 3, /* an action outside its space or masked out */
  PARK_UNKNOWN_NAME = 4,
  PARK_SYNTAX = 5,      /* a text outside the grammar */
  PARK_CAPACITY = 6,    /* more elements than declared */
  PARK_BAD_FILE = 7,    /* a file that is not what it should be */
  PARK_IO = 8,          /* a file that cannot be read or written */
  PARK_UNAVAILABLE = 9, /* something that needs what is not there */
  PARK_NOT_FINITE = 10, /* a computation whose result is not a finite number */
  PARK_NOT_ALLOWED = 11,
  PARK_FAILED = 12 /* anything else */
};

/* Where the text of an error goes. Given by the host; valid during the call. */
typedef struct ParkError {
  uint64_t size;
  char* text;        /* [capacity]; ended by NUL after the call */
  uint64_t capacity; /* at least 256 */
} ParkError;

/* Writes a text, cut to what fits, and returns the code: `return park_fail(error, PARK_IO, "...")`.
 */
static inline int32_t park_fail(ParkError* error, int32_t code, const char* text) {
  uint64_t i = 0;
  if (error != NULL && error->text != NULL && error->capacity > 0) {
    for (; text != NULL && text[i] != '\0' && i + 1 < error->capacity; ++i)
      error->text[i] = text[i];
    error->text[i] = '\0';
  }
  return code;
}

/* --- Descriptions --------------------------------------------------------------------------- */

/* The type of a leaf's values. */
enum ParkDType { PARK_U8 = 0, PARK_I32 = 1, PARK_I64 = 2, PARK_F32 = 3, PARK_F64 = 4 };

/* A ragged dimension of a record: its leaves have one count per row, from 0 to the capacity. */
typedef struct ParkGroup {
  uint64_t size;
  const char* name;
  int64_t capacity;
} ParkGroup;

/* One named array of a record. A head is a leaf of the action: PARK_I32 of shape [] for a choice
 * among integers, PARK_F32 for a real vector. Leaves "mask.HEAD" (PARK_U8), "HEAD.min" and
 * "HEAD.max" of the observation say what a head may take in a row. docs/new_env.md has the rules;
 * a spec that breaks them is refused with one line per contradiction. */
typedef struct ParkLeaf {
  uint64_t size;
  const char* name;     /* "stage.tasks"; "info.*" is for people, and networks leave it out */
  int32_t dtype;        /* enum ParkDType */
  const int64_t* shape; /* [dims] of a row; of one element if there is a group */
  uint64_t dims;
  double low, high;         /* inclusive, finite bounds of every value */
  const char* unit;         /* "1" for none */
  const char* doc;          /* what it means, for people */
  const char* group;        /* the group of this record that it belongs to; "": one per row */
  const char* index_of;     /* values are places of elements of this group of the observation */
  const char* const* given; /* [given_count] heads: an earlier head, then index leaves to follow */
  uint64_t given_count;
} ParkLeaf;

typedef struct ParkRecord {
  uint64_t size;
  const ParkLeaf* const* leaves; /* [leaf_count] in the order of the columns of its rows */
  uint64_t leaf_count;
  const ParkGroup* const* groups; /* [group_count] */
  uint64_t group_count;
} ParkRecord;

/* A figure per episode. */
typedef struct ParkMetric {
  uint64_t size;
  const char* name;
  const char* unit;
  int32_t lower_is_better;
  const char* doc;
} ParkMetric;

/* The description of an environment or system in one configuration. */
typedef struct ParkSpec {
  uint64_t size;
  const char* name; /* as that of its type */
  const char* summary;
  const char* reference;
  int32_t version; /* from 1; rises when results change */
  const ParkRecord* observation;
  const ParkRecord* action;         /* at least one head; no groups */
  const ParkMetric* const* metrics; /* [metric_count] */
  uint64_t metric_count;
  int32_t replayable; /* 1: the same episode and actions give the same bytes */
  int32_t cloneable;  /* 1: clone works */
  const char* twin;   /* the other one of a simulated and a real system; "" */
  const char* text;   /* to policies: the canonical text of the environment, or "" */
} ParkSpec;

/* What the text of a field opens on the machine that reads it: decides what strangers may give. */
enum ParkNames {
  PARK_NAMES_UNDECLARED = 0, /* strangers may not give it */
  PARK_NAMES_NOTHING = 1,    /* a word, or a name that opens nothing here */
  PARK_NAMES_FILE = 2,       /* a file or folder */
  PARK_NAMES_ENDPOINT = 3    /* a server */
};

/* A field of a configuration: "servers" of "mine(servers=4)". The host parses and checks texts by
 * it; it makes options, help and tuning of it. */
typedef struct ParkField {
  uint64_t size;
  const char* name;
  const char* doc;
  const char* unit; /* "1" for none */
  /* "bool", "integer", "number", "text", "value" (any text of the grammar), "NAME(...)" (a nested
   * configuration, whose fields are in `fields`), or "list of " and one of these */
  const char* type;
  const char* default_text;   /* as in a text: "4", "[1,2]", "\"\"" */
  double min, max;            /* -INFINITY and INFINITY where there is no bound */
  int32_t open_min, open_max; /* 1: the bound itself is outside */
  const char* const* choices; /* [choice_count] of a text; none: any */
  uint64_t choice_count;
  const char* tune;           /* what tuning tries: "low:high:step" or "a|b|c"; "": nothing */
  int32_t names;              /* enum ParkNames, for texts without choices */
  const char* const* bundled; /* [bundled_count] words for bundled data, beside files */
  uint64_t bundled_count;
  const struct ParkField* const* fields; /* [field_count] of a nested configuration */
  uint64_t field_count;
} ParkField;

/* --- Rows ----------------------------------------------------------------------------------- */

/* One row of a record. Column c belongs to leaf c and has width * n values of the leaf's type:
 * width is the product of the shape, n is 1, or counts[g] if the leaf belongs to group g. Columns
 * need no more alignment than their type. A column without values may be NULL. */
typedef struct ParkRow {
  uint64_t size;
  const void* const* columns; /* [leaf_count] */
  const uint64_t* counts;     /* [group_count] */
} ParkRow;

/* A row that an environment fills in. The struct and its arrays are the host's. A column without
 * group points to memory for its values, aligned to their type: the environment writes them there, or
 * sets columns[c] to values of its own. A column of group g is NULL at first: the environment sets
 * counts[g], at most the capacity, and columns[c] to values of its own. Values of its own live until
 * the next reset, step, clone or destroy of that environment; the host copies them. */
typedef struct ParkNewRow {
  uint64_t size;
  void** columns;   /* [leaf_count] */
  uint64_t* counts; /* [group_count] 0 at first */
} ParkNewRow;

/* Rows of a record, as a structure of arrays. A column without group has rows * width values. One
 * of group g has the elements of all rows, one after the other: row r has the elements
 * offsets[g][r] .. offsets[g][r + 1] - 1, each of width values. */
typedef struct ParkRows {
  uint64_t size;
  uint64_t rows;
  const void* const* columns;    /* [leaf_count] */
  const int64_t* const* offsets; /* [group_count][rows + 1]; offsets[g][0] is 0 */
} ParkRows;

/* --- Episodes ------------------------------------------------------------------------------- */

/* One run. `inputs` seeds the exogenous process (arrivals, sizes), which does not depend on
 * actions; `dynamics` seeds all other randomness. */
typedef struct ParkEpisode {
  uint64_t size;
  uint64_t id; /* its number in the run */
  uint64_t inputs, dynamics;
  double horizon_s; /* the time at which it is truncated; INFINITY: never */
} ParkEpisode;

enum ParkEnd { PARK_GOES_ON = 0, PARK_TERMINATED = 1, PARK_TRUNCATED = 2 };
/* Who took a decision. */
enum ParkApplied { PARK_BY_POLICY = 0, PARK_PROJECTED = 1, PARK_FALLBACK = 2 };

/* What happened since the row before. Reward and time are finite, and time is not negative. */
typedef struct ParkOutcome {
  uint64_t size;
  double reward, elapsed_s;
  int32_t end;      /* enum ParkEnd */
  int32_t applied;  /* enum ParkApplied; an environment leaves it 0 */
  uint32_t skipped; /* questions that expired before the agent saw them; an environment leaves 0 */
} ParkOutcome;

/* --- Timelines ------------------------------------------------------------------------------ */

/* A figure of an event. A name that ends in `_s` is a time in seconds; `job` is the number of a job
 * of the episode, `stage` the index of a stage within it. */
typedef struct ParkEventArg {
  uint64_t size;
  const char* name;
  double value;
  const char* label; /* of a value that is a code; "" */
} ParkEventArg;

/* A part of a job that waits for others. */
typedef struct ParkEventStage {
  uint64_t size;
  const uint16_t* parents; /* [parent_count] indices within the job, without a cycle */
  uint64_t parent_count;
  const ParkEventArg* const* args; /* [arg_count] */
  uint64_t arg_count;
} ParkEventStage;

/* Receives what a timeline shows. Given by the host, valid until the next call of
 * ParkEnvType.events or destroy; called only within reset, step and metrics of the environment that
 * has it. What is passed is read during the call. Times are seconds of the episode.
 * park/core/events.h says what viewers expect. The host keeps what goes wrong to itself. */
typedef struct ParkSink {
  uint64_t size;
  void* self; /* the first argument of every function */
  /* a lane exists even if nothing ever occupies it */
  void (*lane)(void* self, const char* name);
  /* the stages of a job, once, before any event of it */
  void (*job)(void* self, uint64_t number, const char* name, const ParkEventStage* const* stages,
              uint64_t stage_count);
  /* an activity that occupied a lane for a while; those of a lane do not overlap */
  void (*span)(void* self, const char* lane, double start_s, double end_s, const char* what,
               const ParkEventArg* const* args, uint64_t arg_count);
  /* an event at one time; every arrival of the input process is "arrival" */
  void (*point)(void* self, const char* lane, double time_s, const char* what,
                const ParkEventArg* const* args, uint64_t arg_count);
  /* a value of a series, which holds until the next one; lane "": of the whole system */
  void (*value)(void* self, const char* lane, const char* series, double time_s, double value);
} ParkSink;

/* --- Environments --------------------------------------------------------------------------- */

/* Objects of the plug-in: whatever it likes them to be. */
typedef struct ParkConfig ParkConfig;
typedef struct ParkEnv ParkEnv;
typedef struct ParkSystem ParkSystem;
typedef struct ParkPolicy ParkPolicy;

/* A kind of simulated environment: the caller advances time. The members without "may be NULL"
 * are required. */
typedef struct ParkEnvType {
  uint64_t size;
  const char* name;               /* letters, digits and _; that of the texts that make it */
  const ParkField* const* fields; /* [field_count] */
  uint64_t field_count;

  /* Reads a text that the host has checked by the fields: canonical, so fields with their default
   * are left out, and those present stand in the declared order. Rules between fields are checked
   * here. The configuration may be used by several threads at once. */
  int32_t (*configure)(const char* text, ParkConfig** config, ParkError* error);
  void (*forget)(ParkConfig* config);
  /* The description, which lives as long as the configuration. Data may be read here. */
  int32_t (*spec)(const ParkConfig* config, const ParkSpec** spec, ParkError* error);
  /* The files that the inputs are made of, which live as long as the configuration. May be NULL. */
  int32_t (*data_files)(const ParkConfig* config, const char* const** files, uint64_t* count,
                        ParkError* error);

  /* An environment. The configuration outlives it. */
  int32_t (*create)(const ParkConfig* config, ParkEnv** env, ParkError* error);
  void (*destroy)(ParkEnv* env);
  /* Starts an episode and advances to its first decision, whose row it fills in. Every value of
   * every column is written, and within the bounds of its leaf. */
  int32_t (*reset)(ParkEnv* env, const ParkEpisode* episode, ParkNewRow* observation,
                   ParkError* error);
  /* Takes a legal decision (one column per head) and advances to the next one or to the end, where
   * the row is the final observation. Not called after an end, until a reset. `outcome` is the
   * host's, with its size set and zeros otherwise. Allocates nothing in steady state. */
  int32_t (*step)(ParkEnv* env, const ParkRow* action, ParkOutcome* outcome,
                  ParkNewRow* observation, ParkError* error);
  /* After the end: [count] figures, in the order of the spec's metrics. NaN: not defined in this
   * episode. May be NULL without metrics. */
  int32_t (*metrics)(ParkEnv* env, double* values, uint64_t count, ParkError* error);

  /* Simulated events since the reset. May be NULL: they are not counted. */
  uint64_t (*event_count)(const ParkEnv* env);
  /* Reports to the sink from the next reset on; NULL ends it. May be NULL: it reports nothing. */
  void (*events)(ParkEnv* env, const ParkSink* sink);
  /* An independent copy in the same state, without the sink. May be NULL unless cloneable. */
  int32_t (*clone)(const ParkEnv* env, ParkEnv** copy, ParkError* error);

  /* The same as step, of `count` environments of one configuration whose records have no groups:
   * environment i takes row i of the actions and writes row i of everything else. A column of the
   * actions or of the observation has count * width values and is the host's. All rewards [count],
   * elapsed_s [count] and ends [count] (enum ParkEnd) are written. After an error all `count`
   * environments are in no usable state. May be NULL: then they are stepped one by one. */
  int32_t (*step_many)(ParkEnv* const* envs, uint64_t count, const void* const* actions,
                       void* const* observation, double* rewards, double* elapsed_s, int32_t* ends,
                       ParkError* error);
} ParkEnvType;

/* --- Running systems ------------------------------------------------------------------------ */

/* A subject of decisions in a running system: an application, a flow. */
typedef struct ParkContext {
  uint64_t size;
  uint32_t slot; /* small and dense, used again later */
  uint64_t id;   /* never used again */
} ParkContext;

/* The deadline of a question that has none. */
#define PARK_NEVER INT64_MAX

/* Answers the questions of a running system. Given by the host, valid until run returns. The
 * functions may be called from any thread, from one thread at a time per context; `next` from one
 * thread at a time. After a code other than PARK_OK the system ends its run with that code; the
 * host keeps the text. */
typedef struct ParkDecider {
  uint64_t size;
  void* self; /* the first argument of every function */
  /* The next episode to play: 1, or 0 if there is none. The size of `episode` is set before. */
  int32_t (*next)(void* self, ParkEpisode* episode);
  /* Begins a context. The size of `context` is set before. */
  int32_t (*open)(void* self, const ParkEpisode* episode, ParkContext* context);
  /* Asks, and waits until an answer, the deadline or a stop. `since_last` covers the time since the
   * last call for this context. `action`: [heads] one column per head, which the host writes unless
   * `applied` (enum ParkApplied) becomes PARK_FALLBACK: then the system decides by itself. The
   * deadline is a time of CLOCK_MONOTONIC in nanoseconds, or PARK_NEVER. */
  int32_t (*decide)(void* self, const ParkContext* context, const ParkOutcome* since_last,
                    const ParkRow* observation, void* const* action, int64_t deadline_ns,
                    int32_t* applied);
  /* The last outcome (its end is not PARK_GOES_ON), row and figures of a context, in the order of
   * the spec's metrics. */
  int32_t (*close)(void* self, const ParkContext* context, const ParkOutcome* last,
                   const ParkRow* final_observation, const double* metrics, uint64_t count);
  /* Whether a stop is requested: 1 or 0. From then on every decide falls back at once. */
  int32_t (*stopped)(void* self);
} ParkDecider;

/* A kind of running system: it asks, from threads of its own. The first members are those of
 * ParkEnvType. */
typedef struct ParkSystemType {
  uint64_t size;
  const char* name;
  const ParkField* const* fields; /* [field_count] */
  uint64_t field_count;
  int32_t (*configure)(const char* text, ParkConfig** config, ParkError* error);
  void (*forget)(ParkConfig* config);
  int32_t (*spec)(const ParkConfig* config, const ParkSpec** spec, ParkError* error);
  int32_t (*data_files)(const ParkConfig* config, const char* const** files, uint64_t* count,
                        ParkError* error); /* may be NULL */

  int32_t (*create)(const ParkConfig* config, ParkSystem** system, ParkError* error);
  void (*destroy)(ParkSystem* system);
  /* Plays the episodes and returns when there are no more, or soon after a stop; then every context
   * is closed as truncated. No thread of it calls the decider after it returned. */
  int32_t (*run)(ParkSystem* system, const ParkDecider* decider, ParkError* error);
  /* A stop is requested; called at most once, from any thread, during run or just before it. Must
   * not wait. May be NULL: the system looks at ParkDecider.stopped. */
  void (*stop)(ParkSystem* system);
} ParkSystemType;

/* --- Policies ------------------------------------------------------------------------------- */

/* Questions of several slots, as columns, with the results of contexts that ended. Valid during the
 * call. */
typedef struct ParkQuestions {
  uint64_t size;
  uint64_t count;           /* questions: row i of the observation asks for row i of the actions */
  const uint32_t* slot;     /* [count] */
  const uint64_t* context;  /* [count] */
  const uint64_t* sequence; /* [count] the row's number in its context, from 0 */
  const ParkEpisode* const* episode;    /* [count] */
  const ParkOutcome* const* since_last; /* [count] empty at sequence 0 */
  const ParkRows* observation;          /* [count] */

  uint64_t ended;                          /* contexts that ended; they come before the questions */
  const uint32_t* ended_slot;              /* [ended] */
  const uint64_t* ended_context;           /* [ended] */
  const uint64_t* ended_decisions;         /* [ended] */
  const uint64_t* ended_events;            /* [ended] */
  const ParkEpisode* const* ended_episode; /* [ended] */
  const ParkOutcome* const* ended_last;    /* [ended] */
  const ParkRows* final_observation;       /* [ended] */
  const double* metrics;                   /* [ended, metrics of the spec] */
  int32_t done;                            /* nothing will follow */
} ParkQuestions;

/* The legal values of one head in every row, and their scores. Arrays of the plug-in, valid until
 * the next call for this policy. B rows, C candidates in all. */
typedef struct ParkScores {
  uint64_t size;
  const int64_t* offsets; /* [B + 1] row r has the candidates offsets[r] .. offsets[r + 1] - 1 */
  const int32_t* value;   /* [C] as the action holds it; ascending in a row */
  const float* score;     /* [C] logarithms of probabilities, but for a constant per row; -INFINITY
                           * marks a value that it never takes */
} ParkScores;

/* A kind of policy. */
typedef struct ParkPolicyType {
  uint64_t size;
  const char* name;
  const char* summary;
  const char* reference;
  const char* const* environments; /* [environment_count] it understands; none: every one */
  uint64_t environment_count;
  const ParkField* const* fields; /* [field_count] */
  uint64_t field_count;

  /* A policy of a canonical text such as "mine(d=2)", for environments of this spec, which is valid
   * during the call. PARK_INVALID_SPACE: it does not understand the spec. Any spec may come. */
  int32_t (*create)(const char* text, const ParkSpec* spec, ParkPolicy** policy, ParkError* error);
  void (*destroy)(ParkPolicy* policy);
  /* Comes before the row with sequence 0 of a slot. `key` is that of a generator (park_rng_draw)
   * for this run and episode. May be NULL. */
  int32_t (*start)(ParkPolicy* policy, uint32_t slot, const ParkEpisode* episode, uint64_t key,
                   ParkError* error);
  /* Answers all questions. `actions`: [heads] columns of count * width values, zero at first. Rows
   * are within the bounds of the spec, and indices are those of elements; they may make no sense
   * beyond that. Every answer is legal in its row, or the call fails. */
  int32_t (*act)(ParkPolicy* policy, const ParkQuestions* questions, void* const* actions,
                 ParkError* error);
  /* What it thinks of every legal value of one head. `actions`: [heads] the choices of the earlier
   * heads, which are legal. Changes no state. `scores` is the host's, with its size set. *has
   * becomes 0 if there are none for this head. May be NULL: never. */
  int32_t (*scores)(ParkPolicy* policy, const ParkRows* observation, uint64_t head,
                    const void* const* actions, ParkScores* scores, int32_t* has, ParkError* error);
  /* Episodes that may be in progress at once: 1 for a policy that carries state from one to the
   * next. May be NULL: any number. */
  uint32_t (*most_slots)(const ParkPolicy* policy);
  /* Whether act may wait for more than the processor. May be NULL: it does not. */
  int32_t (*may_wait)(const ParkPolicy* policy);
} ParkPolicyType;

/* --- Importers ------------------------------------------------------------------------------ */

/* A file to read, already unpacked. */
typedef struct ParkInput {
  uint64_t size;
  void* self;
  const char* name; /* for messages */
  /* The next bytes, at most `capacity`: how many; 0 at the end; -1 if the file broke off. */
  int64_t (*read)(void* self, void* bytes, uint64_t capacity);
} ParkInput;

/* What an importer reads, and where it writes to. Valid during the call; one thread. */
typedef struct ParkImport {
  uint64_t size;
  void* self;                    /* the first argument of every function */
  const ParkInput* const* files; /* [file_count] at least one */
  uint64_t file_count;
  /* Appends to the file that is made. It gets its name only if the import returns PARK_OK. */
  int32_t (*append)(void* self, const void* bytes, uint64_t count);
  /* That many more rows were read, without first and empty lines. */
  void (*rows)(void* self, uint64_t count);
  /* One of them is broken and left out: "FILE:LINE: what is wrong", or NULL after the first few.
   * Where more than 1 % are, the host refuses the import. */
  void (*broken)(void* self, const char* text);
  /* What was made, once, at the end: for people, as it continues the line "wrote PATH: ", and as a
   * JSON object for programs (NULL: none). */
  void (*made)(void* self, const char* text, const char* json);
} ParkImport;

/* An action `park data KIND import [FORM]`, which makes one file of recorded ones. */
typedef struct ParkImporterType {
  uint64_t size;
  const char* kind;         /* the kind of data, such as "traces"; may not be taken */
  const char* kind_summary; /* importers of one kind stand together, with the same four texts */
  const char* environment;  /* that reads it */
  const char* kind_example; /* an action and its arguments */
  const char* form;         /* of what is read, such as "csv"; "" if there is one form only */
  const char* summary;
  const char* details;            /* a paragraph for help; "" */
  const char* example;            /* the arguments, without the command */
  const ParkField* const* fields; /* [field_count] of bools, numbers and texts; become options */
  uint64_t field_count;
  /* `text`: a canonical text, "import(bin_s=0.5)". */
  int32_t (*run)(const char* text, const ParkImport* import_, ParkError* error);
} ParkImporterType;

/* --- The plug-in ---------------------------------------------------------------------------- */

/* What the host offers. Lives as long as the process. */
typedef struct ParkHost {
  uint64_t size;
  uint32_t abi;            /* PARK_PLUGIN_ABI of the host */
  const char* version;     /* of Park, such as "0.1.0" */
  const char* data_folder; /* Park's bundled data; "" if it is not installed */
  void* self;
  /* park_plugin says why it returns NULL. */
  void (*refuse)(void* self, const char* text);
} ParkHost;

typedef struct ParkPlugin {
  uint64_t size;
  uint32_t abi;                   /* PARK_PLUGIN_ABI of the header that it was built with */
  const char* name;               /* name, version and licence as in the note */
  const char* version;            /* its own */
  const char* licence;            /* an SPDX expression, such as "MIT" */
  const ParkEnvType* const* envs; /* [env_count] */
  uint64_t env_count;
  const ParkSystemType* const* systems; /* [system_count] */
  uint64_t system_count;
  const ParkPolicyType* const* policies; /* [policy_count] */
  uint64_t policy_count;
  const ParkImporterType* const* importers; /* [importer_count] */
  uint64_t importer_count;
} ParkPlugin;

#define PARK_PLUGIN_EXPORT __attribute__((visibility("default")))

/* Called once per process, before everything else. NULL: the plug-in refuses to work with this
 * host. */
PARK_PLUGIN_EXPORT const ParkPlugin* park_plugin(uint32_t host_abi, const ParkHost* host);

/* --- Randomness ----------------------------------------------------------------------------- */

/* The generator of park/core/rng.h, for plug-ins without the C++ classes: it is counter-based and
 * splits by number (SplitMix64's finaliser: Steele, Lea, Flood, OOPSLA 2014). A stream is a key;
 * its draws do not depend on other streams. */
static inline uint64_t park_rng_mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
/* The key of a seed: of Episode.inputs, for example. */
static inline uint64_t park_rng_key(uint64_t seed) {
  return park_rng_mix(seed + 0x632be59bd9b4e019u);
}
/* The key of an independent child: of job 7, for example. */
static inline uint64_t park_rng_split(uint64_t key, uint64_t id) {
  return park_rng_key(key ^ park_rng_mix(id + 1));
}
/* Draw n of a stream, n = 1, 2, ...: 64 bits. */
static inline uint64_t park_rng_draw(uint64_t key, uint64_t n) {
  return park_rng_mix(key + 0x9e3779b97f4a7c15u * n);
}
/* The same, uniform in [0, 1), 53 bits. */
static inline double park_rng_uniform(uint64_t key, uint64_t n) {
  return (double)(park_rng_draw(key, n) >> 11) * (1.0 / 9007199254740992.0);
}

#ifdef __cplusplus
}
#endif

/* --- The note ------------------------------------------------------------------------------- */

/* PARK_PLUGIN_NOTE("name", "1.0", "MIT"); once, at the top level of a source, puts a note into the
 * file that tools read without running code. Its layout is that of ELF notes. All numbers are 32
 * bits in the byte order of the file. Section ".note.park", type SHT_NOTE, alignment 4:
 *
 *     bytes 0-3    5, the length of the note's name with its NUL
 *     bytes 4-7    n, the length of what follows after byte 19
 *     bytes 8-11   1, the type of the note
 *     bytes 12-19  "Park", NUL, and three bytes of padding
 *     bytes 20-23  PARK_PLUGIN_ABI of the header
 *     bytes 24-    name, version and licence, each ended by NUL; up to byte 20 + n - 1
 *
 * Readers ignore texts that later headers may add after the licence. Then up to three bytes of
 * padding follow. */
#define PARK_PLUGIN_NOTE_SECTION ".note.park"
#define PARK_PLUGIN_NOTE_TYPE 1u
#define PARK_PLUGIN_NOTE(NAME, VERSION, LICENCE)                                             \
  __attribute__((section(PARK_PLUGIN_NOTE_SECTION), used, aligned(4))) static const struct { \
    uint32_t name_size, content_size, type;                                                  \
    char name[8];                                                                            \
    uint32_t abi;                                                                            \
    char text[sizeof(NAME "\0" VERSION "\0" LICENCE)];                                       \
  } park_plugin_note = {5u,                                                                  \
                        (uint32_t)(4u + sizeof(NAME "\0" VERSION "\0" LICENCE)),             \
                        PARK_PLUGIN_NOTE_TYPE,                                               \
                        {'P', 'a', 'r', 'k', '\0', '\0', '\0', '\0'},                        \
                        PARK_PLUGIN_ABI,                                                     \
                        NAME "\0" VERSION "\0" LICENCE}

/* NOLINTEND(readability-identifier-naming,modernize-use-nullptr) */
