// `park spark run`: plays policies on a cluster of this machine. For every policy it starts a
// WorkloadRun behind a Live stream, which runs one application per episode, and lets the policy
// answer the drivers. Where asked for, a timeline is read from the first event log. Policies play
// the same episodes one after the other; the results are printed like those of simulated play.
#include <atomic>
#include <cstdlib>
#include <filesystem>

#include "cli/frame/command.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/play/result_files.h"
#include "cli/spark/spark_commands.h"
#include "park/command/output.h"
#include "park/core/live.h"
#include "park/core/text.h"
#include "systems/spark/application_timeline.h"
#include "systems/spark/query_arrivals.h"
#include "systems/spark/workload_run.h"

namespace park::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kMostEpisodes = 1000;

class SparkRunCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "run",
            .summary = "run queries on a real Spark cluster under policies",
            .details =
                "Starts a Master and Workers of a stock Spark on this machine and, for each "
                "episode of each policy, an application that runs TPC-H queries as they "
                "arrive, with the policy's decisions. scripts/spark.sh sets up what it "
                "needs. The arrivals are a CSV with the header time_s,job, where a job is "
                "q1 to q22, or 2g:1 to 2g:22 of the tables in the sub-folder sf2; those with "
                "the time -1 come first, one after the other, to warm up, by Spark's own "
                "order, and count for nothing.",
            .example =
                "park spark run --policy fair,fifo --workload arrivals.csv --spark "
                "build/spark/spark-4 --plugin build/spark/park-spark-4.jar --data "
                "build/spark/tpch/sf0.01 --queries build/spark/tpch/queries"};
  }

  bool takes_plugins() const override { return false; }  // its --plugin is one of Spark

  void declare(Options& options) override {
    const auto path = [&options](const char* name, const char* placeholder, std::string& target,
                                 const char* doc) {
      options.text(name, placeholder, target, doc, Options::Need::required);
    };
    path("--policy", "P[,P...]", policy_text_, "policies");
    path("--workload", "FILE", workload_, "when which query arrives");
    path("--spark", "FOLDER", spark_, "a stock Spark, a folder with jars/");
    path("--plugin", "JAR", plugin_, "the plugin for this line of Spark");
    path(
        "--data", "FOLDER", data_,
        "tables of TPC-H: a folder of Parquet files for each; or sf2 and the like, of such tables");
    path("--queries", "FOLDER", queries_, "q1.sql to q22.sql");
    options.text("--durations", "FILE", durations_, kDurationsDoc);
    options.integer("--episodes", "N", plan_.episodes, {1, kMostEpisodes},
                    "applications of each policy");
    options.integer("--workers", "N", workers_, {1, 64}, "Workers of the cluster");
    options.integer("--cores", "N", cores_, {1, 64}, "one-core executors of each Worker");
    options.text("--properties", "FILE", properties_,
                 "more settings of Spark, as in spark-defaults.conf");
    options.text("--event-logs", "FOLDER", logs_,
                 "a new folder for Spark's event logs, in sub-folders POLICY/APPLICATION, which "
                 "are numbers from 1");
    files_.declare(options, "first application");
  }

  void prepare(Session& session, Violations& wrong) override {
    files_.check(wrong);
    if (!logs_.empty() && fs::exists(logs_)) wrong.add("--event-logs: " + logs_ + " exists");
    const auto need = [&wrong](const char* option, const fs::path& path, const char* what) {
      if (!path.empty() && !fs::exists(path))
        wrong.add(std::string(option) + ": " + path.string() + " is not there; " + what);
    };
    need("--workload", workload_, "it is a CSV with the header time_s,job");
    need("--spark", spark_.empty() ? "" : spark_ + "/jars", "scripts/spark.sh fetches one");
    need("--plugin", plugin_, "scripts/spark.sh builds it");
    need("--data", data_, "scripts/spark.sh tpch generates some");
    need("--queries", queries_.empty() ? "" : queries_ + "/q1.sql",
         "scripts/spark.sh tpch fetches them");
    check_durations(durations_, wrong);
    need("--properties", properties_, "it has lines of a name and a value");
    if (wrong.empty()) spark::check_query_arrivals(workload_, data_, wrong);
    if (!read_env(session.registry(), "spark", env_, wrong) || policy_text_.empty()) return;
    plan_.env = env_.canonical;
    plan_.system = true;
    std::vector<std::string> texts;
    attempt("--policy", wrong, [&] { texts = split_policies(policy_text_); });
    policies_ = read_policies(session.registry(), "--policy", texts, env_.spec, wrong);
  }

  int run(Session& session) override {
    const InterruptScope scope;
    Played played = nothing_played(plan_, env_.spec);
    play_all(session, played.results, played.timelines.policies);
    return files_.finish(session, played);
  }

 private:
  /// A folder that goes with it.
  class Scratch {
   public:
    Scratch() {
      std::string name = (fs::temp_directory_path() / "park-spark-XXXXXX").string();
      if (mkdtemp(name.data()) == nullptr) throw Failure("no folder in " + name);
      path_ = name;
    }
    ~Scratch() {
      std::error_code ignored;
      fs::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    [[nodiscard]] const fs::path& path() const noexcept { return path_; }

   private:
    fs::path path_;
  };

  void play_all(Session& session, Results& results, std::vector<PolicyTimeline>& timelines) {
    Progress progress(session.console(), "applications", plan_.episodes * policies_.size(),
                      "decisions");
    for (std::size_t i = 0; i < policies_.size() && interrupted() == 0; ++i) {
      const auto& [text, policy] = policies_[i];
      progress.set_label(text);
      const Scratch scratch;
      const fs::path logs = !logs_.empty()      ? fs::absolute(logs_) / std::to_string(i + 1)
                            : files_.timeline() ? scratch.path() / "logs"
                                                : "";
      std::atomic<std::uint64_t> fallbacks = 0;
      PolicyResult one = play(text, *policy, scratch.path(), logs, progress, fallbacks);
      if (fallbacks > 0)
        session.console().warn(text + ": " + std::to_string(fallbacks) +
                               " offers went by Spark's own order, where no decision came in time");
      if (one.episodes.empty()) continue;  // interrupted
      results.policies.push_back(std::move(one));
      if (!files_.timeline()) continue;
      PolicyTimeline shown{.policy = text, .timeline = {}, .metrics = {}, .means = {}};
      spark::application_timeline(only_file(logs / "1"), shown.timeline);
      add_figures(results, shown);
      timelines.push_back(std::move(shown));
    }
  }

  /// The event log that an application wrote.
  static std::string only_file(const fs::path& folder) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.'))
        return entry.path().string();
    throw Failure("Spark left no event log in " + folder.string());
  }

  PolicyResult play(const std::string& text, Policy& policy, const fs::path& scratch,
                    const fs::path& logs, Progress& progress,
                    std::atomic<std::uint64_t>& fallbacks) const {
    PolicyResult result{.policy = text, .episodes = {}};
    const double begin_s = monotonic_s();
    const Rng phase = phase_rng(plan_.seed, plan_.phase);
    const RandomEpisodes episodes(phase, {.count = plan_.episodes});
    std::vector<std::unique_ptr<SystemEnv>> systems;
    systems.push_back(std::make_unique<spark::WorkloadRun>(spark::WorkloadRunOptions{
        .cluster = {.spark = fs::absolute(spark_),
                    .folder = scratch,
                    .workers = static_cast<std::uint32_t>(workers_),
                    .cores = static_cast<std::uint32_t>(cores_),
                    .properties = properties_.empty() ? "" : fs::absolute(properties_)},
        .plugin = fs::absolute(plugin_),
        .data = fs::absolute(data_),
        .queries = fs::absolute(queries_),
        .arrivals = fs::absolute(workload_),
        .durations = durations_,
        .logs = logs,
        .fallbacks = &fallbacks}));
    {
      Live live(env_.spec, std::move(systems), episodes, {});
      play_stream(live, policy, phase.split("actions"), result.episodes, progress);
    }
    result.wall_s = monotonic_s() - begin_s;
    return result;
  }

  std::string policy_text_, workload_, spark_, plugin_, data_, queries_, properties_, logs_,
      durations_;
  std::uint64_t workers_ = 2, cores_ = 1;
  ResultFiles files_;
  PlayPlan plan_{.env = "", .episodes = 1};
  EnvInput env_;
  std::vector<PolicyInput> policies_;
};

}  // namespace

std::unique_ptr<Command> make_spark_run_command() { return std::make_unique<SparkRunCommand>(); }

}  // namespace park::cli
