// park_siege: hostile peers, damaged files and disturbed processes against Park, each attack by its
// name. `usage` below is the manual; docs/reliability.md has the promises and what was measured.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <functional>
#include <iostream>
#include <sstream>

#include "tests/siege/evil/evil.h"
#include "tests/siege/forms.h"
#include "tests/siege/report.h"

namespace park::siege {
namespace {

constexpr const char* kUsage =
    R"(park_siege - attack Park: what it promises must hold, and every attack is the same again

usage: park_siege [TARGET] [options]

TARGET is one of
  ENDPOINT  tcp://A.B.C.D:PORT, ipc://PATH or an endpoint file of `park serve`: attacks that server
  FILE      a record, results, a suite, a workload, a checkpoint's folder or a folder of traces:
            `park` reads damaged copies of it
  RUN       the folder of a training (park train --iterations) or of a benchmark (park bench): it is
            made again under signals, on full disks and after losses of power
  nothing   servers of its own are attacked, then evil servers meet Park's client

Beside an attack on a server a canary plays: its trajectory must keep its bytes, and its longest
step may take --latency ms more than without attack. Memory and texts of failures are judged too.

options:
  --attack NAME[,NAME...]  these attacks alone; --list has their names
  --list                   the attacks that fit TARGET, a line each; without TARGET all of them
  --serve NAME             be an evil server until stdin ends; prints `ready ENDPOINT`
  --endpoint E             of that server (default tcp://127.0.0.1:*)
  --client 'CMD [WORD...]' evil servers meet a conformance program (docs/conformance.md) in place of
                           Park's client: CMD WORD... rollout ENDPOINT ENV
  --full                   the large counts: hours
  --count N                how often each attack is done, in place of its own count
  --seed S                 the same seed, the same attacks (default 1)
  --latency MS             allowed beyond the canary's longest step without attack (default 100)
  --rest MS                of the canary after each round (default 0); it saves processor time
  --wait S                 the longest wait for replies to nearly right messages (default 30): some of
                           them ask for much work
  --memory MIB             allowed beyond what the server states (default 64)
  --pid N                  process of the server at ENDPOINT, whose memory is judged
  --park PATH              the program `park` (default: the one beside this program)
  --json                   print one JSON object (schema park.siege)
  -h, --help               this text

exit status: 0 all held, 1 something broke, 2 the call is wrong

examples:
  park_siege --attack evil-action-2-62,spec-widths
  park_siege tcp://127.0.0.1:5555 --attack hellos
  park_siege --serve metrics-nan
)";

/// A call that is wrong: one line.
class WrongCall : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> all;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, separator);)
    if (!part.empty()) all.push_back(part);
  return all;
}

template <class Number>
void read_number(const std::string& option, const std::string& text, Number& to) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  if (error != std::errc() || end != text.data() + text.size() || text.starts_with('-'))
    throw WrongCall(option + ": \"" + one_line(text) + "\" is no number of 0 or more");
}

/// Sets one option; whether there is one of that name.
bool set_flag(const std::string& name, Options& o) {
  bool* const flag = name == "--full"   ? &o.full
                     : name == "--json" ? &o.json
                     : name == "--list" ? &o.list
                                        : nullptr;
  if (flag != nullptr) *flag = true;
  return flag != nullptr;
}

bool set_option(const std::string& name, const std::string& value, Options& o) {
  if (name == "--attack")
    o.attacks = split_at(value, ',');
  else if (name == "--serve")
    o.serve = value;
  else if (name == "--endpoint")
    o.endpoint = value;
  else if (name == "--client")
    o.client = split_at(value, ' ');
  else if (name == "--park")
    park_program() = value;
  else if (name == "--count")
    read_number(name, value, o.count);
  else if (name == "--seed")
    read_number(name, value, o.seed);
  else if (name == "--latency")
    read_number(name, value, o.latency_ms);
  else if (name == "--rest")
    read_number(name, value, o.rest_ms);
  else if (name == "--wait")
    read_number(name, value, o.wait_s);
  else if (name == "--memory")
    read_number(name, value, o.memory_mib);
  else if (name == "--pid")
    read_number(name, value, o.pid);
  else
    return false;
  return true;
}

Options options_of(const std::vector<std::string>& words) {
  Options o;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-')) {
      if (!o.target.empty()) throw WrongCall(one_line(word) + ": there is a TARGET already");
      o.target = word;
      continue;
    }
    if (set_flag(word, o)) continue;
    const std::string value = i + 1 < words.size() ? words[i + 1] : "";
    if (!set_option(word, value, o))
      throw WrongCall(one_line(word) + ": is no option; --help has them");
    if (value.empty()) throw WrongCall(word + ": needs a value");
    ++i;
  }
  return o;
}

enum class Aim { servers, files, runs, everything };

Aim aim_of(const Options& o) {
  if (o.target.empty()) return Aim::everything;
  if (o.target.find("://") != std::string::npos || endpoint_of_file(o.target)) return Aim::servers;
  return is_run(o.target) ? Aim::runs : Aim::files;
}

using Names = std::vector<std::pair<std::string, std::string>>;

/// The attacks that there are for what is aimed at.
Names names_for(Aim aim) {
  Names all;
  const bool every = aim == Aim::everything;
  if (every || aim == Aim::servers)
    for (const Attack& attack : attacks()) all.emplace_back(attack.name, attack.about);
  if (every)
    for (const Evil& evil : evils()) all.emplace_back("evil-" + evil.name, evil.about);
  if (every || aim == Aim::files)
    for (const std::string form :
         {"record", "results", "suite", "workload", "checkpoint", "traces"}) {
      all.emplace_back("damage-" + form, "FILE: damaged copies");
      if (form == "workload" || form == "checkpoint")
        all.emplace_back("damage-" + form + "-sums", "FILE: with checksums made right");
    }
  if (every || aim == Aim::runs)
    for (const auto& [name, about] : Names{{"signals", "RUN: random signals, then to its end"},
                                           {"disk-full", "RUN: a disk that is full, then is not"},
                                           {"power-loss", "RUN: power is lost, then it goes on"}})
      all.emplace_back(name, about);
  return all;
}

void check_names(const Options& o, Aim aim) {
  const Names known = names_for(aim);
  for (const std::string& name : o.attacks)
    if (!std::ranges::count(known, name, &Names::value_type::first))
      throw WrongCall("--attack: \"" + one_line(name) +
                      "\" is no attack on this TARGET; --list has them");
}

std::vector<Report> attack(const Options& o, Aim aim) {
  if (!o.client.empty()) return attack_clients(o);
  if (aim == Aim::servers) return attack_servers(o);
  if (aim == Aim::files) return attack_files(o);
  if (aim == Aim::runs) return attack_runs(o);
  std::vector<Report> all = attack_servers(o);
  for (Report& report : attack_clients(o)) all.push_back(std::move(report));
  return all;
}

int serve_evil(const Options& o) {
  const EvilServer server(evil_of(o.serve), o.endpoint);
  std::cout << "ready " << server.endpoint() << std::endl;
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  return 0;
}

int run(const std::vector<std::string>& words) {
  if (std::ranges::count(words, "--help") + std::ranges::count(words, "-h") > 0) {
    std::cout << kUsage;
    return 0;
  }
  const Options o = options_of(words);
  if (!o.serve.empty()) return serve_evil(o);
  const Aim aim = aim_of(o);
  if (o.list) {
    for (const auto& [name, about] : names_for(aim)) std::cout << name << "  " << about << '\n';
    return 0;
  }
  check_names(o, aim);
  const std::vector<Report> reports = attack(o, aim);
  if (reports.empty()) throw WrongCall("no attack fits; --list has them");
  std::cout << (o.json ? report_json(o, reports) : report_text(reports));
  return held(reports) ? 0 : 1;
}

}  // namespace
}  // namespace park::siege

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return park::siege::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "error: " << park::siege::one_line(error.what()) << '\n';
    return 2;
  }
}
