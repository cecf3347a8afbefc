#include "park/command/strings.h"

#include "park/core/config.h"

namespace park::command {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
  std::string all;
  for (const std::string& text : texts) {
    if (&text != texts.data()) all += separator;
    all += text;
  }
  return all;
}

std::string meant(std::string_view word, const std::vector<std::string>& names) {
  const std::string near = nearest(word, names);
  return near.empty() ? "" : "did you mean '" + near + "'? ";
}

std::string alternatives(const std::vector<std::string>& names) {
  if (names.size() < 2) return joined(names, "");
  return joined({names.begin(), names.end() - 1}, ", ") + " or " + names.back();
}

}  // namespace park::command
