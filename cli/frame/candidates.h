#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace park::cli {

/// A word that may stand where a line is being typed.
struct Candidate {
  std::string word, about;
};
using Candidates = std::vector<Candidate>;

/// Adds those of `names` that begin with what is typed; `before` stands in front of each.
inline void add_matching(Candidates& all, const std::string& before, std::string_view typed,
                         const std::vector<std::string>& names, const std::string& about = "") {
  for (const std::string& name : names)
    if (name.starts_with(typed)) all.push_back({before + name, about});
}

}  // namespace park::cli
