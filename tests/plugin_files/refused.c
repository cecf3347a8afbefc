/* Plug-ins that park refuses; each is this source with one of these defined:
 *
 *   PARK_LOUD         ends the process when it is loaded: nothing of it may run
 *   PARK_LATER        is for a later interface
 *   PARK_NO_FUNCTION  has no park_plugin
 *   PARK_UNWILLING    refuses this host
 *   PARK_TAKEN        has an environment of a name that is taken
 *   PARK_CRASH        crashes in its spec
 *   PARK_NO_NOTE      has no note
 */
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "park/plugin.h"

#ifdef PARK_LATER
#undef PARK_PLUGIN_ABI
#define PARK_PLUGIN_ABI 4000u
#endif
#ifndef PARK_NO_NOTE
PARK_PLUGIN_NOTE("refused", "0.1", "MIT");
#endif

#ifdef PARK_LOUD
__attribute__((constructor)) static void loaded(void) { _exit(99); }
#endif

static int32_t configure(const char* text, ParkConfig** config, ParkError* error) {
  (void)text;
  (void)error;
  static char any;
  *config = (ParkConfig*)&any;
  return PARK_OK;
}
static void forget(ParkConfig* config) { (void)config; }

static int32_t spec(const ParkConfig* config, const ParkSpec** to, ParkError* error) {
  (void)config;
  (void)to;
#ifdef PARK_CRASH
  raise(SIGSEGV);
#endif
  return park_fail(error, PARK_UNAVAILABLE, "there is no spec");
}
static int32_t create(const ParkConfig* config, ParkEnv** env, ParkError* error) {
  (void)config;
  (void)env;
  return park_fail(error, PARK_UNAVAILABLE, "there is no environment");
}
static void destroy(ParkEnv* env) { (void)env; }
static int32_t reset(ParkEnv* env, const ParkEpisode* episode, ParkRow* row, ParkError* error) {
  (void)env;
  (void)episode;
  (void)row;
  return park_fail(error, PARK_UNAVAILABLE, "there is no episode");
}
static int32_t step(ParkEnv* env, const ParkRow* action, ParkOutcome* outcome, ParkRow* row,
                    ParkError* error) {
  (void)env;
  (void)action;
  (void)outcome;
  (void)row;
  return park_fail(error, PARK_UNAVAILABLE, "there is no step");
}

#ifdef PARK_TAKEN
#define NAME "load_balance"
#else
#define NAME "refused"
#endif
static const ParkEnvType kEnv = {.size = sizeof kEnv,
                                 .name = NAME,
                                 .configure = configure,
                                 .forget = forget,
                                 .spec = spec,
                                 .create = create,
                                 .destroy = destroy,
                                 .reset = reset,
                                 .step = step};
static const ParkEnvType* const kEnvs[] = {&kEnv};
static const ParkPlugin kPlugin = {.size = sizeof kPlugin,
                                   .abi = PARK_PLUGIN_ABI,
                                   .name = "refused",
                                   .version = "0.1",
                                   .licence = "MIT",
                                   .envs = kEnvs,
                                   .env_count = 1};

#ifdef PARK_NO_FUNCTION
PARK_PLUGIN_EXPORT const ParkPlugin* of_another_name(void);
const ParkPlugin* of_another_name(void) { return &kPlugin; }
#else
const ParkPlugin* park_plugin(uint32_t host_abi, const ParkHost* host) {
  (void)host_abi;
#ifdef PARK_UNWILLING
  host->refuse(host->self, "needs another day");
  return NULL;
#else
  (void)host;
  return &kPlugin;
#endif
}
#endif
