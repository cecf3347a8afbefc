// Plays the first episode of `park run --seed 1` and compares the decisions with golden/newpolicy.txt:
// it shows each change of what the policy does. With --record it records the episode anew, for a
// change that is meant.
#include <park/core/episodes.h>
#include <park/core/golden.h>
#include <park/envs/envs.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "policy.h"

namespace {

constexpr const char* kFile = PROJECT_FOLDER "/golden/newpolicy.txt";
constexpr const char* kText = "load_balance(servers=3,rates=[0.5,1,2],jobs=20)";

std::string played() {
  park::Registry registry;
  park::envs::register_all(registry);
  registry.add_policy<project::newpolicy::WeightedDelay>();
  const auto env = registry.env_factory(kText)();
  const park::Spec spec = registry.spec(kText);
  const auto policy = registry.policy("newpolicy", spec);
  const park::RandomEpisodes episodes(park::phase_rng(1, park::Phase::evaluate));
  std::ostringstream text;
  park::record(text, kText, *env, spec, *policy, *episodes.at(0));
  return text.str();
}

/// The decisions of a record: the lines from each "act" to the outcome.
std::vector<std::string> decisions(std::istream& record) {
  std::vector<std::string> all;
  bool acts = false;
  for (std::string line; std::getline(record, line);) {
    acts = line.starts_with("act ") || (acts && !line.starts_with("outcome"));
    if (acts) all.push_back(line);
  }
  return all;
}

int compare() {
  std::ifstream file(kFile);
  std::istringstream text(played());
  const std::vector<std::string> recorded = decisions(file), now = decisions(text);
  std::cout << now.size() << " lines of decisions, " << recorded.size() << " recorded\n";
  for (std::size_t i = 0; i < now.size() && i < recorded.size(); ++i)
    if (now[i] != recorded[i])
      std::cout << kFile << ": recorded '" << recorded[i] << "', now '" << now[i] << "'\n";
  return !now.empty() && now == recorded ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "--record") return compare();
  std::ofstream(kFile) << played();
  std::cout << "wrote " << kFile << '\n';
  return 0;
}
