// What a candidate and the judge say to each other about one environment: rows go to the candidate,
// actions come back, nothing else. A row is packed as the counts of its groups (u32 each), then its
// columns in the order of the shown spec. An answer is a status (u8: 0 answered, 1 failed), then
// each head: i32, or f32 for each component of a continuous one. Behind the answers of a message
// stands the text of its first failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/action_space.h"
#include "park/core/batch.h"
#include "park/core/space.h"

namespace park::judge {

/// The most bytes of a candidate's complaint.
inline constexpr std::size_t kMostComplaint = 500;

class Contract {
 public:
  /// Throws Error{invalid_space}.
  explicit Contract(const Spec&);

  /// The spec without leaves info.*, without summary, reference, metrics and text.
  [[nodiscard]] const Spec& shown() const noexcept { return shown_; }
  /// The canonical text of the environment.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  /// Adds a row of the full spec.
  void pack(ConstRow, std::string& to) const;
  /// Reads a packed row of the shown spec and takes it off the bytes.
  void unpack(std::string_view& from, Batch& to) const;

  [[nodiscard]] std::size_t answer_bytes() const noexcept { return 1 + action_bytes_; }
  /// The largest body of answers to so many rows.
  [[nodiscard]] std::size_t most_bytes(std::size_t rows) const noexcept;
  void pack_action(ConstRow action, std::string& to) const;
  void unpack_action(std::string_view from, Row action) const;
  /// "" where the action is legal in that row; else which head is not, for people.
  [[nodiscard]] std::string illegal(ConstRow observation, ConstRow action) const;

 private:
  Spec shown_;
  std::string text_;
  Batch layout_;                        // no rows
  std::vector<std::uint32_t> columns_;  // of the full spec, in the order of the shown one
  std::vector<GroupId> groups_;
  std::vector<Leaf> heads_;
  std::size_t action_bytes_ = 0;
  ActionSpace space_;
};

}  // namespace park::judge
