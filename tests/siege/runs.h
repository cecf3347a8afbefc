#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/siege/process.h"

namespace park::siege {

/// A training or benchmark that is known, and how it is made again.
class Run {
 public:
  /// A folder with manifest.json of a training or results.json of a benchmark. Throws Trouble where
  /// it is none, or where its training ends by time and not by iterations.
  explicit Run(const std::string& folder);

  /// Words that make it in a folder: from the beginning, or on from what is there.
  [[nodiscard]] std::vector<std::string> words(const std::string& out, bool resume) const;
  /// The files whose bytes are the same in every repetition, by name: weights, figures.
  [[nodiscard]] static std::map<std::string, std::string> result(const std::string& folder);
  /// How a folder's result differs from that of the run, as a line. Empty: it does not.
  [[nodiscard]] std::string difference(const std::string& folder) const;
  /// Continues, from the beginning if there is nothing to continue, until it is whole. A line for
  /// what then differs from the run. Empty: nothing.
  [[nodiscard]] std::string completed(const std::string& out) const;
  /// Seconds that it takes undisturbed.
  [[nodiscard]] double seconds() const noexcept { return seconds_; }

 private:
  bool training_ = false;
  std::vector<std::string> command_;  // without --out and its folder
  std::map<std::string, std::string> expected_;
  double seconds_ = 0;
};

}  // namespace park::siege
