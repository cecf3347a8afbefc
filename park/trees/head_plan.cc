// One head of a tree policy. The constructor compiles the features of its rules and of each level
// or value, and names the line of what has no meaning in the spec. A choice narrows the candidates:
// by rules, then level by level to those of the best item. Scores sort them by the same order.
#include "park/trees/head_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "park/core/error.h"

namespace park::trees {
namespace {

// A leaf without a single chosen sample still has a logarithm.
constexpr float kLeastShare = 1e-6f;

[[noreturn]] void fail(const std::string& file, std::size_t line, const std::string& what) {
  throw Error(Errc::bad_file, file + ':' + std::to_string(line) + ": " + what);
}

/// Compiles one feature after the other, so that a complaint has a line.
class LinedFeatures {
 public:
  LinedFeatures(const Spec& spec, const Heads& heads, Level level,
                const std::vector<Derived>& derived, const std::string& file)
      : spec_(spec), heads_(heads), level_(std::move(level)), derived_(derived), file_(file) {}

  void add(const Expression& e, std::size_t line) {
    try {
      static_cast<void>(compile(spec_, heads_, level_, {e}, derived_));
    } catch (const Error& error) {
      fail(file_, line, error.what());
    }
    all_.push_back(e);
  }
  void add(const Forest& forest) {
    for (std::size_t i = 0; i < forest.inputs.size(); ++i)
      add(forest.inputs[i], i < forest.asked.size() ? forest.asked[i] : forest.line);
  }
  [[nodiscard]] Features take() const { return {spec_, heads_, level_, all_, derived_}; }

 private:
  const Spec& spec_;
  const Heads& heads_;
  Level level_;
  const std::vector<Derived>& derived_;
  const std::string& file_;
  std::vector<Expression> all_;
};

}  // namespace

HeadPlan::HeadPlan(const Spec& spec, const Heads& heads, std::size_t head, const HeadTrees& trees,
                   const std::vector<Derived>& derived, const std::string& file)
    : trees_(trees), head_(head), file_(file) {
  const Level::Kind kind = trees.levels.empty() ? Level::Kind::situation : Level::Kind::candidates;
  if (!trees.levels.empty())
    bind_levels(spec, heads, derived);
  else
    bind_values(spec, heads, derived);
  if (trees.rules.empty()) return;
  LinedFeatures conditions(spec, heads, {.head = head, .kind = kind}, derived, file_);
  for (const Rule& rule : trees.rules)
    for (const Condition& c : rule.conditions) conditions.add(c.feature, rule.line);
  rules_.push_back(conditions.take());
}

void HeadPlan::bind_levels(const Spec& spec, const Heads& heads,
                           const std::vector<Derived>& derived) {
  const Heads::Head& head = heads[head_];
  const bool index = head.kind == HeadKind::index;
  if (!index && head.kind != HeadKind::categorical)
    fail(file_, trees_.line, "head '" + head.name + "' is a number: it needs 'value', not levels");
  const std::string own = index ? head.group : "values";
  const Routes routes(spec, head);
  for (const LevelTrees& trees : trees_.levels) {
    Level level{.head = head_};
    if (trees.group != own) {
      if (!index || routes.find(trees.group) < 1) {
        std::string known = own;
        for (std::size_t r = 1; index && r < routes.size(); ++r)
          if (!routes[r].group.empty()) known += ", " + routes[r].group;
        fail(file_, trees.line,
             "head '" + head.name + "' has no level '" + trees.group + "'; it is " + known);
      }
      level.kind = Level::Kind::linked;
      level.group = trees.group;
    }
    LinedFeatures features(spec, heads, level, derived, file_);
    features.add(trees.forest);
    for (const Tie& tie : trees.ties) features.add(tie.feature, tie.line);
    levels_.push_back({features.take(), &trees});
  }
}

void HeadPlan::bind_values(const Spec& spec, const Heads& heads,
                           const std::vector<Derived>& derived) {
  const Heads::Head& head = heads[head_];
  if (head.kind == HeadKind::index)
    fail(file_, trees_.line,
         "head '" + head.name + "' chooses an element: it needs levels, not 'value'");
  const std::size_t components = head.kind == HeadKind::continuous ? head.width : 1;
  if (trees_.values.size() != components)
    fail(file_, trees_.line,
         "head '" + head.name + "' needs " + std::to_string(components) +
             " 'value', one per component; it has " + std::to_string(trees_.values.size()));
  for (const Forest& forest : trees_.values) {
    LinedFeatures features(spec, heads, {.head = head_, .kind = Level::Kind::situation}, derived,
                           file_);
    features.add(forest);
    values_.push_back(features.take());
  }
}

bool HeadPlan::holds(const Rule& rule, std::size_t first, std::span<const float> features) const {
  for (std::size_t i = 0; i < rule.conditions.size(); ++i)
    if (!rule.conditions[i].holds(features[first + i])) return false;
  return true;
}

void HeadPlan::apply_rules(ConstRow observation, ConstRow action,
                           std::span<const std::int32_t> candidates) {
  kept_.assign(candidates.size(), 1);
  if (rules_.empty()) return;
  Features& table = rules_[0];
  table.compute(observation, action, candidates);
  std::size_t first = 0;
  for (const Rule& rule : trees_.rules) {
    const auto keeps = [&](std::size_t c) { return kept_[c] != 0 && holds(rule, first, table[c]); };
    bool any = false;
    for (std::size_t c = 0; c < candidates.size() && !any; ++c) any = keeps(c);
    for (std::size_t c = 0; c < candidates.size() && any; ++c) kept_[c] = keeps(c) ? 1 : 0;
    first += rule.conditions.size();
  }
}

void HeadPlan::compute(BoundLevel& level, ConstRow observation,
                       std::span<const std::int32_t> candidates,
                       std::span<const std::uint8_t> kept) {
  constexpr float kUnknown = std::numeric_limits<float>::infinity();
  wanted_.clear();
  for (std::uint32_t c = 0; c < kept.size(); ++c)
    if (kept[c] != 0) wanted_.push_back(c);
  if (wanted_.size() == candidates.size()) wanted_.clear();
  level.features.compute_found(observation, candidates, wanted_);
  level.scores.assign(level.features.items(), kUnknown);
  const auto item_of = level.features.item_of();
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    float& score = level.scores[item_of[c]];
    if (score == kUnknown && (kept.empty() || kept[c] != 0))
      score = level.trees->forest(level.features[item_of[c]].data());
  }
}

bool HeadPlan::has_one_item(const BoundLevel& level) const {
  const auto item_of = level.features.item_of();
  const auto first = static_cast<std::size_t>(std::ranges::find(kept_, 1) - kept_.begin());
  for (std::size_t c = first; c < kept_.size(); ++c)
    if (kept_[c] != 0 && item_of[c] != item_of[first]) return false;
  return true;
}

bool HeadPlan::before(const BoundLevel& level, std::uint32_t a, std::uint32_t b) {
  if (level.scores[a] != level.scores[b]) return level.scores[a] > level.scores[b];
  const std::size_t inputs = level.trees->forest.inputs.size();
  const auto of_a = level.features[a], of_b = level.features[b];
  for (std::size_t t = 0; t < level.trees->ties.size(); ++t) {
    const float x = of_a[inputs + t], y = of_b[inputs + t];
    if (x != y) return level.trees->ties[t].up ? x < y : x > y;
  }
  return a < b;
}

std::size_t HeadPlan::choose(ConstRow observation, ConstRow action,
                             std::span<const std::int32_t> candidates) {
  if (!compares()) return nearest(candidates, number(observation, action, candidates, 0));
  apply_rules(observation, action, candidates);
  for (BoundLevel& level : levels_) {
    if (std::ranges::count(kept_, 1) == 1) break;
    level.features.find_items(observation, action, candidates);
    if (has_one_item(level)) continue;
    compute(level, observation, candidates, kept_);
    const auto item_of = level.features.item_of();
    std::uint32_t best = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t c = 0; c < candidates.size(); ++c)
      if (kept_[c] != 0 &&
          (best == std::numeric_limits<std::uint32_t>::max() || before(level, item_of[c], best)))
        best = item_of[c];
    for (std::size_t c = 0; c < candidates.size(); ++c)
      if (item_of[c] != best) kept_[c] = 0;
  }
  return static_cast<std::size_t>(std::ranges::find(kept_, 1) - kept_.begin());
}

float HeadPlan::number(ConstRow observation, ConstRow action,
                       std::span<const std::int32_t> candidates, std::size_t component) {
  if (!rules_.empty()) {
    rules_[0].compute(observation, action, candidates);
    std::size_t first = 0;
    for (const Rule& rule : trees_.rules) {
      if (holds(rule, first, rules_[0][0])) return *rule.value;
      first += rule.conditions.size();
    }
  }
  Features& table = values_[component];
  table.compute(observation, action, candidates);
  return trees_.values[component](table[0].data());
}

/// The lower one of two that are as near. Candidates are in order.
std::size_t HeadPlan::nearest(std::span<const std::int32_t> candidates, float number) const {
  const auto wish = static_cast<double>(number);
  const auto above = std::ranges::lower_bound(
      candidates, wish, {}, [](std::int32_t v) { return static_cast<double>(v); });
  if (above == candidates.begin()) return 0;
  const auto at = static_cast<std::size_t>(above - candidates.begin());
  if (above == candidates.end()) return at - 1;
  return *above - wish < wish - *(above - 1) ? at : at - 1;
}

void HeadPlan::score(ConstRow observation, ConstRow action,
                     std::span<const std::int32_t> candidates, std::span<float> scores) {
  if (!compares()) {
    const float wish = number(observation, action, candidates, 0);
    for (std::size_t c = 0; c < candidates.size(); ++c)
      scores[c] = -std::abs(static_cast<float>(candidates[c]) - wish);
    return;
  }
  std::ranges::fill(scores, 0.0f);
  order_.resize(candidates.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    level->features.find_items(observation, action, candidates);
    compute(*level, observation, candidates, {});
    const auto item_of = level->features.item_of();
    std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) {
      return item_of[a] != item_of[b] && before(*level, item_of[a], item_of[b]);
    });
    for (std::size_t c = 0; c < candidates.size(); ++c)
      scores[c] += std::log(std::max(level->scores[item_of[c]], kLeastShare));
  }
  if (!rules_.empty()) {
    rules_[0].compute(observation, action, candidates);
    std::size_t first = rules_[0].width();
    for (auto rule = trees_.rules.rbegin(); rule != trees_.rules.rend(); ++rule) {
      first -= rule->conditions.size();
      std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) {
        return holds(*rule, first, rules_[0][a]) && !holds(*rule, first, rules_[0][b]);
      });
    }
  }
  for (std::size_t k = 1; k < order_.size(); ++k) {
    const float most =
        std::nextafter(scores[order_[k - 1]], -std::numeric_limits<float>::infinity());
    scores[order_[k]] = std::min(scores[order_[k]], most);
  }
}

}  // namespace park::trees
