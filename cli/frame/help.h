#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "cli/frame/command.h"

namespace park::cli {

/// The help of park itself: its commands.
[[nodiscard]] std::string main_help(std::span<const std::unique_ptr<Command>>, std::size_t width);

/// The help of a command called `path`, such as "park run".
[[nodiscard]] std::string command_help(const std::string& path, Command&, const Options&,
                                       std::size_t width);

// Parts of the help that manual pages have too.

/// "park run ENV --policy P [options]".
[[nodiscard]] std::string usage(const std::string& path, const Options&, bool group);
/// An option or argument as it is given: "--policy P[,P...]".
[[nodiscard]] std::string option_form(const Option&);
/// What it means, with its default.
[[nodiscard]] std::string option_doc(const Option&);

/// What park is, and the options that it has beside its commands.
inline constexpr const char* kParkSummary =
    "learning-augmented computer systems: environments, policies, comparisons";
inline constexpr const char* kParkExample =
    "park run dag_scheduling --policy fifo,weighted_fair --episodes 20";
struct MainOption {
  const char *form, *doc;
};
inline constexpr MainOption kMainOptions[] = {
    {"--version", "version, commit, compiler and modules; with --json as an object"},
    {"-h, --help", "this text; park COMMAND --help for a command"}};

}  // namespace park::cli
