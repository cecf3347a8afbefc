// The walk over a message follows its schema, so that a field that is new is changed without a line
// here. mutate goes down from the root: at each struct it takes one field, at each list one
// element, until it comes to a value. Attacks and a system's family call it.
#include "tests/siege/mutate.h"

#include <array>
#include <cmath>
#include <limits>

#include "tests/fuzz/mutate.h"

namespace park::siege {
namespace {

using capnp::DynamicEnum;
using capnp::DynamicList;
using capnp::DynamicStruct;
using capnp::DynamicValue;
using Field = capnp::StructSchema::Field;
using TypeKind = capnp::schema::Type;
using Texts = std::span<const std::string>;

constexpr std::uint32_t kLongList = 300;  // further elements are more of the same

std::uint64_t some_number(Rng& rng) {
  static constexpr std::array<std::uint64_t, 16> kEnds{0,
                                                       1,
                                                       2,
                                                       3,
                                                       7,
                                                       8,
                                                       9,
                                                       255,
                                                       4096,
                                                       4097,
                                                       65'536,
                                                       std::uint64_t{1} << 31U,
                                                       0xffff'ffffU,
                                                       std::uint64_t{1} << 62U,
                                                       std::uint64_t{1} << 63U,
                                                       ~std::uint64_t{0}};
  const std::uint64_t end = kEnds[rng.below(kEnds.size())];
  return rng.below(4) == 0 ? rng.bits() >> rng.below(64) : end;
}

double some_float(Rng& rng) {
  static const std::array<double, 12> kEnds{0,      -0.0,         1,    -1,    0.5,   1e308, -1e308,
                                            5e-324, std::nan(""), kInf, -kInf, 0x1p63};
  return rng.below(4) == 0 ? rng.uniform(-10, 10) : kEnds[rng.below(kEnds.size())];
}

std::string some_text(Rng& rng, Texts texts) {
  if (!texts.empty() && rng.below(4) != 0) return texts[rng.below(texts.size())];
  std::string text(rng.below(8) == 0 ? 2000 : rng.below(12), ' ');
  for (char& c : text) c = static_cast<char>(rng.below(256));
  return text;
}

void fill_bytes(capnp::Data::Builder to, Rng& rng) {
  const std::uint64_t how = rng.below(3);
  for (kj::byte& b : to) b = static_cast<kj::byte>(how == 0 ? 0 : how == 1 ? 255 : rng.below(256));
}

template <class T>
DynamicValue::Reader narrow(std::uint64_t number) {
  return static_cast<T>(number);
}

/// A value of a type without pointers.
DynamicValue::Reader some_value(capnp::Type type, Rng& rng) {
  const std::uint64_t n = some_number(rng);
  switch (type.which()) {
    case TypeKind::BOOL:
      return (n & 1U) != 0;
    case TypeKind::INT8:
      return narrow<std::int8_t>(n);
    case TypeKind::INT16:
      return narrow<std::int16_t>(n);
    case TypeKind::INT32:
      return narrow<std::int32_t>(n);
    case TypeKind::INT64:
      return narrow<std::int64_t>(n);
    case TypeKind::UINT8:
      return narrow<std::uint8_t>(n);
    case TypeKind::UINT16:
      return narrow<std::uint16_t>(n);
    case TypeKind::UINT32:
      return narrow<std::uint32_t>(n);
    case TypeKind::UINT64:
      return n;
    case TypeKind::FLOAT32:
      return static_cast<float>(some_float(rng));
    case TypeKind::FLOAT64:
      return some_float(rng);
    case TypeKind::ENUM:
      return DynamicEnum(type.asEnum(), static_cast<std::uint16_t>(n));
    default:
      return capnp::VOID;
  }
}

bool in_union(Field field) { return field.getProto().getDiscriminantValue() != 0xffff; }

void set_data(DynamicStruct::Builder s, Field field, Rng& rng) {
  auto now = s.get(field).as<capnp::Data>();
  const auto size = static_cast<unsigned>(rng.below(3) == 0 ? rng.below(200) : now.size());
  if (rng.below(2) == 0 && now.size() > 0)
    now[rng.below(now.size())] = static_cast<kj::byte>(rng.below(256));
  else
    fill_bytes(s.init(field, size).as<capnp::Data>(), rng);
}

void mutate_once(DynamicStruct::Builder, Rng&, Texts);

void mutate_element(DynamicList::Builder list, unsigned at, Rng& rng, Texts texts) {
  const capnp::Type type = list.getSchema().getElementType();
  switch (type.which()) {
    case TypeKind::STRUCT:
      return mutate_once(list[at].as<DynamicStruct>(), rng, texts);
    case TypeKind::TEXT:
      return list.set(at, capnp::Text::Reader(some_text(rng, texts).c_str()));
    case TypeKind::DATA:
      return fill_bytes(list.init(at, static_cast<unsigned>(rng.below(200))).as<capnp::Data>(),
                        rng);
    case TypeKind::LIST:
    case TypeKind::ANY_POINTER:
    case TypeKind::INTERFACE:
      return;
    default:
      list.set(at, some_value(type, rng));
  }
}

void mutate_list(DynamicStruct::Builder s, Field field, Rng& rng, Texts texts) {
  const auto now = s.get(field).as<DynamicList>();
  if (now.size() > 0 && rng.below(4) != 0)
    return mutate_element(now, static_cast<unsigned>(rng.below(now.size())), rng, texts);
  auto made = s.init(field, static_cast<unsigned>(rng.below(20) == 0 ? kLongList : rng.below(6)))
                  .as<DynamicList>();
  for (unsigned i = 0; i < made.size(); ++i) mutate_element(made, i, rng, texts);
}

void mutate_field(DynamicStruct::Builder s, Field field, Rng& rng, Texts texts) {
  switch (field.getType().which()) {
    case TypeKind::STRUCT:
      return mutate_once(s.get(field).as<DynamicStruct>(), rng, texts);
    case TypeKind::LIST:
      return mutate_list(s, field, rng, texts);
    case TypeKind::TEXT:
      return s.set(field, capnp::Text::Reader(some_text(rng, texts).c_str()));
    case TypeKind::DATA:
      return set_data(s, field, rng);
    case TypeKind::ANY_POINTER:
    case TypeKind::INTERFACE:
      return;
    default:
      s.set(field, some_value(field.getType(), rng));
  }
}

/// One of its fields, or of those below.
void mutate_once(DynamicStruct::Builder s, Rng& rng, Texts texts) {
  std::vector<Field> fields;
  for (const Field field : s.getSchema().getNonUnionFields()) fields.push_back(field);
  KJ_IF_MAYBE (chosen, s.which()) {
    constexpr int kWeight = 6;  // most of a message is below its union
    fields.insert(fields.end(), kWeight, *chosen);
  }
  if (fields.empty()) return;
  mutate_field(s, fields[rng.below(fields.size())], rng, texts);
}

}  // namespace

void mutate(DynamicStruct::Builder message, Rng& rng, Texts texts) {
  for (std::uint64_t i = 1 + rng.below(4); i > 0; --i) mutate_once(message, rng, texts);
}

void randomise(DynamicStruct::Builder s, Rng& rng, Texts texts, int depth) {
  std::vector<Field> fields;
  for (const Field field : s.getSchema().getNonUnionFields()) fields.push_back(field);
  if (const auto members = s.getSchema().getUnionFields(); members.size() > 0)
    fields.push_back(members[static_cast<unsigned>(rng.below(members.size()))]);
  for (const Field field : fields) {
    const bool pointer = field.getType().isStruct() || field.getType().isList();
    if (!in_union(field) && (rng.below(3) == 0 || (pointer && depth == 0))) continue;
    if (!field.getType().isStruct()) {
      mutate_field(s, field, rng, texts);
      continue;
    }
    const auto below = s.init(field).as<DynamicStruct>();
    if (depth > 0) randomise(below, rng, texts, depth - 1);
  }
}

Bytes damaged(Bytes bytes, Rng& rng) {
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  park::test::Mutator change(rng.bits());
  text = change(std::move(text), std::string(64, '\x01'));
  if (rng.below(2) == 0) text.resize(text.size() / 8 * 8);  // else most are refused by their size
  return bytes_of(text);
}

}  // namespace park::siege
