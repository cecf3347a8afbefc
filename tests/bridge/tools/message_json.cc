// Messages of the schema as JSON, field by field, for the conformance vectors.
#include "tests/bridge/tools/message_json.h"

#include <array>
#include <charconv>

#include "bridge/codec/wire_bytes.h"

namespace park::bridge::test {
namespace {

using Envelope = wire::Envelope;

std::string hex(capnp::Data::Reader bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const kj::byte b : bytes) {
    text += kDigits[b >> 4U];
    text += kDigits[b & 15U];
  }
  return text;
}

std::string hex(std::uint64_t number) {
  std::array<kj::byte, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<kj::byte>(number >> (56 - 8 * i));
  return hex(capnp::Data::Reader(bytes.data(), bytes.size()));
}

std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    if (c == '\n')
      all += "\\n";
    else
      all += c;
  }
  return all + '"';
}

/// An object whose members come in the order in which they are added.
class Object {
 public:
  explicit Object(const std::string& is, Envelope::Reader e) : text_("{\"is\":" + quoted(is)) {
    number("sequence", e.getSequence());
  }
  Object& number(const std::string& key, std::uint64_t value) {
    return add(key, std::to_string(value));
  }
  Object& text(const std::string& key, const std::string& value) { return add(key, quoted(value)); }
  Object& text(const std::string& key, capnp::Text::Reader value) {
    return text(key, text_of(value));
  }
  Object& bytes(const std::string& key, capnp::Data::Reader value) { return text(key, hex(value)); }
  Object& flag(const std::string& key, bool value) { return add(key, value ? "true" : "false"); }
  template <class List, class Quote>
  Object& list(const std::string& key, const List& values, Quote quote) {
    std::string all;
    for (const auto value : values) all += (all.empty() ? "" : ",") + quoted(quote(value));
    return add(key, '[' + all + ']');
  }
  Object& columns(const std::string& key, const capnp::List<capnp::Data>::Reader& values) {
    return list(key, values, [](capnp::Data::Reader value) { return hex(value); });
  }
  [[nodiscard]] std::string take() { return text_ + '}'; }

 private:
  Object& add(const std::string& key, const std::string& value) {
    text_ += ',' + quoted(key) + ':' + value;
    return *this;
  }
  std::string text_;
};

std::string welcome(Envelope::Reader e) {
  const auto m = e.getWelcome();
  return Object("welcome", e)
      .number("minor", m.getMinor())
      .bytes("session", m.getSession())
      .text("server", m.getServer())
      .number("window", m.getWindow())
      .number("leaseMs", m.getLeaseMs())
      .number("mostBytes", m.getMostBytes())
      .number("mostSlots", m.getMostSlots())
      .number("heartbeatMs", m.getHeartbeatMs())
      .take();
}

std::string code_name(Code code) {
  const std::string name = name_of(code);
  if (name.empty()) throw Failed(Code::MALFORMED, "code: is none of the schema");
  return name;
}

std::string stream_opened(Envelope::Reader e) {
  const auto m = e.getStreamOpened();
  const auto spec = m.getSpec();
  const auto name = [](wire::Leaf::Reader leaf) { return text_of(leaf.getName()); };
  return Object("streamOpened", e)
      .number("stream", m.getStream())
      .text("env", spec.getName())
      .text("layoutHash", hex(spec.getLayoutHash()))
      .list("observation", spec.getObservation().getLeaves(), name)
      .list("action", spec.getAction().getLeaves(), name)
      .number("asked", m.getFirst().getAsked())
      .take();
}

std::string decisions(Envelope::Reader e) {
  const auto m = e.getDecisions();
  return Object("decisions", e)
      .number("stream", m.getStream())
      .number("asked", m.getAsked())
      .number("ended", m.getEnded())
      .flag("done", m.getDone())
      .columns("counts", m.getObservation().getCounts())
      .columns("columns", m.getObservation().getColumns())
      .bytes("slot", m.getSlot())
      .bytes("reward", m.getReward())
      .columns("finalColumns", m.getFinalObservation().getColumns())
      .bytes("metrics", m.getMetrics())
      .take();
}

std::string hello(Envelope::Reader e) {
  const auto m = e.getHello();
  return Object("hello", e)
      .number("leastMinor", m.getLeastMinor())
      .number("mostMinor", m.getMostMinor())
      .text("client", m.getClient())
      .bytes("token", m.getToken())
      .bytes("nonce", m.getNonce())
      .take();
}

std::string episode(wire::NumberedEpisode::Reader from) {
  const auto e = from.getEpisode();
  return std::to_string(from.getNumber()) + ' ' + std::to_string(e.getId()) + ' ' +
         std::to_string(e.getInputs()) + ' ' + std::to_string(e.getDynamics());
}

std::string open_stream(Envelope::Reader e) {
  const auto m = e.getOpenStream();
  const auto rules = capnp::Schema::from<wire::Illegal>().getEnumerants();
  const auto rule = static_cast<unsigned>(m.getIllegal());
  if (rule >= rules.size()) throw Failed(Code::MALFORMED, "illegal: is none of the schema");
  return Object("openStream", e)
      .text("env", m.getEnv())
      .number("slots", m.getSlots())
      .text("illegal", std::string(rules[rule].getProto().getName().cStr()))
      .list("episodes", m.getEpisodes(), episode)
      .take();
}

std::string open_policy(Envelope::Reader e) {
  const auto m = e.getOpenPolicy();
  return Object("openPolicy", e)
      .text("policy", m.getPolicy())
      .text("env", m.getSpec().getName())
      .text("layoutHash", hex(m.getSpec().getLayoutHash()))
      .take();
}

std::string ask(Envelope::Reader e) {
  const auto m = e.getAsk();
  return Object("ask", e)
      .number("deadlineMs", e.getDeadlineMs())
      .number("id", m.getId())
      .number("asked", m.getQuestion().getAsked())
      .columns("columns", m.getQuestion().getObservation().getColumns())
      .bytes("chance", m.getChance())
      .take();
}

std::string json(Envelope::Reader e) {
  switch (e.which()) {
    case Envelope::WELCOME:
      return welcome(e);
    case Envelope::REFUSED:
      return Object("refused", e)
          .text("code", code_name(e.getRefused().getCode()))
          .text("text", e.getRefused().getText())
          .take();
    case Envelope::FAILURE:
      return Object("failure", e)
          .text("code", code_name(e.getFailure().getCode()))
          .text("text", e.getFailure().getText())
          .take();
    case Envelope::PONG:
      return Object("pong", e).take();
    case Envelope::FAREWELL:
      return Object("farewell", e).text("reason", e.getFarewell().getReason()).take();
    case Envelope::STREAM_OPENED:
      return stream_opened(e);
    case Envelope::DECISIONS:
      return decisions(e);
    case Envelope::POLICY_OPENED:
      return Object("policyOpened", e)
          .number("id", e.getPolicyOpened().getId())
          .text("policy", e.getPolicyOpened().getPolicy())
          .take();
    case Envelope::ANSWER:
      return Object("answer", e)
          .number("id", e.getAnswer().getId())
          .columns("columns", e.getAnswer().getActions().getColumns())
          .take();
    case Envelope::HELLO:
      return hello(e);
    case Envelope::OPEN_STREAM:
      return open_stream(e);
    case Envelope::STEP:
      return Object("step", e)
          .number("stream", e.getStep().getStream())
          .columns("columns", e.getStep().getActions().getColumns())
          .list("episodes", e.getStep().getEpisodes(), episode)
          .take();
    case Envelope::OPEN_POLICY:
      return open_policy(e);
    case Envelope::ASK:
      return ask(e);
    default:
      return "reject";
  }
}

}  // namespace

std::string name_of(Code code) {
  for (const auto known : capnp::Schema::from<Code>().getEnumerants())
    if (known.getOrdinal() == static_cast<std::uint16_t>(code))
      return {known.getProto().getName().begin(), known.getProto().getName().end()};
  return {};
}

std::string message_json(std::span<const std::byte> envelope) {
  try {
    EnvelopeReader reader;
    return decoding([&] { return json(reader.read(envelope)); });
  } catch (const Failed&) {
    return "reject";
  }
}

}  // namespace park::bridge::test
