#include "park/envs/dag_scheduling/workload/describe.h"

#include <memory>

#include "park/command/output.h"
#include "park/envs/dag_scheduling/data/actions.h"
#include "park/envs/dag_scheduling/data/page.h"
#include "park/envs/dag_scheduling/data/summary_text.h"

namespace park::dag_scheduling::workload {
namespace {

class Describe final : public command::DataAction {
 public:
  command::ActionInfo info() const override {
    return {.name = "describe",
            .summary = "jobs, stages, tasks and samples of a workload file",
            .details =
                "Times are seconds: work is tasks times mean duration, the critical path "
                "the longest chain when every stage takes one mean task.",
            .example = "bundled --html workload.html"};
  }

  void declare(command::Options& options) override {
    options.text("FILE", "", file_, "a workload, or bundled for the one that comes with park",
                 command::Options::Need::required);
    options.text("--html", "FILE", html_,
                 "also write a page for a browser: graphs, distributions, durations");
    options.flag("--overwrite", overwrite_, "replace a file that exists");
  }

  void check(Violations& wrong) override {
    command::check_output("--html", html_, overwrite_, wrong);
    if (!html_.empty() && !html_.ends_with(".html"))
      wrong.add("--html: " + html_ + ": the name must end in .html");
  }

  void make(command::ReadProgress&) override { loaded_ = Workload::open(file_); }

  std::optional<command::DataPage> page() const override {
    if (html_.empty()) return std::nullopt;
    return workload_page(*loaded_, file_, html_);
  }

  void write_json(JsonWriter& json) const override {
    json.member("file", file_).key("workload");
    write_summary(json, summarize(*loaded_));
  }

  std::string text(std::size_t width) const override {
    return summary_text(summarize(*loaded_), width);
  }

 private:
  std::string file_, html_;
  bool overwrite_ = false;
  std::shared_ptr<const Workload> loaded_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_describe() { return std::make_unique<Describe>(); }

}  // namespace park::dag_scheduling::workload
