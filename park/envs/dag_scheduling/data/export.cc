#include <filesystem>
#include <string_view>

#include "park/command/numbers.h"
#include "park/command/out_option.h"
#include "park/command/output.h"
#include "park/envs/dag_scheduling/data/actions.h"
#include "park/envs/dag_scheduling/workload/export_json.h"
#include "park/files/new_file.h"

namespace park::dag_scheduling::workload {
namespace {

/// Writes in one go, but not from memory: the text is many times larger than the workload.
void export_file(const Workload& workload, const std::string& path) {
  files::NewFile file(path);
  export_json(workload, [&](std::string_view text) { file.append(text); });
  if (file.commit()) throw command::Failure(path + ": it cannot be written");
}

class Export final : public command::DataAction {
 public:
  command::ActionInfo info() const override {
    return {.name = "export",
            .summary = "a workload as JSON that import-dag reads",
            .details = "Nothing is lost: import-dag makes the same file of it again.",
            .example = "bundled --out tpch.json"};
  }

  void declare(command::Options& options) override {
    options.text("FILE", "", file_, "a workload, or bundled for the one that comes with park",
                 command::Options::Need::required);
    out_.declare(options);
  }

  void check(Violations& wrong) override { out_.check_file(wrong); }

  void make(command::ReadProgress&) override { loaded_ = Workload::open(file_); }

  void write() override {
    export_file(*loaded_, out_.path());
    bytes_ = std::filesystem::file_size(out_.path());
  }

  void write_json(JsonWriter& json) const override {
    json.member("out", out_.path()).member("bytes", bytes_);
    json.member("jobs", loaded_->jobs().size()).member("samples", loaded_->sample_count());
  }

  std::string text(std::size_t) const override {
    return "wrote " + out_.path() + ": " + command::plural(loaded_->jobs().size(), "job") + ", " +
           command::count_text(static_cast<double>(bytes_)) + "B\n";
  }

 private:
  std::string file_;
  command::OutOption out_;
  std::shared_ptr<const Workload> loaded_;
  std::uintmax_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<command::DataAction> make_export() { return std::make_unique<Export>(); }

}  // namespace park::dag_scheduling::workload
