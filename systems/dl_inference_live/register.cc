#include "park/core/registry.h"
#include "systems/dl_inference_live/dl_inference_live.h"

namespace park::dl_inference_live {

void register_system(Registry& registry) { registry.add_system<inference::DlInferenceLive>(); }

}  // namespace park::dl_inference_live
