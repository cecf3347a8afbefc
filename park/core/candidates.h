#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/core/action_space.h"
#include "park/core/batch.h"
#include "park/core/space.h"

namespace park {

/// The legal values of one head in every row of a batch, after the choices of the earlier heads:
/// what a policy scores. Everything else has probability 0, which is the exact -inf mask. B rows,
/// C candidates in all.
struct Candidates {
  std::vector<std::int64_t> offsets{0};  ///< [B + 1] row r has the candidates offsets[r] ..
  std::vector<std::int32_t> value;       ///< [C] as the action holds it
  std::vector<std::int64_t> element;  ///< [C] index heads: place in the group's arena of the batch
  std::vector<std::int64_t> given;    ///< [B] place where the head's path ends; -1 without a path

  [[nodiscard]] std::size_t rows() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] std::size_t size() const noexcept { return value.size(); }
  [[nodiscard]] std::int64_t count(std::size_t row) const noexcept {
    return offsets[row + 1] - offsets[row];
  }
  /// No row leaves a choice: nothing has to be scored.
  [[nodiscard]] bool forced() const noexcept { return size() == rows(); }
  void clear();
};

/// The kind of a head's choice.
enum class HeadKind : std::uint8_t {
  index,        ///< an element of a group
  categorical,  ///< one of a fixed number of values
  interval,     ///< a number of a range that each row tells
  continuous    ///< a real vector
};

/// The heads of an action, read from a spec: kinds, groups, paths. Knows no environment by name.
class Heads {
 public:
  struct Head {
    std::string name;
    HeadKind kind = HeadKind::categorical;
    std::size_t width = 1;                    ///< continuous: its dimension
    double low = 0, high = 0;                 ///< bounds in the spec
    std::string group;                        ///< index: of which group
    std::string given_group;                  ///< the group where the path ends; "" without one
    std::int64_t values = 0;                  ///< categorical: how many
    GroupId index;                            ///< handle of `group`
    std::vector<Field<std::int32_t>> follow;  ///< index leaves of the path, after the given head
    std::int32_t given = -1;                  ///< the earlier head that the path begins with
    GroupId path_end;                         ///< handle of `given_group`
  };

  /// Throws Error{invalid_space}.
  explicit Heads(const Spec&);

  [[nodiscard]] std::size_t size() const noexcept { return heads_.size(); }
  [[nodiscard]] const Head& operator[](std::size_t h) const noexcept { return heads_[h]; }

  /// The candidates of a discrete head. REQUIRES that the earlier heads of the actions are legal.
  void candidates(std::size_t head, const Batch& observation, const Batch& actions,
                  Candidates& out) const;
  /// Writes a value of a discrete head.
  void set(Row action, std::size_t head, std::int32_t value) const {
    action.scalar(values_[head]) = value;
  }
  [[nodiscard]] std::int32_t get(ConstRow action, std::size_t head) const {
    return action.scalar(values_[head]);
  }
  [[nodiscard]] std::span<float> real(Row action, std::size_t head) const {
    return action[reals_[head]];
  }
  [[nodiscard]] std::span<const float> real(ConstRow action, std::size_t head) const {
    return action[reals_[head]];
  }

 private:
  [[nodiscard]] std::int64_t path_end(const Head&, const Batch& observation, std::size_t row,
                                      ConstRow action) const;

  ActionSpace space_;
  std::vector<Head> heads_;
  std::vector<Field<std::int32_t>> values_;  // [heads] of discrete ones
  std::vector<Field<float>> reals_;          // [heads] of continuous ones
};

}  // namespace park
