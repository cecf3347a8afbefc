// `park judge export`: a task folder for a system that evolves programs. Each form gets a program to
// begin with, a text that says what a program sees and gives, and an adapter that calls `park judge`.
#include <filesystem>

#include "cli/frame/inputs.h"
#include "cli/frame/names.h"
#include "cli/judge/adapters.h"
#include "cli/judge/judge_commands.h"
#include "cli/new/project.h"
#include "park/bench/episode_result.h"
#include "park/command/strings.h"
#include "park/core/action_space.h"
#include "park/core/text.h"

namespace park::cli {
namespace {

/// A text with the environment's in place of @ENV@. The grammar of texts has no quotes of shells.
std::string with_env(std::string_view text, const std::string& env) {
  constexpr std::string_view kToken = "@ENV@";
  std::string all(text), escaped;
  for (const char c : env) escaped += c == '"' ? std::string("\\\"") : std::string(1, c);
  for (std::size_t at = 0; (at = all.find(kToken, at)) != std::string::npos;) {
    const bool python = at > 0 && all[at - 1] == '"';
    const std::string& by = python ? escaped : env;
    all.replace(at, kToken.size(), by);
    at += by.size();
  }
  return all;
}

/// A program that is legal everywhere: the first legal value of each head.
std::string first_program(const Spec& spec) {
  std::string text =
      "# A candidate for `park judge`: task.md says what a row has.\n"
      "# EVOLVE-BLOCK-START\n"
      "def decide(row):\n"
      "    chosen = {}\n";
  for (const Leaf& head : spec.action.leaves)
    text += "    chosen[\"" + head.name + "\"] = " +
            (head.dtype == DType::f32 ? '[' + number_text((head.low + head.high) / 2) + "] * " +
                                            std::to_string(head.width())
                                      : "row.legal(\"" + head.name + "\", chosen)[0]") +
            '\n';
  return text + "    return chosen\n# EVOLVE-BLOCK-END\n";
}

std::string leaf_line(const Leaf& leaf, const std::string& place) {
  const std::string many =
      leaf.width() > 1 ? std::to_string(leaf.width()) + " values " : std::string();
  return "- `" + leaf.name + "` (" + many + place + ", " + leaf.unit + ", " +
         number_text(leaf.low) + " to " + number_text(leaf.high) + "): " + leaf.doc + '\n';
}

std::string instruction(const Spec& spec, const std::string& env) {
  const Metric metric = bench::result_metrics(spec).front();
  std::string text =
      "# " + spec.name + "\n\n" + spec.summary + " (`" + env + "`).\n\n" +
      "Write a Python function `decide(row)` in `program.py`. It is called for every "
      "decision and returns a dictionary with a value for each head. It must be a "
      "function of the row: what it answered before may not matter.\n\n" +
      "Minimise" + '\n';
  if (!metric.lower_is_better) text.replace(text.rfind("Minimise"), 8, "Maximise");
  text.back() = ' ';
  text +=
      "`" + metric.name + "` (" + metric.unit + "): " + metric.doc +
      ". The score is 1 where a program is as good as the best tuned heuristic. Inputs on which "
      "it raises an exception, answers illegally or not at all count as the worst.\n\n"
      "`row[\"LEAF\"]` is a number, or a list with a value for each element of the leaf's group. "
      "`row.count(\"GROUP\")` is how many there are. `row.legal(\"HEAD\", chosen)` lists the "
      "legal values, where `chosen` has the values of earlier heads. There are no files, no "
      "network and no other modules than those of the standard library that compute.\n\n"
      "Heads:\n\n";
  for (const Leaf& head : spec.action.leaves)
    text += leaf_line(
        head, head.index_of.empty() ? "one number" : "an element of `" + head.index_of + '`');
  text += "\nLeaves:\n\n";
  for (const Leaf& leaf : spec.observation.leaves)
    if (!leaf.informative())
      text +=
          leaf_line(leaf, leaf.group.empty() ? "per row" : "per element of `" + leaf.group + '`');
  return text;
}

/// The files of a form.
std::vector<ProjectFile> task_files(const std::string& format, const Spec& spec,
                                    const std::string& env) {
  const std::string program = first_program(spec), task = instruction(spec, env);
  const auto filled = [&](std::string_view text) { return with_env(text, env); };
  if (format == "openevolve")
    return {{"initial_program.py", program},
            {"evaluator.py", filled(task_text::openevolve())},
            {"task.md", task}};
  if (format == "skydiscover")
    return {{"initial_program.py", program},
            {"evaluator.py", filled(task_text::skydiscover())},
            {"evaluate.sh", filled(task_text::skydiscover_sh())},
            {"task.md", task}};
  if (format == "shinka")
    return {
        {"initial.py", program}, {"evaluate.py", filled(task_text::shinka())}, {"task.md", task}};
  if (format == "gepa")
    return {
        {"program.py", program}, {"evaluator.py", filled(task_text::gepa())}, {"task.md", task}};
  return {{"instruction.md", task},
          {"task.toml", std::string(task_text::harbor_toml())},
          {"environment/Dockerfile", std::string(task_text::dockerfile())},
          {"environment/program.py", program},
          {"tests/test.sh", filled(task_text::harbor_sh())}};
}

class ExportCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .name = "export",
        .summary = "write a task folder for a system that evolves programs",
        .details =
            "OpenEvolve, SkyDiscover and ShinkaEvolve get an evaluator, GEPA a function, Harbor "
            "a task. Loops see validation inputs; Harbor's reward is of hidden ones.",
        .example = "park judge export --format openevolve --env load_balance --out task"};
  }

  void declare(Options& options) override {
    options.text("--out", "DIR", folder_, "a new folder", Options::Need::required);
    options.text("--env", "ENV", env_, "environment", Options::Need::required);
    options.choice("--format", format_, {"openevolve", "skydiscover", "shinka", "gepa", "harbor"},
                   "whose task folder it is");
  }

  void prepare(Session& session, Violations& wrong) override {
    if (!folder_.empty()) check_project_folder(folder_, wrong);
    if (!env_.empty()) static_cast<void>(read_env(session.registry(), env_, read_, wrong));
  }

  int run(Session& session) override {
    write_project(folder_, task_files(format_, read_.spec, read_.canonical));
    session.print(session.json() ? "{}\n" : "wrote " + folder_ + '\n');
    return kDone;
  }

 private:
  std::string folder_, env_, format_ = "openevolve";
  EnvInput read_;
};

}  // namespace

std::unique_ptr<Command> make_judge_export_command() { return std::make_unique<ExportCommand>(); }

}  // namespace park::cli
