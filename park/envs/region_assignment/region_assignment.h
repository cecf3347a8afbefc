#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "park/core/env.h"
#include "park/core/futures.h"
#include "park/core/space.h"
#include "park/envs/region_assignment/account_source.h"
#include "park/envs/region_assignment/config.h"
#include "park/envs/region_assignment/layout.h"
#include "park/envs/region_assignment/regions.h"
#include "park/envs/region_assignment/residents.h"
#include "park/envs/region_assignment/timeline.h"

namespace park::region_assignment {

/// Assignment of accounts to regions with capacity. Accounts arrive one by one, and each goes to a
/// region at once, where it uses capacity as long as it is there.
///
/// Model: a decision is asked at every arrival, after every account that has left up to that time.
/// Cost of an account of weight w in region k: w (r / round_trip_unit_s + price_weight price_k),
/// where r is its demand-weighted mean round trip. Regions without free capacity for it are masked;
/// rejecting costs w reject_cost. The reward is minus the cost. The episode terminates with the
/// decision on the last account; at Episode::horizon_s it is truncated.
///
/// With migrations > 0 as many accounts may move at each multiple of epoch_s. The environment asks
/// for one at a time, the one that would save most if moving cost nothing; staying is legal.
/// Lifetimes are memoryless, so what is left of an account costs in expectation what a new one
/// does. A move therefore costs w (c_new - c_old + migration_cost), where c is the cost per weight.
///
/// Episode::inputs seeds the accounts; nothing else is random.
///
/// Source: the name and the question are those of region_assignment in H. Mao et al., Park, NeurIPS
/// 2019, whose data are no longer published. The model is this project's.
class RegionAssignment final : public Env, public Futures {
 public:
  using Config = RegionConfig;
  [[nodiscard]] static Spec spec(const Config&);

  /// REQUIRES a configuration that parse_config accepts.
  explicit RegionAssignment(const Config&);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  void metrics(std::span<double>) const override;
  /// See RegionTimeline.
  void events(EventSink* sink) override { timeline_.set(sink); }
  /// Arrivals, departures and moves.
  [[nodiscard]] std::uint64_t event_count() const noexcept override { return events_; }
  [[nodiscard]] std::unique_ptr<Env> clone() const override;
  /// The accounts to come are drawn anew, and so is how long the one that arrives now will stay. The
  /// capacity of the regions stays, also where it followed from all accounts of the episode.
  [[nodiscard]] std::unique_ptr<Env> clone_with_future(std::uint64_t seed) const override;

 private:
  /// What asks for a region: the account that arrives, or one that may move.
  struct Question {
    Resident asks{};
    std::optional<std::size_t> slot{};  ///< of a resident
  };

  void accept(const Account&);
  void take_next();
  /// Takes the decision and returns its cost.
  double place(std::size_t element);
  double move_to(std::size_t region);
  [[nodiscard]] double move_cost(std::size_t region) const noexcept;
  /// Moves on to the next question, if there is one before the horizon.
  [[nodiscard]] bool advance();
  /// The accounts that leave by then do.
  void pass(double until_s);
  [[nodiscard]] double epoch_time_s() const noexcept;
  void close_epoch();
  [[nodiscard]] double saving_of(const Resident&) const noexcept;
  /// Finds the account that may move next in this epoch; false: none is left.
  [[nodiscard]] bool ask_for_move();
  [[nodiscard]] bool legal(std::size_t region) const noexcept;
  void observe(Row) const;
  void observe_regions(Row) const;
  void observe_rejection(Row) const;

  // Set once.
  RegionConfig config_;
  RegionLayout layout_;
  std::vector<double> shares_, prices_;  // [regions]
  double leaving_share_ = 0;             // of the weight present, expected to leave in an hour

  // The state of the episode.
  AccountSource source_;
  Regions regions_;
  Residents residents_;
  Question question_;
  Account next_;  // the account that arrives next, if one does
  double now_s_ = 0, horizon_s_ = kInf;
  double epoch_ = 1;         // the number of the epoch that is open, or comes next; whole or inf
  bool epoch_open_ = false;  // its accounts are asked for
  std::int32_t moves_asked_ = 0;  // in this epoch
  std::uint64_t accepted_ = 0;    // accounts that have arrived

  // The figures of the episode.
  double cost_ = 0, weight_ = 0, placed_weight_ = 0, cheapest_weight_ = 0;
  double round_trip_weight_s_ = 0, price_weight_ = 0;
  std::uint64_t rejected_ = 0, moved_ = 0, events_ = 0;

  RegionTimeline timeline_;
};

}  // namespace park::region_assignment
