#pragma once

#include <cstdint>

#include "park/core/space.h"

namespace park {

/// What a call gives for a value of a leaf's type: call(std::uint8_t{}) of DType::u8, and so on.
template <class Call>
decltype(auto) with_type(DType dtype, Call&& call) {
  switch (dtype) {
    case DType::u8:
      return call(std::uint8_t{});
    case DType::i32:
      return call(std::int32_t{});
    case DType::i64:
      return call(std::int64_t{});
    case DType::f32:
      return call(float{});
    case DType::f64:
      break;
  }
  return call(double{});
}

}  // namespace park
