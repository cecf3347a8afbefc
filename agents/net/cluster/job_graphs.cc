#include "agents/net/cluster/job_graphs.h"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <unordered_map>

#include "agents/net/cluster/graph_levels.h"
#include "park/core/error.h"

namespace park::agents {
namespace {

/// All that tells one job from another, as numbers.
using Key = std::vector<std::uint32_t>;

struct Hash {
  std::size_t operator()(const Key& key) const noexcept {
    std::uint64_t h = 0x9e3779b97f4a7c15ull;
    for (const std::uint32_t word : key) {
      h = (h ^ word) * 0xbf58476d1ce4e5b9ull;
      h ^= h >> 29;
    }
    return h;
  }
};

/// The jobs of one row, as lists of its stages and edges.
class RowJobs {
 public:
  void read(const JobRows& in, std::size_t row) {
    first_ = in.first_stage[row];
    const auto jobs = at(in.first_job[row + 1] - in.first_job[row]);
    if (stages_.size() < jobs) stages_.resize(jobs), edges_.resize(jobs);
    for (std::size_t j = 0; j < jobs; ++j) stages_[j].clear(), edges_[j].clear();
    local_.clear();
    for (std::int64_t s = first_; s < in.first_stage[row + 1]; ++s) {
      auto& stages = stages_[at(in.job[at(s)])];
      local_.push_back(static_cast<std::int32_t>(stages.size()));
      stages.push_back(s);
    }
    for (std::int64_t e = in.first_edge[row]; e < in.first_edge[row + 1]; ++e) {
      const std::int32_t parent = in.parents[at(e)], child = in.children[at(e)];
      const std::int32_t job = in.job[at(first_ + parent)];
      if (in.job[at(first_ + child)] != job)
        throw Error(Errc::invalid_space, "edge.child: stage " + std::to_string(child) +
                                             " is of another job than its parent " +
                                             std::to_string(parent));
      edges_[at(job)].push_back({local_[at(parent)], local_[at(child)]});
    }
  }
  void write_key(const JobRows& in, std::size_t job, Key& key) const {
    const std::int64_t width = in.features.size(1);
    const float* features = in.features.data_ptr<float>();
    key.assign({static_cast<std::uint32_t>(stages_[job].size())});
    for (const std::int64_t s : stages_[job]) {
      key.push_back(in.marks[at(s)]);
      for (std::int64_t i = 0; i < width; ++i)
        key.push_back(std::bit_cast<std::uint32_t>(features[s * width + i]));
    }
    for (const Edge& e : edges_[job]) {
      key.push_back(static_cast<std::uint32_t>(e.parent));
      key.push_back(static_cast<std::uint32_t>(e.child));
    }
  }

  struct Edge {
    std::int32_t parent, child;
  };
  [[nodiscard]] const std::vector<std::int64_t>& stages(std::size_t job) const {
    return stages_[job];
  }
  [[nodiscard]] const std::vector<Edge>& edges(std::size_t job) const { return edges_[job]; }

 private:
  std::int64_t first_ = 0;
  std::vector<std::vector<std::int64_t>> stages_;  // [jobs]
  std::vector<std::vector<Edge>> edges_;
  std::vector<std::int32_t> local_;  // [stages of the row] place within the job
};

}  // namespace

JobGraphs job_graphs(const JobRows& in) {
  JobGraphs out;
  out.stage.resize(in.job.size());
  std::unordered_map<Key, std::int64_t, Hash> known;
  std::vector<std::int64_t> nodes{0}, edge_begins{0};
  std::vector<std::int32_t> parents, children;
  RowJobs row;
  Key key;
  for (std::size_t r = 0; r + 1 < in.first_job.size(); ++r) {
    row.read(in, r);
    for (std::size_t j = 0; j < at(in.first_job[r + 1] - in.first_job[r]); ++j) {
      row.write_key(in, j, key);
      const auto [found, fresh] = known.try_emplace(key, out.jobs);
      const std::int64_t number = found->second;
      if (fresh) {
        ++out.jobs;
        for (const std::int64_t s : row.stages(j)) out.representative.push_back(s);
        out.job_of.resize(out.representative.size(), number);
        for (const RowJobs::Edge& e : row.edges(j)) {
          parents.push_back(e.parent);
          children.push_back(e.child);
        }
        nodes.push_back(static_cast<std::int64_t>(out.representative.size()));
        edge_begins.push_back(static_cast<std::int64_t>(parents.size()));
      }
      out.job.push_back(number);
      std::int64_t place = nodes[at(number)];
      for (const std::int64_t s : row.stages(j)) out.stage[at(s)] = place++;
    }
  }
  out.levels = make_levels({nodes, edge_begins, parents, children});
  return out;
}

}  // namespace park::agents
