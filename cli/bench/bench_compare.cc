#include <algorithm>

#include "cli/bench/bench_commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/names.h"
#include "cli/play/results.h"
#include "park/bench/changes.h"
#include "park/bench/failed_episodes.h"
#include "park/bench/results_json.h"
#include "park/command/numbers.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

std::string verdict(const bench::Change& change) {
  if (change.paired && change.differing == 0) return "equal";
  if (!change.beyond_noise()) return "within noise";
  return change.better() ? "better" : "worse";
}

class CompareCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "compare",
            .summary = "what changed between two results of a suite, beyond noise",
            .details =
                "Compares each metric that the suite reports, policy by policy. Where both have "
                "the same inputs, of equal seeds and data, the difference is paired. A change is "
                "beyond noise where its "
                "95 % bootstrap interval leaves out zero; of many rows some do so by chance.",
            .example = "park bench compare before/results.json after/results.json"};
  }

  bool takes_plugins() const override { return false; }
  void declare(Options& options) override {
    options.text("A", "", before_file_, "results.json of before", Options::Need::required);
    options.text("B", "", after_file_, "results.json of after", Options::Need::required);
  }

  void prepare(Session&, Violations& wrong) override {
    read("A", before_file_, before_, wrong);
    read("B", after_file_, after_, wrong);
  }

  int run(Session& session) override {
    const std::vector<bench::Change> all =
        bench::changes(bench::with_failures(before_), bench::with_failures(after_));
    const std::vector<std::string> alone = bench::unmatched(before_, after_);
    session.print(session.json() ? as_json(all, alone) : as_text(all, alone, session.width()));
    return kDone;
  }

 private:
  static void read(const char* option, const std::string& file, bench::BenchResults& to,
                   Violations& wrong) {
    if (!file.empty()) attempt(option, wrong, [&] { to = bench::read_results(file); });
  }

  static std::string as_text(const std::vector<bench::Change>& all,
                             const std::vector<std::string>& alone, std::size_t width) {
    using Align = Table::Align;
    Table table({{"environment, policy"},
                 {"metric"},
                 {"before", Align::right},
                 {"after", Align::right},
                 {"95 % interval of the change", Align::right},
                 {"episodes", Align::right},
                 {""}});
    std::string env;
    for (const bench::Change& change : all) {
      if (change.env != env) table.add_heading(env = change.env);
      const double both[] = {change.before, change.after};
      const int decimals = decimals_for(both);
      table.add({"  " + change.policy, change.metric.name, rounded(change.before, decimals),
                 rounded(change.after, decimals), interval_text(change.difference, decimals + 1),
                 std::to_string(change.episodes), verdict(change)});
    }
    const auto equal = std::ranges::count_if(all, [](auto& c) { return verdict(c) == "equal"; });
    std::string text = table.text(0, width) + '\n' + std::to_string(equal) + " of " +
                       plural(all.size(), "row") + " equal in every episode\n";
    for (const std::string& line : alone) text += line + '\n';
    return text;
  }

  static std::string as_json(const std::vector<bench::Change>& all,
                             const std::vector<std::string>& alone) {
    JsonWriter json;
    json.begin_object().key("changes").begin_array();
    for (const bench::Change& change : all) {
      const double interval[] = {change.difference.low, change.difference.high};
      json.begin_object(JsonWriter::Layout::line).member("env", change.env);
      json.member("policy", change.policy).member("metric", change.metric.name);
      json.member("before", change.before).member("after", change.after);
      json.key("bootstrap95").values(interval).member("paired", change.paired);
      json.member("episodes", change.episodes).member("differing", change.differing);
      json.member("verdict", verdict(change)).end_object();
    }
    json.end_array().key("unmatched").values(alone);
    return json.end_object().take();
  }

  std::string before_file_, after_file_;
  bench::BenchResults before_, after_;
};

}  // namespace

std::unique_ptr<Command> make_bench_compare_command() { return std::make_unique<CompareCommand>(); }

}  // namespace park::cli
