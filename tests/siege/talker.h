#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bridge/codec/frame.h"
#include "park/core/registry.h"
#include "tests/siege/zmtp.h"

namespace park::siege {

namespace wire = bridge::wire;
using Envelope = wire::Envelope;
using Fill = std::function<void(Envelope::Builder)>;

/// All environments of this build.
[[nodiscard]] const Registry& registry();
/// Small environments that attacks and canaries play.
inline constexpr const char* kEnv = "load_balance(servers=4,jobs=100)";

/// The second frame of a message; an empty session or a number of 0 is left out.
[[nodiscard]] Bytes envelope(const Bytes& session, std::uint64_t sequence, const Fill&);
/// A message with both frames.
[[nodiscard]] Frames message(Bytes envelope);
/// A hello under a nonce of its own.
[[nodiscard]] Fill hello(Rng&);
/// The first control characters of a text, but line ends and tabs, as one_line has them; empty:
/// none. What a program shows must not have any.
[[nodiscard]] std::string control_characters(std::string_view text);
/// `text` on one line: bytes that are no printable ASCII as \xNN, and cut after 200 characters.
[[nodiscard]] std::string one_line(std::string_view text);

/// A session over raw ZMTP whose client says what it likes. Numbers count up from 1.
class Talker {
 public:
  /// Connects. Throws Trouble.
  explicit Talker(const std::string& endpoint, milliseconds deadline = milliseconds(30'000));
  /// Says hello and takes the welcome. Throws Trouble where none comes in time, with the reason of
  /// a refusal.
  void open(Rng& rng);

  /// Sends the next request; its number. Throws Trouble where the connection is over.
  std::uint64_t send(const Fill&);
  /// Sends a second frame as it is. False: the connection is over, or the server does not read.
  bool post(Bytes envelope);
  /// The next message, valid until the next call. Nothing: none in time, or no message.
  [[nodiscard]] std::optional<Envelope::Reader> recv(Time until);
  /// The reply to a request; others are left out. Throws Trouble where none comes in time.
  [[nodiscard]] Envelope::Reader wait(std::uint64_t sequence);
  [[nodiscard]] Envelope::Reader call(const Fill& fill) { return wait(send(fill)); }
  /// The same where the request must fail; its code. Throws Trouble where it does not.
  wire::Code refused(const Fill&);

  [[nodiscard]] const Bytes& session() const noexcept { return session_; }
  [[nodiscard]] wire::Welcome::Reader welcome() { return welcome_reader_->getWelcome(); }
  [[nodiscard]] Zmtp& connection() noexcept { return connection_; }
  [[nodiscard]] Time deadline() const { return Clock::now() + deadline_; }
  /// Texts of failures that break a promise, as lines.
  [[nodiscard]] const std::vector<std::string>& bad_texts() const noexcept { return bad_texts_; }
  std::uint64_t next = 1;

 private:
  void look_at(Envelope::Reader);

  milliseconds deadline_;
  Zmtp connection_;
  Bytes session_;
  Frames received_;
  bridge::EnvelopeReader reader_;
  Bytes welcome_bytes_;
  bridge::EnvelopeReader welcome_envelope_;
  std::optional<Envelope::Reader> welcome_reader_;
  std::vector<std::string> bad_texts_;
};

/// Opens environments with two episodes for each slot; the stream's number. Throws Trouble.
std::uint32_t open_stream(Talker&, const std::string& env, std::uint32_t slots);
/// A step with that many rows of zeros. Its further parts are for the caller to fill.
[[nodiscard]] Fill step_of(std::uint32_t stream, std::uint32_t rows, const Spec& spec,
                           const std::function<void(wire::Step::Builder)>& more = {});

}  // namespace park::siege
