// The chain of hashes over the rows of a result.
#include "park/bench/row_links.h"

#include <gtest/gtest.h>

#include "park/bench/summary.h"
#include "park/files/sha256.h"

namespace park::bench {
namespace row_links_test {

/// One policy with a row for each of the ids.
BenchResults with_rows(const std::vector<std::uint64_t>& ids) {
  BenchResults results;
  results.suite.seed = 7;
  results.environments = {{.text = "x(a=1)",
                           .version = 2,
                           .layout_hash = "ab12",
                           .metrics = {{.name = "time"}, {.name = "reward"}}}};
  results.entries = {{.policy = "best"}};
  for (const std::uint64_t id : ids)
    results.entries[0].episodes.push_back({.id = id,
                                           .decisions = 3,
                                           .events = 5,
                                           .reward = kUndefined,
                                           .metrics = {0.5 * static_cast<double>(id)}});
  return results;
}

std::vector<std::string> links_of(const BenchResults& results) {
  std::vector<std::string> links;
  for (const RowLink& link : row_links(results, results.entries[0])) links.push_back(link.sha256);
  return links;
}

TEST(RowLinks, HashWhatTheDocumentSays) {
  const BenchResults results = with_rows({0, 1, 9});
  const std::string seed = files::sha256_text("6:x(a=1),1:2,4:ab12,4:best,1:7,");
  const std::string first = files::sha256_text(seed + "\n0 3 5 0 null\n1 3 5 0.5 null\n");
  const std::string second = files::sha256_text(first + "\n9 3 5 4.5 null\n");
  EXPECT_EQ(links_of(results), (std::vector<std::string>{first, second}));
  EXPECT_EQ(rows_sha256(results, results.entries[0]), second);
  const BenchResults none = with_rows({});
  EXPECT_EQ(rows_sha256(none, none.entries[0]), seed);
  EXPECT_TRUE(links_of(none).empty());
}

TEST(RowLinks, AChangeChangesItsLinkAndAllBehindIt) {
  const BenchResults before = with_rows({0, 7, 8, 15, 16, 23});
  BenchResults after = before;
  after.entries[0].episodes[2].events += 1;
  const auto a = links_of(before), b = links_of(after);
  ASSERT_EQ(a.size(), 3u);
  EXPECT_EQ(a[0], b[0]);
  EXPECT_NE(a[1], b[1]);
  EXPECT_NE(a[2], b[2]);
  const std::vector<RowLink> links = row_links(before, before.entries[0]);
  EXPECT_EQ(links[1].first, 8u);
  EXPECT_EQ(links[1].last, 15u);
}

TEST(RowLinks, BelongToTheirPolicyEnvironmentAndSeed) {
  const BenchResults whole = with_rows({0});
  std::vector<BenchResults> others(5, whole);
  others[0].suite.seed = 8;
  others[1].entries[0].policy = "bes";
  others[2].environments[0].version = 3;
  others[3].environments[0].layout_hash = "ab13";
  others[4].environments[0].text = "x(a=2)";
  for (const BenchResults& other : others) EXPECT_NE(links_of(other), links_of(whole));
}

}  // namespace row_links_test
}  // namespace park::bench
