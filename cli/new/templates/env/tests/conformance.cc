// Checks every property that an environment owes, on every line of presets.txt.
#include <park/check/presets.h>
#include <park/check/properties.h>

#include <iostream>
#include <string>

#include "project.h"

namespace {

using park::check::Verdict;

/// Prints what was found; the number of properties that are violated.
int check(const park::check::Subject& subject, bool long_runs) {
  int violated = 0;
  std::cout << subject.text << '\n';
  for (const park::check::Property& property : park::check::properties()) {
    if (property.long_runs != long_runs) continue;
    const park::check::Finding found = check_property(property, subject);
    std::cout << "  " << property.name << ": " << to_text(found.verdict) << '\n';
    for (const std::string& line : found.violations.lines()) std::cout << "    " << line << '\n';
    if (found.verdict == Verdict::violated) ++violated;
  }
  return violated;
}

}  // namespace

int main() {
  const park::Registry registry = project::newenv::registry();
  const auto presets = park::check::read_presets(PROJECT_FOLDER "/presets.txt", "");
  int violated = 0;
  for (const park::check::Preset& preset : presets)
    violated += check(make_subject(registry, preset), preset.is_long);
  std::cout << presets.size() << " presets, " << violated << " properties violated\n";
  return presets.empty() || violated > 0 ? 1 : 0;
}
