#include "bridge/transport/endpoint_file.h"
#include "cli/frame/commands.h"
#include "cli/frame/group.h"
#include "cli/frame/inputs.h"
#include "cli/infer/infer_commands.h"

namespace park::cli {
bool read_live(const Registry& registry, const std::string& text, inference::LiveConfig& config,
               std::string& canonical, Violations& wrong) {
  return attempt("ENV", wrong, [&] {
    config = inference::read_live_config(text);
    canonical = registry.canonical_env(text);
  });
}

std::string endpoint_of(const std::string& text) {
  if (text.starts_with("tcp://") || text.starts_with("ipc://")) return text;
  return bridge::read_endpoint_file(text).endpoint;
}

void add_infer_command(Commands& all) {
  all.add(91,
          group({.name = "infer",
                 .summary = "serve models in batches, load such a server, measure latencies",
                 .details = "",
                 .example = "park infer profile dl_inference_live --table latencies.csv"},
                {make_infer_serve_command, make_infer_load_command, make_infer_profile_command}));
}

}  // namespace park::cli
