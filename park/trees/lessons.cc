// Samples of a teacher's decisions. A decision among elements goes down the levels: each level with
// at least two items gives a sample per item, and the level below sees what the teacher's item
// leaves. A number gives one sample. What had no effect beyond a bound is known only to be at least
// that: fitting replaces it by its prediction where that is larger.
#include "park/trees/lessons.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "park/core/error.h"

namespace park::trees {
namespace {

constexpr double kKnown = -std::numeric_limits<double>::infinity();
// Fits of a table with bounded targets; later ones change little.
constexpr int kBoundedFits = 6;

Tree single_leaf(float value) {
  Tree tree;
  tree.nodes.emplace_back();
  tree.nodes[0].value = value;
  tree.nodes[0].samples = 0;
  return tree;
}

/// Four digits: more say nothing, and people read the file.
void round_leaves(Tree& tree) {
  for (TreeNode& n : tree.nodes) {
    std::array<char, 32> text{};
    const auto end =
        std::to_chars(text.begin(), text.end(), n.value, std::chars_format::general, 4).ptr;
    std::from_chars(text.begin(), end, n.value);
  }
}

}  // namespace

void LessonTable::add(std::span<const float> row, double target, double weight, double floor,
                      std::uint32_t decision) {
  for (std::size_t f = 0; f < columns.size(); ++f) columns[f].push_back(row[f]);
  targets.push_back(target);
  weights.push_back(weight);
  floors.push_back(floor);
  decisions.push_back(decision);
}

std::vector<std::size_t> LessonTable::begins() const {
  std::vector<std::size_t> all;
  for (std::size_t s = 0; s < samples(); ++s)
    if (s == 0 || decisions[s] != decisions[s - 1]) all.push_back(s);
  all.push_back(samples());
  return all;
}

LessonTable LessonTable::resampled(Rng rng) const {
  const std::vector<std::size_t> of_decision = begins();
  std::vector<std::uint32_t> drawn(of_decision.size() - 1);
  for (std::size_t i = 0; i < drawn.size(); ++i) ++drawn[rng.below(drawn.size())];
  LessonTable out{.features = features};
  out.columns.resize(columns.size());
  std::vector<float> row(columns.size());
  for (std::size_t d = 0; d < drawn.size(); ++d) {
    for (std::size_t s = of_decision[d]; s < of_decision[d + 1] && drawn[d] > 0; ++s) {
      for (std::size_t f = 0; f < row.size(); ++f) row[f] = columns[f][s];
      out.add(row, targets[s], weights[s] * drawn[d], floors[s], decisions[s]);
    }
  }
  return out;
}

HeadLessons::HeadLessons(const Spec& spec, const Heads& heads, std::size_t head,
                         const FeatureHints& hints, LessonWeights weights,
                         std::optional<Expression> formula)
    : heads_(heads), head_(head), rule_of_weights_(weights), formula_(std::move(formula)) {
  const Heads::Head& about = heads[head];
  frame_.name = about.name;
  logarithmic_ = about.kind == HeadKind::interval && about.low >= 1;
  levels_ = default_levels(spec, heads, head);
  classes_ = about.kind == HeadKind::categorical && hints.classes.contains(about.name);
  if (classes_) lowest_ = about.low;
  if (classes_ || formula_) levels_ = {{.head = head, .kind = Level::Kind::situation}};
  if (about.kind == HeadKind::continuous) levels_.resize(about.width, levels_[0]);
  if (!formula_) frame_tables(spec, hints);
  if (levels_[0].kind == Level::Kind::situation) {
    const auto have = hints.have.find(about.name), most = hints.most.find(about.name);
    if (have != hints.have.end() && most != hints.most.end())
      effect_.emplace_back(spec, heads, levels_[0], std::vector{have->second, most->second},
                           hints.features);
    return;
  }
  frame_levels(spec, hints);
}

void HeadLessons::frame_tables(const Spec& spec, const FeatureHints& hints) {
  for (const Level& level : levels_) {
    tables_.push_back({.features = feature_list(spec, heads_, level, hints)});
    tables_.back().columns.resize(tables_.back().features.size());
    tables_of_row_.emplace_back(spec, heads_, level, tables_.back().features, hints.features);
  }
}

/// Rules and ties are those of the hints, and a plan without trees applies the rules.
void HeadLessons::frame_levels(const Spec& spec, const FeatureHints& hints) {
  for (const auto& [of, rule] : hints.rules)
    if (of == frame_.name) frame_.rules.push_back(rule);
  HeadTrees with_rules = frame_;
  for (const Level& level : levels_) {
    LevelTrees trees{{}, level_name(heads_, level)};
    for (const auto& [of, ties] : hints.ties)
      if (of == trees.group) trees.ties = ties;
    frame_.levels.push_back(trees);
    trees.forest.trees.push_back(single_leaf(0));
    with_rules.levels.push_back(std::move(trees));
  }
  rules_ = std::make_unique<HeadPlan>(spec, heads_, head_, with_rules, hints.features,
                                      "features.txt of " + spec.name);
}

void HeadLessons::add(ConstRow observation, ConstRow action,
                      std::span<const std::int32_t> candidates, double weight) {
  if (formula_) return;
  ++decisions_;
  if (heads_[head_].kind == HeadKind::continuous) {
    for (std::size_t k = 0; k < parts(); ++k) {
      tables_of_row_[k].compute(observation, action, candidates);
      tables_[k].add(tables_of_row_[k][0], heads_.real(action, head_)[k], weight, kKnown,
                     decisions_);
    }
    return;
  }
  const std::int32_t value = heads_.get(action, head_);
  if (rules_ == nullptr) return add_number(observation, action, candidates, value, weight);
  const auto at = std::ranges::find(candidates, value);
  PARK_ASSERT(at != candidates.end());
  add_levels(observation, action, candidates, static_cast<std::size_t>(at - candidates.begin()),
             weight);
}

void HeadLessons::add_levels(ConstRow observation, ConstRow action,
                             std::span<const std::int32_t> candidates, std::size_t chosen,
                             double weight) {
  rules_->apply_rules(observation, action, candidates);
  left_.assign(rules_->kept().begin(), rules_->kept().end());
  if (left_[chosen] == 0) {
    ++against_rules_;
    return;
  }
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    if (std::ranges::count(left_, 1) < 2) return;
    tables_of_row_[l].compute(observation, action, candidates);
    add_level(l, chosen, weight);
  }
}

void HeadLessons::add_level(std::size_t level, std::size_t chosen, double weight) {
  const Features& row = tables_of_row_[level];
  const auto item_of = row.item_of();
  items_.clear();
  for (std::size_t c = 0; c < left_.size(); ++c)
    if (left_[c] != 0) items_.push_back(item_of[c]);
  std::ranges::sort(items_);
  items_.erase(std::ranges::unique(items_).begin(), items_.end());
  const std::uint32_t best = item_of[chosen];
  const bool balanced = rule_of_weights_ != LessonWeights::equal;
  for (const std::uint32_t item : items_) {
    if (items_.size() < 2) break;
    const double share = balanced && item == best ? static_cast<double>(items_.size() - 1) : 1.0;
    tables_[level].add(row[item], item == best ? 1 : 0, weight * share, kKnown, decisions_);
  }
  for (std::size_t c = 0; c < left_.size(); ++c)
    if (item_of[c] != best) left_[c] = 0;
}

void HeadLessons::add_number(ConstRow observation, ConstRow action,
                             std::span<const std::int32_t> candidates, double value,
                             double weight) {
  double wish = value, floor = kKnown;
  if (!effect_.empty()) {
    effect_[0].compute(observation, action, candidates);
    const double have = static_cast<double>(effect_[0][0][0]),
                 most = static_cast<double>(effect_[0][0][1]);
    if (most <= 1) return;  // every value means the same
    const double granted = std::min(value - have, most);
    wish = have + granted;
    if (granted >= most) floor = wish;
  }
  wish -= lowest_;
  const auto scale = [&](double v) { return logarithmic_ ? std::log2(std::max(v, 1.0)) : v; };
  tables_of_row_[0].compute(observation, action, candidates);
  // A bounded one begins above its bound: the wish is somewhere beyond.
  const bool bounded = floor != kKnown;
  tables_[0].add(tables_of_row_[0][0], scale(bounded ? wish + 2 : wish), weight,
                 bounded ? scale(floor) : kKnown, decisions_);
}

void HeadLessons::find_effects(ConstRow observation, ConstRow action,
                               std::span<const std::int32_t> candidates,
                               std::vector<float>& effects) {
  effects.assign(candidates.begin(), candidates.end());
  if (effect_.empty()) return;
  effect_[0].compute(observation, action, candidates);
  const std::span<const float> of = effect_[0][0];
  for (float& e : effects) e = std::min(e - of[0], of[1]);
}

Tree HeadLessons::fit_number(const LessonTable& table, std::size_t leaves,
                             std::uint32_t threads) const {
  const Cart cart(table.columns, threads);
  const Cart::Options options{.leaves = leaves, .threads = threads};
  const Cart::Kind kind = classes_ ? Cart::Kind::classes : Cart::Kind::number;
  std::vector<double> targets = table.targets;
  const bool bounded = std::ranges::any_of(table.floors, [](double f) { return f != kKnown; });
  Tree tree = cart.fit(targets, table.weights, kind, options);
  std::vector<float> row(table.columns.size());
  for (int k = 1; bounded && k < kBoundedFits; ++k) {
    for (std::size_t s = 0; s < targets.size(); ++s) {
      if (table.floors[s] == kKnown) continue;
      for (std::size_t f = 0; f < row.size(); ++f) row[f] = table.columns[f][s];
      targets[s] = std::max(table.floors[s], static_cast<double>(tree(row.data())));
    }
    tree = cart.fit(targets, table.weights, kind, options);
  }
  for (TreeNode& n : tree.nodes)
    if (n.leaf())
      n.value = logarithmic_ ? std::exp2(n.value) : n.value + static_cast<float>(lowest_);
  return tree;
}

Tree HeadLessons::fit_table(const LessonTable& table, std::size_t leaves,
                            std::uint32_t threads) const {
  Tree tree = frame_.levels.empty() ? fit_number(table, leaves, threads)
                                    : Cart(table.columns, threads)
                                          .fit(table.targets, table.weights, Cart::Kind::chosen,
                                               {.leaves = leaves, .threads = threads});
  round_leaves(tree);
  return tree;
}

HeadTrees HeadLessons::fit(const FitOptions& options) const {
  HeadTrees out = frame_;
  if (formula_) {
    out.values.push_back({{}, {*formula_}, {0}, {}});
    return out;
  }
  const Rng draws = Rng(options.seed).split("bagging").split(frame_.name);
  for (std::size_t p = 0; p < parts(); ++p) {
    const LessonTable& table = tables_[p];
    const bool number = frame_.levels.empty();
    std::vector<Tree> trees;
    if (table.samples() == 0)
      trees.push_back(single_leaf(number ? static_cast<float>(heads_[head_].high) : 0.5f));
    else if (options.trees == 1)
      trees.push_back(fit_table(table, options.leaves[p], options.threads));
    for (std::uint32_t t = 0; trees.size() < options.trees && table.samples() > 0; ++t)
      trees.push_back(
          fit_table(table.resampled(draws.split(p).split(t)), options.leaves[p], options.threads));
    Forest forest = forest_of(std::move(trees), table.features);
    if (number)
      out.values.push_back(std::move(forest));
    else
      out.levels[p].forest = std::move(forest);
  }
  return out;
}

}  // namespace park::trees
