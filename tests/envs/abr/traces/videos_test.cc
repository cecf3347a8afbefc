// The bundled chunk sizes: what experiments/abr/record_videos.py promises.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "park/envs/abr/video.h"

namespace park::test {
namespace videos_test {

namespace fs = std::filesystem;

constexpr std::array kRatesKbps{300.0, 750.0, 1200.0, 1850.0, 2850.0, 4300.0};
constexpr double kChunkS = 4;

std::vector<fs::path> videos() {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(PARK_SOURCE_DIR "/data/videos"))
    if (entry.is_directory()) all.push_back(entry.path());
  return all;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(Videos, FourOrMoreAndADefault) {
  EXPECT_GE(videos().size(), 4u);
  EXPECT_TRUE(fs::is_directory(PARK_SOURCE_DIR "/data/videos/default"));
}

TEST(Videos, SixRatesNearTheLadderAndVarying) {
  for (const fs::path& folder : videos()) {
    const abr::Video video = abr::read_video(folder);
    ASSERT_EQ(video.rates(), kRatesKbps.size()) << folder;
    ASSERT_EQ(video.chunks(), 49u) << folder;
    for (std::size_t r = 0; r < video.rates(); ++r) {
      const double average = mean(video.bytes[r]);
      EXPECT_NEAR(average * 8 / kChunkS / 1000 / kRatesKbps[r], 1, 0.1) << folder << ' ' << r;
      double squares = 0;
      for (const double size : video.bytes[r]) squares += (size - average) * (size - average);
      EXPECT_GE(std::sqrt(squares / 49) / average, 0.15) << folder << ' ' << r;
    }
  }
}

TEST(Videos, AHigherRateHasLargerChunks) {
  for (const fs::path& folder : videos()) {
    const abr::Video video = abr::read_video(folder);
    std::size_t larger = 0;
    for (std::size_t r = 1; r < video.rates(); ++r)
      for (std::size_t c = 0; c < video.chunks(); ++c)
        larger += video.bytes[r][c] > video.bytes[r - 1][c] ? 1 : 0;
    EXPECT_GE(larger, 49u * 5 * 9 / 10) << folder;
  }
}

TEST(Videos, NoTwoAreAlike) {
  // No chunk sequence is tiled or taken from another video.
  std::vector<std::vector<double>> seen;
  for (const fs::path& folder : videos())
    for (const auto& sizes : abr::read_video(folder).bytes) {
      for (std::size_t period = 1; period <= 24; ++period)
        EXPECT_NE(sizes[0] == sizes[period] && sizes[1] == sizes[period + 1], true) << folder;
      for (const auto& other : seen) EXPECT_NE(sizes, other) << folder;
      seen.push_back(sizes);
    }
}

TEST(Videos, AreSmallInTheTree) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(PARK_SOURCE_DIR "/data/videos"))
    if (entry.is_regular_file()) bytes += entry.file_size();
  EXPECT_LT(bytes, 200'000u);
}

}  // namespace videos_test
}  // namespace park::test
