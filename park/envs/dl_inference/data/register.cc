#include "park/command/data_kinds.h"
#include "park/envs/dl_inference/data/actions.h"
#include "park/envs/dl_inference/layout.h"

namespace park::dl_inference {

/// Called by envs::data_kinds, which is made of the folders that have this file.
void register_data(command::DataKinds& kinds) {
  kinds.add({.name = "arrivals",
             .summary = "import recorded arrivals of inference requests",
             .environment = kDlInferenceName,
             .example = "import azure AzureLLMInferenceTrace_code.csv --out code.csv",
             .actions = {arrivals::make_import_azure, arrivals::make_import_burstgpt}});
}

}  // namespace park::dl_inference
