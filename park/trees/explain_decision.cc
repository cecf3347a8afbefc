// Explaining one decision. The plan is played once: the decision's episode is kept, all others become
// lessons. Then each head with a choice is looked at: its leaves, the surrogate's trees, and the
// policy itself, which is asked about changed rows.
#include "park/trees/explain_decision.h"

#include <algorithm>
#include <memory>
#include <set>

#include "park/core/action_space.h"
#include "park/core/candidates.h"
#include "park/core/error.h"
#include "park/trees/distill.h"
#include "park/trees/tree_policy.h"

namespace park::trees {
namespace {

constexpr std::size_t kSurrogateLeaves = 32;

[[noreturn]] void complain(const std::string& what) { throw Error(Errc::invalid_config, what); }

/// A row of features of an item, with the tree's way.
std::vector<AskedQuestion> path_of(const Tree& tree, const std::vector<Expression>& inputs,
                                   std::span<const float> row) {
  std::vector<AskedQuestion> path;
  for (const TreeNode* n = tree.nodes.data(); !n->leaf();) {
    const float value = row[n->feature];
    path.push_back({to_text(inputs[n->feature]), value, n->threshold, value <= n->threshold});
    n = &tree.nodes[path.back().yes ? n->yes : n->no];
  }
  return path;
}

LevelReason reason_of(const std::string& name, const Forest& forest, std::span<const float> row) {
  LevelReason out{.name = name, .items = 1};
  for (const Expression& e : forest.inputs) out.inputs.push_back(to_text(e));
  out.row.assign(row.begin(), row.end());
  out.path = path_of(forest.trees[0], forest.inputs, row);
  out.reasons = shap(forest, row);
  out.value = static_cast<double>(forest(row.data()));
  return out;
}

class DecisionExplainer {
 public:
  DecisionExplainer(const Registry& registry, const ExplainPlan& plan)
      : registry_(registry),
        plan_(plan),
        env_(registry.env(plan.env)),
        spec_(env_.spec()),
        heads_(spec_),
        space_(spec_),
        hints_(hints_of(spec_)),
        episode_(spec_) {
    need_candidates(heads_, plan.env);
    for (std::size_t h = 0; h < heads_.size(); ++h)
      lessons_.push_back(has_choice(h) ? std::make_unique<HeadLessons>(spec_, heads_, h, hints_,
                                                                       LessonWeights::balanced)
                                       : nullptr);
  }

  bool play(std::uint64_t episode, const ExplainProgress& progress) {
    policy_ = registry_.policy(plan_.policy, spec_);
    double time_s = 0;
    const auto see = [&](const Ask& ask, ConstRow observation, ConstRow action) {
      if (ask.episode.id == episode) time_s += ask.since_last.elapsed_s;
      if (!space_.legal(observation, action)) return;  // the environment will refuse it
      if (ask.episode.id != episode) return learn(observation, action);
      episode_.add(ask, observation, action);
      times_s_.push_back(time_s);
    };
    return play_decisions(env_, *policy_, plan_, see, progress);
  }

  void check(std::uint64_t episode, std::uint64_t decision) {
    const std::string of_episode = " of episode " + std::to_string(episode);
    const std::size_t n = episode_.asks.size();
    if (n == 0) complain("episode: there is no decision in episode " + std::to_string(episode));
    if (decision >= n)
      complain("decision: must be 0 .. " + std::to_string(n - 1) + ", the decisions" + of_episode);
    if (!has_free(decision))
      complain("decision: decision " + std::to_string(decision) + of_episode +
               " is not free, every head has one value");
    check_lessons(episode);
  }

  /// Decisions with a choice, at equal distances.
  std::vector<std::uint64_t> some_free(std::uint64_t episode, std::uint64_t most) {
    std::vector<std::uint64_t> all, some;
    for (std::size_t d = 0; d < episode_.asks.size(); ++d)
      if (has_free(d)) all.push_back(d);
    if (all.empty())
      complain("episode: no decision of episode " + std::to_string(episode) + " leaves a choice");
    check_lessons(episode);
    const std::uint64_t n = std::min<std::uint64_t>(most, all.size());
    for (std::uint64_t i = 0; i < n; ++i) some.push_back(all[i * all.size() / n]);
    return some;
  }
  [[nodiscard]] double time_s(std::uint64_t decision) const { return times_s_[decision]; }

  void check_lessons(std::uint64_t episode) const {
    bool learnt = false;
    for (const auto& l : lessons_)
      for (std::size_t p = 0; l != nullptr && p < l->parts(); ++p)
        learnt = learnt || l->samples(p) > 0;
    if (!learnt)
      complain("episodes: in all but episode " + std::to_string(episode) +
               " no decision leaves a choice, so there is nothing to fit a surrogate on");
  }

  DecisionExplanation explain(std::uint64_t decision, const ExplainProgress& progress) {
    if (trees_.empty()) fit();
    DecisionExplanation out{.decisions = episode_.asks.size(), .learnt = learnt_};
    const Rng run = phase_rng(plan_.seed, plan_.phase).split("actions");
    Asker asker([&] { return registry_.policy(plan_.policy, spec_); }, spec_, episode_, decision,
                run);
    out.from_rows = asker.from_rows();
    for (std::size_t h = 0; h < heads_.size() && progress("changed rows", 0); ++h)
      if (is_free(h, decision)) out.heads.push_back(explain_head(h, decision, asker));
    return out;
  }

 private:
  [[nodiscard]] bool has_choice(std::size_t h) const {
    return heads_[h].kind != HeadKind::continuous &&
           !(heads_[h].kind == HeadKind::categorical && heads_[h].values == 1);
  }

  [[nodiscard]] bool has_free(std::size_t decision) {
    for (std::size_t h = 0; h < heads_.size(); ++h)
      if (is_free(h, decision)) return true;
    return false;
  }
  /// Whether two values of a head mean something different.
  [[nodiscard]] bool is_free(std::size_t h, std::size_t decision) {
    if (lessons_[h] == nullptr || list(h, decision).size() < 2) return false;
    const std::vector<float>& effects = effects_of(h, decision);
    return std::ranges::count(effects, effects[0]) != std::ssize(effects);
  }
  /// Of the candidates that were listed last.
  const std::vector<float>& effects_of(std::size_t h, std::size_t decision) {
    lessons_[h]->find_effects(observation(decision), action(decision), candidates_, effects_);
    return effects_;
  }
  const std::vector<std::int32_t>& list(std::size_t head, std::size_t decision) {
    list_values(space_.choice(head, observation(decision), action(decision)), candidates_);
    return candidates_;
  }
  [[nodiscard]] ConstRow observation(std::size_t d) const {
    return std::as_const(episode_.observations).row(d);
  }
  [[nodiscard]] ConstRow action(std::size_t d) const {
    return std::as_const(episode_.actions).row(d);
  }
  [[nodiscard]] std::size_t place_of(std::int32_t value) const {
    return static_cast<std::size_t>(std::ranges::find(candidates_, value) - candidates_.begin());
  }

  void learn(ConstRow observation, ConstRow action) {
    ++learnt_;
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      if (lessons_[h] == nullptr) continue;
      list_values(space_.choice(h, observation, action), candidates_);
      if (candidates_.size() > 1) lessons_[h]->add(observation, action, candidates_);
    }
  }

  void fit() {
    std::vector<std::size_t> parts;
    for (const auto& l : lessons_) parts.push_back(l == nullptr ? 0 : l->parts());
    const auto leaves = share_leaves(kSurrogateLeaves, parts);
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      trees_.push_back(lessons_[h] == nullptr ? HeadTrees{}
                                              : lessons_[h]->fit({.leaves = leaves[h],
                                                                  .seed = plan_.seed,
                                                                  .threads = plan_.threads}));
      plans_.push_back(lessons_[h] == nullptr
                           ? nullptr
                           : std::make_unique<HeadPlan>(spec_, heads_, h, trees_[h],
                                                        hints_.features, "the surrogate"));
      agreement_.push_back(compare(h));
    }
  }

  /// How often the surrogate agrees in the episode.
  Agreement compare(std::size_t h) {
    Agreement all;
    for (std::size_t d = 0; d < episode_.asks.size(); ++d) {
      if (!is_free(h, d)) continue;
      const std::size_t choice = plans_[h]->choose(observation(d), action(d), candidates_);
      ++all.decisions;
      if (effects_[choice] == effects_[place_of(heads_.get(action(d), h))]) ++all.first;
    }
    return all;
  }

  HeadReason explain_head(std::size_t h, std::size_t decision, Asker& asker) {
    HeadReason out{.name = heads_[h].name, .candidates = list(h, decision)};
    out.chosen = place_of(heads_.get(action(decision), h));
    const std::vector<float> effects = effects_of(h, decision);
    ask_scores(h, decision, out);
    list_leaves(h, decision, out);
    choose(h, decision, effects, out);
    trees_[h].levels.empty() ? add_number(h, decision, out) : add_levels(h, decision, out);
    const Differs differs = [&](ConstRow answer) -> std::optional<std::size_t> {
      for (std::size_t earlier = 0; earlier < h; ++earlier)
        if (heads_[earlier].kind != HeadKind::continuous &&
            heads_.get(answer, earlier) != heads_.get(action(decision), earlier))
          return {};
      const auto at = std::ranges::find(out.candidates, heads_.get(answer, h));
      const auto place = static_cast<std::size_t>(at - out.candidates.begin());
      if (at == out.candidates.end() || effects[place] == effects[out.chosen]) return {};
      return place;
    };
    const std::uint64_t asked = asker.asked(), refused = asker.refused();
    out.change = smallest_change(spec_, hints_, episode_, decision, find_elements(h, decision, out),
                                 asker, differs);
    out.asked = asker.asked() - asked;
    out.refused = asker.refused() - refused;
    return out;
  }

  void ask_scores(std::size_t h, std::size_t decision, HeadReason& out) {
    Batch row(spec_.observation), act(spec_.action);
    row.append(episode_.observations, decision);
    act.append(episode_.actions, decision);
    Candidates of_head;
    if (!policy_->scores(row, h, act, of_head, out.scores)) out.scores.clear();
  }

  /// Leaves as they are, without ranks and other derived features.
  void list_leaves(std::size_t h, std::size_t decision, HeadReason& out) {
    const bool number = heads_[h].kind == HeadKind::interval;
    const Level level{.head = h, .kind = number ? Level::Kind::situation : Level::Kind::candidates};
    std::vector<Expression> names;
    for (const Expression& e : feature_list(spec_, heads_, level, hints_))
      if (e.kind == Expression::Kind::name && e.suffixes.empty() &&
          spec_.observation.find(e.name) != nullptr)
        names.push_back(e);
    Features table(spec_, heads_, level, names, hints_.features);
    table.compute(observation(decision), action(decision), out.candidates);
    for (std::size_t f = 0; f < names.size(); ++f) {
      std::vector<float> column;
      for (std::size_t i = 0; i < table.items(); ++i) column.push_back(table[i][f]);
      if (std::ranges::count(column, column[0]) == std::ssize(column)) {
        out.situation.emplace_back(to_text(names[f]), column[0]);
      } else {
        out.leaves.push_back(to_text(names[f]));
        out.table.push_back(std::move(column));
      }
    }
  }

  /// What the surrogate chooses here.
  void choose(std::size_t h, std::size_t decision, const std::vector<float>& effects,
              HeadReason& out) {
    out.compared = agreement_[h].decisions;
    out.agreed = agreement_[h].first;
    static_cast<void>(list(h, decision));
    out.surrogate = plans_[h]->choose(observation(decision), action(decision), candidates_);
    out.agrees = effects[out.surrogate] == effects[out.chosen];
  }

  void add_number(std::size_t h, std::size_t decision, HeadReason& out) {
    out.kept = out.candidates.size();
    const Forest& forest = trees_[h].values[0];
    Features features(spec_, heads_, {.head = h, .kind = Level::Kind::situation}, forest.inputs,
                      hints_.features);
    features.compute(observation(decision), action(decision), out.candidates);
    out.levels.push_back(reason_of("values", forest, features[0]));
  }

  /// Each level compares what the rules and the policy's choice at the levels before leave.
  void add_levels(std::size_t h, std::size_t decision, HeadReason& out) {
    plans_[h]->apply_rules(observation(decision), action(decision), out.candidates);
    std::vector<std::uint8_t> left(plans_[h]->kept().begin(), plans_[h]->kept().end());
    out.kept = static_cast<std::size_t>(std::ranges::count(left, 1));
    if (left[out.chosen] == 0) std::ranges::fill(left, 1);  // against the rules
    for (std::size_t l = 0; l < trees_[h].levels.size(); ++l) {
      const Forest& forest = trees_[h].levels[l].forest;
      Features features(spec_, heads_, lessons_[h]->level(l), forest.inputs, hints_.features);
      features.compute(observation(decision), action(decision), out.candidates);
      const auto item_of = features.item_of();
      std::set<std::uint32_t> items;
      for (std::size_t c = 0; c < left.size(); ++c)
        if (left[c] != 0) items.insert(item_of[c]);
      const std::uint32_t mine = item_of[out.chosen];
      LevelReason reason = reason_of(trees_[h].levels[l].group, forest, features[mine]);
      reason.items = items.size();
      for (const std::uint32_t i : items)
        reason.place += static_cast<double>(forest(features[i].data())) > reason.value ? 1 : 0;
      if (items.size() > 1) out.levels.push_back(std::move(reason));
      for (std::size_t c = 0; c < left.size(); ++c)
        if (item_of[c] != mine) left[c] = 0;
    }
  }

  /// The elements of each group that the candidates, or the element they are given, lead to.
  std::vector<std::vector<std::size_t>> find_elements(std::size_t h, std::size_t decision,
                                                      HeadReason& reason) {
    std::vector<std::vector<std::size_t>> out(spec_.observation.groups.size());
    const Routes routes(spec_, heads_[h]);
    if (routes.size() == 0) return out;
    const bool index = heads_[h].kind == HeadKind::index;
    std::vector<std::vector<std::int64_t>> found(routes.size());
    if (index)
      found[0].assign(reason.candidates.begin(), reason.candidates.end());
    else
      found[0] = {heads_.get(action(decision), static_cast<std::size_t>(heads_[h].given))};
    routes.follow(observation(decision), found);
    for (std::size_t r = 0; r < routes.size(); ++r) {
      std::vector<std::size_t>& group = out[static_cast<std::size_t>(routes[r].id.id)];
      group.insert(group.end(), found[r].begin(), found[r].end());
      std::ranges::sort(group);
      group.erase(std::ranges::unique(group).begin(), group.end());
      if (index && r > 0 && !routes[r].group.empty())
        reason.references.emplace_back(routes[r].group, found[r]);
    }
    return out;
  }

  const Registry& registry_;
  const ExplainPlan& plan_;
  EnvOfText env_;
  Spec spec_;
  Heads heads_;
  ActionSpace space_;
  FeatureHints hints_;
  PlayedEpisode episode_;
  std::unique_ptr<Policy> policy_;
  std::vector<std::unique_ptr<HeadLessons>> lessons_;  // [heads]; nullptr: it never has a choice
  std::vector<HeadTrees> trees_;                       // [heads]
  std::vector<std::unique_ptr<HeadPlan>> plans_;       // [heads]
  std::vector<Agreement> agreement_;                   // [heads] in the episode
  std::vector<double> times_s_;                        // [decisions] since the first one
  std::vector<std::int32_t> candidates_;
  std::vector<float> effects_;
  std::uint64_t learnt_ = 0;
};

void check_episode(const ExplainPlan& plan, std::uint64_t episode) {
  if (episode >= plan.episodes)
    complain("episode: must be 0 .. " + std::to_string(plan.episodes - 1) +
             ", one of the episodes that are played");
  if (plan.episodes < 2)
    complain("episodes: must be at least 2, the surrogate is fitted on the others");
}

}  // namespace

std::optional<DecisionExplanation> explain_decision(const Registry& registry,
                                                    const ExplainPlan& plan, std::uint64_t episode,
                                                    std::uint64_t decision,
                                                    const ExplainProgress& progress) {
  check_episode(plan, episode);
  DecisionExplainer explainer(registry, plan);
  if (!explainer.play(episode, progress)) return {};
  explainer.check(episode, decision);
  DecisionExplanation out = explainer.explain(decision, progress);
  if (!progress("changed rows", 0)) return {};
  return out;
}

std::optional<std::vector<ExplainedDecision>> explain_decisions(const Registry& registry,
                                                                const ExplainPlan& plan,
                                                                std::uint64_t episode,
                                                                std::uint64_t most,
                                                                const ExplainProgress& progress) {
  check_episode(plan, episode);
  DecisionExplainer explainer(registry, plan);
  if (!explainer.play(episode, progress)) return {};
  std::vector<ExplainedDecision> all;
  for (const std::uint64_t decision : explainer.some_free(episode, most)) {
    all.push_back({decision, explainer.time_s(decision), explainer.explain(decision, progress)});
    if (!progress("explained decisions", 1)) return {};
  }
  return all;
}

}  // namespace park::trees
