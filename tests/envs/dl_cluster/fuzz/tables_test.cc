// Damaged tables of speeds, ours and DL2's.
#include <gtest/gtest.h>

#include <string>

#include "park/envs/dl_cluster/dl2_table.h"
#include "park/envs/dl_cluster/speed_table.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/tally.h"

namespace park::test {
namespace {

using dl_cluster::SpeedTable;

/// What is accepted is written and read back.
void expect_table(const SpeedTable& table) {
  const SpeedTable again = SpeedTable::parse(table.text(), "again");
  ASSERT_EQ(again.types().size(), table.types().size());
  for (std::size_t t = 0; t < table.types().size(); ++t)
    EXPECT_EQ(again.types()[t].points, table.types()[t].points);
  (void)table.standing_still(3, 3);
}

template <class Parse>
void fuzz_table(std::uint64_t seed, const std::string& text, const std::string& donor,
                Parse&& parse) {
  parse(text);
  Mutator mutate(seed);
  Tally tally;
  for (int i = 0; i < kMutations; ++i) {
    const std::string damaged = mutate(text, donor);
    tally.run(i, [&] { parse(damaged); });
  }
  tally.expect_both(120);
}

const std::string kSpeeds =
    "# a comment\ntype,one,2,4,2,0,100,0.5\nspeed,one,1,1,10.5\nspeed,one,1,2,12\n"
    "speed,one,2,1,14\nspeed,one,2,2,19\nspeed,two,1,1,7\nspeed,two,1,2,9\nspeed,two,2,1,8\n"
    "speed,two,4,4,11\ntype,two,2,0,2,0,50,0.25\n";

std::string dl2_text() {
  std::string all;
  for (const char* model : {"resnet-50", "vgg-16", "resnext-110", "inception-bn", "seq2seq",
                            "cnn-text-classification", "dssm", "wlm"})
    for (const char* rest : {"', 'dist_sync', 32, 1, 1, [3.5], [1.9], [0.5])\n",
                             "', 'dist_sync', 32, 1, 2, [2.5, 2.25], [1.9], [0.4, 0.4])\n",
                             "', 'dist_sync', 32, 2, 1, [6], [1.9, 1.1], [0.9])\n",
                             "', 'dist_sync', 32, 2, 2, [4, 4.5], [1.9, 1.1], [0.9, 0.8])\n"})
      all += std::string("('") + model + rest;
  return all;
}

TEST(Fuzz, TablesOfSpeeds) {
  fuzz_table(41, kSpeeds, kSpeeds + dl2_text(),
             [](const std::string& text) { expect_table(SpeedTable::parse(text, "fuzz")); });
}

TEST(Fuzz, TablesOfDl2) {
  fuzz_table(42, dl2_text(), dl2_text() + kSpeeds,
             [](const std::string& text) { expect_table(dl_cluster::parse_dl2(text, "fuzz")); });
}

}  // namespace
}  // namespace park::test
