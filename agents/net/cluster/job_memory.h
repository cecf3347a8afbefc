#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "park/core/batch.h"
#include "park/core/space.h"
#include "park/envs/dag_scheduling/known_jobs.h"
#include "park/envs/dag_scheduling/layout.h"

namespace park::agents {

/// Learned vectors of recurring jobs, such as the same query on tables of the same size. Each job
/// has one, and so has each of its stages. They are found by hashes of fixed properties: numbers of
/// tasks and their mean durations. A job whose durations are described a little differently is
/// found by the durations of the known job that it resembles most (KnownJobs). So a false last
/// digit does not make a known job unknown. No observation shows how the durations of a job grow
/// with its executors; only outcomes of decisions do. The growth differs between jobs of the same
/// size. Vectors begin at 0. So a job that was never trained on changes nothing as long as no other
/// job has its place in the table. With `keys` each place has an owner, the first that was seen in
/// training. A job without a place is unknown, and its vectors are 0. Without `keys` the tables are
/// smaller, and an unknown job meets the vector of another job in half of all cases.
class JobMemory : public torch::nn::Module {
 public:
  /// Throws Error{invalid_space} if the observation is not that of a cluster. Without durations
  /// jobs are found by their numbers of tasks alone.
  JobMemory(const Spec&, std::int64_t size, bool durations, bool keys = false);

  /// The hashes by which the vectors of a batch are found.
  struct Keys {
    std::vector<std::uint64_t> stage, job;  // [stages of all rows], [jobs of all rows]
  };
  [[nodiscard]] Keys find(const Batch&) const;
  /// Gives places to jobs and stages that have none, as long as there are any near where their
  /// hashes point to. Nothing changes without `keys`.
  void claim(const Keys&);
  /// The vectors of stages or jobs by their places in the batch: [n, size].
  [[nodiscard]] at::Tensor of_stages(const Keys&, const std::vector<std::int64_t>& stages) const;
  [[nodiscard]] at::Tensor of_jobs(const Keys&, const std::vector<std::int64_t>& jobs) const;

 private:
  /// The vectors of one kind.
  struct Table {
    at::Tensor vectors;  ///< [places, size]
    at::Tensor owners;   ///< [places] i64: hashes, 0 for none; undefined without `keys`
  };
  Table table(const char* name, std::int64_t places, std::int64_t size, bool keys);
  [[nodiscard]] static at::Tensor look_up(const Table&, const std::vector<std::uint64_t>& hashes);
  static void claim(const Table&, std::vector<std::uint64_t> hashes);

  [[nodiscard]] std::uint64_t stage_key(float tasks, float mean_s) const;
  void recognise(std::span<const float> tasks, std::span<const float> mean_s,
                 const std::vector<std::size_t>& stages, Keys&) const;

  bool durations_;
  dag_scheduling::KnownJobs known_;
  std::unordered_set<std::uint64_t> exact_;  // keys of the known jobs, not mixed yet
  dag_scheduling::DagLayout layout_;
  Table stage_, job_;
};

}  // namespace park::agents
