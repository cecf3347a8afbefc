#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/bench/episode_result.h"
#include "park/bench/opens.h"
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

/// The training of an agent's policy.
struct Training {
  std::string agent{};  ///< name in the suite
  std::size_t env = 0;  ///< environment that it was trained on
  std::uint64_t seed = 1;
  std::uint64_t decisions = 0, episodes = 0;  ///< of training; a command's are not counted: 0
  double cpu_s = 0, wall_s = 0;               ///< what it took, with its validations
  std::string error{};                        ///< why there is no policy; empty: there is one
};

/// An agent that cannot be trained on an environment: it is made for others.
struct Unfit {
  std::string agent{};
  std::size_t env = 0;
  std::string reason{};
};

/// A policy in an environment of the suite, and what it made of the episodes.
struct Entry {
  std::size_t env = 0;
  std::string policy{};  ///< canonical text; of a trained one the path within BenchResults::folder
  bool baseline = false;
  bool bound = false;                     ///< what the suite calls its bound
  std::vector<runs::DataFile> files{};    ///< files of a checkpoint; else nothing
  std::vector<EpisodeResult> episodes{};  ///< the finished ones, by id
  std::vector<std::uint64_t> failed{};  ///< those that with_failures added; none in rows of a file
  double wall_s = 0;                    ///< added up over threads
  std::optional<Training> training{};   ///< of an agent of the suite

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
  std::vector<Unfit> unfit{};
  std::string folder{};  ///< that holds the trained policies: that of the file; no part of it
  bool interrupted = false;
};

/// The results of a suite before any episode is played, with this build's environments and
/// policies. Throws Error{invalid_config} with a line per violation, also for an environment that
/// opens more than it may.
[[nodiscard]] BenchResults resolve(const Registry&, Suite, const Opens& = kOpensAll);

/// The number of a metric in EnvFacts::metrics. REQUIRES that it is there.
[[nodiscard]] std::size_t metric_index(const EnvFacts&, std::string_view name);

/// The text by which the registry makes an entry's policy. Throws Error{unavailable} for a trained
/// policy whose training failed.
[[nodiscard]] std::string playable(const BenchResults&, const Entry&);

/// Equal names and bytes, file by file.
[[nodiscard]] bool same_files(const std::vector<runs::DataFile>&,
                              const std::vector<runs::DataFile>&);

/// What people call an entry: its policy, or "AGENT, seed N" of a trained one, and where else than in
/// its environment that was trained.
[[nodiscard]] std::string entry_name(const BenchResults&, const Entry&);

/// "ENVIRONMENT, POLICY", for messages.
[[nodiscard]] std::string entry_text(const BenchResults&, const Entry&);

}  // namespace park::bench
