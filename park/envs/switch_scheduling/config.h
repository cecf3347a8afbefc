#pragma once

#include <cstdint>
#include <string>

#include "park/core/config.h"

namespace park::switch_scheduling {

/// Bounds that the configuration guarantees, and with them the bounds of the observation.
inline constexpr std::int32_t kMaxPorts = 64;
inline constexpr std::int32_t kMaxSlots = 10'000'000;

/// The defaults are the setting that papers on hardware report: eight ports, load 0.9, at most one
/// cell per input and slot.
struct SwitchSchedulingConfig {
  std::int32_t ports = 8;
  std::int32_t arrival_slots = 10'000;
  double load = 0.9;
  std::string arrivals = "per_input";
  std::string traffic = "uniform";
  double hotspot_factor = 4;
  double burst_cells = 16;
  std::string burst_traffic = "uniform";
  std::int32_t change_slots = 0;
  std::string action = "pairs";
  bool idle = false;
  bool drain = false;
  double slot_s = 1e-6;

  bool operator==(const SwitchSchedulingConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("ports", c.ports,
          FieldDoc{.doc = "inputs, and as many outputs", .min = 2, .max = kMaxPorts});
    visit("arrival_slots", c.arrival_slots,
          FieldDoc{.doc = "slots in which cells arrive", .min = 1, .max = kMaxSlots});
    visit("load", c.load,
          FieldDoc{.doc = "mean cells per slot of the busiest output",
                   .min = 0,
                   .max = 1,
                   .open_min = true,
                   .open_max = true});
    visit("arrivals", c.arrivals,
          FieldDoc{.doc = "per_input: at most one cell per input and slot; per_voq: every virtual "
                          "output queue by itself, as in Park, so that an input may get several",
                   .choices = "per_input|per_voq"});
    visit("traffic", c.traffic,
          FieldDoc{.doc = "rates of input i to output j; bursty: on and off periods of each input, "
                          "a burst goes to one output",
                   .choices = "uniform|diagonal|log_diagonal|bistochastic|hotspot|bursty"});
    visit("hotspot_factor", c.hotspot_factor,
          FieldDoc{.doc = "hotspot: cells of the hot output per cell of another output",
                   .min = 1,
                   .max = 1000});
    visit("burst_cells", c.burst_cells,
          FieldDoc{.doc = "bursty: mean length of a burst, geometric",
                   .unit = "cells",
                   .min = 1,
                   .max = 1e6});
    visit("burst_traffic", c.burst_traffic,
          FieldDoc{.doc = "bursty: rates of input i to output j",
                   .choices = "uniform|diagonal|log_diagonal|bistochastic|hotspot"});
    visit("change_slots", c.change_slots,
          FieldDoc{.doc = "slots after which the rates change: outputs are permuted, the hot "
                          "output or the random matrix is drawn anew; 0: never",
                   .unit = "slots",
                   .min = 0,
                   .max = kMaxSlots});
    visit("action", c.action,
          FieldDoc{.doc = "pairs: a decision is one pair of the slot's matching; weights: a "
                          "decision is a weight for each queue, and the slot gets the matching of "
                          "the largest weight",
                   .choices = "pairs|weights"});
    visit("idle", c.idle,
          FieldDoc{.doc = "whether a slot may have a matching that is not maximal"});
    visit("drain", c.drain,
          FieldDoc{.doc = "whether the episode goes on without arrivals until no cell is left"});
    visit("slot_s", c.slot_s,
          FieldDoc{.doc = "length of a slot", .unit = "s", .min = 1e-12, .max = 1e3});
  }

  /// The rules between fields.
  static void check(const SwitchSchedulingConfig&, Violations&);

  /// The rates: `traffic`, or those of the bursts.
  [[nodiscard]] const std::string& matrix() const {
    return traffic == "bursty" ? burst_traffic : traffic;
  }
};

}  // namespace park::switch_scheduling
