// What a policy would have done if one leaf of a row had been another. The policy itself is asked:
// first copies of it that may be asked often, at last a new one that has seen the whole episode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/trees/feature_list.h"

namespace park::trees {

/// The decisions of one episode as a policy took them.
struct PlayedEpisode {
  explicit PlayedEpisode(const Spec& spec) : observations(spec.observation), actions(spec.action) {}
  void add(const Ask&, ConstRow observation, ConstRow action);

  std::vector<Ask> asks{};  ///< [decisions]
  Batch observations, actions;
};

/// Makes a policy; each starts anew.
using PolicyMaker = std::function<std::unique_ptr<Policy>()>;

/// Asks a policy about changed copies of one row of an episode. A policy that answers from the row
/// alone is asked at once. Another one sees the episode up to that row before every answer.
class Asker {
 public:
  /// The episode must outlive it. `run` is the generator that the episode was played with.
  Asker(PolicyMaker, const Spec&, const PlayedEpisode&, std::size_t decision, Rng run);

  /// Answers rows that stand in the place of the decision's row. `actions` gets as many; `answered`
  /// says which of them are answers.
  void ask(const Batch& rows, Batch& actions, std::vector<bool>& answered);
  /// The answer of a new policy that saw the episode before.
  void ask_anew(const Batch& row, Batch& action);
  [[nodiscard]] bool from_rows() const noexcept { return from_rows_; }
  [[nodiscard]] std::uint64_t asked() const noexcept { return asked_; }
  /// Rows that the policy refused by an Error although it answers the row as it was: no such row
  /// exists. They have no answer.
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }

 private:
  void start(Policy&, std::size_t slots) const;
  void ask_each(const Batch& rows, std::size_t first, std::size_t n, Batch& actions,
                std::vector<bool>& answered);
  void answer(Policy&, const Batch& rows, std::size_t first, std::size_t n, Batch& actions);
  [[nodiscard]] Ask place(std::size_t decision, std::size_t slot) const;
  [[nodiscard]] bool answers_from_rows();

  PolicyMaker make_;
  const Spec& spec_;
  const PlayedEpisode& episode_;
  std::size_t decision_;
  Rng run_;
  std::unique_ptr<Policy> policy_;
  bool from_rows_ = false;
  std::uint64_t asked_ = 0, refused_ = 0;
};

/// Another value of one leaf.
struct LeafChange {
  std::string leaf;
  std::string group{};                   ///< of the leaf; "": one per row
  std::optional<std::size_t> element{};  ///< of a leaf in a group: which element of the row
  std::size_t entry = 0, entries = 1;    ///< which one of how many
  double from = 0, to = 0;
  double deviations = 0;  ///< the change in standard deviations of the leaf over the episode's rows
  std::size_t choice = 0;  ///< the place of the value that the policy then chooses
};

/// Whether an answer differs from the policy's, and how: the place of the value; nothing: it is the
/// same, or an earlier head differs.
using Differs = std::function<std::optional<std::size_t>(ConstRow action)>;

/// The smallest change of one leaf of a row to which the policy's answer differs, in standard
/// deviations of the leaf. Changes are 1/64, 1/32 and so on to 16 deviations, up and down within
/// the bounds of the spec. The first that has an effect is made smaller by halving, and is verified
/// by ask_anew. A leaf that has whole numbers only, in all rows of the episode, keeps to whole
/// numbers. Not tried are masks and ranges of heads, references, info.*, and what the hints leave
/// out. Elements are those in `elements`, [groups] lists of places; other leaves of the row stay as
/// they are.
[[nodiscard]] std::optional<LeafChange> smallest_change(
    const Spec&, const FeatureHints&, const PlayedEpisode&, std::size_t decision,
    const std::vector<std::vector<std::size_t>>& elements, Asker&, const Differs&);

}  // namespace park::trees
