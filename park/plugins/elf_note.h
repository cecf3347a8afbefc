#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace park::plugins {

/// What a plug-in says of itself in its ELF note (park/plugin.h, PARK_PLUGIN_NOTE).
struct ElfNote {
  std::uint32_t abi = 0;  ///< number of the interface it was built for
  std::string name{}, version{}, licence{};
};

/// Reads the note of a file without running anything of it, and no more than some kilobytes. The
/// file may be of this processor's class and byte order alone, which dlopen asks for too.
///
/// Throws Error{bad_file} in one line without the path, which says what the file is instead. It may
/// be no regular file, no ELF file, no shared library, or a file of another class, byte order or
/// processor. It may also be damaged or without a note of Park. Throws Error{io} where the file
/// cannot be read.
[[nodiscard]] ElfNote read_elf_note(const std::filesystem::path&);

}  // namespace park::plugins
