#include <filesystem>
#include <utility>

#include "cli/data/traces_commands.h"
#include "cli/data/write_traces.h"
#include "cli/frame/field_options.h"
#include "park/envs/abr/traces/import_traces.h"
#include "park/envs/dag_scheduling/workload/command_text.h"
#include "park/files/unpack.h"

namespace park::cli {
namespace {

namespace fs = std::filesystem;

/// What importers differ in.
template <Config Options>
struct Importer {
  CommandInfo info;
  void (*read)(files::ByteSource&, const std::string&, const Options&, abr::traces::TraceSet&);
};

template <Config C>
class ImportTraces final : public WriteTraces {
 public:
  explicit ImportTraces(Importer<C> importer) : importer_(std::move(importer)) {}
  CommandInfo info() const override { return importer_.info; }

  void declare(Options& options) override {
    options.texts("FILE", files_, "what was recorded, plain or packed with zstd, lz4 or gzip",
                  Options::Need::required);
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
    for (const std::string& path : files_) {
      const auto source = files::plain_text(files::file_source(path), path);
      importer_.read(*source, fs::path(path).filename().string(), config_, set);
    }
    return set;
  }
  std::string provenance() const override {
    std::string text = "park traces " + std::string(importer_.info.name);
    for (const std::string& path : files_) text += ' ' + fs::path(path).filename().string();
    return text + dag_scheduling::workload::options_text(config_);
  }

  Importer<C> importer_;
  std::vector<std::string> files_;
  FieldOptions fields_{field_infos<C>()};
  C config_;
};

template <Config C>
std::unique_ptr<Command> import_command(Importer<C> importer) {
  return std::make_unique<ImportTraces<C>>(std::move(importer));
}

}  // namespace

std::unique_ptr<Command> make_import_mahimahi_command() {
  return import_command<abr::traces::MahimahiOptions>(
      {{.name = "import-mahimahi",
        .summary = "traces of the link emulator Mahimahi",
        .details = "Each line of FILE is a time in milliseconds at which one packet of 1500 bytes "
                   "can leave; packets are counted in intervals.",
        .example = "park traces import-mahimahi verizon.down --bin-s 0.5 --out traces"},
       abr::traces::import_mahimahi});
}

std::unique_ptr<Command> make_import_fcc_command() {
  return import_command<abr::traces::FccOptions>(
      {{.name = "import-fcc",
        .summary = "raw measurements of the FCC's Measuring Broadband America",
        .details = "FILE is curr_webget.csv or curr_httpgetmt.csv. The throughputs of one unit to "
                   "one target, one after another, are taken as a link over time. The defaults "
                   "leave the traces that the literature uses.",
        .example = "park traces import-fcc curr_webget.csv --out traces"},
       abr::traces::import_fcc});
}

std::unique_ptr<Command> make_import_hsdpa_command() {
  return import_command<abr::traces::HsdpaOptions>(
      {{.name = "import-hsdpa",
        .summary = "logs of 3G commutes by Riiser et al.",
        .details = "Each line of FILE is the Unix time, milliseconds since the start, latitude, "
                   "longitude, bytes received, and the milliseconds that this took.",
        .example = "park traces import-hsdpa report.2010-09-13_1046CEST.log --out traces"},
       abr::traces::import_hsdpa});
}

}  // namespace park::cli
