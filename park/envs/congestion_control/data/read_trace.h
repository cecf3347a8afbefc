#pragma once

#include <string>

#include "park/net/link.h"

namespace park::congestion_control::links {

/// The last part of a path, for messages.
[[nodiscard]] std::string name_of(const std::string& path);

/// A user's file of opportunities, plain or packed with zstd, lz4 or gzip. Throws Error{io} or
/// Error{bad_file} with the place.
[[nodiscard]] net::Opportunities read_trace(const std::string& file);

}  // namespace park::congestion_control::links
