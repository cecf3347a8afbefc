#include "park/envs/congestion_control/data/actions.h"
#include "park/envs/congestion_control/data/write_link.h"
#include "park/net/opportunity_file.h"

namespace park::congestion_control::links {
namespace {

class Describe final : public command::DataAction {
 public:
  command::ActionInfo info() const override {
    return {.name = "describe",
            .summary = "length, rates and gaps of a list of opportunities",
            .example = "link.up"};
  }
  void declare(command::Options& options) override {
    options.text("FILE", "", file_, "a list of opportunities", command::Options::Need::required);
  }
  void make(command::ReadProgress&) override {
    summary_ = summarize(*net::read_opportunities(file_, "FILE"));
  }
  void write_json(JsonWriter& json) const override {
    json.member("file", file_);
    write_summary(json, summary_);
  }
  std::string text(std::size_t width) const override {
    static_cast<void>(width);
    return summary_text(summary_);
  }

 private:
  std::string file_;
  LinkSummary summary_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_describe() { return std::make_unique<Describe>(); }

}  // namespace park::congestion_control::links
