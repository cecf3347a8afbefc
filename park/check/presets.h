#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "park/check/subject.h"

namespace park::check {

/// A line of a file of presets: a text of an environment, perhaps after a word.
///     queue(servers=2)
///     small queue(jobs=20)
///     fixed queue(arrivals=@data@/one.csv)
///     long queue(jobs=12000)
/// "long": episodes have 10 000 decisions or more, of an input process that the system cannot keep
/// up with. "small": episodes have some tens of decisions and need no files. Tests of clients,
/// networks and the bridge play the small text of each environment. "fixed": the inputs come from a
/// file, so every episode has the same. @data@ stands for a folder of data. Empty lines and lines
/// that begin with # are skipped.
struct Preset {
  std::string text;
  bool is_small = false, is_long = false, is_fixed = false;
};

/// Throws Error{bad_file}.
[[nodiscard]] std::vector<Preset> read_presets(const std::filesystem::path& file,
                                               std::string_view data_folder);
[[nodiscard]] Subject make_subject(const Registry&, const Preset&);

}  // namespace park::check
