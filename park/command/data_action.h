#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "park/command/options.h"
#include "park/core/error.h"
#include "park/core/json_writer.h"

namespace park::command {

/// What the help says of an action.
struct ActionInfo {
  std::string name;    ///< such as "generate"
  std::string form{};  ///< of what is read, such as "csv"; empty if the action has no forms
  std::string summary;
  std::string details{};  ///< a paragraph for the action's own help; may be empty
  std::string example;    ///< the arguments, without the command
};

/// Told by an action how much of its inputs it has read. Both functions may throw to end the work.
class ReadProgress {
 public:
  virtual ~ReadProgress() = default;
  virtual void expect(std::uint64_t bytes) = 0;   ///< of all inputs; before the first advance
  virtual void advance(std::uint64_t bytes) = 0;  ///< since the last call
};

/// A page for a browser about the data. The program adds its style and the scripts that all pages
/// about data share.
struct DataPage {
  std::string path;   ///< the file to write
  std::string title;  ///< of the window
  std::string_view body, script;
  std::string data;  ///< JSON; the script finds it in the element "data"
};

/// One thing that can be done with a kind of data, such as importing it. The program calls, in this
/// order: declare, check, make, write, page, then write_json or text. What the user gave wrongly is
/// a violation or an Error; an output that cannot be written is a Failure.
class DataAction {
 public:
  virtual ~DataAction() = default;
  [[nodiscard]] virtual ActionInfo info() const = 0;
  /// Binds the options to members.
  virtual void declare(Options&) = 0;
  /// Checks what was given. Nothing is done yet.
  virtual void check(Violations&) {}
  /// Reads, draws or changes the data.
  virtual void make(ReadProgress&) = 0;
  /// Writes what was made.
  virtual void write() {}
  /// What the user asked to see in a browser.
  [[nodiscard]] virtual std::optional<DataPage> page() const { return std::nullopt; }
  /// The report as members of the open object.
  virtual void write_json(JsonWriter&) const = 0;
  /// The same for people; `width` is the number of characters of a line.
  [[nodiscard]] virtual std::string text(std::size_t width) const = 0;
};

template <class A>
[[nodiscard]] std::unique_ptr<DataAction> make_action() {
  return std::make_unique<A>();
}

}  // namespace park::command
