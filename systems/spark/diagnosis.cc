// What `park spark doctor` tells. Settings are read into a map, and each rule looks at it once. A log
// is read line by line: what the plugin says of itself carries a mark, and its last word counts.
// Both add to one Diagnosis, which the command prints.
#include "systems/spark/diagnosis.h"

#include <algorithm>
#include <array>

#include "systems/spark/driver_settings.h"

namespace park::spark {
namespace {

constexpr std::string_view kPlugin = "park.spark.ParkPlugin";
constexpr std::string_view kMark = "Park: ", kPlain = "; this is plain Spark";

bool is_served(std::string_view master) {
  constexpr std::array<std::string_view, 4> kBegins = {"spark://", "spark+park://", "k8s://",
                                                       "local["};
  return master.empty() || master == "yarn" || master == "local" ||
         std::ranges::any_of(kBegins, [&](auto begin) { return master.starts_with(begin); });
}

void diagnose_jar(const DriverSettings& all, Diagnosis& found) {
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

/// What the plugin says of a setting that ends the start, as Settings.scala has it; else empty.
std::string_view refused_setting(std::string_view line) {
  constexpr std::string_view kThrown = "IllegalArgumentException: ";
  const std::size_t at = line.find(kThrown);
  if (at == std::string_view::npos) return {};
  const std::string_view text = line.substr(at + kThrown.size());
  if (!text.starts_with("spark.park.")) return {};
  const bool refused = text.find(" is not allowed; it is ") != std::string_view::npos ||
                       text.find(": no such setting; allowed are ") != std::string_view::npos;
  return refused ? text : std::string_view();
}

void give_up(std::string_view reason, Diagnosis& found) {
  found.decided = false;
  if (std::ranges::find(found.reasons, reason) == found.reasons.end())
    found.reasons.emplace_back(reason);
}

/// The last line of an application: what came before it says who decides at the end.
void diagnose_summary(std::string_view line, Diagnosis& found) {
  found.facts.emplace_back(line.substr(0, line.find("; hook")));
  if (found.decided) return;
  if (!line.starts_with("0 offers"))
    found.decided = true;
  else if (line.find(", 0 by Spark") == std::string_view::npos)
    found.decided = false;
}

void diagnose_line(std::string_view line, Diagnosis& found) {
  if (line == "the agent decides") {
    found.decided = true;
    found.reasons.clear();
  } else if (const std::size_t at = line.find(kPlain); at != std::string_view::npos) {
    give_up(line.substr(0, at), found);
  } else if (line.starts_with("Spark's own order decides") ||
             line.starts_with("a defect; from here on this is plain Spark") ||
             line.find(", which has no master ") != std::string_view::npos) {
    give_up(line, found);
  } else if (line.find("offers decided by the agent") != std::string_view::npos) {
    diagnose_summary(line, found);
  }
}

}  // namespace

void diagnose_settings(std::string_view conf, Diagnosis& found) {
  const DriverSettings all = read_driver_settings(conf);
  diagnose_jar(all, found);
  const std::string_view master = value_of(all, "spark.master");
  if (!is_served(master))
    found.reasons.push_back("spark.master: " + std::string(master) +
                            " is not served; allowed are spark://, local, yarn and k8s://");
  if (value_of(all, "spark.park.agent").empty())
    found.reasons.emplace_back(
        "spark.park.agent: is not set; it is the endpoint of `park spark attach`, or its file "
        "(unless the variable PARK_AGENT is set)");
  check_driver_settings(all, found.reasons);
  const std::string obstacle = executors_obstacle(all);
  if (obstacle.empty()) return;
  // An agent that shares takes no application that does not; a policy decides all the same.
  if (value_of(all, "spark.park.executors") == "shared")
    found.reasons.push_back(
        "spark.park.executors: the agent shares no executors of this application; " + obstacle);
  else
    found.facts.push_back("spark.park.executors: executors stay as they are; " + obstacle);
}

void diagnose_log(std::string_view log, Diagnosis& found) {
  bool any = false;
  for_each_line(log, [&](std::string_view line) {
    const std::string_view ours = said(line), refused = refused_setting(line);
    any = any || !ours.empty() || !refused.empty();
    if (!ours.empty())
      diagnose_line(ours, found);
    else if (!refused.empty())
      give_up(refused, found);
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
