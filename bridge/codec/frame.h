#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bridge/codec/failure.h"
#include "bridge/codec/wire.h"

namespace park::bridge {

/// The first frame of every message: it stays the same in every version, so that a peer of another
/// one can be answered. "PKB", the major version, and four bytes of 0.
constexpr std::size_t kPreambleBytes = 8;
constexpr std::uint8_t kMajor = 1;
constexpr std::uint16_t kLeastMinor = 0, kMostMinor = 1;

[[nodiscard]] std::array<std::byte, kPreambleBytes> preamble();
/// The major version of a first frame; nothing if it is no preamble.
[[nodiscard]] std::optional<std::uint8_t> major_of(std::span<const std::byte>) noexcept;

/// Builds envelopes, one after the other, in memory that is used again: in steady state nothing is
/// allocated.
class EnvelopeWriter {
 public:
  EnvelopeWriter();
  /// An empty envelope; ends the one before.
  [[nodiscard]] wire::Envelope::Builder begin();
  /// The second frame: a flat array of Cap'n Proto, valid until the next begin.
  [[nodiscard]] std::span<const std::byte> finish();
  /// What it has allocated by operator new and uses again.
  [[nodiscard]] std::size_t scratch_bytes() const noexcept {
    return scratch_.capacity() * sizeof(scratch_[0]);
  }

 private:
  std::vector<std::uint64_t> scratch_;  // a word for the segment table, then the first segment
  std::optional<capnp::MallocMessageBuilder> builder_;
  kj::Array<capnp::word> large_;  // a message that did not fit into the scratch
};

/// Reads an envelope from memory of any alignment, with limits on depth and amplification.
class EnvelopeReader {
 public:
  /// The frame must outlive the envelope, or the next call. Throws Failed{malformed}.
  [[nodiscard]] wire::Envelope::Reader read(std::span<const std::byte> frame);

 private:
  std::vector<std::uint64_t> aligned_;
  std::optional<capnp::FlatArrayMessageReader> reader_;
};

/// One line of what Cap'n Proto found wrong.
[[nodiscard]] Failed malformed(const kj::Exception&);

/// Calls a function that reads parts of an envelope. What Cap'n Proto finds wrong in them it throws
/// as Failed{malformed}.
template <class Function>
decltype(auto) decoding(Function&& function) {
  try {
    return function();
  } catch (const kj::Exception& error) {
    throw malformed(error);
  }
}

}  // namespace park::bridge
