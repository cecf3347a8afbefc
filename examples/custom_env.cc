// Checks, as `park check` does, that the environment of speed.h keeps its contract.
#include <iostream>

#include "park/check/properties.h"
#include "speed.h"

int main() {
  park::Registry registry;
  registry.add_env<Speed>();
  const park::check::Subject speed = park::check::make_subject(registry, "speed");
  for (const park::check::Property& p : park::check::properties())
    if (!p.long_runs)
      std::cout << p.name << ' ' << to_text(check_property(p, speed).verdict) << '\n';
}
