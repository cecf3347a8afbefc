// Damaged files of trees and lists of features: they are read, or refused in one line that names the
// file and the line. What is read prints and reads back to the same bytes, and plays.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "park/envs/bundled_texts.h"
#include "park/trees/feature_list.h"
#include "park/trees/tree_policy.h"
#include "park/trees/tree_text.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/tally.h"
#include "tests/trees/depot.h"
#include "tests/trees/sample_tree.h"

namespace park::test {
namespace trees_fuzz_test {

/// "f:12: what is wrong", or "f: head 'a' is missing".
void expect_one_line(const std::string& complaint) {
  EXPECT_TRUE(complaint.starts_with("f:")) << complaint;
  const std::size_t colon = complaint.find(':', 2);
  const std::string line = complaint.substr(2, colon - 2);
  EXPECT_TRUE(
      complaint.ends_with("is missing") ||
      (!line.empty() && std::ranges::all_of(line, [](char c) { return c >= '0' && c <= '9'; })))
      << complaint;
  EXPECT_TRUE(std::ranges::all_of(complaint, [](unsigned char c) { return c >= 32 && c != 127; }))
      << complaint;
}

/// Some texts have lines in another order, the others are damaged.
std::string damaged(Mutator& mutate, const std::string& text, const std::string& donor) {
  return mutate.rng().below(6) == 0 ? shuffle_lines(text, mutate.rng()) : mutate(text, donor);
}

/// Calls `read` with texts that are damaged in turn, by pieces of each other; what it refuses has to be
/// one line.
template <class Read>
void fuzz(std::uint64_t seed, const std::vector<std::string>& texts, Read&& read) {
  std::string donor;
  for (const std::string& text : texts) {
    read(text);
    donor += text;
  }
  Mutator mutate(seed);
  Tally tally;
  for (int i = 0; i < kMutations; ++i) {
    const std::string& whole = texts[static_cast<std::size_t>(i) % texts.size()];
    tally.run(i, [&, now = damaged(mutate, whole, donor)] {
      try {
        read(now);
      } catch (const Error& error) {
        expect_one_line(error.what());
        throw;
      }
    });
  }
  tally.expect_both(24);
}

/// A tree as it is distilled: deep, with a formula.
std::string distilled_tree() {
  std::string text =
      "park-tree 1\nenv depot layout " + layout_text(Depot().spec) +
      "\nteacher random on depot, round 2, 77 decisions, seed 1, separate even\n"
      "feature slack = owner.weight / share.min\n"
      "feature heavy = max(slack, 1) * log(parcel.size + 2)\nhead parcel\n  level parcels\n";
  for (int depth = 0; depth < 12; ++depth)
    text += std::string(4 + 2 * static_cast<std::size_t>(depth), ' ') +
            "if heavy#rank <= " + std::to_string(depth) + ".5\n";
  text += std::string(28, ' ') + "score: 0.5 (3 of 6)\n";
  for (int depth = 11; depth >= 0; --depth)
    text += std::string(4 + 2 * static_cast<std::size_t>(depth), ' ') + "else: 0.25 (1 of 4)\n";
  return text +
         "head share\n  value = min(depot.free, 7) / owners#count + 0.5\nhead desk\n"
         "  rule \"fast\": desk.speed > 1\n  level values\n    ties #value down\n    score: 1\n";
}

/// A tree by hand, and a distilled one.
std::vector<std::string> trees_of_depot() {
  return {sample_tree(layout_text(Depot().spec)), distilled_tree()};
}

TEST(TreesFuzz, FilesOfTrees) {
  fuzz(41, trees_of_depot(), [](const std::string& text) {
    const std::string once = trees::print_tree_file(trees::parse_tree_file(text, "f"));
    EXPECT_EQ(trees::print_tree_file(trees::parse_tree_file(once, "f")), once) << text;
    EXPECT_EQ(trees::TreeText(text, "f").text(), text);
  });
}

/// A file that is read is bound to a spec and decides a row, whatever it says.
TEST(TreesFuzz, PoliciesOfTrees) {
  const Depot depot;
  Decisions asked(depot.spec);
  asked.asked.emplace_back();
  asked.observation.append(depot.observation);
  Batch actions(depot.spec.action);
  actions.resize(1);
  const ActionSpace space(depot.spec);
  fuzz(43, trees_of_depot(), [&](const std::string& text) {
    trees::TreePolicy policy(trees::parse_tree_file(text, "f"), "f", depot.spec);
    policy.act(asked, actions);
    EXPECT_TRUE(space.legal(depot.row(), actions.row(0))) << text;
  });
}

TEST(TreesFuzz, ListsOfFeatures) {
  std::vector<std::string> all;
  for (const auto& [file, text] : envs::bundled_features()) all.emplace_back(text);
  ASSERT_FALSE(all.empty());
  fuzz(44, all, [](const std::string& text) {
    const trees::FeatureHints hints = trees::parse_feature_hints(text, "f");
    for (const trees::Derived& d : hints.features)
      EXPECT_EQ(trees::parse_expression(trees::to_text(d.value)), d.value) << text;
  });
}

}  // namespace trees_fuzz_test
}  // namespace park::test
