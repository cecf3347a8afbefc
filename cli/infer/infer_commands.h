#pragma once

#include <memory>
#include <string>

#include "cli/frame/command.h"
#include "systems/dl_inference_live/config.h"

namespace park::cli {

// The commands of `park infer`.
std::unique_ptr<Command> make_infer_serve_command();
std::unique_ptr<Command> make_infer_load_command();
std::unique_ptr<Command> make_infer_profile_command();

/// What the argument ENV of all of them says.
inline constexpr const char* kLiveDoc =
    "a text such as dl_inference_live(models=[model(kind=mlp)]); its models, arrivals and limits";

/// Reads ENV; adds what is wrong and returns false. `canonical` becomes its canonical text.
[[nodiscard]] bool read_live(const Registry&, const std::string& text, inference::LiveConfig&,
                             std::string& canonical, Violations&);

/// The endpoint of a text, which may be the path of an endpoint file. Throws bridge::Failed.
[[nodiscard]] std::string endpoint_of(const std::string& text);

}  // namespace park::cli
