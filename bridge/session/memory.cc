#include "bridge/session/memory.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>

namespace park::bridge {
namespace {

// Returning memory looks through all of it that is free.
constexpr std::uint64_t kWorthIt = std::uint64_t{32} << 20;

}  // namespace

/// The second number of the file is the number of resident pages.
std::uint64_t resident_bytes() noexcept {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 128> text{};
  const ssize_t n = ::read(file, text.data(), text.size());
  ::close(file);
  if (n <= 0) return 0;
  const std::string_view line(text.data(), static_cast<std::size_t>(n));
  const std::size_t blank = std::min(line.find(' '), line.size() - 1);
  std::uint64_t pages = 0;
  std::from_chars(line.data() + blank + 1, line.data() + line.size(), pages);
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void give_back_memory(std::uint64_t freed) noexcept {
#ifdef __GLIBC__
  if (freed >= kWorthIt) malloc_trim(0);
#endif
}

}  // namespace park::bridge
