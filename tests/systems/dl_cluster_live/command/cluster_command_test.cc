// `park cluster`: what it wants to be told. Measurements: tests/systems/dl_cluster_live.
#include <gtest/gtest.h>

#include <string>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace {

bool tells(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Cluster, ProfileTellsWhatIsWrong) {
  const Finished none = run_park({"cluster", "profile"});
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(tells(none.err, "--out: is required")) << none.err;
  const Finished ring = run_park({"cluster", "profile", "--out", "/nowhere/a.csv", "--exchange",
                                  "ring", "--workers", "3", "--servers", "2"});
  EXPECT_EQ(ring.code, 2);
  EXPECT_TRUE(tells(ring.err, "--out: ")) << ring.err;
  EXPECT_TRUE(tells(ring.err, "--servers: a ring has none")) << ring.err;
  EXPECT_TRUE(tells(ring.err, "--workers: with ring it must be 4 or more")) << ring.err;
  const Finished many =
      run_park({"cluster", "profile", "--out", "a.csv", "--workers", "40", "--servers", "40"});
  EXPECT_EQ(many.code, 2);
  EXPECT_TRUE(tells(many.err, "must not be more than 64 together")) << many.err;
}

TEST(Cluster, TheRunningClusterIsDescribed) {
  const Finished done = run_park({"describe", "dl_cluster_live"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(tells(done.out, "real system")) << done.out;
  EXPECT_TRUE(tells(done.out, "jobs_given_up")) << done.out;
}

}  // namespace
}  // namespace park::cli
