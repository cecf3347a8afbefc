// Measures speeds for a table. Measurements of all points and repeats are done in one random order,
// so that a change of the machine's load does not look like an effect of workers. The command
// `park cluster profile` calls profile, then profile_table.
#include "systems/dl_cluster_live/profile.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "park/core/rng.h"
#include "park/envs/dl_cluster/speed_table.h"
#include "systems/dl_cluster_live/config.h"
#include "systems/dl_cluster_live/runs.h"
#include "systems/dl_cluster_live/scratch.h"
#include "systems/dl_cluster_live/speeds.h"

namespace park::dl_cluster_live {
namespace {

constexpr double kEpochShare = 0.5;               // of max_epochs
constexpr double kJobS = 40 * 1200.0;             // at the best speed
constexpr double kEpochs = kEpochShare * 80'000;  // of a job

struct Cell {
  ProfilePoint point;
  std::vector<double> samples_per_s;
};

std::vector<Cell> cells_of(const ProfilePlan& plan) {
  std::vector<Cell> all;
  for (std::int32_t kind = 0; kind < std::ssize(kJobKinds); ++kind)
    for (const std::int32_t servers : plan.servers)
      for (const std::int32_t workers : plan.workers)
        all.push_back(
            {.point = {.kind = kind, .workers = workers, .servers = servers}, .samples_per_s = {}});
  return all;
}

void summarise(Cell& cell) {
  std::ranges::sort(cell.samples_per_s);
  const std::vector<double>& all = cell.samples_per_s;
  cell.point.samples_per_s = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
  cell.point.spread = (all.back() - all.front()) / cell.point.samples_per_s;
}

/// With three significant digits.
double rounded(double x) {
  const double unit = std::pow(10, std::floor(std::log10(x)) - 2);
  return std::round(x / unit) * unit;
}

}  // namespace

std::vector<std::int32_t> profile_grid(bool ring, std::int32_t most) {
  if (ring) return ladder_of(most);
  std::vector<std::int32_t> all;
  for (std::int32_t n = 1; n <= most; n *= 2) all.push_back(n);
  return all;
}

std::size_t measurements_of(const ProfilePlan& plan) {
  return kJobKinds.size() *
         (plan.servers.size() * plan.workers.size() * static_cast<std::size_t>(plan.repeats) + 1);
}

Profile profile(const ProfilePlan& plan, const std::stop_token& stop,
                const std::function<void()>& done) {
  const Scratch scratch("park-profile");
  const std::int32_t tasks = plan.workers.back() + (plan.ring ? 0 : plan.servers.back());
  Runs runs({.report_s = 0.01, .checkpoint_s = 1e9}, tasks, scratch.path(), stop);
  if (runs.stopping()) throw Stopped{};
  Profile result;
  for (std::int32_t kind = 0; kind < std::ssize(kJobKinds); ++kind) {
    result.cpu_share =
        std::min(result.cpu_share, measure_speed(runs, kind, 1, 0, plan.seconds).cpu_share);
    done();
  }
  std::vector<Cell> cells = cells_of(plan);
  std::vector<std::size_t> order;
  for (std::int32_t repeat = 0; repeat < plan.repeats; ++repeat)
    for (std::size_t i = 0; i < cells.size(); ++i) order.push_back(i);
  Rng(1).shuffle(std::span(order));
  for (const std::size_t i : order) {
    const ProfilePoint& p = cells[i].point;
    const std::int32_t servers = plan.ring ? 0 : p.servers;
    cells[i].samples_per_s.push_back(
        measure_speed(runs, p.kind, p.workers, servers, plan.seconds).samples_per_s);
    done();
  }
  for (Cell& cell : cells) {
    summarise(cell);
    result.points.push_back(cell.point);
  }
  return result;
}

std::string profile_table(const Profile& all, const std::vector<std::string>& comment) {
  std::vector<dl_cluster::SpeedTable::Type> types;
  for (std::int32_t kind = 0; kind < std::ssize(kJobKinds); ++kind) {
    dl_cluster::SpeedTable::Type type;
    double best = 0;
    for (const ProfilePoint& p : all.points) {
      if (p.kind != kind) continue;
      const double speed = rounded(p.samples_per_s);
      best = std::max(best, speed);
      type.points.push_back(
          {static_cast<double>(p.servers), static_cast<double>(p.workers), speed});
    }
    type.about = {.name = std::string(kJobKinds[static_cast<std::size_t>(kind)].name),
                  .worker = {1, 0},
                  .server = {1, 0},
                  .epoch_samples = rounded(best * kJobS / kEpochs),
                  .epochs = kEpochShare};
    types.push_back(std::move(type));
  }
  std::string text;
  for (const std::string& line : comment) text += "# " + line + '\n';
  return text + dl_cluster::SpeedTable(std::move(types)).text();
}

}  // namespace park::dl_cluster_live
