#pragma once

#include <string>
#include <string_view>

#include "park/envs/dl_cluster/speed_table.h"

namespace park::dl_cluster {

/// Reads the speed table of DL2's public code, config_speed.txt, from the user's copy. Each line is
/// a Python tuple: model, mode, total batch, servers, workers, speed of each worker, CPU use of
/// servers, CPU use of workers. The speed of a point is the sum over its workers. Sizes and demands
/// of the eight models are not in the file. They are those of DL2's settings (Peng et al., arXiv
/// 1909.06040, and its public code). `name` stands for the file in messages. Throws Error{bad_file}
/// with one line per violation.
[[nodiscard]] SpeedTable parse_dl2(std::string_view text, const std::string& name);

}  // namespace park::dl_cluster
