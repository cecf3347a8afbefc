// `park infer profile`: measures the models of ENV, prints times and fits, and writes the table.
#include <cstdio>
#include <utility>

#include "cli/frame/console.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/progress.h"
#include "cli/infer/infer_commands.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"
#include "park/files/new_file.h"
#include "systems/dl_inference_live/profile.h"

namespace park::cli {
namespace {

using command::Table;
using inference::LatencyFit;
using inference::LatencyProfile;
using inference::ProfileClock;

constexpr double kClocksDiffer = 0.2;

std::string fixed_text(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string ms_text(double time_s) { return fixed_text(time_s * 1e3, 3); }

class InferProfileCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "profile",
            .summary = "measure the latency L(k) of batches of k requests",
            .details =
                "A warm-up, then repeats of all batch sizes of all models in random order, on one "
                "thread; wall time and processor time of that thread, median and 90th percentile. "
                "The fit is a + b k by least squares over the medians. The table is what the "
                "simulated twin reads.",
            .example = "park infer profile dl_inference_live --table latencies.csv"};
  }

  void declare(Options& options) override {
    options.text("ENV", "", env_text_, kLiveDoc, Options::Need::required);
    options.text("--table", "FILE", table_, "write the medians, as the simulator reads them");
    options.choice("--clock", clock_text_, {"wall", "cpu"},
                   "the times of fit and table; cpu where other programs use the machine");
    options.integer("--repeats", "N", repeats_, {1, 100'000}, "runs of each size");
    options.flag("--quick", quick_, "powers of two and 11 repeats, as a server does at its start");
    options.integer("--seed", "S", seed_, {0, 1'000'000'000}, "of the order and the samples");
  }

  void prepare(Session& session, Violations& wrong) override {
    static_cast<void>(read_live(session.registry(), env_text_, config_, canonical_, wrong));
    if (quick_) repeats_ = kQuickRepeats;
  }

  int run(Session& session) override {
    const InterruptScope scope;
    std::vector<std::unique_ptr<inference::Model>> models;
    for (const inference::ModelConfig& one : config_.models)
      models.push_back(inference::make_model(one));
    session.console().info("measuring " + std::to_string(models.size()) +
                           (models.size() == 1 ? " model" : " models"));
    const std::vector<LatencyProfile> profiles = inference::measure(
        inference::to_measure(config_, models),
        {.repeats = repeats_, .seed = seed_, .powers = quick_}, [] { return interrupted() == 0; });
    if (interrupted() != 0) throw Interrupted{};
    for (const LatencyProfile& profile : profiles) warn(session.console(), profile);
    session.print(session.json() ? json_of(profiles) : text_of(profiles, session.width()));
    if (!table_.empty()) {
      files::write_file(table_, inference::table_text(profiles, clock()), {.synced = true});
      session.console().info("wrote " + table_);
    }
    return kDone;
  }

 private:
  static constexpr std::uint64_t kQuickRepeats = 11;

  [[nodiscard]] ProfileClock clock() const {
    return clock_text_ == "cpu" ? ProfileClock::cpu : ProfileClock::wall;
  }

  static void warn(Console& console, const LatencyProfile& profile) {
    if (profile.clock_gap() > kClocksDiffer)
      console.warn(profile.name + ": wall and processor time differ by up to " +
                   fixed_text(100 * profile.clock_gap(), 0) +
                   " %; other programs use the machine, or the model waits");
  }

  [[nodiscard]] std::string text_of(const std::vector<LatencyProfile>& profiles,
                                    std::size_t width) const {
    using enum Table::Align;
    Table times({{"model"},
                 {"batch", right},
                 {"wall p50 ms", right},
                 {"p90", right},
                 {"cpu p50 ms", right},
                 {"p90", right}});
    Table fits({{"model"}, {"a ms", right}, {"b ms", right}, {"worst error %", right}});
    for (const LatencyProfile& p : profiles) {
      for (const inference::BatchTimes& t : p.times)
        times.add({p.name, std::to_string(t.batch), ms_text(t.wall.p50_s), ms_text(t.wall.p90_s),
                   ms_text(t.cpu.p50_s), ms_text(t.cpu.p90_s)});
      const LatencyFit fit = p.fit(clock());
      fits.add({p.name, ms_text(fit.a_s), ms_text(fit.b_s), fixed_text(100 * fit.worst_error, 1)});
    }
    return times.text(0, width) + "\na + b k over the medians of " + clock_text_ + " time:\n" +
           fits.text(0, width);
  }

  [[nodiscard]] std::string json_of(const std::vector<LatencyProfile>& profiles) const {
    JsonWriter json;
    json.begin_object().member("clock", std::string_view(clock_text_));
    json.member("repeats", repeats_).key("models").begin_array();
    for (const LatencyProfile& p : profiles) {
      const LatencyFit fit = p.fit(clock());
      json.begin_object().member("name", std::string_view(p.name)).member("a_s", fit.a_s);
      json.member("b_s", fit.b_s).member("worst_error", fit.worst_error);
      json.member("clock_gap", p.clock_gap()).key("times").begin_array();
      for (const inference::BatchTimes& t : p.times) {
        json.begin_object(JsonWriter::Layout::line).member("batch", t.batch);
        json.member("wall_p50_s", t.wall.p50_s).member("wall_p90_s", t.wall.p90_s);
        json.member("cpu_p50_s", t.cpu.p50_s).member("cpu_p90_s", t.cpu.p90_s).end_object();
      }
      json.end_array().end_object();
    }
    return json.end_array().end_object().take();
  }

  std::string env_text_, table_, clock_text_ = "wall", canonical_;
  std::uint64_t repeats_ = 30, seed_ = 1;
  bool quick_ = false;
  inference::LiveConfig config_;
};

}  // namespace

std::unique_ptr<Command> make_infer_profile_command() {
  return std::make_unique<InferProfileCommand>();
}

}  // namespace park::cli
