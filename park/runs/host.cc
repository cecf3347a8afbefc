#include "park/runs/host.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <thread>
#include <utility>

namespace park::runs {
namespace {

/// The best set of vector instructions, by the levels of the x86-64 ABI; empty elsewhere, where the
/// system's name tells the kind of processor.
std::string level() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  if (__builtin_cpu_supports("x86-64-v4")) return " (x86-64-v4)";
  if (__builtin_cpu_supports("x86-64-v3")) return " (x86-64-v3)";
  if (__builtin_cpu_supports("x86-64-v2")) return " (x86-64-v2)";
#endif
  return "";
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2) + level();
  return "unknown" + level();
}

std::string system_name() {
  utsname about{};
  if (uname(&about) != 0) return "unknown";
  return std::string(about.sysname) + ' ' + about.release + ' ' + about.machine;
}

}  // namespace

void describe_machine(TrainingHost& host) {
  host.processor = processor_name();
  host.system = system_name();
  host.cores = std::thread::hardware_concurrency();
  host.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string blas_name(std::string_view file) {
  // Debian names every BLAS libblas.so.3 and tells them apart by the folder.
  static constexpr std::array<std::pair<std::string_view, const char*>, 5> kKnown{
      {{"openblas", "openblas"},
       {"mkl", "mkl"},
       {"blis", "blis"},
       {"atlas", "atlas"},
       {"libblas.so", "reference"}}};
  for (const auto& [part, name] : kKnown)
    if (file.find(part) != std::string_view::npos) return name;
  return "unknown";
}

std::string slow_blas_warning(std::string_view blas) {
  if (blas != "reference") return "";
  return "LibTorch computes with the reference BLAS, which is several times slower than OpenBLAS; "
         "install libopenblas0-pthread";
}

double process_cpu_s() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double monotonic_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double calendar_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace park::runs
