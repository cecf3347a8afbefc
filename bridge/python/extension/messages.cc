// Frames as Python dictionaries. decode reads the envelope and adds the fields of its message, by
// one overload per kind; bytes are shown as hexadecimal digits. It is called by the Python tests
// that check the vectors in bridge/conformance.
#include "extension/messages.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "bridge/codec/frame.h"
#include "bridge/codec/wire.h"
#include "bridge/codec/wire_bytes.h"
#include "park/core/text.h"

namespace park::python {
namespace {

namespace py = pybind11;
namespace wire = bridge::wire;
using namespace py::literals;
using bridge::Failed;
using bridge::text_of;

std::string hex(capnp::Data::Reader bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const auto b : bytes) {
    text += kDigits[b >> 4];
    text += kDigits[b & 15];
  }
  return text;
}

std::string hex(std::uint64_t number) { return hash_digits(number); }

py::list hex(capnp::List<capnp::Data>::Reader list) {
  py::list all;
  for (const auto data : list) all.append(hex(data));
  return all;
}

py::list names(wire::Record::Reader record) {
  py::list all;
  for (const auto leaf : record.getLeaves()) all.append(text_of(leaf.getName()));
  return all;
}

std::string known_name(bridge::Code code) {
  const std::string name = name_of(code);
  if (name.empty()) throw Failed(bridge::Code::UNSUPPORTED, "code: is not known");
  return name;
}

void add(py::dict& to, wire::Welcome::Reader m) {
  to["minor"] = m.getMinor();
  to["session"] = hex(m.getSession());
  to["server"] = text_of(m.getServer());
  to["window"] = m.getWindow();
  to["leaseMs"] = m.getLeaseMs();
  to["mostBytes"] = m.getMostBytes();
  to["mostSlots"] = m.getMostSlots();
  to["heartbeatMs"] = m.getHeartbeatMs();
}

void add(py::dict& to, wire::StreamOpened::Reader m) {
  to["stream"] = m.getStream();
  to["env"] = text_of(m.getSpec().getName());
  to["layoutHash"] = hex(m.getSpec().getLayoutHash());
  to["observation"] = names(m.getSpec().getObservation());
  to["action"] = names(m.getSpec().getAction());
  to["asked"] = m.getFirst().getAsked();
}

void add(py::dict& to, wire::Decisions::Reader m) {
  to["stream"] = m.getStream();
  to["asked"] = m.getAsked();
  to["ended"] = m.getEnded();
  to["done"] = m.getDone();
  to["counts"] = hex(m.getObservation().getCounts());
  to["columns"] = hex(m.getObservation().getColumns());
  to["slot"] = hex(m.getSlot());
  to["reward"] = hex(m.getReward());
  to["finalColumns"] = hex(m.getFinalObservation().getColumns());
  to["metrics"] = hex(m.getMetrics());
}

/// Code and text of Refused and Failure.
template <class Message>
void add_failure(py::dict& to, Message m) {
  to["code"] = known_name(m.getCode());
  to["text"] = text_of(m.getText());
}

py::list numbers(capnp::List<wire::NumberedEpisode>::Reader episodes) {
  py::list all;
  for (const auto from : episodes) {
    const auto e = from.getEpisode();
    all.append(std::to_string(from.getNumber()) + ' ' + std::to_string(e.getId()) + ' ' +
               std::to_string(e.getInputs()) + ' ' + std::to_string(e.getDynamics()));
  }
  return all;
}

void add(py::dict& to, wire::Hello::Reader m) {
  to["leastMinor"] = m.getLeastMinor();
  to["mostMinor"] = m.getMostMinor();
  to["client"] = text_of(m.getClient());
  to["token"] = hex(m.getToken());
  to["nonce"] = hex(m.getNonce());
}

void add(py::dict& to, wire::OpenStream::Reader m) {
  const auto rules = capnp::Schema::from<wire::Illegal>().getEnumerants();
  const auto rule = static_cast<unsigned>(m.getIllegal());
  if (rule >= rules.size()) throw Failed(bridge::Code::UNSUPPORTED, "illegal: is not known");
  to["env"] = text_of(m.getEnv());
  to["slots"] = m.getSlots();
  to["illegal"] = std::string(rules[rule].getProto().getName().cStr());
  to["episodes"] = numbers(m.getEpisodes());
}

void add(py::dict& to, wire::Step::Reader m) {
  to["stream"] = m.getStream();
  to["columns"] = hex(m.getActions().getColumns());
  to["episodes"] = numbers(m.getEpisodes());
}

void add(py::dict& to, wire::OpenPolicy::Reader m) {
  to["policy"] = text_of(m.getPolicy());
  to["env"] = text_of(m.getSpec().getName());
  to["layoutHash"] = hex(m.getSpec().getLayoutHash());
}

void add(py::dict& to, wire::Ask::Reader m) {
  to["id"] = m.getId();
  to["asked"] = m.getQuestion().getAsked();
  to["columns"] = hex(m.getQuestion().getObservation().getColumns());
  to["chance"] = hex(m.getChance());
}

using Is = std::function<void(const char*)>;

/// The fields of what a client asks a server for; false where it is none of that.
bool add_request(py::dict& to, wire::Envelope::Reader e, const Is& is) {
  switch (e.which()) {
    case wire::Envelope::HELLO:
      return is("hello"), add(to, e.getHello()), true;
    case wire::Envelope::OPEN_STREAM:
      return is("openStream"), add(to, e.getOpenStream()), true;
    case wire::Envelope::STEP:
      return is("step"), add(to, e.getStep()), true;
    case wire::Envelope::OPEN_POLICY:
      return is("openPolicy"), add(to, e.getOpenPolicy()), true;
    case wire::Envelope::ASK:
      is("ask");
      to["deadlineMs"] = e.getDeadlineMs();
      return add(to, e.getAsk()), true;
    default:
      return false;
  }
}

/// The message's own fields; false where it is none that is known here.
bool add_message(py::dict& to, wire::Envelope::Reader e) {
  const Is is = [&](const char* name) { to["is"] = name, to["sequence"] = e.getSequence(); };
  switch (e.which()) {
    case wire::Envelope::WELCOME:
      return is("welcome"), add(to, e.getWelcome()), true;
    case wire::Envelope::REFUSED:
      return is("refused"), add_failure(to, e.getRefused()), true;
    case wire::Envelope::FAILURE:
      return is("failure"), add_failure(to, e.getFailure()), true;
    case wire::Envelope::PONG:
      return is("pong"), true;
    case wire::Envelope::FAREWELL:
      is("farewell");
      to["reason"] = text_of(e.getFarewell().getReason());
      return true;
    case wire::Envelope::STREAM_OPENED:
      return is("streamOpened"), add(to, e.getStreamOpened()), true;
    case wire::Envelope::DECISIONS:
      return is("decisions"), add(to, e.getDecisions()), true;
    case wire::Envelope::POLICY_OPENED:
      is("policyOpened");
      to["id"] = e.getPolicyOpened().getId();
      to["policy"] = text_of(e.getPolicyOpened().getPolicy());
      return true;
    case wire::Envelope::ANSWER:
      is("answer");
      to["id"] = e.getAnswer().getId();
      to["columns"] = hex(e.getAnswer().getActions().getColumns());
      return true;
    default:
      return add_request(to, e, is);
  }
}

}  // namespace

std::string name_of(bridge::Code code) {
  const auto names = capnp::Schema::from<wire::Code>().getEnumerants();
  const auto number = static_cast<unsigned>(code);
  return number < names.size() ? std::string(names[number].getProto().getName().cStr()) : "";
}

py::object decode(const py::bytes& frame) {
  const std::string_view bytes = frame;
  try {
    return bridge::decoding([&]() -> py::object {
      bridge::EnvelopeReader reader;
      py::dict to;
      if (add_message(to, reader.read(std::as_bytes(std::span(bytes))))) return to;
      return py::none();
    });
  } catch (const Failed&) {
    return py::none();
  }
}

}  // namespace park::python
