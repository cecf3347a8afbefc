#include <algorithm>
#include <limits>
#include <random>
#include <thread>

#include "cli/bench/bench_commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/frame/progress.h"
#include "park/bench/agents.h"
#include "park/bench/results_json.h"
#include "park/bench/verify.h"
#include "park/command/numbers.h"
#include "park/core/json_writer.h"
#include "park/files/read.h"

namespace park::cli {
namespace {

constexpr std::uint64_t kMostResultsBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kChanged[] = {1, 3, 10};  // blocks, for which a probability is told

class VerifyCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "verify",
            .summary = "check results.json: figures, hashes, and some episodes again",
            .details =
                "Computes every figure again from the rows, compares the suite, environments, data "
                "and networks with those that are here, checks that no episode is lacking, and "
                "plays failed episodes and random ones of each result again. All of it must agree "
                "exactly. The last digits of a network may be others on another processor or "
                "build: --tolerance allows for that. One line per mismatch; exit code 1 where "
                "there is one. It says how probable it is that changed episodes are found. "
                "Servers and TorchScript that the file names are opened with an option only.",
            .example = "park bench verify bench-quick/results.json --share 0.2"};
  }

  void declare(Options& options) override {
    options.text("FILE", "", file_, "a results.json of park bench", Options::Need::required);
    options.integer("--seed", "S", seed_, {0, std::numeric_limits<std::uint64_t>::max()},
                    "chooses the episodes; without it they are others at every call");
    options.text("--share", "P", share_text_,
                 "part of each result's blocks of 8 episodes to play again, 0 to 1; without it at "
                 "least 5 episodes");
    options.text("--tolerance", "R", tolerance_text_,
                 "how far a network's figure may be off, relative, such as 0.01; without it not at "
                 "all");
    options.integer("--workers", "W", workers_, {1, 256}, "threads that play");
    options.flag("--allow-remote", opens_.remote,
                 "connect to the servers that environments and policies of the file name");
    options.flag("--allow-torchscript", opens_.torchscript,
                 "play TorchScript files again, which are programs with your rights");
  }

  void prepare(Session& session, Violations& wrong) override {
    share_ = read_share("--share", share_text_, wrong);
    tolerance_ = read_share("--tolerance", tolerance_text_, wrong);
    if (file_.empty()) return;  // reported as a missing argument
    attempt("FILE", wrong, [&] {
      text_ = files::read_whole(file_, kMostResultsBytes);
      results_ = bench::parse_results(text_, file_);
      session.plugins().check("FILE", results_.plugins, wrong);
    });
  }

  int run(Session& session) override {
    const InterruptScope scope;
    lines_ = bench::check_figures(text_, file_);
    if (results_.version != bench::kResultsVersion) throw Error(Errc::unavailable, lines_.front());
    const bench::Facts facts = bench::check_facts(session.registry(), results_, opens_);
    add_lines(facts.lines);
    add_lines(bench::check_trainings(session.registry(), results_));
    add_lines(bench::check_complete(results_));
    play_again(session, facts.agree);
    if (interrupted() != 0) throw Interrupted{};
    session.print(session.json() ? as_json() : as_text());
    return lines_.empty() ? kDone : kFailed;
  }

 private:
  void add_lines(const std::vector<std::string>& more) {
    lines_.insert(lines_.end(), more.begin(), more.end());
  }

  void play_again(Session& session, const std::vector<bool>& only) {
    const Registry& registry = session.registry();
    const std::uint64_t seed = seed_ ? *seed_ : std::random_device{}();
    replay_ = bench::choose_blocks(registry, results_,
                                   {.seed = seed, .share = share_, .only = only, .opens = opens_});
    add_lines(replay_.lines);
    const std::uint64_t episodes = replay_.episodes;
    session.console().info("plays " + plural(episodes, "episode") + " again, chosen by --seed " +
                           std::to_string(seed));
    Progress progress(session.console(), "episodes", episodes, "decisions");
    const auto on_block = [&](const bench::Block& block, bench::BlockResult&& played) {
      progress.advance(bench::finished(results_, block).size(), 0);
      if (interrupted() == 0) add_lines(bench::check_block(results_, block, played, tolerance_));
    };
    bench::play_blocks(registry, results_, replay_.blocks, static_cast<std::uint32_t>(workers_),
                       {.stop = [] { return interrupted() != 0; }, .on_block = on_block});
  }

  [[nodiscard]] std::string as_text() const {
    std::string text;
    for (const std::string& line : lines_) text += line + '\n';
    if (!lines_.empty()) return text + plural(lines_.size(), "mismatch") + '\n';
    text = file_ + ": all figures and hashes agree, and so do " +
           plural(replay_.episodes, "episode") + " that were played again\n";
    for (const std::uint64_t changed : kChanged)
      text += "a change of " + plural(changed, "block") + " of a result would be found with a " +
              "probability of " + rounded(replay_.finds(changed), 3) + " or more\n";
    if (results_.failures.empty()) return text;
    std::uint64_t failed = 0;
    for (const bench::EpisodeFailure& failure : results_.failures) failed += failure.count;
    return text + plural(failed, "episode") + " failed in the run\n";
  }

  [[nodiscard]] std::string as_json() const {
    JsonWriter json;
    json.begin_object().member("file", file_).member("agrees", lines_.empty());
    json.member("episodes_played_again", replay_.episodes);
    json.member("share", share_).member("tolerance", tolerance_).key("found").begin_array();
    for (const std::uint64_t changed : kChanged)
      json.begin_object(JsonWriter::Layout::line)
          .member("changed_blocks", changed)
          .member("probability", replay_.finds(changed))
          .end_object();
    json.end_array().key("mismatches").values(lines_);
    return json.end_object().take();
  }

  std::string file_, text_, share_text_, tolerance_text_;
  double share_ = 0, tolerance_ = 0;
  std::optional<std::uint64_t> seed_;
  std::uint64_t workers_ = std::max(1u, std::thread::hardware_concurrency());
  bench::Opens opens_;
  bench::BenchResults results_;
  std::vector<std::string> lines_;
  bench::Replay replay_;
};

}  // namespace

std::unique_ptr<Command> make_bench_verify_command() { return std::make_unique<VerifyCommand>(); }

}  // namespace park::cli
