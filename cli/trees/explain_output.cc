// What `park explain` prints of a policy. Every figure is a function of how often each episode counts;
// its interval comes from episodes drawn anew.
#include "cli/trees/explain_output.h"

#include <cmath>
#include <functional>

#include "cli/frame/names.h"
#include "cli/play/results.h"
#include "park/bench/bootstrap.h"
#include "park/command/numbers.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

using park::trees::EpisodeDraw;
using park::trees::ExplainPlan;
using park::trees::Explanation;
using park::trees::HeadFigures;
using park::trees::LevelFigures;
using park::trees::Share;
using park::trees::SimpleRule;

/// Of the simple rules, people see so many.
constexpr std::size_t kShownRules = 6;

using Figure = std::function<double(EpisodeDraw)>;

Figure figure_of(const Share& share) {
  return [&share](EpisodeDraw draw) { return share.value(draw); };
}

Interval interval_of(const Figure& figure, std::size_t episodes) {
  if (episodes < 2) return {};
  const bench::BootstrapOptions options;
  Rng rng = Rng(options.seed).split("explain");
  std::vector<std::uint32_t> counts(episodes);
  std::vector<double> replicates;
  for (std::uint32_t r = 0; r < options.replicates; ++r) {
    bench::draw_counts(rng, counts);
    replicates.push_back(figure(counts));
  }
  return bench::percentile_interval(replicates, options.level);
}

std::string rule_text(const SimpleRule& rule) {
  return (rule.first.empty() ? "" : rule.first + " first, then ") +
         (rule.smallest ? "smallest " : "largest ") + rule.leaf;
}

/// The figures of a level, a line each.
class LevelTable {
 public:
  explicit LevelTable(std::size_t episodes)
      : episodes_(episodes),
        table_(
            {{"figure"}, {"value", Table::Align::right}, {"95 % interval", Table::Align::right}}) {}

  [[nodiscard]] std::string text(const LevelFigures& level) {
    for (const auto& binary : level.binary)
      add("gain ratio of " + binary.leaf,
          [&](EpisodeDraw draw) { return binary.gain_ratio(draw); });
    if (level.forest) {
      add("forest, seen: ", level.forest->seen);
      add("forest, unseen: ", level.forest->unseen);
      add("random order: ", level.forest->by_chance);
    }
    for (std::size_t r = 0; r < std::min(level.rules.size(), kShownRules); ++r)
      add(rule_text(level.rules[r]), figure_of(level.rules[r].share));
    if (!level.rules.empty()) add("any one, by chance", figure_of(level.by_chance));
    return table_.empty() ? "" : table_.text(2);
  }

 private:
  void add(const std::string& name, const Figure& figure) {
    table_.add({name, rounded(figure({}), 3), interval_text(interval_of(figure, episodes_), 3)});
  }
  void add(const std::string& name, const park::trees::FirstShares& shares) {
    if (shares[0].count() == 0) return;
    const char* const which[] = {"first choice", "one of the first two", "one of the first three"};
    for (std::size_t k = 0; k < shares.size(); ++k) add(name + which[k], figure_of(shares[k]));
  }

  std::size_t episodes_;
  Table table_;
};

std::string head_text(const HeadFigures& head) {
  std::string text = head.name + ": " + plural(head.forced, "decision") + " with one value";
  if (head.followed.count() > 0)
    text += "; " + rounded(head.followed.count(), 0) +
            " that a rule narrows, the choice is what it keeps in " +
            rounded(100 * head.followed.value()) + " %";
  return text + "; " + std::to_string(head.free) + " free\n";
}

std::string level_text(const HeadFigures& head, const LevelFigures& level, std::size_t episodes) {
  std::string text = "\n" + head.name + ", level " + level.name + ": " +
                     plural(level.choices, "choice") + " among them";
  if (level.referred) text += ", " + std::to_string(level.compared) + " free";
  if (level.forest) text += "; forest fitted on " + plural(level.forest->fitted, "episode");
  return text + '\n' + LevelTable(episodes).text(level);
}

class FiguresJson {
 public:
  explicit FiguresJson(std::size_t episodes) : episodes_(episodes) {}

  void head(const HeadFigures& head) {
    json_.begin_object().member("head", head.name).member("forced", head.forced);
    json_.member("free", head.free).key("ruled");
    share(head.followed);
    json_.key("levels").begin_array();
    for (const LevelFigures& l : head.levels) level(l);
    json_.end_array().end_object();
  }
  JsonWriter& writer() { return json_; }

 private:
  void figure(const Figure& of) {
    const Interval interval = interval_of(of, episodes_);
    json_.member("value", of({})).key("bootstrap95");
    if (std::isnan(interval.low))
      json_.null();
    else
      json_.begin_array(JsonWriter::Layout::line)
          .value(interval.low)
          .value(interval.high)
          .end_array();
  }
  void share(const Share& of) {
    json_.begin_object(JsonWriter::Layout::line)
        .member("decisions", static_cast<std::uint64_t>(of.count()));
    figure(figure_of(of));
    json_.end_object();
  }
  void shares(const char* name, const park::trees::FirstShares& of) {
    json_.key(name).begin_array();
    for (const Share& s : of) share(s);
    json_.end_array();
  }

  void level(const LevelFigures& level) {
    json_.begin_object().member("level", level.name).member("referred", level.referred);
    json_.member("choices", level.choices).key("gain_ratios").begin_array();
    for (const auto& binary : level.binary) {
      json_.begin_object(JsonWriter::Layout::line).member("leaf", binary.leaf);
      figure([&](EpisodeDraw draw) { return binary.gain_ratio(draw); });
      json_.end_object();
    }
    json_.end_array().key("forest");
    if (level.forest) {
      json_.begin_object().member("fitted_episodes", std::uint64_t{level.forest->fitted});
      shares("seen", level.forest->seen);
      shares("unseen", level.forest->unseen);
      shares("by_chance", level.forest->by_chance);
      json_.end_object();
    } else {
      json_.null();
    }
    json_.member("compared", level.compared).key("by_chance");
    share(level.by_chance);
    rules(level);
    json_.end_object();
  }

  void rules(const LevelFigures& level) {
    json_.key("rules").begin_array();
    for (const SimpleRule& rule : level.rules) {
      json_.begin_object(JsonWriter::Layout::line).key("first");
      if (rule.first.empty())
        json_.null();
      else
        json_.value(rule.first);
      json_.member("order", rule.smallest ? "smallest" : "largest").member("leaf", rule.leaf);
      figure(figure_of(rule.share));
      json_.end_object();
    }
    json_.end_array();
  }

  std::size_t episodes_;
  JsonWriter json_;
};

}  // namespace

std::string explanation_text(const ExplainPlan& plan, const Explanation& all) {
  std::string text = plan.env + "\npolicy " + plan.policy + ", " +
                     plural(plan.episodes, "episode") + " of seed " + std::to_string(plan.seed) +
                     " (" + phase_name(plan.phase) + "), " + std::to_string(all.decisions) +
                     " decisions\n\n";
  for (const HeadFigures& head : all.heads) text += head_text(head);
  for (const HeadFigures& head : all.heads)
    for (const LevelFigures& level : head.levels)
      if (level.choices > 0) text += level_text(head, level, plan.episodes);
  std::string missing;
  for (const std::string& m : all.missing) missing += (missing.empty() ? "" : "; ") + m;
  return missing.empty() ? text : text + "\nmissing: " + missing + '\n';
}

std::string explanation_json(const ExplainPlan& plan, const Explanation& all) {
  FiguresJson json(plan.episodes);
  JsonWriter& out = json.writer();
  out.begin_object().member("env", plan.env).member("policy", plan.policy);
  out.member("phase", phase_name(plan.phase)).member("seed", plan.seed);
  out.member("episodes", plan.episodes).member("decisions", all.decisions);
  out.key("heads").begin_array();
  for (const HeadFigures& head : all.heads) json.head(head);
  out.end_array().key("missing").values(all.missing);
  return out.end_object().take();
}

}  // namespace park::cli
