#include "cli/data/trace_summary.h"
#include "cli/data/traces_commands.h"
#include "cli/data/write_traces.h"
#include "cli/frame/field_options.h"
#include "park/core/json_writer.h"
#include "park/envs/abr/traces/generate.h"
#include "park/envs/dag_scheduling/workload/command_text.h"

namespace park::cli {
namespace {

class GenerateTraces final : public WriteTraces {
 public:
  CommandInfo info() const override {
    return {.name = "generate",
            .summary = "synthetic traces of a cellular link",
            .details =
                "A Markov chain of levels, correlated fading around them, and outages: nothing in "
                "them was measured. Trace k of a seed is the same for any --traces, and the same "
                "command writes the same bytes.",
            .example = "park traces generate --traces 40 --seed 7 --out cellular"};
  }
  void declare(Options& options) override {
    declare_out(options);
    fields_.declare(options);
  }
  void prepare(Session& session, Violations& wrong) override {
    WriteTraces::prepare(session, wrong);
    fields_.read(config_, wrong);
  }

 private:
  abr::traces::TraceSet make() override {
    abr::traces::TraceSet set;
    for (auto& trace : abr::traces::generate_traces(config_)) set.add(std::move(trace));
    return set;
  }
  std::string provenance() const override {
    return "park traces generate" + dag_scheduling::workload::options_text(config_) +
           "\ngenerator version " + std::to_string(abr::traces::kTraceGeneratorVersion) +
           ", nothing was measured";
  }

  FieldOptions fields_{field_infos<abr::traces::TraceGeneratorConfig>()};
  abr::traces::TraceGeneratorConfig config_;
};

class DescribeTraces final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "describe",
            .summary = "durations, bandwidths and outages of a folder of traces",
            .details =
                "Every file of FOLDER is a trace: lines \"time_s Mbps\". An outage is a run "
                "of intervals without any bandwidth; the autocorrelation is that of "
                "neighbouring intervals.",
            .example = "park traces describe cellular"};
  }
  void declare(Options& options) override {
    options.text("FOLDER", "", folder_, "a folder of traces", Options::Need::required);
  }
  int run(Session& session) override {
    const auto all = abr::read_traces(folder_);
    std::string made = abr::traces::provenance_of(folder_);
    if (session.json()) {
      JsonWriter json;
      json.begin_object().member("folder", folder_).member("provenance", made);
      write_trace_summaries(json, all);
      session.print(json.end_object().take());
    } else {
      session.print(made + trace_summary_text(all, session.width()));
    }
    return kDone;
  }

 private:
  std::string folder_;
};

class TracesCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "traces",
            .summary = "import, generate and describe network traces",
            .details = "",
            .example = "park traces import-mahimahi link.down --out traces"};
  }
  int run(Session&) override { return kBadInput; }  // a group is never run
  std::vector<std::unique_ptr<Command>> commands() override {
    std::vector<std::unique_ptr<Command>> all;
    all.push_back(make_import_mahimahi_command());
    all.push_back(make_import_fcc_command());
    all.push_back(make_import_hsdpa_command());
    all.push_back(std::make_unique<GenerateTraces>());
    all.push_back(std::make_unique<DescribeTraces>());
    return all;
  }
};

}  // namespace

std::unique_ptr<Command> make_traces_command() { return std::make_unique<TracesCommand>(); }

}  // namespace park::cli
