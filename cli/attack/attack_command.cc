// `park attack`: tests a policy against users who misreport their jobs. prepare checks texts and
// numbers; run follows the targets and prints what the misreports did, beside the null and beside
// other policies. An interrupted one prints the targets that were judged.
#include <limits>
#include <mutex>

#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/frame/progress.h"
#include "park/attack/attack.h"
#include "park/command/numbers.h"
#include "park/command/strings.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"
#include "park/core/text.h"

namespace park::cli {
namespace {

using park::attack::Attacked;
using park::attack::AttackFigure;
using park::attack::AttackFigures;
using park::attack::AttackOutcome;
using park::attack::Mode;

const char* mode_name(Mode mode) {
  return mode == Mode::white ? "white" : mode == Mode::black ? "black" : "random";
}

/// Shows how far it is, and ends it at an interrupt.
class AttackDisplay final : public park::attack::AttackWatcher {
 public:
  AttackDisplay(Console& console, std::uint64_t targets)
      : progress_(console, "targets", targets, "targets") {}

  bool stop() override { return interrupted() != 0; }
  void on_target(const std::string& policy) override {
    const std::scoped_lock lock(mutex_);
    progress_.set_label(policy);
    progress_.advance(1, 1);
  }

 private:
  std::mutex mutex_;
  Progress progress_;
};

void write_figure(JsonWriter& json, const char* name, const AttackFigure& f) {
  json.key(name).begin_object(JsonWriter::Layout::line);
  json.member("mean", f.mean).member("low", f.ci95.low).member("high", f.ci95.high).end_object();
}

void write_figures(JsonWriter& json, const char* name, const AttackFigures& f) {
  json.key(name).begin_object();
  write_figure(json, "success", f.success);
  write_figure(json, "gain", f.gain);
  write_figure(json, "ratio", f.ratio);
  write_figure(json, "harm", f.harm);
  json.end_object();
}

/// What is attacked, under the attack and under the null.
void write_attacked(JsonWriter& json, const Attacked& a, const char* attacked) {
  json.member("mode", mode_name(a.mode)).member("targets", std::uint64_t{a.attack.size()});
  json.member("excluded", a.excluded);
  write_figures(json, attacked, park::attack::figures_of(a.attack));
  write_figures(json, "null", park::attack::figures_of(a.null));
}

std::string percent_cell(const AttackFigure& f) {
  return rounded(100 * f.mean, 1) + " [" + rounded(100 * f.ci95.low, 1) + ", " +
         rounded(100 * f.ci95.high, 1) + "]";
}

std::string ratio_cell(const AttackFigure& f) {
  return rounded(f.mean, 3) + " [" + rounded(f.ci95.low, 3) + ", " + rounded(f.ci95.high, 3) + "]";
}

class AttackCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "attack",
            .summary = "test a policy against users who misreport their jobs",
            .details =
                "One user at a time declares its job otherwise than it is, as far as epsilon "
                "allows. What it declares is found on practice episodes and judged on fresh ones "
                "of the same inputs, with and without it. The work, the rewards and the metrics "
                "stay true. The null declares something at random. docs/attacks.md tells more.",
            .example = "park attack load_balance --policy load_balance-default --jobs 50"};
  }

  void declare(Options& options) override {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    options.text("ENV", "", env_text_, "environment, such as dag_scheduling(executors=50)",
                 Options::Need::required);
    options.text("--policy", "P", policy_text_, "one policy", Options::Need::required);
    options.choice("--mode", mode_, {"white", "black", "random"},
                   "white: by the policy's scores; black: by a proxy that saw the attacker's own "
                   "job; random: drawn and not tried");
    options.integer("--jobs", "N", plan_.targets, {1, 1'000'000},
                    "target jobs, each of an input sequence of its own");
    options.text("--epsilon", "E", epsilon_,
                 "declared quantities lie within 1 - E and 1 + E of the truth");
    options.flag("--structure", plan_.structure,
                 "changes of a job's structure that leave its work as it is are tried too");
    options.text("--beside", "P,P", beside_,
                 "policies that are attacked too; without it those that the environment names; "
                 "none: no other");
    options.integer("--practice", "K", plan_.practice, {1, 10'000},
                    "practice episodes of a target, on which a misreport is found");
    options.integer("--fresh", "K", plan_.fresh, {1, 10'000},
                    "fresh episodes of a target, on which it is judged");
    options.integer("--seed", "S", plan_.seed, {0, kMost}, "same seed, same targets");
    options.integer("--threads", "T", threads_, {1, 256},
                    "threads that share out targets; the result does not depend on it");
  }

  void prepare(Session& session, Violations& wrong) override {
    plan_.threads = static_cast<std::uint32_t>(threads_);
    plan_.mode = mode_ == "white" ? Mode::white : mode_ == "black" ? Mode::black : Mode::random;
    read_epsilon(wrong);
    const Registry& registry = session.registry();
    EnvInput env;
    if (!read_env(registry, env_text_, env, wrong)) {
      if (!policy_text_.empty()) check_policies(registry, "--policy", {policy_text_}, wrong);
      return;
    }
    plan_.env = env.canonical;
    std::vector<std::string> beside;
    const bool declares =
        attempt("ENV", wrong, [&] { beside = park::attack::references_of(registry, plan_.env); });
    if (!declares) return;
    if (beside_ == "none")
      beside.clear();
    else if (!beside_.empty())
      attempt("--beside", wrong, [&] { beside = split_policies(beside_); });
    if (policy_text_.empty()) return;  // reported as a missing option
    const auto victim = read_policies(registry, "--policy", {policy_text_}, env.spec, wrong);
    if (!victim.empty()) plan_.policy = victim.front().canonical;
    for (const PolicyInput& p : read_policies(registry, "--beside", beside, env.spec, wrong))
      if (p.canonical != plan_.policy) plan_.beside.push_back(p.canonical);
  }

  int run(Session& session) override {
    const InterruptScope scope;
    AttackOutcome outcome;
    {
      AttackDisplay display(session.console(), plan_.targets * (1 + plan_.beside.size()));
      outcome = park::attack::attack(session.registry(), plan_, display);
    }
    session.print(session.json() ? as_json(outcome) : as_text(outcome));
    return interrupted() != 0 ? kSignalled + interrupted() : kDone;
  }

 private:
  void read_epsilon(Violations& wrong) {
    const auto epsilon = whole_number<double>(epsilon_);
    if (epsilon && *epsilon > 0 && *epsilon <= 1)
      plan_.epsilon = *epsilon;
    else
      wrong.add("--epsilon: \"" + epsilon_ + "\" is not a number above 0 and at most 1");
  }

  [[nodiscard]] std::string as_text(const AttackOutcome& out) const {
    std::string text = plan_.env + "\nepsilon " + number_text(plan_.epsilon) + ", " +
                       plural(plan_.practice, "practice episode") + " and " +
                       plural(plan_.fresh, "fresh one") + " of a target, seed " +
                       std::to_string(plan_.seed) + "\n\n";
    using Align = Table::Align;
    Table table({{"policy"},
                 {"misreport"},
                 {"targets", Align::right},
                 {"success %", Align::right},
                 {"gain %", Align::right},
                 {"ratio", Align::right},
                 {"harm %", Align::right}});
    for (const Attacked& a : out.policies)
      for (const auto& [name, targets] :
           {std::pair(mode_name(a.mode), &a.attack), std::pair("null", &a.null)}) {
        const AttackFigures f = park::attack::figures_of(*targets);
        table.add({targets == &a.attack ? a.policy : "", name, std::to_string(targets->size()),
                   percent_cell(f.success), percent_cell(f.gain), ratio_cell(f.ratio),
                   percent_cell(f.harm)});
      }
    text += table.text(0, 0) + '\n';
    for (const Attacked& a : out.policies)
      if (a.excluded > 0)
        text += a.policy + ": left out " + plural(a.excluded, "job") +
                " that never competed in a decision, or did not end\n";
    return text + (out.finished ? "" : "interrupted: not all targets were judged\n");
  }

  [[nodiscard]] std::string as_json(const AttackOutcome& out) const {
    JsonWriter json;
    json.begin_object().member("env", plan_.env).member("policy", plan_.policy);
    json.member("epsilon", plan_.epsilon).member("structure", plan_.structure);
    json.member("practice", plan_.practice).member("fresh", plan_.fresh);
    json.member("seed", plan_.seed).member("finished", out.finished);
    write_attacked(json, out.policies.front(), "victim");
    json.key("beside").begin_array();
    for (std::size_t p = 1; p < out.policies.size(); ++p) {
      json.begin_object().member("policy", out.policies[p].policy);
      write_attacked(json, out.policies[p], "victim");
      json.end_object();
    }
    json.end_array();
    json.key("targets_of_victim").begin_array();
    for (const park::attack::TargetResult& t : out.policies.front().attack) {
      json.begin_object(JsonWriter::Layout::line).member("episode", t.episode);
      json.member("job", t.job).member("decisions", t.decisions).member("ratio", t.ratio);
      json.member("harm", t.harm).end_object();
    }
    return json.end_array().end_object().take();
  }

  std::string env_text_, policy_text_, mode_ = "white", epsilon_ = "0.2", beside_;
  std::uint64_t threads_ = 1;
  park::attack::AttackPlan plan_;
};

}  // namespace

void add_attack_command(Commands& all) { all.add(65, std::make_unique<AttackCommand>()); }

}  // namespace park::cli
