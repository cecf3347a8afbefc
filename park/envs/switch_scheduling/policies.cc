// Schedulers. MatchingPolicy::choose reads the row, lets the policy match at the first decision of
// a slot, keeps the pairs as a plan and answers from it while the mask allows them. With weights it
// asks for weights instead. HeaviestPolicy and IteratedPolicy are the two families. The registry
// makes them.
#include "park/envs/switch_scheduling/policies.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace park::switch_scheduling {
namespace {

constexpr std::uint64_t bit(std::size_t port) { return std::uint64_t{1} << port; }

std::size_t lowest(std::uint64_t ports) {
  return static_cast<std::size_t>(std::countr_zero(ports));
}

/// The first port of the set at or after the pointer, round robin.
std::size_t next_from(std::uint64_t ports, std::size_t pointer) {
  const std::uint64_t after = ports >> pointer << pointer;
  return lowest(after != 0 ? after : ports);
}

std::size_t draw_port(std::uint64_t ports, Rng& rng) {
  auto skip = rng.below(static_cast<std::uint64_t>(std::popcount(ports)));
  for (; skip > 0; --skip) ports &= ports - 1;
  return lowest(ports);
}

}  // namespace

void MatchingPolicy::start(std::uint32_t slot, const Episode&, Rng rng) {
  if (slot >= memory_.size()) memory_.resize(slot + 1);
  Memory& m = memory_[slot];
  m.rng = rng;
  m.plan.clear();
  m.next = 0;
  m.grant.fill(0);
  m.accept.fill(0);
}

void MatchingPolicy::choose(const Ask& ask, ConstRow row, Row action) {
  Memory& m = memory_[ask.slot];
  const Rng rng = m.rng.split(ask.sequence);
  const auto task = [&](bool slot_begins) {
    rows_.read(row, requests_);
    return Task{requests_, m, slot_begins, rng};
  };
  if (!rows_.pairs()) return write_weights(task(true), action);
  if (rows_.slot_begins(row)) plan(task(true));
  std::int32_t element = next_pair(row, m);
  if (element < 0) element = rows_.done(row);
  if (element < 0) {
    plan(task(false));
    element = next_pair(row, m);
  }
  rows_.choose(action, element < 0 ? rows_.first(row) : element);
}

void MatchingPolicy::plan(const Task& task) {
  const Requests& r = task.requests;
  Memory& m = task.memory;
  Matching matching;
  matching.fill(-1);
  match(task, matching);
  m.plan.clear();
  m.next = 0;
  for (std::size_t i = 0; i < r.ports; ++i)
    if (matching[i] >= 0)
      m.plan.push_back(r.element[r.at(i, static_cast<std::size_t>(matching[i]))]);
}

/// The next pair of the plan that is legal, or -1.
std::int32_t MatchingPolicy::next_pair(ConstRow row, Memory& m) const {
  while (m.next < m.plan.size()) {
    const std::int32_t element = m.plan[m.next++];
    if (rows_.legal(row, element)) return element;
  }
  return -1;
}

void MatchingPolicy::write_weights(const Task& task, Row action) {
  const Requests& r = task.requests;
  const std::span<float> out = rows_.weights(action);
  weight_.assign(r.element.size(), 0);
  weigh(task, weight_);
  for (std::size_t v = 0; v < r.element.size(); ++v)
    if (const auto e = static_cast<std::size_t>(r.element[v]); r.element[v] >= 0 && e < out.size())
      out[e] = weight_[v];
}

void MatchingPolicy::weigh(const Task& task, std::vector<float>& weight) {
  Matching matching;
  matching.fill(-1);
  match(task, matching);
  for (std::size_t i = 0; i < task.requests.ports; ++i)
    if (matching[i] >= 0) weight[task.requests.at(i, static_cast<std::size_t>(matching[i]))] = 1;
}

void HeaviestPolicy::fill(const Requests& r, std::vector<float>& out) const {
  out.assign(r.element.size(), 0);
  for (std::size_t v = 0; v < out.size(); ++v)
    if (r.element[v] >= 0) out[v] = weight(r.queue[v], r.age[v]);
}

void HeaviestPolicy::match(const Task& task, Matching& matching) {
  fill(task.requests, weights_);
  std::ranges::copy(assignment_.solve(weights_, task.requests.ports), matching.begin());
}

/// The weights of `match` over a power of two, which changes no comparison of sums.
void HeaviestPolicy::weigh(const Task& task, std::vector<float>& out) {
  fill(task.requests, out);
  const float largest = *std::ranges::max_element(out);
  if (!(largest > 0)) return;
  int exponent = 0;
  static_cast<void>(std::frexp(largest, &exponent));
  for (float& w : out) w = std::ldexp(w, -exponent);
}

PolicyInfo MaxWeight::info() {
  return {.name = "maxweight",
          .summary = "the matching of the largest sum of queue^alpha",
          .reference =
              "McKeown et al., Achieving 100% throughput in an input-queued switch, 1999; "
              "Keslassy, McKeown, Analysis of scheduling algorithms that provide 100% throughput "
              "in input-queued switches, 2001",
          .environments = {kSwitchSchedulingName}};
}

MaxWeight::MaxWeight(const Config& c, const Spec& spec) : HeaviestPolicy(spec), alpha_(c.alpha) {
  constexpr std::size_t kSmall = 1024;
  for (std::size_t q = 0; q < kSmall; ++q) powers_.push_back(power(static_cast<float>(q)));
}

float MaxWeight::power(float queue) const {
  if (alpha_ == 1) return queue;
  return static_cast<float>(std::pow(static_cast<double>(queue), alpha_));
}

float MaxWeight::weight(float queue, float) const {
  const auto whole = static_cast<std::size_t>(queue);
  const bool small = whole < powers_.size() && static_cast<float>(whole) == queue;
  return small ? powers_[whole] : power(queue);
}

PolicyInfo OldestCell::info() {
  return {.name = "oldest_cell",
          .summary = "the matching of the largest sum of ages of the oldest cells",
          .reference =
              "Mekkittikul, McKeown, A starvation-free algorithm for achieving 100% throughput in "
              "an input-queued switch, 1996",
          .environments = {kSwitchSchedulingName}};
}

float OldestCell::weight(float, float age) const { return age + 1; }

PolicyInfo LongestQueue::info() {
  return {.name = "longest_queue",
          .summary = "greedy: the longest queue whose input and output are free",
          .reference = "McKeown, Scheduling algorithms for input-queued cell switches, 1995",
          .environments = {kSwitchSchedulingName}};
}

void LongestQueue::match(const Task& task, Matching& matching) {
  const Requests& r = task.requests;
  order_.clear();
  for (std::size_t v = 0; v < r.element.size(); ++v)
    if (r.element[v] >= 0) order_.push_back(static_cast<std::int32_t>(v));
  std::ranges::sort(order_, {}, [&](std::int32_t v) {
    const auto at = static_cast<std::size_t>(v);
    return std::tuple(-r.queue[at], -r.age[at], v);
  });
  std::uint64_t taken = 0;  // outputs
  for (const std::int32_t v : order_) {
    const std::size_t i = static_cast<std::size_t>(v) / r.ports;
    const std::size_t j = static_cast<std::size_t>(v) % r.ports;
    if (matching[i] >= 0 || (taken & bit(j)) != 0) continue;
    matching[i] = static_cast<std::int32_t>(j);
    taken |= bit(j);
  }
}

void IteratedPolicy::match(const Task& task, Matching& matching) {
  Rng rng = task.rng;
  Free free{~std::uint64_t{0}, ~std::uint64_t{0}};
  for (std::int32_t k = 0; k < iterations_; ++k)
    if (!iterate(task, rng, k == 0 && task.slot_begins, free, matching)) return;
}

bool IteratedPolicy::iterate(const Task& task, Rng& rng, bool first, Free& free,
                             Matching& matching) const {
  const Requests& r = task.requests;
  std::array<std::uint64_t, kMaxPorts> grants{};  // outputs that grant an input
  for (std::size_t j = 0; j < r.ports; ++j) {
    const std::uint64_t asking = r.of_output[j] & free.inputs;
    if ((free.outputs & bit(j)) != 0 && asking != 0) grants[grant(task, rng, j, asking)] |= bit(j);
  }
  bool any = false;
  for (std::size_t i = 0; i < r.ports; ++i) {
    if (grants[i] == 0) continue;
    const std::size_t j = accept(task, rng, i, grants[i]);
    matching[i] = static_cast<std::int32_t>(j);
    free.inputs &= ~bit(i);
    free.outputs &= ~bit(j);
    if (first) first_accepted(task.memory, i, j);
    any = true;
  }
  return any;
}

PolicyInfo Pim::info() {
  return {.name = "pim",
          .summary = "parallel iterative matching: random grants and acceptances",
          .reference =
              "Anderson, Owicki, Saxe, Thacker, High-speed switch scheduling for local-area "
              "networks, 1993",
          .environments = {kSwitchSchedulingName}};
}

std::size_t Pim::grant(const Task&, Rng& rng, std::size_t, std::uint64_t inputs) const {
  return draw_port(inputs, rng);
}

std::size_t Pim::accept(const Task&, Rng& rng, std::size_t, std::uint64_t outputs) const {
  return draw_port(outputs, rng);
}

PolicyInfo Islip::info() {
  return {.name = "islip",
          .summary = "grants and acceptances round robin, with pointers that desynchronise",
          .reference = "McKeown, The iSLIP scheduling algorithm for input-queued switches, 1999",
          .environments = {kSwitchSchedulingName}};
}

std::size_t Islip::grant(const Task& task, Rng&, std::size_t output, std::uint64_t inputs) const {
  return next_from(inputs, task.memory.grant[output]);
}

std::size_t Islip::accept(const Task& task, Rng&, std::size_t input, std::uint64_t outputs) const {
  return next_from(outputs, task.memory.accept[input]);
}

/// Beyond the last port comes the first one: next_from finds none there.
void Islip::first_accepted(Memory& m, std::size_t input, std::size_t output) const {
  m.grant[output] = static_cast<std::uint8_t>((input + 1) % kMaxPorts);
  m.accept[input] = static_cast<std::uint8_t>((output + 1) % kMaxPorts);
}

}  // namespace park::switch_scheduling
