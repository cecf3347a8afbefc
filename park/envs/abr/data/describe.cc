#include "park/envs/abr/data/actions.h"
#include "park/envs/abr/data/trace_summary.h"
#include "park/envs/abr/traces/trace_set.h"

namespace park::abr::traces {
namespace {

class Describe final : public command::DataAction {
 public:
  command::ActionInfo info() const override {
    return {.name = "describe",
            .summary = "durations, bandwidths and outages of a folder of traces",
            .details =
                "Every file of FOLDER is a trace: lines \"time_s Mbps\". An outage is a run "
                "of intervals without any bandwidth; the autocorrelation is that of "
                "neighbouring intervals.",
            .example = "cellular"};
  }
  void declare(command::Options& options) override {
    options.text("FOLDER", "", folder_, "a folder of traces", command::Options::Need::required);
  }
  void make(command::ReadProgress&) override {
    all_ = read_traces(folder_);
    made_by_ = provenance_of(folder_);
  }
  void write_json(JsonWriter& json) const override {
    json.member("folder", folder_).member("provenance", made_by_);
    write_trace_summaries(json, all_);
  }
  std::string text(std::size_t width) const override {
    return made_by_ + trace_summary_text(all_, width);
  }

 private:
  std::string folder_, made_by_;
  std::vector<NetworkTrace> all_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_describe() { return std::make_unique<Describe>(); }

}  // namespace park::abr::traces
