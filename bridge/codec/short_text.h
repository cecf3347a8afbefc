#pragma once

#include <cstddef>
#include <string>

#include "bridge/codec/wire.h"

namespace park::bridge {

/// The most bytes of the text of a failure, a refusal or a farewell.
constexpr std::size_t kMostAnswerText = std::size_t{16} << 10;
/// The most bytes of the text of an environment or a policy.
constexpr std::size_t kMostAskedText = std::size_t{64} << 10;

/// A text of at most kMostAnswerText bytes. It has as many whole lines as fit, or else as many
/// characters of the first line. It says how much is missing.
[[nodiscard]] std::string short_text(const std::string&);

/// The text of an environment or a policy. Throws Failed{tooMuch} in one line that names the field
/// if it is longer than kMostAskedText.
[[nodiscard]] std::string asked_text(capnp::Text::Reader, const char* field);

}  // namespace park::bridge
