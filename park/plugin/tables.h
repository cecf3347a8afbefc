// What both sides of the interface of plug-ins share: structs with their sizes, texts, codes,
// episodes and outcomes. The host (park/plugins) reads what a plug-in made; the C++ wrapper (cpp.h)
// makes it. Everything is inline, so that a plug-in has its own copy.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/env.h"
#include "park/core/error.h"
#include "park/plugin.h"

namespace park::plugin {

/// A struct of the interface: all zero but its size.
template <class T>
[[nodiscard]] T sized() noexcept {
  T t{};
  t.size = sizeof(T);
  return t;
}

/// A struct of the other side as this side knows it: what its maker did not know yet is zero.
template <class T>
[[nodiscard]] T copied(const T& theirs) noexcept {
  T t{};
  std::memcpy(&t, &theirs, std::min<std::size_t>(theirs.size, sizeof(T)));
  return t;
}

/// NULL is the empty text.
[[nodiscard]] inline std::string text_of(const char* text) { return text ? text : ""; }

namespace codes {
constexpr std::array kErrc{
    Errc::invalid_config, Errc::invalid_space, Errc::illegal_action, Errc::unknown_name,
    Errc::syntax,         Errc::capacity,      Errc::bad_file,       Errc::io,
    Errc::unavailable,    Errc::not_finite,    Errc::not_allowed};
}  // namespace codes

/// The ParkCode of an error.
[[nodiscard]] constexpr std::int32_t code_of(Errc code) noexcept {
  for (std::size_t i = 0; i < codes::kErrc.size(); ++i)
    if (codes::kErrc[i] == code) return static_cast<std::int32_t>(i + 1);
  return PARK_FAILED;
}

/// The error of a ParkCode; `unavailable` for PARK_FAILED and what nobody knows.
[[nodiscard]] constexpr Errc errc_of(std::int32_t code) noexcept {
  return code >= 1 && code <= static_cast<std::int32_t>(codes::kErrc.size())
             ? codes::kErrc[static_cast<std::size_t>(code - 1)]
             : Errc::unavailable;
}

/// Calls f, and turns what it throws into a code and a text: no exception crosses.
template <class F>
std::int32_t guarded(ParkError* error, F&& f) noexcept {
  try {
    f();
    return PARK_OK;
  } catch (const Error& e) {
    return park_fail(error, code_of(e.code()), e.what());
  } catch (const std::exception& e) {
    return park_fail(error, PARK_FAILED, e.what());
  } catch (...) {
    return park_fail(error, PARK_FAILED, "something was thrown that is no std::exception");
  }
}

[[nodiscard]] inline ParkEpisode to_park(const Episode& e) noexcept {
  return {sizeof(ParkEpisode), e.id, e.inputs, e.dynamics, e.horizon_s};
}
[[nodiscard]] inline Episode from_park(const ParkEpisode& e) noexcept {
  return {e.id, e.inputs, e.dynamics, e.horizon_s};
}
[[nodiscard]] inline ParkOutcome to_park(const Outcome& o) noexcept {
  return {sizeof(ParkOutcome),
          o.reward,
          o.elapsed_s,
          static_cast<std::int32_t>(o.end),
          static_cast<std::int32_t>(o.applied),
          o.skipped};
}
/// REQUIRES numbers of the enumerations.
[[nodiscard]] inline Outcome from_park(const ParkOutcome& o) noexcept {
  return {o.reward, o.elapsed_s, static_cast<End>(o.end), static_cast<Applied>(o.applied),
          o.skipped};
}

/// Texts that end with NUL, for one call. Their memory is used again, so nothing is allocated in
/// steady state.
class Texts {
 public:
  void clear() noexcept { used_ = 0; }
  /// Valid until clear.
  [[nodiscard]] const char* operator()(std::string_view text) {
    if (used_ == texts_.size()) texts_.push_back(std::make_unique<std::string>());
    return texts_[used_++]->assign(text).c_str();
  }

 private:
  std::vector<std::unique_ptr<std::string>> texts_;
  std::size_t used_ = 0;
};

/// Structs in a list of the interface: an array of pointers to them.
template <class T>
class PointerList {
 public:
  /// Valid until the elements move.
  [[nodiscard]] const T* const* of(const std::vector<T>& elements) {
    list_.clear();
    for (const T& e : elements) list_.push_back(&e);
    return list_.data();
  }

 private:
  std::vector<const T*> list_;
};

}  // namespace park::plugin
