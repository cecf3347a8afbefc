#pragma once

#include <string_view>

// Files that become a part of the program. The assembler copies them into the read-only data:
// nothing is generated, and nothing is read at start. A source that uses this is compiled alone,
// with PARK_ROOT, the root of the source tree. CMake compiles it again when one of its files
// changes.
#define PARK_FILE(path) ".incbin \"" PARK_ROOT "/" path "\"\n"

/// Defines std::string_view scope::name(), the content of files. No two assets have one name.
#define PARK_ASSET(scope, name, content)                                                      \
  __asm__(                                                                                    \
      ".pushsection .rodata\n"                                                                \
      "park_asset_" #name ":\n" content "park_asset_" #name "_end:\n.byte 0\n.popsection\n"); \
  extern "C" {                                                                                \
  __attribute__((visibility("hidden"))) extern const char park_asset_##name[];                \
  __attribute__((visibility("hidden"))) extern const char park_asset_##name##_end[];          \
  }                                                                                           \
  std::string_view scope::name() { return {park_asset_##name, park_asset_##name##_end}; }
