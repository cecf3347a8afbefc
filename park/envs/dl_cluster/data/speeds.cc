// `park data speeds`: import dl2 and write make a file of our format, describe reads one. make reads
// the table, write writes its text, and the report lists the types with their best points. The
// program calls declare, check, make, write and the report in this order.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "park/command/numbers.h"
#include "park/command/out_option.h"
#include "park/command/output.h"
#include "park/command/table.h"
#include "park/core/error.h"
#include "park/envs/dl_cluster/data/actions.h"
#include "park/envs/dl_cluster/dl2_table.h"
#include "park/envs/dl_cluster/speed_table.h"
#include "park/files/read.h"

namespace park::dl_cluster::speeds {
namespace {

constexpr int kGrid = 16;  // servers and workers that the report looks at

/// The report: a line per type.
class TableAction : public command::DataAction {
 public:
  void write_json(JsonWriter& json) const override {
    const auto standing = table().standing_still(kGrid, kGrid);
    json.key("types").begin_array();
    for (std::size_t t = 0; t < table().types().size(); ++t) {
      const SpeedTable::Type& type = table().types()[t];
      const SpeedPoint best = best_of(t);
      json.begin_object(JsonWriter::Layout::line).member("name", type.about.name);
      json.member("points", measured_points(type).size());
      json.member("epoch_samples", type.about.epoch_samples).member("epochs", type.about.epochs);
      json.member("speed_1_1", table().speed(t, 1, 1)).member("best_speed", best.samples_per_s);
      json.member("best_servers", best.servers).member("best_workers", best.workers);
      json.member("stands_still", std::ranges::count(standing, type.about.name) > 0).end_object();
    }
    json.end_array();
  }
  std::string text(std::size_t width) const override {
    using Align = command::Table::Align;
    command::Table rows({{"type"},
                         {"points", Align::right},
                         {"speed 1+1", Align::right},
                         {"best", Align::right},
                         {"servers", Align::right},
                         {"workers", Align::right}});
    for (std::size_t t = 0; t < table().types().size(); ++t) {
      const SpeedTable::Type& type = table().types()[t];
      const SpeedPoint best = best_of(t);
      rows.add({type.about.name, std::to_string(measured_points(type).size()),
                command::rounded(table().speed(t, 1, 1), 3),
                command::rounded(best.samples_per_s, 3), command::rounded(best.servers, 0),
                command::rounded(best.workers, 0)});
    }
    return command::plural(table().types().size(), "type") +
           ", samples per second, up to 16 servers and 16 workers\n\n" + rows.text(0, width) +
           warnings();
  }

 protected:
  [[nodiscard]] virtual const SpeedTable& table() const = 0;

 private:
  [[nodiscard]] SpeedPoint best_of(std::size_t type) const {
    SpeedPoint best{1, 1, table().speed(type, 1, 1)};
    for (int s = 1; s <= kGrid; ++s)
      for (int w = 1; w <= kGrid; ++w)
        if (const double speed = table().speed(type, s, w); speed > best.samples_per_s)
          best = {static_cast<double>(s), static_cast<double>(w), speed};
    return best;
  }
  [[nodiscard]] std::string warnings() const {
    std::string text;
    for (const std::string& name : table().standing_still(kGrid, kGrid))
      text += "warning: the speed of '" + name +
              "' is 0 or below for some servers and workers; jobs that are grown there stand "
              "still with semantics=compat\n";
    return text;
  }
};

/// Writes a table to a file.
class WriteTable : public TableAction {
 public:
  void check(Violations& wrong) final { out_.check_file(wrong); }
  void write() final { command::write_file(out_.path(), table().text()); }
  void write_json(JsonWriter& json) const final {
    json.member("out", out_.path());
    TableAction::write_json(json);
  }
  std::string text(std::size_t width) const final {
    return "wrote " + out_.path() + '\n' + TableAction::text(width);
  }

 protected:
  void declare_out(command::Options& options) { out_.declare(options); }

 private:
  command::OutOption out_;
};

class ImportDl2 final : public WriteTable {
 public:
  command::ActionInfo info() const override {
    return {.name = "import",
            .form = "dl2",
            .summary = "the speed table of DL2's public code",
            .details =
                "FILE is config_speed.txt of a copy of that code, which has no licence and "
                "is no part of Park. Sizes and demands are those of its settings.",
            .example = "config_speed.txt --out speeds.csv"};
  }
  void declare(command::Options& options) override {
    options.text("FILE", "", file_, "DL2's config_speed.txt", command::Options::Need::required);
    declare_out(options);
  }
  void make(command::ReadProgress&) override {
    std::error_code error;
    const std::string text = files::read_file(file_, error, kMostTableBytes);
    if (error) throw Error(Errc::io, "FILE: cannot read '" + file_ + "': " + error.message());
    table_ = parse_dl2(text, std::filesystem::path(file_).filename().string());
  }

 private:
  const SpeedTable& table() const override { return *table_; }

  std::string file_;
  std::optional<SpeedTable> table_;
};

class Write final : public WriteTable {
 public:
  command::ActionInfo info() const override {
    return {.name = "write",
            .summary = "a bundled table, as a file to change",
            .details = "The formula of a bundled table is written at powers of two.",
            .example = "--out psworker.csv"};
  }
  void declare(command::Options& options) override { declare_out(options); }
  void make(command::ReadProgress&) override {}

 private:
  const SpeedTable& table() const override { return table_; }
  SpeedTable table_ = SpeedTable::psworker();
};

class Describe final : public TableAction {
 public:
  command::ActionInfo info() const override {
    return {.name = "describe",
            .summary = "types, points and best configurations of a table",
            .details = "TABLE is psworker, a file of speeds, or DL2's config_speed.txt.",
            .example = "psworker"};
  }
  void declare(command::Options& options) override {
    options.text("TABLE", "", path_, "what the field table of dl_cluster accepts",
                 command::Options::Need::required);
  }
  void make(command::ReadProgress&) override { table_ = SpeedTable::open(path_); }

 private:
  const SpeedTable& table() const override { return *table_; }
  std::string path_;
  std::shared_ptr<const SpeedTable> table_;
};

}  // namespace

std::unique_ptr<command::DataAction> make_import_dl2() { return std::make_unique<ImportDl2>(); }
std::unique_ptr<command::DataAction> make_write() { return std::make_unique<Write>(); }
std::unique_ptr<command::DataAction> make_describe() { return std::make_unique<Describe>(); }

}  // namespace park::dl_cluster::speeds
