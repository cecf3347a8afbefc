// The observation, the actions and the metrics of circuit. The observation is the same for both
// circuits and both kinds of actions; StepLayout and AbsoluteLayout add the heads. The environment
// declares its spec with one of them; policies bind the one that fits a spec.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "park/core/categories.h"
#include "park/core/layout.h"
#include "park/envs/circuit/config.h"
#include "park/envs/circuit/spice_process.h"
#include "park/envs/circuit/topology.h"

namespace park::circuit {

inline constexpr const char* kCircuitName = "circuit";
/// The score of a design whose simulation fails: one less than the worst of a simulated one.
inline constexpr double kFailureScore = -6;
inline constexpr double kMostRatio = 10;  ///< of the logarithms of figures
inline constexpr std::int64_t kMostDevices = 64, kMostWires = 4096;

struct SizingLayout : Layout {
  using Layout::Layout;
  /// The metrics have the names and units of the circuit's figures.
  explicit SizingLayout(const Topology& t) {
    for (const char* prefix : {"", "nominal_"})
      for (const FigureDoc& f : t.figures)
        figures.emplace_back(metrics, prefix + f.name,
                             MetricDoc{.unit = f.unit,
                                       .lower_is_better = !f.at_least,
                                       .doc = f.doc + ", of the design with the best score" +
                                              (*prefix == 0 ? "" : ", under nominal conditions")});
  }

  static constexpr auto kTen = static_cast<std::int64_t>(kParameters);
  static constexpr auto kFive = static_cast<std::int64_t>(kFigures);
  static constexpr double kMostScore = 1e9;
  static constexpr double kMostCurrent = 1e6, kMostVolt = 1e6, kMostSiemens = 1e6, kMostUm = 1e6;

  LeafOf<float> position{
      observation,
      "size.position",
      {.shape = {kTen},
       .high = 1,
       .doc = "place of each parameter in its range: 0 is the least value, 1 the most"}};
  LeafOf<float> best_position{
      observation,
      "size.best",
      {.shape = {kTen}, .high = 1, .doc = "the same of the design with the best score so far"}};
  LeafOf<float> published{
      observation,
      "size.published",
      {.shape = {kTen}, .high = 1, .doc = "the same of the published design; fixed"}};
  LeafOf<float> grid_step{
      observation,
      "size.grid_step",
      {.high = 1, .doc = "share of a range that a step of action=step changes; fixed"}};
  LeafOf<float> ratio{
      observation,
      "figure.ratio",
      {.shape = {kFive},
       .low = -kMostRatio,
       .high = kMostRatio,
       .doc =
           "gain, bandwidth, phase margin, power, area: log2 of the figure / its requirement, with "
           "the sign of what is good; 0 where nothing is required"}};
  LeafOf<float> required{
      observation,
      "figure.required",
      {.shape = {kFive},
       .low = -kMostRatio,
       .high = kMostRatio,
       .doc = "log2 of the requirement / the figure of the published design; 0 where nothing is "
              "required"}};
  LeafOf<std::uint8_t> asked{observation,
                             "figure.asked",
                             {.shape = {kFive}, .high = 1, .doc = "1: there is a requirement"}};
  LeafOf<double> score{
      observation,
      "score",
      {.low = kFailureScore,
       .high = kMostScore,
       .doc =
           "of the design: published power / power + published area / area where every requirement "
           "is met, else minus the sum of the relative violations, each at most 1; -6 where the "
           "simulation failed"}};
  LeafOf<double> best_score{
      observation,
      "best_score",
      {.low = kFailureScore, .high = kMostScore, .doc = "the largest score of the episode so far"}};
  LeafOf<std::uint8_t> failed{
      observation, "failed", {.high = 1, .doc = "1: the simulation of the design failed"}};
  LeafOf<float> load{
      observation,
      "condition.load",
      {.low = 0.5, .high = 2, .doc = "capacitance at inputs and outputs over the nominal one"}};
  LeafOf<float> supply{observation,
                       "condition.supply",
                       {.low = 0.9, .high = 1.1, .doc = "supply voltage over the nominal one"}};
  LeafOf<float> temperature_c{
      observation,
      "condition.temperature_c",
      {.low = -60, .high = 200, .unit = "degrees Celsius", .doc = "temperature"}};
  LeafOf<std::uint8_t> corner{observation,
                              "condition.corner",
                              {.high = kCorners - 1,
                               .unit = std::string(kCategory),
                               .doc = "of the process: 0 typical, 1 fast, 2 slow"}};
  LeafOf<std::int32_t> left{observation,
                            "simulations_left",
                            {.high = 1000000, .doc = "designs that may still be simulated"}};
  LeafOf<double> time_s{
      observation,
      "time_s",
      {.high = 1e9, .unit = "s", .doc = "time of the episode; a simulation counts as 1 s"}};
  LeafOf<std::uint8_t> failure{
      observation,
      "info.failure",
      {.high = kFailures - 1,
       .doc = "why the simulation of the design failed: 0 it did not, 1 the "
              "simulator reported an error, 2 a value is missing or not finite, "
              "3 the simulator ended its process, 4 the process crashed, 5 no "
              "answer before the deadline"}};
  LeafOf<double> figure{
      observation,
      "info.figure",
      {.shape = {kFive},
       .low = -1e12,
       .high = 1e12,
       .doc = "gain (Ohm or dB), bandwidth (MHz), phase margin (deg), power (mW), area (um^2)"}};

  GroupOf nets{observation, "nets", static_cast<std::int64_t>(kMostNets)};
  LeafOf<float> voltage{
      nets, "net.voltage", {.low = -kMostVolt, .high = kMostVolt, .unit = "V", .doc = "at rest"}};
  LeafOf<std::uint8_t> held{nets, "net.supply", {.high = 1, .doc = "1: ground or a supply; fixed"}};

  GroupOf devices{observation, "devices", kMostDevices};
  LeafOf<std::uint8_t> kind{
      devices,
      "device.kind",
      {.high = kKinds - 1,
       .unit = std::string(kCategory),
       .doc = "0 NMOS and 1 PMOS transistor, 2 resistor, 3 capacitor; fixed"}};
  LeafOf<float> width{
      devices, "device.width", {.high = kMostUm, .unit = "um", .doc = "of a transistor, else 0"}};
  LeafOf<float> length{
      devices, "device.length", {.high = kMostUm, .unit = "um", .doc = "of a transistor, else 0"}};
  LeafOf<float> value{devices,
                      "device.value",
                      {.low = -40,
                       .high = 40,
                       .doc = "log10 of the resistance in Ohm or of the capacitance in F; of a "
                              "transistor 0"}};
  LeafOf<float> current{
      devices, "device.current", {.high = kMostCurrent, .unit = "A", .doc = "of a drain, else 0"}};
  LeafOf<float> gm{
      devices, "device.gm", {.high = kMostSiemens, .unit = "S", .doc = "transconductance, or 0"}};
  LeafOf<float> gds{devices,
                    "device.gds",
                    {.high = kMostSiemens, .unit = "S", .doc = "output conductance, or 0"}};
  LeafOf<float> overdrive{devices,
                          "device.overdrive",
                          {.high = kMostVolt,
                           .unit = "V",
                           .doc = "drain voltage where the transistor saturates, or 0"}};
  LeafOf<std::uint8_t> region{
      devices,
      "device.region",
      {.high = 3,
       .unit = std::string(kCategory),
       .doc = "0 no transistor, 1 off (below 1 nA), 2 linear, 3 saturated"}};

  GroupOf wires{observation, "wires", kMostWires};
  LeafOf<std::int32_t> from{
      wires, "wire.from", {.doc = "device; fixed, as all of a wire", .index_of = "devices"}};
  LeafOf<std::int32_t> to{
      wires, "wire.to", {.doc = "device that shares the net with it", .index_of = "devices"}};
  LeafOf<std::int32_t> net{wires, "wire.net", {.doc = "the net, no supply", .index_of = "nets"}};

  MetricOf best{metrics,
                "score",
                {.lower_is_better = false, .doc = "the best score of a design of the episode"}};
  MetricOf met{metrics,
               "met_share",
               {.lower_is_better = false, .doc = "1 where a design met the specification, else 0"}};
  MetricOf simulations{
      metrics,
      "simulations",
      {.doc =
           "simulated designs, the first one left out, until one met the specification, or all"}};
  MetricOf failures{metrics, "failures", {.doc = "simulations that failed"}};
  std::vector<MetricOf> figures{};  ///< [2 kFigures]: under the conditions, under nominal ones
};

/// action=step: a head of -1, 0, +1 for each parameter.
struct StepLayout : SizingLayout {
  using SizingLayout::SizingLayout;

  std::array<LeafOf<std::int32_t>, kParameters> step =
      heads(std::make_index_sequence<kParameters>());

 private:
  template <std::size_t... I>
  std::array<LeafOf<std::int32_t>, kParameters> heads(std::index_sequence<I...>) {
    return {LeafOf<std::int32_t>(
        action, "step." + std::to_string(I),
        {.low = -1,
         .high = 1,
         .doc = "grid steps of parameter " + std::to_string(I) + "; at an end it stays there"})...};
  }
};

/// action=absolute: the place of each parameter in its range.
struct AbsoluteLayout : SizingLayout {
  using SizingLayout::SizingLayout;

  LeafOf<float> place{
      action,
      "position",
      {.shape = {static_cast<std::int64_t>(kParameters)},
       .high = 1,
       .doc = "place of each parameter in its range: 0 is the least value, 1 the most"}};
};

}  // namespace park::circuit
