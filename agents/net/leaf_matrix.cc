#include "agents/net/leaf_matrix.h"

#include <ATen/ops/empty.h>

#include <cmath>

#include "park/core/categories.h"
#include "park/core/with_type.h"

namespace park::agents {
namespace {

float signed_log(float v) { return std::copysign(std::log1p(std::abs(v)), v); }

/// Column after column of one leaf, for every row of the matrix.
template <Element T>
void write(const std::byte* bytes, std::int64_t rows, std::int64_t width, float* to,
           std::int64_t stride) {
  const T* from = reinterpret_cast<const T*>(bytes);
  for (std::int64_t r = 0; r < rows; ++r, to += stride, from += width)
    for (std::int64_t i = 0; i < width; ++i) {
      const auto v = static_cast<float>(from[i]);
      to[i] = v;
      if constexpr (dtype_of<T> != DType::u8) to[width + i] = signed_log(v);
    }
}

using Write = void (*)(const std::byte*, std::int64_t, std::int64_t, float*, std::int64_t);

Write writer(DType dtype) {
  return with_type(dtype, []<class T>(T) -> Write { return write<T>; });
}

}  // namespace

LeafMatrix::LeafMatrix(const Record& record, std::string_view group,
                       const std::function<bool(const Leaf&)>& takes, std::int64_t parts)
    : parts_(parts) {
  if (!group.empty()) group_ = Batch(record).group(group);
  for (std::size_t c = 0; c < record.leaves.size(); ++c) {
    const Leaf& leaf = record.leaves[c];
    if (leaf.group != group || leaf.informative() || !leaf.index_of.empty() ||
        categories(leaf) > 0 || !takes(leaf))
      continue;
    const auto width = static_cast<std::int64_t>(leaf.width()) / parts;
    columns_.push_back({c, leaf.dtype, width_, width});
    width_ += leaf.dtype == DType::u8 ? width : 2 * width;
  }
}

at::Tensor LeafMatrix::of(const Batch& batch) const {
  const std::int64_t rows = group_.id < 0 ? static_cast<std::int64_t>(batch.rows()) * parts_
                                          : batch.offsets(group_).back() * parts_;
  at::Tensor all = at::empty({rows, width_});
  for (const Column& c : columns_)
    writer(c.dtype)(batch.bytes(c.number, 0, batch.rows()).data(), rows, c.width,
                    all.data_ptr<float>() + c.from, width_);
  return all;
}

}  // namespace park::agents
