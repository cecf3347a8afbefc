#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/registry.h"
#include "park/runs/manifest.h"
#include "park/runs/tensor_file.h"

namespace park::runs {

/// A folder with manifest.json and policy.safetensors (the weights that acting needs). If training
/// can continue from it, it also has training.safetensors (the rest).
struct Checkpoint {
  std::string folder;
  Manifest manifest;
  TensorFile policy;
  std::optional<TensorFile> training;
};

enum class Parts { policy, all };

/// Writes a checkpoint whole: it replaces what is there at once, or not at all. The manifest's list
/// of files is filled in. Throws Error{io}.
void write_checkpoint(const std::filesystem::path&, Manifest, const TensorViews& policy,
                      const TensorViews* training);

/// Throws Error{bad_file} or Error{io} in one line that names the file. It may be missing, cut off,
/// changed since it was written, of a newer version, or none at all.
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path&, Parts);

/// The checkpoint's folder for a path or a name; nothing if there is none. A path is a checkpoint,
/// or a run's folder: its best checkpoint, or the latest before the first validation. These two may
/// be all that is left of the run. A name is a bundled checkpoint (data/checkpoints/NAME). Throws
/// Error{bad_file} for a folder of something else, and for a run without a policy so far.
[[nodiscard]] std::optional<std::filesystem::path> find_checkpoint(std::string_view name);

/// The policy of a text PATH or PATH(sample=true), by argmax or by drawing. Throws as the above,
/// Error{invalid_config} if the environment does not fit, Error{unavailable} without LibTorch.
[[nodiscard]] std::unique_ptr<Policy> checkpoint_policy(const Value& text, const Spec&);

/// Makes checkpoints policies by path and by name, and networks in files of other programs
/// (network_file.h).
void add_checkpoint_policies(Registry&);

}  // namespace park::runs
