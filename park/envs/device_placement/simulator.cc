// One step of a placed graph. Data: the operations by upward rank; for each device the ready ones as a
// set of places in that order (or a queue); for each link the tensors on it. Events: next_s_ holds, for
// each device and link, when its operation ends or its first tensor arrives. All events of an instant
// come first; then each idle device begins its next operation. Called by the environment once per
// measured placement, and by policies that search.
#include "park/envs/device_placement/simulator.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "park/core/space.h"

namespace park::device_placement {
void Simulator::Ready::resize(std::size_t n) {
  word.assign(n / 64 + 1, 0);
  summary.assign(word.size() / 64 + 1, 0);
  count = 0;
}

void Simulator::Ready::put(std::size_t place) noexcept {
  word[place / 64] |= std::uint64_t{1} << (place % 64);
  summary[place / 4096] |= std::uint64_t{1} << (place / 64 % 64);
  ++count;
}

std::int32_t Simulator::Ready::take() noexcept {
  if (count == 0) return -1;
  std::size_t s = 0;
  while (summary[s] == 0) ++s;
  const std::size_t w = 64 * s + static_cast<std::size_t>(std::countr_zero(summary[s]));
  const auto bit = static_cast<std::size_t>(std::countr_zero(word[w]));
  word[w] &= word[w] - 1;
  if (word[w] == 0) summary[s] &= summary[s] - 1;
  --count;
  return static_cast<std::int32_t>(64 * w + bit);
}

void Simulator::load(const Graph& graph, const Cluster& cluster, Order order) {
  graph_ = &graph, cluster_ = &cluster, order_ = order;
  const std::size_t n = graph.size();
  first_.assign(n + 1, 0);
  inputs_.assign(n, 0);
  for (const Edge& e : graph.edges) ++first_[at(e.from) + 1], ++inputs_[at(e.to)];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  missing_.resize(n);
  begin_s_.assign(n, 0);
  rank();
  for (std::size_t d = 0; d < cluster.size(); ++d) {
    ready_[d].resize(n);
    fifo_[d].reserve(n);
  }
  events_ = 0;
}

/// Upward ranks: Topcuoglu, Hariri, Wu, 2002, equation 10, with means over devices and links.
void Simulator::rank() {
  const std::size_t n = graph_->size(), devices = cluster_->size();
  double per_work = 0, per_byte = 0, latency_s = 0;
  for (const double speed : cluster_->speed) per_work += 1 / speed;
  per_work /= static_cast<double>(devices);
  for (std::size_t l = 0; l < devices * devices; ++l) {
    if (l / devices == l % devices) continue;
    const auto pairs = static_cast<double>(devices * (devices - 1));
    per_byte += 1 / cluster_->bytes_per_s[l] / pairs;
    latency_s += cluster_->latency_s[l] / pairs;
  }
  rank_s_.resize(n);
  for (std::size_t i = n; i-- > 0;) {
    double on_s = 0;
    for (const Edge& e : edges_of(i))
      on_s = std::max(on_s, rank_s_[at(e.to)] + (devices > 1 ? latency_s + e.bytes * per_byte : 0));
    rank_s_[i] = graph_->work_s[i] * per_work + on_s;
  }
  by_rank_.resize(n);
  place_.resize(n);
  std::iota(by_rank_.begin(), by_rank_.end(), 0);
  // Costs may be 0: the number decides, so that the order stays topological.
  std::ranges::sort(by_rank_, [&](std::int32_t a, std::int32_t b) {
    return rank_s_[at(a)] != rank_s_[at(b)] ? rank_s_[at(a)] > rank_s_[at(b)] : a < b;
  });
  for (std::size_t p = 0; p < n; ++p) place_[at(by_rank_[p])] = static_cast<std::int32_t>(p);
}

void Simulator::begin() {
  const std::size_t devices = cluster_->size();
  std::ranges::copy(inputs_, missing_.begin());
  next_s_.fill(kInf);
  for (std::size_t d = 0; d < devices; ++d) {
    running_[d] = -1;
    fifo_[d].clear();
    fifo_next_[d] = 0;
  }
  for (std::size_t l = 0; l < devices * devices; ++l) {
    links_[l].queue.clear();
    links_[l].head = 0;
    links_[l].free_s = 0;
  }
  sent_bytes_ = 0;
}

double Simulator::step_s(std::span<const std::int32_t> device) {
  const std::size_t devices = cluster_->size(), events = devices * devices;
  begin();
  for (std::size_t i = 0; i < graph_->size(); ++i)
    if (missing_[i] == 0) ready(i, at(device[i]));
  double now_s = 0;
  for (;;) {
    start_idle(now_s);
    double next_s = kInf;
    for (std::size_t e = 0; e < events; ++e) next_s = std::min(next_s, next_s_[e]);
    if (next_s == kInf) return now_s;
    now_s = next_s;
    for (bool any = true; any;) {
      any = false;
      for (std::size_t e = 0; e < events; ++e) {
        if (next_s_[e] != now_s) continue;
        any = true;
        ++events_;
        if (e / devices == e % devices)
          finish(e / devices, now_s, device);
        else
          arrive(e, device);
      }
    }
  }
}

void Simulator::start_idle(double now_s) {
  const std::size_t devices = cluster_->size();
  for (std::size_t d = 0; d < devices; ++d) {
    if (running_[d] >= 0) continue;
    std::int32_t node = -1;
    if (order_ == Order::rank) {
      const std::int32_t place = ready_[d].take();
      if (place >= 0) node = by_rank_[at(place)];
    } else if (fifo_next_[d] < fifo_[d].size()) {
      node = fifo_[d][fifo_next_[d]++];
    }
    if (node < 0) continue;
    running_[d] = node;
    begin_s_[at(node)] = now_s;
    next_s_[d * devices + d] = now_s + cost_s(at(node), d);
  }
}

void Simulator::ready(std::size_t node, std::size_t on) {
  if (order_ == Order::rank)
    ready_[on].put(at(place_[node]));
  else
    fifo_[on].push_back(static_cast<std::int32_t>(node));
}

void Simulator::receive(std::size_t node, std::size_t on) {
  if (--missing_[node] == 0) ready(node, on);
}

void Simulator::finish(std::size_t on, double now_s, std::span<const std::int32_t> device) {
  const std::size_t node = at(running_[on]);
  running_[on] = -1;
  next_s_[on * cluster_->size() + on] = kInf;
  const std::vector<Edge>& edges = graph_->edges;
  for (std::uint32_t first = first_[node], end = first_[node + 1]; first < end;) {
    std::uint32_t last = first + 1;
    while (last < end && edges[last].tensor == edges[first].tensor) ++last;
    send_tensor(on, first, last, now_s, device);
    first = last;
  }
}

/// Hands a tensor to those that need it here, and sends it once to each other device.
void Simulator::send_tensor(std::size_t on, std::uint32_t first, std::uint32_t last, double now_s,
                            std::span<const std::int32_t> device) {
  const std::size_t devices = cluster_->size();
  std::uint32_t sent = 0;  // a bit for each device
  for (std::uint32_t e = first; e < last; ++e) {
    const Edge& edge = graph_->edges[e];
    const std::size_t to = at(device[at(edge.to)]);
    if (to == on) {
      receive(at(edge.to), on);
      continue;
    }
    if ((sent >> to & 1U) != 0) continue;
    sent |= 1U << to;
    const std::size_t l = on * devices + to;
    Link& link = links_[l];
    link.free_s = std::max(link.free_s, now_s) + edge.bytes / cluster_->bytes_per_s[l];
    link.queue.push_back({link.free_s + cluster_->latency_s[l], first, last});
    if (link.queue.size() - link.head == 1) next_s_[l] = link.queue.back().time_s;
    sent_bytes_ += edge.bytes;
  }
}

void Simulator::arrive(std::size_t l, std::span<const std::int32_t> device) {
  Link& link = links_[l];
  const Arrival arrival = link.queue[link.head++];
  next_s_[l] = link.head < link.queue.size() ? link.queue[link.head].time_s : kInf;
  const std::size_t to = l % cluster_->size();
  for (std::uint32_t e = arrival.first; e < arrival.last; ++e)
    if (const std::int32_t node = graph_->edges[e].to; at(device[at(node)]) == to)
      receive(at(node), to);
}

}  // namespace park::device_placement
