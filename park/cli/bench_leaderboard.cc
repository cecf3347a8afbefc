#include <algorithm>
#include <optional>

#include "park/cli/bench_commands.h"
#include "park/cli/files.h"
#include "park/cli/inputs.h"
#include "park/cli/numbers.h"
#include "park/cli/page.h"
#include "park/cli/results.h"
#include "park/core/json_writer.h"
#include "park/suite/figures.h"
#include "park/suite/record_json.h"
#include "park/suite/scores.h"

namespace park::cli {
namespace {

using Layout = JsonWriter::Layout;

/// A policy on the board of an environment, from one result or from several that are the same.
struct Row {
  std::string env, rows_hash;
  std::uint64_t seed = 0;
  const suite::BenchRecord* record = nullptr;
  const suite::Entry* entry = nullptr;
  std::vector<std::size_t> files{};
};

void write_file_facts(JsonWriter& json, const std::string& file, const suite::BenchRecord& record) {
  json.begin_object(Layout::line).member("file", file).member("suite", record.suite.name);
  json.member("started", record.started).member("commit", record.host.commit);
  json.member("processor", record.host.processor).member("interrupted", record.interrupted);
  json.member("failures", record.failures.size()).end_object();
}

void write_row(JsonWriter& json, const Row& row) {
  const suite::EnvFacts& env = row.record->environments[row.entry->env];
  const std::size_t m = suite::score_metric(*row.record, row.entry->env);
  const auto figures = suite::metric_figures(suite::metric_values(row.entry->episodes, m));
  const double interval[] = {figures.mean_bootstrap.low, figures.mean_bootstrap.high};
  const auto scale = suite::scale_of(*row.record, row.entry->env);
  json.begin_object(Layout::line).member("env", row.env).member("version", env.version);
  json.member("seed", row.seed).member("metric", env.metrics[m].name);
  json.member("unit", env.metrics[m].unit);
  json.member("better", env.metrics[m].lower_is_better ? "lower" : "higher");
  json.member("policy", row.entry->policy).member("baseline", row.entry->baseline);
  json.member("episodes", row.entry->episodes.size()).member("mean", figures.summary.mean);
  json.key("bootstrap95").values(interval).member("iqm", figures.iqm);
  json.member("score", scale ? scale->score(figures.summary.mean) : kUndefined);
  json.key("files").begin_array(Layout::line);
  for (const std::size_t file : row.files) json.value(file);
  json.end_array().end_object();
}

class LeaderboardCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .name = "leaderboard",
        .summary = "rank the policies of several results on one page",
        .details =
            "Ranks by the mean of the metric that scores count in, environment by "
            "environment; only results with the same configuration, version and seed share a "
            "table. Run park bench verify on the files first: a leaderboard believes them.",
        .example = "park bench leaderboard mine/results.json theirs/results.json --out board.html"};
  }

  void declare(Options& options) override {
    options.texts("FILE", files_, "files results.json of park bench", Options::Need::required);
    options.text("--out", "FILE", out_, "the page to write", Options::Need::required);
    options.flag("--overwrite", overwrite_, "replace a file that exists");
  }

  void prepare(Session&, Violations& wrong) override {
    check_output("--out", out_, overwrite_, wrong);
    for (const std::string& file : files_)
      attempt("FILE", wrong, [&] { records_.push_back(suite::read_record(file)); });
  }

  int run(Session& session) override {
    for (std::size_t f = 0; f < records_.size(); ++f) add_rows(f);
    const std::string data = as_json();
    write_file(out_, page({.title = "Leaderboard",
                           .body = assets::leaderboard_html(),
                           .scripts = {assets::common_js(), assets::leaderboard_js()},
                           .data = data}));
    session.print(session.json() ? data
                                 : out_ + ": " + plural(rows_.size(), "entry") + " from " +
                                       plural(records_.size(), "file") + '\n');
    return kDone;
  }

 private:
  void add_rows(std::size_t f) {
    const suite::BenchRecord& record = records_[f];
    for (const suite::Entry& entry : record.entries) {
      if (entry.episodes.empty()) continue;
      const suite::EnvFacts& env = record.environments[entry.env];
      Row row{.env = env.text, .rows_hash = suite::rows_hash(env, entry)};
      row.seed = record.suite.seed;
      row.record = &record;
      row.entry = &entry;
      const auto same = std::ranges::find_if(rows_, [&](const Row& other) {
        return other.env == row.env && other.entry->policy == entry.policy &&
               other.seed == row.seed && other.rows_hash == row.rows_hash;
      });
      (same == rows_.end() ? rows_.emplace_back(std::move(row)) : *same).files.push_back(f);
    }
  }

  [[nodiscard]] std::string as_json() const {
    JsonWriter json;
    json.begin_object().key("files").begin_array();
    for (std::size_t f = 0; f < records_.size(); ++f)
      write_file_facts(json, files_[f], records_[f]);
    json.end_array().key("rows").begin_array();
    for (const Row& row : rows_) write_row(json, row);
    return json.end_array().end_object().take();
  }

  std::vector<std::string> files_;
  std::string out_;
  bool overwrite_ = false;
  std::vector<suite::BenchRecord> records_;
  std::vector<Row> rows_;
};

}  // namespace

std::unique_ptr<Command> make_bench_leaderboard_command() {
  return std::make_unique<LeaderboardCommand>();
}

}  // namespace park::cli
