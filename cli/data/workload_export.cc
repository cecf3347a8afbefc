#include <filesystem>
#include <string_view>

#include "cli/data/workload_commands.h"
#include "cli/frame/files.h"
#include "cli/frame/numbers.h"
#include "park/envs/dag_scheduling/workload/export_json.h"
#include "park/files/new_file.h"

namespace park::cli {
namespace {

/// Writes in one go, but not from memory: the text is many times larger than the workload.
void write_json(const dag_scheduling::Workload& workload, const std::string& path) {
  files::NewFile file(path);
  dag_scheduling::workload::export_json(workload,
                                        [&](std::string_view text) { file.append(text); });
  if (file.commit()) throw Failure(path + ": it cannot be written");
}

class Export final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "export",
            .summary = "a workload as JSON that import-dag reads",
            .details = "Nothing is lost: import-dag makes the same file of it again.",
            .example = "park workload export bundled --out tpch.json"};
  }

  void declare(Options& options) override {
    options.text("FILE", "", file_, "a workload, or bundled for the one that comes with park",
                 Options::Need::required);
    options.text("--out", "PATH", out_, "the file to write; exactly this path",
                 Options::Need::required);
    options.flag("--overwrite", overwrite_, "replace a file that exists");
  }

  void prepare(Session&, Violations& wrong) override {
    check_output("--out", out_, overwrite_, wrong);
  }

  int run(Session& session) override {
    const auto loaded = dag_scheduling::Workload::open(file_);
    write_json(*loaded, out_);
    const std::uintmax_t bytes = std::filesystem::file_size(out_);
    if (session.json()) {
      JsonWriter json;
      json.begin_object().member("out", out_).member("bytes", bytes);
      json.member("jobs", loaded->jobs().size()).member("samples", loaded->sample_count());
      session.print(json.end_object().take());
    } else {
      session.print("wrote " + out_ + ": " + plural(loaded->jobs().size(), "job") + ", " +
                    count_text(static_cast<double>(bytes)) + "B\n");
    }
    return kDone;
  }

 private:
  std::string file_, out_;
  bool overwrite_ = false;
};

}  // namespace

std::unique_ptr<Command> make_export_command() { return std::make_unique<Export>(); }

}  // namespace park::cli
