#pragma once

namespace park::process {

/// Whether this is built with a sanitizer that reserves more addresses than any limit of memory
/// allows, so that a process sets itself none.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kReservesAddresses = true;
#else
inline constexpr bool kReservesAddresses = false;
#endif

}  // namespace park::process
