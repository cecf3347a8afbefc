#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "bridge/codec/failure.h"

namespace park::bridge {

/// Does `work` on what a field or an option tells. A Failed of it is thrown again with the name of
/// that before its text.
template <class Work>
decltype(auto) naming(std::string_view field, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const Failed& failed) {
    throw Failed(failed.code(), std::string(field) + ": " + failed.what());
  }
}

}  // namespace park::bridge
