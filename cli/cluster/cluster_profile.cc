// `park cluster profile`: runs real training jobs, one after the other, and writes how fast they
// were. A thread watches for Ctrl-C, which ends the measurements and all their processes.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/cluster/cluster_commands.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/progress.h"
#include "park/command/output.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"
#include "park/core/text.h"
#include "park/runs/host.h"
#include "systems/dl_cluster_live/messages.h"
#include "systems/dl_cluster_live/profile.h"
#include "systems/dl_cluster_live/speeds.h"

namespace park::cli {
namespace {

using dl_cluster_live::kJobKinds;
using dl_cluster_live::ProfilePoint;

constexpr std::uint64_t kMostTasks = dl_cluster_live::kMostTasks;
constexpr double kIdle = 0.9;  // CPU time over real time of a worker on an idle machine, at least

class ClusterProfileCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "profile",
            .summary = "measure how fast real training jobs are, by workers and servers",
            .details =
                "Trains jobs of each kind (conv, mlp, wide) as processes of this machine and "
                "writes a table of speeds, which the simulated cluster reads. With --exchange "
                "servers, parameter servers add up the gradients of the workers. With ring the "
                "workers do so themselves, and the table's servers are 1: that is the table of "
                "the running cluster. A process beyond the processors of the machine shares one. "
                "Measure on an idle machine: a warning tells where others used it.",
            .example = "park cluster profile --out cpu.csv --workers 4 --servers 4"};
  }

  bool takes_plugins() const override { return false; }
  void declare(Options& options) override {
    options.text("--out", "FILE", out_, "the file to write; exactly this path",
                 Options::Need::required);
    options.flag("--overwrite", overwrite_, "replace a file that exists");
    options.choice("--exchange", exchange_, {"servers", "ring"},
                   "who adds up the gradients of the workers");
    options.integer("--workers", "N", workers_, {2, kMostTasks},
                    "the most workers; without it the processors of this machine, at least 2, or "
                    "4 with ring");
    options.integer("--servers", "N", servers_, {2, kMostTasks},
                    "the most servers; without it as many as workers");
    options.integer("--repeats", "N", repeats_, {1, 100}, "measurements of each point");
    options.integer("--time-ms", "N", time_ms_, {10, 600'000},
                    "time of a measurement after its warm-up");
  }

  void prepare(Session&, Violations& wrong) override {
    command::check_output("--out", out_, overwrite_, wrong);
    const bool ring = exchange_ == "ring";
    if (ring && servers_) wrong.add("--servers: a ring has none");
    const std::uint64_t least = ring ? 4 : 2;
    const std::uint64_t workers = workers_.value_or(
        std::clamp<std::uint64_t>(std::thread::hardware_concurrency(), least, kMostTasks / 2));
    const std::uint64_t servers = ring ? 0 : servers_.value_or(workers);
    if (workers < least)
      wrong.add("--workers: with ring it must be 4 or more, a table needs 4 speeds");
    if (workers + servers > kMostTasks)
      wrong.add("--workers: workers and servers must not be more than " +
                std::to_string(kMostTasks) + " together");
    plan_ = {.ring = ring,
             .workers = dl_cluster_live::profile_grid(ring, static_cast<std::int32_t>(workers)),
             .servers = {1},
             .repeats = static_cast<std::int32_t>(repeats_),
             .seconds = 1e-3 * static_cast<double>(time_ms_)};
    if (!ring)
      plan_.servers = dl_cluster_live::profile_grid(false, static_cast<std::int32_t>(servers));
  }

  int run(Session& session) override {
    const dl_cluster_live::Profile all = measure(session);
    if (all.cpu_share < kIdle)
      session.console().warn("a worker alone had a processor for " + percent_text(all.cpu_share) +
                             " of the time only: others used this machine");
    runs::TrainingHost host;
    runs::describe_machine(host);
    command::write_file(out_, dl_cluster_live::profile_table(all, comment(host)));
    session.print(session.json() ? as_json(all) : as_text(all, session.width()));
    return kDone;
  }

 private:
  dl_cluster_live::Profile measure(Session& session) {
    const InterruptScope scope;
    std::stop_source stop;
    const std::jthread watch([&stop](const std::stop_token& over) {
      while (!over.stop_requested()) {
        if (interrupted() != 0) stop.request_stop();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    Progress progress(session.console(), "measurements", dl_cluster_live::measurements_of(plan_),
                      "measurements");
    try {
      return dl_cluster_live::profile(plan_, stop.get_token(), [&] { progress.advance(1, 1); });
    } catch (const dl_cluster_live::Stopped&) {
      throw Interrupted{};
    }
  }

  [[nodiscard]] std::vector<std::string> comment(const runs::TrainingHost& host) const {
    return {"Samples per second, the median of " + std::to_string(plan_.repeats) +
                " measurements, by `park cluster profile --exchange " + exchange_ + "`.",
            "Workers and servers are processes of one thread on " + std::to_string(host.cores) +
                " processors: " + host.processor + "."};
  }

  static std::string kind_name(const ProfilePoint& p) {
    return std::string(kJobKinds[static_cast<std::size_t>(p.kind)].name);
  }

  [[nodiscard]] std::string as_text(const dl_cluster_live::Profile& all, std::size_t width) const {
    using Align = command::Table::Align;
    command::Table table({{"kind"},
                          {"servers", Align::right},
                          {"workers", Align::right},
                          {"samples/s", Align::right},
                          {"spread", Align::right}});
    for (const ProfilePoint& p : all.points)
      table.add({kind_name(p), plan_.ring ? "-" : std::to_string(p.servers),
                 std::to_string(p.workers), number_text(std::round(p.samples_per_s)),
                 percent_text(p.spread)});
    return "wrote " + out_ + '\n' + table.text(0, width);
  }

  [[nodiscard]] std::string as_json(const dl_cluster_live::Profile& all) const {
    JsonWriter json;
    json.begin_object().member("out", out_).member("cpu_share", all.cpu_share);
    json.key("points").begin_array();
    for (const ProfilePoint& p : all.points)
      json.begin_object(JsonWriter::Layout::line)
          .member("kind", kind_name(p))
          .member("servers", plan_.ring ? 0 : p.servers)
          .member("workers", p.workers)
          .member("samples_per_s", p.samples_per_s)
          .member("spread", p.spread)
          .end_object();
    json.end_array().end_object();
    return json.take();
  }

  static std::string percent_text(double share) {
    return std::to_string(std::lround(100 * share)) + " %";
  }

  std::string out_, exchange_ = "servers";
  bool overwrite_ = false;
  std::optional<std::uint64_t> workers_, servers_;
  std::uint64_t repeats_ = 3, time_ms_ = 500;
  dl_cluster_live::ProfilePlan plan_;
};

}  // namespace

std::unique_ptr<Command> make_cluster_profile_command() {
  return std::make_unique<ClusterProfileCommand>();
}

}  // namespace park::cli
