#include "park/check/presets.h"

#include <fstream>

#include "park/core/error.h"

namespace park::check {
namespace {

std::string with_data(std::string text, std::string_view folder) {
  static constexpr std::string_view kData = "@data@";
  for (std::size_t at; (at = text.find(kData)) != std::string::npos;)
    text.replace(at, kData.size(), folder);
  return text;
}

}  // namespace

std::vector<Preset> read_presets(const std::filesystem::path& file, std::string_view data_folder) {
  std::ifstream in(file);
  if (!in) throw Error(Errc::bad_file, "cannot read " + file.string());
  std::vector<Preset> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t space = line.find(' ');
    const std::string word = space == std::string::npos ? "" : line.substr(0, space);
    if (!word.empty() && word != "small" && word != "long" && word != "fixed")
      throw Error(Errc::bad_file, file.string() + ": '" + word + "' is none of small, long, fixed");
    Preset& p = all.emplace_back();
    p.text = with_data(word.empty() ? line : line.substr(space + 1), data_folder);
    p.is_small = word == "small";
    p.is_long = word == "long";
    p.is_fixed = word == "fixed";
  }
  return all;
}

Subject make_subject(const Registry& registry, const Preset& preset) {
  Subject s = make_subject(registry, preset.text);
  s.fixed_inputs = preset.is_fixed;
  return s;
}

}  // namespace park::check
