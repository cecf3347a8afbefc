#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace park {

/// FNV-1a over the bytes and a closing separator, so that "ab","c" differs from "a","bc".
[[nodiscard]] constexpr std::uint64_t hash_text(std::string_view text,
                                                std::uint64_t h = 0xcbf29ce484222325ull) noexcept {
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return (h ^ 0xff) * 0x100000001b3ull;
}

/// A counter-based random number generator that splits by name or number. It gives the same bits on
/// every platform, has 16 bytes of state, and streams do not depend on the order of their use. Draw
/// n of a stream is mix(key + n * golden ratio), with the finaliser of SplitMix64 (Steele, Lea,
/// Flood, OOPSLA 2014). A child's key is mixed from its parent's key and its name.
class Rng {
 public:
  struct State {
    std::uint64_t key = 0, counter = 0;
    bool operator==(const State&) const = default;
  };

  constexpr explicit Rng(std::uint64_t key = 0) noexcept : key_(mix(key + 0x632be59bd9b4e019ull)) {}

  /// An independent child; *this does not change.
  [[nodiscard]] constexpr Rng split(std::uint64_t id) const noexcept {
    return Rng(key_ ^ mix(id + 1));
  }
  [[nodiscard]] constexpr Rng split(std::string_view name) const noexcept {
    return split(hash_text(name));
  }

  constexpr std::uint64_t bits() noexcept { return mix(key_ + 0x9e3779b97f4a7c15ull * ++counter_); }
  /// Uniform in [0, 1), 53 bits.
  constexpr double uniform() noexcept { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  constexpr double uniform(double low, double high) noexcept {
    return low + (high - low) * uniform();
  }
  /// Uniform in 0 .. n-1 by multiplication; the bias is below n / 2^64. REQUIRES n > 0.
  constexpr std::uint64_t below(std::uint64_t n) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits()) * n) >> 64);
  }
  double exponential(double mean) noexcept { return -mean * std::log1p(-uniform()); }
  /// P(X > x) = (scale / x)^shape for x >= scale.
  double pareto(double shape, double scale) noexcept {
    return scale * std::pow(1.0 - uniform(), -1.0 / shape);
  }
  /// Standard normal, by Box and Muller's cosine form; two draws each.
  double normal() noexcept {
    const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
    return radius * std::cos(6.283185307179586476925 * uniform());
  }
  /// Fisher and Yates.
  template <class T>
  constexpr void shuffle(std::span<T> items) noexcept {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

  [[nodiscard]] constexpr State state() const noexcept { return {key_, counter_}; }
  constexpr void restore(State s) noexcept { key_ = s.key, counter_ = s.counter; }

 private:
  static constexpr std::uint64_t mix(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

  std::uint64_t key_, counter_ = 0;
};

}  // namespace park
