#pragma once

#include <filesystem>
#include <fstream>

#include "tests/cli/served.h"

/// Suites with agents on two settings of one environment, and what came out of them.
namespace park::cli::agent_suite {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A trainer of somebody else: it trains with Park, but for thirty jobs.
inline std::string write_trainer() {
  const std::string path = scratch_path("trainer.sh");
  std::ofstream(path) << R"(while [ $# -gt 0 ]; do
  case $1 in
    --env) env=$2 ;; --out) out=$2 ;; --seed) seed=$2 ;; --decisions) decisions=$2 ;;
  esac
  shift 2
done
case $env in *jobs=30*) echo "for twenty jobs" >&2; exit 3 ;; esac
exec )" << PARK_BINARY << R"( train "$env" --algo 'reinforce(sequences=1,rollouts=2)' --quiet \
  --decisions $decisions --seed $seed --validation-episodes 2 --validate-every 100% --out $out/run
)";
  return path;
}

inline std::string write_suite(std::uint64_t decisions, const Json& more = Json::array()) {
  const std::string path = scratch_path("suite.json");
  const auto env = [](int jobs) {
    return Json{{"env", "load_balance"},
                {"config", {{"servers", 3}, {"jobs", jobs}}},
                {"episodes", 8},
                {"metrics", {"avg_response_s"}},
                {"baselines", {"random", "least_work"}}};
  };
  Json agents{{{"agent", "ppo"}, {"train", "ppo(sequences=1,rollouts=4)"}},
              {{"agent", "reinforce"},
               {"train", "reinforce(sequences=1,rollouts=4)"},
               {"baseline", "sequence_mean"}}};
  for (const Json& agent : more) agents.push_back(agent);
  const Json suite{{"schema", "park.suite"},
                   {"version", 1},
                   {"name", "tiny"},
                   {"summary", "for a test"},
                   {"seed", 3},
                   {"agents", agents},
                   {"training",
                    {{"decisions", decisions},
                     {"seeds", 2},
                     {"validations", 2},
                     {"validation_episodes", 2},
                     {"transfer", true}}},
                   {"environments", {env(20), env(30)}}};
  std::ofstream(path) << suite.dump();
  return path;
}

inline Json results_of(const std::string& folder) {
  return Json::parse(read_text(folder + "/results.json"));
}

inline std::vector<std::string> bench(const std::string& suite, const std::string& out,
                                      const std::string& workers) {
  return {"bench", suite, "--out", out, "--workers", workers};
}

/// All but what a clock measured.
inline Json figures_of(const std::string& folder) {
  Json results = results_of(folder);
  results.erase("manifest");
  for (Json& one : results["results"]) {
    one.erase("wall_s");
    if (!one.contains("training")) continue;
    one["training"].erase("cpu_s");
    one["training"].erase("wall_s");
    for (Json& file : one["files"])
      if (file["path"] == "manifest.json") file.clear();  // it tells times too
  }
  for (Json& cost : results["agents"]["costs"]) {
    EXPECT_GT(cost["cpu_s"], 0);
    cost.erase("cpu_s");
    cost.erase("wall_s");
  }
  return results;
}

inline void expect_verified(const std::string& folder) {
  const Finished done =
      run_park({"bench", "verify", folder + "/results.json", "--share", "1", "--quiet"});
  EXPECT_EQ(done.code, 0) << done.out << done.err;
}

}  // namespace park::cli::agent_suite
