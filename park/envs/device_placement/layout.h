// The observation, the action and the metrics. The environment and its running twin declare their
// spec with a PlacementLayout; policies bind one to a spec that they are given.
#pragma once

#include <cstdint>

#include "park/core/layout.h"
#include "park/envs/device_placement/cluster.h"
#include "park/envs/device_placement/config.h"
#include "park/envs/device_placement/graph.h"

namespace park::device_placement {

inline constexpr const char* kDevicePlacementName = "device_placement";

/// The leaves, heads and metrics of a placement, simulated or running. Operations come in
/// topological order, so edges lead from smaller to larger numbers.
struct PlacementLayout : Layout {
  using Layout::Layout;

  /// All steps of the longest episode on the slowest devices and links.
  static constexpr double kMostSeconds = 1e24;
  static constexpr double kMostSpeed = 1e5, kLeastSpeed = 1e-5;

  GroupOf nodes{observation, "nodes", kMaxNodes};
  GroupOf edges{observation, "edges", kMaxEdges};
  GroupOf devices{observation, "devices", static_cast<std::int64_t>(kMaxDevices)};
  GroupOf links{observation, "links", static_cast<std::int64_t>(kMaxDevices* kMaxDevices)};

  LeafOf<float> work_s{nodes,
                       "node.work_s",
                       {.high = kMostSeconds,
                        .unit = "s",
                        .doc = "time of the operation on a device of speed 1; fixed"}};
  LeafOf<float> output_bytes{
      nodes,
      "node.output_bytes",
      {.high = kMaxBytes, .unit = "B", .doc = "what it makes and keeps in memory; fixed"}};
  LeafOf<float> parameter_bytes{
      nodes,
      "node.parameter_bytes",
      {.high = kMaxBytes, .unit = "B", .doc = "parameters that it uses; fixed"}};
  LeafOf<std::int32_t> owner{nodes,
                             "node.parameters_of",
                             {.doc = "the first operation with the same parameters, which count "
                                     "once on a device; itself where it shares none; fixed",
                              .index_of = "nodes"}};
  LeafOf<float> depth{nodes,
                      "node.depth",
                      {.high = static_cast<double>(kMaxNodes),
                       .unit = "edges",
                       .doc = "the longest way to it from an operation without inputs; fixed"}};
  LeafOf<float> height{nodes,
                       "node.height",
                       {.high = static_cast<double>(kMaxNodes),
                        .unit = "edges",
                        .doc = "the longest way from it to an operation that nobody needs; fixed"}};
  LeafOf<std::uint8_t> placed{nodes, "node.placed", {.high = 1, .doc = "it has a device"}};
  LeafOf<std::int32_t> device{
      nodes, "node.device", {.doc = "its device; 0 before it has one", .index_of = "devices"}};
  LeafOf<std::uint8_t> current{
      nodes,
      "node.current",
      {.high = 1, .doc = "this decision is about it; none in the final observation"}};

  LeafOf<std::int32_t> from{
      edges,
      "edge.from",
      {.doc = "the operation that makes the tensor; fixed", .index_of = "nodes"}};
  LeafOf<std::int32_t> to{
      edges, "edge.to", {.doc = "the operation that needs it; fixed", .index_of = "nodes"}};
  LeafOf<std::int32_t> tensor{
      edges,
      "edge.tensor",
      {.high = static_cast<double>(kMaxNodes),
       .doc = "edges of an operation with the same number carry the same tensor, which is sent "
              "once to a device; fixed"}};
  LeafOf<float> edge_bytes{
      edges, "edge.bytes", {.high = kMaxBytes, .unit = "B", .doc = "size of the tensor; fixed"}};

  LeafOf<float> speed{devices,
                      "device.speed",
                      {.low = kLeastSpeed,
                       .high = kMostSpeed,
                       .doc = "an operation takes its work / speed; fixed"}};
  LeafOf<float> memory{
      devices,
      "device.memory_bytes",
      {.high = kNoLimit, .unit = "B", .doc = "what it holds; 1e18: no limit; fixed"}};
  LeafOf<float> used{devices,
                     "device.used_bytes",
                     {.high = kNoLimit,
                      .unit = "B",
                      .doc = "outputs and parameters of its operations, without the current one"}};
  LeafOf<float> load_s{devices,
                       "device.load_s",
                       {.high = kMostSeconds,
                        .unit = "s",
                        .doc = "time of its operations, without the current one"}};
  LeafOf<float> cost_s{
      devices,
      "device.cost_s",
      {.high = kMostSeconds, .unit = "s", .doc = "time of the current operation on it"}};
  LeafOf<float> need{
      devices,
      "device.need_bytes",
      {.high = kNoLimit, .unit = "B", .doc = "memory that the current operation would take on it"}};
  LeafOf<float> inputs_there{devices,
                             "device.input_bytes",
                             {.high = kNoLimit,
                              .unit = "B",
                              .doc = "inputs of the current operation that are made on it"}};
  LeafOf<float> users_there{
      devices,
      "device.user_bytes",
      {.high = kNoLimit,
       .unit = "B",
       .doc = "inputs that operations placed on it take from the current one"}};
  LeafOf<std::uint8_t> now_there{
      devices, "device.has_current", {.high = 1, .doc = "the current operation is on it now"}};
  LeafOf<std::uint8_t> mask{
      devices,
      "mask.device",
      {.high = 1,
       .doc =
           "its memory has place for the current operation; where none has, it has the most left; "
           "in the final observation 1"}};

  LeafOf<std::int32_t> link_from{
      links, "link.from", {.doc = "the device that sends; fixed", .index_of = "devices"}};
  LeafOf<std::int32_t> link_to{
      links, "link.to", {.doc = "the device that receives; fixed", .index_of = "devices"}};
  LeafOf<float> bandwidth{
      links,
      "link.bytes_per_s",
      {.low = kMinBandwidth, .high = kMaxBandwidth, .unit = "B/s", .doc = "bandwidth; fixed"}};
  LeafOf<float> latency_s{
      links, "link.latency_s", {.high = kMaxLatencyS, .unit = "s", .doc = "latency; fixed"}};

  LeafOf<double> time_s{
      observation,
      "time_s",
      {.high = kMostSeconds, .unit = "s", .doc = "time that the steps run so far have taken"}};
  LeafOf<float> left{observation,
                     "decisions_left",
                     {.high = static_cast<double>(kMaxNodes) * kMaxPasses,
                      .doc = "decisions until the end, this one included"}};
  LeafOf<float> single_s{observation,
                         "single_device_s",
                         {.high = kMostSeconds,
                          .unit = "s",
                          .doc = "a step on the fastest device alone, as if its memory sufficed"}};
  LeafOf<float> step_s{observation,
                       "step_s",
                       {.high = kMostSeconds,
                        .unit = "s",
                        .doc = "the step that was run last; 0 before the first one"}};
  LeafOf<std::uint8_t> fifo{
      observation,
      "order.fifo",
      {.high = 1,
       .doc = "devices run ready operations first come, first served; else by "
              "upward rank"}};
  LeafOf<std::uint8_t> improves{
      observation, "mode.improve", {.high = 1, .doc = "each decision moves an operation"}};

  LeafOf<std::int32_t> choice{
      action, "device", {.doc = "the device of the current operation", .index_of = "devices"}};

  MetricOf step_time_ratio{metrics,
                           "step_time_ratio",
                           {.doc = "time of the last step / time on the fastest device alone"}};
  MetricOf step_time_s{metrics, "step_time_s", {.unit = "s", .doc = "time of the last step"}};
  MetricOf best_ratio{
      metrics,
      "best_ratio",
      {.doc = "the smallest step_time_ratio of all steps, that of the start included"}};
  MetricOf bound_ratio{
      metrics,
      "bound_ratio",
      {.doc = "no placement has a smaller step_time_ratio: the longer of the critical path on the "
              "fastest device and all work shared out by speed, without transfers"}};
  MetricOf sent_bytes{
      metrics, "sent_bytes", {.unit = "B", .doc = "bytes between devices in the last step"}};
  MetricOf overrun_bytes{
      metrics,
      "overrun_bytes",
      {.unit = "B", .doc = "bytes that the last placement needs beyond the memory of its devices"}};
  MetricOf devices_used{
      metrics, "devices_used", {.unit = "devices", .doc = "devices with an operation at the end"}};
};

}  // namespace park::device_placement
