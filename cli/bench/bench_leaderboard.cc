// `park bench leaderboard`: ranks entries of several results. Entries that were judged by the same
// metric on the same inputs share a Board; equal rows of several files are one. Files are read in
// prepare, boards are filled file by file, and the page or the JSON text is made of them at the
// end.
#include <algorithm>
#include <optional>

#include "cli/bench/bench_commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/names.h"
#include "cli/play/results.h"
#include "cli/web/page.h"
#include "park/bench/bundled.h"
#include "park/bench/figures.h"
#include "park/bench/results_json.h"
#include "park/bench/results_parts.h"
#include "park/bench/scores.h"
#include "park/command/numbers.h"
#include "park/command/output.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

using Layout = JsonWriter::Layout;

/// Policies that played the same episodes of an environment, as results of that environment alone.
struct Board {
  std::string inputs;
  bench::BenchResults results;
  std::vector<std::vector<std::size_t>> files{};  ///< by entry: those that have it
};

/// What entries must have in common to share a board: one is judged by the same metric on the same
/// inputs.
std::string inputs_of(const bench::BenchResults& results, const bench::Entry& entry) {
  const bench::EnvFacts& env = results.environments[entry.env];
  JsonWriter json;
  json.begin_array().value(env.text).value(env.version).value(results.suite.seed);
  json.value(env.metrics[bench::score_metric(results, entry.env)].name);
  bench::write_files(json, env.data);
  for (const bench::EpisodeResult& episode : entry.episodes) json.value(episode.id);
  return json.end_array().take();
}

bench::BenchResults without_entries(const bench::BenchResults& results, std::size_t env) {
  bench::BenchResults one{.suite = results.suite};
  one.suite.environments = {results.suite.environments[env]};
  one.environments = {results.environments[env]};
  return one;
}

void write_file_facts(JsonWriter& json, const std::string& file,
                      const bench::BenchResults& results) {
  const bool changed = !bench::changes_of_bundled(results.suite).empty();
  json.begin_object(Layout::line).member("file", file);
  json.member("suite", results.suite.name + (changed ? " (changed)" : ""));
  json.member("started", results.started).member("commit", results.host.commit);
  json.member("processor", results.host.processor).member("interrupted", results.interrupted);
  json.member("failures", results.failures.size()).end_object();
}

void write_row(JsonWriter& json, const Board& board, std::size_t row) {
  const bench::EnvFacts& env = board.results.environments.front();
  const bench::Entry& entry = board.results.entries[row];
  const std::size_t m = bench::score_metric(board.results, 0);
  const auto figures = bench::metric_figures(bench::metric_values(entry.episodes, m));
  const double interval[] = {figures.mean_bootstrap.low, figures.mean_bootstrap.high};
  const auto scale = bench::scale_of(board.results, 0);
  json.member("env", env.text).member("version", env.version);
  json.member("seed", board.results.suite.seed).member("metric", env.metrics[m].name);
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
      attempt("FILE", wrong, [&] { all_.push_back(bench::read_results(file)); });
  }

  int run(Session& session) override {
    for (std::size_t f = 0; f < all_.size(); ++f) add_rows(f);
    const std::string data = as_json();
    write_file(out_, page({.title = "Leaderboard",
                           .body = assets::leaderboard_html(),
                           .scripts = {assets::common_js(), assets::leaderboard_js()},
                           .data = data}));
    std::size_t rows = 0;
    for (const Board& board : boards_) rows += board.files.size();
    session.print(session.json() ? data
                                 : out_ + ": " + plural(rows, "entry") + " from " +
                                       plural(all_.size(), "file") + '\n');
    return kDone;
  }

 private:
  void add_rows(std::size_t f) {
    const bench::BenchResults& results = all_[f];
    for (const bench::Entry& entry : results.entries)
      if (!entry.episodes.empty()) add_row(f, entry, board_of(results, entry));
  }

  Board& board_of(const bench::BenchResults& results, const bench::Entry& entry) {
    const std::string inputs = inputs_of(results, entry);
    const auto same = std::ranges::find(boards_, inputs, &Board::inputs);
    if (same != boards_.end()) return *same;
    return boards_.emplace_back(
        Board{.inputs = inputs, .results = without_entries(results, entry.env)});
  }

  /// A row for each policy; one for several files where the figures are the same.
  static void add_row(std::size_t f, const bench::Entry& entry, Board& board) {
    const bench::EnvFacts& env = board.results.environments.front();
    std::vector<bench::Entry>& rows = board.results.entries;
    const auto same = std::ranges::find_if(rows, [&](const bench::Entry& other) {
      return other.policy == entry.policy &&
             bench::rows_hash(env, other) == bench::rows_hash(env, entry);
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
    for (std::size_t f = 0; f < all_.size(); ++f) write_file_facts(json, files_[f], all_[f]);
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
  std::vector<bench::BenchResults> all_;
  std::vector<Board> boards_;
};

}  // namespace

std::unique_ptr<Command> make_bench_leaderboard_command() {
  return std::make_unique<LeaderboardCommand>();
}

}  // namespace park::cli
