#include "park/core/golden_text.h"

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "park/core/text.h"
#include "park/core/with_type.h"

namespace park::golden_detail {
namespace {

/// Leaves of a row with more values than this are given by their sums.
constexpr std::size_t kListed = 32;
constexpr std::array<const char*, 3> kEnds = {"none", "terminated", "truncated"};

template <class T>
std::string value_text(T v) {
  if constexpr (std::integral<T>)
    return std::to_string(v);
  else
    return short_number(static_cast<double>(v));
}

template <class T>
std::string digest(std::span<const T> values) {
  std::string text;
  if (values.size() <= kListed) {
    for (const T v : values) text += (text.empty() ? "" : " ") + value_text(v);
    return text;
  }
  // unsigned: sums of integers wrap and stay exact
  using Sum = std::conditional_t<std::integral<T>, std::uint64_t, double>;
  Sum sum = 0, weighted = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += static_cast<Sum>(values[i]);
    weighted += static_cast<Sum>(i + 1) * static_cast<Sum>(values[i]);
  }
  if constexpr (std::integral<T>)
    return "sum=" + std::to_string(static_cast<std::int64_t>(sum)) +
           " weighted=" + std::to_string(static_cast<std::int64_t>(weighted));
  else
    return "sum=" + short_number(sum) + " weighted=" + short_number(weighted);
}

/// Calls f with the typed values of a column.
template <class F>
auto with_values(ConstRow row, std::size_t column, F&& f) {
  const Batch& batch = row.batch();
  const auto bytes = batch.bytes(column, row.index(), 1);
  const auto typed = [&]<Element T>(T) {
    return f(
        std::span<const T>(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)));
  };
  return with_type(batch.record().leaves[column].dtype, typed);
}

bool is_exact(DType t) noexcept { return t != DType::f32 && t != DType::f64; }

}  // namespace

std::string short_number(double v) {
  std::array<char, 32> b{};
  return {b.data(),
          std::to_chars(b.data(), b.data() + b.size(), v, std::chars_format::general, 6).ptr};
}

std::vector<Entry> entries(ConstRow row) {
  const Batch& batch = row.batch();
  std::vector<Entry> all;
  for (const Group& g : batch.record().groups)
    all.push_back({"[" + g.name + "]", std::to_string(row.count(batch.group(g.name)))});
  for (std::size_t c = 0; c < batch.columns(); ++c) {
    const Leaf& leaf = batch.record().leaves[c];
    all.push_back({leaf.name, with_values(row, c, [](auto values) { return digest(values); }),
                   is_exact(leaf.dtype)});
  }
  return all;
}

std::vector<Entry> action_entries(ConstRow row) {
  const auto listed = [](auto values) {
    std::string text;
    for (const auto v : values) {
      if (!text.empty()) text += ' ';
      if constexpr (std::integral<std::remove_const_t<decltype(v)>>) {
        text += std::to_string(v);
      } else {
        std::array<char, 32> b{};
        text.append(b.data(), std::to_chars(b.data(), b.data() + b.size(), v).ptr);
      }
    }
    return text;
  };
  std::vector<Entry> all;
  for (std::size_t c = 0; c < row.batch().columns(); ++c)
    all.push_back({row.batch().record().leaves[c].name, with_values(row, c, listed)});
  return all;
}

std::string outcome_text(const Outcome& o) {
  return "reward=" + short_number(o.reward) + " elapsed_s=" + short_number(o.elapsed_s) +
         " end=" + kEnds[static_cast<std::size_t>(o.end)];
}

std::string episode_text(const Episode& e) {
  return "id=" + std::to_string(e.id) + " inputs=" + std::to_string(e.inputs) +
         " dynamics=" + std::to_string(e.dynamics) + " horizon_s=" + number_text(e.horizon_s);
}

}  // namespace park::golden_detail
