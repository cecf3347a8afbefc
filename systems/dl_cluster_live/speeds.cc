#include "systems/dl_cluster_live/speeds.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "park/core/error.h"
#include "park/envs/dl_cluster/speed_table.h"

namespace park::dl_cluster_live {
namespace {

constexpr std::chrono::milliseconds kWait{100};
constexpr double kWarmUp = 0.3;  // of the time of a measurement, before it
constexpr std::int64_t kWarmUpSteps = 3;

std::string name_of(std::int32_t kind) {
  return std::string(kJobKinds[static_cast<std::size_t>(kind)].name);
}

/// What a run reports, from the first report after the warm-up to the last.
class SpeedMeter {
 public:
  SpeedMeter(std::int32_t batch, double seconds) : batch_(batch), seconds_(seconds) {}

  /// Whether that is enough.
  bool take(const RunEvent& event) {
    if (event.what == RunEvent::What::started) start_ = event, started_ = true;
    if (event.what != RunEvent::What::progress || !started_) return false;
    if (!warm_ && event.step >= start_.step + kWarmUpSteps &&
        event.time_s >= start_.time_s + kWarmUp * seconds_)
      first_ = event, warm_ = true;
    last_ = event;
    return warm_ && last_.step > first_.step && last_.time_s >= first_.time_s + seconds_;
  }
  [[nodiscard]] Measured result() const {
    const double time_s = last_.time_s - first_.time_s;
    return {.samples_per_s = static_cast<double>(last_.step - first_.step) * batch_ / time_s,
            .cpu_share = (last_.cpu_s - first_.cpu_s) / time_s};
  }

 private:
  double batch_, seconds_;
  bool started_ = false, warm_ = false;
  RunEvent start_{}, first_{}, last_{};
};

}  // namespace

Measured measure_speed(Runs& runs, std::int32_t kind, std::int32_t workers, std::int32_t servers,
                       double seconds) {
  const std::filesystem::path folder = runs.folder() / ("measure." + name_of(kind));
  runs.start({.kind = kind,
              .workers = workers,
              .servers = servers,
              .steps = std::numeric_limits<std::int64_t>::max(),
              .folder = folder});
  SpeedMeter meter(kJobKinds[static_cast<std::size_t>(kind)].batch, seconds);
  std::optional<RunEvent> event;
  do {
    event = runs.next(kWait);
    if (event && event->what == RunEvent::What::failed)
      throw Error(Errc::unavailable, "measuring '" + name_of(kind) + "' on " +
                                         std::to_string(workers) +
                                         " workers failed: a process has ended or stands still");
    // A run that does not report runs into its limits, so this ends.
    if (!event && runs.stopping()) throw Stopped{};
  } while (!event || !meter.take(*event));
  runs.end_all();
  std::filesystem::remove_all(folder);  // the next one begins anew
  return meter.result();
}

JobSpeeds JobSpeeds::of_table(const std::string& path, const std::vector<std::int32_t>& ladder) {
  const auto table = dl_cluster::SpeedTable::open(path);
  JobSpeeds all;
  for (std::size_t kind = 0; kind < kJobKinds.size(); ++kind) {
    const std::string name(kJobKinds[kind].name);
    const auto type =
        std::ranges::find_if(table->types(), [&](const auto& t) { return t.about.name == name; });
    if (type == table->types().end())
      throw Error(Errc::bad_file, "table: '" + path + "' has no type '" + name + "'");
    const auto number = static_cast<std::size_t>(type - table->types().begin());
    for (const std::int32_t workers : ladder) {
      all.all_[kind].push_back(table->speed(number, 1, workers));
      if (!(all.all_[kind].back() > 0))
        throw Error(Errc::bad_file, "table: in '" + path + "' the speed of '" + name + "' with " +
                                        std::to_string(workers) + " workers is not above 0");
    }
  }
  return all;
}

JobSpeeds JobSpeeds::measured(Runs& runs, const std::vector<std::int32_t>& ladder, double seconds) {
  JobSpeeds all;
  for (std::size_t kind = 0; kind < kJobKinds.size(); ++kind)
    for (const std::int32_t workers : ladder)
      all.all_[kind].push_back(
          measure_speed(runs, static_cast<std::int32_t>(kind), workers, 0, seconds).samples_per_s);
  return all;
}

}  // namespace park::dl_cluster_live
