#include <algorithm>
#include <memory>

#include "park/cli/command.h"
#include "park/cli/field_options.h"
#include "park/cli/files.h"
#include "park/cli/numbers.h"
#include "park/cli/strings.h"
#include "park/cli/table.h"
#include "park/core/json_writer.h"
#include "park/traces/describe.h"
#include "park/traces/generate.h"
#include "park/traces/import_traces.h"
#include "park/workload/command_text.h"
#include "park/workload/unpack.h"

namespace park::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTracesShown = 100;  // to people

void write_summary(JsonWriter& json, const traces::TraceSummary& s) {
  json.begin_object(JsonWriter::Layout::line).member("name", s.name);
  json.member("intervals", s.intervals).member("duration_s", s.duration_s);
  json.member("mean_mbps", s.mean_mbps).member("sd_mbps", s.sd_mbps);
  json.member("min_mbps", s.min_mbps).member("max_mbps", s.max_mbps);
  json.member("autocorrelation", s.autocorrelation).member("outage_share", s.outage_share);
  json.member("outages", s.outages).member("outage_mean_s", s.outage_mean_s).end_object();
}

void add_summary(Table& table, const traces::TraceSummary& s) {
  table.add({s.name, rounded(s.duration_s, 1), rounded(s.mean_mbps, 3), rounded(s.sd_mbps, 3),
             rounded(s.min_mbps, 3), rounded(s.max_mbps, 3), rounded(s.autocorrelation, 3),
             rounded(s.outage_share, 4), std::to_string(s.outages), rounded(s.outage_mean_s, 2)});
}

std::string summary_text(const std::vector<envs::NetworkTrace>& all, std::size_t width) {
  using Align = Table::Align;
  Table table({{"trace"},
               {"s", Align::right},
               {"mean Mbps", Align::right},
               {"sd", Align::right},
               {"min", Align::right},
               {"max", Align::right},
               {"autocorr.", Align::right},
               {"outage share", Align::right},
               {"outages", Align::right},
               {"mean s", Align::right}});
  const std::size_t shown = std::min(all.size(), kMostTracesShown);
  for (std::size_t i = 0; i < shown; ++i) add_summary(table, traces::summarize(all[i]));
  if (shown < all.size())
    table.add_heading("and " + plural(all.size() - shown, "more trace") + "; --json lists all");
  add_summary(table, traces::summarize(std::span(all)));
  return plural(all.size(), "trace") + "\n\n" + table.text(0, width);
}

void write_summaries(JsonWriter& json, const std::vector<envs::NetworkTrace>& all) {
  json.key("all");
  write_summary(json, traces::summarize(std::span(all)));
  json.key("traces").begin_array();
  for (const auto& trace : all) write_summary(json, traces::summarize(trace));
  json.end_array();
}

/// A command whose result is one folder of traces.
class WriteTraces : public Command {
 public:
  void prepare(Session&, Violations& wrong) override {
    if (out_.empty()) return;
    try {
      traces::check_folder(out_, overwrite_);
    } catch (const Error& error) {
      wrong.add(std::string("--out: ") + error.what());
    }
  }

  int run(Session& session) final {
    const traces::TraceSet made = make();
    if (made.traces().empty()) throw Error(Errc::bad_file, nothing_left(made));
    try {
      traces::write_traces(out_, made.traces(), provenance(), overwrite_);
    } catch (const Error& error) {
      throw Failure(error.what());  // not the fault of what was given
    }
    session.json() ? print_json(made, session) : print_text(made, session);
    return kDone;
  }

 protected:
  void declare_out(Options& options) {
    options.text("--out", "FOLDER", out_, "the folder to write; exactly this path",
                 Options::Need::required);
    options.flag("--overwrite", overwrite_, "replace a folder of traces that park wrote");
  }
  virtual traces::TraceSet make() = 0;
  /// The command that made the traces.
  [[nodiscard]] virtual std::string provenance() const = 0;

 private:
  static std::string nothing_left(const traces::TraceSet& made) {
    std::string why = "no trace is left";
    for (const auto& one : made.left_out())
      why += "; " + plural(one.count, one.what) + ": " + one.why;
    return why;
  }
  void print_json(const traces::TraceSet& made, Session& session) const {
    JsonWriter json;
    json.begin_object().member("out", out_).member("provenance", provenance());
    json.member("lines", made.lines).key("left_out").begin_array();
    for (const auto& one : made.left_out()) {
      json.begin_object(JsonWriter::Layout::line).member("what", one.what).member("why", one.why);
      json.member("count", one.count).member("first", one.first).end_object();
    }
    write_summaries(json.end_array(), made.traces());
    session.print(json.end_object().take());
  }
  void print_text(const traces::TraceSet& made, Session& session) const {
    std::string text = "wrote " + out_ + '\n';
    for (const auto& one : made.left_out())
      text += "left out: " + plural(one.count, one.what) + ": " + one.why + "; the first is " +
              one.first + '\n';
    session.print(text + summary_text(made.traces(), session.width()));
  }

  std::string out_;
  bool overwrite_ = false;
};

/// What importers differ in.
template <Config Options>
struct Importer {
  CommandInfo info;
  void (*read)(workload::ByteSource&, const std::string&, const Options&, traces::TraceSet&);
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
  traces::TraceSet make() override {
    traces::TraceSet set;
    for (const std::string& path : files_) {
      const auto source = workload::plain_text(workload::file_source(path), path);
      importer_.read(*source, fs::path(path).filename().string(), config_, set);
    }
    return set;
  }
  std::string provenance() const override {
    std::string text = "park traces " + std::string(importer_.info.name);
    for (const std::string& path : files_) text += ' ' + fs::path(path).filename().string();
    return text + workload::options_text(config_);
  }

  Importer<C> importer_;
  std::vector<std::string> files_;
  FieldOptions fields_{field_infos<C>()};
  C config_;
};

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
  traces::TraceSet make() override {
    traces::TraceSet set;
    for (auto& trace : traces::generate_traces(config_)) set.add(std::move(trace));
    return set;
  }
  std::string provenance() const override {
    return "park traces generate" + workload::options_text(config_) + "\ngenerator version " +
           std::to_string(traces::kTraceGeneratorVersion) + ", nothing was measured";
  }

  FieldOptions fields_{field_infos<traces::TraceGeneratorConfig>()};
  traces::TraceGeneratorConfig config_;
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
    const auto all = envs::read_traces(folder_);
    std::string made = traces::provenance_of(folder_);
    if (session.json()) {
      JsonWriter json;
      json.begin_object().member("folder", folder_).member("provenance", made);
      write_summaries(json, all);
      session.print(json.end_object().take());
    } else {
      session.print(made + summary_text(all, session.width()));
    }
    return kDone;
  }

 private:
  std::string folder_;
};

template <Config C>
std::unique_ptr<Command> import_command(Importer<C> importer) {
  return std::make_unique<ImportTraces<C>>(std::move(importer));
}

class TracesCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "traces",
            .summary = "import, generate and describe network traces",
            .details = "",
            .example = "park traces import-mahimahi link.down --out traces"};
  }
  int run(Session&) override { return kBadInput; }  // a group is never run
  std::vector<std::unique_ptr<Command>> commands() override;
};

std::vector<std::unique_ptr<Command>> TracesCommand::commands() {
  std::vector<std::unique_ptr<Command>> all;
  all.push_back(import_command<traces::MahimahiOptions>(
      {{.name = "import-mahimahi",
        .summary = "traces of the link emulator Mahimahi",
        .details = "Each line of FILE is a time in milliseconds at which one packet of 1500 bytes "
                   "can leave; packets are counted in intervals.",
        .example = "park traces import-mahimahi verizon.down --bin-s 0.5 --out traces"},
       traces::import_mahimahi}));
  all.push_back(import_command<traces::FccOptions>(
      {{.name = "import-fcc",
        .summary = "raw measurements of the FCC's Measuring Broadband America",
        .details = "FILE is curr_webget.csv or curr_httpgetmt.csv. The throughputs of one unit to "
                   "one target, one after another, are taken as a link over time. The defaults "
                   "leave the traces that the literature uses.",
        .example = "park traces import-fcc curr_webget.csv --out traces"},
       traces::import_fcc}));
  all.push_back(import_command<traces::HsdpaOptions>(
      {{.name = "import-hsdpa",
        .summary = "logs of 3G commutes by Riiser et al.",
        .details = "Each line of FILE is the Unix time, milliseconds since the start, latitude, "
                   "longitude, bytes received, and the milliseconds that this took.",
        .example = "park traces import-hsdpa report.2010-09-13_1046CEST.log --out traces"},
       traces::import_hsdpa}));
  all.push_back(std::make_unique<GenerateTraces>());
  all.push_back(std::make_unique<DescribeTraces>());
  return all;
}

}  // namespace

std::unique_ptr<Command> make_traces_command() { return std::make_unique<TracesCommand>(); }

}  // namespace park::cli
