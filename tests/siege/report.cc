#include "tests/siege/report.h"

#include <algorithm>
#include <cstdio>

#include "park/command/table.h"
#include "park/core/json_writer.h"

namespace park::siege {
namespace {

using command::Table;

std::string with_decimals(std::optional<double> number, int decimals) {
  if (!number) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, *number);
  return text;
}

void write(JsonWriter& json, const Report& r) {
  const auto optional = [&](const char* name, std::optional<double> number) {
    if (number) json.member(name, *number);
  };
  json.begin_object().member("attack", r.attack);
  json.member("result", r.broke.empty() ? r.skipped.empty() ? "held" : "skipped" : "broke");
  if (!r.skipped.empty()) json.member("skipped", r.skipped);
  json.member("count", r.count);
  json.key("broke").values(r.broke);
  optional("undisturbed_ms", r.undisturbed_ms);
  optional("worst_ms", r.worst_ms);
  optional("memory_mib", r.memory_mib);
  optional("bound_mib", r.bound_mib);
  json.member("seconds", r.seconds).end_object();
}

}  // namespace

bool held(const std::vector<Report>& all) {
  return std::ranges::all_of(all, [](const Report& r) { return r.broke.empty(); });
}

std::string report_text(const std::vector<Report>& all) {
  using enum Table::Align;
  Table table({{"attack"},
               {"count", right},
               {"result"},
               {"worst step ms", right},
               {"without ms", right},
               {"memory MiB", right},
               {"s", right}});
  for (const Report& r : all)
    table.add({r.attack, std::to_string(r.count),
               r.broke.empty() ? r.skipped.empty() ? "held" : "skipped" : "BROKE",
               with_decimals(r.worst_ms, 1), with_decimals(r.undisturbed_ms, 1),
               with_decimals(r.memory_mib, 0), with_decimals(r.seconds, 1)});
  std::string text = table.text();
  for (const Report& r : all) {
    if (!r.skipped.empty()) text += r.attack + ": skipped: " + r.skipped + '\n';
    for (const std::string& line : r.broke) text += r.attack + ": " + line + '\n';
  }
  return text;
}

std::string report_json(const Options& options, const std::vector<Report>& all) {
  JsonWriter json;
  json.begin_object().member("schema", "park.siege").member("version", 1);
  json.member("seed", options.seed).member("full", options.full).member("held", held(all));
  json.key("attacks").begin_array();
  for (const Report& r : all) write(json, r);
  return json.end_array().end_object().take();
}

}  // namespace park::siege
