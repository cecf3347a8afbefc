// What `park explain` prints of one decision. For people, candidates are columns, because they are
// compared leaf by leaf; those that the policy likes best come first.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/frame/names.h"
#include "cli/play/play.h"
#include "cli/trees/explain_output.h"
#include "park/command/numbers.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

using park::trees::DecisionExplanation;
using park::trees::ExplainPlan;
using park::trees::HeadReason;
using park::trees::LeafChange;
using park::trees::LevelReason;

/// Inputs whose part of a value people see.
constexpr std::size_t kShownReasons = 5;
constexpr std::size_t kCellWidth = 11;

/// Places of candidates: the chosen one, then by falling score, then by value.
std::vector<std::size_t> shown_order(const HeadReason& head) {
  std::vector<std::size_t> order(head.candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!head.scores.empty())
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t c) { return head.scores[c]; });
  const auto chosen = std::ranges::find(order, head.chosen);
  std::rotate(order.begin(), chosen, chosen + 1);
  return order;
}

std::string candidates_text(const HeadReason& head, std::size_t width) {
  std::size_t first = 9;
  for (const std::string& leaf : head.leaves) first = std::max(first, leaf.size());
  std::vector<std::size_t> order = shown_order(head);
  const std::size_t fit = width > first + 4 ? (width - first - 4) / (kCellWidth + 2) : 1;
  const std::size_t hidden = order.size() - std::min(order.size(), std::max(fit, std::size_t{2}));
  order.resize(order.size() - hidden);
  std::vector<Table::Column> columns{{"candidate"}};
  for (const std::size_t c : order)
    columns.push_back(
        {std::to_string(head.candidates[c]) + (c == head.chosen ? "*" : ""), Table::Align::right});
  Table table(std::move(columns));
  const auto add = [&](const std::string& name, const auto& value) {
    std::vector<std::string> cells{name};
    for (const std::size_t c : order) cells.push_back(value(c));
    table.add(std::move(cells));
  };
  if (!head.scores.empty())
    add("score", [&](std::size_t c) { return rounded(static_cast<double>(head.scores[c])); });
  for (const auto& [group, elements] : head.references)
    add(group, [&](std::size_t c) { return std::to_string(elements[c]); });
  for (std::size_t l = 0; l < head.leaves.size(); ++l)
    add(head.leaves[l],
        [&](std::size_t c) { return rounded(static_cast<double>(head.table[l][c])); });
  return table.text(2, 0) +
         (hidden > 0 ? "  and " + plural(hidden, "candidate") + " more: --json\n" : "");
}

std::string situation_text(const HeadReason& head, std::size_t width) {
  std::string all;
  for (const auto& [leaf, value] : head.situation)
    all += (all.empty() ? "" : ", ") + leaf + ' ' + rounded(static_cast<double>(value));
  std::string text;
  for (const std::string& line : wrap("the same for all: " + all, width - 2))
    text += "  " + line + '\n';
  return all.empty() ? "" : text;
}

std::string reasons_text(const LevelReason& level) {
  std::vector<std::size_t> order(level.inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto size = [&](std::size_t i) { return std::abs(level.reasons.values[i]); };
  std::ranges::stable_sort(order, std::greater{}, size);
  std::string text = "    " + rounded(level.value, 3) + " = " + rounded(level.reasons.base, 3);
  double rest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k >= kShownReasons)
      rest += level.reasons.values[order[k]];
    else if (size(order[k]) > 0)
      text += ' ' + signed_text(level.reasons.values[order[k]], 3) + " (" + level.inputs[order[k]] +
              ')';
  }
  return text + (rest != 0 ? ' ' + signed_text(rest, 3) + " (others)" : "") + '\n';
}

std::string level_text(const LevelReason& level) {
  std::string text = "  level " + level.name + ": ";
  text += level.items > 1
              ? "of " + std::to_string(level.items) + " items, " + std::to_string(level.place) +
                    " have a larger value than the policy's\n"
              : "the number that the surrogate aims at\n";
  for (const auto& q : level.path)
    text += "    " + q.feature + " = " + rounded(static_cast<double>(q.value)) +
            (q.yes ? " <= " : " > ") + rounded(static_cast<double>(q.threshold)) + '\n';
  return text + reasons_text(level);
}

/// "job.work_s of jobs 3", "rate[2]".
std::string leaf_text(const LeafChange& change) {
  return change.leaf + (change.entries > 1 ? '[' + std::to_string(change.entry) + ']' : "") +
         (change.element ? " of " + change.group + ' ' + std::to_string(*change.element) : "");
}

std::string change_text(const HeadReason& head) {
  const std::string asked =
      "; asked about " + plural(head.asked, "changed row") +
      (head.refused > 0 ? ", and it refused " + std::to_string(head.refused) + " more" : "") + '\n';
  if (!head.change)
    return "  smallest change of one leaf that changes the policy's choice: none found" + asked;
  const LeafChange& c = *head.change;
  return "  smallest change of one leaf that changes the policy's choice: " + leaf_text(c) +
         " from " + rounded(c.from) + " to " + rounded(c.to) + " (" + rounded(c.deviations) +
         " standard deviations); it then takes " + std::to_string(head.candidates[c.choice]) +
         asked;
}

std::string head_text(const DecisionExplanation& all, const HeadReason& head, std::size_t width) {
  const auto value = [&](std::size_t c) { return std::to_string(head.candidates[c]); };
  std::string text = "\n" + head.name + ": the policy takes " + value(head.chosen) + ", one of " +
                     plural(head.candidates.size(), "candidate") +
                     (head.scores.empty() ? "; it has no scores\n" : "\n");
  text += candidates_text(head, width) + situation_text(head, width);
  if (head.kept < head.candidates.size())
    text += "  rules of the environment keep " + plural(head.kept, "candidate") + '\n';
  text += "  surrogate, fitted on " + std::to_string(all.learnt) +
          " decisions of the other episodes: it agrees in " + std::to_string(head.agreed) +
          " of this episode's " + plural(head.compared, "choice") + "; here it takes " +
          value(head.surrogate) + (head.agrees ? ", which agrees" : ", which does not agree") +
          '\n';
  for (const LevelReason& level : head.levels) text += level_text(level);
  return text + change_text(head);
}

class DecisionJson {
 public:
  DecisionJson(JsonWriter& json, std::size_t most) : json_(json), most_(most) {}

  void head(const HeadReason& head) {
    json_.begin_object().member("head", head.name);
    json_.member("choice", head.candidates[head.chosen]);
    json_.member("legal", head.candidates.size()).key("candidates").begin_array();
    std::vector<std::size_t> order(head.candidates.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (most_ > 0) {
      order = shown_order(head);
      order.resize(std::min(order.size(), most_));
    }
    for (const std::size_t c : order) candidate(head, c);
    json_.end_array().key("situation").begin_object();
    for (const auto& [leaf, value] : head.situation) json_.member(leaf, static_cast<double>(value));
    json_.end_object().member("kept_by_rules", head.kept).key("surrogate").begin_object();
    json_.member("choice", head.candidates[head.surrogate]).member("agrees", head.agrees);
    json_.member("agreed", head.agreed).member("compared", head.compared);
    json_.key("levels").begin_array();
    for (const LevelReason& l : head.levels) level(l);
    json_.end_array().end_object();
    change(head);
    json_.member("asked", head.asked).member("refused", head.refused).end_object();
  }

 private:
  void candidate(const HeadReason& head, std::size_t c) {
    json_.begin_object(JsonWriter::Layout::line).member("value", head.candidates[c]).key("score");
    if (head.scores.empty())
      json_.null();
    else
      json_.value(static_cast<double>(head.scores[c]));
    json_.key("refers_to").begin_object(JsonWriter::Layout::line);
    for (const auto& [group, elements] : head.references) json_.member(group, elements[c]);
    json_.end_object().key("leaves").begin_object(JsonWriter::Layout::line);
    for (std::size_t l = 0; l < head.leaves.size(); ++l)
      json_.member(head.leaves[l], static_cast<double>(head.table[l][c]));
    json_.end_object().end_object();
  }

  void level(const LevelReason& level) {
    json_.begin_object().member("level", level.name).member("items", level.items);
    json_.member("before", level.place).key("path").begin_array();
    for (const auto& q : level.path)
      json_.begin_object(JsonWriter::Layout::line)
          .member("feature", q.feature)
          .member("value", static_cast<double>(q.value))
          .member("at_most", static_cast<double>(q.threshold))
          .member("yes", q.yes)
          .end_object();
    json_.end_array().member("value", level.value).member("base", level.reasons.base);
    json_.key("shap").begin_array();
    for (std::size_t i = 0; i < level.inputs.size(); ++i)
      json_.begin_object(JsonWriter::Layout::line)
          .member("feature", level.inputs[i])
          .member("value", static_cast<double>(level.row[i]))
          .member("shap", level.reasons.values[i])
          .end_object();
    json_.end_array().end_object();
  }

  void change(const HeadReason& head) {
    json_.key("change");
    if (!head.change) {
      json_.null();
      return;
    }
    const LeafChange& c = *head.change;
    json_.begin_object().member("leaf", c.leaf).key("element");
    if (c.element)
      json_.value(*c.element);
    else
      json_.null();
    json_.member("entry", c.entry).member("from", c.from).member("to", c.to);
    json_.member("standard_deviations", c.deviations);
    json_.member("choice", head.candidates[c.choice]).end_object();
  }

  JsonWriter& json_;
  std::size_t most_;  // candidates; 0: all
};

}  // namespace

std::string decision_text(const ExplainPlan& plan, const DecisionPlace& place,
                          const DecisionExplanation& all, std::size_t width) {
  std::string text = plan.env + "\npolicy " + plan.policy + ", decision " +
                     std::to_string(place.decision) + " of 0 .. " +
                     std::to_string(all.decisions - 1) + " in episode " +
                     std::to_string(place.episode) + " of seed " + std::to_string(plan.seed) +
                     " (" + phase_name(plan.phase) + ")\n";
  if (!all.from_rows) text += "the policy remembers: it sees the episode before each answer\n";
  for (const HeadReason& head : all.heads) text += head_text(all, head, width);
  return text;
}

std::string decision_json(const ExplainPlan& plan, const DecisionPlace& place,
                          const DecisionExplanation& all) {
  JsonWriter out;
  out.begin_object().member("env", plan.env).member("policy", plan.policy);
  out.member("phase", phase_name(plan.phase)).member("seed", plan.seed);
  out.member("episodes", plan.episodes).member("episode", place.episode);
  out.member("decision", place.decision);
  write_explanation(out, all, 0);
  return out.end_object().take();
}

void write_explanation(JsonWriter& out, const DecisionExplanation& all, std::size_t most) {
  out.member("decisions", all.decisions).member("fitted_on", all.learnt);
  out.member("answers_from_rows", all.from_rows).key("heads").begin_array();
  DecisionJson json(out, most);
  for (const HeadReason& head : all.heads) json.head(head);
  out.end_array();
}

}  // namespace park::cli
