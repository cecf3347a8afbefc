#include <algorithm>
#include <optional>

#include "park/cli/bench_commands.h"
#include "park/cli/files.h"
#include "park/cli/inputs.h"
#include "park/cli/numbers.h"
#include "park/cli/page.h"
#include "park/cli/results.h"
#include "park/core/json_writer.h"
#include "park/suite/bundled.h"
#include "park/suite/figures.h"
#include "park/suite/record_json.h"
#include "park/suite/record_parts.h"
#include "park/suite/scores.h"

namespace park::cli {
namespace {

using Layout = JsonWriter::Layout;

/// Policies that played the same episodes of an environment, as a record of that environment alone.
struct Board {
  std::string inputs;
  suite::BenchRecord record;
  std::vector<std::vector<std::size_t>> files{};  ///< by entry: those that have it
};

/// What entries must have in common to share a board: one is judged by the same metric on the same
/// inputs.
std::string inputs_of(const suite::BenchRecord& record, const suite::Entry& entry) {
  const suite::EnvFacts& env = record.environments[entry.env];
  JsonWriter json;
  json.begin_array().value(env.text).value(env.version).value(record.suite.seed);
  json.value(env.metrics[suite::score_metric(record, entry.env)].name);
  suite::write_files(json, env.data);
  for (const suite::EpisodeResult& episode : entry.episodes) json.value(episode.id);
  return json.end_array().take();
}

suite::BenchRecord without_entries(const suite::BenchRecord& record, std::size_t env) {
  suite::BenchRecord one{.suite = record.suite};
  one.suite.environments = {record.suite.environments[env]};
  one.environments = {record.environments[env]};
  return one;
}

void write_file_facts(JsonWriter& json, const std::string& file, const suite::BenchRecord& record) {
  const bool changed = !suite::changes_of_bundled(record.suite).empty();
  json.begin_object(Layout::line).member("file", file);
  json.member("suite", record.suite.name + (changed ? " (changed)" : ""));
  json.member("started", record.started).member("commit", record.host.commit);
  json.member("processor", record.host.processor).member("interrupted", record.interrupted);
  json.member("failures", record.failures.size()).end_object();
}

void write_row(JsonWriter& json, const Board& board, std::size_t row) {
  const suite::EnvFacts& env = board.record.environments.front();
  const suite::Entry& entry = board.record.entries[row];
  const std::size_t m = suite::score_metric(board.record, 0);
  const auto figures = suite::metric_figures(suite::metric_values(entry.episodes, m));
  const double interval[] = {figures.mean_bootstrap.low, figures.mean_bootstrap.high};
  const auto scale = suite::scale_of(board.record, 0);
  json.member("env", env.text).member("version", env.version);
  json.member("seed", board.record.suite.seed).member("metric", env.metrics[m].name);
  json.member("unit", env.metrics[m].unit);
  json.member("better", env.metrics[m].lower_is_better ? "lower" : "higher");
  json.member("policy", entry.policy).member("baseline", entry.baseline);
  json.member("episodes", entry.episodes.size()).member("mean", figures.summary.mean);
  json.key("bootstrap95").values(interval).member("iqm", figures.iqm);
  json.member("score", scale ? scale->score(figures.summary.mean) : kUndefined);
  json.key("files").begin_array(Layout::line);
  for (const std::size_t file : board.files[row]) json.value(file);
  json.end_array();
}

class LeaderboardCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .name = "leaderboard",
        .summary = "rank the policies of several results on one page",
        .details =
            "Ranks by the mean of the metric that scores count in, environment by "
            "environment; only results of the same episodes of the same configuration, version, "
            "data and seed share a table, and scores count from its baselines. Run park bench "
            "verify on the files first: a leaderboard believes them.",
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
    std::size_t rows = 0;
    for (const Board& board : boards_) rows += board.files.size();
    session.print(session.json() ? data
                                 : out_ + ": " + plural(rows, "entry") + " from " +
                                       plural(records_.size(), "file") + '\n');
    return kDone;
  }

 private:
  void add_rows(std::size_t f) {
    const suite::BenchRecord& record = records_[f];
    for (const suite::Entry& entry : record.entries)
      if (!entry.episodes.empty()) add_row(f, entry, board_of(record, entry));
  }

  Board& board_of(const suite::BenchRecord& record, const suite::Entry& entry) {
    const std::string inputs = inputs_of(record, entry);
    const auto same = std::ranges::find(boards_, inputs, &Board::inputs);
    if (same != boards_.end()) return *same;
    return boards_.emplace_back(
        Board{.inputs = inputs, .record = without_entries(record, entry.env)});
  }

  /// A row for each policy; one for several files where the figures are the same.
  static void add_row(std::size_t f, const suite::Entry& entry, Board& board) {
    const suite::EnvFacts& env = board.record.environments.front();
    std::vector<suite::Entry>& rows = board.record.entries;
    const auto same = std::ranges::find_if(rows, [&](const suite::Entry& other) {
      return other.policy == entry.policy &&
             suite::rows_hash(env, other) == suite::rows_hash(env, entry);
    });
    if (same != rows.end())
      return board.files[static_cast<std::size_t>(same - rows.begin())].push_back(f);
    rows.push_back(entry);
    rows.back().env = 0;
    board.files.push_back({f});
  }

  [[nodiscard]] std::string as_json() const {
    JsonWriter json;
    json.begin_object().key("files").begin_array();
    for (std::size_t f = 0; f < records_.size(); ++f)
      write_file_facts(json, files_[f], records_[f]);
    json.end_array().key("rows").begin_array();
    for (std::size_t b = 0; b < boards_.size(); ++b)
      for (std::size_t row = 0; row < boards_[b].files.size(); ++row) {
        json.begin_object(Layout::line).member("board", b);
        write_row(json, boards_[b], row);
        json.end_object();
      }
    return json.end_array().end_object().take();
  }

  std::vector<std::string> files_;
  std::string out_;
  bool overwrite_ = false;
  std::vector<suite::BenchRecord> records_;
  std::vector<Board> boards_;
};

}  // namespace

std::unique_ptr<Command> make_bench_leaderboard_command() {
  return std::make_unique<LeaderboardCommand>();
}

}  // namespace park::cli
