#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/frame/names.h"
#include "cli/frame/session.h"
#include "park/command/options.h"
#include "park/core/error.h"

namespace park::cli {

constexpr int kDone = 0, kFailed = 1, kBadInput = 2, kSignalled = 128;  ///< + the signal

/// What the help says of a command.
struct CommandInfo {
  std::string name, summary;
  std::string details;  ///< a paragraph for the command's own help; may be empty
  std::string example;
};

/// A sub-command of park, or a group of them.
class Command {
 public:
  virtual ~Command() = default;
  [[nodiscard]] virtual CommandInfo info() const = 0;
  /// What its own help says behind the options; may take longer than the rest.
  [[nodiscard]] virtual std::string more_help(std::size_t width) const {
    static_cast<void>(width);
    return "";
  }
  /// The same for a manual page, which is read on other machines: the same on each of them.
  [[nodiscard]] virtual std::string more_manual(std::size_t width) const {
    return more_help(width);
  }
  /// One that programs of Park start; lists of commands leave it out.
  [[nodiscard]] virtual bool hidden() const { return false; }
  /// Whether it asks for environments, policies or data, so that plug-ins may bring more of them.
  [[nodiscard]] virtual bool takes_plugins() const { return true; }
  /// Binds the options to members.
  virtual void declare(Options&) {}
  /// Reads and checks everything that was given and adds what is wrong, on top of what is wrong
  /// with the options; may also throw park::Error. Nothing is done yet.
  virtual void prepare(Session&, Violations&) {}
  /// The work; the exit code. Only called when nothing is wrong.
  virtual int run(Session&) = 0;
  /// A group has commands of its own, and does nothing itself unless acts_alone says so.
  [[nodiscard]] virtual std::vector<std::unique_ptr<Command>> commands() { return {}; }
  /// A group that does something itself where none of its commands is named.
  [[nodiscard]] virtual bool acts_alone() const { return false; }
};

}  // namespace park::cli
