#include "cli/web/page.h"

#include <algorithm>

#include "park/core/text.h"

namespace park::cli {
namespace {

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else
      safe += c;
  }
  return safe;
}

/// JSON of JsonWriter for a page. No tag can end its element: outside of texts there is no "<". A
/// control character of a text, \u00NN, becomes the letters \xNN, as park::printable shows it.
std::string for_page(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  while (!json.empty()) {
    const std::size_t taken = json.starts_with("\\u00") ? 4 : json.front() == '\\' ? 2 : 1;
    if (taken == 4)
      safe += "\\\\x";
    else
      safe += json.front() == '<' ? "\\u003c" : json.substr(0, taken);
    json.remove_prefix(std::min(taken, json.size()));
  }
  return safe;
}

/// A minified script names a map for debuggers that is not in the page.
std::string_view without_map(std::string_view script) {
  return script.substr(0, script.find("\n//# sourceMappingURL="));
}

}  // namespace

std::string page(const Page& page) {
  std::string html =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>";
  html += escaped(printable(page.title)) + "</title>\n<style>\n";
  html += assets::page_css();
  html += "</style>\n</head>\n<body>\n";
  html += page.body;
  html += "<script type=\"application/json\" id=\"data\">\n" + for_page(page.data) + "</script>\n";
  for (const std::string_view script : page.scripts) {
    html += "<script>\n";
    html += without_map(script);
    html += "\n</script>\n";
  }
  return html + "</body>\n</html>\n";
}

}  // namespace park::cli
