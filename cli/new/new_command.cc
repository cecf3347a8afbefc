// `park new env NAME` and `park new policy NAME`: projects that build a plug-in. prepare checks the
// name and the folder; run writes the files of cli/new/templates with the name filled in.
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/frame/commands.h"
#include "cli/frame/group.h"
#include "cli/new/project.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

/// A kind of project in both languages.
struct NewKind {
  std::string name, summary, details;
  ProjectKind cpp, python;
};

class NewProject final : public Command {
 public:
  explicit NewProject(NewKind kind) : kind_(std::move(kind)) {}

  CommandInfo info() const override {
    return {.name = kind_.name,
            .summary = kind_.summary,
            .details = kind_.details,
            .example = "park new " + kind_.name + " my_" + kind_.name};
  }
  bool takes_plugins() const override { return false; }

  [[nodiscard]] bool takes_plugins() const override { return false; }

  void declare(Options& options) override {
    options.text("NAME", "", name_, "lower-case letters, digits and _; begins with a letter",
                 Options::Need::required);
    options.text("--out", "DIR", folder_, "a folder that is missing or empty; else ./NAME");
    options.flag("--python", python_, "a package of Python instead of a project of CMake");
  }

  void prepare(Session& session, Violations& wrong) override {
    if (name_.empty()) return;  // reported as missing
    check_project_name(session.registry(), kind(), name_, wrong);
    if (folder_.empty()) folder_ = name_;
    if (wrong.empty()) check_project_folder(folder_, wrong);
  }

  int run(Session& session) override {
    const std::vector<ProjectFile> files = project_files(kind(), name_);
    write_project(folder_, files);
    session.print(session.json() ? as_json(files) : as_text(files.size()));
    return kDone;
  }

 private:
  [[nodiscard]] const ProjectKind& kind() const { return python_ ? kind_.python : kind_.cpp; }

  [[nodiscard]] std::string as_text(std::size_t files) const {
    return "wrote " + std::to_string(files) + " files into " + folder_ + "; " + folder_ +
           "/README.md has the five commands\n";
  }

  [[nodiscard]] std::string as_json(const std::vector<ProjectFile>& files) const {
    JsonWriter json;
    json.begin_object().member("name", name_).member("kind", kind_.name);
    json.member("language", python_ ? "python" : "c++").member("out", folder_);
    json.key("files").begin_array();
    for (const ProjectFile& file : files) json.value(file.path.string());
    return json.end_array().end_object().take();
  }

  NewKind kind_;
  std::string name_, folder_;
  bool python_ = false;
};

CommandList projects() {
  CommandList all;
  all.push_back(std::make_unique<NewProject>(NewKind{
      .name = "env",
      .summary = "a project with an environment, two policies for it, and tests against theory",
      .details =
          "The environment is a server that chooses which of the waiting jobs it takes next: a "
          "group of jobs that varies in number, and a mean wait that theory knows.",
      .cpp = {"env", "newenv", {"", "_fifo", "_shortest"}},
      .python = {"python_env", "newenv", {"", "_fifo", "_shortest"}}}));
  all.push_back(std::make_unique<NewProject>(
      NewKind{.name = "policy",
              .summary = "a project with a policy that has a field to tune, and its tests",
              .details = "The policy plays environments of servers, such as load_balance. Its "
                         "README says what to change for another environment.",
              .cpp = {"policy", "newpolicy", {""}},
              .python = {"python_policy", "newpolicy", {""}}}));
  return all;
}

}  // namespace

void add_new_command(Commands& all) {
  all.add(
      97,
      group(
          {.name = "new",
           .summary = "begin an environment or a policy of your own, in a project outside of Park",
           .details =
               "Writes a project that builds a plug-in: a small model that works, its tests with "
               "the conformance properties, a recorded episode, a page, a file for continuous "
               "integration, and a README with five commands from the build to a trained policy. "
               "Every command takes the plug-in by --plugin FILE.",
           .example = "park new env my_env --out my_env"},
          projects));
}

}  // namespace park::cli
