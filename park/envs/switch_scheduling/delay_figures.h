#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace park::switch_scheduling {

/// The figures of an episode: cells present over time, delays of the cells sent, and the same cells
/// in an output-queued switch. Delays are whole slots, so they are counted. Keeps its memory
/// between episodes.
class DelayFigures {
 public:
  explicit DelayFigures(std::size_t ports) : queued_(ports) {}

  void clear();
  /// A cell comes for this output, at the beginning of a slot.
  void arrive(std::size_t output);
  /// So many cells are present in this part of a slot; 1: the whole slot.
  void pass(std::uint64_t cells, double part);
  /// A slot with a cell ends: each output of the output-queued switch sends one.
  void end_slot(bool maximal);
  /// A cell leaves at the end of its `delay`-th slot.
  void send(std::int64_t delay);

  [[nodiscard]] std::uint64_t arrived() const noexcept { return arrived_; }
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  /// By Little's law; 0 without cells.
  [[nodiscard]] double mean_delay_slots() const noexcept { return per_cell(cell_slots_); }
  [[nodiscard]] double output_queued_delay_slots() const noexcept {
    return per_cell(queued_slots_);
  }
  /// By nearest rank; 0 where no cell was sent.
  [[nodiscard]] double percentile(std::uint64_t percent) const;
  /// Over the slots that passed; NaN where none did.
  [[nodiscard]] double mean_cells() const noexcept { return cell_slots_ / slots_; }
  [[nodiscard]] double slots() const noexcept { return slots_; }
  [[nodiscard]] double most_cells() const noexcept { return static_cast<double>(most_); }
  [[nodiscard]] double maximal_share() const noexcept;

 private:
  [[nodiscard]] double per_cell(double cell_slots) const noexcept {
    return arrived_ == 0 ? 0 : cell_slots / static_cast<double>(arrived_);
  }

  double slots_ = 0, cell_slots_ = 0, queued_slots_ = 0;
  std::uint64_t arrived_ = 0, sent_ = 0, most_ = 0, busy_ = 0, maximal_ = 0;
  std::vector<std::uint64_t> sent_after_;  // cells sent, by delay
  // The output-queued switch: cells of each output, of which one leaves per slot.
  std::vector<std::uint64_t> queued_;
  std::uint64_t queued_total_ = 0;
};

}  // namespace park::switch_scheduling
