#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/bench/episode_result.h"
#include "park/bench/suite.h"
#include "park/core/registry.h"
#include "park/runs/manifest.h"

namespace park::bench {

constexpr int kResultsVersion = 2;  ///< of results.json

/// An environment of a suite, as this build defines it.
struct EnvFacts {
  std::string text{};  ///< canonical
  std::uint64_t version = 0;
  std::string layout_hash{};
  std::vector<std::pair<std::string, std::string>> config{};  ///< every field, text of its value
  std::vector<Metric> metrics{};       ///< columns of the rows; "reward" is the last
  std::vector<runs::DataFile> data{};  ///< files that its inputs are made of
};

/// A policy in an environment of the suite, and what it made of the episodes.
struct Entry {
  std::size_t env = 0;
  std::string policy{};  ///< canonical text
  bool baseline = false;
  bool bound = false;                     ///< what the suite calls its bound
  std::vector<runs::DataFile> files{};    ///< files of a checkpoint; else nothing
  std::vector<EpisodeResult> episodes{};  ///< the finished ones, by id
  std::vector<std::uint64_t> failed{};  ///< those that with_failures added; none in rows of a file
  double wall_s = 0;                    ///< added up over threads

  /// A network: on another machine its figures may differ in the last digits.
  [[nodiscard]] bool network() const noexcept { return !files.empty(); }
};

/// Episodes of an entry that could not be played.
struct EpisodeFailure {
  std::size_t entry = 0;
  std::uint64_t first = 0, count = 0;
  std::string error{};
};

/// Everything that results.json is made of; all of its other figures follow from this.
struct BenchResults {
  std::uint64_t version = kResultsVersion;  ///< of the file that they were read from
  Suite suite{};
  std::vector<std::string> command{};
  std::string started{};  ///< UTC
  runs::TrainingHost host{};
  std::vector<runs::PluginUsed> plugins{};  ///< plug-ins of its environments and policies
  std::vector<EnvFacts> environments{};     ///< as in the suite
  std::vector<Entry> entries{};             ///< environment by environment
  std::vector<EpisodeFailure> failures{};
  bool interrupted = false;
};

/// The results of a suite before any episode is played, with this build's environments and
/// policies. Throws Error{invalid_config} with a line per violation.
[[nodiscard]] BenchResults resolve(const Registry&, Suite);

/// The number of a metric in EnvFacts::metrics. REQUIRES that it is there.
[[nodiscard]] std::size_t metric_index(const EnvFacts&, std::string_view name);

/// Equal names and bytes, file by file.
[[nodiscard]] bool same_files(const std::vector<runs::DataFile>&,
                              const std::vector<runs::DataFile>&);

/// "ENVIRONMENT, POLICY", for messages.
[[nodiscard]] std::string entry_text(const BenchResults&, const Entry&);

}  // namespace park::bench
