#pragma once

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace park::test {

/// A process of this machine.
struct Process {
  pid_t pid = 0, parent = 0;
  std::string name{};
  char state = 'Z';
};

/// What /proc tells; a zombie where it has gone.
inline Process look_at(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return {.pid = pid};
  Process one{
      .pid = pid, .name = text.substr(open + 1, close - open - 1), .state = text[close + 2]};
  const std::size_t parent = close + 4;
  std::from_chars(text.data() + parent, text.data() + text.size(), one.parent);
  return one;
}

/// The living descendants of a process.
inline std::vector<Process> descendants(pid_t of) {
  std::vector<Process> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec == std::errc())
      all.push_back(look_at(pid));
  }
  std::vector<Process> found;
  std::vector<pid_t> parents{of};
  for (std::size_t i = 0; i < parents.size(); ++i)
    for (const Process& one : all)
      if (one.parent == parents[i] && one.state != 'Z') {
        found.push_back(one);
        parents.push_back(one.pid);
      }
  return found;
}

/// Those that train: the name of a worker is park-RUN.RANK.
inline std::vector<Process> workers(pid_t of) {
  std::vector<Process> all = descendants(of);
  std::erase_if(all, [](const Process& one) {
    return !one.name.starts_with("park-") || one.name.find('.') == std::string::npos;
  });
  return all;
}

/// Whether a condition comes true within the time.
template <class Condition>
bool within(double seconds, const Condition& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// Whether all of them have ended.
inline bool all_gone(const std::vector<Process>& all) {
  for (const Process& one : all) {
    const Process now = look_at(one.pid);
    if (now.state != 'Z' && now.name == one.name) return false;
  }
  return true;
}

}  // namespace park::test
