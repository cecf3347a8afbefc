#include "park/runs/event_file.h"

#include <chrono>
#include <cstring>
#include <string_view>

#include "park/files/crc32c.h"
#include "park/runs/host.h"

namespace park::runs {
namespace {

template <class T>
std::string bytes_of(T number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

/// As TFRecord wants it, so that a checksum of data with checksums in it is no trap.
std::string masked_crc(std::string_view bytes) {
  const std::uint32_t crc = files::crc32c(bytes);
  return bytes_of(((crc >> 15) | (crc << 17)) + 0xa282ead8U);
}

std::string varint(std::uint64_t n) {
  std::string bytes;
  for (; n >= 0x80; n >>= 7) bytes += static_cast<char>((n & 0x7f) | 0x80);
  return bytes + static_cast<char>(n);
}

// Fields of Protocol Buffers: number and wire type, then the value.
std::string key(std::uint64_t field, std::uint64_t wire) { return varint(field << 3 | wire); }
std::string double_field(std::uint64_t field, double x) { return key(field, 1) + bytes_of(x); }
std::string float_field(std::uint64_t field, float x) { return key(field, 5) + bytes_of(x); }
std::string int_field(std::uint64_t field, std::uint64_t n) { return key(field, 0) + varint(n); }
std::string bytes_field(std::uint64_t field, const std::string& bytes) {
  return key(field, 2) + varint(bytes.size()) + bytes;
}

// Of Event.
constexpr std::uint64_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;
// Of Summary, and of Summary.Value.
constexpr std::uint64_t kValue = 1, kTag = 1, kSimpleValue = 2;

}  // namespace

EventFile::EventFile(const std::filesystem::path& path, std::uint64_t keep) : file_(path, keep) {
  if (keep == 0)
    append(double_field(kWallTime, calendar_s()) + bytes_field(kFileVersion, "brain.Event:2"));
}

void EventFile::scalars(double time_s, std::uint64_t step,
                        const std::vector<std::pair<std::string, double>>& values) {
  std::string summary;
  for (const auto& [name, value] : values)
    summary += bytes_field(
        kValue, bytes_field(kTag, name) + float_field(kSimpleValue, static_cast<float>(value)));
  append(double_field(kWallTime, time_s) + int_field(kStep, step) + bytes_field(kSummary, summary));
}

void EventFile::append(const std::string& event) {
  const std::string length = bytes_of(static_cast<std::uint64_t>(event.size()));
  file_.append(length + masked_crc(length) + event + masked_crc(event));
}

}  // namespace park::runs
