#pragma once

#include <memory>
#include <string>

#include "park/files/byte_source.h"

namespace park::files {

/// The plain text of a source. Its first bytes show the form, not its name. Forms that are unpacked
/// while they are read: gzip, zstd, lz4 frames, and the blocks of lz4-java, which Spark writes as
/// .lz4. Each may be several concatenated streams. A truncated stream gives the part that can be
/// unpacked and is then cut_short. Compressions that are known but not supported are refused by
/// name. Anything else passes as plain text. Memory is at most what the formats' windows and blocks
/// take: 128 MiB with zstd's largest, 32 MiB with lz4's, kilobytes usually. `name` is for messages.
/// Throws Error{bad_file}, also later from read.
[[nodiscard]] std::unique_ptr<ByteSource> plain_text(std::unique_ptr<ByteSource> source,
                                                     const std::string& name);

}  // namespace park::files
