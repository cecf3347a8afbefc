// abr on the command line: the reference run, the published MPC, and what is said about bad files.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/kit/reference_data.h"
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace run_test {

using Json = nlohmann::json;

const std::string kData = PARK_SOURCE_DIR "/tests/data/abr/";

TEST(AbrCommand, PrintsTheReferenceQoe) {
  const std::filesystem::path traces = test::reference_data("fcc-test");
  if (!std::filesystem::exists(traces)) GTEST_SKIP() << "needs the FCC traces in " << traces;
  const Finished park = run_park(
      {"run",
       "abr(traces=" + traces.string() + ",video=" + test::reference_data("fcc-video1").string() +
           ",starts=" + test::reference_data("fcc-starts").string() + ")",
       "--policy", "bb,rb,robust_mpc,robust_mpc(index_one_ahead=true,errors_leak=true)",
       "--episodes", "100", "--workers", "2", "--json"});
  ASSERT_EQ(park.code, 0) << park.err;
  const Json results = Json::parse(park.out).at("results");
  const std::vector<double> expected{0.764151, 0.864082, 1.004791, 0.982941};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(results.at(i).at("metrics").at("qoe").at("mean").get<double>(), expected[i], 1e-6);
}

TEST(AbrCommand, BadFilesAndFieldsAreWrongUsage) {
  const std::string small = "abr(traces=" + kData + "traces,video=" + kData + "video";
  const std::vector<std::pair<std::string, std::string>> cases{
      {small + ")", "rates_kbps has 6 values"},
      {small + ",rates_kbps=[3,2,1])", "rates_kbps must increase"},
      {"abr(traces=" + kData + "video,video=" + kData + "video,rates_kbps=[1,2,3])",
       "Mbps must be a number from 0 to 1e6"},
      {"abr(traces=" + kData + "none,video=" + kData + "video)", "traces: cannot read"},
      {small + ",rates_kbps=[1,2,3],starts=" + kData + "starts.txt)", "starts: '"}};
  for (const auto& [env, line] : cases) {
    const Finished park = run_park({"run", env, "--policy", "bb", "--episodes", "2"});
    SCOPED_TRACE(env + '\n' + park.err);
    EXPECT_EQ(park.code, 2);
    EXPECT_EQ(park.out, "");
    EXPECT_NE(park.err.find(line), std::string::npos);
  }
}

}  // namespace run_test
}  // namespace park::cli
