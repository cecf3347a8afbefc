#include <algorithm>
#include <limits>
#include <random>
#include <thread>

#include "agents/runs/durable.h"
#include "park/cli/bench_commands.h"
#include "park/cli/bench_run.h"
#include "park/cli/inputs.h"
#include "park/cli/interrupt.h"
#include "park/cli/numbers.h"
#include "park/cli/progress.h"
#include "park/core/json_writer.h"
#include "park/suite/record_json.h"
#include "park/suite/verify.h"

namespace park::cli {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

class VerifyCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "verify",
            .summary = "check results.json: figures, hashes, and some episodes again",
            .details =
                "Computes every figure again from the rows, compares the environments, data and "
                "networks with those that are here, and plays at least 5 random episodes of each "
                "result again. All of it must agree exactly; a network's figure on another "
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
      const std::vector<char> bytes = agents::read_whole(file_, kMostBytes);
      text_.assign(bytes.begin(), bytes.end());
      record_ = suite::parse_record(text_, file_);
    });
  }

  int run(Session& session) override {
    const InterruptScope scope;
    lines_ = suite::check_figures(text_, file_);
    add_lines(suite::check_facts(session.registry(), record_));
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
    suite::BenchRecord here = suite::resolve(registry, record_.suite);
    add_host(session, here);
    const std::uint64_t seed = seed_ ? *seed_ : std::random_device{}();
    const std::vector<suite::Block> blocks = suite::choose_blocks(registry, record_, seed);
    for (const suite::Block& block : blocks) episodes_ += block.count;
    session.console().info("plays " + plural(episodes_, "episode") + " again, chosen by --seed " +
                           std::to_string(seed));
    Progress progress(session.console(), "episodes", episodes_, "decisions");
    const auto on_block = [&](const suite::Block& block, suite::BlockResult&& played) {
      progress.advance(block.count, 0);
      if (interrupted() == 0) add_lines(suite::check_block(record_, block, played, here.host));
    };
    suite::play_blocks(registry, record_, blocks, static_cast<std::uint32_t>(workers_),
                       {.stop = [] { return interrupted() != 0; }, .on_block = on_block});
  }

  [[nodiscard]] std::string as_text() const {
    std::string text;
    for (const std::string& line : lines_) text += line + '\n';
    if (!lines_.empty()) return text + plural(lines_.size(), "mismatch") + '\n';
    return file_ + ": all figures and hashes agree, and so do " + plural(episodes_, "episode") +
           " that were played again\n";
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
  suite::BenchRecord record_;
  std::vector<std::string> lines_;
  std::uint64_t episodes_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_bench_verify_command() { return std::make_unique<VerifyCommand>(); }

}  // namespace park::cli
