// Explaining a policy. HeadRecord keeps the lessons of a head twice: without the environment's rules,
// for what holds in all decisions, and with them, for the free ones. Figures follow when all episodes
// have been played.
#include "park/trees/explain.h"

#include <algorithm>
#include <memory>

#include "park/core/action_space.h"
#include "park/core/error.h"
#include "park/trees/feature_list.h"
#include "park/trees/tree_policy.h"

namespace park::trees {
namespace {

// As of `park run`: a network's outputs may depend on the rows of a batch.
constexpr std::uint32_t kPlayedSlots = 16;

/// The hints for comparing candidates: a head whose value follows from the situation has them too.
FeatureHints comparing(FeatureHints hints, bool with_rules) {
  hints.classes.clear();
  if (!with_rules) hints.rules.clear();
  return hints;
}

/// The choices of one head.
class HeadRecord {
 public:
  HeadRecord(const Spec& spec, const Heads& heads, std::size_t head, const ExplainPlan& plan,
             const FeatureHints& hints)
      : spec_(spec),
        heads_(heads),
        head_(head),
        plan_(plan),
        all_(spec, heads, head, comparing(hints, false), LessonWeights::equal),
        free_(spec, heads, head, comparing(hints, true), LessonWeights::equal),
        lowest_(plan.episodes),
        highest_(plan.episodes),
        by_chance_(plan.episodes) {
    figures_.name = heads[head].name;
    figures_.followed = Share(plan.episodes);
  }

  void add(std::size_t episode, ConstRow observation, ConstRow action,
           std::span<const std::int32_t> candidates) {
    if (candidates.size() < 2) {
      ++figures_.forced;
      return;
    }
    if (!compares()) return add_number(episode, observation, action, candidates);
    episode_of_.push_back(static_cast<std::uint32_t>(episode));
    all_.add(observation, action, candidates);
    free_.add(observation, action, candidates);
    const auto kept = free_.kept();
    const auto at = std::ranges::find(candidates, heads_.get(action, head_)) - candidates.begin();
    if (std::ranges::count(kept, 0) == 0)
      ++figures_.free;
    else
      figures_.followed.add(episode, kept[static_cast<std::size_t>(at)]);
  }

  [[nodiscard]] bool leaves_choice() const noexcept {
    return figures_.free > 0 || figures_.followed.count() > 0;
  }

  /// `missing` gets what does not exist.
  HeadFigures take(std::vector<std::string>& missing) {
    if (!compares()) {
      take_number();
      missing.push_back(figures_.name +
                        " is a number: no leaves of candidates, no referred elements");
      return std::move(figures_);
    }
    if (all_.parts() == 1)
      missing.push_back(figures_.name +
                        ": no figures of referred elements, its candidates refer to none");
    for (std::size_t l = 0; l < all_.parts(); ++l) take_level(l, missing);
    return std::move(figures_);
  }

 private:
  [[nodiscard]] bool compares() const {
    return heads_[head_].kind == HeadKind::index || heads_[head_].kind == HeadKind::categorical;
  }

  /// Values with the same effect are one.
  void add_number(std::size_t episode, ConstRow observation, ConstRow action,
                  std::span<const std::int32_t> candidates) {
    all_.find_effects(observation, action, candidates, effects_);
    std::vector<float> distinct = effects_;
    std::ranges::sort(distinct);
    distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
    if (distinct.size() < 2) {
      ++figures_.forced;
      return;
    }
    ++figures_.free;
    const auto at = std::ranges::find(candidates, heads_.get(action, head_)) - candidates.begin();
    const float mine = effects_[static_cast<std::size_t>(at)];
    lowest_.add(episode, mine == distinct.front() ? 1 : 0);
    highest_.add(episode, mine == distinct.back() ? 1 : 0);
    by_chance_.add(episode, 1 / static_cast<double>(distinct.size()));
  }

  void take_number() {
    LevelFigures level{.name = "values", .choices = figures_.free, .compared = figures_.free};
    level.rules = {{"", "#value", true, lowest_}, {"", "#value", false, highest_}};
    std::ranges::stable_sort(level.rules, std::greater{},
                             [](const SimpleRule& r) { return r.share.value(); });
    level.by_chance = by_chance_;
    figures_.levels.push_back(std::move(level));
  }

  void take_level(std::size_t l, std::vector<std::string>& missing) {
    LevelFigures level{.name = level_name(heads_, all_.level(l)),
                       .referred = all_.level(l).kind == Level::Kind::linked};
    const ChoiceFigures all(spec_, all_.table(l), episode_of_, plan_.episodes);
    level.choices = all.decisions();
    level.binary = all.binary_leaves();
    const std::string where = figures_.name + ", level " + level.name + ": ";
    if (all.decisions() == 0) {
      missing.push_back(where + "no decision has two of them");
    } else if (level.binary.empty()) {
      missing.push_back(where + "no gain ratio, no leaf with the bounds 0 and 1 differs");
    }
    const LessonTable& ruled = free_.table(l);
    const ChoiceFigures free(spec_, ruled, episode_of_, plan_.episodes);
    const ChoiceFigures& compared = level.referred ? free : all;
    level.compared = compared.decisions();
    level.rules = compared.simple_rules();
    level.by_chance = compared.by_chance(1);
    if (level.referred) take_forest(level, ruled, free, where, missing);
    figures_.levels.push_back(std::move(level));
  }

  void take_forest(LevelFigures& level, const LessonTable& table, const ChoiceFigures& figures,
                   const std::string& where, std::vector<std::string>& missing) const {
    const std::size_t fitted = (plan_.episodes + 1) / 2;
    std::vector<bool> seen(figures.decisions()), unseen(figures.decisions());
    for (std::size_t d = 0; d < figures.decisions(); ++d) {
      seen[d] = figures.episode(d) < fitted;
      unseen[d] = !seen[d];
    }
    if (std::ranges::find(seen, true) == seen.end()) {
      missing.push_back(where + "no forest, no decision of the first half of the episodes is free");
      return;
    }
    if (std::ranges::find(unseen, true) == unseen.end())
      missing.push_back(where + "no accuracy on unseen episodes, none of theirs is free");
    PairForest forest(table, figures, seen, {.seed = plan_.seed, .threads = plan_.threads});
    level.forest =
        ForestFigures{.fitted = fitted,
                      .seen = accuracy(forest, table, figures, seen, plan_.episodes),
                      .unseen = accuracy(forest, table, figures, unseen, plan_.episodes)};
    for (std::size_t k = 0; k < 3; ++k) level.forest->by_chance[k] = figures.by_chance(k + 1);
  }

  const Spec& spec_;
  const Heads& heads_;
  std::size_t head_;
  const ExplainPlan& plan_;
  HeadLessons all_, free_;
  std::vector<std::uint32_t> episode_of_{0};  // decisions have numbers from 1
  Share lowest_, highest_, by_chance_;        // of a number
  std::vector<float> effects_;
  HeadFigures figures_;
};

class PolicyExplainer {
 public:
  PolicyExplainer(const Registry& registry, const ExplainPlan& plan)
      : plan_(plan),
        env_(registry.env(plan.env)),
        spec_(env_.spec()),
        heads_(spec_),
        space_(spec_),
        policy_(registry.policy(plan.policy, spec_)) {
    need_candidates(heads_, plan.env);
    const FeatureHints hints = hints_of(spec_);
    for (std::size_t h = 0; h < heads_.size(); ++h)
      records_.push_back(heads_[h].kind == HeadKind::continuous || is_single(h)
                             ? nullptr
                             : std::make_unique<HeadRecord>(spec_, heads_, h, plan, hints));
  }

  std::optional<Explanation> run(const ExplainProgress& progress) {
    const auto see = [this](const Ask& ask, ConstRow observation, ConstRow action) {
      record(ask, observation, action);
    };
    if (!play_decisions(env_, *policy_, plan_, see, progress)) return {};
    if (std::ranges::none_of(records_, [](const auto& r) { return r && r->leaves_choice(); }))
      throw Error(Errc::invalid_config, "env: no decision of " + plan_.env +
                                            " leaves a choice in " +
                                            std::to_string(plan_.episodes) + " episodes");
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      if (!progress("figures", 0)) return {};
      if (records_[h] != nullptr)
        out_.heads.push_back(records_[h]->take(out_.missing));
      else if (!is_single(h))
        out_.missing.push_back(heads_[h].name + " is continuous: it has no candidates");
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_single(std::size_t h) const {
    return heads_[h].kind == HeadKind::categorical && heads_[h].values == 1;
  }

  void record(const Ask& ask, ConstRow observation, ConstRow action) {
    ++out_.decisions;
    if (!space_.legal(observation, action)) return;  // the environment will refuse it
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      if (records_[h] == nullptr) continue;
      list_values(space_.choice(h, observation, action), candidates_);
      records_[h]->add(ask.episode.id, observation, action, candidates_);
    }
  }

  const ExplainPlan& plan_;
  EnvOfText env_;
  Spec spec_;
  Heads heads_;
  ActionSpace space_;
  std::unique_ptr<Policy> policy_;
  std::vector<std::unique_ptr<HeadRecord>> records_;  // [heads]; nullptr: it never has a choice
  std::vector<std::int32_t> candidates_;
  Explanation out_;
};

}  // namespace

void need_candidates(const Heads& heads, const std::string& env) {
  for (std::size_t h = 0; h < heads.size(); ++h)
    if (heads[h].kind != HeadKind::continuous) return;
  throw Error(Errc::invalid_config,
              "env: all heads of " + env + " are continuous, which have no candidates to explain");
}

bool play_decisions(const EnvOfText& env, Policy& policy, const ExplainPlan& plan,
                    const SeeDecision& see, const ExplainProgress& progress) {
  const Rng phase = phase_rng(plan.seed, plan.phase);
  const RandomEpisodes episodes(phase, {.count = plan.episodes});
  const std::uint64_t most = std::min<std::uint64_t>(policy.most_slots(), kPlayedSlots);
  const auto slots =
      static_cast<std::uint32_t>(std::min(env.traits().system ? 1 : most, plan.episodes));
  const auto stream = env.stream(episodes, {.slots = slots});
  bool stopped = false;
  play(*stream, policy, phase.split("actions"), [&](const Decisions& d, const Batch& actions) {
    for (std::size_t r = 0; r < d.asked.size(); ++r)
      see(d.asked[r], d.observation.row(r), actions.row(r));
    return !(stopped = !progress("decisions", d.asked.size()));
  });
  return !stopped;
}

std::optional<Explanation> explain(const Registry& registry, const ExplainPlan& plan,
                                   const ExplainProgress& progress) {
  return PolicyExplainer(registry, plan).run(progress);
}

}  // namespace park::trees
