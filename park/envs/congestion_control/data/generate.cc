#include "park/envs/congestion_control/links/generate.h"

#include "park/command/field_options.h"
#include "park/envs/congestion_control/data/actions.h"
#include "park/envs/congestion_control/data/write_link.h"

namespace park::congestion_control::links {
namespace {

class Generate final : public WriteLink {
 public:
  command::ActionInfo info() const override {
    return {.name = "generate",
            .summary = "a synthetic link with fading and outages",
            .details =
                "Rates are the exponential of an autoregressive process: nothing in them was "
                "measured. The same command writes the same bytes.",
            .example = "--mbps 12 --sigma 0.6 --poisson true --seed 7 --out link.up"};
  }
  void declare(command::Options& options) override {
    declare_out(options);
    fields_.declare(options);
  }
  void check(Violations& wrong) override {
    WriteLink::check(wrong);
    fields_.read(config_, wrong);
  }

 private:
  net::Opportunities build() override { return generate_link(config_); }

  command::FieldOptions fields_{field_infos<GeneratorConfig>()};
  GeneratorConfig config_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_generate() { return std::make_unique<Generate>(); }

}  // namespace park::congestion_control::links
