// Checks what a policy owes, on several configurations: its actions are legal, and what it does in
// an episode depends neither on the slot nor on the episodes before.
#include <park/check/properties.h>
#include <park/envs/envs.h>

#include <algorithm>
#include <iostream>
#include <string>

#include "policy.h"

int main() {
  park::Registry registry;
  park::envs::register_all(registry);
  registry.add_policy<project::newpolicy::WeightedDelay>();
  const auto all = park::check::properties();
  const auto plays = std::ranges::find(all, "policies_play", &park::check::Property::name);
  int violated = 0;
  for (const char* text : {"load_balance(jobs=60)", "load_balance(servers=1,jobs=20)",
                           "load_balance(servers=3,rates=[0.5,1,2],jobs=60)"}) {
    park::check::Subject subject = park::check::make_subject(registry, text);
    subject.policies = {"newpolicy", "newpolicy(weight=0)", "newpolicy(weight=100)"};
    const park::check::Finding found = check_property(*plays, subject);
    std::cout << text << ": " << to_text(found.verdict) << '\n';
    for (const std::string& line : found.violations.lines()) std::cout << "  " << line << '\n';
    if (found.verdict != park::check::Verdict::ok) ++violated;
  }
  return violated == 0 ? 0 : 1;
}
