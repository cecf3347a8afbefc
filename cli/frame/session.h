#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/frame/console.h"
#include "cli/frame/plugins.h"

namespace park {
class Registry;
}

namespace park::cli {

/// Adds what folders of cli/ know beyond the environments and checkpoints of the library: calls
/// FOLDER::register_folder(Registry&) of every cli/FOLDER/register.cc. CMake writes it.
void register_found(Registry&);

/// What every command gets: where results and messages go, and what is registered.
class Session {
 public:
  Session(Console& console, std::size_t width);
  ~Session();

  [[nodiscard]] Console& console() noexcept { return *console_; }
  /// The result is one JSON object.
  [[nodiscard]] bool json() const noexcept { return json_; }
  void set_json(bool json) noexcept { json_ = json; }
  /// Characters of a line for people.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }

  /// What the command line was, "park" in front.
  [[nodiscard]] const std::vector<std::string>& command() const noexcept { return command_; }
  void set_command(std::vector<std::string> words) { command_ = std::move(words); }

  /// Adds to the result, which is written at the end; a command that throws has none. Outside of
  /// JSON, which escapes them, control characters but line ends are shown as park::printable shows
  /// them.
  void print(std::string_view text) { output_ += text; }
  void clear_output() { output_.clear(); }
  [[nodiscard]] const std::string& output() const noexcept { return output_; }

  /// Those that the command line and this user's set-up name.
  [[nodiscard]] Plugins& plugins() noexcept { return plugins_; }

  /// All environments and policies of this build and of the plug-ins; made at the first call, which
  /// throws as Plugins::add_to.
  [[nodiscard]] const Registry& registry();

 private:
  Console* console_;
  std::size_t width_;
  bool json_ = false;
  std::string output_;
  std::vector<std::string> command_;
  Plugins plugins_;
  std::unique_ptr<Registry> registry_;
};

}  // namespace park::cli
