// Recorded jobs: what a file may hold, and how an episode plays it.
#include "park/envs/load_balance/recording.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "park/core/text.h"
#include "park/envs/load_balance/arrival_process.h"
#include "park/envs/load_balance/load_balance.h"
#include "tests/kit/temporary_file.h"

namespace park::test {
namespace recording_test {

using load_balance::Recording;

std::vector<double> all(std::span<const double> values) { return {values.begin(), values.end()}; }

/// What a text is refused with.
std::string refusal(const std::string& text) {
  try {
    (void)Recording::parse(text, "jobs.csv");
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::bad_file);
    return e.what();
  }
  return "";
}

TEST(Recording, ReadsBothForms) {
  const Recording sizes = Recording::parse("size\n1\n2.5\n1e3\n", "jobs.csv");
  EXPECT_EQ(all(sizes.sizes()), (std::vector<double>{1, 2.5, 1000}));
  EXPECT_TRUE(sizes.gaps_s().empty());
  const Recording both = Recording::parse("gap_s,size\r\n0,1\r\n3.5,2", "jobs.csv");
  EXPECT_EQ(all(both.sizes()), (std::vector<double>{1, 2}));
  EXPECT_EQ(all(both.gaps_s()), (std::vector<double>{0, 3.5}));
}

TEST(Recording, RefusesWhatIsNone) {
  const std::string header = "jobs.csv:1: the header must be 'size' or 'gap_s,size'";
  EXPECT_EQ(refusal(""), header);
  EXPECT_EQ(refusal("1\n2\n"), header);
  EXPECT_EQ(refusal("size,gap_s\n1,2\n"), header);
  EXPECT_EQ(refusal("size\n"), "jobs.csv: has no jobs");
  EXPECT_EQ(refusal("size\n\n"), "jobs.csv:2: size must be a number from 1e-9 to 1e18");
  EXPECT_EQ(refusal("size\n1\n0\nx\n-1\nnan\ninf\n1 \n2"),
            "jobs.csv:3: size must be a number from 1e-9 to 1e18\n"
            "jobs.csv:4: size must be a number from 1e-9 to 1e18\n"
            "jobs.csv:5: size must be a number from 1e-9 to 1e18\n"
            "jobs.csv:6: size must be a number from 1e-9 to 1e18\n"
            "jobs.csv:7: size must be a number from 1e-9 to 1e18\n"
            "jobs.csv:8: size must be a number from 1e-9 to 1e18");
  EXPECT_EQ(refusal("gap_s,size\n1\n-1,2\n1,2,3\n"),
            "jobs.csv:2: gap_s must be a number from 0 to 1e9, then a comma\n"
            "jobs.csv:3: gap_s must be a number from 0 to 1e9, then a comma\n"
            "jobs.csv:4: size must be a number from 1e-9 to 1e18");
}

TEST(Recording, ReportsAtMostTenLines) {
  std::string text = "size\n";
  for (int i = 0; i < 1000; ++i) text += "x\n";
  const std::string message = refusal(text);
  EXPECT_EQ(std::ranges::count(message, '\n'), 9);
}

TEST(Recording, OpensFilesOnceUntilTheyChange) {
  const TemporaryFile file("size\n1\n");
  const auto first = Recording::open(file.path());
  EXPECT_EQ(Recording::open(file.path()), first);
  file.write("size\n1\n2\n");
  EXPECT_EQ(all(Recording::open(file.path())->sizes()), (std::vector<double>{1, 2}));
}

TEST(Recording, IsTheDataOfItsEnvironment) {
  using load_balance::LoadBalance;
  EXPECT_TRUE(LoadBalance::data_files({}).empty());
  LoadBalance::Config config;
  config.recording = "jobs.csv";
  EXPECT_EQ(LoadBalance::data_files(config), std::vector<std::filesystem::path>{"jobs.csv"});
}

TEST(Recording, NamesFilesThatCannotBeRead) {
  try {
    (void)Recording::open("no/such/file.csv");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::io);
    EXPECT_NE(std::string(e.what()).find("no/such/file.csv"), std::string::npos);
  }
  const std::string folder = std::filesystem::temp_directory_path().string();
  EXPECT_THROW((void)Recording::open(folder), Error);
  const TemporaryFile empty("");
  EXPECT_THROW((void)Recording::open(empty.path()), Error);
}

load_balance::ArrivalProcess process(const TemporaryFile& file, const std::string& more) {
  return load_balance::ArrivalProcess(parse_config<load_balance::LoadBalanceConfig>(
      parse_text("load_balance(sizes=recorded,recording=\"" + file.path() + "\"" + more + ")")));
}

TEST(Recording, PlaysFromTheFirstEntryAndAround) {
  const TemporaryFile file("gap_s,size\n1,10\n2,20\n3,30\n");
  auto p = process(file, ",arrivals=recorded,recording_start=first");
  for (const std::uint64_t inputs : {1u, 2u}) {
    p.reset(inputs);
    for (int k = 0; k < 40; ++k) {
      const load_balance::Job job = p.next();
      EXPECT_EQ(job.gap_s, k % 3 + 1);
      EXPECT_EQ(job.size, 10 * (k % 3 + 1));
    }
  }
}

TEST(Recording, PlaysFromAnEntryThatTheInputsChoose) {
  const TemporaryFile file("size\n10\n20\n30\n");
  auto p = process(file, "");
  std::set<double> firsts;
  for (std::uint64_t inputs = 0; inputs < 30; ++inputs) {
    p.reset(inputs);
    const double first = p.next().size, second = p.next().size;
    firsts.insert(first);
    EXPECT_EQ(second, first == 30 ? 10 : first + 10);
    p.reset(inputs);
    EXPECT_EQ(p.next().size, first);
  }
  EXPECT_EQ(firsts.size(), 3u);
}

TEST(Recording, GapsMustBeThereWhereTheyAreAskedFor) {
  const TemporaryFile file("size\n10\n");
  try {
    (void)process(file, ",arrivals=recorded");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::bad_file);
    EXPECT_NE(std::string(e.what()).find("'gap_s,size'"), std::string::npos);
  }
}

}  // namespace recording_test
}  // namespace park::test
