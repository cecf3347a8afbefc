#include "park/judge/feedback.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <set>

#include "park/core/text.h"

namespace park::judge {
namespace {

constexpr std::size_t kWorst = 3, kComplaints = 3;

std::string short_number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", v);
  return text;
}

/// The rivals that a candidate may hope to beat, against one input: the one that is furthest ahead.
std::string worst_rival(const SetJudgement& set, std::size_t input, bool lower) {
  const Difference* best = nullptr;
  const auto value = [&](const Difference& d) { return d.rival.values[input]; };
  for (const Difference& d : set.differences) {
    if (d.rival.role == Rival::Role::random || d.rival.role == Rival::Role::bound) continue;
    if (best == nullptr || (lower ? value(d) < value(*best) : value(d) > value(*best))) best = &d;
  }
  return best == nullptr ? "" : best->rival.policy + " has " + short_number(value(*best));
}

std::string worst_inputs(const SetJudgement& set, const Metric& metric) {
  std::vector<std::size_t> order(set.scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return set.scores[i]; });
  std::string text = "worst inputs:\n";
  for (std::size_t k = 0; k < std::min(kWorst, order.size()); ++k) {
    const std::size_t i = order[k];
    const InputResult& input = set.match.inputs[i];
    text += "  input " + std::to_string(i) + ": ";
    text += input.failure.empty() ? metric.name + ' ' + short_number(input.value)
                                  : "failed, which counts as the worst";
    text += "; " + worst_rival(set, i, metric.lower_is_better) + '\n';
  }
  return text;
}

std::string losses(const SetJudgement& set) {
  std::string text;
  for (const Difference& d : set.differences) {
    if (d.rival.role == Rival::Role::random || d.losses == 0) continue;
    text += "  " + d.rival.policy + " is better on " + std::to_string(d.losses) + " of " +
            std::to_string(set.scores.size()) + " inputs\n";
  }
  return text.empty() ? "no rival is better on any input\n" : "it loses:\n" + text;
}

std::string violations(const SetJudgement& set) {
  std::set<std::string> told;
  std::string text;
  for (std::size_t i = 0; i < set.match.inputs.size() && told.size() < kComplaints; ++i) {
    const std::string& why = set.match.inputs[i].failure;
    if (why.empty() || !told.insert(why).second) continue;
    text += "  input " + std::to_string(i) + ": " + why + '\n';
  }
  return text.empty() ? "" : "violations:\n" + text;
}

}  // namespace

std::string feedback_of(const Judgement& j) {
  const SetJudgement& set = j.sets.front();
  if (!set.match.refused.empty()) return "refused: " + set.match.refused + '\n';
  const std::string best = set.differences[set.best].rival.policy;
  std::string text = "score " + short_number(set.score.mean) + " on " +
                     std::to_string(set.scores.size()) + ' ' + to_text(set.set) +
                     " inputs; 1 is as good as " + best + ", the best heuristic; more is better\n";
  if (!set.above.empty()) text += "above the bound: " + set.above + '\n';
  return text + worst_inputs(set, j.metric) + losses(set) + violations(set);
}

}  // namespace park::judge
