// Rules that place a whole graph. MemoryUse says what fits; Schedule is what list schedulers
// share: when each operation ends, and when its inputs can be on a device. Nothing here runs in the
// steps of the environment, so memory is allocated freely. policies.cc calls it once an episode.
#include "park/envs/device_placement/plans.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "park/core/space.h"

namespace park::device_placement {
namespace {

std::size_t fastest(const Cluster& c) {
  return static_cast<std::size_t>(std::ranges::max_element(c.speed) - c.speed.begin());
}

/// Puts an operation where it should go, or where it fits.
void put(MemoryUse& memory, std::size_t node, std::size_t wanted, Placement& to) {
  std::size_t device = wanted;
  if (!memory.fits(node, device)) device = memory.roomiest();
  memory.put(node, device);
  to[node] = static_cast<std::int32_t>(device);
}

MemoryUse empty_memory(const Simulator& s) {
  MemoryUse memory;
  memory.reset(s.graph(), s.cluster());
  return memory;
}

/// Cuts the topological order into pieces of `share` each; `amount` of all is 1.
template <class Amount>
void cut(const Simulator& s, const std::vector<double>& share, Amount amount, Placement& to) {
  MemoryUse memory = empty_memory(s);
  to.assign(s.graph().size(), 0);
  double done = 0, until = share[0];
  std::size_t device = 0;
  for (std::size_t i = 0; i < s.graph().size(); ++i) {
    const double own = amount(i);
    while (done + own / 2 > until && device + 1 < share.size()) until += share[++device];
    done += own;
    put(memory, i, device, to);
  }
}

std::vector<double> shares(std::vector<double> of) {
  double sum = 0;
  for (const double v : of) sum += v;
  for (double& v : of) v /= sum;
  return of;
}

/// When operations end and tensors travel, while a list scheduler places one after the other.
class Schedule {
 public:
  Schedule(const Simulator& s, bool contention)
      : s_(s),
        contention_(contention),
        inputs_(s.graph().size()),
        end_s_(s.graph().size(), 0),
        device_(s.graph().size(), -1),
        link_free_s_(s.cluster().size() * s.cluster().size(), 0),
        busy_(s.cluster().size()) {
    const std::vector<Edge>& edges = s.graph().edges;
    arrived_s_.assign(contention ? edges.size() * s.cluster().size() : 0, -1);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (e == 0 || edges[e].from != edges[e - 1].from || edges[e].tensor != edges[e - 1].tensor)
        tensors_.push_back(e);
      else
        tensors_.push_back(tensors_.back());
      inputs_[at(edges[e].to)].push_back(e);
    }
  }

  /// When all inputs of an operation can be on a device.
  [[nodiscard]] double inputs_s(std::size_t node, std::size_t on) const {
    double ready_s = 0;
    for (const std::size_t e : inputs_[node]) {
      const Edge& edge = s_.graph().edges[e];
      ready_s = std::max(ready_s, arrival_s(edge, e, on));
    }
    return ready_s;
  }
  /// The earliest begin on a device from a time on, in a gap if one is long enough.
  [[nodiscard]] double gap_s(std::size_t on, double ready_s, double cost_s) const {
    double from_s = ready_s;
    if (contention_) return busy_[on].empty() ? from_s : std::max(from_s, busy_[on].back().end_s);
    for (const Busy& b : busy_[on]) {
      if (b.end_s <= from_s) continue;
      if (from_s + cost_s <= b.begin_s) return from_s;
      from_s = std::max(from_s, b.end_s);
    }
    return from_s;
  }
  [[nodiscard]] double free_s(std::size_t on) const {
    return busy_[on].empty() ? 0 : busy_[on].back().end_s;
  }
  void place(std::size_t node, std::size_t on, double begin_s) {
    if (contention_)
      for (const std::size_t e : inputs_[node]) send(e, on);
    const Busy busy{begin_s, begin_s + s_.cost_s(node, on)};
    auto& list = busy_[on];
    list.insert(std::ranges::upper_bound(list, busy.begin_s, {}, &Busy::begin_s), busy);
    end_s_[node] = busy.end_s;
    device_[node] = static_cast<std::int32_t>(on);
  }

 private:
  struct Busy {
    double begin_s, end_s;
  };

  [[nodiscard]] double arrival_s(const Edge& edge, std::size_t e, std::size_t on) const {
    const std::size_t from = at(device_[at(edge.from)]), devices = s_.cluster().size();
    const double made_s = end_s_[at(edge.from)];
    if (from == on) return made_s;
    const std::size_t l = from * devices + on;
    const double travel_s = s_.cluster().latency_s[l] + edge.bytes / s_.cluster().bytes_per_s[l];
    if (!contention_) return made_s + travel_s;
    const double known_s = arrived_s_[tensors_[e] * devices + on];
    return known_s >= 0 ? known_s : std::max(made_s, link_free_s_[l]) + travel_s;
  }
  void send(std::size_t e, std::size_t on) {
    const Edge& edge = s_.graph().edges[e];
    const std::size_t from = at(device_[at(edge.from)]), devices = s_.cluster().size();
    double& known_s = arrived_s_[tensors_[e] * devices + on];
    if (from == on || known_s >= 0) return;
    const std::size_t l = from * devices + on;
    link_free_s_[l] =
        std::max(end_s_[at(edge.from)], link_free_s_[l]) + edge.bytes / s_.cluster().bytes_per_s[l];
    known_s = link_free_s_[l] + s_.cluster().latency_s[l];
  }

  const Simulator& s_;
  bool contention_;
  std::vector<std::vector<std::size_t>> inputs_;  // edges to each operation
  std::vector<std::size_t> tensors_;              // the first edge of each edge's tensor
  std::vector<double> end_s_;
  Placement device_;
  std::vector<double> link_free_s_, arrived_s_;
  std::vector<std::vector<Busy>> busy_;  // by time
};

void place_by_list(const Simulator& s, bool contention, Placement& to) {
  MemoryUse memory = empty_memory(s);
  Schedule schedule(s, contention);
  to.assign(s.graph().size(), 0);
  for (const std::int32_t next : s.by_rank()) {
    const std::size_t node = at(next);
    std::size_t best = memory.roomiest();
    double best_begin_s = -1, best_end_s = kInf;
    for (std::size_t d = 0; d < s.cluster().size(); ++d) {
      if (!memory.fits(node, d)) continue;
      const double begin_s = schedule.gap_s(d, schedule.inputs_s(node, d), s.cost_s(node, d));
      if (begin_s + s.cost_s(node, d) >= best_end_s) continue;
      best = d, best_begin_s = begin_s, best_end_s = begin_s + s.cost_s(node, d);
    }
    if (best_begin_s < 0)
      best_begin_s = schedule.gap_s(best, schedule.inputs_s(node, best), s.cost_s(node, best));
    schedule.place(node, best, best_begin_s);
    put(memory, node, best, to);
  }
}

}  // namespace

void place_single(const Simulator& s, Placement& to) {
  MemoryUse memory = empty_memory(s);
  to.assign(s.graph().size(), 0);
  for (std::size_t i = 0; i < s.graph().size(); ++i) put(memory, i, fastest(s.cluster()), to);
}

void place_by_work(const Simulator& s, Placement& to) {
  const double total = std::max(total_s(s.graph()), std::numeric_limits<double>::min());
  cut(
      s, shares(s.cluster().speed), [&](std::size_t i) { return s.graph().work_s[i] / total; }, to);
}

void place_by_memory(const Simulator& s, Placement& to) {
  const Graph& g = s.graph();
  const double total = std::max(total_bytes(g), std::numeric_limits<double>::min());
  cut(
      s, shares(s.cluster().memory),
      [&](std::size_t i) {
        const double own = at(g.owner[i]) == i ? g.parameter_bytes[i] : 0;
        return (g.output_bytes[i] + own) / total;
      },
      to);
}

void place_heft(const Simulator& s, Placement& to) { place_by_list(s, false, to); }
void place_heft_contention(const Simulator& s, Placement& to) { place_by_list(s, true, to); }

void place_etf(const Simulator& s, Placement& to) {
  const Graph& g = s.graph();
  MemoryUse memory = empty_memory(s);
  Schedule schedule(s, false);
  std::vector<std::int32_t> missing(g.size(), 0);
  std::vector<std::size_t> ready;
  for (const Edge& e : g.edges) ++missing[at(e.to)];
  for (std::size_t i = 0; i < g.size(); ++i)
    if (missing[i] == 0) ready.push_back(i);
  to.assign(g.size(), 0);
  while (!ready.empty()) {
    std::size_t best = 0, best_device = memory.roomiest();
    double best_begin_s = kInf;
    for (std::size_t r = 0; r < ready.size(); ++r)
      for (std::size_t d = 0; d < s.cluster().size(); ++d) {
        if (!memory.fits(ready[r], d)) continue;
        const double begin_s = std::max(schedule.inputs_s(ready[r], d), schedule.free_s(d));
        if (begin_s < best_begin_s) best = r, best_device = d, best_begin_s = begin_s;
      }
    const std::size_t node = ready[best];
    if (best_begin_s == kInf)
      best_begin_s = std::max(schedule.inputs_s(node, best_device), schedule.free_s(best_device));
    schedule.place(node, best_device, best_begin_s);
    put(memory, node, best_device, to);
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(best));
    for (const Edge& e : s.edges_of(node))
      if (--missing[at(e.to)] == 0) ready.push_back(at(e.to));
  }
}

double step_penalty_s(const Cluster& c, double overrun_bytes) {
  if (overrun_bytes <= 0) return 0;
  const double slowest = *std::ranges::min_element(c.bytes_per_s);
  return 2 * overrun_bytes / slowest;
}

double placed_s(Simulator& s, MemoryUse& memory, const Placement& device) {
  memory.reset(s.graph(), s.cluster());
  for (std::size_t i = 0; i < device.size(); ++i) memory.put(i, at(device[i]));
  return s.step_s(device) + step_penalty_s(s.cluster(), memory.overrun());
}

void place_best(Simulator& s, MemoryUse& memory, Placement& to) {
  using Rule = void (*)(const Simulator&, Placement&);
  constexpr std::array<Rule, 6> kRules{&place_single, &place_by_work,         &place_by_memory,
                                       &place_heft,   &place_heft_contention, &place_etf};
  double least_s = kInf;
  Placement tried;
  for (const Rule rule : kRules) {
    rule(s, tried);
    const double time_s = placed_s(s, memory, tried);
    if (time_s < least_s) least_s = time_s, to = tried;
  }
}

namespace {

/// The changes that annealing draws: an operation, or a connected piece of the graph around it, goes
/// to a device.
class Moves {
 public:
  explicit Moves(const Simulator& s)
      : devices_(s.cluster().size()), first_(s.graph().size() + 1, 0) {
    for (const Edge& e : s.graph().edges) ++first_[at(e.from) + 1], ++first_[at(e.to) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    near_.resize(first_.back());
    std::vector<std::size_t> next = first_;
    for (const Edge& e : s.graph().edges) {
      near_[next[at(e.from)]++] = e.to;
      near_[next[at(e.to)]++] = e.from;
    }
    in_piece_.resize(s.graph().size(), false);
  }

  /// Changes the placement; `undo` takes it back.
  void draw(Placement& now, Rng& rng) {
    changed_.clear();
    const std::size_t n = now.size(), first = rng.below(n);
    const auto device = static_cast<std::int32_t>(other_device(now, first, rng));
    const double longest = 0.75 * std::log(static_cast<double>(n));
    const std::size_t length =
        rng.uniform() < 0.4 ? 1 : static_cast<std::size_t>(std::exp(longest * rng.uniform()));
    grow(first, length, rng);
    for (const std::size_t node : piece_) {
      in_piece_[node] = false;
      if (now[node] == device) continue;
      changed_.emplace_back(node, now[node]);
      now[node] = device;
    }
  }
  void undo(Placement& now) const {
    for (const auto& [node, device] : changed_) now[node] = device;
  }
  [[nodiscard]] bool changed() const noexcept { return !changed_.empty(); }

 private:
  [[nodiscard]] std::span<const std::int32_t> near(std::size_t node) const {
    return std::span(near_).subspan(first_[node], first_[node + 1] - first_[node]);
  }
  /// The device of a neighbour, or any.
  std::size_t other_device(const Placement& now, std::size_t node, Rng& rng) const {
    const auto all = near(node);
    if (all.empty() || rng.uniform() < 0.3) return rng.below(devices_);
    return at(now[at(all[rng.below(all.size())])]);
  }
  void grow(std::size_t first, std::size_t length, Rng& rng) {
    piece_.assign(1, first);
    in_piece_[first] = true;
    // Each try is one step from an operation of the piece; tries that find no new one end it too.
    for (std::size_t k = 0; piece_.size() < length && k < 3 * length; ++k) {
      const auto all = near(piece_[rng.below(piece_.size())]);
      if (all.empty()) return;
      const std::size_t next = at(all[rng.below(all.size())]);
      if (in_piece_[next]) continue;
      in_piece_[next] = true;
      piece_.push_back(next);
    }
  }

  std::size_t devices_;
  std::vector<std::size_t> first_;  // [operations + 1] of near_
  std::vector<std::int32_t> near_;
  std::vector<bool> in_piece_;
  std::vector<std::size_t> piece_;
  std::vector<std::pair<std::size_t, std::int32_t>> changed_;  // operation, device before
};

}  // namespace

void place_annealed(Simulator& s, MemoryUse& memory, const AnnealingBudget& budget, Rng rng,
                    Placement& best) {
  place_best(s, memory, best);
  Placement now = best;
  double now_s = placed_s(s, memory, now), least_s = now_s;
  const double scale_s = now_s * budget.first_temperature;
  const double cooling = budget.last_temperature / budget.first_temperature;
  Moves moves(s);
  for (std::uint64_t k = 0; k < budget.simulations; ++k) {
    moves.draw(now, rng);
    if (!moves.changed()) continue;
    const double part = static_cast<double>(k) / static_cast<double>(budget.simulations);
    const double temperature_s = scale_s * std::pow(cooling, part);
    const double time_s = placed_s(s, memory, now);
    if (time_s > now_s && rng.uniform() >= std::exp((now_s - time_s) / temperature_s)) {
      moves.undo(now);
      continue;
    }
    now_s = time_s;
    if (now_s < least_s) least_s = now_s, best = now;
  }
}

}  // namespace park::device_placement
