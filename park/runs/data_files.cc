#include "park/runs/data_files.h"

#include <utility>

#include "park/files/crc32c.h"
#include "park/files/read.h"
#include "park/files/sha256.h"

namespace park::runs {
namespace {

constexpr std::uint64_t kMostData = std::uint64_t{8} << 30;

}  // namespace

DataFile describe_bytes(std::string name, std::string_view bytes) {
  return {.path = std::move(name),
          .bytes = bytes.size(),
          .crc32c = files::crc32c_text(files::crc32c(bytes)),
          .sha256 = files::sha256_text(bytes)};
}

bool same_bytes(const DataFile& a, const DataFile& b) {
  const bool both = !a.sha256.empty() && !b.sha256.empty();
  return a.bytes == b.bytes && a.crc32c == b.crc32c && (!both || a.sha256 == b.sha256);
}

std::vector<DataFile> describe_files(const std::vector<std::filesystem::path>& paths) {
  std::vector<DataFile> all;
  for (const std::filesystem::path& path : paths)
    all.push_back(describe_bytes(path.filename().string(), files::read_whole(path, kMostData)));
  return all;
}

}  // namespace park::runs
