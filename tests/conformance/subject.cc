#include "tests/conformance/subject.h"

#include <fstream>

#include "agents/heuristic/heuristics.h"
#include "park/core/error.h"
#include "park/core/text.h"
#include "park/envs/envs.h"

namespace park::test {

std::string Subject::name() const { return parse_text(text).text; }

Subject make_subject(const Registry& registry, std::string_view text) {
  Subject s;
  s.registry = &registry;
  s.text = text;
  s.spec = registry.spec(text);
  if (!s.spec.traits.system) s.make = registry.env_factory(text);
  return s;
}

std::vector<Preset> read_presets(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Error(Errc::bad_file, "cannot read " + path);
  std::vector<Preset> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const bool is_long = line.starts_with("long ");
    all.push_back({is_long ? line.substr(5) : line, is_long});
  }
  return all;
}

const Registry& full_registry() {
  static const Registry registry = [] {
    Registry r;
    envs::register_all(r);
    heuristics::register_all(r);
    return r;
  }();
  return registry;
}

}  // namespace park::test
