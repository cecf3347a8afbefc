#pragma once

#include <map>
#include <string>

#include "cli/frame/candidates.h"
#include "cli/frame/names.h"
#include "cli/frame/session.h"
#include "park/command/options.h"

namespace park::cli {

/// What was given to options and arguments, by their names.
using Values = std::map<std::string, std::string>;

struct Completed {
  Candidates candidates;
  bool files = false;  ///< names of files fit where none of the candidates does
};

/// What fits for an option or argument of which `typed` is there. The same name of an option means
/// the same in every command. `given` is the rest of the line.
[[nodiscard]] Completed complete_value(const Option&, const Values& given, const std::string& typed,
                                       Session&);

/// The names of options and arguments whose values are known beyond their choices.
[[nodiscard]] std::vector<std::string> completed_names();

}  // namespace park::cli
