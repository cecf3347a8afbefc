// A session in little: hello, numbered requests, replies by their numbers. The bytes go through Zmtp,
// so that an attack can also send what no client would. Every reply's text is looked at; attacks
// ask for what was found at their end.
#include "tests/siege/talker.h"

#include <algorithm>

#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/wire_bytes.h"
#include "park/envs/envs.h"
#include "tests/bridge/tools/message_json.h"

namespace park::siege {

const Registry& registry() {
  static const Registry all = [] {
    Registry made;
    envs::register_all(made);
    return made;
  }();
  return all;
}

Bytes envelope(const Bytes& session, std::uint64_t sequence, const Fill& fill) {
  bridge::EnvelopeWriter writer;
  auto to = writer.begin();
  if (!session.empty()) to.setSession(bridge::as_data(session));
  to.setSequence(sequence);
  fill(to);
  const auto bytes = writer.finish();
  return {bytes.begin(), bytes.end()};
}

Frames message(Bytes envelope) {
  const auto first = bridge::preamble();
  return {Bytes(first.begin(), first.end()), std::move(envelope)};
}

Fill hello(Rng& rng) {
  Bytes nonce;
  for (int i = 0; i < 16; ++i) nonce.push_back(static_cast<std::byte>(rng.below(256)));
  return [nonce](Envelope::Builder e) {
    auto to = e.initHello();
    to.setClient("park_siege");
    to.setNonce(bridge::as_data(nonce));
  };
}

std::string control_characters(std::string_view text) {
  constexpr std::size_t kShown = 20;
  const auto found = std::ranges::find_if(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') || byte == 0x7f;
  });
  if (found == text.end()) return "";
  return one_line(text.substr(static_cast<std::size_t>(found - text.begin()), kShown));
}

std::string one_line(std::string_view text) {
  constexpr std::size_t kMost = 200;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string line;
  for (const char c : text.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      line += c;
      continue;
    }
    line += "\\x";
    line += kDigits[byte >> 4U];
    line += kDigits[byte & 15U];
  }
  return text.size() > kMost ? line + "..." : line;
}

Talker::Talker(const std::string& endpoint, milliseconds deadline)
    : deadline_(deadline), connection_(Zmtp::dealer(endpoint, Clock::now() + deadline)) {}

void Talker::open(Rng& rng) {
  if (!post(envelope({}, 0, hello(rng)))) throw Trouble("hello: the connection is over");
  const auto reply = recv(deadline());
  if (!reply) throw Trouble("hello: no reply in time");
  if (reply->isRefused())
    throw Trouble("hello: " + bridge::test::name_of(reply->getRefused().getCode()) + ": " +
                  one_line(bridge::text_of(reply->getRefused().getText())));
  if (!reply->isWelcome()) throw Trouble("hello: another reply");
  welcome_bytes_ = received_[1];
  welcome_reader_ = welcome_envelope_.read(welcome_bytes_);
  const auto key = welcome().getSession();
  const auto* bytes = reinterpret_cast<const std::byte*>(key.begin());
  session_.assign(bytes, bytes + key.size());
  next = 1;
}

std::uint64_t Talker::send(const Fill& fill) {
  if (!post(envelope(session_, next, fill))) throw Trouble("the server has ended the connection");
  return next++;
}

bool Talker::post(Bytes envelope) {
  return connection_.send(message(std::move(envelope)), deadline());
}

std::optional<Envelope::Reader> Talker::recv(Time until) {
  auto got = connection_.recv(until);
  if (!got || got->size() != 2) return {};
  received_ = std::move(*got);
  try {
    const auto read = reader_.read(received_[1]);
    look_at(read);
    return read;
  } catch (const bridge::Failed& failed) {
    bad_texts_.push_back(std::string("no message: ") + failed.what());
    return {};
  }
}

void Talker::look_at(Envelope::Reader reply) {
  constexpr std::size_t kMost = (16 << 10) + 64, kMostTexts = 10;
  const std::size_t size = reply.isFailure()   ? reply.getFailure().getText().size()
                           : reply.isRefused() ? reply.getRefused().getText().size()
                                               : 0;
  if (size > kMost && bad_texts_.size() < kMostTexts)
    bad_texts_.push_back("a failure's text has " + std::to_string(size) + " bytes");
}

Envelope::Reader Talker::wait(std::uint64_t sequence) {
  const Time until = deadline();
  while (const auto reply = recv(until)) {
    if (reply->getSequence() == sequence && !reply->isPong()) return *reply;
    // The number was none that the server could read.
    if (reply->isFailure() && reply->getSequence() == 0) return *reply;
  }
  throw Trouble(connection_.wire().over() ? "the server has ended the connection"
                                          : "no reply in time");
}

wire::Code Talker::refused(const Fill& fill) {
  const auto reply = call(fill);
  if (!reply.isFailure()) throw Trouble("the request was done and not refused");
  if (reply.getSequence() == 0) --next;  // its number is still free
  return reply.getFailure().getCode();
}

std::uint32_t open_stream(Talker& talker, const std::string& env, std::uint32_t slots) {
  const auto reply = talker.call([&](Envelope::Builder e) {
    auto open = e.initOpenStream();
    open.setEnv(env);
    open.setSlots(slots);
    open.setIllegal(wire::Illegal::PROJECT);
    auto episodes = open.initEpisodes(2 * slots);
    for (std::uint32_t k = 0; k < 2 * slots; ++k) {
      episodes[k].setNumber(k);
      bridge::write({.id = k, .inputs = 1000 + k, .dynamics = 2000 + k}, episodes[k].initEpisode());
    }
  });
  if (reply.isFailure())
    throw Trouble("openStream: " + one_line(bridge::text_of(reply.getFailure().getText())));
  if (!reply.isStreamOpened()) throw Trouble("openStream: another reply");
  return reply.getStreamOpened().getStream();
}

Fill step_of(std::uint32_t stream, std::uint32_t rows, const Spec& spec,
             const std::function<void(wire::Step::Builder)>& more) {
  return [=, &spec](Envelope::Builder e) {
    Batch actions(spec.action);
    actions.resize(rows);
    e.initStep().setStream(stream);
    bridge::write(actions, e.getStep().initActions());
    if (more) more(e.getStep());
  };
}

}  // namespace park::siege
