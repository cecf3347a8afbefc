#include "tests/check/subject.h"

#include <fstream>

#include "park/core/error.h"
#include "park/core/text.h"
#include "park/envs/envs.h"

namespace park::test {
namespace {

std::string with_data(std::string text) {
  static constexpr std::string_view kData = "@data@";
  for (std::size_t at; (at = text.find(kData)) != std::string::npos;)
    text.replace(at, kData.size(), PARK_SOURCE_DIR "/tests/data");
  return text;
}

}  // namespace

std::string Subject::name() const { return parse_text(text).text; }

Subject make_subject(const Registry& registry, std::string_view text) {
  Subject s;
  s.registry = &registry;
  s.text = text;
  s.spec = registry.spec(text);
  if (!s.spec.traits.system) s.make = registry.env_factory(text);
  return s;
}

Subject make_subject(const Registry& registry, const Preset& preset) {
  Subject s = make_subject(registry, preset.text);
  s.fixed_inputs = preset.is_fixed;
  return s;
}

std::vector<Preset> read_presets(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Error(Errc::bad_file, "cannot read " + path);
  std::vector<Preset> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t space = line.find(' ');
    const std::string word = space == std::string::npos ? "" : line.substr(0, space);
    if (!word.empty() && word != "long" && word != "fixed")
      throw Error(Errc::bad_file, path + ": '" + word + "' is neither long nor fixed");
    Preset& p = all.emplace_back();
    p.text = with_data(word.empty() ? line : line.substr(space + 1));
    p.is_long = word == "long";
    p.is_fixed = word == "fixed";
  }
  return all;
}

const Registry& full_registry() {
  static const Registry registry = [] {
    Registry r;
    envs::register_all(r);
    return r;
  }();
  return registry;
}

}  // namespace park::test
