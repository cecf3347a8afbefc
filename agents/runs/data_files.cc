#include "agents/runs/data_files.h"

#include "agents/runs/crc32c.h"
#include "agents/runs/durable.h"

namespace park::agents {
namespace {

constexpr std::uint64_t kMostData = std::uint64_t{8} << 30;

}  // namespace

std::vector<DataFile> describe_files(const std::vector<std::filesystem::path>& paths) {
  std::vector<DataFile> all;
  for (const std::filesystem::path& path : paths) {
    const std::vector<char> bytes = read_whole(path, kMostData);
    all.push_back({path.filename().string(), bytes.size(),
                   crc32c_text(crc32c({bytes.data(), bytes.size()}))});
  }
  return all;
}

}  // namespace park::agents
