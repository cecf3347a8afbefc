#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace park::abr {

/// Bounds of what a video may hold.
inline constexpr double kMaxChunkBytes = 1e12;
inline constexpr std::size_t kMaxRates = 64;  ///< encodings of a video
inline constexpr std::size_t kMaxListedChunks = 1e6;

/// A video in several encodings, cut into chunks of equal duration.
struct Video {
  std::string name{};                        ///< name of its folder
  std::vector<std::vector<double>> bytes{};  ///< [rates, chunks], the lowest rate first
  bool operator==(const Video&) const = default;

  [[nodiscard]] std::size_t rates() const noexcept { return bytes.size(); }
  /// Chunks that are listed, the last one included.
  [[nodiscard]] std::size_t chunks() const noexcept { return bytes.empty() ? 0 : bytes[0].size(); }
};

/// A folder with a file per encoding; sorted by name, the lowest rate comes first. A line is the
/// size of a chunk in bytes, above 0; empty lines are skipped, and so are hidden files and folders.
/// All files have equally many chunks, at least two. Throws Error{io} if the folder or a file
/// cannot be read. Throws Error{bad_file} with one line per violation, 10 at most, which names the
/// file, its line and the allowed values.
[[nodiscard]] Video read_video(const std::filesystem::path& folder);
/// Reads the text of one encoding; `name` stands for its file in messages. Throws Error{bad_file}
/// likewise.
[[nodiscard]] std::vector<double> parse_chunk_sizes(std::string_view text, const std::string& name);

}  // namespace park::abr
