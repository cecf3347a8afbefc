#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace park::dag_scheduling::workload {

/// The values of a pickle. The pickle owns containers and texts, values point to them.
enum class PickleKind : std::uint8_t {
  none,
  boolean,
  integer,
  text,
  tuple,
  list,
  dict,
  global,  ///< a name, "module attribute"
  object,  ///< made by a call: items are the callable, its arguments and, once built, its state
  mark,    ///< only while reading
};

struct PickleValue {
  PickleKind kind = PickleKind::none;
  std::int64_t number = 0;  ///< integer, boolean
  std::uint32_t index = 0;  ///< text and global: index into texts; containers: into containers
};

/// A reader of Python pickles, protocol 2, for exactly the operations that NumPy's arrays of
/// objects use. It calls nothing and builds no foreign object: names and calls are kept as data.
class Pickle {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 22;

  /// Throws Error{bad_file} with one line, `source` in front, for anything else than one complete
  /// pickle of at most kMaxBytes.
  Pickle(std::span<const std::byte> bytes, const std::string& source);

  [[nodiscard]] const PickleValue& root() const noexcept { return root_; }
  /// The items of a tuple, list or object; keys and values of a dict in turn, in order of
  /// insertion.
  [[nodiscard]] std::span<const PickleValue> items(const PickleValue& value) const {
    return containers_[value.index];
  }
  [[nodiscard]] std::string_view text(const PickleValue& value) const {
    return texts_[value.index];
  }

 private:
  class Machine;
  PickleValue root_;
  std::vector<std::vector<PickleValue>> containers_;
  std::vector<std::string> texts_;
};

}  // namespace park::dag_scheduling::workload
