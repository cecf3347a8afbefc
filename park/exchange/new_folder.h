#pragma once

#include <filesystem>

#include "park/files/durable.h"

namespace park::exchange {

/// Makes a folder with these files, which appears whole and on the disk, or not at all. Replaces
/// nothing. Throws Error{io} with the path and the reason, also where the folder exists.
void write_new_folder(const std::filesystem::path&, const files::NamedBytes&);

}  // namespace park::exchange
