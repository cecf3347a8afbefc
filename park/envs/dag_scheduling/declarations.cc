// The declared jobs of a cluster. A declared row is the true one, changed job by job: `split`
// inserts a stage and doubles edges, `add_edge` adds one, `scale` writes what users declare and what
// follows from it. `translate` takes inserted stages out of an action again.
#include "park/envs/dag_scheduling/declarations.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <utility>

namespace park::dag_scheduling {
namespace {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // within a job

/// [stages][stages] 1: the second one waits for the first, perhaps by way of others.
std::vector<std::vector<std::uint8_t>> closure_of(std::size_t stages, const Edges& edges) {
  std::vector<std::vector<std::uint32_t>> children(stages);
  for (const auto& [parent, child] : edges) children[parent].push_back(child);
  std::vector<std::vector<std::uint8_t>> below(stages, std::vector<std::uint8_t>(stages));
  for (std::uint32_t s = 0; s < stages; ++s)
    for (std::vector<std::uint32_t> next = children[s]; !next.empty();) {
      const std::uint32_t at = next.back();
      next.pop_back();
      if (std::exchange(below[s][at], std::uint8_t{1}) == 0)
        next.insert(next.end(), children[at].begin(), children[at].end());
    }
  return below;
}

/// The largest sum of work from each stage to an end of the job.
std::vector<double> chains_of(std::span<const float> work, const Edges& edges) {
  std::vector<std::vector<std::uint32_t>> children(work.size());
  for (const auto& [parent, child] : edges) children[parent].push_back(child);
  std::vector<double> chain(work.size(), -1);
  const std::function<double(std::uint32_t)> find = [&](std::uint32_t s) {
    if (chain[s] >= 0) return chain[s];
    double longest = 0;
    for (const std::uint32_t child : children[s]) longest = std::max(longest, find(child));
    return chain[s] = longest + static_cast<double>(work[s]);
  };
  for (std::uint32_t s = 0; s < work.size(); ++s) find(s);
  return chain;
}

float scaled(float value, double factor, double most) {
  return static_cast<float>(std::min(static_cast<double>(value) * factor, most));
}

}  // namespace

std::vector<std::string> DagDeclarations::references() const {
  return {"fair", "srpt_capped(c=22,s=0.25,scale_s=1000)"};
}

std::optional<DagDeclarations::Place> DagDeclarations::find(ConstRow row, std::uint64_t job) const {
  const auto ids = row[layout_.job_id];
  const auto at = std::ranges::find(ids, static_cast<std::int64_t>(job),
                                    [](std::int32_t id) { return std::int64_t{id}; });
  if (at == ids.end()) return {};
  Place place{.job = static_cast<std::size_t>(at - ids.begin())};
  const auto counts = row[layout_.stage_count];
  for (std::size_t j = 0; j < place.job; ++j) place.stage += static_cast<std::size_t>(counts[j]);
  place.stages = static_cast<std::size_t>(counts[place.job]);
  return place;
}

void DagDeclarations::present(const Moment& now, std::vector<std::uint64_t>& jobs) const {
  for (const std::int32_t id : now.row[layout_.job_id])
    jobs.push_back(static_cast<std::uint64_t>(id));
}

std::size_t DagDeclarations::quantities(const Moment& now, std::uint64_t job) const {
  const auto place = find(now.row, job);
  return place ? place->stages : 0;
}

/// The edges of a job, with numbers within it.
Edges DagDeclarations::edges(ConstRow row, const Place& place) const {
  const auto parents = row[layout_.edge_parent], children = row[layout_.edge_child];
  Edges of_job;
  for (std::size_t e = 0; e < parents.size(); ++e) {
    const auto parent = static_cast<std::size_t>(parents[e]);
    if (parent < place.stage || parent >= place.stage + place.stages) continue;
    of_job.emplace_back(parent - place.stage, static_cast<std::size_t>(children[e]) - place.stage);
  }
  return of_job;
}

std::vector<std::uint8_t> DagDeclarations::critical(const Moment& now, std::uint64_t job) const {
  const Place place = *find(now.row, job);
  const auto work = now.row[layout_.work_s].subspan(place.stage, place.stages);
  const Edges all = edges(now.row, place);
  const std::vector<double> chain = chains_of(work, all);
  std::vector<std::uint8_t> on(place.stages);
  auto at = static_cast<std::size_t>(std::ranges::max_element(chain) - chain.begin());
  for (bool more = true; more;) {
    on[at] = 1;
    more = false;
    std::size_t next = at;
    for (const auto& [parent, child] : all)
      if (parent == at && (!more || chain[child] > chain[next])) next = child, more = true;
    at = next;
  }
  return on;
}

std::optional<Restructuring> DagDeclarations::draw(const Moment& now, std::uint64_t job,
                                                   std::size_t operation, Rng& rng) const {
  const Place place = *find(now.row, job);
  std::vector<Restructuring> all;
  const auto n = static_cast<std::uint32_t>(place.stages);
  if (operation == split_stage) {
    const auto tasks = now.row[layout_.tasks].subspan(place.stage, place.stages);
    for (std::uint32_t s = 0; s < n; ++s)
      if (tasks[s] >= 2)
        all.push_back(
            {split_stage, s,
             1 + static_cast<std::uint32_t>(rng.below(static_cast<std::uint64_t>(tasks[s]) - 1))});
  } else {
    const Edges known = edges(now.row, place);
    const auto below = closure_of(place.stages, known);
    for (std::uint32_t p = 0; p < n; ++p)
      for (std::uint32_t c = 0; c < n; ++c)
        if (below[p][c] != 0 && std::ranges::count(known, std::pair(p, c)) == 0)
          all.push_back({extra_edge, p, c});
  }
  std::erase_if(all,
                [&](const Restructuring& r) { return complaint_of_change(now.row, place, r); });
  if (all.empty()) return {};  // or there is no room
  return all[rng.below(all.size())];
}

std::optional<std::string> DagDeclarations::complaint(const Moment& now, const Misreport& declared,
                                                      double epsilon) const {
  const Place place = *find(now.row, declared.job);
  if (auto wrong = complaint_of_factors(declared.factors, place.stages, epsilon)) return wrong;
  if (!declared.change) return {};
  return complaint_of_change(now.row, place, *declared.change);
}

std::optional<std::string> DagDeclarations::complaint_of_change(ConstRow row, const Place& place,
                                                                const Restructuring& r) const {
  const std::string last = std::to_string(place.stages - 1);
  const Edges known = edges(row, place);
  if (r.first >= place.stages) return "change: the stages of the job are 0 to " + last;
  if (r.operation == split_stage) {
    const auto tasks = static_cast<std::uint32_t>(row[layout_.tasks][place.stage + r.first]);
    if (r.second < 1 || r.second >= tasks)
      return "split: stage " + std::to_string(r.first) + " has " + std::to_string(tasks) +
             " tasks, and each part needs one";
    const auto of_stage = static_cast<std::size_t>(std::ranges::count_if(
        known, [&](const auto& e) { return e.first == r.first || e.second == r.first; }));
    if (place.stages + 1 > limits_.stages || known.size() + of_stage > limits_.edges)
      return "split: no job has more than " + std::to_string(limits_.stages) + " stages and " +
             std::to_string(limits_.edges) + " edges";
    return {};
  }
  if (r.operation != extra_edge) return "change: the operators are split and edge";
  if (r.second >= place.stages) return "edge: the stages of the job are 0 to " + last;
  if (closure_of(place.stages, known)[r.first][r.second] == 0)
    return "edge: stage " + std::to_string(r.second) + " does not wait for stage " +
           std::to_string(r.first) + " in truth";
  if (std::ranges::count(known, std::pair(r.first, r.second)) > 0)
    return "edge: the job has this edge";
  if (known.size() + 1 > limits_.edges)
    return "edge: no job has more than " + std::to_string(limits_.edges) + " edges";
  return {};
}

// ---------------------------------------------------------------- what a policy sees

void DagDeclarations::show(const Moment& now, const std::vector<Misreport>& misreports,
                           Row seen) const {
  seen.assign(now.row);
  for (const Misreport& declared : misreports) {
    auto place = find(seen, declared.job);
    if (!place || declared.honest()) continue;
    if (declared.change && declared.change->operation == split_stage)
      split(seen, *place, *declared.change);
    else if (declared.change)
      add_edge(seen, *place, *declared.change);
    scale(seen, *place, declared);
  }
}

/// The new stage comes behind the one that is split.
void DagDeclarations::split(Row row, Place& place, const Restructuring& r) const {
  const std::size_t at = place.stage + r.first, count = row.count(layout_.stages);
  const GroupId group = layout_.stages;
  row.resize(group, count + 1);
  Batch& batch = row.batch();
  for (std::size_t c = 0; c < batch.columns(); ++c) {
    if (batch.group_of(c).id != group.id) continue;
    std::byte* const all = batch.bytes(c, row.index(), 1).data();
    const std::size_t bytes = batch.element_bytes(c);
    std::memmove(all + (at + 1) * bytes, all + at * bytes, (count - at) * bytes);
  }
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  const auto parents = row[layout_.edge_parent], children = row[layout_.edge_child];
  const auto stage = static_cast<std::int32_t>(at);
  const auto moved = [&](std::int32_t s) { return s > stage ? s + 1 : s; };
  for (std::size_t e = 0; e < parents.size(); ++e) {
    edges.emplace_back(moved(parents[e]), moved(children[e]));
    if (parents[e] == stage) edges.emplace_back(stage + 1, moved(children[e]));
    if (children[e] == stage) edges.emplace_back(moved(parents[e]), stage + 1);
  }
  write_edges(row, std::move(edges));
  split_tasks(row, at, static_cast<float>(r.second));
  ++place.stages;
  row[layout_.stage_count][place.job] += 1;
}

/// Tasks of the first part come first: they are launched, finish and get executors before others.
void DagDeclarations::split_tasks(Row row, std::size_t at, float first_tasks) const {
  const std::size_t two = at + 1;
  const auto tasks = row[layout_.tasks], left = row[layout_.tasks_left];
  const auto running = row[layout_.running], committed = row[layout_.committed];
  const auto moving = row[layout_.moving];
  const float all = tasks[at], launched = all - left[at], finished = launched - running[at];
  const float launched_one = std::min(launched, first_tasks);
  const float finished_one = std::min(finished, first_tasks);
  const float mean_work = row[layout_.work_s][at] / all;
  tasks[at] = first_tasks, tasks[two] = all - first_tasks;
  left[at] = first_tasks - launched_one, left[two] = tasks[two] - (launched - launched_one);
  running[at] = launched_one - finished_one;
  running[two] = (launched - launched_one) - (finished - finished_one);
  for (const std::size_t s : {at, two}) row[layout_.work_s][s] = mean_work * tasks[s];
  const float committed_one = std::min(committed[at], left[at]);
  const float moving_one = std::min(moving[at], left[at] - committed_one);
  committed[two] = committed[at] - committed_one, moving[two] = moving[at] - moving_one;
  committed[at] = committed_one, moving[at] = moving_one;
  float unfinished = finished == all ? 0.0f : -1.0f;
  for (const std::size_t s : {at, two}) {
    if (left[s] == 0) row[layout_.runnable][s] = 0;
    if (left[s] - committed[s] - moving[s] <= 0) row[layout_.stage_mask][s] = 0;
    if (left[s] > 0 || running[s] > 0) unfinished += 1;
  }
  row[layout_.stages_left][static_cast<std::size_t>(row[layout_.stage_job][at])] += unfinished;
}

void DagDeclarations::add_edge(Row row, const Place& place, const Restructuring& r) const {
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  const auto parents = row[layout_.edge_parent], children = row[layout_.edge_child];
  const auto first = static_cast<std::int32_t>(place.stage);
  const std::pair added{first + static_cast<std::int32_t>(r.first),
                        first + static_cast<std::int32_t>(r.second)};
  for (std::size_t e = 0; e < parents.size(); ++e) edges.emplace_back(parents[e], children[e]);
  edges.push_back(added);
  write_edges(row, std::move(edges));
}

/// In the order of the true rows: by parent, then by child.
void DagDeclarations::write_edges(Row row,
                                  std::vector<std::pair<std::int32_t, std::int32_t>> edges) const {
  std::ranges::sort(edges);
  row.resize(layout_.edges, edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    row[layout_.edge_parent][e] = edges[e].first;
    row[layout_.edge_child][e] = edges[e].second;
  }
}

/// Writes the declared durations and what follows from them. The job is as it is declared.
void DagDeclarations::scale(Row row, const Place& place, const Misreport& declared) const {
  const auto mean = row[layout_.mean_s].subspan(place.stage, place.stages);
  const auto work = row[layout_.work_s].subspan(place.stage, place.stages);
  const bool is_split = declared.change && declared.change->operation == split_stage;
  for (std::size_t s = 0; s < place.stages && !declared.factors.empty(); ++s) {
    const std::size_t in_truth = is_split && s > declared.change->first ? s - 1 : s;
    mean[s] = scaled(mean[s], declared.factors[in_truth], DagLayout::kMostSeconds);
    work[s] = scaled(work[s], declared.factors[in_truth], DagLayout::kMostSeconds);
  }
  const std::vector<double> chain = chains_of(work, edges(row, place));
  double work_s = 0, left_s = 0;
  for (std::size_t s = 0; s < place.stages; ++s) {
    const std::size_t at = place.stage + s;
    row[layout_.critical_s][at] = scaled(1, chain[s], DagLayout::kMostSeconds);
    work_s += static_cast<double>(work[s]);
    left_s += static_cast<double>(work[s]) * static_cast<double>(row[layout_.tasks_left][at]) /
              static_cast<double>(row[layout_.tasks][at]);
  }
  row[layout_.job_work_s][place.job] = scaled(1, work_s, DagLayout::kMostSeconds);
  row[layout_.job_work_left_s][place.job] = scaled(1, left_s, DagLayout::kMostSeconds);
}

void DagDeclarations::translate(const Moment& now, const std::vector<Misreport>& misreports,
                                ConstRow chosen, Row action) const {
  action.assign(chosen);
  std::vector<std::size_t> split_stages;  // in truth
  for (const Misreport& declared : misreports) {
    if (!declared.change || declared.change->operation != split_stage) continue;
    if (const auto place = find(now.row, declared.job))
      split_stages.push_back(place->stage + declared.change->first);
  }
  std::ranges::sort(split_stages);
  auto& stage = action.scalar(layout_.stage);
  for (const std::size_t s : split_stages)
    if (static_cast<std::size_t>(stage) > s) --stage;
}

double DagDeclarations::benefit(const Moment& now, std::uint64_t job, ConstRow action) const {
  const auto stage = static_cast<std::size_t>(action.scalar(layout_.stage));
  const auto of_stage = static_cast<std::size_t>(now.row[layout_.stage_job][stage]);
  return now.row[layout_.job_id][of_stage] == static_cast<std::int64_t>(job) ? 1 : 0;
}

void DagDeclarations::own(const Moment& now, std::uint64_t job, std::vector<float>& out) const {
  const Place place = *find(now.row, job);
  const auto& l = layout_;
  for (const auto* leaf : {&l.stages_left, &l.job_tasks_left, &l.job_work_s, &l.job_work_left_s,
                           &l.job_executors, &l.job_moving, &l.job_committed, &l.demand})
    out.push_back(now.row[*leaf][place.job]);
  out.push_back(now.row[l.source][place.job]);
  for (std::size_t s = place.stage; s < place.stage + place.stages; ++s) {
    for (const auto* leaf : {&l.mean_s, &l.work_s, &l.critical_s, &l.tasks_left})
      out.push_back(now.row[*leaf][s]);
    out.push_back(now.row[l.runnable][s]);
  }
}

}  // namespace park::dag_scheduling
