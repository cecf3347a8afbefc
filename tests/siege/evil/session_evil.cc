// Servers that are evil before a stream is open: limits of no use, refusals, silence, floods.
#include <limits>

#include "tests/siege/evil/evil.h"

namespace park::siege {
namespace {

/// An escape sequence that writes a terminal's clipboard, and one that changes its title.
constexpr const char* kEscape =
    "a\x1b]52;c;ZXZpbA==\x07"
    "b\x1b]0;evil\x07\x7f\xc2\x9b";

Spoil welcomes(void (*change)(wire::Welcome::Builder)) {
  return on(&Envelope::Builder::isWelcome, [=](Turn& turn) {
    change(turn.reply.getWelcome());
    return After::send;
  });
}

/// A failure in place of what streamOpened or policyOpened would be.
Spoil fails(std::string text) {
  return [text = std::move(text)](Turn& turn) {
    if (!turn.request.isOpenStream() && !turn.request.isOpenPolicy()) return After::send;
    auto failure = turn.reply.initFailure();
    failure.setCode(wire::Code::INVALID_CONFIG);
    failure.setText(text);
    return After::send;
  };
}

/// Sends these raw bytes many times before the honest reply to one kind of request.
Spoil floods(bool (Envelope::Reader::*request)() const, Bytes bytes, int times) {
  return [=](Turn& turn) {
    if (!(turn.request.*request)()) return After::send;
    const Time until = Clock::now() + std::chrono::seconds(20);
    for (int i = 0; i < times; ++i)
      if (!turn.peer.send_raw(bytes, until)) return After::close;
    return After::send;
  };
}

Bytes raw(const Frames& frames) {
  Bytes all;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Bytes one = frame(i + 1 < frames.size() ? kMore : 0, frames[i]);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

Bytes of_nobody() {
  return raw(message(envelope(Bytes(16, std::byte{7}), 1, [](auto e) { e.setPong(); })));
}

/// Says nothing to requests of one kind.
Spoil mute(bool (Envelope::Reader::*request)() const) {
  return [=](Turn& turn) { return (turn.request.*request)() ? After::nothing : After::send; };
}

/// Sends the reply to one kind of request behind another first frame.
Spoil another_major(bool (Envelope::Reader::*request)() const) {
  return [=](Turn& turn) {
    if (!(turn.request.*request)()) return After::send;
    Frames other = message(envelope({}, 0, [](auto e) { e.initWelcome().setWindow(1); }));
    other[0][3] = std::byte{9};
    turn.peer.send(other, Clock::now() + std::chrono::seconds(1));
    return After::nothing;
  };
}

void add_welcomes(Evils& all) {
  all.push_back({.name = "window-0",
                 .about = "welcome with a window of 0",
                 .spoil = welcomes([](auto w) { w.setWindow(0); })});
  all.push_back({.name = "bytes-0",
                 .about = "welcome with mostBytes of 0",
                 .spoil = welcomes([](auto w) { w.setMostBytes(0); })});
  all.push_back({.name = "lease-0",
                 .about = "welcome with a lease of 0 ms",
                 .spoil = welcomes([](auto w) { w.setLeaseMs(0); })});
  all.push_back({.name = "heartbeat-0",
                 .about = "welcome with a heartbeat of 0 ms",
                 .expect = Evil::Expect::shown,
                 .spoil = welcomes([](auto w) { w.setHeartbeatMs(0); })});
  all.push_back({.name = "limits-most",
                 .about = "welcome with the largest limits that there are",
                 .expect = Evil::Expect::shown,
                 .spoil = welcomes([](auto w) {
                   constexpr auto kLargest = std::numeric_limits<std::uint32_t>::max();
                   w.setWindow(kLargest), w.setLeaseMs(kLargest), w.setMostSlots(kLargest);
                   w.setMostBytes(std::numeric_limits<std::uint64_t>::max());
                   w.setHeartbeatMs(kLargest);
                 })});
  all.push_back({.name = "session-short",
                 .about = "welcome with a session of 3 bytes",
                 .spoil = welcomes([](auto w) { w.initSession(3); })});
  all.push_back({.name = "minor-9",
                 .about = "welcome with a minor version that nobody offered",
                 .expect = Evil::Expect::shown,
                 .spoil = welcomes([](auto w) { w.setMinor(9); })});
}

void add_refusals(Evils& all) {
  all.push_back({.name = "refused-escape",
                 .about = "refused, with control characters in the text",
                 .spoil = on(&Envelope::Builder::isWelcome, [](Turn& turn) {
                   auto refused = turn.reply.initRefused();
                   refused.setCode(wire::Code::NOT_ALLOWED);
                   refused.setText(kEscape);
                   return After::send;
                 })});
  all.push_back({.name = "refused-unknown-code",
                 .about = "refused, with a code of no version",
                 .spoil = on(&Envelope::Builder::isWelcome, [](Turn& turn) {
                   turn.reply.initRefused().setCode(static_cast<wire::Code>(999));
                   return After::send;
                 })});
  all.push_back({.name = "failure-escape",
                 .about = "a failure with control characters (OSC 52)",
                 .spoil = fails(kEscape)});
  all.push_back({.name = "failure-huge",
                 .about = "a failure with a text of 16 MiB",
                 .spoil = fails(std::string(std::size_t{16} << 20U, 'x'))});
  all.push_back({.name = "failure-lines",
                 .about = "a failure with a million empty lines",
                 .lines = 10,
                 .spoil = fails(std::string(1'000'000, '\n'))});
  all.push_back({.name = "farewell",
                 .about = "a farewell in place of the first reply",
                 .spoil = [](Turn& turn) {
                   if (turn.request.isHello()) return After::send;
                   turn.reply.initFarewell().setReason(kEscape);
                   return After::send;
                 }});
}

void add_silence(Evils& all) {
  all.push_back({.name = "mute-hello",
                 .about = "no reply to hello",
                 .spoil = mute(&Envelope::Reader::isHello)});
  all.push_back({.name = "mute-open",
                 .about = "no reply to openStream",
                 .spoil = mute(&Envelope::Reader::isOpenStream)});
  all.push_back({.name = "mute-step",
                 .about = "no reply to steps",
                 .spoil = mute(&Envelope::Reader::isStep)});
  all.push_back(
      {.name = "close-open", .about = "ends the connection at openStream", .spoil = [](Turn& turn) {
         return turn.request.isOpenStream() ? After::close : After::send;
       }});
  all.push_back({.name = "close-hello",
                 .about = "ends every connection at hello",
                 .spoil = [](Turn&) { return After::close; }});
  all.push_back({.name = "major-9",
                 .about = "hello is answered under major version 9",
                 .spoil = another_major(&Envelope::Reader::isHello)});
}

void add_floods(Evils& all) {
  all.push_back({.name = "flood-hello",
                 .about = "20 000 messages of no session before welcome",
                 .expect = Evil::Expect::shown,
                 .spoil = floods(&Envelope::Reader::isHello, of_nobody(), 20'000)});
  all.push_back({.name = "flood-step",
                 .about = "20 000 messages of no session before a reply",
                 .expect = Evil::Expect::shown,
                 .spoil = floods(&Envelope::Reader::isOpenStream, of_nobody(), 20'000)});
  all.push_back(
      {.name = "flood-mute",
       .about = "20 000 messages of no session, then silence",
       .spoil = [flood = floods(&Envelope::Reader::isOpenStream, of_nobody(), 20'000)](Turn& turn) {
         const After after = flood(turn);
         return turn.request.isOpenStream() ? After::nothing : after;
       }});
  all.push_back({.name = "parts-endless",
                 .about = "a message of 200 000 parts of 1 KiB, no end",
                 .spoil = [](Turn& turn) {
                   if (!turn.request.isOpenStream()) return After::send;
                   floods(&Envelope::Reader::isOpenStream, frame(kMore, Bytes(1024)),
                          200'000)(turn);
                   return After::nothing;
                 }});
}

void add_frames(Evils& all) {
  all.push_back(
      {.name = "frame-65-mib", .about = "a frame larger than any limit", .spoil = [](Turn& turn) {
         if (!turn.request.isOpenStream()) return After::send;
         turn.peer.send(message(Bytes(std::size_t{65} << 20U)),
                        Clock::now() + std::chrono::seconds(5));
         return After::nothing;
       }});
  all.push_back({.name = "frame-claims-2-63",
                 .about = "a frame that states 2^63 bytes",
                 .spoil = [](Turn& turn) {
                   if (!turn.request.isOpenStream()) return After::send;
                   turn.peer.send_raw(frame_claiming(0, std::uint64_t{1} << 63U, Bytes(64)),
                                      Clock::now() + std::chrono::seconds(1));
                   return After::nothing;
                 }});
  all.push_back({.name = "garbage-open",
                 .about = "openStream is answered by bytes of no message",
                 .spoil = [](Turn& turn) {
                   if (!turn.request.isOpenStream()) return After::send;
                   turn.peer.send(message(Bytes(64, std::byte{0xff})),
                                  Clock::now() + std::chrono::seconds(1));
                   return After::nothing;
                 }});
}

}  // namespace

void add_session_evil(Evils& all) {
  add_welcomes(all);
  add_refusals(all);
  add_silence(all);
  add_floods(all);
  add_frames(all);
}

}  // namespace park::siege
