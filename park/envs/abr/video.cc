#include "park/envs/abr/video.h"

#include <utility>

#include "park/core/error.h"
#include "park/files/lines.h"
#include "park/files/read.h"

namespace park::abr {
namespace {

std::vector<double> parse_video(std::string_view text, const std::string& name, Violations& bad) {
  std::vector<double> bytes;
  const std::size_t before = bad.size();
  files::NumberLines line(text);
  while (bad.size() < files::kMostViolations && line.next()) {
    const auto size = files::number_in(line.word(), 1, kMaxChunkBytes);
    if (!size)
      files::add_at(bad, name, line.number(),
                    "a chunk's size must be a number of bytes from 1 to 1e12");
    else if (!line.word().empty())
      files::add_at(bad, name, line.number(), "must be one size in bytes and nothing more");
    else
      bytes.push_back(*size);
  }
  if (bad.size() > before) return bytes;
  if (bytes.size() < 2) bad.add(name + ": must have at least two chunks");
  if (bytes.size() > kMaxListedChunks) bad.add(name + ": must not have more than 1e6 chunks");
  return bytes;
}

}  // namespace

Video read_video(const std::filesystem::path& folder) {
  Video video;
  const std::filesystem::path named = folder.has_filename() ? folder : folder.parent_path();
  video.name = named.filename().string();
  Violations bad;
  for (const std::filesystem::path& file : files::files_of(folder, "video")) {
    const std::size_t before = bad.size();
    video.bytes.push_back(parse_video(files::text_of(file, "video"), file.string(), bad));
    if (bad.size() == before && video.bytes.back().size() != video.chunks())
      bad.add(file.string() + ": has " + std::to_string(video.bytes.back().size()) +
              " chunks and must have as many as the first file, " + std::to_string(video.chunks()));
    if (video.rates() > kMaxRates)
      bad.add("video: '" + folder.string() + "' has more than 64 files");
    if (video.rates() > kMaxRates || bad.size() >= files::kMostViolations) break;
  }
  bad.throw_if_any(Errc::bad_file);
  return video;
}

std::vector<double> parse_chunk_sizes(std::string_view text, const std::string& name) {
  Violations bad;
  std::vector<double> bytes = parse_video(text, name, bad);
  bad.throw_if_any(Errc::bad_file);
  return bytes;
}

}  // namespace park::abr
