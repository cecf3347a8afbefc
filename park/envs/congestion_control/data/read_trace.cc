#include "park/envs/congestion_control/data/read_trace.h"

#include <filesystem>
#include <span>

#include "park/core/error.h"
#include "park/files/unpack.h"
#include "park/net/opportunity_file.h"

namespace park::congestion_control::links {

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

net::Opportunities read_trace(const std::string& file) {
  const auto source = files::plain_text(files::file_source(file), file);
  std::string text(files::kBlock, '\0');
  std::size_t filled = 0;
  for (std::size_t n = 1; n > 0; filled += n) {
    if (filled == text.size()) text.resize(2 * text.size());
    n = source->read(std::span(text).subspan(filled));
  }
  text.resize(filled);
  if (source->cut_short())
    throw Error(Errc::bad_file, file + ": is cut short: a compressed file without its end");
  return net::parse_opportunities(text, name_of(file));
}

}  // namespace park::congestion_control::links
