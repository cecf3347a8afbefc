#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace park::dl_cluster_live {

/// What a training job continues from.
struct Checkpoint {
  std::int32_t kind = 0;
  std::uint64_t seed = 0;
  std::int64_t step = 0;
  std::vector<float> parameters{};
};

/// A checkpoint of a folder. It appears there whole or not at all; `run` tells temporary files of
/// two runs apart. It survives the death of processes; a loss of power may cost it. Throws
/// std::runtime_error.
void write_checkpoint(const std::string& folder, std::int32_t run, const Checkpoint& about,
                      std::span<const float> parameters);
/// Nothing where the folder has none. Throws std::runtime_error if it is not a checkpoint.
[[nodiscard]] std::optional<Checkpoint> read_checkpoint(const std::string& folder);

}  // namespace park::dl_cluster_live
