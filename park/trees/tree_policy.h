#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/trees/head_plan.h"

namespace park::trees {

struct TreeConfig {
  std::string file;

  bool operator==(const TreeConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("file", self.file,
          FieldDoc{.doc = "a file of trees, as `park distill` writes it", .names = Names::file});
  }
};

/// Decides as a file of trees says (tree_file.h). A head with levels takes the candidate that comes
/// first among those that the rules keep. The order is by the item of the first level, the best
/// first, then by that of the next level. A head with values takes the legal value next to its
/// number, the lower one of two.
///
/// Scores of a head with levels are the sum over its levels of the logarithms of leaves. Where that
/// would change the order of choice, a score is lowered until it follows. With values a score is
/// minus the distance to the number.
class TreePolicy final : public Policy {
 public:
  /// Throws Error{io}, Error{bad_file} in one line.
  TreePolicy(const TreeConfig&, const Spec&);
  /// `name` stands for the file in complaints.
  TreePolicy(const TreeFile&, const std::string& name, const Spec&);

  void act(const Decisions&, Batch& actions) override;
  [[nodiscard]] bool scores(const Batch& observation, std::size_t head, const Batch& actions,
                            Candidates&, std::vector<float>& scores) override;

  /// The plan of a head; nullptr where the file leaves a head out that has one value only.
  [[nodiscard]] HeadPlan* plan(std::size_t head) noexcept { return plans_[head].get(); }
  [[nodiscard]] const Heads& heads() const noexcept { return heads_; }

 private:
  void decide(std::size_t head, ConstRow observation, Row action);

  Heads heads_;
  ActionSpace space_;
  std::vector<std::unique_ptr<HeadPlan>> plans_;  // [heads]
  std::vector<std::int32_t> candidates_;
};

/// Lists the legal values of a choice.
void list_values(const ActionSpace::Choice&, std::vector<std::int32_t>& out);

/// Throws Error{bad_file} if a file is for another layout.
void check_layout(const TreeFile&, const std::string& name, const Spec&);

/// Reads a file. Throws Error{io}, Error{bad_file} in one line.
[[nodiscard]] TreeFile read_tree_file(const std::string& path);

/// Makes tree(file=PATH) a policy of every environment, and each tree that comes with Park
/// (data/trees/NAME.tree) one by its name. Lists of policies have those that play without a file, so
/// `tree` is a loader's name. A server opens files where it opens their folder.
void register_policies(Registry&);

}  // namespace park::trees
