#pragma once

#include <string>
#include <vector>

#include "cli/frame/tree.h"

namespace park::cli {

/// A page of the manual, made of what the help says.
struct ManPage {
  std::string name;  ///< "park-run", of section 1
  std::string text;  ///< in the macros of man(7)
};

/// The page of park itself.
[[nodiscard]] ManPage main_page(const Nodes&);
/// The page of a command.
[[nodiscard]] ManPage command_page(const Node&);
/// park itself and every command that is not hidden, those above first.
[[nodiscard]] std::vector<ManPage> man_pages(const Nodes&);

}  // namespace park::cli
