#include "bridge/codec/frame.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace park::bridge {
namespace {

constexpr std::array kMagic{std::byte{'P'}, std::byte{'K'}, std::byte{'B'}};
constexpr std::size_t kFirstScratch = 4096;                 // words
constexpr std::size_t kMostScratch = std::size_t{1} << 21;  // words that are kept for the next one
constexpr std::uint64_t kLeastTraversal = 4096;
constexpr std::uint64_t kTraversalPerWord = 8;
constexpr int kNesting = 16;

kj::ArrayPtr<const capnp::word> words(const void* begin, std::size_t n) {
  return {static_cast<const capnp::word*>(begin), n};
}

}  // namespace

std::array<std::byte, kPreambleBytes> preamble() {
  std::array<std::byte, kPreambleBytes> bytes{};
  std::ranges::copy(kMagic, bytes.begin());
  bytes[kMagic.size()] = std::byte{kMajor};
  return bytes;
}

std::optional<std::uint8_t> major_of(std::span<const std::byte> frame) noexcept {
  if (frame.size() != kPreambleBytes || !std::ranges::equal(kMagic, frame.first(kMagic.size())))
    return {};
  return std::to_integer<std::uint8_t>(frame[kMagic.size()]);
}

EnvelopeWriter::EnvelopeWriter() : scratch_(kFirstScratch) {}

wire::Envelope::Builder EnvelopeWriter::begin() {
  builder_.reset();  // leaves the scratch zero again, which the next one needs
  large_ = nullptr;
  auto* begin = reinterpret_cast<capnp::word*>(scratch_.data() + 1);
  builder_.emplace(kj::ArrayPtr<capnp::word>(begin, scratch_.size() - 1));
  return builder_->initRoot<wire::Envelope>();
}

std::span<const std::byte> EnvelopeWriter::finish() {
  const auto segments = builder_->getSegmentsForOutput();
  if (segments.size() == 1) {
    const auto size = static_cast<std::uint32_t>(segments[0].size());
    const std::array<std::uint32_t, 2> table{0, size};  // segments - 1, words of the first
    std::memcpy(scratch_.data(), table.data(), sizeof table);
    return std::as_bytes(std::span(scratch_.data(), size + 1));
  }
  large_ = capnp::messageToFlatArray(*builder_);
  builder_.reset();
  if (2 * large_.size() <= kMostScratch) scratch_.assign(2 * large_.size(), 0);
  return std::as_bytes(std::span(large_.begin(), large_.size()));
}

wire::Envelope::Reader EnvelopeReader::read(std::span<const std::byte> frame) {
  constexpr std::size_t kWord = sizeof(capnp::word);
  if (frame.size() % kWord != 0 || frame.empty())
    throw Failed(Code::MALFORMED, "envelope: " + std::to_string(frame.size()) +
                                      " bytes are not a whole number of words");
  const std::size_t n = frame.size() / kWord;
  const void* at = frame.data();
  if (reinterpret_cast<std::uintptr_t>(at) % alignof(capnp::word) != 0 ||
      reinterpret_cast<std::uintptr_t>(at) % kWord != 0) {
    aligned_.resize(std::max(aligned_.size(), n));
    std::memcpy(aligned_.data(), at, frame.size());
    at = aligned_.data();
  }
  capnp::ReaderOptions limits;
  limits.traversalLimitInWords = std::max(kLeastTraversal, kTraversalPerWord * n);
  limits.nestingLimit = kNesting;
  return decoding([&] {
    reader_.emplace(words(at, n), limits);
    return reader_->getRoot<wire::Envelope>();
  });
}

Failed malformed(const kj::Exception& error) {
  const kj::StringPtr text = error.getDescription();
  return {Code::MALFORMED, "message: " + std::string(text.begin(), text.end())};
}

}  // namespace park::bridge
