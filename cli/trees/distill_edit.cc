// `park distill edit`: changes a tree by hand. prepare makes the changes and binds both trees to an
// environment; run plays the same episodes with the tree as it was and as it is now, writes the new
// text, and shows the paired differences. Numbers of leaves are those of the file that is read.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/play/result_files.h"
#include "cli/play/results.h"
#include "cli/trees/distill_commands.h"
#include "park/command/numbers.h"
#include "park/files/new_file.h"
#include "park/files/read.h"
#include "park/trees/tree_policy.h"
#include "park/trees/tree_text.h"

namespace park::cli {
namespace {

using park::trees::TreePolicy;
using park::trees::TreeText;

class DistillEditCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "edit",
            .summary = "change a tree by hand and compare it with what it was",
            .details =
                "Leaves are numbered from 1 in the order of the file; park distill export --to dot "
                "shows the numbers. Comments and everything else stay as they are. The old and "
                "the new tree play the same episodes, of validation inputs unless --phase says "
                "otherwise; differences are paired.",
            .example = "park distill edit my.tree --set-leaf 3=0.9 --prune 7 --out new.tree"};
  }

  void declare(Options& options) override {
    options.text("FILE", "", file_, "a file of trees", Options::Need::required);
    options.texts(
        "--add-rule", "RULE", rules_,
        "HEAD \"REASON\": CONDITIONS, before the other rules of its head; may be repeated");
    options.texts("--set-leaf", "N=NUMBER", leaves_, "another number for a leaf; may be repeated");
    options.texts("--prune", "N", prunes_,
                  "takes a leaf away: the other branch of the question above it takes that one's "
                  "place; may be repeated");
    options.text("--out", "G", out_, "the file to write", Options::Need::required);
    options.text("--env", "ENV", env_text_,
                 "an environment with the tree's layout; without it the one that the file names");
    options.integer("--episodes", "N", plan_.episodes, {1, 10'000'000}, "episodes of each tree");
    options.integer("--seed", "S", plan_.seed, {0, std::numeric_limits<std::uint64_t>::max()},
                    "same seed, same episodes");
    options.choice("--phase", phase_text_, phase_names(), "which inputs, as in park run");
  }

  void prepare(Session& session, Violations& wrong) override {
    plan_.phase = phase_of(phase_text_);
    if (rules_.empty() && leaves_.empty() && prunes_.empty())
      wrong.add("--add-rule, --set-leaf or --prune: one of them is required");
    if (file_.empty()) return;  // reported as missing
    attempt("FILE", wrong,
            [&] { text_.emplace(files::read_whole(file_, park::trees::kMostTreeFile), file_); });
    if (!text_) return;
    const park::trees::TreeFile before = text_->file();
    if (!read_env(session.registry(), env_text_.empty() ? before.env : env_text_, env_, wrong))
      return;
    plan_.env = env_.canonical;
    plan_.system = env_.spec.traits.system;
    attempt(env_text_.empty() ? "FILE" : "--env", wrong,
            [&] { old_ = std::make_unique<TreePolicy>(before, file_, env_.spec); });
    change(wrong);
    if (old_ && wrong.empty())
      attempt("--add-rule", wrong, [&] {
        new_ = std::make_unique<TreePolicy>(text_->file(), "the new tree", env_.spec);
      });
  }

  int run(Session& session) override {
    const InterruptScope scope;
    files::write_file(out_, text_->text());
    Results results = nothing_played(plan_, env_.spec).results;
    Progress progress(session.console(), "episodes", 2 * plan_.episodes, "decisions");
    for (const auto& [name, policy] :
         {std::pair(&file_, old_.get()), std::pair(&out_, new_.get())}) {
      PolicyResult one = play_policy(session.registry(), plan_, *name, *policy, nullptr, progress);
      if (!one.episodes.empty()) results.policies.push_back(std::move(one));
    }
    results.interrupted = interrupted() != 0;
    session.print(session.json() ? results_json(results) : results_text(results, session.width()));
    return interrupted() != 0 ? kSignalled + interrupted() : kDone;
  }

 private:
  /// Leaves first, then prunes from the last one on, so that numbers stay those of the file.
  void change(Violations& wrong) {
    for (const std::string& given : leaves_) {
      const std::size_t equals = std::min(given.find('='), given.size());
      const auto leaf = whole_number<std::size_t>(given.substr(0, equals));
      const auto value = equals < given.size() ? whole_number<float>(given.substr(equals + 1))
                                               : std::optional<float>();
      if (!leaf || !value || !std::isfinite(*value))
        wrong.add("--set-leaf \"" + given + "\": must be LEAF=NUMBER, such as 12=0.9");
      else
        attempt("--set-leaf", wrong, [&] { text_->set_leaf(*leaf, *value); });
    }
    std::vector<std::size_t> pruned;
    for (const std::string& given : prunes_) {
      if (const auto leaf = whole_number<std::size_t>(given))
        pruned.push_back(*leaf);
      else
        wrong.add("--prune \"" + given + "\": must be the number of a leaf");
    }
    std::ranges::sort(pruned, std::greater{});
    for (const std::size_t leaf : pruned) attempt("--prune", wrong, [&] { text_->prune(leaf); });
    for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
      const std::size_t space = std::min(rule->find(' '), rule->size());
      attempt("--add-rule", wrong, [&] {
        text_->add_rule(rule->substr(0, space), rule->substr(std::min(space + 1, rule->size())));
      });
    }
  }

  std::string file_, out_, env_text_, phase_text_ = phase_name(Phase::validate);
  std::vector<std::string> rules_, leaves_, prunes_;
  PlayPlan plan_{.env = "", .episodes = 20};
  EnvInput env_;
  std::optional<TreeText> text_;
  std::unique_ptr<TreePolicy> old_, new_;
};

}  // namespace

std::unique_ptr<Command> make_distill_edit_command() {
  return std::make_unique<DistillEditCommand>();
}

}  // namespace park::cli
