// Distilling: rounds of playing, fitting and validating. A Pupil plays a round: it asks the teacher
// about every row, whose answers are kept as lessons, and does what the driver says.
// The best round is chosen by the first metric on validation inputs; evaluation inputs are not seen.
#include "park/trees/distill.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <set>

#include "park/core/episode_slice.h"
#include "park/core/error.h"
#include "park/core/pupil.h"
#include "park/trees/tree_policy.h"

namespace park::trees {
namespace {

// As of `park run`: a network's outputs may depend on the rows of a batch.
constexpr std::uint32_t kSlots = 16;
// A decision between equals still weighs something.
constexpr double kLeastGap = 1e-3;

/// How many other effects come before the first candidate that has the wanted one.
std::size_t choices_before(std::span<const float> scores, std::span<const float> effects,
                           float wanted) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t c) { return scores[c]; });
  std::set<float> before;
  for (const std::size_t c : order) {
    if (effects[c] == wanted) break;
    before.insert(effects[c]);
  }
  return before.size();
}

class Distiller {
 public:
  Distiller(const Registry& registry, const DistillPlan& plan, DistillWatcher& watcher)
      : env_(registry.env(plan.env)),
        validation_(registry.env(plan.validate_on.empty() ? plan.env : plan.validate_on)),
        spec_(env_.spec()),
        plan_(plan),
        watcher_(watcher),
        heads_(spec_),
        space_(spec_),
        hints_(hints_of(spec_)),
        teacher_(registry.policy(plan.teacher, spec_)),
        run_(phase_rng(plan.seed, Phase::train)) {
    check_validation();
    const auto separate = separate_heads(hints_, plan.separate, spec_);
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      const bool single = heads_[h].kind == HeadKind::categorical && heads_[h].values == 1;
      const auto given = separate.find(heads_[h].name);
      const auto formula = given == separate.end() ? std::optional<Expression>() : given->second;
      lessons_.push_back(
          single ? nullptr
                 : std::make_unique<HeadLessons>(spec_, heads_, h, hints_, plan.weights, formula));
    }
  }

  DistillOutcome run() {
    bool going = true;
    for (std::uint32_t round = 1; going && round <= plan_.rounds; ++round) going = one_round(round);
    out_.finished = going && examine();
    return std::move(out_);
  }

 private:
  void check_validation() const {
    const Spec validated = validation_.spec();
    if (layout_hash(validated) != layout_hash(spec_))
      throw Error(Errc::invalid_config,
                  "validate_on: " + validation_.text() + " has another layout than " + env_.text());
    if (validated.metrics.front().name != spec_.metrics.front().name)
      throw Error(Errc::invalid_config, "validate_on: its first metric is " +
                                            validated.metrics.front().name + ", that of " +
                                            env_.text() + " is " + spec_.metrics.front().name);
  }

  /// Plays a phase's episodes; false: an end was asked for. `metrics` gets the first metric of each.
  bool play_all(const char* what, const EpisodeSource& episodes, std::uint64_t count,
                Policy& policy, Phase phase, std::vector<double>* metrics) {
    const std::uint64_t most = std::min<std::uint64_t>(policy.most_slots(), kSlots);
    const auto slots = static_cast<std::uint32_t>(std::min(spec_.traits.system ? 1 : most, count));
    const EnvOfText& env = phase == Phase::validate ? validation_ : env_;
    const auto stream = env.stream(episodes, {.slots = slots});
    bool stopped = false;
    std::vector<std::pair<std::uint64_t, double>> ended;
    play(*stream, policy, phase_rng(plan_.seed, phase).split("actions"),
         [&](const Decisions& d, const Batch&) {
           for (std::size_t i = 0; i < d.ended.size(); ++i)
             ended.emplace_back(d.ended[i].episode.id, d.metrics_of(i).front());
           watcher_.on_rows(what, d.asked.size());
           return !(stopped = watcher_.stop());
         });
    if (stopped) return false;
    std::ranges::sort(ended);  // the sum must not depend on which one ends first
    if (metrics != nullptr)
      for (const auto& [id, value] : ended) metrics->push_back(value);
    return true;
  }

  bool one_round(std::uint32_t round) {
    const RandomEpisodes all(run_, {.mean_horizon_s = env_.mean_horizon_s()});
    const EpisodeSlice episodes(all, (round - 1) * plan_.episodes, plan_.episodes);
    Pupil pupil(spec_, *teacher_, student_.get(),
                [&](const Decisions& d, const Batch& answers) { learn(d, answers); });
    if (!play_all("lessons", episodes, plan_.episodes, pupil, Phase::train, nullptr)) return false;
    if (round == 1) check_lessons();
    const bool finished = round <= plan_.finished.size();
    TreeFile tree = finished ? taken_over(plan_.finished[round - 1]) : fit(round, plan_.leaves);
    student_ =
        std::make_unique<TreePolicy>(tree, "the tree of round " + std::to_string(round), spec_);
    const std::optional<double> metric =
        finished ? plan_.finished[round - 1].figures.metric : validate(*student_);
    if (!metric) return false;
    out_.rounds.push_back(
        {.round = round, .decisions = decisions_, .leaves = tree.leaves(), .metric = *metric});
    watcher_.on_round(out_.rounds.back(), tree);
    if (out_.rounds.size() == 1 || better(*metric, out_.rounds[out_.best].metric)) {
      out_.best = out_.rounds.size() - 1;
      out_.tree = std::move(tree);
    }
    return true;
  }

  [[nodiscard]] const TreeFile& taken_over(const FinishedRound& round) const {
    if (round.figures.decisions != decisions_)
      throw Error(Errc::bad_file, "rounds: round " + std::to_string(round.figures.round) + " had " +
                                      std::to_string(round.figures.decisions) +
                                      " decisions, and has " + std::to_string(decisions_) +
                                      " now: it is of another build or of other data");
    return round.tree;
  }

  [[nodiscard]] bool better(double a, double b) const {
    return spec_.metrics.front().lower_is_better ? a < b : a > b;
  }

  void learn(const Decisions& d, const Batch& answers) {
    decisions_ += d.asked.size();
    for (std::size_t h = 0; h < heads_.size() && !d.asked.empty(); ++h) {
      if (lessons_[h] == nullptr || lessons_[h]->parts() == 0) continue;
      const bool real = heads_[h].kind == HeadKind::continuous;
      if (plan_.weights == LessonWeights::gap && !real) ask_scores(h, d.observation, answers);
      for (std::size_t r = 0; r < d.asked.size(); ++r) {
        candidates_.clear();
        if (!real) list_values(space_.choice(h, d.observation.row(r), answers.row(r)), candidates_);
        if (real || candidates_.size() > 1)
          lessons_[h]->add(d.observation.row(r), answers.row(r), candidates_,
                           real ? 1.0 : weight_of(r));
      }
    }
  }

  void ask_scores(std::size_t head, const Batch& observation, const Batch& answers) {
    if (!teacher_->scores(observation, head, answers, of_head_, scores_))
      throw Error(Errc::invalid_config, "weights: gap needs a teacher that has scores; " +
                                            plan_.teacher + " has none of " + heads_[head].name);
  }

  /// How far the scores of a row lie apart, of values that the teacher may take.
  [[nodiscard]] double weight_of(std::size_t row) const {
    if (plan_.weights != LessonWeights::gap) return 1;
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (std::int64_t c = of_head_.offsets[row]; c < of_head_.offsets[row + 1]; ++c) {
      const float s = scores_[static_cast<std::size_t>(c)];
      if (s == -std::numeric_limits<float>::infinity()) continue;
      low = std::min(low, s);
      high = std::max(high, s);
    }
    return std::max(static_cast<double>(high) - static_cast<double>(low), kLeastGap);
  }

  void check_lessons() const {
    for (const auto& head : lessons_)
      for (std::size_t p = 0; head != nullptr && p < head->parts(); ++p)
        if (head->samples(p) > 0) return;
    throw Error(Errc::invalid_config, "env: in " + std::to_string(plan_.episodes) +
                                          " episodes of " + plan_.env +
                                          " there is no decision that leaves a choice");
  }

  [[nodiscard]] TreeFile fit(std::uint32_t round, std::size_t most) const {
    TreeFile tree{.env = spec_.name, .layout = layout_text(spec_)};
    tree.teacher = plan_.teacher + " on " + plan_.env + ", round " + std::to_string(round) + ", " +
                   std::to_string(decisions_) + " decisions, seed " + std::to_string(plan_.seed);
    if (!plan_.separate.empty()) tree.teacher += ", separate " + plan_.separate;
    std::vector<std::size_t> parts;
    for (const auto& head : lessons_) parts.push_back(head == nullptr ? 0 : head->parts());
    const auto leaves = share_leaves(most, parts);
    for (std::size_t h = 0; h < heads_.size(); ++h)
      if (lessons_[h] != nullptr)
        tree.heads.push_back(lessons_[h]->fit({.leaves = leaves[h],
                                               .trees = plan_.trees,
                                               .seed = plan_.seed,
                                               .threads = plan_.threads}));
    add_derived(tree);
    return tree;
  }

  static void add_names(const Expression& e, std::set<std::string>& names) {
    if (e.kind == Expression::Kind::name) names.insert(e.name);
    for (const Expression& arg : e.args) add_names(arg, names);
  }

  /// Those derived features that the trees ask about, and what these need.
  void add_derived(TreeFile& tree) const {
    std::set<std::string> names;
    const auto take = [&](const Forest& f) {
      for (const Expression& e : f.inputs) add_names(e, names);
    };
    for (const HeadTrees& head : tree.heads) {
      for (const Rule& rule : head.rules)
        for (const Condition& c : rule.conditions) add_names(c.feature, names);
      for (const LevelTrees& level : head.levels) {
        take(level.forest);
        for (const Tie& tie : level.ties) add_names(tie.feature, names);
      }
      for (const Forest& value : head.values) take(value);
    }
    for (auto d = hints_.features.rbegin(); d != hints_.features.rend(); ++d)
      if (names.contains(d->name)) add_names(d->value, names);
    for (const Derived& d : hints_.features)
      if (names.contains(d.name)) tree.features.push_back({{}, d});
  }

  std::optional<double> validate(Policy& policy) {
    const RandomEpisodes episodes(phase_rng(plan_.seed, Phase::validate),
                                  {.count = plan_.validation_episodes});
    std::vector<double> metrics;
    if (!play_all("validation", episodes, plan_.validation_episodes, policy, Phase::validate,
                  &metrics))
      return {};
    double mean = 0;
    for (const double m : metrics) mean += m / static_cast<double>(metrics.size());
    return mean;
  }

  /// The teacher plays the validation episodes, then the best student does; each time the other one is
  /// asked. Trees of other sizes follow.
  bool examine() {
    TreePolicy best(out_.tree, "the best tree", spec_);
    const std::optional<double> teacher = agree(best, nullptr, out_.agreement);
    if (!teacher || !agree(best, &best, out_.agreement_on_student)) return false;
    out_.teacher = *teacher;
    for (const std::size_t leaves : plan_.sizes) {
      const TreeFile tree = fit(plan_.rounds, leaves);
      TreePolicy policy(tree, "the tree of " + std::to_string(leaves) + " leaves", spec_);
      const std::optional<double> metric = validate(policy);
      if (!metric) return false;
      out_.sizes.push_back({leaves, tree.leaves(), *metric});
    }
    return true;
  }

  /// Plays the validation episodes as `driver` says, or the teacher.
  std::optional<double> agree(TreePolicy& student, Policy* driver,
                              std::vector<HeadAgreement>& agreement) {
    for (std::size_t h = 0; h < heads_.size(); ++h) agreement.push_back({.head = heads_[h].name});
    Pupil pupil(spec_, *teacher_, driver, [&](const Decisions& d, const Batch& answers) {
      for (std::size_t h = 0; h < heads_.size(); ++h)
        if (lessons_[h] != nullptr && heads_[h].kind != HeadKind::continuous)
          compare(student, h, d.observation, answers, agreement[h]);
    });
    return validate(pupil);
  }

  void compare(TreePolicy& student, std::size_t head, const Batch& observation,
               const Batch& answers, HeadAgreement& all) {
    if (!student.scores(observation, head, answers, of_head_, scores_)) return;
    for (std::size_t r = 0; r < of_head_.rows(); ++r) {
      const auto begin = static_cast<std::size_t>(of_head_.offsets[r]);
      const auto n = static_cast<std::size_t>(of_head_.count(r));
      const std::span values = std::span<const std::int32_t>(of_head_.value).subspan(begin, n);
      if (n < 2) {
        ++all.forced;
        continue;
      }
      const auto at = static_cast<std::size_t>(
          std::ranges::find(values, heads_.get(answers.row(r), head)) - values.begin());
      lessons_[head]->find_effects(observation.row(r), answers.row(r), values, effects_);
      const std::size_t before =
          choices_before(std::span<const float>(scores_).subspan(begin, n), effects_, effects_[at]);
      Agreement& agreement = is_ruled(student, head, observation.row(r), answers.row(r), values, at)
                                 ? all.ruled
                                 : all.free;
      ++agreement.decisions;
      agreement.first += before == 0 ? 1 : 0;
      agreement.first_three += before < 3 ? 1 : 0;
    }
  }

  [[nodiscard]] static bool is_ruled(TreePolicy& student, std::size_t head, ConstRow observation,
                                     ConstRow action, std::span<const std::int32_t> values,
                                     std::size_t chosen) {
    HeadPlan& plan = *student.plan(head);
    if (!plan.compares()) return false;
    plan.apply_rules(observation, action, values);
    return plan.kept()[chosen] != 0 && std::ranges::count(plan.kept(), 0) > 0;
  }

  EnvOfText env_, validation_;
  Spec spec_;
  const DistillPlan& plan_;
  DistillWatcher& watcher_;
  Heads heads_;
  ActionSpace space_;
  FeatureHints hints_;
  std::unique_ptr<Policy> teacher_;
  Rng run_;
  std::vector<std::unique_ptr<HeadLessons>> lessons_;  // [heads]
  std::unique_ptr<TreePolicy> student_;
  std::vector<std::int32_t> candidates_;
  Candidates of_head_;
  std::vector<float> scores_, effects_;
  std::uint64_t decisions_ = 0;
  DistillOutcome out_;
};

}  // namespace

std::vector<std::vector<std::size_t>> share_leaves(std::size_t leaves,
                                                   const std::vector<std::size_t>& parts) {
  std::size_t all = 0;
  for (const std::size_t p : parts) all += p;
  const std::size_t first = all < 2 ? leaves : leaves / 2;
  const std::size_t other = all < 2 ? 0 : (leaves - first) / (all - 1);
  std::vector<std::vector<std::size_t>> shares;
  bool is_first = true;
  for (const std::size_t p : parts) {
    shares.emplace_back(p, std::max<std::size_t>(other, 2));
    if (p > 0 && is_first) shares.back()[0] = std::max<std::size_t>(first, 2);
    is_first = is_first && p == 0;
  }
  return shares;
}

DistillOutcome distill(const Registry& registry, const DistillPlan& plan, DistillWatcher& watcher) {
  return Distiller(registry, plan, watcher).run();
}

}  // namespace park::trees
