#include "cli/frame/session.h"

#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/runs/checkpoint.h"

namespace park::cli {

Session::Session(Console& console, std::size_t width) : console_(&console), width_(width) {}
Session::~Session() = default;

const Registry& Session::registry() {
  if (!registry_) {
    registry_ = std::make_unique<Registry>();
    envs::register_all(*registry_);
    register_found(*registry_);  // names before paths of checkpoints, which any name may be
    runs::add_checkpoint_policies(*registry_);
  }
  return *registry_;
}

}  // namespace park::cli
