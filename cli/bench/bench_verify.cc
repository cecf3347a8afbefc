#include <algorithm>
#include <limits>
#include <random>
#include <thread>

#include "cli/bench/bench_commands.h"
#include "cli/bench/bench_run.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/frame/progress.h"
#include "park/bench/results_json.h"
#include "park/bench/verify.h"
#include "park/command/numbers.h"
#include "park/core/json_writer.h"
#include "park/files/read.h"

namespace park::cli {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

class VerifyCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "verify",
            .summary = "check results.json: figures, hashes, and some episodes again",
            .details =
                "Computes every figure again from the rows, compares the suite, environments, data "
                "and networks with those that are here, checks that no episode is lacking, and "
                "plays at least 5 random episodes of each result again. All of it must agree "
                "exactly; a network's figure on another "
                "processor or build within 1 %. One line per mismatch; exit code 1 where there "
                "is one.",
            .example = "park bench verify bench-quick/results.json"};
  }

  void declare(Options& options) override {
    options.text("FILE", "", file_, "a results.json of park bench", Options::Need::required);
    options.integer("--seed", "S", seed_, {0, std::numeric_limits<std::uint64_t>::max()},
                    "chooses the episodes; without it they are others at every call");
    options.integer("--workers", "W", workers_, {1, 256}, "threads that play");
  }

  void prepare(Session&, Violations& wrong) override {
    if (file_.empty()) return;  // reported as a missing argument
    attempt("FILE", wrong, [&] {
      text_ = files::read_whole(file_, kMostBytes);
      results_ = bench::parse_results(text_, file_);
    });
  }

  int run(Session& session) override {
    const InterruptScope scope;
    lines_ = bench::check_figures(text_, file_);
    add_lines(bench::check_facts(session.registry(), results_));
    add_lines(bench::check_complete(results_));
    play_again(session);
    if (interrupted() != 0) throw Interrupted{};
    session.print(session.json() ? as_json() : as_text());
    return lines_.empty() ? kDone : kFailed;
  }

 private:
  void add_lines(const std::vector<std::string>& more) {
    lines_.insert(lines_.end(), more.begin(), more.end());
  }

  void play_again(Session& session) {
    const Registry& registry = session.registry();
    bench::BenchResults here = bench::resolve(registry, results_.suite);
    add_host(session, here);
    const std::uint64_t seed = seed_ ? *seed_ : std::random_device{}();
    const bench::Replay replay = bench::choose_blocks(registry, results_, seed);
    add_lines(replay.lines);
    episodes_ = replay.episodes;
    session.console().info("plays " + plural(episodes_, "episode") + " again, chosen by --seed " +
                           std::to_string(seed));
    Progress progress(session.console(), "episodes", episodes_, "decisions");
    const auto on_block = [&](const bench::Block& block, bench::BlockResult&& played) {
      progress.advance(bench::finished(results_, block).size(), 0);
      if (interrupted() == 0) add_lines(bench::check_block(results_, block, played, here.host));
    };
    bench::play_blocks(registry, results_, replay.blocks, static_cast<std::uint32_t>(workers_),
                       {.stop = [] { return interrupted() != 0; }, .on_block = on_block});
  }

  [[nodiscard]] std::string as_text() const {
    std::string text;
    for (const std::string& line : lines_) text += line + '\n';
    if (!lines_.empty()) return text + plural(lines_.size(), "mismatch") + '\n';
    text = file_ + ": all figures and hashes agree, and so do " + plural(episodes_, "episode") +
           " that were played again\n";
    if (results_.failures.empty()) return text;
    std::uint64_t failed = 0;
    for (const bench::EpisodeFailure& failure : results_.failures) failed += failure.count;
    return text + plural(failed, "episode") + " failed in the run\n";
  }

  [[nodiscard]] std::string as_json() const {
    JsonWriter json;
    json.begin_object().member("file", file_).member("agrees", lines_.empty());
    json.member("episodes_played_again", episodes_).key("mismatches").values(lines_);
    return json.end_object().take();
  }

  std::string file_, text_;
  std::optional<std::uint64_t> seed_;
  std::uint64_t workers_ = std::max(1u, std::thread::hardware_concurrency());
  bench::BenchResults results_;
  std::vector<std::string> lines_;
  std::uint64_t episodes_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_bench_verify_command() { return std::make_unique<VerifyCommand>(); }

}  // namespace park::cli
