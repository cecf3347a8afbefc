#include <utility>

#include "park/command/import_action.h"
#include "park/command/numbers.h"
#include "park/envs/dl_inference/arrivals/import_arrivals.h"
#include "park/envs/dl_inference/data/actions.h"
#include "park/files/shown.h"

namespace park::dl_inference::arrivals {
namespace {

class ImportArrivals final : public command::ImportAction {
 public:
  ImportArrivals(Form form, command::ActionInfo info)
      : ImportAction(std::move(info), field_infos<ImportOptions>()), form_(form) {}

 private:
  void read(const command::FieldOptions& given, Violations& wrong) override {
    given.read(options_, wrong);
  }
  void convert(std::vector<files::RecordedFile> recorded, const Append& append) override {
    report_ = import_arrivals(form_, std::move(recorded), options_, append);
  }
  [[nodiscard]] const files::RowCount& rows() const override { return report_; }
  void write_made(JsonWriter& json) const override {
    json.member("arrivals", report_.arrivals).member("length_s", report_.length_s);
    json.key("apps").begin_array();
    for (const std::string& app : report_.apps) json.value(app);
    json.end_array();
  }
  [[nodiscard]] std::string made() const override {
    std::string text = command::plural(report_.arrivals, "arrival") + " in " +
                       command::duration_text(report_.length_s) + '\n';
    for (std::size_t i = 0; i < report_.apps.size(); ++i)
      text += "application " + std::to_string(i) + ": " + files::shown(report_.apps[i]) + '\n';
    return text;
  }

  Form form_;
  ImportOptions options_;
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
