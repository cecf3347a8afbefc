#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace park::bridge::test {

/// What a peer may send, as messages one after the other: each has a length of two bytes, little
/// end first, and its second frame. The first byte of all says who reads them: even: a server of
/// environments and policies, odd: a client that waits for replies. Whatever the bytes are, it
/// returns, and both sides keep what they promise.
void fuzz_bridge(std::span<const std::byte> input);

/// Inputs to begin with: what real clients and servers send.
[[nodiscard]] std::vector<std::string> fuzz_seeds();

}  // namespace park::bridge::test
