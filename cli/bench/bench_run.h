#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/frame/session.h"
#include "park/bench/blocks.h"

namespace park::cli {

/// A folder that a benchmark writes into.
struct BenchFolder {
  std::string path;  ///< empty: nothing is written

  [[nodiscard]] std::string file(const char* name) const { return path + '/' + name; }
  [[nodiscard]] std::string results() const { return file("results.json"); }
};

/// Adds what this build is to results that were just resolved.
void add_host(Session&, bench::BenchResults&);

/// Throws Error{invalid_config} where the results of an earlier call are of another suite, or of
/// environments, data, networks or a build that differ. Trained policies are left out.
void check_same(const bench::BenchResults& earlier, const bench::BenchResults&);

/// Takes over the finished episodes of an earlier call that is the same; of trained policies those
/// with the same files.
void take_over(const bench::BenchResults& earlier, bench::BenchResults&);

/// Trains the agents of the suite, where it has some, and adds their policies to the results. False:
/// an end was asked for.
[[nodiscard]] bool train_agents(Session&, bench::BenchResults&, std::uint32_t threads);

/// Plays what the results lack, and writes it into the folder now and then, so that little is lost
/// whatever happens. What fails is in their failures.
void play_suite(Session&, bench::BenchResults&, std::uint32_t threads, const BenchFolder&);

}  // namespace park::cli
