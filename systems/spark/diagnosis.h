#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace park::spark {

/// Whether an application's decisions are taken by an agent, from what it left behind.
struct Diagnosis {
  std::optional<bool> decided;       ///< as the log tells last; none without a log, or where it
                                     ///< does not tell
  std::vector<std::string> reasons;  ///< why not; one line each
  std::vector<std::string> facts;    ///< what else is known; one line each
};

/// Settings as in spark-defaults.conf. Adds what keeps the plugin from deciding.
void diagnose_settings(std::string_view conf, Diagnosis&);
/// The log of a driver, at the level info for org.apache.spark.scheduler.park; in cluster mode that
/// of its container.
void diagnose_log(std::string_view log, Diagnosis&);

}  // namespace park::spark
