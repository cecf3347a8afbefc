#pragma once

#include <memory>
#include <string>

#include "park/files/byte_source.h"

namespace park::files {

/// The plain text of a source, told by its first bytes and not by its name. Unpacked while it is
/// read: gzip, zstd, lz4 frames, and the blocks of lz4-java, which is what Spark writes as .lz4;
/// each also as several streams one behind another. A stream that breaks off gives what can be
/// unpacked and is then cut_short. Anything else passes as plain text, but for compressions that
/// are known and not supported, which are refused by name. Memory is at most what the formats'
/// windows and blocks take: 128 MiB with zstd's largest, 32 MiB with lz4's, kilobytes usually.
/// `name` is for messages. Throws Error{bad_file}, also later from read.
[[nodiscard]] std::unique_ptr<ByteSource> plain_text(std::unique_ptr<ByteSource> source,
                                                     const std::string& name);

}  // namespace park::files
