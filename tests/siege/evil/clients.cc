// A client meets each evil server: Park's own (`park run`), or the conformance program of a client
// in another language. It must end in time with an error of one line that shows no control
// character, whatever the server does.
#include <algorithm>

#include "tests/siege/evil/evil.h"
#include "tests/siege/process.h"

namespace park::siege {
namespace {

constexpr const char* kPlayed = "load_balance(servers=3,jobs=20)";
constexpr std::chrono::seconds kEndsIn{30};
constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20U;  // the largest message four times
constexpr std::uint64_t kMostOfOthers = std::uint64_t{1} << 30U;  // with the memory of a language
constexpr std::size_t kLongestLine = 20'000;

std::vector<std::string> words_of(const Evil& evil, const Options& options,
                                  const std::string& endpoint) {
  if (!options.client.empty()) {
    std::vector<std::string> words = options.client;
    words.insert(words.end(), {"rollout", endpoint, kPlayed});
    return words;
  }
  const std::string reach = "remote(endpoint=\"" + endpoint + "\",timeout_s=2";
  const std::string env = evil.policies ? kPlayed : reach + ",env=\"" + kPlayed + "\")";
  const std::string policy = evil.policies ? reach + ")" : "random";
  // More episodes than slots: some follow others.
  return {park_program(), "run", env, "--episodes", "100", "--policy", policy};
}

void judge_words(const Evil& evil, const Finished& done, bool parks, Siege& siege) {
  if (const std::string raw = control_characters(done.out + done.err); !raw.empty())
    siege.broke("a control character was shown: " + raw);
  if (!parks || evil.expect != Evil::Expect::refused) return;
  const auto lines = std::ranges::count(done.err, '\n');
  if (lines < 1 || lines > evil.lines)
    siege.broke("the error has " + std::to_string(lines) + " lines: " + one_line(done.err));
  if (done.err.size() > kLongestLine)
    siege.broke("the error has " + std::to_string(done.err.size()) + " bytes");
}

void judge_client(const Evil& evil, const Finished& done, bool parks, Siege& siege) {
  if (done.late) return siege.broke("the client did not end within 30 s");
  if (done.crashed())
    return siege.broke("the client crashed: " + std::to_string(done.code) + ": " +
                       one_line(done.err));
  if (evil.expect == Evil::Expect::refused && done.code == 0)
    siege.broke("the client ended as if all was well");
  if (evil.expect == Evil::Expect::accepted && done.code != 0)
    siege.broke("the client refused an honest server: " + one_line(done.err));
#if !defined(__SANITIZE_ADDRESS__)
  if (done.peak > (parks ? kMostMemory : kMostOfOthers))
    siege.broke("the client took " + std::to_string(done.peak >> 20U) + " MiB");
#endif
  judge_words(evil, done, parks, siege);
}

Report meet(const Evil& evil, const Options& options) {
  Report report{.attack = "evil-" + evil.name};
  const bool parks = options.client.empty();
  Siege siege(options, report);
  const EvilServer server(evil, "tcp://127.0.0.1:*");
  Process client(words_of(evil, options, server.endpoint()), "", [] { bound_memory(16); });
  const Finished done = client.finish(Clock::now() + kEndsIn);
  judge_client(evil, done, parks, siege);
  siege.did();
  report.memory_mib = static_cast<double>(done.peak) / (1 << 20);
  report.seconds = done.seconds;
  return report;
}

}  // namespace

std::vector<Report> attack_clients(const Options& options) {
  std::vector<Report> all;
  for (const Evil& evil : evils()) {
    if (!options.attacks.empty() && !std::ranges::count(options.attacks, "evil-" + evil.name))
      continue;
    if (!options.client.empty() && evil.policies) continue;  // such programs drive environments
    all.push_back(meet(evil, options));
  }
  return all;
}

}  // namespace park::siege
