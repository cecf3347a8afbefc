#include "park/runs/data_files.h"

#include "park/files/crc32c.h"
#include "park/files/read.h"

namespace park::runs {
namespace {

constexpr std::uint64_t kMostData = std::uint64_t{8} << 30;

}  // namespace

std::vector<DataFile> describe_files(const std::vector<std::filesystem::path>& paths) {
  std::vector<DataFile> all;
  for (const std::filesystem::path& path : paths) {
    const std::string bytes = files::read_whole(path, kMostData);
    all.push_back(
        {path.filename().string(), bytes.size(), files::crc32c_text(files::crc32c(bytes))});
  }
  return all;
}

}  // namespace park::runs
