// `park distill`: makes a tree of a teacher. prepare checks texts and the place of the file; run
// follows the rounds and writes the best one's tree. An interrupted one writes the best of the
// finished rounds. Parts of the command that need no teacher are commands of this group.
#include <filesystem>
#include <limits>

#include "cli/frame/commands.h"
#include "cli/frame/group.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/frame/progress.h"
#include "cli/play/result_files.h"
#include "cli/trees/distill_commands.h"
#include "cli/trees/distill_output.h"
#include "cli/trees/timed_policy.h"
#include "park/command/numbers.h"
#include "park/command/output.h"
#include "park/core/text.h"
#include "park/files/new_file.h"
#include "park/trees/finished_rounds.h"
#include "park/trees/mixed_policy.h"
#include "park/trees/tree_policy.h"

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
    options.text("--separate", "NAME", plan_.separate,
                 "a strategy of the environment, such as fair, that gives some heads in place of "
                 "trees");
    options.text("--report", "R.html", report_,
                 "write a page for a browser: the tree, trees of 8 to 128 leaves, agreement, and "
                 "the comparison on held-out episodes");
    options.text("--against", "P[,P...]", against_text_,
                 "compare teacher and student with these on held-out episodes, such as tuned "
                 "heuristics");
    options.integer("--test-episodes", "N", test_episodes_, {1, 1'000'000},
                    "held-out episodes of --report and --against");
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
    check_output("--report", report_, true, wrong);
    if (!report_.empty()) plan_.sizes = {8, 16, 32, 64, 128};
    const Registry& registry = session.registry();
    if (!read_env(registry, env_text_, env_, wrong)) {
      if (!teacher_text_.empty()) check_policies(registry, "--teacher", {teacher_text_}, wrong);
      return;
    }
    plan_.env = env_.canonical;
    attempt("--separate", wrong, [&] {
      static_cast<void>(
          park::trees::separate_heads(park::trees::hints_of(env_.spec), plan_.separate, env_.spec));
    });
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
    if (against_text_.empty()) return;
    std::vector<std::string> texts;
    attempt("--against", wrong, [&] { texts = split_policies(against_text_); });
    against_ = read_policies(registry, "--against", texts, env_.spec, wrong);
  }

  int run(Session& session) override {
    const InterruptScope scope;
    Distilled all{.plan = plan_, .metric = env_.spec.metrics.front(), .file = out_};
    {
      Watching watching(session.console(), all.metric.name, plan_, rounds_file());
      all.outcome = park::trees::distill(session.registry(), plan_, watching);
    }
    if (!all.outcome.rounds.empty())
      files::write_file(out_, park::trees::print_tree_file(all.outcome.tree), {.synced = true});
    std::error_code none;
    if (all.outcome.finished) std::filesystem::remove(rounds_file(), none);
    if (all.outcome.finished && (!report_.empty() || !against_text_.empty())) compare(session, all);
    if (!report_.empty() && all.comparison) write_file(report_, distilled_page(all));
    session.print(session.json() ? distilled_json(all) : distilled_text(all));
    return interrupted() != 0 ? kSignalled + interrupted() : kDone;
  }

  std::vector<std::unique_ptr<Command>> commands() override {
    return made({make_distill_export_command, make_distill_edit_command});
  }
  bool acts_alone() const override { return true; }

 private:
  [[nodiscard]] std::string rounds_file() const { return out_ + ".rounds"; }

  /// Plays held-out episodes with the teacher, the student and those that were named.
  void compare(Session& session, Distilled& all) {
    const PlayPlan plan{.env = plan_.env,
                        .seed = plan_.seed,
                        .episodes = test_episodes_,
                        .system = env_.spec.traits.system};
    Results results = nothing_played(plan, env_.spec).results;
    const auto teacher = session.registry().policy(plan_.teacher, env_.spec);
    park::trees::TreePolicy student(all.outcome.tree, out_, env_.spec);
    std::vector<std::pair<std::string, Policy*>> policies{{plan_.teacher, teacher.get()},
                                                          {"tree(file=" + out_ + ')', &student}};
    for (const PolicyInput& other : against_)
      policies.emplace_back(other.canonical, other.policy.get());
    Progress progress(session.console(), "episodes", policies.size() * test_episodes_, "decisions");
    for (const auto& [name, policy] : policies) {
      progress.set_label(name);
      TimedPolicy timed(*policy);
      results.policies.push_back(
          play_policy(session.registry(), plan, name, timed, nullptr, progress));
      all.decision_us.push_back(timed.decision_us());
      if (interrupted() != 0) return;
    }
    all.comparison = std::move(results);
    if (!report_.empty()) ablate(session, all, plan, *teacher, student);
  }

  /// Which heads of the student cost what. A warning says why where a policy has no scores.
  void ablate(Session& session, Distilled& all, const PlayPlan& plan, Policy& teacher,
              Policy& student) {
    const Heads heads(env_.spec);
    const std::vector<std::size_t> with_choice = park::trees::heads_with_choice(heads);
    if (with_choice.size() < 2) return;
    Progress progress(session.console(), "episodes", with_choice.size() * test_episodes_,
                      "decisions");
    for (const std::size_t h : with_choice) {
      std::vector<bool> by_student(heads.size());
      by_student[h] = true;
      park::trees::MixedPolicy mixed(env_.spec, teacher, student, std::move(by_student));
      try {
        all.ablation.emplace_back(
            heads[h].name,
            play_policy(session.registry(), plan, heads[h].name, mixed, nullptr, progress));
      } catch (const Error& e) {
        if (e.code() != Errc::unavailable) throw;
        session.console().warn(std::string("what each head costs is left out: ") + e.what());
        return all.ablation.clear();
      }
      if (interrupted() != 0) return all.ablation.clear();
    }
  }

  void check_out(Violations& wrong) const {
    if (out_.empty()) return;  // reported as a missing option
    std::error_code ignored;
    const std::filesystem::path path(out_), folder = path.parent_path();
    if (std::filesystem::is_directory(path, ignored))
      wrong.add("--out: " + out_ + " is a folder");
    else if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
      wrong.add("--out: there is no folder " + folder.string());
  }

  std::string env_text_, teacher_text_, out_, validate_on_, weights_ = "balanced";
  std::string report_, against_text_;
  std::uint64_t leaves_ = 32, trees_ = 1, rounds_ = 4, threads_ = 1, test_episodes_ = 100;
  std::vector<PolicyInput> against_;
  park::trees::DistillPlan plan_;
  bool resume_ = false;
  EnvInput env_;
};

}  // namespace

void add_distill_command(Commands& all) { all.add(60, std::make_unique<DistillCommand>()); }

}  // namespace park::cli
