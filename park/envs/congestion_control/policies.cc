#include "park/envs/congestion_control/policies.h"

#include "park/envs/congestion_control/congestion_control.h"

namespace park::congestion_control {
namespace {

PolicyInfo about(std::string name, std::string summary, std::string reference) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .reference = std::move(reference),
          .environments = {"congestion_control"}};
}

int code(BuiltIn kind) { return static_cast<int>(kind); }

}  // namespace

HandsOver::HandsOver(const Spec& spec, int kind, double first, double second)
    : layout_(bind_layout<FlowLayout>(spec)),
      rate_(net::hand_over_code(kind, second)),
      cap_(static_cast<float>(net::to_unit(first))) {}

void HandsOver::choose(const Ask&, ConstRow, Row action) {
  action.scalar(layout_.rate) = rate_;
  action.scalar(layout_.cap) = cap_;
}

PolicyInfo RenoPolicy::info() {
  return about("reno", "TCP Reno: additive increase, multiplicative decrease", "RFC 5681");
}
RenoPolicy::RenoPolicy(const Config& c, const Spec& s)
    : HandsOver(s, code(BuiltIn::reno), c.beta, 0) {}

PolicyInfo CubicPolicy::info() {
  return about("cubic", "TCP Cubic with HyStart++", "RFC 9438; RFC 9406");
}
CubicPolicy::CubicPolicy(const Config& c, const Spec& s)
    : HandsOver(s, code(BuiltIn::cubic), c.beta, c.c) {}

PolicyInfo VegasPolicy::info() {
  return about("vegas", "TCP Vegas: a few packets in the queue",
               "Brakmo, Peterson, TCP Vegas: end to end congestion avoidance on a global Internet, "
               "IEEE JSAC 13(8), 1995");
}
VegasPolicy::VegasPolicy(const Config& c, const Spec& s)
    : HandsOver(s, code(BuiltIn::vegas), c.alpha, 0) {}

PolicyInfo CopaPolicy::info() {
  return about(
      "copa", "Copa with its competitive mode: a rate inverse to the queueing delay",
      "Arun, Balakrishnan, Copa: practical delay-based congestion control for the Internet, "
      "NSDI 2018");
}
CopaPolicy::CopaPolicy(const Config& c, const Spec& s)
    : HandsOver(s, code(BuiltIn::copa), c.delta, 0) {}

PolicyInfo BbrPolicy::info() {
  return about("bbr", "BBR version 1: a model of bandwidth and least round trip",
               "Cardwell et al., BBR congestion control, draft-cardwell-iccrg-bbr-congestion-"
               "control-00, 2017");
}
BbrPolicy::BbrPolicy(const Config& c, const Spec& s)
    : HandsOver(s, code(BuiltIn::bbr), c.window_gain, c.probe_gain) {}

PolicyInfo DctcpPolicy::info() {
  return about("dctcp", "DCTCP: the window follows the share of marked packets", "RFC 8257");
}
DctcpPolicy::DctcpPolicy(const Spec& s) : HandsOver(s, code(BuiltIn::dctcp), 0, 0) {}

PolicyInfo Clairvoyant::info() {
  return about("clairvoyant", "a bound: it knows the links and keeps them busy without a queue",
               "no sender can be better but for the begin of a flow");
}
Clairvoyant::Clairvoyant(const Spec& s) : HandsOver(s, code(BuiltIn::clairvoyant), 0, 0) {}

}  // namespace park::congestion_control
