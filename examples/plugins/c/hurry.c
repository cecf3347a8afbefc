/* A policy in C: a server that works faster the longer its queue is, for the environment `speed` of
 * examples/plugins/cpp.
 *
 *     cc -O2 -fPIC -shared -fvisibility=hidden -I PREFIX/include hurry.c -o libhurry.so
 *     park run speed --plugin libspeed.so --plugin libhurry.so --policy hurry,random --episodes 20
 */
#include <stdlib.h>
#include <string.h>

#include "park/plugin.h"

PARK_PLUGIN_NOTE("hurry", "1.0", "Apache-2.0");

struct ParkPolicy {
  uint64_t wait; /* the column of wait_s */
  int32_t low, high;
};

/* A column is found by its name and type: later versions of the environment may have more. */
static int32_t create(const char* text, const ParkSpec* spec, ParkPolicy** policy,
                      ParkError* error) {
  (void)text;
  const ParkRecord* seen = spec->observation;
  uint64_t wait = 0;
  while (wait < seen->leaf_count && strcmp(seen->leaves[wait]->name, "wait_s") != 0) ++wait;
  const ParkLeaf* leaf = wait < seen->leaf_count ? seen->leaves[wait] : NULL;
  const ParkLeaf* head = spec->action->leaves[0];
  const int sees = leaf != NULL && leaf->dtype == PARK_F32 && leaf->dims == 0 &&
                   (leaf->group == NULL || leaf->group[0] == '\0');
  if (!sees || spec->action->leaf_count != 1 || strcmp(head->name, "speed") != 0 ||
      head->dtype != PARK_I32 || head->dims != 0)
    return park_fail(error, PARK_INVALID_SPACE, "hurry needs wait_s and one head, speed");
  *policy = malloc(sizeof **policy);
  if (*policy == NULL) return park_fail(error, PARK_FAILED, "out of memory");
  **policy = (ParkPolicy){wait, (int32_t)head->low, (int32_t)head->high};
  return PARK_OK;
}

static void destroy(ParkPolicy* policy) { free(policy); }

static int32_t act(ParkPolicy* policy, const ParkQuestions* asked, void* const* actions,
                   ParkError* error) {
  (void)error;
  const float* wait_s = asked->observation->columns[policy->wait];
  int32_t* speed = actions[0];
  for (uint64_t i = 0; i < asked->count; ++i) {
    const float faster = wait_s[i] / 2;
    const int32_t most = policy->high - policy->low;
    speed[i] = policy->low + (faster < (float)most ? (int32_t)faster : most);
  }
  return PARK_OK;
}

static const char* const kEnvironments[] = {"speed"};
static const ParkPolicyType kHurry = {.size = sizeof kHurry,
                                      .name = "hurry",
                                      .summary = "one step faster for every two seconds of wait",
                                      .environments = kEnvironments,
                                      .environment_count = 1,
                                      .create = create,
                                      .destroy = destroy,
                                      .act = act};
static const ParkPolicyType* const kPolicies[] = {&kHurry};
static const ParkPlugin kPlugin = {.size = sizeof kPlugin,
                                   .abi = PARK_PLUGIN_ABI,
                                   .name = "hurry",
                                   .version = "1.0",
                                   .licence = "Apache-2.0",
                                   .policies = kPolicies,
                                   .policy_count = 1};

PARK_PLUGIN_EXPORT const ParkPlugin* park_plugin(uint32_t host_abi, const ParkHost* host) {
  (void)host_abi;
  (void)host;
  return &kPlugin;
}
