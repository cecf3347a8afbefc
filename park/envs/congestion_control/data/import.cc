#include <string>
#include <utility>

#include "park/command/field_options.h"
#include "park/envs/congestion_control/data/actions.h"
#include "park/envs/congestion_control/data/read_trace.h"
#include "park/envs/congestion_control/data/write_link.h"
#include "park/envs/congestion_control/links/import_links.h"
#include "park/files/unpack.h"

namespace park::congestion_control::links {
namespace {

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
