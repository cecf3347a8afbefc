#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/core/id_vector.h"

namespace park::switch_scheduling {

/// The cells of a switch with n inputs: a FIFO queue for each pair of input and output (virtual
/// output queue, VOQ). VOQ v belongs to input v / n and output v mod n. Cells are in one arena,
/// which only grows, with a list of free places.
class Voqs {
 public:
  struct Cell {
    std::int64_t slot = 0;     ///< in which it arrived
    std::uint64_t number = 0;  ///< among the cells of the episode
  };

  explicit Voqs(std::size_t ports);

  void clear();
  void push(std::size_t voq, const Cell&);
  /// REQUIRES that the VOQ has a cell.
  Cell pop(std::size_t voq);
  [[nodiscard]] const Cell& oldest(std::size_t voq) const { return nodes_[queues_[voq].head].cell; }
  [[nodiscard]] std::uint32_t size(std::size_t voq) const { return queues_[voq].size; }
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  [[nodiscard]] std::uint64_t at_input(std::size_t i) const { return at_input_[i]; }
  [[nodiscard]] std::uint64_t for_output(std::size_t j) const { return for_output_[j]; }
  /// Outputs for which an input has cells, one bit each.
  [[nodiscard]] std::uint64_t wanted(std::size_t i) const { return wanted_[i]; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Node {
    Cell cell;
    std::uint32_t next = kNone;
  };
  struct Queue {
    std::uint32_t head = kNone, tail = kNone, size = 0;
  };

  std::size_t ports_;
  IdVector<Node> nodes_;
  std::uint32_t free_ = kNone;
  IdVector<Queue> queues_;
  IdVector<std::uint64_t> at_input_, for_output_, wanted_;
  std::uint64_t total_ = 0;
};

/// The matching of one slot, as it grows.
class Crossbar {
 public:
  struct Pair {
    std::uint32_t input, output;
  };

  explicit Crossbar(std::size_t ports)
      : all_(ports == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ports) - 1) {
    pairs_.reserve(ports);
  }

  void clear() noexcept {
    free_inputs_ = free_outputs_ = all_;
    pairs_.clear();
  }
  void add(std::size_t input, std::size_t output) {
    free_inputs_ &= ~(std::uint64_t{1} << input);
    free_outputs_ &= ~(std::uint64_t{1} << output);
    pairs_.push_back({static_cast<std::uint32_t>(input), static_cast<std::uint32_t>(output)});
  }
  [[nodiscard]] std::span<const Pair> pairs() const noexcept { return pairs_; }
  [[nodiscard]] std::uint64_t free_inputs() const noexcept { return free_inputs_; }
  [[nodiscard]] std::uint64_t free_outputs() const noexcept { return free_outputs_; }
  /// Whether no pair can be added.
  [[nodiscard]] bool maximal(const Voqs& voqs) const {
    for (std::uint64_t rest = free_inputs_; rest != 0; rest &= rest - 1)
      if (voqs.wanted(static_cast<std::size_t>(std::countr_zero(rest))) & free_outputs_)
        return false;
    return true;
  }

 private:
  std::uint64_t all_, free_inputs_ = 0, free_outputs_ = 0;
  std::vector<Pair> pairs_;
};

}  // namespace park::switch_scheduling
