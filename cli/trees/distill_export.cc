#include <optional>

#include "cli/frame/inputs.h"
#include "cli/trees/distill_commands.h"
#include "cli/trees/distill_output.h"
#include "park/core/json_writer.h"
#include "park/core/registry.h"
#include "park/files/new_file.h"
#include "park/trees/export.h"
#include "park/trees/tree_policy.h"

namespace park::cli {
namespace {

class DistillExportCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "export",
            .summary = "write a tree as C++, JSON, a graph or a page",
            .details =
                "cpp: one header that needs the standard library alone and chooses as the tree "
                "does. json: an object for programs. dot: a graph for Graphviz. html: a page for a "
                "browser.",
            .example = "park distill export my.tree --to cpp --out my_tree.h"};
  }

  void declare(Options& options) override {
    options.text("FILE", "", file_, "a file of trees", Options::Need::required);
    options.choice("--to", to_, {"cpp", "json", "dot", "html"}, "the form");
    options.text("--out", "G", out_, "the file to write; without it the text is the result");
    options.text(
        "--env", "ENV", env_text_,
        "cpp: an environment with the tree's layout; without it the one that the file names");
  }

  void prepare(Session& session, Violations& wrong) override {
    if (file_.empty()) return;  // reported as missing
    if (session.json() && out_.empty())
      wrong.add("--json: needs --out; --to json is the tree itself");
    attempt("FILE", wrong, [&] { tree_ = park::trees::read_tree_file(file_); });
    if (!tree_ || to_ != "cpp") return;
    attempt(env_text_.empty() ? "FILE" : "--env", wrong, [&] {
      const Spec spec = session.registry().spec(env_text_.empty() ? tree_->env : env_text_);
      text_ = park::trees::export_cpp(*tree_, file_, spec);
    });
  }

  int run(Session& session) override {
    if (to_ == "json") text_ = park::trees::export_json(*tree_);
    if (to_ == "html") text_ = tree_page(*tree_);
    if (to_ == "dot") text_ = park::trees::export_dot(*tree_);
    if (out_.empty()) {
      session.print(text_);
      return kDone;
    }
    files::write_file(out_, text_);
    JsonWriter json;
    json.begin_object().member("tree", file_).member("to", to_).member("file", out_);
    json.member("leaves", std::uint64_t{tree_->leaves()}).end_object();
    session.print(session.json() ? json.take() : "wrote " + out_ + '\n');
    return kDone;
  }

 private:
  std::string file_, to_ = "cpp", out_, env_text_, text_;
  std::optional<park::trees::TreeFile> tree_;
};

}  // namespace

std::unique_ptr<Command> make_distill_export_command() {
  return std::make_unique<DistillExportCommand>();
}

}  // namespace park::cli
