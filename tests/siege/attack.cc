// An attack on a server, in this order: a server is begun or found, the canary plays undisturbed,
// the attack runs beside the canary, the canary ends, the server must be there and end in order.
// What it had to hold is in one Report.
#include "tests/siege/attack.h"

#include <algorithm>
#include <cmath>

#include "tests/siege/canary.h"

namespace park::siege {
namespace {

constexpr double kMiB = 1 << 20;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;  // freed memory is kept for a while: its size tells nothing
#else
constexpr bool kSanitized = false;
#endif

bool fits(const Attack& attack, const Target& target) {
  if (attack.on == Attack::On::either) return true;
  return attack.on == Attack::On::policies ? target.policies && target.any : target.environments;
}

/// Memory of the server from here on.
class Memory {
 public:
  explicit Memory(const Target& target) : target_(target) {
    if (target_.pid == 0 || kSanitized) return;
    forget_peak(target_.pid);
    before_ = resident(target_.pid);
  }
  void judge(Siege& siege, Report& report) const {
    if (before_ == 0) return;
    const std::uint64_t bound = std::max(before_, target_.bound_bytes);
    report.memory_mib = static_cast<double>(peak_resident(target_.pid)) / kMiB;
    report.bound_mib = static_cast<double>(bound) / kMiB + siege.options.memory_mib;
    if (*report.memory_mib > *report.bound_mib)
      siege.broke("memory: " + std::to_string(std::lround(*report.memory_mib)) + " MiB, at most " +
                  std::to_string(std::lround(*report.bound_mib)) + " are stated");
  }

 private:
  const Target& target_;
  std::uint64_t before_ = 0;
};

void judge(const Canary& canary, const Canary::Pulse& pulse, bool one_client, Siege& siege,
           Report& report) {
  report.undisturbed_ms = canary.undisturbed().worst_ms;
  report.worst_ms = pulse.worst_ms;
  for (const std::string& line : pulse.wrong) siege.broke(line);
  if (one_client && pulse.worst_ms > *report.undisturbed_ms + siege.options.latency_ms)
    siege.broke("the canary's longest step took " + std::to_string(std::lround(pulse.worst_ms)) +
                " ms, " + std::to_string(std::lround(*report.undisturbed_ms)) +
                " ms without attack");
}

/// Whether the server is there and answers.
bool is_there(const Target& target, Siege& siege) {
  try {
    static_cast<void>(probe(target.endpoint, target.pid));
    return true;
  } catch (const std::exception& error) {
    siege.broke(std::string("afterwards: ") + one_line(error.what()));
    return false;
  }
}

void make(const Attack& attack, const Options& options, const Target& target, Report& report) {
  Siege siege(options, target, report);
  std::optional<Canary> canary;  // nobody can play where only a family is answered
  if (attack.canary && (target.environments || target.policies))
    canary.emplace(target, milliseconds(options.rest_ms));
  const Memory memory(target);
  if (canary) canary->start();
  try {
    attack.run(siege);
  } catch (const std::exception& error) {
    siege.broke(one_line(error.what()));
  }
  const bool there = is_there(target, siege);
  if (canary) judge(*canary, canary->stop(!there), attack.one_client, siege, report);
  memory.judge(siege, report);
}

Report make_on_own(const Attack& attack, const Options& options) {
  Report report{.attack = attack.name};
  std::vector<std::string> words = attack.serve;
  if (attack.on == Attack::On::policies) words.insert(words.end(), {"--policy", "any"});
  OwnServer server(words, attack.prepare);
  make(attack, options, probe(server.endpoint(), server.pid()), report);
  if (const std::string line = server.end(); !line.empty()) Siege(options, report).broke(line);
  return report;
}

Report make_on(const Attack& attack, const Options& options, const Target& target) {
  Report report{.attack = attack.name};
  if (attack.own)
    report.skipped = "it needs a server of its own";
  else if (!fits(attack, target))
    report.skipped = "the server does not offer what it attacks";
  else
    make(attack, options, target, report);
  return report;
}

/// The server that was named: an endpoint, or the file that has one.
Target named_target(const Options& options) {
  if (const auto found = endpoint_of_file(options.target))
    return probe(found->first, options.pid != 0 ? options.pid : found->second);
  return probe(options.target, options.pid);
}

}  // namespace

std::vector<Report> attack_servers(const Options& options) {
  std::vector<Report> all;
  const Target target = options.target.empty() ? Target{} : named_target(options);
  for (const Attack& attack : attacks()) {
    if (!options.attacks.empty() && !std::ranges::count(options.attacks, attack.name)) continue;
    const Time begin = Clock::now();
    all.push_back(options.target.empty() ? make_on_own(attack, options)
                                         : make_on(attack, options, target));
    all.back().seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  return all;
}

}  // namespace park::siege
