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
#include "park/bench/agent_figures.h"
#include "park/bench/bundled.h"
#include "park/bench/failed_episodes.h"
#include "park/bench/figures.h"
#include "park/bench/results_json.h"
#include "park/bench/results_parts.h"
#include "park/bench/row_links.h"
#include "park/bench/scores.h"
#include "park/command/numbers.h"
#include "park/command/output.h"
#include "park/core/json_writer.h"
#include "park/files/sha256.h"

namespace park::cli {
namespace {

using Layout = JsonWriter::Layout;

/// Policies that played the same episodes of an environment, as results of that environment alone.
struct Board {
  bench::BenchResults results;
  std::vector<std::vector<std::size_t>> files{};  ///< by entry: those that have it
};

/// Whether an entry is judged by the metric of a board on the same inputs.
bool belongs(const bench::BenchResults& results, const bench::Entry& entry, const Board& board) {
  const bench::EnvFacts &env = results.environments[entry.env],
                        &there = board.results.environments.front();
  const std::string& metric = env.metrics[bench::score_metric(results, entry.env)].name;
  return env.text == there.text && env.version == there.version &&
         results.suite.seed == board.results.suite.seed &&
         metric == there.metrics[bench::score_metric(board.results, 0)].name &&
         bench::same_files(env.data, there.data) &&
         std::ranges::equal(entry.episodes, board.results.entries.front().episodes, {},
                            &bench::EpisodeResult::id, &bench::EpisodeResult::id);
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
  json.member("env", env.text).member("version", env.version);
  json.member("seed", board.results.suite.seed).member("metric", env.metrics[m].name);
  json.member("unit", env.metrics[m].unit);
  json.member("better", env.metrics[m].lower_is_better ? "lower" : "higher");
  json.member("policy", entry.policy).member("baseline", entry.baseline);
  json.member("episodes", entry.episodes.size()).member("failed", entry.failed.size());
  json.member("mean", figures.summary.mean);
  json.key("bootstrap95").values(interval).member("iqm", figures.iqm);
  const auto scale = bench::scale_of(board.results, 0);
  const double mean = figures.summary.mean;
  json.member("score", scale ? scale->score(mean) : kUndefined);
  json.member("percent_better", scale ? scale->percent_better(mean) : kUndefined);
  json.member("percent_to_bound", scale ? scale->percent_to_bound(mean) : kUndefined);
  json.key("files").begin_array(Layout::line);
  for (const std::size_t file : board.files[row]) json.value(file);
  json.end_array();
}

/// What agents have in common that are compared: all that the suite asks for but agents and policies.
std::string agents_board(bench::Suite suite) {
  suite.agents.clear();
  for (bench::SuiteEnv& env : suite.environments) {
    env.policies.clear();
    env.timeline.clear();
  }
  JsonWriter json;
  json.begin_object().member("decisions", suite.training.decisions).key("suite");
  bench::write_suite(json, suite);
  return files::sha256_text(json.end_object().take());
}

/// The agents of a file that were trained in all of its environments.
void write_agents(JsonWriter& json, std::size_t file, const bench::BenchResults& results) {
  if (results.suite.agents.empty()) return;
  const std::string board = agents_board(results.suite);
  const bench::AgentFigures figures = bench::agent_figures(results);
  for (std::size_t a = 0; a < figures.scores.size(); ++a) {
    const bench::AgentScores& one = figures.scores[a];
    if (!one.everywhere) continue;
    const double interval[] = {one.iqm.interval.low, one.iqm.interval.high};
    json.begin_object(Layout::line).member("board", board).member("suite", results.suite.name);
    json.member("agent", one.agent).member("environments", one.environments.size());
    json.member("seeds", results.suite.training.seeds).member("iqm", one.iqm.value);
    json.key("bootstrap95").values(interval).member("mean", one.mean.value);
    json.member("optimality_gap", one.optimality_gap.value);
    json.member("cpu_s", figures.costs[a].cpu_s).member("file", file).end_object();
  }
}

class LeaderboardCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .name = "leaderboard",
        .summary = "rank the policies and agents of several results on one page",
        .details =
            "Ranks by the mean of the metric that scores count in, environment by "
            "environment; only results of the same episodes of the same configuration, version, "
            "data and seed share a table, and scores count from its baselines. Agents are ranked "
            "over all environments of their suite, by the interquartile mean. Failed episodes "
            "count as the worst of their file. Run park bench verify on the files first: a "
            "leaderboard believes them.",
        .example = "park bench leaderboard mine/results.json theirs/results.json --out board.html"};
  }

  bool takes_plugins() const override { return false; }
  void declare(Options& options) override {
    options.texts("FILE", files_, "files results.json of park bench", Options::Need::required);
    options.text("--out", "FILE", out_, "the page to write", Options::Need::required);
    options.flag("--overwrite", overwrite_, "replace a file that exists");
  }

  void prepare(Session&, Violations& wrong) override {
    check_output("--out", out_, overwrite_, wrong);
    for (const std::string& file : files_)
      attempt("FILE", wrong,
              [&] { all_.push_back(bench::with_failures(bench::read_results(file))); });
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
    const auto same = std::ranges::find_if(
        boards_, [&](const Board& board) { return belongs(results, entry, board); });
    if (same != boards_.end()) return *same;
    return boards_.emplace_back(Board{.results = without_entries(results, entry.env)});
  }

  /// A row for each policy; one for several files where the figures are the same.
  static void add_row(std::size_t f, bench::Entry entry, Board& board) {
    entry.env = 0;
    std::vector<bench::Entry>& rows = board.results.entries;
    const std::string hash = bench::rows_sha256(board.results, entry);
    const auto same = std::ranges::find_if(rows, [&](const bench::Entry& other) {
      return other.policy == entry.policy && other.failed == entry.failed &&
             bench::rows_sha256(board.results, other) == hash;
    });
    if (same != rows.end())
      return board.files[static_cast<std::size_t>(same - rows.begin())].push_back(f);
    rows.push_back(std::move(entry));
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
    json.end_array().key("agents").begin_array();
    for (std::size_t f = 0; f < all_.size(); ++f) write_agents(json, f, all_[f]);
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
