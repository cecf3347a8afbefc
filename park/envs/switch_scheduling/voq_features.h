#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/core/batch.h"
#include "park/envs/switch_scheduling/layout.h"
#include "park/envs/switch_scheduling/voqs.h"

namespace park::switch_scheduling {

/// The columns of the group `voqs`, one value per element, as rows show them. They are computed
/// once per slot and copied for each decision of it.
class VoqFeatures {
 public:
  /// `elements`: those of the VOQs, and one more where there is the choice `done`.
  VoqFeatures(std::size_t ports, std::size_t elements);

  void clear();
  /// A cell came.
  void arrive(std::size_t input, std::size_t output);
  /// A cell was sent in this slot.
  void send(std::size_t voq, std::int64_t slot) { served_[voq] = slot + 1; }
  void set_rates(std::span<const double> rates);
  /// A slot begins.
  void begin_slot(const Voqs&, std::int64_t slot);
  void write(const SwitchLayout&, Row) const;

 private:
  static constexpr std::size_t kRecent = 64;  ///< cells of an input that count
  struct Recent {
    std::array<std::uint8_t, kRecent> outputs{};
    std::size_t count = 0;  ///< cells that came
  };

  std::size_t ports_;
  std::vector<float> queue_, age_, unserved_, share_, input_queue_, output_queue_, rate_;
  std::vector<std::int32_t> input_, output_;
  std::vector<std::int64_t> served_;  // slot after the last one that sent a cell
  std::vector<std::uint32_t> came_;   // of the recent cells of the input
  std::vector<Recent> recent_;
};

}  // namespace park::switch_scheduling
