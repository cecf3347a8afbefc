// What a student learns from: samples of a teacher's decisions, a table per level or number of each
// head. HeadLessons takes rows with the teacher's action and fits the trees of its head. Distilling
// owns one per head and decides who drives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "park/core/rng.h"
#include "park/trees/cart.h"
#include "park/trees/feature_list.h"
#include "park/trees/features.h"
#include "park/trees/head_plan.h"

namespace park::trees {

/// Samples of one table.
struct LessonTable {
  std::vector<Expression> features{};
  std::vector<std::vector<float>> columns{};  ///< [features][samples]
  std::vector<double> targets{}, weights{};   ///< [samples]
  std::vector<double> floors{};  ///< numbers: the target is at least this; -inf: it is known
  std::vector<std::uint32_t> decisions{};  ///< [samples] which decision it comes from; rising

  /// `decision` is that of the sample before, or the next number.
  void add(std::span<const float> row, double target, double weight, double floor,
           std::uint32_t decision);
  /// Draws as many decisions as there are, with replacement. A sample weighs as often as its
  /// decision was drawn, and is left out if it was not.
  [[nodiscard]] LessonTable resampled(Rng) const;
  /// Where the samples of each decision begin, and the end of the last one. [decisions + 1]
  [[nodiscard]] std::vector<std::size_t> begins() const;
  [[nodiscard]] std::size_t samples() const noexcept { return targets.size(); }
};

/// How samples weigh.
enum class LessonWeights : std::uint8_t {
  balanced,  ///< of n items of a decision the chosen one weighs n - 1, each other one 1
  equal,     ///< each item weighs 1
  gap        ///< as balanced, times how far the teacher's scores of the head lie apart
};

/// How trees are fitted.
struct FitOptions {
  std::vector<std::size_t> leaves{};  ///< [parts] of each tree, at most
  std::uint32_t trees = 1;            ///< of each part; several are bagged (Breiman, 1996)
  std::uint64_t seed = 1;             ///< of what bagging draws
  std::uint32_t threads = 1;
};

/// The lessons of one head.
class HeadLessons {
 public:
  /// With a formula the head learns nothing, and what it fits is the formula. Throws
  /// Error{invalid_space} if a hint of the head or the formula has no meaning in the spec.
  HeadLessons(const Spec&, const Heads&, std::size_t head, const FeatureHints&, LessonWeights,
              std::optional<Expression> formula = {});

  /// Adds what the teacher's action says about this head. `candidates` are the legal values after
  /// the earlier heads of that action, at least two. The decision's samples are weighed by `weight`,
  /// which is positive.
  void add(ConstRow observation, ConstRow action, std::span<const std::int32_t> candidates,
           double weight = 1);

  /// What each candidate of a bounded number brings beyond what is there; the values themselves of
  /// other heads.
  void find_effects(ConstRow observation, ConstRow action, std::span<const std::int32_t> candidates,
                    std::vector<float>& effects);

  /// How many trees it fits.
  [[nodiscard]] std::size_t parts() const noexcept { return tables_.size(); }
  [[nodiscard]] std::size_t samples(std::size_t part) const { return tables_[part].samples(); }
  [[nodiscard]] const LessonTable& table(std::size_t part) const { return tables_[part]; }
  [[nodiscard]] const Level& level(std::size_t part) const { return levels_[part]; }
  /// Which candidates of the decision that was added last the rules keep; empty: a number.
  [[nodiscard]] std::span<const std::uint8_t> kept() const {
    return rules_ == nullptr ? std::span<const std::uint8_t>() : rules_->kept();
  }
  /// Decisions that the rules contradict, and therefore teach nothing.
  [[nodiscard]] std::uint64_t against_rules() const noexcept { return against_rules_; }

  /// Fits all parts. A part without samples becomes one leaf.
  [[nodiscard]] HeadTrees fit(const FitOptions&) const;

 private:
  void frame_tables(const Spec&, const FeatureHints&);
  void frame_levels(const Spec&, const FeatureHints&);
  void add_levels(ConstRow observation, ConstRow action, std::span<const std::int32_t> candidates,
                  std::size_t chosen, double weight);
  void add_level(std::size_t level, std::size_t chosen, double weight);
  void add_number(ConstRow observation, ConstRow action, std::span<const std::int32_t> candidates,
                  double value, double weight);
  [[nodiscard]] Tree fit_table(const LessonTable&, std::size_t leaves, std::uint32_t threads) const;
  [[nodiscard]] Tree fit_number(const LessonTable&, std::size_t leaves,
                                std::uint32_t threads) const;

  const Heads& heads_;
  std::size_t head_;
  LessonWeights rule_of_weights_;
  bool logarithmic_ = false;  // an interval of positive numbers
  bool classes_ = false;      // a categorical head whose value follows from the situation
  double lowest_ = 0;         // of these values
  std::optional<Expression> formula_;
  HeadTrees frame_;  // name, rules, levels with ties
  std::unique_ptr<HeadPlan> rules_;
  std::vector<Level> levels_;
  std::vector<Features> tables_of_row_;  // [parts]
  std::vector<Features> effect_;         // none, or one with `have` and `most`
  std::vector<LessonTable> tables_;      // [parts]
  std::vector<std::uint8_t> left_;       // candidates that the levels before leave
  std::vector<std::uint32_t> items_;
  std::uint64_t against_rules_ = 0;
  std::uint32_t decisions_ = 0;  // so far
};

}  // namespace park::trees
