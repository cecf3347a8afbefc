#include "extension/messages.h"

#include <capnp/schema.h>

#include <array>
#include <cstdio>
#include <span>
#include <string_view>

#include "bridge/codec/frame.h"
#include "bridge/codec/wire_bytes.h"

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
  std::array<char, 17> hash{};
  std::snprintf(hash.data(), hash.size(), "%016llx",
                static_cast<unsigned long long>(m.getSpec().getLayoutHash()));
  to["stream"] = m.getStream();
  to["env"] = text_of(m.getSpec().getName());
  to["layoutHash"] = std::string(hash.data());
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

/// The message's own fields; false where it is none that a server sends.
bool add_message(py::dict& to, wire::Envelope::Reader e) {
  const auto is = [&](const char* name) { to["is"] = name, to["sequence"] = e.getSequence(); };
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
      return false;
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
