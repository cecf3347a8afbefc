// What heuristics see of a row, and the base class that answers. A policy ranks the applications that
// may be chosen. ChoicePolicy keeps its answer inside the mask and the range of the row. So any row
// that has a legal answer gets one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "park/core/batch.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/dl_inference/layout.h"

namespace park::dl_inference {

/// The choices of one row. Elements are counted from 0. Times are seconds.
class Choices {
 public:
  Choices(const InferenceLayout&, ConstRow);

  [[nodiscard]] std::size_t size() const noexcept { return mask_.size(); }
  /// An application that may be chosen.
  [[nodiscard]] bool open(std::size_t e) const noexcept { return mask_[e] != 0 && wait_[e] == 0; }
  /// The choice to wait, if it is legal.
  [[nodiscard]] std::optional<std::size_t> waiting() const noexcept;
  /// The first choice that is legal; 0 if none is.
  [[nodiscard]] std::size_t first_legal() const noexcept;
  [[nodiscard]] bool any_open() const noexcept;

  /// Number of the application, below kMaxApps in every row.
  [[nodiscard]] std::size_t app(std::size_t e) const noexcept;
  /// Largest legal batch.
  [[nodiscard]] double batch(std::size_t e) const noexcept { return batch_max_[e]; }
  [[nodiscard]] bool full(std::size_t e) const noexcept {
    return static_cast<float>(batch_max_[e]) >= max_batch_[e];
  }
  [[nodiscard]] double oldest_s(std::size_t e) const noexcept { return oldest_s_[e]; }
  [[nodiscard]] double single_s(std::size_t e) const noexcept { return single_s_[e]; }
  /// Latency of the largest legal batch.
  [[nodiscard]] double full_s(std::size_t e) const noexcept { return full_s_[e]; }
  /// Latency of k requests: between the powers of two it is interpolated.
  [[nodiscard]] double latency_s(std::size_t e, double k) const noexcept;
  [[nodiscard]] double rate(std::size_t e) const noexcept { return rate_[e]; }
  [[nodiscard]] double weight(std::size_t e) const noexcept { return weight_[e]; }
  [[nodiscard]] double used_s(std::size_t e) const noexcept { return used_s_[e]; }
  [[nodiscard]] double used_second_s(std::size_t e) const noexcept { return used_second_s_[e]; }
  [[nodiscard]] double used_tenth_s(std::size_t e) const noexcept { return used_tenth_s_[e]; }
  /// The deadline of a request after its arrival: `multiple` of the latency of one, or that of the
  /// row where it is 0.
  [[nodiscard]] double deadline_s(std::size_t e, double multiple) const noexcept {
    return multiple > 0 ? multiple * single_s_[e] : static_cast<double>(deadline_s_[e]);
  }
  /// Mean over the largest batch of (1 + waited / latency of one)^p; the waits of a quarter count as
  /// equal, so p = 1 is exact.
  [[nodiscard]] double mean_age(std::size_t e, double p) const noexcept;

  /// The open application with the largest score, the first among equals. REQUIRES any_open().
  template <class Score>
  [[nodiscard]] std::size_t best(Score&& score) const {
    std::size_t best = size();
    double most = 0;
    for (std::size_t e = 0; e < size(); ++e) {
      if (!open(e)) continue;
      const double s = score(e);
      if (best == size() || s > most) best = e, most = s;
    }
    return best;
  }
  /// The open application for which `ready` holds that comes next after the number `last`, in the
  /// cyclic order of numbers; none if none is ready.
  template <class Ready>
  [[nodiscard]] std::optional<std::size_t> next_after(std::size_t last, Ready&& ready) const {
    std::optional<std::size_t> next;
    std::size_t least = kMaxApps;
    for (std::size_t e = 0; e < size(); ++e) {
      const std::size_t distance = (app(e) + 2 * kMaxApps - 1 - last) % kMaxApps;
      if (open(e) && distance < least && ready(e)) next = e, least = distance;
    }
    return next;
  }

 private:
  std::span<const std::uint8_t> mask_, wait_;
  std::span<const std::int32_t> app_, batch_max_;
  std::span<const float> max_batch_, oldest_s_, single_s_, full_s_, latency_s_, rate_, weight_;
  std::span<const float> used_s_, used_second_s_, used_tenth_s_, deadline_s_, batch_wait_s_;
};

/// A policy that sees its row as Choices.
class ChoicePolicy : public RowPolicy {
 protected:
  static constexpr double kLargest = kMaxBatch;  ///< a batch as large as possible

  /// A choice, and how many requests; the number is brought into the legal range.
  struct Answer {
    std::size_t element = 0;
    double batch = kLargest;
  };

  explicit ChoicePolicy(const Spec& spec) : layout_(bind_layout<InferenceLayout>(spec)) {}
  /// REQUIRES choices.any_open(). `slot`: for policies that remember.
  virtual Answer answer(const Choices&, std::uint32_t slot) = 0;
  /// Waits if that is legal, else the other answer.
  [[nodiscard]] static Answer wait_or(const Choices&, Answer otherwise);

 private:
  void choose(const Ask&, ConstRow observation, Row action) final;

  InferenceLayout layout_;
};

/// A memory of every slot, which begins anew with an episode.
template <class State>
class SlotStates {
 public:
  void start(std::uint32_t slot) {
    if (slot >= states_.size()) states_.resize(slot + 1);
    states_[slot] = State{};
  }
  [[nodiscard]] State& operator[](std::uint32_t slot) { return states_[slot]; }

 private:
  std::vector<State> states_;
};

}  // namespace park::dl_inference
