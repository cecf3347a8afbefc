// The work of `park bench`: add_host says what this build is, check_same and take_over go on with
// earlier results, train_agents trains, play_suite plays the blocks that are open and saves the results
// each minute. Threads call back one at a time, and progress is shown there.
#include "cli/bench/bench_run.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>

#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/frame/progress.h"
#include "cli/frame/version.h"
#include "park/bench/agents.h"
#include "park/bench/results_json.h"
#include "park/bench/results_parts.h"
#include "park/command/output.h"
#include "park/command/strings.h"
#include "park/runs/module.h"

namespace park::cli {
namespace {

constexpr double kSaveEveryS = 60;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

/// What decides the figures: suite, environments, files, build. Equal texts, equal figures.
std::string identity(const bench::BenchResults& results) {
  bench::BenchResults facts = results;
  facts.command.clear();
  facts.started.clear();
  JsonWriter json;
  json.begin_object();
  bench::write_manifest(json, facts);
  for (const bench::Entry& entry : results.entries) {
    if (entry.training) continue;
    json.key(entry.policy);
    bench::write_files(json, entry.files);
  }
  return json.end_object().take();
}

/// A line without its indentation and the comma behind it.
std::string bare(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  const std::size_t last = line.find_last_not_of(", ");
  return first > last ? "" : line.substr(first, last - first + 1);
}

/// The first line in which two texts differ, for people.
std::string first_difference(const std::string& a, const std::string& b) {
  const std::vector<std::string> lines_a = split(a, '\n'), lines_b = split(b, '\n');
  for (std::size_t i = 0; i < std::min(lines_a.size(), lines_b.size()); ++i)
    if (lines_a[i] != lines_b[i]) return bare(lines_a[i]) + " there, " + bare(lines_b[i]) + " here";
  return "one has more lines";
}

/// The blocks of all entries; one whose policy cannot be made fails as a whole.
std::vector<bench::Block> all_blocks(const Registry& registry, bench::BenchResults& results) {
  std::vector<bench::Block> all;
  for (std::size_t i = 0; i < results.entries.size(); ++i) try {
      const std::vector<bench::Block> blocks = bench::blocks_of(registry, results, i);
      all.insert(all.end(), blocks.begin(), blocks.end());
    } catch (const std::exception& error) {
      const std::uint64_t episodes = results.suite.environments[results.entries[i].env].episodes;
      results.failures.push_back({i, 0, episodes, error.what()});
    }
  return all;
}

std::uint64_t episodes_of(const std::vector<bench::Block>& blocks) {
  std::uint64_t sum = 0;
  for (const bench::Block& block : blocks) sum += block.count;
  return sum;
}

std::uint64_t decisions_of(const bench::BlockResult& result) {
  std::uint64_t sum = 0;
  for (const bench::EpisodeResult& episode : result.episodes) sum += episode.decisions;
  return sum;
}

/// Of its environments and policies.
std::vector<runs::PluginUsed> plugins_used(Session& session, const bench::BenchResults& results) {
  std::vector<std::string> environments, policies;
  for (const bench::EnvFacts& env : results.environments) environments.push_back(env.text);
  for (const bench::Entry& entry : results.entries) policies.push_back(entry.policy);
  return session.plugins().used(environments, policies);
}

}  // namespace

void add_host(Session& session, bench::BenchResults& results) {
  results.plugins = plugins_used(session, results);
  results.command = session.command();
  results.started = utc_now();
  results.host.park = build_info().version;
  results.host.commit = build_info().commit;
  results.host.compiler = build_info().compiler;
  const bool networks =
      !results.suite.agents.empty() || std::ranges::any_of(results.entries, &bench::Entry::network);
  std::error_code ignored;
  if (!networks || !std::filesystem::exists(runs::module_path(), ignored)) return;
  const runs::ModuleInfo module = runs::load_module().info();
  results.host.libtorch = module.libtorch;
  results.host.blas = module.blas;
}

void check_same(const bench::BenchResults& earlier, const bench::BenchResults& results) {
  const std::string there = identity(earlier), here = identity(results);
  if (there != here)
    throw Error(Errc::invalid_config,
                "holds results of something else: " + first_difference(there, here) +
                    "; give --overwrite or another folder");
}

void take_over(const bench::BenchResults& earlier, bench::BenchResults& results) {
  for (bench::Entry& entry : results.entries) {
    const auto same = std::ranges::find_if(earlier.entries, [&](const bench::Entry& other) {
      return other.env == entry.env && other.policy == entry.policy &&
             bench::same_files(other.files, entry.files);
    });
    if (same == earlier.entries.end()) continue;
    entry.episodes = same->episodes;
    entry.wall_s = same->wall_s;
  }
}

bool train_agents(Session& session, bench::BenchResults& results, std::uint32_t threads) {
  if (results.suite.agents.empty()) return true;
  Progress progress(session.console(), "trainings", bench::training_jobs(results.suite).size(),
                    "decisions");
  const auto on_end = [&](const bench::TrainingJob& job, const bench::Training& training) {
    progress.set_label(bench::job_folder(results.suite, job));
    progress.advance(1, 0);
    if (!training.error.empty())
      session.console().warn(bench::job_folder(results.suite, job) + ": " + training.error);
  };
  const auto on_iteration = [&](const bench::TrainingJob& job, std::uint64_t decisions) {
    progress.set_label(bench::job_folder(results.suite, job));
    progress.advance(0, decisions);
  };
  const bool ended =
      bench::train_agents(session.registry(), results, threads,
                          {.stop = [] { return interrupted() != 0; },
                           .on_iteration = on_iteration,
                           .on_end = on_end,
                           .warn = [&](const std::string& line) { session.console().warn(line); }});
  if (!ended) return false;
  std::vector<std::string> lines;
  bench::add_agents(session.registry(), results, lines);
  if (!lines.empty()) throw Error(Errc::bad_file, lines.front());
  return true;
}

void play_suite(Session& session, bench::BenchResults& results, std::uint32_t threads,
                const BenchFolder& folder) {
  const Registry& registry = session.registry();
  const std::vector<bench::Block> all = all_blocks(registry, results);
  const std::vector<bench::Block> open = bench::open_blocks(all, results);
  Progress progress(session.console(), "episodes", episodes_of(all), "decisions");
  progress.skip(episodes_of(all) - episodes_of(open));
  double saved_s = monotonic_s();
  results.interrupted = true;  // until all is played
  const auto on_block = [&](const bench::Block& block, bench::BlockResult&& result) {
    if (result.episodes.empty() && result.error.empty()) return;
    const std::string policy = bench::entry_name(results, results.entries[block.entry]);
    session.console().debug("played " + policy + " from episode " + std::to_string(block.first));
    progress.set_label(policy);
    progress.advance(result.episodes.size(), decisions_of(result));
    bench::add_block(results, block, std::move(result));
    if (folder.path.empty() || monotonic_s() - saved_s < kSaveEveryS) return;
    write_file(folder.results(), bench::results_json(results));
    saved_s = monotonic_s();
  };
  bench::play_blocks(registry, results, open, threads,
                     {.stop = [] { return interrupted() != 0; }, .on_block = on_block});
  results.interrupted = interrupted() != 0;
}

}  // namespace park::cli
