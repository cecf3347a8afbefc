#pragma once

#include <cstdint>

#include "park/core/layout.h"
#include "park/envs/switch_scheduling/config.h"

namespace park::switch_scheduling {

inline constexpr const char* kSwitchSchedulingName = "switch_scheduling";

/// Longest delay in slots: what a drained switch may take for all cells of an input.
inline constexpr double kMostDelaySlots = 2.0 * kMaxPorts * (kMaxSlots + 1.0);
/// Most cells of the switch. A virtual output queue (VOQ) gets at most one per slot.
inline constexpr double kMostCells = 1.0 * kMaxPorts * kMaxPorts * kMaxSlots;

/// The observation and the metrics, which both forms of the action share. Element e of the group
/// `voqs` is the VOQ of input e / ports and output e mod ports.
struct SwitchLayout : Layout {
  using Layout::Layout;
  /// `extra` elements follow those of the VOQs.
  SwitchLayout(const SwitchSchedulingConfig& c, std::int64_t extra)
      : elements(std::int64_t{c.ports} * c.ports + extra) {}

  std::int64_t elements = kMaxPorts * kMaxPorts + 1;

  GroupOf voqs{observation, "voqs", elements};

  LeafOf<float> queue{
      voqs, "voq.queue", {.high = kMaxSlots, .unit = "cells", .doc = "cells that wait"}};
  LeafOf<float> age{voqs,
                    "voq.age",
                    {.high = kMostDelaySlots,
                     .unit = "slots",
                     .doc = "slots that the oldest cell has been here, this one included; 0 where "
                            "no cell waits"}};
  LeafOf<float> unserved{voqs,
                         "voq.unserved",
                         {.high = kMostDelaySlots,
                          .unit = "slots",
                          .doc = "slots since it last sent a cell, or since the episode began"}};
  LeafOf<float> arrival_share{
      voqs,
      "voq.arrival_share",
      {.high = 1, .doc = "its share of the last 64 cells that came to its input"}};
  LeafOf<float> input_queue{
      voqs,
      "voq.input_queue",
      {.high = kMostCells, .unit = "cells", .doc = "cells that wait at its input"}};
  LeafOf<float> output_queue{
      voqs,
      "voq.output_queue",
      {.high = kMostCells, .unit = "cells", .doc = "cells that wait for its output"}};
  LeafOf<std::int32_t> input{
      voqs,
      "voq.input",
      {.low = -1, .high = kMaxPorts - 1, .doc = "its input; -1 for the choice `done`"}};
  LeafOf<std::int32_t> output{
      voqs,
      "voq.output",
      {.low = -1, .high = kMaxPorts - 1, .doc = "its output; -1 for the choice `done`"}};
  LeafOf<float> rate{
      voqs,
      "info.rate",
      {.high = 1, .unit = "cells", .doc = "mean cells per slot, which no policy may know"}};

  LeafOf<float> cells{
      observation, "switch.cells", {.high = kMostCells, .unit = "cells", .doc = "cells that wait"}};
  LeafOf<float> matched{
      observation,
      "slot.matched",
      {.high = kMaxPorts, .doc = "pairs chosen in this slot so far; 0: a slot begins"}};

  MetricOf mean_delay_slots{
      metrics,
      "mean_delay_slots",
      {.unit = "slots",
       .doc = "cells present, summed over the slots, / cells that arrived: by Little's law their "
              "mean delay. The slot in which a cell is sent counts; 0 where none arrived"}};
  MetricOf p50_delay_slots{
      metrics,
      "p50_delay_slots",
      {.unit = "slots",
       .doc = "the smallest delay that at least 50 % of the cells sent do not exceed; 0 where none "
              "was sent"}};
  MetricOf p99_delay_slots{
      metrics, "p99_delay_slots", {.unit = "slots", .doc = "the same for 99 %"}};
  MetricOf mean_delay_s{
      metrics, "mean_delay_s", {.unit = "s", .doc = "mean_delay_slots x length of a slot"}};
  MetricOf output_queued_delay_slots{
      metrics,
      "output_queued_delay_slots",
      {.unit = "slots",
       .doc = "mean_delay_slots of a switch that has its queues at the outputs, for the same "
              "cells: a bound that no matching can beat"}};
  MetricOf throughput{
      metrics,
      "throughput",
      {.unit = "cells", .lower_is_better = false, .doc = "cells sent per output and slot"}};
  MetricOf offered_load{
      metrics, "offered_load", {.unit = "cells", .doc = "cells that arrived per input and slot"}};
  MetricOf mean_cells{
      metrics, "mean_cells", {.unit = "cells", .doc = "mean over the slots of the cells present"}};
  MetricOf most_cells{metrics, "most_cells", {.unit = "cells", .doc = "largest of these"}};
  MetricOf maximal_share{metrics,
                         "maximal_share",
                         {.lower_is_better = false,
                          .doc = "share of the slots with a cell whose matching was maximal: no "
                                 "pair could be added; 1 where no slot had a cell"}};
  MetricOf cells_left{
      metrics, "cells_left", {.unit = "cells", .doc = "cells that still wait at the end"}};
};

/// action=pairs: one more element, the choice `done`, which ends the slot.
struct PairLayout : SwitchLayout {
  using SwitchLayout::SwitchLayout;
  explicit PairLayout(const SwitchSchedulingConfig& c) : SwitchLayout(c, 1) {}

  LeafOf<std::uint8_t> done{
      voqs, "voq.done", {.high = 1, .doc = "1: the choice `done`, the last element"}};
  LeafOf<std::uint8_t> mask{
      voqs,
      "mask.pair",
      {.high = 1,
       .doc = "may be chosen: a VOQ with a cell whose input and output are free; `done` where no "
              "such VOQ is left, with idle=true also before"}};
  LeafOf<std::int32_t> pair{
      action,
      "pair",
      {.doc = "the VOQ that sends a cell in this slot, or `done`", .index_of = "voqs"}};
};

/// action=weights: one decision per slot.
struct WeightLayout : SwitchLayout {
  using SwitchLayout::SwitchLayout;
  explicit WeightLayout(const SwitchSchedulingConfig& c) : SwitchLayout(c, 0), queues{elements} {}

  Axis queues;

  LeafOf<float> weight{
      action,
      "weight",
      {.shape = {queues},
       .high = 1,
       .doc = "weight of each VOQ, in the order of the group; those without a cell count as 0. The "
              "slot gets the matching of the largest sum; without idle=true, VOQs of weight 0 "
              "make it maximal"}};
};

}  // namespace park::switch_scheduling
