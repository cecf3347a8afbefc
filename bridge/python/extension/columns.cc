// Batches as NumPy arrays and back. columns gives one array per leaf, padded gives ragged leaves
// with a mask, counts the elements per row; arrays own their memory. read_columns converts arrays
// to the leaves' types and refuses what would lose a value. Streams and policies of the extension
// call it with the GIL held.
#include "extension/columns.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace park::python {
namespace {

py::dtype numpy_type(DType t) {
  switch (t) {
    case DType::u8:
      return py::dtype::of<std::uint8_t>();
    case DType::i32:
      return py::dtype::of<std::int32_t>();
    case DType::i64:
      return py::dtype::of<std::int64_t>();
    case DType::f32:
      return py::dtype::of<float>();
    case DType::f64:
      break;
  }
  return py::dtype::of<double>();
}

void copy(py::array& to, std::span<const std::byte> from) {
  if (!from.empty()) std::memcpy(to.mutable_data(), from.data(), from.size());
}

py::array column(const Batch& batch, std::size_t c) {
  const Leaf& leaf = batch.record().leaves[c];
  const std::span<const std::byte> bytes = batch.bytes(c, 0, batch.rows());
  std::vector<py::ssize_t> shape{
      static_cast<py::ssize_t>(bytes.size() / (leaf.width() * size_of(leaf.dtype)))};
  for (const std::int64_t n : leaf.shape) shape.push_back(static_cast<py::ssize_t>(n));
  py::array to(numpy_type(leaf.dtype), shape);
  copy(to, bytes);
  return to;
}

py::array padded_column(const Batch& batch, std::size_t c) {
  const Leaf& leaf = batch.record().leaves[c];
  const GroupId group = batch.group_of(c);
  const std::size_t elements =
      group.id < 0 ? 1
                   : static_cast<std::size_t>(
                         batch.record().groups[static_cast<std::size_t>(group.id)].capacity);
  const std::size_t width = elements * leaf.width();
  py::array to(numpy_type(leaf.dtype),
               std::vector<py::ssize_t>{static_cast<py::ssize_t>(batch.rows()),
                                        static_cast<py::ssize_t>(width)});
  if (group.id < 0) {
    copy(to, batch.bytes(c, 0, batch.rows()));
    return to;
  }
  auto* at = static_cast<std::byte*>(to.mutable_data());
  const std::size_t row_bytes = width * size_of(leaf.dtype);
  for (std::size_t r = 0; r < batch.rows(); ++r, at += row_bytes) {
    const std::span<const std::byte> from = batch.bytes(c, r, 1);
    if (!from.empty()) std::memcpy(at, from.data(), from.size());
    std::memset(at + from.size(), 0, row_bytes - from.size());
  }
  return to;
}

py::array_t<std::uint8_t> valid(const Batch& batch, std::size_t group) {
  const auto capacity = static_cast<std::size_t>(batch.record().groups[group].capacity);
  const auto offsets = batch.offsets({static_cast<std::int32_t>(group)});
  py::array_t<std::uint8_t> to({batch.rows(), capacity});
  std::uint8_t* at = to.mutable_data();
  for (std::size_t r = 0; r < batch.rows(); ++r, at += capacity) {
    const auto n = static_cast<std::size_t>(offsets[r + 1] - offsets[r]);
    std::fill_n(at, n, std::uint8_t{1});
    std::fill(at + n, at + capacity, std::uint8_t{0});
  }
  return to;
}

[[noreturn]] void wrong(const Leaf& leaf, const std::string& what) {
  throw Error(Errc::invalid_space, leaf.name + ": " + what);
}

/// The array as contiguous numbers of the leaf's type.
py::array converted(const py::handle& from, const Leaf& leaf) {
  py::array any = py::array::ensure(from);
  if (!any) {
    PyErr_Clear();
    wrong(leaf, "must be an array of numbers");
  }
  const char kind = any.dtype().kind();
  const bool integer = kind == 'i' || kind == 'u' || kind == 'b';
  if (leaf.dtype == DType::f32) {
    if (!integer && kind != 'f') wrong(leaf, "must be an array of numbers");
    return py::array_t<float, py::array::c_style | py::array::forcecast>::ensure(any);
  }
  if (!integer) wrong(leaf, "must be an array of whole numbers");
  return py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(any);
}

void write_integers(const std::int64_t* from, std::span<std::byte> to) {
  constexpr std::int64_t kLow = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kHigh = std::numeric_limits<std::int32_t>::max();
  auto* out = reinterpret_cast<std::int32_t*>(to.data());
  const std::size_t n = to.size() / sizeof *out;
  for (std::size_t i = 0; i < n; ++i)
    out[i] = static_cast<std::int32_t>(std::clamp(from[i], kLow, kHigh));
}

}  // namespace

py::dict columns(const Batch& batch) {
  py::dict all;
  for (std::size_t c = 0; c < batch.columns(); ++c)
    all[py::str(batch.record().leaves[c].name)] = column(batch, c);
  return all;
}

py::dict counts(const Batch& batch) {
  py::dict all;
  const auto& groups = batch.record().groups;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto offsets = batch.offsets({static_cast<std::int32_t>(g)});
    py::array_t<std::int64_t> to(static_cast<py::ssize_t>(batch.rows()));
    std::int64_t* out = to.mutable_data();
    for (std::size_t r = 0; r < batch.rows(); ++r) out[r] = offsets[r + 1] - offsets[r];
    all[py::str(groups[g].name)] = to;
  }
  return all;
}

py::dict padded(const Batch& batch) {
  py::dict all;
  for (std::size_t c = 0; c < batch.columns(); ++c)
    all[py::str(batch.record().leaves[c].name)] = padded_column(batch, c);
  for (std::size_t g = 0; g < batch.record().groups.size(); ++g)
    all[py::str("valid." + batch.record().groups[g].name)] = valid(batch, g);
  return all;
}

void read_columns(const py::sequence& arrays, std::size_t rows, Batch& into) {
  const auto& leaves = into.record().leaves;
  if (arrays.size() != leaves.size())
    throw Error(Errc::invalid_space, "actions: " + std::to_string(arrays.size()) +
                                         " arrays, the "
                                         "record has " +
                                         std::to_string(leaves.size()) + " leaves");
  into.clear();
  into.resize(rows);
  for (std::size_t c = 0; c < leaves.size(); ++c) {
    const py::array from = converted(arrays[c], leaves[c]);
    const std::span<std::byte> to = into.bytes(c, 0, rows);
    const std::size_t wanted = rows * leaves[c].width();
    if (static_cast<std::size_t>(from.size()) != wanted)
      wrong(leaves[c],
            std::to_string(from.size()) + " numbers, " + std::to_string(wanted) + " are asked for");
    if (leaves[c].dtype == DType::i32)
      write_integers(static_cast<const std::int64_t*>(from.data()), to);
    else if (!to.empty())
      std::memcpy(to.data(), from.data(), to.size());
  }
}

}  // namespace park::python
