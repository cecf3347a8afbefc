// `park explain`: what a policy decides by. prepare checks texts; run plays, and prints figures of all
// decisions, or one decision where --episode and --decision name it.
#include <limits>
#include <optional>

#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/frame/progress.h"
#include "cli/play/play.h"
#include "cli/trees/explain_output.h"
#include "park/trees/explain.h"

namespace park::cli {
namespace {

class ExplainCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "explain",
            .summary = "show what a policy decides by",
            .details =
                "Plays episodes and looks at the choices level by level: the gain ratio of each "
                "leaf that says yes or no; how well a pairwise forest foretells which referred "
                "element is chosen in free decisions, on episodes that it has seen and on others; "
                "how often the choice is the one with the smallest or largest value of a leaf. "
                "Intervals are of 95 %, by the bootstrap over episodes. Episodes are those that "
                "park run plays with the same seed and phase. --episode and --decision explain "
                "one decision: its candidates, a tree that is fitted on the other episodes, and "
                "the smallest change of one leaf to which the policy's choice differs.",
            .example = "park explain load_balance --policy least_work"};
  }

  void declare(Options& options) override {
    options.text("ENV", "", env_text_, "environment, such as dag_scheduling(executors=50)",
                 Options::Need::required);
    options.text("--policy", "P", policy_text_, "one policy", Options::Need::required);
    options.integer("--episodes", "E", plan_.episodes, {1, 1'000'000}, "episodes to look at");
    options.integer("--episode", "K", episode_, {0, 1'000'000},
                    "with --decision: one of these episodes; without it all decisions are counted");
    options.integer("--decision", "N", decision_, {0, 1'000'000'000},
                    "with --episode: the decision to explain, from 0");
    options.integer("--seed", "S", plan_.seed, {0, std::numeric_limits<std::uint64_t>::max()},
                    "same seed, same episodes");
    options.choice("--phase", phase_text_, phase_names(), "which inputs, as in park run");
    options.integer("--threads", "T", threads_, {1, 256},
                    "threads that fit; the result does not depend on it");
  }

  void prepare(Session& session, Violations& wrong) override {
    plan_.phase = phase_of(phase_text_);
    plan_.threads = static_cast<std::uint32_t>(threads_);
    if (episode_.has_value() != decision_.has_value())
      wrong.add("--episode and --decision: one needs the other");
    else if (episode_ && plan_.episodes < 2)
      wrong.add("--episodes: must be at least 2 with --episode, a tree is fitted on the others");
    else if (episode_ && *episode_ >= plan_.episodes)
      wrong.add("--episode: must be 0 .. " + std::to_string(plan_.episodes - 1) +
                ", one of the --episodes");
    const Registry& registry = session.registry();
    const bool known = read_env(registry, env_text_, env_, wrong);
    plan_.env = env_.canonical;
    if (policy_text_.empty()) return;  // reported as a missing option
    if (!known) return check_policies(registry, "--policy", {policy_text_}, wrong);
    const auto read = read_policies(registry, "--policy", {policy_text_}, env_.spec, wrong);
    if (!read.empty()) plan_.policy = read.front().canonical;
  }

  int run(Session& session) override {
    const InterruptScope scope;
    Progress progress(session.console(), "decisions", 0, "decisions");
    const auto watch = [&](const char* what, std::uint64_t decisions) {
      progress.set_label(what);
      progress.advance(decisions, decisions);
      return interrupted() == 0;
    };
    const std::string text =
        episode_ ? one_decision(session, watch) : all_decisions(session, watch);
    if (interrupted() != 0) return kSignalled + interrupted();
    session.print(text);
    return kDone;
  }

 private:
  [[nodiscard]] std::string all_decisions(Session& session,
                                          const park::trees::ExplainProgress& watch) const {
    const auto all = park::trees::explain(session.registry(), plan_, watch);
    if (!all) return "";
    return session.json() ? explanation_json(plan_, *all) : explanation_text(plan_, *all);
  }

  [[nodiscard]] std::string one_decision(Session& session,
                                         const park::trees::ExplainProgress& watch) const {
    const DecisionPlace place{*episode_, *decision_};
    const auto one = park::trees::explain_decision(session.registry(), plan_, place.episode,
                                                   place.decision, watch);
    if (!one) return "";
    return session.json() ? decision_json(plan_, place, *one)
                          : decision_text(plan_, place, *one, session.width());
  }

  std::string env_text_, policy_text_, phase_text_ = phase_name(Phase::train);
  std::uint64_t threads_ = 1;
  std::optional<std::uint64_t> episode_, decision_;
  park::trees::ExplainPlan plan_;
  EnvInput env_;
};

}  // namespace

void add_explain_command(Commands& all) { all.add(61, std::make_unique<ExplainCommand>()); }

}  // namespace park::cli
