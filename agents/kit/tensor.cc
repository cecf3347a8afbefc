#include "agents/kit/tensor.h"

#include <ATen/ops/from_blob.h>

namespace park::agents {
namespace {

at::ScalarType scalar_type(DType t) {
  switch (t) {
    case DType::u8:
      return at::kByte;
    case DType::i32:
      return at::kInt;
    case DType::i64:
      return at::kLong;
    case DType::f32:
      return at::kFloat;
    case DType::f64:
      return at::kDouble;
  }
  PARK_ASSERT(false);
  return at::kFloat;
}

template <class T>
at::Tensor view_of(std::span<const T> numbers, at::ScalarType type) {
  // from_blob takes memory that may be written; nobody writes through a view.
  return at::from_blob(const_cast<T*>(numbers.data()), {static_cast<std::int64_t>(numbers.size())},
                       at::TensorOptions().dtype(type));
}

}  // namespace

at::Tensor column_tensor(const Batch& batch, std::size_t column) {
  const std::span<const std::byte> bytes = batch.bytes(column, 0, batch.rows());
  const Leaf& leaf = batch.record().leaves[column];
  const auto width = static_cast<std::int64_t>(leaf.width());
  const auto n = static_cast<std::int64_t>(bytes.size() / size_of(leaf.dtype)) / width;
  return at::from_blob(const_cast<std::byte*>(bytes.data()), {n, width},
                       at::TensorOptions().dtype(scalar_type(leaf.dtype)));
}

at::Tensor view(std::span<const std::int64_t> numbers) { return view_of(numbers, at::kLong); }
at::Tensor view(std::span<const std::int32_t> numbers) { return view_of(numbers, at::kInt); }
at::Tensor view(std::span<const float> numbers) { return view_of(numbers, at::kFloat); }

}  // namespace park::agents
