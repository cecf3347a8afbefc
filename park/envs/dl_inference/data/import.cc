#include <filesystem>
#include <optional>
#include <utility>

#include "park/command/field_options.h"
#include "park/command/numbers.h"
#include "park/command/out_option.h"
#include "park/command/output.h"
#include "park/envs/dl_inference/arrivals/import_arrivals.h"
#include "park/envs/dl_inference/data/actions.h"
#include "park/files/new_file.h"
#include "park/files/shown.h"
#include "park/files/unpack.h"

namespace park::dl_inference::arrivals {
namespace {

namespace fs = std::filesystem;

/// Writes a trace while it reads; the file has its name only when all was well.
class ImportArrivals final : public command::DataAction {
 public:
  ImportArrivals(Form form, command::ActionInfo info) : form_(form), info_(std::move(info)) {}
  [[nodiscard]] command::ActionInfo info() const override { return info_; }

  void declare(command::Options& options) override {
    options.texts("FILE", files_, "what was recorded, plain or packed with zstd, lz4 or gzip",
                  command::Options::Need::required);
    out_.declare(options);
    fields_.declare(options);
  }
  void check(Violations& wrong) override {
    out_.check_file(wrong);
    fields_.read(options_, wrong);
  }
  void make(command::ReadProgress&) override {
    std::vector<Input> inputs;
    for (const std::string& path : files_)
      inputs.push_back(
          {fs::path(path).filename().string(), files::plain_text(files::file_source(path), path)});
    file_.emplace(out_.path(), files::WriteOptions{.synced = true});
    report_ = import_arrivals(form_, std::move(inputs), options_,
                              [&](std::string_view bytes) { file_->append(bytes); });
  }
  void write() override {
    if (const std::error_code error = file_->commit())
      throw command::Failure(out_.path() + ": " + error.message());
  }
  void write_json(JsonWriter& json) const override {
    json.member("out", out_.path()).member("arrivals", report_.arrivals);
    json.member("length_s", report_.length_s).member("rows", report_.rows);
    json.member("broken", report_.broken).key("first_broken").begin_array();
    for (const std::string& line : report_.first_broken) json.value(line);
    json.end_array().key("apps").begin_array();
    for (const std::string& app : report_.apps) json.value(app);
    json.end_array();
  }
  [[nodiscard]] std::string text(std::size_t) const override {
    std::string text = "wrote " + out_.path() + ": " +
                       command::plural(report_.arrivals, "arrival") + " in " +
                       command::duration_text(report_.length_s) + '\n';
    for (std::size_t i = 0; i < report_.apps.size(); ++i)
      text += "application " + std::to_string(i) + ": " + files::shown(report_.apps[i]) + '\n';
    if (report_.broken > 0)
      text += "left out: " + command::plural(report_.broken, "broken row") + " of " +
              std::to_string(report_.rows) + '\n';
    for (const std::string& line : report_.first_broken) text += "  " + line + '\n';
    return text;
  }

 private:
  Form form_;
  command::ActionInfo info_;
  std::vector<std::string> files_;
  command::OutOption out_;
  command::FieldOptions fields_{field_infos<ImportOptions>()};
  ImportOptions options_;
  std::optional<files::NewFile> file_;
  ImportReport report_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_import_azure() {
  return std::make_unique<ImportArrivals>(
      Form::azure,
      command::ActionInfo{
          .name = "import",
          .form = "azure",
          .summary = "arrivals of the LLM inference traces of Azure, 2023 and 2024",
          .details = "FILE has the column TIMESTAMP. Each FILE becomes an application; files are "
                     "merged by time.",
          .example = "AzureLLMInferenceTrace_code.csv AzureLLMInferenceTrace_conv.csv --out "
                     "azure.csv"});
}

std::unique_ptr<command::DataAction> make_import_burstgpt() {
  return std::make_unique<ImportArrivals>(
      Form::burstgpt,
      command::ActionInfo{
          .name = "import",
          .form = "burstgpt",
          .summary = "arrivals of BurstGPT",
          .details = "FILE has the columns Timestamp (seconds) and Model. Each model becomes an "
                     "application.",
          .example = "BurstGPT_1.csv --length-s 86400 --out burstgpt.csv"});
}

}  // namespace park::dl_inference::arrivals
