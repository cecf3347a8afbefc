// What abr reads: traces, videos, start pointers; and what it says about those that are wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "park/core/error.h"
#include "park/envs/abr/model.h"
#include "park/envs/abr/network_trace.h"
#include "park/envs/abr/video.h"
#include "tests/envs/abr/fixture.h"

namespace park::test {
namespace files_test {

template <class Call>
std::string error_of(Errc code, Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

std::string trace_error(const std::string& text) {
  return error_of(Errc::bad_file, [&] { static_cast<void>(abr::parse_trace(text, "T")); });
}

TEST(TraceFiles, AreReadInTheOrderOfTheirNames) {
  const TemporaryFolder f{{"b", "0 1\n1 2\n"}, {"a", "0\t0.5\r\n2.5\t3\r\n\n"}, {".hidden", "x"}};
  const auto all = abr::read_traces(f.path());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "a");
  EXPECT_EQ(all[0].time_s, (std::vector{0.0, 2.5}));
  EXPECT_EQ(all[0].mbps, (std::vector{0.5, 3.0}));
  EXPECT_EQ(all[1].name, "b");
}

TEST(TraceFiles, SayInALineWhatIsWrong) {
  EXPECT_EQ(trace_error("0 1\nx 2\n2 3\n"),
            "T:2: time_s must be a number from 0 to 1e9, then a blank and Mbps");
  EXPECT_EQ(trace_error("0 1\n1 -2\n"), "T:2: Mbps must be a number from 0 to 1e6");
  EXPECT_EQ(trace_error("0 1\n1\n"), "T:2: Mbps must be a number from 0 to 1e6");
  EXPECT_EQ(trace_error("0 1\n1 2 3\n"), "T:2: must be 'time_s Mbps' and nothing more");
  EXPECT_EQ(trace_error("0 1\n1 2\n1 3\n"), "T:3: time_s = 1 is not after that of the line before");
  EXPECT_EQ(trace_error("0 1\n"), "T: must have at least two lines");
  EXPECT_EQ(trace_error("0 1\n10 0\n"), "T: the mean bandwidth must be at least 0.001 Mbps");
  EXPECT_EQ(trace_error("0 nan\n1 inf\n"),
            "T:1: Mbps must be a number from 0 to 1e6\nT:2: Mbps must be a number from 0 to 1e6");
}

TEST(TraceFiles, TenViolationsAreEnough) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "bad\n";
  const std::string lines = trace_error(text);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 9);
}

TEST(TraceFiles, NeedAFolderWithFiles) {
  const TemporaryFolder empty;
  EXPECT_NE(error_of(Errc::bad_file, [&] { static_cast<void>(abr::read_traces(empty.path())); })
                .find("has no file"),
            std::string::npos);
  EXPECT_NE(error_of(Errc::io, [&] { static_cast<void>(abr::read_traces(empty.path() + "/none")); })
                .find("traces: cannot read"),
            std::string::npos);
}

TEST(Videos, HaveTheLowestRateFirst) {
  const TemporaryFolder f{{"size_1", "20\n21\n22\n"}, {"size_0", "10\n11\n12"}};
  const abr::Video v = abr::read_video(f.path());
  EXPECT_EQ(v.rates(), 2u);
  EXPECT_EQ(v.chunks(), 3u);
  EXPECT_EQ(v.bytes[0], (std::vector<double>{10, 11, 12}));
  EXPECT_EQ("/tmp/" + v.name, f.path());
}

TEST(Videos, SayInALineWhatIsWrong) {
  const auto error = [](const std::string& text) {
    return error_of(Errc::bad_file, [&] { static_cast<void>(abr::parse_chunk_sizes(text, "V")); });
  };
  EXPECT_EQ(error("1\n0\n"), "V:2: a chunk's size must be a number of bytes from 1 to 1e12");
  EXPECT_EQ(error("1\n2 3\n"), "V:2: must be one size in bytes and nothing more");
  EXPECT_EQ(error("1\n"), "V: must have at least two chunks");
  const TemporaryFolder f{{"0", "1\n2\n3\n"}, {"1", "1\n2\n"}};
  EXPECT_EQ(error_of(Errc::bad_file, [&] { static_cast<void>(abr::read_video(f.path())); }),
            f.path() + "/1: has 2 chunks and must have as many as the first file, 3");
}

class ModelFiles : public ::testing::Test {
 protected:
  ModelFiles()
      : traces_{{"a", "0 1\n1 1\n2 1\n"}, {"b", "0 1\n1 1\n"}},
        video_{{"0", "1\n2\n3\n"}, {"1", "1\n2\n3\n"}} {}
  std::string error(Errc code, const std::string& starts, std::vector<double> rates = {1, 2}) {
    starts_.write("p", starts);
    abr::AbrConfig c;
    c.traces = traces_.path();
    c.video = video_.path();
    c.starts = starts_.path() + "/p";
    c.rates_kbps = std::move(rates);
    std::string text = error_of(code, [&] { static_cast<void>(abr::AbrModel(c)); });
    for (std::size_t at; (at = text.find(c.starts)) != std::string::npos;)
      text.replace(at, c.starts.size(), "P");
    return text;
  }
  TemporaryFolder traces_, video_, starts_;
};

TEST_F(ModelFiles, EveryTraceHasAStartWithinIt) {
  EXPECT_EQ(error(Errc::bad_file, "1\n2\n"),
            "P:2: must be a line of the trace 'b', a whole number from 1 to 1");
  EXPECT_EQ(error(Errc::bad_file, "0\n1\n"),
            "P:1: must be a line of the trace 'a', a whole number from 1 to 2");
  EXPECT_EQ(error(Errc::bad_file, "1.5\n1\n"),
            "P:1: must be a line of the trace 'a', a whole number from 1 to 2");
  EXPECT_EQ(error(Errc::bad_file, "1\n1\n1\n"), "P:3: there are more pointers than traces");
  EXPECT_EQ(error(Errc::bad_file, "1\n"),
            "starts: 'P' has 1 pointers and must have one for each of the 2 traces");
}

TEST_F(ModelFiles, EveryEncodingHasARate) {
  EXPECT_EQ(error(Errc::invalid_config, "1\n1\n", {1, 2, 3}),
            "rates_kbps has 3 values and the video '" + video_.path() +
                "' has 2 encodings; it must have one for each");
}

std::string config_error(const std::string& fields) {
  return error_of(Errc::invalid_config, [&] {
    static_cast<void>(parse_config<abr::AbrConfig>(parse_text("abr(" + fields + ")")));
  });
}

TEST(AbrConfigs, ContradictionsAreNamed) {
  EXPECT_EQ(config_error("rates_kbps=[300]"), "rates_kbps has 1 values; allowed are 2 to 64");
  EXPECT_EQ(config_error("rates_kbps=[300,300]"), "rates_kbps must increase");
  EXPECT_EQ(config_error("first_quality=6"),
            "first_quality = 6 must be below the number of rates_kbps, 6");
  EXPECT_EQ(config_error("qoe=hd,rates_kbps=[300,750]"),
            "hd_scores has 6 values and needs one for each of the 2 rates_kbps");
  EXPECT_EQ(config_error("chunks=1"),
            "chunks = 1 leaves nothing to decide; allowed are 0 and 2 to 1e6");
  EXPECT_EQ(config_error("chunk_s=70"), "buffer_s = 60 must hold a chunk of chunk_s = 70");
}

}  // namespace files_test
}  // namespace park::test
