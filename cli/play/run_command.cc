#include <algorithm>
#include <limits>
#include <optional>

#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/play/result_files.h"
#include "park/core/text.h"
#include "park/trees/explain_decision.h"

namespace park::cli {
namespace {

constexpr std::uint64_t kMaxEpisodes = 10'000'000;
constexpr std::uint64_t kMaxSeed = std::numeric_limits<std::uint64_t>::max();
// A page of some megabytes.
constexpr std::uint64_t kMaxExplained = 200;
// Episodes that a surrogate is fitted on, as of `park explain`.
constexpr std::uint64_t kMostLearnt = 30;

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
    options.integer("--explain", "N", explain_, {1, kMaxExplained},
                    "with --timeline FILE.html or FILE.json: explain N decisions of the shown "
                    "episode of each policy, as park explain does; a click shows the nearest one. "
                    "Without it none");
  }

  void prepare(Session& session, Violations& wrong) override {
    plan_.workers = static_cast<std::uint32_t>(workers_);
    plan_.phase = phase_of(phase_text_);
    files_.check(wrong);
    if (explain_ && !files_.explains())
      wrong.add("--explain: needs --timeline FILE.html or FILE.json");
    else if (explain_ && plan_.episodes < 2)
      wrong.add("--explain: needs at least 2 --episodes, a tree is fitted on the others");
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
    if (explain_)
      for (PolicyTimeline& one : played.timelines.policies) explain(session, one);
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

  /// Decisions of the episode that is shown; the surrogate is fitted on some of the others.
  void explain(Session& session, PolicyTimeline& one) const {
    Progress progress(session.console(), one.policy, 0, "decisions");
    const auto watch = [&](const char* what, std::uint64_t decisions) {
      progress.set_label(what);
      progress.advance(decisions, decisions);
      return interrupted() == 0;
    };
    const park::trees::ExplainPlan plan{.env = plan_.env,
                                        .policy = one.policy,
                                        .phase = plan_.phase,
                                        .episodes = std::min(plan_.episodes, kMostLearnt),
                                        .seed = plan_.seed};
    auto all = park::trees::explain_decisions(session.registry(), plan, 0, *explain_, watch);
    if (all) one.explained = std::move(*all);
  }

  std::string env_text_, policy_text_, phase_text_ = phase_name(Phase::evaluate);
  std::uint64_t workers_ = 0;
  std::optional<std::uint64_t> explain_;
  PlayPlan plan_{.env = "", .episodes = 100};
  EnvInput env_;
  std::vector<PolicyInput> policies_;
  ResultFiles files_;
};

}  // namespace

void add_run_command(Commands& all) { all.add(30, std::make_unique<RunCommand>()); }

}  // namespace park::cli
