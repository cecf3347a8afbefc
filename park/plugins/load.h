// Plug-ins of a process. `load` checks a file in a child process first. So a crash or an endless
// loop while the file describes itself is one line here. Then `load` loads the file and reads its
// tables once more. A Plugin adds what it offers to a registry or to the kinds of data.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "park/command/data_kinds.h"
#include "park/core/registry.h"

namespace park::plugins {

struct Offered;

/// What a plug-in brings, by name.
struct Offer {
  std::vector<std::string> environments{}, systems{}, policies{};
  std::vector<std::string> importers{};  ///< "KIND import FORM", or without a form
};

/// A plug-in that is loaded, for as long as the process lives. Cheap to copy, thread-safe.
class Plugin {
 public:
  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] const std::string& version() const noexcept;
  [[nodiscard]] const std::string& licence() const noexcept;
  [[nodiscard]] const std::filesystem::path& file() const noexcept;
  [[nodiscard]] Offer offer() const;

  /// Adds its environments, systems and policies. Throws Error{invalid_config} in one line where a
  /// name is taken; nothing is added then.
  void add_to(Registry&) const;
  /// Adds its importers as actions of kinds of data. Throws as above.
  void add_to(command::DataKinds&) const;

 private:
  friend Plugin load(const std::filesystem::path&, std::chrono::milliseconds);
  explicit Plugin(std::shared_ptr<const Offered> offered) : offered_(std::move(offered)) {}

  std::shared_ptr<const Offered> offered_;
};

/// The time that a plug-in has to describe what it offers, in the child process.
constexpr std::chrono::milliseconds kLoadDeadline{20'000};

/// Loads a file, which runs code of it; the same file is loaded once. Throws Error{bad_file} in one
/// line without the path. It says what the file is instead of a plug-in, or what went wrong while
/// the file described what it offers. Or it names an interface that this Park does not know, a
/// library that the file needs, or a function that its tables lack.
[[nodiscard]] Plugin load(const std::filesystem::path& file,
                          std::chrono::milliseconds deadline = kLoadDeadline);

}  // namespace park::plugins
