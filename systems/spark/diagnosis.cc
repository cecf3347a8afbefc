// What `park spark doctor` tells. Settings are read into a map, and each rule looks at it once. A log
// is read line by line: what the plugin says of itself carries a mark, and its last word counts.
// Both add to one Diagnosis, which the command prints.
#include "systems/spark/diagnosis.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>

namespace park::spark {
namespace {

using Settings = std::map<std::string, std::string, std::less<>>;

// As systems/spark/jvm's Settings.scala has them.
constexpr std::array<std::string_view, 10> kKnown = {
    "spark.park.agent",         "spark.park.decision.timeout",
    "spark.park.decision.mode", "spark.park.misses",
    "spark.park.retry",         "spark.park.settle",
    "spark.park.key",           "spark.park.loopback",
    "spark.park.executors",     "spark.park.executors.idle"};
constexpr std::string_view kPlugin = "park.spark.ParkPlugin", kPrefix = "spark.park.";
constexpr std::string_view kMark = "Park: ", kPlain = "; this is plain Spark";

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

void for_each_line(std::string_view text, const std::function<void(std::string_view)>& use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    use(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

Settings read_settings(std::string_view conf) {
  Settings all;
  for_each_line(conf, [&](std::string_view line) {
    if (line.empty() || line.front() == '#') return;
    const std::size_t end = std::min(line.find_first_of(" \t="), line.size());
    std::string_view value = trimmed(line.substr(end));
    if (value.starts_with('=')) value = trimmed(value.substr(1));
    all.insert_or_assign(std::string(line.substr(0, end)), std::string(value));
  });
  return all;
}

std::string_view value_of(const Settings& all, std::string_view name) {
  const auto found = all.find(name);
  return found == all.end() ? std::string_view() : std::string_view(found->second);
}

bool is_served(std::string_view master) {
  constexpr std::array<std::string_view, 4> kBegins = {"spark://", "spark+park://", "k8s://",
                                                       "local["};
  return master.empty() || master == "yarn" || master == "local" ||
         std::ranges::any_of(kBegins, [&](auto begin) { return master.starts_with(begin); });
}

/// The first of some agents whose address is one of this machine alone; empty: none is.
std::string_view loopback_of(std::string_view agents) {
  while (!agents.empty()) {
    const std::size_t end = std::min(agents.find(','), agents.size());
    const std::string_view agent = trimmed(agents.substr(0, end));
    for (const char* address : {"tcp://127.", "tcp://localhost:", "tcp://0.0.0.0:"})
      if (agent.starts_with(address)) return agent;
    agents.remove_prefix(std::min(end + 1, agents.size()));
  }
  return {};
}

void diagnose_jar(const Settings& all, Diagnosis& found) {
  const bool by_master = value_of(all, "spark.master").starts_with("spark+park://");
  if (!by_master && value_of(all, "spark.plugins").find(kPlugin) == std::string_view::npos)
    found.reasons.push_back("spark.plugins: is not " + std::string(kPlugin));
  for (const std::string_view name : {"spark.jars", "spark.driver.extraClassPath"})
    if (value_of(all, name).find("park-spark") != std::string_view::npos) return;
  found.facts.emplace_back(
      "neither spark.jars nor spark.driver.extraClassPath names park-spark-LINE.jar: it has to be "
      "the application's own jar, or in --jars");
}

/// What follows the mark of the plugin's lines; empty: it is no such line.
std::string_view said(std::string_view line) {
  const std::size_t at = line.find(kMark);
  return at == std::string_view::npos ? std::string_view() : line.substr(at + kMark.size());
}

void diagnose_line(std::string_view line, Diagnosis& found) {
  const auto gives_up = [&](std::string_view reason) {
    found.decided = false;
    found.reasons.emplace_back(reason);
  };
  if (line == "the agent decides") {
    found.decided = true;
    found.reasons.clear();
  } else if (const std::size_t at = line.find(kPlain); at != std::string_view::npos) {
    gives_up(line.substr(0, at));
  } else if (line.starts_with("Spark's own order decides") ||
             line.starts_with("a defect; from here on this is plain Spark")) {
    gives_up(line);
  } else if (line.find("offers decided by the agent") != std::string_view::npos) {
    found.decided = !line.starts_with("0 offers");
    found.facts.emplace_back(line.substr(0, line.find("; hook")));
  }
}

}  // namespace

void diagnose_settings(std::string_view conf, Diagnosis& found) {
  const Settings all = read_settings(conf);
  diagnose_jar(all, found);
  const std::string_view master = value_of(all, "spark.master");
  if (!is_served(master))
    found.reasons.push_back("spark.master: " + std::string(master) +
                            " is not served; allowed are spark://, local, yarn and k8s://");
  const std::string_view agent = value_of(all, "spark.park.agent");
  if (agent.empty())
    found.reasons.emplace_back(
        "spark.park.agent: is not set; it is the endpoint of `park spark attach`, or its file "
        "(unless the variable PARK_AGENT is set)");
  const std::string_view own = loopback_of(agent);
  if (!own.empty() && value_of(all, "spark.submit.deployMode") == "cluster" &&
      value_of(all, "spark.park.loopback") != "true")
    found.reasons.push_back("spark.park.agent: " + std::string(own) +
                            " is the driver's own container in cluster mode");
  for (const auto& [name, value] : all)
    if (name.starts_with(kPrefix) && std::ranges::find(kKnown, name) == kKnown.end())
      found.reasons.push_back(name + ": no such setting, which ends the application's start");
}

void diagnose_log(std::string_view log, Diagnosis& found) {
  bool any = false;
  for_each_line(log, [&](std::string_view line) {
    const std::string_view ours = said(line);
    any = any || !ours.empty();
    if (!ours.empty()) diagnose_line(ours, found);
  });
  if (any) return;
  found.decided = false;
  if (log.find(kPlugin) != std::string_view::npos)
    found.reasons.emplace_back(
        "the log names park.spark.ParkPlugin in an error alone: its jar is not where Spark looks");
  else
    found.reasons.emplace_back(
        "the log has no line of the plugin: it was not loaded, the log is not the driver's, or its "
        "level for org.apache.spark.scheduler.park is above info");
}

}  // namespace park::spark
