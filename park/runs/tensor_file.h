#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/space.h"

namespace park::runs {

/// A named array in row-major order that does not own its bytes.
struct TensorView {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;  ///< empty: one number
  std::span<std::byte> bytes;
};
using TensorViews = std::vector<TensorView>;

/// "f32 [3, 4]".
[[nodiscard]] std::string shape_text(const TensorView&);

/// The bytes of a file in the safetensors format (https://github.com/huggingface/safetensors): 8
/// bytes with the length of a JSON header, the header, the arrays without gaps. Numbers are
/// little-endian. Larger elements come first, so that each array is aligned for its own. REQUIRES
/// names that are unique and of printable ASCII without quotes and backslashes.
[[nodiscard]] std::string tensor_file_bytes(const TensorViews&);

/// A file in that format, read.
class TensorFile {
 public:
  /// `file` is its name in errors. Throws Error{bad_file} in one line. Reasons are a truncated
  /// file, an invalid or too long header, a name twice and an unknown type. So are a shape that
  /// does not fit its bytes, overlaps, gaps, and bytes after the end.
  TensorFile(std::vector<char> bytes, const std::string& file);

  /// The arrays in the order of the header; they live as long as this.
  [[nodiscard]] const TensorViews& tensors() const noexcept { return tensors_; }

 private:
  std::vector<char> bytes_;
  TensorViews tensors_;
};

/// Copies arrays into those of the same names. Throws Error{bad_file} that names `file` and the
/// first array that is missing, too many, or of another type or shape; nothing is copied then.
void copy_tensors(const TensorViews& from, const TensorViews& to, const std::string& file);

}  // namespace park::runs
