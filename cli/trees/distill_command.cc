// `park distill`: makes a tree of a teacher. prepare checks texts and the place of the file; run
// follows the rounds and writes the best one's tree. An interrupted one writes the best of the
// finished rounds. Parts of the command that need no teacher are commands of this group.
#include <algorithm>
#include <filesystem>
#include <limits>

#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/frame/progress.h"
#include "cli/trees/distill_commands.h"
#include "park/command/numbers.h"
#include "park/command/strings.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"
#include "park/files/new_file.h"
#include "park/trees/distill.h"
#include "park/trees/finished_rounds.h"

namespace park::cli {
namespace {

/// Shows how far it is, keeps finished rounds in a file, and ends it at an interrupt.
class Watching final : public park::trees::DistillWatcher {
 public:
  Watching(Console& console, const std::string& metric, park::trees::DistillPlan plan,
           std::string rounds)
      : console_(console),
        metric_(metric),
        plan_(std::move(plan)),
        rounds_(std::move(rounds)),
        progress_(console, "rows", 0, "rows") {}

  bool stop() override { return interrupted() != 0; }
  void on_round(const park::trees::DistillRound& round,
                const park::trees::TreeFile& tree) override {
    if (round.round > plan_.finished.size()) {
      plan_.finished.push_back({round, tree});
      write_finished_rounds(rounds_, plan_);
    }
    console_.info("round " + std::to_string(round.round) + ": " +
                  count_text(static_cast<double>(round.decisions)) + " decisions, " + metric_ +
                  ' ' + rounded(round.metric));
  }
  void on_rows(const char* what, std::uint64_t rows) override {
    progress_.set_label(what);
    progress_.advance(rows, rows);
  }

 private:
  Console& console_;
  std::string metric_;
  park::trees::DistillPlan plan_;
  std::string rounds_;
  Progress progress_;
};

void write_agreement(JsonWriter& json, const char* name, const park::trees::Agreement& a) {
  json.key(name).begin_object().member("decisions", a.decisions);
  const auto share = [&](const char* key, std::uint64_t hits) {
    json.key(key);
    if (a.decisions == 0)
      json.null();
    else
      json.value(static_cast<double>(hits) / static_cast<double>(a.decisions));
  };
  share("first", a.first);
  share("first_three", a.first_three);
  json.end_object();
}

class DistillCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "distill",
            .summary = "make a small decision tree of a policy",
            .details =
                "Plays training inputs, asks the teacher what it would do, and fits trees to its "
                "answers. From the second round on the tree of the round before plays, so that "
                "the teacher is asked about what the tree gets into. The tree with the best mean "
                "of the environment's first metric on validation inputs is written: a text file "
                "that plays as tree(file=F). park run compares it on evaluation inputs. Ctrl-C "
                "leaves the finished rounds in F.rounds, from where --resume goes on.",
            .example = "park distill load_balance --teacher least_work --leaves 8 --out my.tree"};
  }

  void declare(Options& options) override {
    options.text("ENV", "", env_text_, "environment, such as dag_scheduling(executors=50)",
                 Options::Need::required);
    options.text("--teacher", "P", teacher_text_, "one policy", Options::Need::required);
    options.text("--out", "F", out_, "the file to write", Options::Need::required);
    options.integer("--leaves", "N", leaves_, {2, 100'000}, "of all trees together");
    options.integer("--trees", "T", trees_, {1, 1000},
                    "1: trees; more: forests of so many bagged trees, each with its leaves");
    options.integer("--rounds", "R", rounds_, {1, 1000}, "rounds of playing and fitting");
    options.integer("--episodes", "E", plan_.episodes, {1, 1'000'000}, "episodes of each round");
    options.integer("--validation-episodes", "V", plan_.validation_episodes, {1, 1'000'000},
                    "episodes by which the best round is chosen");
    options.text("--validate-on", "ENV", validate_on_,
                 "the environment of validations, with the same layout; without it ENV");
    options.integer("--seed", "S", plan_.seed, {0, std::numeric_limits<std::uint64_t>::max()},
                    "same seed, same episodes");
    options.choice(
        "--weights", weights_, {"balanced", "equal", "gap"},
        "balanced: the teacher's choice weighs as much as all others of its decision; "
        "gap: so it does, and decisions weigh by how far the teacher's scores lie apart");
    options.integer("--threads", "T", threads_, {1, 256},
                    "threads that fit; the result does not depend on it");
    options.flag("--resume", resume_, "go on behind the finished rounds of the same call");
  }

  void prepare(Session& session, Violations& wrong) override {
    plan_.leaves = leaves_;
    plan_.trees = static_cast<std::uint32_t>(trees_);
    plan_.rounds = static_cast<std::uint32_t>(rounds_);
    plan_.threads = static_cast<std::uint32_t>(threads_);
    plan_.weights = weights_ == "equal" ? park::trees::LessonWeights::equal
                    : weights_ == "gap" ? park::trees::LessonWeights::gap
                                        : park::trees::LessonWeights::balanced;
    check_out(wrong);
    const Registry& registry = session.registry();
    if (!read_env(registry, env_text_, env_, wrong)) {
      if (!teacher_text_.empty()) check_policies(registry, "--teacher", {teacher_text_}, wrong);
      return;
    }
    plan_.env = env_.canonical;
    if (!validate_on_.empty())
      attempt("--validate-on", wrong,
              [&] { plan_.validate_on = registry.canonical_env(validate_on_); });
    if (teacher_text_.empty()) return;  // reported as a missing option
    const auto read = read_policies(registry, "--teacher", {teacher_text_}, env_.spec, wrong);
    if (!read.empty()) plan_.teacher = read.front().canonical;
    if (resume_ && wrong.empty())
      attempt("--resume", wrong,
              [&] { plan_.finished = park::trees::read_finished_rounds(rounds_file(), plan_); });
    if (plan_.finished.size() > plan_.rounds) plan_.finished.resize(plan_.rounds);
  }

  int run(Session& session) override {
    const InterruptScope scope;
    const Metric& metric = env_.spec.metrics.front();
    park::trees::DistillOutcome outcome;
    {
      Watching watching(session.console(), metric.name, plan_, rounds_file());
      outcome = park::trees::distill(session.registry(), plan_, watching);
    }
    if (!outcome.rounds.empty())
      files::write_file(out_, park::trees::print_tree_file(outcome.tree), {.synced = true});
    std::error_code none;
    if (outcome.finished) std::filesystem::remove(rounds_file(), none);
    session.print(session.json() ? as_json(outcome) : as_text(outcome));
    return interrupted() != 0 ? kSignalled + interrupted() : kDone;
  }

  std::vector<std::unique_ptr<Command>> commands() override {
    std::vector<std::unique_ptr<Command>> all;
    all.push_back(make_distill_export_command());
    all.push_back(make_distill_edit_command());
    return all;
  }
  bool acts_alone() const override { return true; }

 private:
  [[nodiscard]] std::string rounds_file() const { return out_ + ".rounds"; }
  void check_out(Violations& wrong) const {
    if (out_.empty()) return;  // reported as a missing option
    std::error_code ignored;
    const std::filesystem::path path(out_), folder = path.parent_path();
    if (std::filesystem::is_directory(path, ignored))
      wrong.add("--out: " + out_ + " is a folder");
    else if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
      wrong.add("--out: there is no folder " + folder.string());
  }

  [[nodiscard]] std::string as_text(const park::trees::DistillOutcome& out) const {
    if (out.rounds.empty()) return "interrupted before the first round was finished\n";
    const Metric& metric = env_.spec.metrics.front();
    using Align = Table::Align;
    Table table({{"round", Align::right},
                 {"decisions", Align::right},
                 {"leaves", Align::right},
                 {metric.name, Align::right},
                 {""}});
    for (std::size_t r = 0; r < out.rounds.size(); ++r)
      table.add({std::to_string(out.rounds[r].round), std::to_string(out.rounds[r].decisions),
                 std::to_string(out.rounds[r].leaves), rounded(out.rounds[r].metric),
                 r == out.best ? "*" : ""});
    std::string text = plan_.env + "\nteacher " + plan_.teacher + ", " +
                       plural(plan_.episodes, "training episode") + " a round, " +
                       plural(plan_.validation_episodes, "validation episode") + "; * written\n\n" +
                       table.text(0, 0) + '\n';
    if (!out.finished) text += "interrupted; the same call with --resume goes on\n";
    if (out.finished)
      text += "the teacher on the same validation episodes: " + rounded(out.teacher) + '\n';
    for (const park::trees::HeadAgreement& head : out.agreement) text += agreement_text(head);
    return text + "play it: park run '" + plan_.env + "' --policy 'tree(file=" + out_ + ")'\n";
  }

  static std::string agreement_text(const park::trees::HeadAgreement& head) {
    std::string text = head.head + ": " + plural(head.forced, "decision") + " with one legal value";
    for (const auto& [name, a] : {std::pair("ruled", &head.ruled), std::pair("free", &head.free)}) {
      if (a->decisions == 0) continue;
      const auto share = [&](std::uint64_t hits) {
        return percent_text(static_cast<double>(hits) / static_cast<double>(a->decisions));
      };
      text += "; " + std::to_string(a->decisions) + ' ' + name +
              ": the first choice is the teacher's in " + share(a->first) +
              ", one of the first three in " + share(a->first_three);
    }
    return text + '\n';
  }

  static std::string percent_text(double share) { return rounded(100 * share) + " %"; }

  [[nodiscard]] std::string as_json(const park::trees::DistillOutcome& out) const {
    const Metric& metric = env_.spec.metrics.front();
    JsonWriter json;
    json.begin_object().member("env", plan_.env).member("teacher", plan_.teacher);
    json.member("validate_on", plan_.validate_on.empty() ? plan_.env : plan_.validate_on);
    json.member("seed", plan_.seed).member("finished", out.finished);
    json.member("episodes", plan_.episodes);
    json.member("validation_episodes", plan_.validation_episodes);
    json.member("metric", metric.name);
    json.member("better", metric.lower_is_better ? "lower" : "higher");
    json.key("rounds").begin_array();
    for (const park::trees::DistillRound& r : out.rounds) {
      json.begin_object().member("round", std::uint64_t{r.round}).member("decisions", r.decisions);
      json.member("leaves", std::uint64_t{r.leaves}).member("mean", r.metric).end_object();
    }
    json.end_array().key("best");
    if (out.rounds.empty())
      json.null();
    else
      json.value(std::uint64_t{out.rounds[out.best].round});
    json.key("teacher_mean");
    if (out.finished)
      json.value(out.teacher);
    else
      json.null();
    json.key("agreement").begin_array();
    for (const park::trees::HeadAgreement& head : out.agreement) {
      json.begin_object().member("head", head.head).member("forced", head.forced);
      write_agreement(json, "ruled", head.ruled);
      write_agreement(json, "free", head.free);
      json.end_object();
    }
    json.end_array().key("file");
    if (out.rounds.empty())
      json.null();
    else
      json.value(out_);
    return json.end_object().take();
  }

  std::string env_text_, teacher_text_, out_, validate_on_, weights_ = "balanced";
  std::uint64_t leaves_ = 32, trees_ = 1, rounds_ = 4, threads_ = 1;
  park::trees::DistillPlan plan_;
  bool resume_ = false;
  EnvInput env_;
};

}  // namespace

void add_distill_command(Commands& all) { all.add(60, std::make_unique<DistillCommand>()); }

}  // namespace park::cli
