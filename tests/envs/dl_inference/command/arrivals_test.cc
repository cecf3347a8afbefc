// `park data arrivals`; run on the binary itself.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace arrivals_command_test {

using Json = nlohmann::json;

Finished import_file(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"data", "arrivals", "import"});
  return run_park(arguments);
}

std::string recorded(const std::string& name, const std::string& text) {
  const std::string path = scratch_path(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

const std::string kRows = "Timestamp,Model\n1,ChatGPT\n2,GPT-4\n3,ChatGPT\n";

TEST(ArrivalsCommand, ImportsWhatEnvironmentsPlay) {
  const std::string file = recorded("burst.csv", kRows), out = scratch_path("burst-trace.csv");
  const Finished made = import_file({"burstgpt", file, "--out", out, "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Json report = Json::parse(made.out);
  EXPECT_EQ(report.at("arrivals"), 3);
  EXPECT_EQ(report.at("apps"), (std::vector<std::string>{"ChatGPT", "GPT-4"}));
  EXPECT_EQ(read_text(out), "time_s,app\n0,0\n1,1\n2,0\n");
  const Finished played = run_park({"run", "dl_inference(arrivals=trace,trace=\"" + out + "\")",
                                    "--policy", "rr", "--episodes", "2", "--json"});
  EXPECT_EQ(played.code, 0) << played.err;
}

TEST(ArrivalsCommand, MergesFilesOfAzure) {
  const std::string code = recorded("code.csv",
                                    "TIMESTAMP,X\n2023-11-16 18:00:00,1\n"
                                    "2023-11-16 18:00:02,1\n");
  const std::string conv = recorded("conv.csv", "TIMESTAMP,X\n2023-11-16 18:00:01.5,1\n");
  const std::string out = scratch_path("azure-trace.csv");
  const Finished made = import_file({"azure", code, conv, "--out", out});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out, "wrote " + out +
                          ": 3 arrivals in 2.0 s\napplication 0: code.csv\n"
                          "application 1: conv.csv\n");
  EXPECT_EQ(read_text(out), "time_s,app\n0,0\n1.5,1\n2,0\n");
}

TEST(ArrivalsCommand, LeavesNoFileWhereItRefuses) {
  const std::string file = recorded("broken.csv", kRows + "x,ChatGPT\n");
  const std::string out = scratch_path("no-trace.csv");
  const Finished refused = import_file({"burstgpt", file, "--out", out});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.err,
            "error: 1 of 4 rows are broken; at most 1 % may be\n"
            "error: broken.csv:5: Timestamp = 'x' must be a number from 0 to 1e12\n");
  EXPECT_FALSE(std::filesystem::exists(out));
  const Finished taken = import_file({"burstgpt", file, "--out", file});
  EXPECT_EQ(taken.code, 2);
  EXPECT_EQ(taken.err, "error: --out: " + file + " exists; give --overwrite to replace it\n");
}

}  // namespace arrivals_command_test
}  // namespace park::cli
