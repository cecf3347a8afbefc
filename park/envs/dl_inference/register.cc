#include "park/core/registry.h"
#include "park/envs/dl_inference/dl_inference.h"
#include "park/envs/dl_inference/score_policies.h"
#include "park/envs/dl_inference/server_policies.h"
#include "park/envs/dl_inference/share_policies.h"

namespace park::dl_inference {

/// Called by envs::register_all, which is made of the folders that have this file.
void register_env(Registry& r) {
  r.add_env<DlInference>();
  r.add_policy<Rr>();
  r.add_policy<LowestUtil>();
  r.add_policy<Sfq>();
  r.add_policy<Edf>();
  r.add_policy<LeastSlack>();
  r.add_policy<MaxSlowdown>();
  r.add_policy<Wspt>();
  r.add_policy<Aged>();
  r.add_policy<Index>();
  r.add_policy<Clipper>();
  r.add_policy<Clockwork>();
  r.add_policy<Nexus>();
  r.add_policy<Triton>();
}

}  // namespace park::dl_inference
