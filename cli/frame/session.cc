#include "cli/frame/session.h"

#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/runs/checkpoint.h"

namespace park::cli {

Session::Session(Console& console, std::size_t width)
    : console_(&console), width_(width), plugins_(console) {}
Session::~Session() = default;

const Registry& Session::registry() {
  if (!registry_) {
    auto all = std::make_unique<Registry>();
    envs::register_all(*all);
    register_found(*all);  // names before paths of checkpoints, which any name may be
    plugins_.add_to(*all);
    runs::add_checkpoint_policies(*all);
    registry_ = std::move(all);
  }
  return *registry_;
}

}  // namespace park::cli
