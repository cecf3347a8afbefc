#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "park/core/rng.h"
#include "park/envs/switch_scheduling/config.h"

namespace park::switch_scheduling {

/// Fills rate[input * ports + output], cells per slot, so that the busiest output has the load:
///     uniform       load / n
///     diagonal      2/3 load on (i, i), 1/3 on (i, i + 1)
///     log_diagonal  load 2^(n-1-k) / (2^n - 1), k = (j - i) mod n
///     bistochastic  a random matrix whose lines have the sum `load` (Sinkhorn), as in Park
///     hotspot       load / n to one output, which is drawn, and 1 / factor of that to each other
/// With diagonal and log_diagonal, outputs are permuted at random where `permute` is set.
/// D. Shah, P. Giaccone, B. Prabhakar, "Efficient randomized algorithms for input-queued switch
/// scheduling", IEEE Micro 22(1), 2002, names the first three.
void fill_rates(const std::string& matrix, double load, double hotspot_factor, bool permute, Rng,
                std::size_t ports, std::span<double> rate);

/// The exogenous input: which VOQs get a cell in each slot. What (slot, input) or (slot, input,
/// output) brings is drawn by these numbers from the episode's inputs.
class ArrivalProcess {
 public:
  explicit ArrivalProcess(const SwitchSchedulingConfig&);

  /// What the slots not drawn yet bring follows from these inputs: of an episode, before its slot 0,
  /// or of another future of it.
  void draw_from(std::uint64_t inputs);
  /// The VOQs that get a cell in this slot, input * ports + output, in increasing order; until the
  /// next call. Slots come one after the other.
  std::span<const std::uint32_t> draw(std::int64_t slot);
  /// Whether the rates are drawn anew for this slot.
  [[nodiscard]] bool begins_phase(std::int64_t slot) const noexcept {
    return slot == 0 || (change_slots_ > 0 && slot % change_slots_ == 0);
  }
  /// Cells per slot of each VOQ, in the slot drawn last.
  [[nodiscard]] std::span<const double> rates() const noexcept { return rate_; }

 private:
  struct Burst {
    bool on = false;
    std::size_t output = 0;
  };

  void begin_phase(std::int64_t phase);
  void draw_per_voq(Rng);
  void draw_per_input(Rng);
  void draw_bursts(std::int64_t slot, Rng);
  /// The output of a cell at this input; `ports` where u says that there is none.
  [[nodiscard]] std::size_t output(std::size_t input, double u) const;
  void add(std::size_t input, std::size_t output) {
    cells_.push_back(static_cast<std::uint32_t>(input * ports_ + output));
  }

  // Set once.
  std::string matrix_;
  double load_, hotspot_factor_, burst_cells_;
  std::int64_t change_slots_;
  bool per_voq_, bursty_;
  std::size_t ports_;

  // The state of the episode.
  Rng draws_{0}, phases_{0};
  std::vector<double> rate_, up_to_;  // up_to_: sums of the rates of an input, output by output
  std::vector<Burst> bursts_;
  std::vector<std::uint32_t> cells_;
};

}  // namespace park::switch_scheduling
