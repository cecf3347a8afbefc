#include "park/envs/abr/traces/generate.h"

#include "park/command/field_options.h"
#include "park/envs/abr/data/actions.h"
#include "park/envs/abr/data/write_traces.h"

namespace park::abr::traces {
namespace {

class Generate final : public WriteTraces {
 public:
  command::ActionInfo info() const override {
    return {.name = "generate",
            .summary = "synthetic traces of a cellular link",
            .details =
                "A Markov chain of levels, correlated fading around them, and outages: nothing in "
                "them was measured. Trace k of a seed is the same for any --traces, and the same "
                "command writes the same bytes.",
            .example = "--traces 40 --seed 7 --out cellular"};
  }
  void declare(command::Options& options) override {
    declare_out(options);
    fields_.declare(options);
  }
  void check(Violations& wrong) override {
    WriteTraces::check(wrong);
    fields_.read(config_, wrong);
  }

 private:
  TraceSet build() override {
    TraceSet set;
    for (auto& trace : generate_traces(config_)) set.add(std::move(trace));
    return set;
  }
  std::string provenance() const override {
    return "park traces generate" + command::options_text(config_) + "\ngenerator version " +
           std::to_string(kTraceGeneratorVersion) + ", nothing was measured";
  }

  command::FieldOptions fields_{field_infos<TraceGeneratorConfig>()};
  TraceGeneratorConfig config_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_generate() { return std::make_unique<Generate>(); }

}  // namespace park::abr::traces
