#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/config.h"

namespace park::runs {

/// The description of an algorithm, a baseline or a network.
struct PartInfo {
  std::string name, summary, reference;
  std::vector<FieldInfo> fields;
  std::uint64_t version = 1;  ///< networks: rises when the meaning of the weights changes
  std::vector<std::string> former_names{};  ///< names in files of earlier versions
  /// Networks: the same weights serve leaves of other lengths and heads of other numbers of values,
  /// such as other numbers of classes of executors.
  bool any_lengths = false;
};

[[nodiscard]] inline bool was_called(const PartInfo& part, std::string_view name) {
  return std::ranges::find(part.former_names, name) != part.former_names.end();
}

/// What guides a training beside its rewards. Demonstrations are a teacher's answers.
struct Guidance {
  /// The teacher, the text of a policy; "": none. In a mixture it may be a list that has one for each
  /// environment, separated by commas.
  std::string imitate{};
  std::uint64_t imitate_iterations = 0;  ///< the first iterations, which imitate it
  /// Who plays them: the teacher, or the learner after a first iteration of the teacher's.
  std::string imitate_along = "learner";
  double replay = 0;      ///< share of later steps that goes along the teacher's demonstrations
  std::string explore{};  ///< a file of trees whose rules say what to try in poor states; "": none
  double explore_share = 0.4;  ///< how often it is tried there (DL2, TPDS 2021)

  bool operator==(const Guidance&) const = default;
  [[nodiscard]] bool imitates(std::uint64_t iteration) const noexcept {
    return iteration < imitate_iterations;
  }
  /// The texts of the teachers, as they are listed.
  [[nodiscard]] std::vector<std::string> teachers() const;
  /// The text of the teacher of each of some environments; none without teachers. Throws
  /// Error{invalid_config} where their number is neither 1 nor that of the environments.
  [[nodiscard]] std::vector<std::string> teachers(std::size_t environments) const;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("imitate", s.imitate);
    visit("imitate_iterations", s.imitate_iterations);
    visit("imitate_along", s.imitate_along);
    visit("replay", s.replay);
    visit("explore", s.explore);
    visit("explore_share", s.explore_share);
  }
};

/// Several environments in one training.
struct Mixture {
  std::string parts{};     ///< the text of them (mixture.h); "": one environment
  std::string scale_by{};  ///< the policy that returns are divided by those of; "": none

  bool operator==(const Mixture&) const = default;
  [[nodiscard]] bool empty() const noexcept { return parts.empty(); }

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit) {
    visit("mixture", s.parts);
    visit("scale_by", s.scale_by);
  }
};

/// The parts of a training, as texts of the grammar of policies: reinforce(rollouts=16),
/// sequence_mean, ...
struct TrainingTexts {
  std::string env{}, algorithm = "ppo", baseline{}, network{};  ///< empty: what suits the rest best
  double adversarial = 0;  ///< share of the episodes that have misreporting users
  Guidance guidance{};
  Mixture mixture{};  ///< `env` is its first environment
};

}  // namespace park::runs
