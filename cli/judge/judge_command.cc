// `park judge`: plays a candidate in a process without rights and says what it is worth. prepare checks
// the file, the environment and numbers; run judges and prints. A candidate that cheats, hangs or does
// not compile is judged all the same, with the score 0; only what is wrong here ends with an error.
#include <cstdlib>
#include <limits>

#include "cli/frame/commands.h"
#include "cli/frame/group.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/judge/judge_commands.h"
#include "park/command/numbers.h"
#include "park/command/strings.h"
#include "park/command/table.h"
#include "park/core/text.h"
#include "park/judge/judge.h"

namespace park::cli {
namespace {

namespace pj = park::judge;

/// A program that the user's environment names, else the usual one.
std::string tool(const char* variable, const char* usual) {
  const char* const named = std::getenv(variable);
  return named == nullptr || *named == '\0' ? usual : named;
}

std::string bracketed(const bench::Interval& interval) {
  return '[' + rounded(interval.low) + ", " + rounded(interval.high) + ']';
}

class JudgeCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "judge",
            .summary = "judge a heuristic that somebody, or a model, has written",
            .details =
                "FILE is C++ (.cc), Python (.py) or expressions over leaves (.expr). It plays in "
                "a process that sees rows and gives actions: no network, files or environment "
                "variables, limits of time and memory. The score is at least 0, more is better, "
                "and 1 is as good as the best tuned heuristic. docs/judge.md tells more.",
            .example = "park judge mine.py --env load_balance --json"};
  }

  [[nodiscard]] std::vector<std::unique_ptr<Command>> commands() override {
    return made({make_judge_export_command});
  }
  [[nodiscard]] bool acts_alone() const override { return true; }

  void declare(Options& options) override {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    options.text("FILE", "", file_, "the candidate", Options::Need::required);
    options.text("--env", "ENV", env_, "environment, such as dag_scheduling(jobs=20)",
                 Options::Need::required);
    options.choice("--set", set_, {"train", "validation", "hidden"},
                   "whose score counts; hidden inputs are drawn when the candidate was read");
    options.integer("--inputs", "N", plan_.inputs, {1, 10'000}, "inputs of a set");
    options.integer("--seed", "S", plan_.seed, {0, kMost}, "of train and validation inputs");
    options.text("--rivals", "P,P", rivals_,
                 "heuristics to compare with; without it those of the environment's suite");
    options.text("--bound", "P", bound_,
                 "a policy that nothing can beat; without it that of the environment's suite");
    options.text("--claim", "V", claim_,
                 "the mean of the metric that is claimed; one beyond the bound is refused, so that "
                 "there must be a bound");
    options.integer("--time", "S", time_s_, {1, 86'400}, "seconds for all answers of a set");
    options.integer("--answer-time", "S", answer_s_, {1, 3'600}, "seconds for one message");
    options.integer("--memory", "MB", memory_mb_, {64, 65'536}, "of the candidate's process");
    options.flag("--reveal", reveal_, "tell the seed of the hidden inputs afterwards");
    options.integer("--hidden-seed", "S", plan_.hidden_seed, {0, kMost},
                    "repeat a judgement with the hidden inputs of a revealed seed; without it "
                    "they are drawn anew");
  }

  void prepare(Session& session, Violations& wrong) override {
    plan_.set = set_ == "train"        ? pj::Set::train
                : set_ == "validation" ? pj::Set::validation
                                       : pj::Set::hidden;
    plan_.limits = {.memory_bytes = memory_mb_ << 20,
                    .time_s = static_cast<double>(time_s_),
                    .answer_s = static_cast<double>(answer_s_)};
    plan_.tools = {.compiler = tool("PARK_CXX", "c++"), .python = tool("PARK_PYTHON", "python3")};
    if (plan_.hidden_seed && plan_.set != pj::Set::hidden)
      wrong.add("--hidden-seed: needs --set hidden");
    if (!claim_.empty()) {
      plan_.claim = whole_number<double>(claim_);
      if (!plan_.claim) wrong.add("--claim: \"" + claim_ + "\" is not a number");
    }
    if (!file_.empty())
      attempt("FILE", wrong, [&] { plan_.candidate = pj::read_candidate(file_); });
    EnvInput env;
    if (env_.empty() || !read_env(session.registry(), env_, env, wrong)) return;
    plan_.env = env.canonical;
    if (!rivals_.empty()) read_rivals(session.registry(), env.spec, wrong);
    if (bound_.empty()) return check_claim(session.registry(), wrong);
    const auto bound = read_policies(session.registry(), "--bound", {bound_}, env.spec, wrong);
    if (!bound.empty()) plan_.bound = bound.front().canonical;
  }

  int run(Session& session) override {
    const InterruptScope scope;
    plan_.stop = [] { return interrupted() != 0; };
    try {
      const pj::Judgement judgement = pj::judge(session.registry(), plan_);
      for (const std::string& line : judgement.left_out) session.console().warn(line);
      session.print(session.json() ? pj::judgement_json(plan_, judgement, reveal_)
                                   : as_text(judgement));
    } catch (const pj::Stopped&) {
      throw Interrupted{};
    }
    return kDone;
  }

 private:
  /// A claim is compared with the bound.
  void check_claim(const Registry& registry, Violations& wrong) const {
    if (plan_.claim && pj::bound_of(registry, registry.env(plan_.env)).empty())
      wrong.add("--claim: needs --bound, since no suite names one for " + plan_.env);
  }
  void read_rivals(const Registry& registry, const Spec& spec, Violations& wrong) {
    std::vector<std::string> texts;
    if (!attempt("--rivals", wrong, [&] { texts = split_policies(rivals_); })) return;
    plan_.rivals = {{.policy = "random", .role = pj::Rival::Role::random}};
    for (const PolicyInput& p : read_policies(registry, "--rivals", texts, spec, wrong))
      plan_.rivals.push_back({.policy = p.canonical, .role = pj::Rival::Role::heuristic});
  }

  [[nodiscard]] std::string as_text(const pj::Judgement& j) const {
    std::string text = j.env + "\n" + plan_.candidate.path + ": " + pj::to_text(j.verdict) +
                       (j.why.empty() ? "" : ", " + j.why) + "\nscore " + rounded(j.score) +
                       ", 95 % interval " + bracketed(j.interval) + "\n";
    for (const pj::SetJudgement& set : j.sets)
      if (set.match.failed() < set.scores.size()) text += set_text(j, set);
    if (reveal_ && plan_.set == pj::Set::hidden)
      text += "\nseed of the hidden inputs: " + std::to_string(j.sets.back().seed) + '\n';
    return text + '\n' + j.feedback;
  }

  [[nodiscard]] std::string set_text(const pj::Judgement& j, const pj::SetJudgement& set) const {
    using Align = Table::Align;
    Table table({{"policy"},
                 {"role"},
                 {j.metric.name, Align::right},
                 {"difference", Align::right},
                 {"95 % interval", Align::right}});
    table.add({"candidate", "", rounded(set.value.mean), "", ""});
    for (const pj::Difference& d : set.differences)
      table.add({d.rival.policy, pj::to_text(d.rival.role), rounded(d.rival.mean),
                 rounded(d.difference.mean), bracketed(d.difference.ci95)});
    return '\n' + std::string(pj::to_text(set.set)) + ", " + plural(set.scores.size(), "input") +
           ", " + std::to_string(set.match.failed()) +
           " failed; differences are candidate minus policy\n" + table.text(0, 0);
  }

  std::string file_, env_, set_ = "hidden", rivals_, bound_, claim_;
  std::uint64_t time_s_ = 60, answer_s_ = 5, memory_mb_ = 1024;
  bool reveal_ = false;
  pj::JudgePlan plan_;
};

}  // namespace

void add_judge_command(Commands& all) { all.add(66, std::make_unique<JudgeCommand>()); }

}  // namespace park::cli
