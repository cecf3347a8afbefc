// The modern model's arithmetic: time of a step, efficiency, the batch with the best goodput, and a table of
// these by type, stage of training and rung of the ladder. Clusters look speeds up in the table; JobSource asks
// what users request.
#include "park/envs/dl_cluster/goodput.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "park/core/error.h"
#include "park/envs/dl_cluster/speed_table.h"

namespace park::dl_cluster {
namespace {

constexpr double kOverlap = 1.6;  // g
constexpr double kMbPerSWithin = 10'000, kMbPerSAcross = 1250;
constexpr double kLatencyS = 1e-4;
constexpr std::size_t kBatches = 33;  // of the grid

double throughput(const TrainingType& t, double batch, double gpus, bool across_nodes) {
  const double samples = batch / gpus;
  const double more = std::ceil(samples / t.gpu_batch - 1e-9) - 1;
  return batch / step_time_s(t, gpus, samples / (more + 1), more, across_nodes);
}

/// The grid of batches of a number of GPUs, and what each does per second.
struct Batches {
  std::array<double, kBatches> samples{}, samples_per_s{};
};

Batches batches_of(const TrainingType& t, double gpus, bool across_nodes) {
  const double low = std::max(t.first_batch, gpus), high = std::max(t.most_batch, low);
  Batches all;
  for (std::size_t i = 0; i < kBatches; ++i) {
    all.samples[i] = low * std::pow(high / low, static_cast<double>(i) / (kBatches - 1));
    all.samples_per_s[i] = throughput(t, all.samples[i], gpus, across_nodes);
  }
  return all;
}

double best_goodput(const TrainingType& t, double noise, const Batches& all) {
  double best = 0;
  for (std::size_t i = 0; i < kBatches; ++i) {
    const double efficiency = (noise + t.first_batch) / (noise + all.samples[i]);
    best = std::max(best, all.samples_per_s[i] * efficiency);
  }
  return best;
}

std::vector<std::int32_t> ladder_of(const DlClusterConfig& c) {
  std::vector<std::int32_t> ladder;
  for (std::int32_t k = 1; k <= c.gpus_of_a_job(); ++k)
    if (c.ladder == "all" || k <= 2 || k % 4 == 0) ladder.push_back(k);
  return ladder;
}

double noise_at(const TrainingType& t, std::size_t stage) {
  const double progress = (static_cast<double>(stage) + 0.5) / GoodputTable::kStages;
  return t.noise * (1 + t.noise_growth * progress);
}

}  // namespace

std::int32_t drawn_type(double u) noexcept {
  std::size_t type = 0;
  for (; type + 1 < kTrainingTypes.size() && u >= kTrainingTypes[type].share; ++type)
    u -= kTrainingTypes[type].share;
  return static_cast<std::int32_t>(type);
}

double step_time_s(const TrainingType& t, double gpus, double gpu_samples, double more,
                   bool across_nodes) noexcept {
  const double gradient_s = t.step_s + t.sample_s * gpu_samples;
  if (gpus <= 1) return (more + 1) * gradient_s;
  const double mb_per_s = across_nodes ? kMbPerSAcross : kMbPerSWithin;
  const double sync_s = 2 * (gpus - 1) / gpus * t.model_mb / mb_per_s + (gpus - 1) * kLatencyS;
  const double last_s =
      std::pow(std::pow(gradient_s, kOverlap) + std::pow(sync_s, kOverlap), 1 / kOverlap);
  return more * gradient_s + last_s;
}

double goodput(const TrainingType& t, double noise, double gpus, bool across_nodes) noexcept {
  return best_goodput(t, noise, batches_of(t, gpus, across_nodes));
}

std::vector<std::int32_t> tuned_requests(std::span<const std::int32_t> ladder,
                                         std::span<const double> speedups) {
  std::vector<std::int32_t> tuned;
  std::int32_t most = 1;
  for (std::size_t rung = 0; rung < ladder.size(); ++rung) {
    const double share = speedups[rung] / ladder[rung];
    if (share > 0.8) most = ladder[rung];
    if (share >= 0.5 && share <= 0.8) tuned.push_back(ladder[rung]);
  }
  return tuned.empty() ? std::vector{most} : tuned;
}

std::vector<std::int32_t> tuned_requests(const DlClusterConfig& c, std::size_t type) {
  const TrainingType& t = kTrainingTypes[type];
  const double noise = noise_at(t, 0);
  const double one = goodput(t, noise, 1, false);
  std::optional<GoodputTable> measured;
  if (c.table != "psworker") measured.emplace(c);
  const std::vector<std::int32_t> ladder = ladder_of(c);
  std::vector<double> speedups;
  for (std::size_t rung = 0; rung < ladder.size(); ++rung) {
    const std::int32_t gpus = ladder[rung];
    const bool across = gpus > c.gpus_of_a_node();
    speedups.push_back(measured      ? measured->at(type, 0, rung, across)
                       : c.power > 0 ? std::pow(gpus, c.power)
                                     : goodput(t, noise, gpus, across) / one);
  }
  return tuned_requests(ladder, speedups);
}

GoodputTable::GoodputTable(const DlClusterConfig& c) : ladder_(ladder_of(c)) {
  relative_.resize(kTrainingTypes.size() * kStages * ladder_.size() * 2);
  if (c.table != "psworker") {
    fill_from(c.table);
    return;
  }
  for (std::size_t type = 0; type < kTrainingTypes.size(); ++type)
    for (std::size_t rung = 0; rung < ladder_.size(); ++rung)
      for (const bool across : {false, true}) fill(type, rung, across, c.power);
}

void GoodputTable::fill(std::size_t type, std::size_t rung, bool across, double power) {
  const TrainingType& t = kTrainingTypes[type];
  const double gpus = ladder_[rung];
  const Batches some = batches_of(t, gpus, across), one = batches_of(t, 1, false);
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    const double noise = noise_at(t, stage);
    relative_[place(type, stage, rung, across)] =
        power > 0 ? std::pow(gpus, power)
                  : best_goodput(t, noise, some) / best_goodput(t, noise, one);
  }
}

void GoodputTable::fill_from(const std::string& table) {
  const auto speeds = SpeedTable::open(table);
  for (std::size_t type = 0; type < kTrainingTypes.size(); ++type) {
    const std::size_t at = type % speeds->types().size();
    for (std::size_t rung = 0; rung < ladder_.size(); ++rung) {
      const double relative = speeds->speed(at, 1, ladder_[rung]) / speeds->speed(at, 1, 1);
      if (!(relative > 0 && std::isfinite(relative)))
        throw Error(Errc::bad_file, "table: in '" + table + "' the speed of '" +
                                        speeds->types()[at].about.name + "' with 1 server and " +
                                        std::to_string(ladder_[rung]) +
                                        " workers is not above 0; set max_gpus lower");
      for (std::size_t stage = 0; stage < kStages; ++stage)
        for (const bool across : {false, true})
          relative_[place(type, stage, rung, across)] = relative;
    }
  }
}

std::size_t GoodputTable::stage(double progress) noexcept {
  return std::min(kStages - 1, static_cast<std::size_t>(std::max(0.0, progress) * kStages));
}

}  // namespace park::dl_cluster
