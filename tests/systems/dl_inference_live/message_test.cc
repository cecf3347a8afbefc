// The bytes of requests and replies; any others are refused in one line.
#include "systems/dl_inference_live/message.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "park/core/rng.h"

namespace park::inference {
namespace {

TEST(InferenceMessage, ReadsWhatItWrites) {
  const std::array<float, 3> sample{1, 2, 3};
  const MessageBytes bytes = write_request({.wish = Wish::infer,
                                            .model = 7,
                                            .id = 1ULL << 40U,
                                            .sample = std::as_bytes(std::span(sample))});
  Request request;
  EXPECT_EQ(read_request(bytes, request), "");
  EXPECT_EQ(request.model, 7);
  EXPECT_EQ(request.id, 1ULL << 40U);
  EXPECT_EQ(request.sample.size(), sizeof sample);
  const MessageBytes answer = write_reply({.status = Status::failed,
                                           .batch = 4,
                                           .id = 9,
                                           .own_rule = true,
                                           .dispatch_s = 0.125,
                                           .wait_s = 0.5,
                                           .service_s = 0.25,
                                           .result = std::as_bytes(std::span(sample))});
  Reply reply;
  ASSERT_TRUE(read_reply(answer, reply));
  EXPECT_EQ(reply.status, Status::failed);
  EXPECT_EQ(reply.batch, 4);
  EXPECT_EQ(reply.id, 9u);
  EXPECT_TRUE(reply.own_rule);
  EXPECT_EQ(reply.dispatch_s, 0.125F);
  EXPECT_EQ(reply.wait_s, 0.5);
  EXPECT_EQ(reply.service_s, 0.25);
  EXPECT_EQ(reply.result.size(), sizeof sample);
}

TEST(InferenceMessage, HasTheDocumentedBytes) {
  const MessageBytes bytes = write_request({.wish = Wish::counts, .model = 0x0201, .id = 0x03});
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_EQ(text, std::string("PINF\x01\x03\x01\x02\x03\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(write_text(Status::full, 1, "abc").size(), kReplyHead + 3);
}

TEST(InferenceMessage, RefusesInOneLine) {
  Request request;
  const auto refusal = [&](MessageBytes bytes, std::size_t at, std::uint8_t value) {
    bytes[at] = std::byte{value};
    return read_request(bytes, request);
  };
  const MessageBytes good = write_request({});
  EXPECT_NE(refusal(good, 0, 0), "");
  EXPECT_NE(refusal(good, 4, 2), "");
  EXPECT_NE(refusal(good, 5, 0), "");
  EXPECT_NE(refusal(good, 5, 5), "");
  for (std::size_t n = 0; n < kRequestHead; ++n)
    EXPECT_NE(read_request(std::span(good).first(n), request), "");
}

TEST(InferenceMessage, NoBytesAreTooMuch) {
  Rng rng(5);
  for (int i = 0; i < 20'000; ++i) {
    MessageBytes bytes = i % 2 == 0 ? write_request({}) : write_text(Status::done, 1, "text");
    bytes.resize(rng.below(bytes.size() + 8));
    for (std::size_t n = rng.below(4); n > 0 && !bytes.empty(); --n)
      bytes[rng.below(bytes.size())] = static_cast<std::byte>(rng.below(256));
    Request request;
    EXPECT_EQ(read_request(bytes, request).find('\n'), std::string::npos);
    Reply reply;
    const bool read = read_reply(bytes, reply);
    EXPECT_TRUE(!read || std::isfinite(reply.service_s));
  }
}

TEST(InferenceMessage, TimesOfAReplyAreFinite) {
  Reply reply{.wait_s = std::numeric_limits<double>::quiet_NaN()}, read;
  EXPECT_FALSE(read_reply(write_reply(reply), read));
  reply.wait_s = -1;
  EXPECT_FALSE(read_reply(write_reply(reply), read));
  reply.wait_s = 0;
  EXPECT_TRUE(read_reply(write_reply(reply), read));
}

}  // namespace
}  // namespace park::inference
