#include <filesystem>
#include <utility>

#include "park/command/field_options.h"
#include "park/envs/abr/data/actions.h"
#include "park/envs/abr/data/write_traces.h"
#include "park/envs/abr/traces/import_traces.h"
#include "park/files/unpack.h"

namespace park::abr::traces {
namespace {

namespace fs = std::filesystem;

/// What importers differ in.
template <Config Options>
struct Importer {
  command::ActionInfo info;
  void (*read)(files::ByteSource&, const std::string&, const Options&, TraceSet&);
};

template <Config C>
class ImportTraces final : public WriteTraces {
 public:
  explicit ImportTraces(Importer<C> importer) : importer_(std::move(importer)) {}
  command::ActionInfo info() const override { return importer_.info; }

  void declare(command::Options& options) override {
    options.texts("FILE", files_, "what was recorded, plain or packed with zstd, lz4 or gzip",
                  command::Options::Need::required);
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
    for (const std::string& path : files_) {
      const auto source = files::plain_text(files::file_source(path), path);
      importer_.read(*source, fs::path(path).filename().string(), config_, set);
    }
    return set;
  }
  std::string provenance() const override {
    std::string text = "park traces import-" + importer_.info.form;
    for (const std::string& path : files_) text += ' ' + fs::path(path).filename().string();
    return text + command::options_text(config_);
  }

  Importer<C> importer_;
  std::vector<std::string> files_;
  command::FieldOptions fields_{field_infos<C>()};
  C config_;
};

template <Config C>
std::unique_ptr<command::DataAction> import_action(Importer<C> importer) {
  return std::make_unique<ImportTraces<C>>(std::move(importer));
}

}  // namespace

std::unique_ptr<command::DataAction> make_import_mahimahi() {
  return import_action<MahimahiOptions>(
      {{.name = "import",
        .form = "mahimahi",
        .summary = "traces of the link emulator Mahimahi",
        .details = "Each line of FILE is a time in milliseconds at which one packet of 1500 bytes "
                   "can leave; packets are counted in intervals.",
        .example = "verizon.down --bin-s 0.5 --out traces"},
       import_mahimahi});
}

std::unique_ptr<command::DataAction> make_import_fcc() {
  return import_action<FccOptions>(
      {{.name = "import",
        .form = "fcc",
        .summary = "raw measurements of the FCC's Measuring Broadband America",
        .details = "FILE is curr_webget.csv or curr_httpgetmt.csv. The throughputs of one unit to "
                   "one target, one after another, are taken as a link over time. The defaults "
                   "leave the traces that the literature uses.",
        .example = "curr_webget.csv --out traces"},
       import_fcc});
}

std::unique_ptr<command::DataAction> make_import_hsdpa() {
  return import_action<HsdpaOptions>(
      {{.name = "import",
        .form = "hsdpa",
        .summary = "logs of 3G commutes by Riiser et al.",
        .details = "Each line of FILE is the Unix time, milliseconds since the start, latitude, "
                   "longitude, bytes received, and the milliseconds that this took.",
        .example = "report.2010-09-13_1046CEST.log --out traces"},
       import_hsdpa});
}

}  // namespace park::abr::traces
