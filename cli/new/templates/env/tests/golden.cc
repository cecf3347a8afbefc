// Replays golden/newenv.txt, the first episode of `park run --seed 1`: it shows each change of a
// result. With --record it records the episode anew, for a change that is meant; then raise
// Spec::version too.
#include <park/core/episodes.h>
#include <park/core/golden.h>
#include <park/core/policy.h>

#include <fstream>
#include <iostream>
#include <string_view>

#include "project.h"

namespace {

constexpr const char* kFile = PROJECT_FOLDER "/golden/newenv.txt";
constexpr const char* kText = "newenv(jobs=12)";

int record(const park::Registry& registry) {
  std::ofstream file(kFile);
  const auto env = registry.env_factory(kText)();
  const park::Spec spec = registry.spec(kText);
  const auto policy = registry.policy("newenv_shortest", spec);
  const park::RandomEpisodes episodes(park::phase_rng(1, park::Phase::evaluate));
  park::record(file, kText, *env, spec, *policy, *episodes.at(0));
  std::cout << "wrote " << kFile << '\n';
  return 0;
}

int replay(const park::Registry& registry) {
  std::ifstream file(kFile);
  const park::ReplayReport report = park::replay(file, registry);
  for (const park::Difference& d : report.differences)
    std::cout << kFile << ':' << d.line << ": " << d.field << ": recorded " << d.expected
              << ", now " << d.found << '\n';
  std::cout << report.decisions << " decisions replayed\n";
  if (!report.same())
    std::cout << "A change that is meant: run this program with --record, and raise version in "
                 "SingleServer::spec.\n";
  return report.same() && report.decisions > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const park::Registry registry = project::newenv::registry();
  return argc > 1 && std::string_view(argv[1]) == "--record" ? record(registry) : replay(registry);
}
