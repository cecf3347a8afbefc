#pragma once

// Under C++20 Cap'n Proto 0.9 leaves out an operator that its own headers need in the eyes of
// Clang.
#include <kj/string.h>

#ifdef __clang__
namespace kj {
inline bool operator==(const char* a, const StringPtr& b) { return StringPtr(a) == b; }
}  // namespace kj
#endif
