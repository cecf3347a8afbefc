// look takes the spans of a row. study_types sorts the configurations by cost and keeps those of the
// frontier; it is done again only where the leaves of types differ from those before. look_at_moves
// makes a list of the legal moves of each job, by which toward finds one. The heuristics call look,
// then ask.
#include "park/envs/dl_cluster/cluster_view.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "park/core/error.h"

namespace park::dl_cluster {
namespace {

const Spec& with_speeds(const Spec& spec, const std::string& policy, bool needed) {
  if (needed && spec.observation.find(kSpeedLeaf) == nullptr)
    throw Error(Errc::unavailable, "policy '" + policy + "' needs the observation leaf '" +
                                       kSpeedLeaf + "', which is missing where speeds = none");
  return spec;
}

std::uint64_t number_of(const Grant& g) {
  return (static_cast<std::uint64_t>(g.workers) << 32) | static_cast<std::uint32_t>(g.servers);
}

}  // namespace

ClusterView::ClusterView(const Spec& spec, const std::string& policy, const ViewOptions& options)
    : options_(options),
      layout_(bind_layout<ClusterLayout>(with_speeds(spec, policy, options.speeds))) {}

void ClusterView::look(ConstRow row) {
  keeps_ = row.scalar(layout_.keeps) != 0;
  compat_ = row.scalar(layout_.compat) != 0;
  capacity_ = row[layout_.capacity];
  free_ = row[layout_.free];
  node_free_ = row[layout_.node_free];
  look_at_types(row);
  look_at_jobs(row);
  look_at_moves(row);
}

void ClusterView::write(std::size_t move, Row action) const {
  action.scalar(layout_.move) = static_cast<std::int32_t>(move);
}

void ClusterView::look_at_types(ConstRow row) {
  config_workers_ = row[layout_.config_workers];
  config_servers_ = row[layout_.config_servers];
  type_worker_ = row[layout_.type_worker];
  type_server_ = row[layout_.type_server];
  if (options_.speeds) speed_ = row[*layout_.type_speed];
  if (is_studied()) return;
  studied_.clear();
  for (const auto leaf : type_leaves()) studied_.insert(studied_.end(), leaf.begin(), leaf.end());
  study_types();
}

/// By their bits: nearly every row asks, and the answer is nearly always yes.
bool ClusterView::is_studied() const noexcept {
  std::size_t at = 0;
  for (const auto leaf : type_leaves()) {
    if (leaf.size() > studied_.size() - at) return false;
    if (!leaf.empty() && std::memcmp(leaf.data(), &studied_[at], leaf.size_bytes()) != 0)
      return false;
    at += leaf.size();
  }
  return at == studied_.size() && !types_.empty();
}

void ClusterView::study_types() {
  numbers_.clear();
  largest_ = {};
  for (std::size_t c = 0; c < configurations(); ++c) {
    const Grant one = configuration(c);
    numbers_.emplace_back(number_of(one), static_cast<std::uint32_t>(c));
    if (one.tasks() > largest_.tasks()) largest_ = one;
  }
  std::ranges::sort(numbers_);
  types_.resize(
      std::max<std::size_t>(1, type_worker_.size() / std::max<std::size_t>(1, resources())));
  if (!options_.speeds) return;
  order_.resize(configurations());
  for (std::size_t t = 0; t * configurations() < speed_.size(); ++t) study_type(t);
}

void ClusterView::study_type(std::size_t t) {
  TypeFacts& facts = types_[t];
  const auto speeds = speed_.subspan(t * configurations(), configurations());
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::sort(order_, {}, [&](std::uint32_t c) {
    return std::tuple(type_cost(t, configuration(c)), -speeds[c], c);
  });
  facts.frontier.clear();
  facts.best_speed = 0;
  for (const std::uint32_t c : order_)
    if (static_cast<double>(speeds[c]) > facts.best_speed) {
      facts.best_speed = static_cast<double>(speeds[c]);
      facts.frontier.push_back(
          {configuration(c), facts.best_speed, type_cost(t, configuration(c))});
    }
}

void ClusterView::look_at_jobs(ConstRow row) {
  type_ = row[layout_.job_type];
  age_s_ = row[layout_.age_s];
  remaining_ = row[layout_.remaining];
  remaining_work_ = row[layout_.remaining_work];
  workers_ = row[layout_.workers];
  servers_ = row[layout_.servers];
  last_workers_ = row[layout_.last_workers];
  last_servers_ = row[layout_.last_servers];
  request_workers_ = row[layout_.request_workers];
  request_servers_ = row[layout_.request_servers];
  attained_s_ = row[layout_.attained_s];
  changes_ = row[layout_.changes];
}

void ClusterView::look_at_moves(ConstRow row) {
  move_job_ = row[layout_.move_job];
  move_kind_ = row[layout_.move_kind];
  move_workers_ = row[layout_.move_workers];
  move_servers_ = row[layout_.move_servers];
  move_mask_ = row[layout_.move_mask];
  first_move_.assign(jobs(), kNone);
  next_move_.resize(move_job_.size());
  std::optional<std::size_t> end, any;
  for (std::size_t m = move_job_.size(); m-- > 0;) {
    if (move_mask_[m] == 0) continue;
    any = m;
    if (move_kind_[m] == static_cast<std::int32_t>(MoveKind::end)) {
      end = m;
      continue;
    }
    std::uint32_t& first = first_move_[static_cast<std::size_t>(move_job_[m])];
    next_move_[m] = first;
    first = static_cast<std::uint32_t>(m);
  }
  end_ = end.value_or(any.value_or(0));
}

double ClusterView::demand(std::size_t job, const Grant& g, std::size_t r) const {
  const std::size_t at = type(job) * resources() + r;
  return g.workers * static_cast<double>(type_worker_[at]) +
         g.servers * static_cast<double>(type_server_[at]);
}

double ClusterView::type_cost(std::size_t t, const Grant& g) const {
  double cost = 0;
  for (std::size_t r = 0; r < std::min<std::size_t>(2, resources()); ++r) {
    const std::size_t at = t * resources() + r;
    cost +=
        (r == 0 ? 1 : options_.second_weight) * (g.workers * static_cast<double>(type_worker_[at]) +
                                                 g.servers * static_cast<double>(type_server_[at]));
  }
  return cost;
}

double ClusterView::cost(std::size_t job, const Grant& g) const { return type_cost(type(job), g); }

double ClusterView::share(std::size_t job, const Grant& g) const {
  double share = 0;
  for (std::size_t r = 0; r < resources(); ++r)
    if (capacity(r) > 0) share = std::max(share, demand(job, g, r) / capacity(r));
  return share;
}

bool ClusterView::fits(std::size_t job, const Grant& from, const Grant& to) {
  const Grant more{to.workers - from.workers, to.servers - from.servers};
  for (std::size_t r = 0; r < resources(); ++r)
    if (demand(job, more, r) > free(r)) return false;
  spare_.assign(node_free_.begin(), node_free_.end());
  const std::int32_t pairs = std::max(0, std::min(more.workers, more.servers));
  return place(job, {1, 1}, pairs) && place(job, {1, 0}, more.workers - pairs) &&
         place(job, {0, 1}, more.servers - pairs);
}

bool ClusterView::fits_node(std::size_t job, const Grant& g, std::span<const float> free) const {
  for (std::size_t r = 0; r < free.size(); ++r)
    if (demand(job, g, r) > static_cast<double>(free[r])) return false;
  return true;
}

bool ClusterView::place(std::size_t job, const Grant& task, std::int32_t count) {
  const std::size_t n = resources();
  std::size_t node = 0;
  while (count > 0) {
    if (compat_) node = least_loaded();
    if (node >= spare_.size()) return false;
    const std::span<float> spare = std::span(spare_).subspan(node, n);
    if (fits_node(job, task, spare)) {
      for (std::size_t r = 0; r < n; ++r) spare[r] -= static_cast<float>(demand(job, task, r));
      --count;
    } else if (compat_) {
      return false;
    } else {
      node += n;
    }
  }
  return true;
}

std::size_t ClusterView::least_loaded() const {
  std::size_t best = spare_.size();
  float most = -1;
  for (std::size_t node = 0; node < spare_.size(); node += resources()) {
    float free = 0;
    for (std::size_t r = 0; r < resources(); ++r) free += spare_[node + r];
    if (free > most) best = node, most = free;
  }
  return best;
}

std::optional<std::size_t> ClusterView::first_node(std::size_t job, const Grant& g) const {
  const std::size_t n = resources();
  for (std::size_t node = 0; node * n < node_free_.size(); ++node)
    if (fits_node(job, g, node_free_.subspan(node * n, n))) return node;
  return {};
}

Grant ClusterView::next_up(const Grant& g) const {
  std::optional<Grant> best;
  for (std::size_t c = 0; c < configurations(); ++c) {
    const Grant one = configuration(c);
    if (g.within(one) && one != g && (!best || one.tasks() < best->tasks())) best = one;
  }
  return best.value_or(g);
}

double ClusterView::speed(std::size_t job, const Grant& g) const {
  const auto at = std::ranges::lower_bound(numbers_, std::pair(number_of(g), std::uint32_t{0}));
  if (at == numbers_.end() || at->first != number_of(g)) return 0;
  return static_cast<double>(speed_[type(job) * configurations() + at->second]);
}

std::optional<std::size_t> ClusterView::toward(std::size_t job, const Grant& to,
                                               bool together) const {
  const Grant from = held(job);
  const bool grows = from.within(to) && from != to;
  const bool both = together && to.workers > from.workers && to.servers > from.servers;
  std::optional<std::size_t> best;
  std::int32_t most = -1;
  for (std::uint32_t m = first_move_[job]; m != kNone; m = next_move_[m]) {
    const Grant next = grant_of(move_workers_, move_servers_, m);
    if (!grows && next != to) continue;
    if (grows && (!next.within(to) || !from.within(next) || next == from)) continue;
    if (both && (next.workers == from.workers || next.servers == from.servers)) continue;
    if (next.tasks() > most) best = m, most = next.tasks();
  }
  return best;
}

}  // namespace park::dl_cluster
