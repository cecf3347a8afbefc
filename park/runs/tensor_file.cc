// Safetensors files. A file is a length, a JSON header with name, type, shape and range of bytes of
// every array, then the arrays without gaps. Reading parses the header, checks that the ranges fill
// the data exactly, and returns views into the caller's bytes; nothing is copied or trusted before
// that. Checkpoints write and read their weights here.
#include "park/runs/tensor_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "park/core/error.h"
#include "park/core/json_writer.h"
#include "park/files/json_cursor.h"

namespace park::runs {
namespace {

using files::JsonCursor;
using files::JsonError;

static_assert(std::endian::native == std::endian::little, "the format is little endian");

constexpr std::size_t kLength = 8;                         // bytes in front of the header
constexpr std::size_t kMostHeader = std::size_t{4} << 20;  // some thousand arrays
constexpr std::size_t kMostDimensions = 16;
constexpr std::size_t kMostName = 200;

constexpr std::array<std::pair<DType, std::string_view>, 5> kTypes{{{DType::u8, "U8"},
                                                                    {DType::i32, "I32"},
                                                                    {DType::i64, "I64"},
                                                                    {DType::f32, "F32"},
                                                                    {DType::f64, "F64"}}};

std::string_view type_name(DType type) {
  return std::ranges::find(kTypes, type, &std::pair<DType, std::string_view>::first)->second;
}

[[noreturn]] void fail(const std::string& what) { throw Error(Errc::bad_file, what); }

/// One array as the header tells it.
struct Entry {
  std::string name;
  std::optional<DType> dtype;
  std::optional<std::vector<std::int64_t>> shape;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> range;  // begin, end of its bytes
};

std::string checked_name(std::string_view name) {
  const bool plain = !name.empty() && name.size() <= kMostName &&
                     std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; }) &&
                     name.find('\\') == std::string_view::npos;
  if (!plain) fail("a name of an array is not 1 to 200 printable characters");
  return std::string(name);
}

DType read_type(JsonCursor& json, const std::string& name) {
  const std::string_view text = json.plain_text();
  const auto at = std::ranges::find(kTypes, text, &std::pair<DType, std::string_view>::second);
  if (at == kTypes.end()) fail(name + ": its type is not U8, I32, I64, F32 or F64");
  return at->first;
}

std::vector<std::int64_t> read_shape(JsonCursor& json, const std::string& name) {
  std::vector<std::int64_t> shape;
  for (json.enter_array(); json.next_element();) {
    shape.push_back(json.integer());
    if (shape.back() < 0) fail(name + ": a negative size");
    if (shape.size() > kMostDimensions) fail(name + ": more than 16 dimensions");
  }
  return shape;
}

std::pair<std::uint64_t, std::uint64_t> read_range(JsonCursor& json, const std::string& name) {
  std::vector<std::uint64_t> ends;
  for (json.enter_array(); ends.size() < 3 && json.next_element();) ends.push_back(json.natural());
  if (ends.size() != 2) fail(name + ": data_offsets are not two numbers");
  return {ends[0], ends[1]};
}

template <class T>
void set_once(std::optional<T>& field, T value, const std::string& name) {
  if (field) fail(name + ": a field comes twice");
  field = std::move(value);
}

Entry read_entry(JsonCursor& json, std::string name) {
  Entry entry{.name = std::move(name), .dtype = {}, .shape = {}, .range = {}};
  std::string_view key;
  for (json.enter_object(); json.next_key(key);) {
    if (key == "dtype")
      set_once(entry.dtype, read_type(json, entry.name), entry.name);
    else if (key == "shape")
      set_once(entry.shape, read_shape(json, entry.name), entry.name);
    else if (key == "data_offsets")
      set_once(entry.range, read_range(json, entry.name), entry.name);
    else
      fail(entry.name + ": an unknown field");
  }
  if (!entry.dtype || !entry.shape || !entry.range)
    fail(entry.name + ": needs dtype, shape and data_offsets");
  return entry;
}

std::vector<Entry> read_header(std::string_view text) {
  JsonCursor json(text);
  std::vector<Entry> entries;
  std::map<std::string, bool, std::less<>> known;
  std::string_view key;
  for (json.enter_object(); json.next_key(key);) {
    if (!known.emplace(key, true).second) fail("a name comes twice in the header");
    if (key == "__metadata__")
      json.skip();
    else
      entries.push_back(read_entry(json, checked_name(key)));
  }
  json.finish();
  return entries;
}

/// Bytes of an array of that shape, or nothing where there would be more than `most`.
std::optional<std::uint64_t> size_of_shape(const Entry& entry, std::uint64_t most) {
  const auto& shape = *entry.shape;
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::uint64_t size = size_of(*entry.dtype);
  for (const std::int64_t n : shape) {
    if (static_cast<std::uint64_t>(n) > most / size) return {};
    size *= static_cast<std::uint64_t>(n);
  }
  return size;
}

/// The arrays fill the data without gaps and overlaps.
void check_offsets(std::vector<const Entry*> entries, std::uint64_t data) {
  std::ranges::stable_sort(entries, {}, [](const Entry* e) { return *e->range; });
  std::uint64_t at = 0;
  for (const Entry* e : entries) {
    const auto [begin, end] = *e->range;
    if (end < begin) fail(e->name + ": ends before it begins");
    if (end > data)
      fail("cut off: " + e->name + " ends at byte " + std::to_string(end) + " of " +
           std::to_string(data));
    if (begin < at) fail(e->name + ": overlaps the array before it");
    if (begin > at) fail(e->name + ": a gap in front of it");
    if (size_of_shape(*e, data) != end - begin)
      fail(e->name + ": its shape does not fit its bytes");
    at = end;
  }
  if (at != data) fail(std::to_string(data - at) + " bytes behind the last array");
}

TensorViews read_tensor_entries(std::vector<char>& bytes) {
  std::uint64_t length = 0;
  if (bytes.size() < kLength) fail("cut off in front of its header");
  std::memcpy(&length, bytes.data(), kLength);
  if (length > kMostHeader)
    fail("its header would be longer than " + std::to_string(kMostHeader) + " bytes");
  if (length > bytes.size() - kLength) fail("cut off in its header");
  const std::vector<Entry> entries = read_header({bytes.data() + kLength, length});
  const std::span data =
      std::as_writable_bytes(std::span(bytes)).subspan(kLength + static_cast<std::size_t>(length));
  std::vector<const Entry*> all;
  for (const Entry& e : entries) all.push_back(&e);
  check_offsets(std::move(all), data.size());
  TensorViews tensors;
  for (const Entry& e : entries)
    tensors.push_back({e.name, *e.dtype, *e.shape,
                       data.subspan(e.range->first, e.range->second - e.range->first)});
  return tensors;
}

}  // namespace

std::string shape_text(const TensorView& tensor) {
  std::string text(to_text(tensor.dtype));
  text += " [";
  for (std::size_t i = 0; i < tensor.shape.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(tensor.shape[i]);
  return text + ']';
}

std::string tensor_file_bytes(const TensorViews& tensors) {
  std::vector<const TensorView*> ordered;
  for (const TensorView& t : tensors) ordered.push_back(&t);
  std::ranges::stable_sort(ordered, std::greater{},
                           [](const TensorView* t) { return size_of(t->dtype); });
  JsonWriter json;
  json.begin_object(JsonWriter::Layout::line);
  std::uint64_t at = 0;
  for (const TensorView* t : ordered) {
    json.key(t->name).begin_object().member("dtype", type_name(t->dtype)).key("shape");
    json.begin_array();
    for (const std::int64_t n : t->shape) json.value(n);
    json.end_array().key("data_offsets").begin_array().value(at);
    json.value(at += t->bytes.size()).end_array().end_object();
  }
  std::string header = json.end_object().take();
  header.back() = ' ';  // the line end
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char*>(&length), kLength);
  bytes += header;
  for (const TensorView* t : ordered)
    bytes.append(reinterpret_cast<const char*>(t->bytes.data()), t->bytes.size());
  return bytes;
}

TensorFile::TensorFile(std::vector<char> bytes, const std::string& file)
    : bytes_(std::move(bytes)) {
  try {
    tensors_ = read_tensor_entries(bytes_);
  } catch (const JsonError& error) {
    throw Error(Errc::bad_file, file + ": its header: " + error.what());
  } catch (const Error& error) {
    throw Error(error.code(), file + ": " + error.what());
  }
}

void copy_tensors(const TensorViews& from, const TensorViews& to, const std::string& file) {
  const auto refuse = [&](const std::string& what) {
    throw Error(Errc::bad_file, file + ": " + what);
  };
  std::map<std::string_view, const TensorView*> given;
  for (const TensorView& t : from) given.emplace(t.name, &t);
  for (const TensorView& t : to) {
    const auto at = given.find(t.name);
    if (at == given.end()) refuse("has no array " + t.name);
    const TensorView& g = *at->second;
    if (g.dtype != t.dtype || g.shape != t.shape || g.bytes.size() != t.bytes.size())
      refuse(t.name + " is " + shape_text(g) + ", the network has " + shape_text(t));
  }
  for (const TensorView& t : from)
    if (std::ranges::find(to, t.name, &TensorView::name) == to.end())
      refuse("holds " + t.name + ", which the network does not have");
  for (const TensorView& t : to)
    if (!t.bytes.empty())
      std::memcpy(t.bytes.data(), given.at(t.name)->bytes.data(), t.bytes.size());
}

}  // namespace park::runs
