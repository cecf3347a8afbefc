#include <utility>

#include "park/command/import_action.h"
#include "park/command/numbers.h"
#include "park/envs/dl_cluster/data/actions.h"
#include "park/envs/dl_cluster/jobs/import_jobs.h"

namespace park::dl_cluster::jobs {
namespace {

class ImportJobs final : public command::ImportAction {
 public:
  ImportJobs(Form form, command::ActionInfo info)
      : ImportAction(std::move(info), field_infos<ImportOptions>()), form_(form) {}

 private:
  void read(const command::FieldOptions& given, Violations& wrong) override {
    given.read(options_, wrong);
  }
  void convert(std::vector<files::RecordedFile> recorded, const Append& append) override {
    report_ = import_jobs(form_, std::move(recorded), options_, append);
  }
  [[nodiscard]] const files::RowCount& rows() const override { return report_; }
  void write_made(JsonWriter& json) const override {
    json.member("jobs", report_.jobs).member("length_s", report_.length_s);
    json.member("gpu_s", report_.gpu_s).member("not_run", report_.not_run);
    json.member("not_completed", report_.not_completed);
  }
  [[nodiscard]] std::string made() const override {
    std::string text = command::plural(report_.jobs, "job") + " in " +
                       command::duration_text(report_.length_s) + ", " +
                       command::count_text(report_.gpu_s / 3600) + " GPU hours\n";
    if (report_.not_run > 0)
      text += "left out: " + command::plural(report_.not_run, "job") +
              " without a GPU or a known time on it\n";
    if (report_.not_completed > 0)
      text +=
          "left out: " + command::plural(report_.not_completed, "job") + " that did not end well\n";
    return text;
  }

  Form form_;
  ImportOptions options_;
  ImportReport report_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_import_philly() {
  return std::make_unique<ImportJobs>(
      Form::philly, command::ActionInfo{.name = "import",
                                        .form = "philly",
                                        .summary = "jobs of Microsoft's Philly clusters, 2017",
                                        .details = "FILE is cluster_job_log, in JSON.",
                                        .example = "cluster_job_log --out philly.csv"});
}

std::unique_ptr<command::DataAction> make_import_helios() {
  return std::make_unique<ImportJobs>(
      Form::helios,
      command::ActionInfo{.name = "import",
                          .form = "helios",
                          .summary = "jobs of SenseTime's Helios clusters, 2020",
                          .details = "FILE is cluster_log.csv of a cluster. The jobs of several "
                                     "clusters are merged by time.",
                          .example = "Venus/cluster_log.csv --take completed --out venus.csv"});
}

std::unique_ptr<command::DataAction> make_import_alibaba2020() {
  return std::make_unique<ImportJobs>(
      Form::alibaba2020,
      command::ActionInfo{
          .name = "import",
          .form = "alibaba2020",
          .summary = "jobs of Alibaba PAI, 2020",
          .details = "FILE is pai_job_table.csv or pai_task_table.csv; both are needed.",
          .example = "pai_job_table.csv pai_task_table.csv --out pai.csv"});
}

std::unique_ptr<command::DataAction> make_import_alibaba2023() {
  return std::make_unique<ImportJobs>(
      Form::alibaba2023,
      command::ActionInfo{
          .name = "import",
          .form = "alibaba2023",
          .summary = "pods of a GPU cluster of Alibaba, 2023",
          .details = "FILE is one of openb_pod_list_*.csv.",
          .example = "openb_pod_list_default.csv --begin-s 9437497 --out pods.csv"});
}

}  // namespace park::dl_cluster::jobs
