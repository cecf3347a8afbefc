#include <limits>

#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/play/result_files.h"
#include "park/core/text.h"

namespace park::cli {
namespace {

constexpr std::uint64_t kMaxEpisodes = 10'000'000;
constexpr std::uint64_t kMaxSeed = std::numeric_limits<std::uint64_t>::max();

class RunCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .name = "run",
        .summary = "play policies on the same episodes and compare them",
        .details =
            "Every policy plays the same evaluation episodes, so differences are paired: "
            "the table shows each one's mean and its difference to the first policy with "
            "95 % intervals (Student's t over episodes). Whoever chooses fields or settings by "
            "results chooses them with --phase validate, and reports what --phase evaluate gives.",
        .example = "park run 'load_balance(servers=5)' --policy random,least_work --episodes 50"};
  }

  void declare(Options& options) override {
    options.text("ENV", "", env_text_, "environment, such as dag_scheduling(executors=50)",
                 Options::Need::required);
    options.text(
        "--policy", "P[,P...]", policy_text_,
        "policies; commas inside brackets belong to one; a run's or checkpoint's folder is one",
        Options::Need::required);
    options.integer("--episodes", "N", plan_.episodes, {1, kMaxEpisodes},
                    "episodes of each policy");
    options.integer("--seed", "S", plan_.seed, {0, kMaxSeed},
                    "same seed, same episodes, for any policies and workers");
    options.choice("--phase", phase_text_, phase_names(),
                   "which inputs: those that park tune and training see, those to choose by, or "
                   "those held out; no two phases share any");
    options.integer("--workers", "W", workers_, {0, 256},
                    "threads that step environments; the results do not depend on it");
    files_.declare(options, "first episode");
  }

  void prepare(Session& session, Violations& wrong) override {
    plan_.workers = static_cast<std::uint32_t>(workers_);
    plan_.phase = phase_of(phase_text_);
    files_.check(wrong);
    const bool known = read_env(session.registry(), env_text_, env_, wrong);
    if (known && env_.spec.traits.system && files_.timeline())
      wrong.add("--timeline: a real system tells none here; park spark run does");
    plan_.env = env_.canonical;
    plan_.system = env_.spec.traits.system;
    if (policy_text_.empty()) return;  // reported as a missing option
    std::vector<std::string> texts;
    attempt("--policy", wrong, [&] { texts = split_policies(policy_text_); });
    if (known)
      policies_ = read_policies(session.registry(), "--policy", texts, env_.spec, wrong);
    else
      check_policies(session.registry(), "--policy", texts, wrong);
  }

  int run(Session& session) override {
    const InterruptScope scope;
    Played played = nothing_played(plan_, env_.spec);
    play_all(session, played.results, played.timelines.policies);
    return files_.finish(session, played);
  }

 private:
  void play_all(Session& session, Results& results, std::vector<PolicyTimeline>& timelines) {
    const std::uint64_t total = plan_.episodes * policies_.size();
    Progress progress(session.console(), "episodes", total, "decisions");
    for (const auto& [text, policy] : policies_) {
      if (interrupted() != 0) return;
      progress.set_label(text);
      session.console().debug("playing " + text);
      PolicyTimeline one{.policy = text, .timeline = {}, .metrics = {}, .means = {}};
      EventSink* sink = files_.timeline() ? &one.timeline : nullptr;
      PolicyResult result = play_policy(session.registry(), plan_, text, *policy, sink, progress);
      if (result.episodes.empty()) continue;  // interrupted
      results.policies.push_back(std::move(result));
      if (sink == nullptr || results.policies.back().episodes.front().id != 0) continue;
      add_figures(results, one);
      timelines.push_back(std::move(one));
    }
  }

  std::string env_text_, policy_text_, phase_text_ = phase_name(Phase::evaluate);
  std::uint64_t workers_ = 0;
  PlayPlan plan_{.env = "", .episodes = 100};
  EnvInput env_;
  std::vector<PolicyInput> policies_;
  ResultFiles files_;
};

}  // namespace

void add_run_command(Commands& all) { all.add(30, std::make_unique<RunCommand>()); }

}  // namespace park::cli
