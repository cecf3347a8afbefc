#include "systems/dl_inference_live/message.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <initializer_list>

namespace park::inference {
namespace {

static_assert(std::endian::native == std::endian::little, "messages are little-endian");

constexpr std::uint32_t kMagic = 0x464e4950;
constexpr std::uint8_t kVersion = 1;

template <class T>
void put(MessageBytes& to, std::size_t at, T value) {
  std::memcpy(to.data() + at, &value, sizeof value);
}

template <class T>
T get(std::span<const std::byte> from, std::size_t at) {
  T value;
  std::memcpy(&value, from.data() + at, sizeof value);
  return value;
}

MessageBytes message(std::size_t head, std::uint8_t kind, std::uint16_t number, std::uint64_t id,
                     std::span<const std::byte> rest) {
  MessageBytes to(head + rest.size());
  put(to, 0, kMagic);
  put(to, 4, kVersion);
  put(to, 5, kind);
  put(to, 6, number);
  put(to, 8, id);
  std::ranges::copy(rest, to.begin() + static_cast<std::ptrdiff_t>(head));
  return to;
}

}  // namespace

MessageBytes write_request(const Request& r) {
  return message(kRequestHead, static_cast<std::uint8_t>(r.wish), r.model, r.id, r.sample);
}

MessageBytes write_reply(const Reply& r) {
  MessageBytes to =
      message(kReplyHead, static_cast<std::uint8_t>(r.status), r.batch, r.id, r.result);
  put<std::uint32_t>(to, 16, r.own_rule ? 1 : 0);
  put(to, 20, r.dispatch_s);
  put(to, 24, r.wait_s);
  put(to, 32, r.service_s);
  return to;
}

MessageBytes write_text(Status status, std::uint64_t id, const std::string& text) {
  Reply reply;
  reply.status = status;
  reply.id = id;
  reply.result = std::as_bytes(std::span(text));
  return write_reply(reply);
}

std::string read_request(std::span<const std::byte> from, Request& to) {
  to = {};
  if (from.size() < kRequestHead)
    return "a request has at least 16 bytes, not " + std::to_string(from.size());
  to.id = get<std::uint64_t>(from, 8);
  if (get<std::uint32_t>(from, 0) != kMagic) return "a request begins with PINF";
  if (get<std::uint8_t>(from, 4) != kVersion)
    return "version " + std::to_string(get<std::uint8_t>(from, 4)) + " is not known, 1 is";
  const auto wish = get<std::uint8_t>(from, 5);
  if (wish < 1 || wish > 4)
    return "kind " + std::to_string(wish) + " is not known; allowed are 1 to 4";
  to.wish = static_cast<Wish>(wish);
  to.model = get<std::uint16_t>(from, 6);
  to.sample = from.subspan(kRequestHead);
  return "";
}

bool read_reply(std::span<const std::byte> from, Reply& to) {
  to = {};
  if (from.size() < kReplyHead || get<std::uint32_t>(from, 0) != kMagic ||
      get<std::uint8_t>(from, 4) != kVersion)
    return false;
  const auto status = get<std::uint8_t>(from, 5);
  if (status > static_cast<std::uint8_t>(Status::failed)) return false;
  to.status = static_cast<Status>(status);
  to.batch = get<std::uint16_t>(from, 6);
  to.id = get<std::uint64_t>(from, 8);
  to.own_rule = (get<std::uint32_t>(from, 16) & 1U) != 0;
  to.dispatch_s = get<float>(from, 20);
  to.wait_s = get<double>(from, 24);
  to.service_s = get<double>(from, 32);
  to.result = from.subspan(kReplyHead);
  return std::ranges::all_of(std::initializer_list<double>{to.dispatch_s, to.wait_s, to.service_s},
                             [](double s) { return std::isfinite(s) && s >= 0; });
}

std::string text_of(const Reply& r) {
  return {reinterpret_cast<const char*>(r.result.data()), r.result.size()};
}

}  // namespace park::inference
