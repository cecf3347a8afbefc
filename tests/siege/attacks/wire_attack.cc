// What is below messages: connections of every kind, greetings, frames and commands of ZMTP that
// break its rules, messages that never end.
#include <sys/resource.h>

#include <thread>

#include "tests/siege/attack.h"

namespace park::siege {
namespace {

constexpr std::chrono::seconds kSoon{10};

Time soon() { return Clock::now() + kSoon; }

/// One connection that is none of the protocol.
void garbage_once(Siege& siege) {
  Rng& rng = siege.rng;
  Wire wire = Wire::connect(siege.target.endpoint, soon());
  Bytes bytes;
  switch (rng.below(8)) {
    case 0:
      bytes = bytes_of("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      break;
    case 1:
      for (std::uint64_t i = rng.below(4096); i > 0; --i)
        bytes.push_back(static_cast<std::byte>(rng.below(256)));
      break;
    case 2:
      bytes = greeting();
      bytes.resize(rng.below(64));
      break;
    case 3:
      bytes = greeting("PLAIN");
      break;
    case 4:
      bytes = greeting("NULL", static_cast<std::uint8_t>(rng.below(256)));
      break;
    case 5: {
      bytes = greeting();
      const Bytes odd = ready("PUB", std::string(rng.below(300), 'i'));
      bytes.insert(bytes.end(), odd.begin(), odd.end());
      break;
    }
    case 6:
      bytes = Bytes{std::byte{1}, std::byte{0}};  // ZMTP 1
      break;
    default:  // nothing at all
      break;
  }
  wire.send(bytes, soon());
  if (rng.below(2) == 0) wire.reset();
}

void connects(Siege& siege) {
  for (std::uint64_t i = siege.count(5000, 100'000); i > 0; --i) {
    garbage_once(siege);
    siege.did();
  }
}

/// Connections that say half of what they should and stay.
void half_open(Siege& siege) {
  std::vector<Wire> kept;
  for (std::uint64_t i = siege.count(300, 900); i > 0; --i) {
    kept.push_back(Wire::connect(siege.target.endpoint, soon()));
    Bytes some = greeting();
    some.resize(siege.rng.below(65));
    kept.back().send(some, soon());
    siege.did();
  }
  std::this_thread::sleep_for(std::chrono::seconds(siege.options.full ? 10 : 1));
}

/// Frames whose flags and lengths are none.
void odd_frames(Siege& siege) {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 63U;
  const std::vector<Bytes> odd{frame_claiming(0, kHuge, Bytes(100)),
                               frame_claiming(kMore, ~std::uint64_t{0}, {}),
                               frame_claiming(0, 65U << 20U, Bytes(100)),
                               frame(0xf8, Bytes(8)),
                               frame_claiming(kCommand, kHuge, Bytes(100)),
                               frame(kCommand | kMore, Bytes(8)),
                               frame(kCommand, {}),
                               command("PING", {}),
                               command("PING", Bytes(2)),
                               command("PING", Bytes(4000)),
                               command("READY", Bytes(1'000'000)),
                               command("SUBSCRIBE", Bytes(10)),
                               command("ERROR", bytes_of("\xff"
                                                         "evil")),
                               command(std::string(255, 'x'), Bytes(10)),
                               frame(0, {}),
                               frame(kMore, {})};
  for (std::uint64_t times = siege.count(20, 500); times > 0; --times)
    for (const Bytes& bytes : odd) {
      Zmtp peer = Zmtp::dealer(siege.target.endpoint, soon());
      peer.send_raw(bytes, soon());
      if (siege.rng.below(2) == 0) peer.send_raw(frame(0, Bytes(8)), soon());
      siege.did();
    }
}

/// Floods a connection until the server ends it, or so many bytes are sent.
void flood(Siege& siege, const Bytes& piece, std::uint64_t most_bytes) {
  Zmtp peer = Zmtp::dealer(siege.target.endpoint, soon());
  for (std::uint64_t sent = 0; sent < most_bytes; sent += piece.size()) {
    if (!peer.send_raw(piece, soon())) return;  // ended, or not read any more: both are sound
    siege.did();
  }
}

void endless_message(Siege& siege) {
  const std::uint64_t most = siege.count(300, 2000) << 20U;
  flood(siege, frame(kMore, Bytes(std::size_t{1} << 20U)), most);
  Bytes small;
  for (int i = 0; i < 1000; ++i) {
    const Bytes one = frame(kMore, Bytes(8));
    small.insert(small.end(), one.begin(), one.end());
  }
  flood(siege, small, most / 50);
}

void ping_flood(Siege& siege) {
  Bytes many;
  for (int i = 0; i < 1000; ++i) {
    const Bytes one = command("PING", Bytes(18, std::byte{1}));
    many.insert(many.end(), one.begin(), one.end());
  }
  flood(siege, many, siege.count(20, 400) << 20U);
}

/// Floods of short messages with a PING behind every 20, which end by a reset.
void break_off(Siege& siege) {
  constexpr std::size_t kFlood = std::size_t{256} << 10U;
  Bytes many;
  while (many.size() < kFlood) {
    for (int i = 0; i < 20; ++i) many.insert(many.end(), {std::byte{0}, std::byte{1}, std::byte{}});
    const Bytes ping = command("PING", Bytes(2));
    many.insert(many.end(), ping.begin(), ping.end());
  }
  for (std::uint64_t times = siege.count(60, 2000); times > 0; --times) {
    Zmtp peer = Zmtp::dealer(siege.target.endpoint, soon());
    peer.send_raw(many, Clock::now() + milliseconds(siege.rng.below(10)));
    peer.wire().reset();
    siege.did();
  }
}

/// Messages of another number of frames, or with another first frame.
void odd_messages(Siege& siege) {
  Zmtp peer = Zmtp::dealer(siege.target.endpoint, soon());
  for (std::uint64_t times = siege.count(2000, 50'000); times > 0; --times) {
    Frames frames(1 + siege.rng.below(20), Bytes(8 * siege.rng.below(4), std::byte{1}));
    if (siege.rng.below(2) == 0) frames[0] = message({})[0];
    if (siege.rng.below(4) == 0 && frames[0].size() == 8)
      frames[0][siege.rng.below(8)] = static_cast<std::byte>(siege.rng.below(256));
    if (!peer.send(frames, soon())) peer = Zmtp::dealer(siege.target.endpoint, soon());
    siege.did();
  }
}

}  // namespace

void add_wire_attack(Attacks& all) {
  all.push_back({.name = "connects",
                 .about = "connections of garbage, half greetings and resets",
                 .run = connects});
  all.push_back({.name = "half-open",
                 .about = "connections that never finish their handshake",
                 .one_client = false,
                 .run = half_open});
  all.push_back({.name = "frames-odd",
                 .about = "frames and commands that break the rules of ZMTP",
                 .run = odd_frames});
  all.push_back({.name = "message-endless",
                 .about = "a message of parts that never ends, before hello",
                 .run = endless_message});
  all.push_back({.name = "pings", .about = "a flood of the transport's PING", .run = ping_flood});
  all.push_back({.name = "break-off",
                 .about = "floods of messages and PING that end by a reset",
                 .run = break_off});
  all.push_back({.name = "messages-odd",
                 .about = "messages of 1 to 20 frames that are none",
                 .run = odd_messages});
}

}  // namespace park::siege
