// The environment. reset draws graph, noise and cluster, and loads the simulator; step puts the current
// operation on a device and goes to the next one. A step of the network is run after the last operation
// (constructive) or after each (improve). While a decision is asked, the current operation counts on no
// device: memory_ and load_s_ are without it.
#include "park/envs/device_placement/device_placement.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "park/core/error.h"
#include "park/core/text.h"
#include "park/envs/device_placement/generator.h"
#include "park/envs/device_placement/graph_file.h"
#include "park/envs/device_placement/plans.h"

namespace park::device_placement {
namespace {

constexpr std::size_t kFuseAbove = 1000;
constexpr double kLeastStepS = 1e-12;  // of a graph without work, which rewards are divided by

/// What an operation needs on a device of its own.
double alone_bytes(const Graph& g, std::size_t node) {
  return g.output_bytes[node] + g.parameter_bytes[at(g.owner[node])];
}

void check_memory(const DevicePlacementConfig& c, const Graph& g) {
  const double holds = c.memory * total_bytes(g);
  for (std::size_t i = 0; i < g.size(); ++i)
    if (alone_bytes(g, i) > holds)
      throw Error(Errc::invalid_config,
                  "memory = " + number_text(c.memory) + " gives each device " + number_text(holds) +
                      " bytes, and operation " + std::to_string(i) + " of the graph needs " +
                      number_text(alone_bytes(g, i)) + ": it fits no device");
}

}  // namespace

Graph prepared_graph(const DevicePlacementConfig& c) {
  Graph graph = *open_graph(c.graph_file());
  if (c.fuse == "always" || (c.fuse == "auto" && graph.size() > kFuseAbove)) fuse_chains(graph);
  if (c.training) add_training(graph);
  check_memory(c, graph);
  return graph;
}

Spec DevicePlacement::spec(const Config& c) {
  if (!c.generated()) static_cast<void>(prepared_graph(c));
  return PlacementLayout().spec(
      {.name = kName,
       .summary = std::string("the device of each operation of a neural network") +
                  (has_metis() ? "" : "; the policy metis needs libmetis5, which is not installed"),
       .reference = "Mirhoseini et al., Device Placement Optimization with Reinforcement Learning, "
                    "ICML 2017; Addanki et al., Placeto, NeurIPS 2019",
       .traits = {.cloneable = true, .twin = "device_placement_live"}});
}

std::vector<std::filesystem::path> DevicePlacement::data_files(const Config& c) {
  if (c.generated()) return {};
  return {c.graph_file()};
}

DevicePlacement::DevicePlacement(const Config& c, std::shared_ptr<StepRunner> runner)
    : config_(c), improves_(c.improves()), runner_(std::move(runner)) {
  if (!c.generated()) file_ = std::make_shared<const Graph>(prepared_graph(c));
}

void DevicePlacement::draw_graph(const Rng& inputs) {
  if (file_ != nullptr) {
    graph_ = *file_;
  } else {
    // Graphs for tests have odd numbers, those for training even ones.
    Rng draw = inputs.split("graph");
    const Rng number((draw.bits() << 1U) | (config_.split == "test" ? 1U : 0U));
    generate(family_of(config_.graph, number.split("family")), config_.nodes, number, graph_);
    if (config_.training) add_training(graph_);
  }
  const Rng noise = inputs.split("noise");
  for (std::size_t i = 0; i < graph_.size(); ++i)
    graph_.work_s[i] *= noise.split(i).uniform(1 - config_.noise, 1 + config_.noise);
}

void DevicePlacement::draw_cluster(const Rng& inputs) {
  const auto devices = static_cast<std::size_t>(config_.devices);
  cluster_.resize(devices);
  const auto factor = [&](const char* what, std::size_t k) {
    return std::exp(inputs.split(what).split(k).uniform(-config_.spread, config_.spread));
  };
  double needed = 0;
  for (std::size_t i = 0; i < graph_.size(); ++i) needed = std::max(needed, alone_bytes(graph_, i));
  const double holds = std::max(needed, config_.memory * total_bytes(graph_));
  for (std::size_t d = 0; d < devices; ++d) {
    cluster_.speed[d] = config_.speed_of(d) * factor("speed", d);
    cluster_.memory[d] = std::min(kNoLimit, holds);
  }
  for (std::size_t l = 0; l < devices * devices; ++l) {
    cluster_.bytes_per_s[l] = config_.bytes_per_s * factor("bandwidth", l);
    cluster_.latency_s[l] = config_.latency_s;
  }
}

/// What follows from the graph and the cluster.
void DevicePlacement::prepare() {
  const std::size_t n = graph_.size();
  simulator_.load(graph_, cluster_, config_.order == "rank" ? Order::rank : Order::fifo);
  const double fastest = *std::ranges::max_element(cluster_.speed);
  const double together = std::accumulate(cluster_.speed.begin(), cluster_.speed.end(), 0.0);
  const double work_s = total_s(graph_);
  single_s_ = std::max(work_s / fastest, kLeastStepS);
  bound_s_ = std::max(critical_path_s(graph_, scratch_) / fastest, work_s / together);
  depths(graph_, depth_, height_);
  first_input_.assign(n + 1, 0);
  inputs_.resize(graph_.edges.size());
  for (const Edge& e : graph_.edges) ++first_input_[at(e.to) + 1];
  std::partial_sum(first_input_.begin(), first_input_.end(), first_input_.begin());
  for (std::size_t e = 0; e < graph_.edges.size(); ++e)  // each begin moves to the next one's
    inputs_[first_input_[at(graph_.edges[e].to)]++] = static_cast<std::uint32_t>(e);
  std::shift_right(first_input_.begin(), first_input_.end(), 1);
  first_input_[0] = 0;
  memory_.reset(graph_, cluster_);
  device_.assign(n, 0);
  placed_.assign(n, 0);
  load_s_.assign(cluster_.size(), 0);
}

void DevicePlacement::put(std::size_t node, std::size_t device) {
  memory_.put(node, device);
  load_s_[device] += simulator_.cost_s(node, device);
  device_[node] = static_cast<std::int32_t>(device);
  placed_[node] = 1;
}

void DevicePlacement::take(std::size_t node) {
  const std::size_t device = at(device_[node]);
  memory_.remove(node, device);
  load_s_[device] = std::max(0.0, load_s_[device] - simulator_.cost_s(node, device));
}

/// Where memory is short the operation goes where the most is left.
void DevicePlacement::place_start(const Rng& dynamics) {
  const auto fastest =
      static_cast<std::size_t>(std::ranges::max_element(cluster_.speed) - cluster_.speed.begin());
  const double work_s = total_s(graph_);
  const double together = std::accumulate(cluster_.speed.begin(), cluster_.speed.end(), 0.0);
  double done_s = 0, until_s = work_s * cluster_.speed[0] / together;
  std::size_t piece = 0;
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    while (done_s + graph_.work_s[i] / 2 > until_s && piece + 1 < cluster_.size())
      until_s += work_s * cluster_.speed[++piece] / together;
    done_s += graph_.work_s[i];
    std::size_t wanted = config_.start == "by_work" ? piece : fastest;
    if (config_.start == "random") wanted = dynamics.split(i).below(cluster_.size());
    put(i, memory_.fits(i, wanted) ? wanted : memory_.roomiest());
  }
}

void DevicePlacement::reset(const Episode& e, Row row) {
  const Rng inputs(e.inputs);
  horizon_s_ = e.horizon_s;
  draw_graph(inputs);
  draw_cluster(inputs);
  prepare();
  decision_ = 0;
  now_s_ = 0, step_s_ = 0, best_s_ = kInf;
  ran_ = false;
  if (timeline_) timeline_.begin(cluster_.size(), graph_.size(), total_s(graph_));
  if (improves_) {
    place_start(Rng(e.dynamics).split("start"));
    step_s_ = measured_s();
    best_s_ = step_s_;
    ran_ = true;
  }
  ask();
  observe(row);
}

/// The current operation counts on no device while it is asked about.
void DevicePlacement::ask() {
  if (improves_ && decision_ < decisions()) take(decision_ % graph_.size());
}

Outcome DevicePlacement::step(ConstRow action, Row row) {
  put(decision_ % graph_.size(), at(action.scalar(layout_.choice)));
  ++decision_;
  const bool last = decision_ == decisions();
  Outcome o;
  if (improves_ || last) o = run();
  if (o.end == End::none && last) o.end = End::terminated;
  if (o.end == End::terminated && timeline_)
    timeline_.last_step(now_s_ - o.elapsed_s, simulator_, device_);
  if (o.end == End::truncated) decision_ = decisions();
  ask();
  observe(row);
  return o;
}

double DevicePlacement::measured_s() {
  const double simulated_s = simulator_.step_s(device_);
  const double step_s = runner_ ? runner_->step_s(simulator_, device_) : simulated_s;
  return step_s + step_penalty_s(cluster_, memory_.overrun());
}

Outcome DevicePlacement::run() {
  const double time_s = measured_s();
  const double left_s = horizon_s_ - now_s_;
  if (time_s > left_s) {
    now_s_ = horizon_s_;
    const double reward = improves_ ? 0.0 : 0.0 - left_s / single_s_;
    return {.reward = reward, .elapsed_s = left_s, .end = End::truncated};
  }
  const double before_s = improves_ ? step_s_ : 0;
  now_s_ += time_s;
  step_s_ = time_s;
  best_s_ = std::min(best_s_, time_s);
  ran_ = true;
  if (timeline_ && improves_) timeline_.step(now_s_, time_s);
  return {.reward = (before_s - time_s) / single_s_, .elapsed_s = time_s};
}

void DevicePlacement::observe(Row row) const {
  const PlacementLayout& l = layout_;
  const std::size_t n = graph_.size();
  row.resize(l.nodes, n);
  const auto write = [](auto from, auto to) {
    std::ranges::transform(from, to.begin(), [](auto v) { return static_cast<float>(v); });
  };
  write(std::span(graph_.work_s), row[l.work_s]);
  write(std::span(graph_.output_bytes), row[l.output_bytes]);
  write(std::span(graph_.parameter_bytes), row[l.parameter_bytes]);
  write(std::span(depth_), row[l.depth]);
  write(std::span(height_), row[l.height]);
  std::ranges::copy(graph_.owner, row[l.owner].begin());
  std::ranges::copy(placed_, row[l.placed].begin());
  std::ranges::copy(device_, row[l.device].begin());
  std::ranges::fill(row[l.current], std::uint8_t{0});
  if (decision_ < decisions()) row[l.current][decision_ % n] = 1;
  row.resize(l.edges, graph_.edges.size());
  const auto copy = [&](auto member, auto to) {
    std::ranges::transform(graph_.edges, to.begin(), member);
  };
  copy(&Edge::from, row[l.from]);
  copy(&Edge::to, row[l.to]);
  copy(&Edge::tensor, row[l.tensor]);
  copy([](const Edge& e) { return static_cast<float>(e.bytes); }, row[l.edge_bytes]);
  row.scalar(l.time_s) = now_s_;
  row.scalar(l.left) = static_cast<float>(decisions() - decision_);
  row.scalar(l.single_s) = static_cast<float>(single_s_);
  row.scalar(l.step_s) = static_cast<float>(step_s_);
  row.scalar(l.fifo) = config_.order == "fifo" ? 1 : 0;
  row.scalar(l.improves) = improves_ ? 1 : 0;
  observe_devices(row);
}

void DevicePlacement::observe_devices(Row row) const {
  const PlacementLayout& l = layout_;
  const std::size_t devices = cluster_.size(), node = decision_ % graph_.size();
  const bool asks = decision_ < decisions();
  row.resize(l.devices, devices);
  for (std::size_t d = 0; d < devices; ++d) {
    row[l.speed][d] = static_cast<float>(cluster_.speed[d]);
    row[l.memory][d] = static_cast<float>(cluster_.memory[d]);
    row[l.used][d] = static_cast<float>(memory_.used(d));
    row[l.load_s][d] = static_cast<float>(load_s_[d]);
    row[l.cost_s][d] = asks ? static_cast<float>(simulator_.cost_s(node, d)) : 0;
    row[l.need][d] = asks ? static_cast<float>(memory_.need(node, d)) : 0;
    row[l.now_there][d] = asks && placed_[node] != 0 && at(device_[node]) == d ? 1 : 0;
    row[l.mask][d] = !asks || memory_.fits(node, d) ? 1 : 0;
    row[l.inputs_there][d] = 0;
    row[l.users_there][d] = 0;
  }
  if (asks && std::ranges::count(row[l.mask], 1) == 0) row[l.mask][memory_.roomiest()] = 1;
  for (std::uint32_t k = first_input_[node]; asks && k < first_input_[node + 1]; ++k) {
    const Edge& e = graph_.edges[inputs_[k]];
    if (placed_[at(e.from)] != 0)
      row[l.inputs_there][at(device_[at(e.from)])] += static_cast<float>(e.bytes);
  }
  if (asks)
    for (const Edge& e : simulator_.edges_of(node))
      if (placed_[at(e.to)] != 0)
        row[l.users_there][at(device_[at(e.to)])] += static_cast<float>(e.bytes);
  row.resize(l.links, devices * (devices - 1));
  for (std::size_t i = 0, k = 0; i < devices * devices; ++i) {
    if (i / devices == i % devices) continue;
    row[l.link_from][k] = static_cast<std::int32_t>(i / devices);
    row[l.link_to][k] = static_cast<std::int32_t>(i % devices);
    row[l.bandwidth][k] = static_cast<float>(cluster_.bytes_per_s[i]);
    row[l.latency_s][k++] = static_cast<float>(cluster_.latency_s[i]);
  }
}

void DevicePlacement::metrics(std::span<double> out) const {
  const PlacementLayout& l = layout_;
  const double none = std::numeric_limits<double>::quiet_NaN();
  out[l.step_time_s] = ran_ ? step_s_ : none;
  out[l.step_time_ratio] = ran_ ? step_s_ / single_s_ : none;
  out[l.best_ratio] = ran_ ? best_s_ / single_s_ : none;
  out[l.bound_ratio] = bound_s_ / single_s_;
  out[l.sent_bytes] = ran_ ? simulator_.sent_bytes() : none;
  out[l.overrun_bytes] = memory_.overrun();
  std::uint32_t used = 0;  // a bit for each device
  for (std::size_t i = 0; i < placed_.size(); ++i)
    if (placed_[i] != 0) used |= 1U << at(device_[i]);
  out[l.devices_used] = static_cast<double>(std::popcount(used));
}

std::unique_ptr<Env> DevicePlacement::clone() const {
  auto copy = std::make_unique<DevicePlacement>(*this);
  copy->simulator_.moved_to(copy->graph_, copy->cluster_);
  copy->memory_.moved_to(copy->graph_, copy->cluster_);
  copy->timeline_.set(nullptr);
  return copy;
}

}  // namespace park::device_placement
