#include <filesystem>
#include <string>
#include <utility>

#include "park/command/field_options.h"
#include "park/core/json_writer.h"
#include "park/envs/congestion_control/data/actions.h"
#include "park/envs/congestion_control/data/write_link.h"
#include "park/envs/congestion_control/links/import_links.h"
#include "park/envs/congestion_control/links/pantheon.h"
#include "park/files/unpack.h"
#include "park/net/opportunity_file.h"

namespace park::congestion_control::links {
namespace {

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// A file of opportunities, plain or packed.
net::Opportunities read_trace(const std::string& file) {
  const auto source = files::plain_text(files::file_source(file), file);
  std::string text(files::kBlock, '\0');
  std::size_t filled = 0;
  for (std::size_t n = 1; n > 0; filled += n) {
    if (filled == text.size()) text.resize(2 * text.size());
    n = source->read(std::span(text).subspan(filled));
  }
  text.resize(filled);
  if (source->cut_short())
    throw Error(Errc::bad_file, file + ": is cut short: a compressed file without its end");
  return net::parse_opportunities(text, name_of(file));
}

class ImportMahimahi final : public WriteLink {
 public:
  command::ActionInfo info() const override {
    return {.name = "import",
            .form = "mahimahi",
            .summary = "a list of opportunities of the link emulator Mahimahi",
            .details =
                "Each line of FILE is a time in milliseconds at which one packet of 1500 bytes "
                "can leave. The list is checked and written as Park reads it.",
            .example = "verizon.down --out verizon.link"};
  }
  void declare(command::Options& options) override {
    options.text("FILE", "", file_, "what was recorded, plain or packed with zstd, lz4 or gzip",
                 command::Options::Need::required);
    declare_out(options);
  }

 private:
  net::Opportunities build() override { return read_trace(file_); }
  std::string file_;
};

class ImportPantheon final : public WriteLink {
 public:
  command::ActionInfo info() const override {
    return {.name = "import",
            .form = "pantheon",
            .summary = "an experiment of Pantheon in the emulator Mahimahi",
            .details =
                "FILE is the pantheon_metadata.json beside the logs of a local experiment. Its "
                "uplink trace is checked and written, and the environment with the delay, "
                "loss, queue and flows of the experiment is printed. What the simulator has "
                "not is named.",
            .example = "data/pantheon_metadata.json --traces traces --out nepal.link"};
  }
  void declare(command::Options& options) override {
    options.text("FILE", "", file_, "pantheon_metadata.json", command::Options::Need::required);
    options.text("--traces", "FOLDER", traces_, "folder of the trace (default: that of FILE)");
    declare_out(options);
  }

 private:
  net::Opportunities build() override {
    const std::filesystem::path file(file_);
    experiment_ = parse_pantheon(*files::file_source(file_), name_of(file_));
    const std::filesystem::path folder =
        traces_.empty() ? file.parent_path() : std::filesystem::path(traces_);
    return read_trace((folder / experiment_.uplink_trace).string());
  }
  void write_more(JsonWriter& json) const override {
    json.member("env", environment_of(experiment_, out()));
    json.key("left_out").begin_array();
    for (const std::string& what : experiment_.left_out) json.value(what);
    json.end_array();
  }
  std::string more() const override {
    std::string text = "play it: park run '" + environment_of(experiment_, out()) + "'\n";
    for (const std::string& what : experiment_.left_out) text += "left out: " + what + '\n';
    return text;
  }

  std::string file_, traces_;
  PantheonExperiment experiment_;
};

class ImportThroughputs final : public WriteLink {
 public:
  ImportThroughputs(Form form, command::ActionInfo info) : form_(form), info_(std::move(info)) {}
  command::ActionInfo info() const override { return info_; }
  void declare(command::Options& options) override {
    options.text("FILE", "", file_, "CSV, plain or packed with zstd, lz4 or gzip",
                 command::Options::Need::required);
    declare_out(options);
    fields_.declare(options);
  }
  void check(Violations& wrong) override {
    WriteLink::check(wrong);
    fields_.read(options_, wrong);
  }

 private:
  net::Opportunities build() override {
    files::RecordedFile file{name_of(file_), files::plain_text(files::file_source(file_), file_)};
    return import_throughputs(form_, file, options_, rows_);
  }

  Form form_;
  command::ActionInfo info_;
  std::string file_;
  command::FieldOptions fields_{field_infos<ImportOptions>()};
  ImportOptions options_;
  files::RowCount rows_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_import_mahimahi() {
  return std::make_unique<ImportMahimahi>();
}

std::unique_ptr<command::DataAction> make_import_pantheon() {
  return std::make_unique<ImportPantheon>();
}

std::unique_ptr<command::DataAction> make_import_lumos5g() {
  return std::make_unique<ImportThroughputs>(
      Form::lumos5g,
      command::ActionInfo{.name = "import",
                          .form = "lumos5g",
                          .summary = "throughputs of the data set Lumos5G",
                          .details = "FILE has a row per second with the column Throughput, in "
                                     "Mbit/s. Its rows become a link that could carry just that.",
                          .example = "Lumos5G-v1.0.csv --run 3 --out walk.link"});
}

std::unique_ptr<command::DataAction> make_import_irish5g() {
  return std::make_unique<ImportThroughputs>(
      Form::irish5g,
      command::ActionInfo{.name = "import",
                          .form = "irish5g",
                          .summary = "throughputs of the Irish 5G data set",
                          .details = "FILE has a row per second with the column DL_bitrate, in "
                                     "kbit/s. Its rows become a link that could carry just that.",
                          .example = "B_2019.12.16_13.40.04.csv --out drive.link"});
}

}  // namespace park::congestion_control::links
