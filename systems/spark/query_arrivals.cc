#include "systems/spark/query_arrivals.h"

#include <charconv>
#include <cmath>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>

namespace park::spark {
namespace {

constexpr std::size_t kMostViolations = 10;

bool is_time(std::string_view text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  return text == "after" ||
         (error == std::errc{} && end == text.data() + text.size() && std::isfinite(seconds));
}

/// What is wrong with a line; empty: nothing.
std::string violation(const std::string& line, const std::filesystem::path& data) {
  static const std::regex job("(?:q|([0-9]+(?:\\.[0-9]+)?)g:)([1-9]|1[0-9]|2[0-2])");
  const std::size_t comma = line.find(',');
  if (comma == std::string::npos || !is_time(std::string_view(line).substr(0, comma)))
    return "must be a time in seconds or 'after', a comma and a job";
  std::smatch parts;
  const std::string name = line.substr(comma + 1);
  if (!std::regex_match(name, parts, job))
    return "there is no job '" + name + "'; allowed are q1 to q22, and SCALEg:1 to SCALEg:22";
  const std::string scale = parts[1];
  const auto tables = scale.empty() ? data : data / ("sf" + scale);
  if (std::filesystem::exists(tables / "lineitem")) return "";
  return "the data of '" + name + "', " + (tables / "lineitem").string() +
         ", is not there; scripts/spark.sh tpch" + (scale.empty() ? "" : "=" + scale) +
         " generates some";
}

}  // namespace

void check_query_arrivals(const std::filesystem::path& arrivals, const std::filesystem::path& data,
                          Violations& wrong) {
  std::ifstream file(arrivals);
  std::string line;
  const std::size_t before = wrong.size();
  std::size_t n = 1;
  const auto fail = [&](const std::string& what) {
    wrong.add("--workload: " + arrivals.string() + ":" + std::to_string(n) + ": " + what);
  };
  if (!std::getline(file, line) || line != "time_s,job")
    return fail("the first line must be 'time_s,job'");
  while (wrong.size() < before + kMostViolations && std::getline(file, line)) {
    ++n;
    if (line.empty()) continue;
    if (const std::string what = violation(line, data); !what.empty()) fail(what);
  }
  if (n == 1) fail("there is no job");
}

}  // namespace park::spark
