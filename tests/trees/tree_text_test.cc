// Edits of a text of trees: what changes, and that nothing else does.
#include "park/trees/tree_text.h"

#include <gtest/gtest.h>

#include <string>

#include "park/core/error.h"
#include "park/core/rng.h"
#include "tests/kit/scratch_folder.h"
#include "tests/trees/sample_tree.h"

namespace park::trees {
namespace tree_text_test {

using test::error_of;

class Editing : public testing::Test {
 protected:
  /// The sample with one piece in place of another.
  [[nodiscard]] std::string with(const std::string& from, const std::string& to) const {
    std::string all = sample_;
    const std::size_t at = all.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return all.replace(at, from.size(), to);
  }

  std::string sample_ = test::sample_tree("0123456789abcdef");
  TreeText text_{sample_, "f"};
};

TEST_F(Editing, ReadingAndWritingGivesTheSameBytes) {
  EXPECT_EQ(text_.text(), sample_);
  const std::string windows =
      "park-tree 1\r\nenv x layout 0123456789abcdef\r\nhead a\r\n  value: 1  # c";
  EXPECT_EQ(TreeText(windows, "f").text(), windows);
}

TEST_F(Editing, ALeafGetsAnotherNumber) {
  text_.set_leaf(3, 0.25f);
  EXPECT_EQ(text_.text(), with("else: 0.03  # hardly", "else: 0.25  # hardly"));
  text_.set_leaf(3, 0.03f);
  text_.set_leaf(1, -1e6f);
  EXPECT_EQ(text_.text(), with("21.4: 0.61 (912", "21.4: -1e+06 (912"));
  text_.set_leaf(1, 0.61f);
  text_.set_leaf(9, 3);
  EXPECT_EQ(text_.text(), with("level values: 1", "level values: 3"));
}

TEST_F(Editing, APrunedLeafTakesItsQuestionAlong) {
  text_.prune(2);  // the first leaf goes to the line above
  EXPECT_EQ(text_.text(), with("#rank <= 0.5\n        if slack <= 21.4: 0.61 (912 of 8120)\n"
                               "        else: 0.17 (2103 of 9000)\n",
                               "#rank <= 0.5: 0.61 (912 of 8120)\n"));
  text_.prune(2);  // one leaf is left
  EXPECT_NE(text_.text().find("  level owners\n      score: 0.61 (912 of 8120)\n  level parcels\n"),
            std::string::npos)
      << text_.text();
  EXPECT_NE(error_of([&] { text_.prune(1); }).find("leaf 1 is all of its tree"), std::string::npos);
}

TEST_F(Editing, ABranchMovesUp) {
  text_.prune(3);
  EXPECT_EQ(text_.text(), with("      if owner.since_s#rank <= 0.5\n"
                               "        if slack <= 21.4: 0.61 (912 of 8120)\n"
                               "        else: 0.17 (2103 of 9000)\n"
                               "      else: 0.03  # hardly ever\n",
                               "      if slack <= 21.4: 0.61 (912 of 8120)\n"
                               "      else: 0.17 (2103 of 9000)\n"));
}

TEST_F(Editing, ARuleComesFirst) {
  text_.add_rule("parcel", "\"the huge one\": parcel.size > 100");
  EXPECT_EQ(text_.text(),
            with("head parcel\n", "head parcel\n  rule \"the huge one\": parcel.size > 100\n"));
  text_.add_rule("share", "\"all\": owner.weight >= 1: 9");
  EXPECT_EQ(text_.file().heads[1].rules.size(), 2u);
}

TEST_F(Editing, WhatCannotBeDoneChangesNothing) {
  EXPECT_EQ(error_of([&] { text_.set_leaf(0, 1); }), "there is no leaf 0; leaves are 1 to 9");
  EXPECT_EQ(error_of([&] { text_.prune(10); }), "there is no leaf 10; leaves are 1 to 9");
  EXPECT_EQ(error_of([&] { text_.add_rule("job", "\"x\": a = 1"); }),
            "there is no head 'job' in the file");
  EXPECT_NE(error_of([&] { text_.add_rule("parcel", "parcel.size = 1"); }).find("f:9: expected"),
            std::string::npos);
  EXPECT_EQ(text_.text(), sample_);
}

/// Many edits in any order: the text can always be read, and there is one leaf fewer after each.
TEST_F(Editing, AnyOrderOfEditsCanBeRead) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed);
    TreeText text(sample_, "f");
    for (int i = 0; i < 60; ++i) {
      const std::size_t leaves = text.file().leaves(), leaf = 1 + rng.below(leaves);
      text.set_leaf(leaf, static_cast<float>(rng.below(9)) / 8);
      const std::string error = error_of([&] { text.prune(leaf); });
      EXPECT_EQ(text.file().leaves(), error == "no error" ? leaves - 1 : leaves) << error;
    }
    EXPECT_EQ(text.file().leaves(), 5u) << "one of each tree";
  }
}

}  // namespace tree_text_test
}  // namespace park::trees
