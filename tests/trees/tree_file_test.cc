// The file of trees: what is read, that printing and reading agree, and that a line which is refused
// is named.
#include "park/trees/tree_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "tests/trees/sample_tree.h"

namespace park::trees {
namespace tree_file_test {

using test::sample_tree;

/// The sample with one of its lines in place of another, and the complaint about it.
std::string complaint(std::size_t line, const std::string& text) {
  const std::string sample = sample_tree("0123456789abcdef");
  std::size_t begin = 0;
  for (std::size_t i = 1; i < line; ++i) begin = sample.find('\n', begin) + 1;
  const std::size_t end = sample.find('\n', begin);
  try {
    static_cast<void>(parse_tree_file(sample.substr(0, begin) + text + sample.substr(end), "f"));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::bad_file);
    return e.what();
  }
  return "";
}

TEST(TreeFiles, AreReadWithTheirLines) {
  const TreeFile f = parse_tree_file(sample_tree("0123456789abcdef"), "f");
  EXPECT_EQ(f.env, "depot");
  EXPECT_EQ(f.teacher, "somebody who knows");
  ASSERT_EQ(f.features.size(), 1u);
  EXPECT_EQ(f.features[0].feature.name, "slack");
  ASSERT_EQ(f.heads.size(), 3u);
  const HeadTrees& parcel = f.heads[0];
  ASSERT_EQ(parcel.rules.size(), 1u);
  EXPECT_EQ(parcel.rules[0].reason, "say \"small\" first # not a comment");
  EXPECT_EQ(parcel.rules[0].conditions.size(), 2u);
  ASSERT_EQ(parcel.levels.size(), 2u);
  const Tree& tree = parcel.levels[0].forest.trees[0];
  ASSERT_EQ(tree.nodes.size(), 5u);
  EXPECT_EQ(tree.leaves(), 3u);
  EXPECT_EQ(tree.nodes[2].value, 0.61f);
  EXPECT_EQ(tree.nodes[2].chosen, 912u);
  EXPECT_EQ(tree.nodes[2].samples, 8120u);
  EXPECT_EQ(tree.nodes[0].line, 12u);
  EXPECT_EQ(parcel.levels[1].forest.trees.size(), 2u);
  EXPECT_EQ(parcel.levels[1].ties.size(), 2u);
  EXPECT_EQ(f.heads[1].rules[0].value, 2.0f);
  EXPECT_EQ(f.leaves(), 3u + 3 + 2 + 1);
}

TEST(TreeFiles, AForestIsTheMeanOfItsTrees) {
  const TreeFile f = parse_tree_file(sample_tree("0123456789abcdef"), "f");
  const Forest& forest = f.heads[0].levels[1].forest;
  const std::vector<float> small{1}, large{9};
  EXPECT_EQ(forest(small.data()), 0.75f);
  EXPECT_EQ(forest(large.data()), 0.5f);
}

TEST(TreeFiles, PrintingAndReadingAgree) {
  const std::string once = print_tree_file(parse_tree_file(sample_tree("0123456789abcdef"), "f"));
  EXPECT_EQ(print_tree_file(parse_tree_file(once, "f")), once);
  EXPECT_NE(once.find("  if slack <= 21.4: 0.61 (912 of 8120)\n"), std::string::npos) << once;
  EXPECT_NE(
      once.find(
          "rule \"say \\\"small\\\" first # not a comment\": parcel.size = 1 and depot.free > 2\n"),
      std::string::npos)
      << once;
}

TEST(TreeFiles, AFormulaHasNoLeaves) {
  const std::string text =
      "park-tree 1\nenv x layout 0123456789abcdef\nhead a\n  value = b / c#count + 0.5\n";
  const TreeFile f = parse_tree_file(text, "f");
  EXPECT_TRUE(f.heads[0].values[0].formula());
  EXPECT_EQ(f.leaves(), 0u);
  EXPECT_EQ(print_tree_file(f), text);
}

TEST(TreeFiles, ALineThatIsWrongIsNamed) {
  EXPECT_EQ(complaint(2, "park-tree 2"), "f:2: expected 'park-tree 1', found 'park-tree 2'");
  EXPECT_EQ(complaint(3, "env depot layout 12"),
            "f:3: the layout '12' must be 16 hexadecimal digits");
  EXPECT_EQ(complaint(6, "feature slack = owner.weight /"),
            "f:6: expected a leaf or a number, found the end");
  EXPECT_EQ(complaint(12, "      if slack <= nan"), "f:12: expected a finite number, found 'nan'");
  EXPECT_EQ(complaint(12, "      if slack <= 1e99"),
            "f:12: expected a finite number, found '1e99'");
  EXPECT_EQ(complaint(12, "      if slack < 3"),
            "f:12: expected 'if FEATURE <= NUMBER', found 'if slack < 3'");
  EXPECT_EQ(complaint(13, "        if slack <= 21.4: inf"),
            "f:13: expected a finite number, found 'inf'");
  EXPECT_EQ(complaint(14, "         else: 0.17"),
            "f:14: expected the 'else' of line 13, found 'else: 0.17'");
  EXPECT_EQ(complaint(15, "      otherwise: 0.03"),
            "f:15: expected the 'else' of line 12, found 'otherwise: 0.03'");
  EXPECT_EQ(complaint(15, "      else: 0.03 (5 of)"),
            "f:15: expected a number of samples, found ')'");
  EXPECT_EQ(complaint(17, "      ties parcel.size sideways"),
            "f:17: expected 'up' or 'down', found 'sideways'");
  EXPECT_EQ(complaint(15, "\telse: 0.03"),
            "f:15: a tab or another control character; indent with spaces");
  EXPECT_EQ(complaint(25, "  rule \"few\": depot.free < 3"),
            "f:25: a rule of a head with values needs ': NUMBER' at its end");
  EXPECT_EQ(complaint(26, "  value = owner.weight 3"),
            "f:26: expected the end of the line, found ' 3'");
  EXPECT_EQ(complaint(26, "  value ="), "f:26: expected a leaf or a number, found the end");
  EXPECT_EQ(complaint(24, "head parcel"), "f:24: head 'parcel' is there twice");
}

TEST(TreeFiles, AnythingElseIsRefused) {
  for (const char* text :
       {"", "\n", "park-tree 1\n", "park-tree 1\nenv x layout 0123456789abcdef\n",
        "park-tree 1\nenv x layout 0123456789abcdef\nhead a\n",
        "park-tree 1\nenv x layout 0123456789abcdef\nhead a\n  value\n"})
    EXPECT_THROW(static_cast<void>(parse_tree_file(text, "f")), Error) << text;
  std::string deep = "park-tree 1\nenv x layout 0123456789abcdef\nhead a\n  value\n";
  for (std::size_t i = 0; i < 5000; ++i) deep += std::string(i + 3, ' ') + "if a <= 1\n";
  EXPECT_THROW(static_cast<void>(parse_tree_file(deep, "f")), Error);
}

}  // namespace tree_file_test
}  // namespace park::trees
