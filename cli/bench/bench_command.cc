// `park bench`: plays a suite. prepare reads the suite, adds policies, and takes over what a folder
// has already; run plays the open blocks, then writes results, tables and the report. The folder is
// locked from before its results are read until the end. Ctrl-C leaves complete blocks behind for
// --resume. The commands below it verify, compare and rank results.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>

#include "cli/bench/bench_commands.h"
#include "cli/bench/bench_csv.h"
#include "cli/bench/bench_report.h"
#include "cli/bench/bench_run.h"
#include "cli/bench/bench_text.h"
#include "cli/frame/commands.h"
#include "cli/frame/group.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "park/bench/agents.h"
#include "park/bench/results_json.h"
#include "park/command/numbers.h"
#include "park/command/output.h"
#include "park/command/strings.h"
#include "park/core/text.h"
#include "park/files/durable.h"

namespace park::cli {
namespace {

namespace fs = std::filesystem;

class BenchCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "bench",
            .summary = "play a benchmark suite; verify and compare its results",
            .details =
                "A suite is a file that says which policies play which episodes of which "
                "environments. The same suite gives the same figures for any number of threads. "
                "A suite with agents trains them first, with one budget in every environment. "
                "The folder of --out gets results.json and report.html. After Ctrl-C or a "
                "crash the same call goes on where the last one ended.",
            .example = "park bench quick-v2 --out bench-quick"};
  }

  std::string more_help(std::size_t) const override {
    return "\nsuites that come with park:\n  " + joined(bench::bundled_suites(), "\n  ") + '\n';
  }

  void declare(Options& options) override {
    options.text("SUITE", "", suite_text_, "a name, such as quick-v2, or the file of a suite",
                 Options::Need::required);
    options.text("--policy", "P[,P...]", policy_text_,
                 "more policies, such as a run's folder or remote(...), wherever they fit");
    options.text("--out", "DIR", folder_.path,
                 "write results.json, results.csv, summary.csv and report.html there");
    options.integer("--workers", "W", workers_, {1, 256},
                    "threads that play; the results do not depend on it");
    options.flag("--resume", resume_, "go on with results that are there, also with finished ones");
    options.flag("--overwrite", overwrite_, "replace results that are there");
  }

  [[nodiscard]] std::vector<std::unique_ptr<Command>> commands() override {
    return made(
        {make_bench_verify_command, make_bench_compare_command, make_bench_leaderboard_command});
  }
  [[nodiscard]] bool acts_alone() const override { return true; }

  void prepare(Session& session, Violations& wrong) override {
    if (resume_ && overwrite_) wrong.add("--resume: does not go with --overwrite");
    if (resume_ && folder_.path.empty()) wrong.add("--resume: needs --out");
    if (suite_text_.empty()) return;  // reported as a missing argument
    attempt("SUITE", wrong, [&] {
      bench::Suite suite = bench::read_suite(suite_text_);
      if (bench::is_replaced_suite(suite_text_))
        session.console().warn(suite_text_ + " has been replaced by " + suite.name +
                               ", which is played (docs/benchmarks.md)");
      if (!policy_text_.empty()) add_policies(session.registry(), suite, wrong);
      if (wrong.empty()) results_ = bench::resolve(session.registry(), std::move(suite));
    });
    if (wrong.empty()) check_suite_agents(session.registry(), wrong);
    if (wrong.empty()) add_host(session, results_);
    if (wrong.empty() && !folder_.path.empty()) prepare_folder(wrong);
  }

  int run(Session& session) override {
    const InterruptScope scope;
    if (!folder_.path.empty() && !lock_) make_folder();
    results_.folder = folder_.path;
    if (overwrite_ && !results_.suite.agents.empty()) fs::remove_all(folder_.file("agents"));
    if (!train_agents(session, results_, static_cast<std::uint32_t>(workers_)))
      return stopped(session);
    if (earlier_) take_over(*earlier_, results_);
    play_suite(session, results_, static_cast<std::uint32_t>(workers_), folder_);
    if (!folder_.path.empty()) write_files(session);
    for (const bench::EpisodeFailure& failure : results_.failures)
      session.console().warn(bench::entry_name(results_, results_.entries[failure.entry]) + ": " +
                             failure.error);
    session.print(session.json() ? bench::results_json(results_)
                                 : bench_text(results_, session.width()));
    if (results_.interrupted) return kSignalled + interrupted();
    return results_.failures.empty() ? kDone : kFailed;
  }

 private:
  /// Agents need a folder, and each of them an environment that it fits.
  void check_suite_agents(const Registry& registry, Violations& wrong) const {
    if (results_.suite.agents.empty()) return;
    if (folder_.path.empty()) wrong.add("--out: the suite trains agents, which need a folder");
    attempt("SUITE", wrong, [&] { bench::check_agents(registry, results_, wrong); });
  }

  /// The end of a call that was interrupted while agents were trained.
  static int stopped(Session& session) {
    session.console().info("stopped while agents were trained; the same call goes on");
    return kSignalled + interrupted();
  }

  /// Each policy joins those that are judged, wherever it fits.
  void add_policies(const Registry& registry, bench::Suite& suite, Violations& wrong) {
    std::vector<std::string> texts;
    if (!attempt("--policy", wrong, [&] { texts = split_policies(policy_text_); })) return;
    check_policies(registry, "--policy", texts, wrong);
    if (!wrong.empty()) return;
    for (const std::string& text : texts) {
      std::string why;
      bool fits = false;
      for (bench::SuiteEnv& env : suite.environments) try {
          static_cast<void>(registry.policy(text, registry.spec(env.text())));
          fits = true;
          const std::vector<std::string> all = env.all_policies();
          if (std::find(all.begin(), all.end(), text) == all.end()) env.policies.push_back(text);
          if (!env.timeline.empty()) env.timeline.push_back(text);
        } catch (const Error& error) {
          why = error.what();
        }
      if (!fits)
        wrong.add(std::string("--policy ")
                      .append(text)
                      .append(": fits no environment of the suite: ")
                      .append(why));
    }
  }

  void prepare_folder(Violations& wrong) {
    const std::string results = folder_.results();
    if (fs::exists(folder_.path) && !fs::is_directory(folder_.path))
      return wrong.add("--out: " + folder_.path + " exists and is no folder");
    if (fs::exists(folder_.path)) lock_folder();
    if (overwrite_ || !fs::exists(results)) return;
    attempt("--out", wrong, [&] {
      bench::BenchResults earlier = bench::read_results(results);
      const bool open = earlier.interrupted || !earlier.failures.empty();
      if (open || resume_) return suite_goes_on(std::move(earlier));
      wrong.add("--out: " + results + " exists and is finished; give --overwrite to replace it");
    });
  }

  /// Throws Error{unavailable} where another process has it.
  void lock_folder() { lock_.emplace(folder_.path, "writes into"); }

  /// A folder that was not there when the command began. Another process may have been faster.
  void make_folder() {
    fs::create_directories(folder_.path);
    lock_folder();
    if (!overwrite_ && fs::exists(folder_.results()))
      throw Error(Errc::unavailable, folder_.path + ": another process has just written into it");
  }

  /// The report comes last; an end that is asked for meanwhile leaves it to the next call.
  void write_files(Session& session) {
    const bool played = !results_.interrupted;
    const std::vector<ReportTimeline> timelines =
        played ? report_timelines(session, results_) : std::vector<ReportTimeline>{};
    results_.interrupted = interrupted() != 0;
    const std::string json = bench::results_json(results_);
    write_file(folder_.results(), json);
    write_file(folder_.file("results.csv"), bench_csv(results_));
    write_file(folder_.file("summary.csv"), bench_summary_csv(results_));
    if (!results_.interrupted)
      write_file(folder_.file("report.html"), bench_report(results_, json, timelines));
  }

  void suite_goes_on(bench::BenchResults earlier) {
    check_same(earlier, results_);
    results_.started = earlier.started;
    earlier_ = std::move(earlier);
  }

  std::string suite_text_, policy_text_;
  BenchFolder folder_;
  std::optional<files::FolderLock> lock_;
  std::uint64_t workers_ = std::max(1u, std::thread::hardware_concurrency());
  bool resume_ = false, overwrite_ = false;
  bench::BenchResults results_;
  std::optional<bench::BenchResults> earlier_;  // what this call goes on with
};

}  // namespace

void add_bench_command(Commands& all) { all.add(60, std::make_unique<BenchCommand>()); }

}  // namespace park::cli
