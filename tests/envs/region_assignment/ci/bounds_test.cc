// The bounds that are committed belong to the inputs that the generator draws today, and no policy
// beats them.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "park/core/text.h"
#include "park/envs/region_assignment/hindsight.h"
#include "park/files/sha256.h"
#include "tests/kit/estimates.h"

namespace park::test {
namespace region_bounds_test {

using namespace region_assignment;
using Json = nlohmann::json;

constexpr std::uint64_t kLooked = 3;  // episodes of each environment that are drawn again

Json read(const std::string& path) {
  std::ifstream file(PARK_SOURCE_DIR "/" + path);
  EXPECT_TRUE(file) << path;
  return Json::parse(file);
}

const Json& bounds() {
  static const Json all = read("park/envs/region_assignment/bounds.json");
  return all;
}

TEST(Bounds, AreThoseOfTheSuite) {
  const Json suite = read("park/envs/region_assignment/suite.json");
  EXPECT_EQ(bounds().at("suite"), suite.at("name"));
  EXPECT_EQ(bounds().at("seed"), suite.at("seed"));
  const Json& envs = suite.at("environments");
  ASSERT_EQ(bounds().at("environments").size(), envs.size());
  for (std::size_t i = 0; i < envs.size(); ++i) {
    const Json& one = bounds().at("environments").at(i);
    EXPECT_EQ(one.at("bound").size(), envs.at(i).at("episodes").get<std::size_t>());
    EXPECT_EQ(one.at("bound").size(), one.at("inputs_sha256").size());
    for (const char* field : {"accounts", "load", "migrations"}) {
      const auto config = parse_config<RegionConfig>(parse_text(one.at("env").get<std::string>()));
      const Json& wanted = envs.at(i).at("config").at(field);
      RegionConfig::fields(config, [&](std::string_view name, const auto& value, const FieldDoc&) {
        if (name == field) {
          EXPECT_EQ(Json(value), wanted) << field;
        }
      });
    }
  }
}

TEST(Bounds, BelongToTheInputs) {
  const RandomEpisodes source(phase_rng(bounds().at("seed"), Phase::evaluate), {});
  for (const Json& one : bounds().at("environments")) {
    const std::string env = one.at("env");
    SCOPED_TRACE(env);
    EXPECT_EQ(registry().canonical_env(env), env);
    const auto config = parse_config<RegionConfig>(parse_text(env));
    for (std::uint64_t k = 0; k < kLooked; ++k)
      EXPECT_EQ(files::sha256_text(inputs_text(known_episode(config, source.at(k)->inputs))),
                one.at("inputs_sha256").at(k).get<std::string>())
          << "episode " << k;
  }
}

TEST(Bounds, NoPolicyBeatsThem) {
  const RandomEpisodes source(phase_rng(bounds().at("seed"), Phase::evaluate), {.count = kLooked});
  for (const Json& one : bounds().at("environments"))
    for (const char* name : {"cheapest", "exponential_price", "learned_prices", "random"}) {
      const auto stream = registry().stream(one.at("env").get<std::string>(), source);
      const auto policy = registry().policy(name, stream->spec());
      const std::size_t cost = stream->spec().metric("total_cost");
      play(*stream, *policy, Rng(1), [&](const Decisions& d, const Batch&) {
        for (std::size_t i = 0; i < d.ended.size(); ++i) {
          const double bound = one.at("bound").at(d.ended[i].episode.id);
          EXPECT_GE(d.metrics_of(i)[cost], bound * (1 - 1e-7)) << name;
          EXPECT_LE(d.metrics_of(i)[cost], 3 * bound) << name;
        }
      });
    }
}

}  // namespace region_bounds_test
}  // namespace park::test
