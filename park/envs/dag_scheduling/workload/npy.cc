#include "park/envs/dag_scheduling/workload/npy.h"

#include <bit>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

#include "park/core/error.h"
#include "park/envs/dag_scheduling/workload_file.h"

namespace park::dag_scheduling::workload {
namespace {

[[noreturn]] void fail(const std::string& source, const std::string& what) {
  throw Error(Errc::bad_file, source + ": " + what);
}

struct Npy {
  std::string_view header;  ///< the text of a Python dict
  std::span<const std::byte> data;
};

/// Versions 1 and 2 differ in the width of the header's size.
Npy split(std::span<const std::byte> bytes, const std::string& source) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr std::string_view kMagic = "\x93NUMPY";
  if (!text.starts_with(kMagic) || text.size() < 12) fail(source, "not an npy file");
  const char major = text[6];
  if (major != 1 && major != 2) fail(source, "npy version 1 or 2 is supported");
  const std::size_t width = major == 1 ? 2 : 4, begin = 8 + width;
  std::size_t size = 0;
  for (std::size_t i = 0; i < width; ++i) {
    size |= std::to_integer<std::size_t>(bytes[8 + i]) << (8 * i);
  }
  if (size > text.size() - begin) fail(source, "truncated");
  return {text.substr(begin, size), bytes.subspan(begin + size)};
}

void require(const Npy& npy, std::string_view piece, const std::string& source) {
  if (npy.header.find(piece) == std::string_view::npos) {
    fail(source, "its header must have " + std::string(piece));
  }
}

/// n of a shape "(n, n)".
std::size_t square_size(const Npy& npy, const std::string& source) {
  constexpr std::string_view kKey = "'shape': (";
  const std::size_t found = npy.header.find(kKey);
  if (found == std::string_view::npos) fail(source, "its header has no shape");
  const std::string_view shape = npy.header.substr(found + kKey.size());
  std::size_t n = 0;
  std::from_chars(shape.data(), shape.data() + shape.size(), n);
  const std::string size = std::to_string(n);
  if (n < 1 || n > 10'000 || !shape.starts_with(size + ", " + size + ")")) {
    fail(source, "it must be a square matrix of 1 to 10000 rows");
  }
  return n;
}

double little_endian_double(std::span<const std::byte> bytes) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 8; ++i) bits |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return std::bit_cast<double>(bits);
}

}  // namespace

std::string read_small_file(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > Pickle::kMaxBytes) fail(path, "larger than 4 MiB");
  return read_bytes(path);
}

NpyMatrix parse_npy_matrix(std::span<const std::byte> bytes, const std::string& source) {
  const Npy npy = split(bytes, source);
  require(npy, "'descr': '<f8'", source);
  require(npy, "'fortran_order': False", source);
  NpyMatrix matrix;
  matrix.size = square_size(npy, source);
  const std::size_t count = matrix.size * matrix.size;
  if (npy.data.size() != count * sizeof(double)) fail(source, "its size does not fit its shape");
  matrix.values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    matrix.values.push_back(little_endian_double(npy.data.subspan(i * sizeof(double))));
  }
  return matrix;
}

/// The pickle is numpy's _reconstruct(ndarray, (0,), 'b') built with the state
/// (version, shape, dtype, is_fortran, [object]).
NpyObject parse_npy_object(std::span<const std::byte> bytes, const std::string& source) {
  const Npy npy = split(bytes, source);
  require(npy, "'descr': '|O'", source);
  require(npy, "'shape': ()", source);
  NpyObject object{Pickle(npy.data, source), {}};
  const Pickle& pickle = object.pickle;
  const auto item = [&](const PickleValue& value, PickleKind kind, std::size_t size,
                        std::size_t at) {
    if (value.kind != kind || pickle.items(value).size() != size) {
      fail(source, "not the pickle of an array with one object");
    }
    return pickle.items(value)[at];
  };
  const PickleValue callable = item(pickle.root(), PickleKind::object, 3, 0);
  if (callable.kind != PickleKind::global ||
      pickle.text(callable) != "numpy.core.multiarray _reconstruct") {
    fail(source, "not the pickle of an array");
  }
  const PickleValue state = item(pickle.root(), PickleKind::object, 3, 2);
  object.value = item(item(state, PickleKind::tuple, 5, 4), PickleKind::list, 1, 0);
  return object;
}

}  // namespace park::dag_scheduling::workload
