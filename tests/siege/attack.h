#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/siege/target.h"

namespace park::siege {

/// What was asked of the program.
struct Options {
  std::string target;                ///< ENDPOINT, FILE or RUN; empty: servers of its own
  std::vector<std::string> attacks;  ///< names; empty: all that fit
  std::uint64_t seed = 1;
  std::uint64_t count = 0;  ///< of an attack; 0: its own
  bool full = false;        ///< the large counts
  bool json = false, list = false;
  double latency_ms = 100;    ///< the canary's longest step may take so much longer
  std::uint64_t rest_ms = 0;  ///< of the canary after each round
  std::uint64_t wait_s = 30;  ///< for the reply to nearly right messages
  double memory_mib = 64;     ///< beyond what the server states
  pid_t pid = 0;              ///< of the server; 0: as its endpoint file says
  std::string serve;          ///< an evil server to be
  std::string endpoint = "tcp://127.0.0.1:*";  ///< of that
  std::vector<std::string> client;  ///< a conformance program that meets the evil servers
};

/// What came of an attack.
struct Report {
  std::string attack{};
  std::string skipped{};  ///< why it was not made; empty: it was
  std::uint64_t count = 0;
  std::vector<std::string> broke{};  ///< a line for each promise that did not hold
  std::optional<double> undisturbed_ms{}, worst_ms{};  ///< the canary's longest step
  std::optional<double> memory_mib{}, bound_mib{};     ///< most resident bytes of the server
  double seconds = 0;
};

/// What an attack has at hand.
class Siege {
 public:
  Siege(const Options& from, const Target& server, Report& report)
      : options(from), target(server), rng(Rng(from.seed).split(report.attack)), report_(report) {}
  /// Of an attack on no server.
  Siege(const Options& from, Report& report) : Siege(from, Target{}, report) {}

  /// How often it is to be done: in a quick run, in a full one.
  [[nodiscard]] std::uint64_t count(std::uint64_t quick, std::uint64_t full) const {
    return options.count != 0 ? options.count : options.full ? full : quick;
  }
  void did(std::uint64_t times = 1) { report_.count += times; }
  /// A promise did not hold. Ten lines are kept.
  void broke(const std::string& line) {
    if (report_.broke.size() < 10) report_.broke.push_back(line);
  }
  void skip(const std::string& reason) { report_.skipped = reason; }
  /// Failures' texts that a session got.
  void judge(const Talker& talker) {
    for (const std::string& bad : talker.bad_texts()) broke(bad);
  }

  const Options& options;
  const Target target;
  Rng rng;

 private:
  Report& report_;
};

/// One way to attack a server.
struct Attack {
  std::string name{}, about{};
  enum class On { environments, policies, either, own_command } on = On::either;
  /// Of one client: the canary's longest step is a goal.
  bool one_client = true;
  /// False: the server's own work is measured, to which a canary would add.
  bool canary = true;
  /// How a server of its own is begun: words after `park`, and what happens in its process before.
  /// Some need it: a target that was named is no other.
  bool own = false;
  std::vector<std::string> serve{"serve"};
  std::function<void()> prepare{};
  std::function<void(Siege&)> run{};
};
using Attacks = std::vector<Attack>;

/// Those of the files NAME_attack.cc.
[[nodiscard]] const Attacks& attacks();

/// Makes the attacks that fit: on the target, or each on a server of its own.
[[nodiscard]] std::vector<Report> attack_servers(const Options&);

}  // namespace park::siege
