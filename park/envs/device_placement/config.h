#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/core/space.h"
#include "park/envs/device_placement/cluster.h"

namespace park::device_placement {

inline constexpr std::int32_t kMaxPasses = 1000;
/// Families of generated graphs, then bundled networks.
inline constexpr std::string_view kGraphNames =
    "random|branches|recurrences|layered|inception_v3|googlenet|resnet50|transformer|lstm";

/// The defaults are two devices of one machine with the link that Park's device placement has.
struct DevicePlacementConfig {
  std::string graph = "random";
  std::int32_t nodes = 48;
  std::string split = "train";
  bool training = false;
  std::string fuse = "auto";
  std::string mode = "constructive";
  std::string start = "single_device";
  std::int32_t passes = 1;
  std::int32_t devices = 2;
  std::vector<double> speeds{};
  double bytes_per_s = 7.6e9, latency_s = 25e-6;
  double memory = kInf;
  double noise = 0.05, spread = 0;
  std::string order = "rank";

  bool operator==(const DevicePlacementConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit(
        "graph", c.graph,
        FieldDoc{.doc = "what is placed: a family of generated graphs, one of which each episode "
                        "draws (random: any of branches, recurrences, layered), a bundled network, "
                        "or a file with a graph as JSON",
                 .names = Names::file,
                 .bundled = kGraphNames});
    visit("nodes", c.nodes,
          FieldDoc{.doc = "generated graphs: operations, about", .min = 4, .max = 20'000});
    visit("split", c.split,
          FieldDoc{.doc = "generated graphs: those for training or those for tests; no graph is in "
                          "both",
                   .choices = "train|test"});
    visit("training", c.training,
          FieldDoc{.doc = "adds the backward pass: a gradient for each operation"});
    visit(
        "fuse", c.fuse,
        FieldDoc{.doc = "graphs of files: chains of operations are placed as one never, always, or "
                        "where there are more than 1000 operations",
                 .choices = "auto|never|always"});
    visit("mode", c.mode,
          FieldDoc{.doc = "constructive: operations are placed one by one, then a step is run; "
                          "improve: all are placed, and each decision moves one and runs a step",
                   .choices = "constructive|improve"});
    visit("start", c.start,
          FieldDoc{.doc = "improve: the first placement; by_work: the topological order in pieces "
                          "of equal time",
                   .choices = "single_device|by_work|random"});
    visit("passes", c.passes,
          FieldDoc{
              .doc = "improve: how often each operation is visited", .min = 1, .max = kMaxPasses});
    visit("devices", c.devices, FieldDoc{.doc = "number of devices", .min = 1, .max = kMaxDevices});
    visit("speeds", c.speeds,
          FieldDoc{.doc = "speed of each device: an operation takes its time / speed; empty: all 1",
                   .min = kMinSpeed,
                   .max = kMaxSpeed});
    visit("bytes_per_s", c.bytes_per_s,
          FieldDoc{.doc = "bandwidth of the link of each ordered pair of devices",
                   .unit = "B/s",
                   .min = 1e6,
                   .max = 1e12});
    visit("latency_s", c.latency_s,
          FieldDoc{.doc = "latency of each link", .unit = "s", .min = 0, .max = 1});
    visit("memory", c.memory,
          FieldDoc{.doc = "memory of each device as a part of what the whole graph needs on one: "
                          "parameters once and all outputs; inf: no limit",
                   .min = 0,
                   .open_min = true});
    visit(
        "noise", c.noise,
        FieldDoc{.doc = "each episode multiplies the time of each operation by a number drawn from "
                        "[1 - noise, 1 + noise)",
                 .min = 0,
                 .max = 0.9});
    visit(
        "spread", c.spread,
        FieldDoc{.doc = "each episode multiplies each speed and each bandwidth by exp(u), u drawn "
                        "from [-spread, spread)",
                 .min = 0,
                 .max = 2});
    visit(
        "order", c.order,
        FieldDoc{.doc = "which ready operation a device runs next: the one with the largest upward "
                        "rank, or the one that was ready first",
                 .choices = "rank|fifo"});
  }

  /// The rules between fields.
  static void check(const DevicePlacementConfig&, Violations&);

  /// Whether episodes draw graphs of a family.
  [[nodiscard]] bool generated() const noexcept;
  [[nodiscard]] bool improves() const noexcept { return mode == "improve"; }
  /// The file of the graph. REQUIRES that it is not generated. Throws Error{io} if the bundled data
  /// is not found.
  [[nodiscard]] std::string graph_file() const;
  [[nodiscard]] double speed_of(std::size_t device) const {
    return speeds.empty() ? 1.0 : speeds[device];
  }
};

}  // namespace park::device_placement
