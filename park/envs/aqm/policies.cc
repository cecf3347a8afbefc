#include "park/envs/aqm/policies.h"

#include <string>
#include <utility>

#include "park/envs/aqm/aqm.h"

namespace park::aqm {
namespace {

PolicyInfo about(std::string name, std::string summary, std::string reference) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .reference = std::move(reference),
          .environments = {"aqm"}};
}

int code(BuiltIn kind) { return static_cast<int>(kind); }

}  // namespace

HandsOver::HandsOver(const Spec& spec, int kind, double parameter)
    : layout_(bind_layout<QueueLayout>(spec)), code_(net::hand_over_code(kind, parameter)) {}

void HandsOver::choose(const Ask&, ConstRow, Row action) { action.scalar(layout_.drop) = code_; }

PolicyInfo TailDrop::info() {
  return about("taildrop", "drops what does not fit", "the queue without management");
}
TailDrop::TailDrop(const Config& c, const Spec& s)
    : HandsOver(s, code(BuiltIn::tail_drop), c.packets) {}

PolicyInfo RedPolicy::info() {
  return about(
      "red", "random early detection by the average backlog",
      "Floyd, Jacobson, Random early detection gateways for congestion avoidance, IEEE/ACM "
      "Transactions on Networking 1(4), 1993");
}
RedPolicy::RedPolicy(const Config& c, const Spec& s)
    : HandsOver(s, code(BuiltIn::red), c.min_packets) {}

PolicyInfo CodelPolicy::info() {
  return about("codel", "CoDel: drops while the least delay of an interval exceeds the target",
               "RFC 8289");
}
CodelPolicy::CodelPolicy(const Config& c, const Spec& s)
    : HandsOver(s, code(BuiltIn::codel), c.target_ms) {}

PolicyInfo PiePolicy::info() {
  return about("pie", "PIE: a proportional integral controller of the drop probability",
               "RFC 8033");
}
PiePolicy::PiePolicy(const Config& c, const Spec& s)
    : HandsOver(s, code(BuiltIn::pie), c.target_ms) {}

PolicyInfo FqCodelPolicy::info() {
  return about("fq_codel", "a queue for each flow, each under CoDel", "RFC 8290");
}
FqCodelPolicy::FqCodelPolicy(const Config& c, const Spec& s)
    : HandsOver(s, code(BuiltIn::fq_codel), c.target_ms) {}

PolicyInfo DualPi2Policy::info() {
  return about("dualpi2", "two queues under one controller, for classic and scalable senders",
               "RFC 9332");
}
DualPi2Policy::DualPi2Policy(const Config& c, const Spec& s)
    : HandsOver(s, code(BuiltIn::dualpi2), c.target_ms) {}

PolicyInfo KnownPath::info() {
  return about(
      "known_path", "a bound: tail drop that knows rate and round trip",
      "a buffer of a part of the bandwidth-delay product: Appenzeller et al., Sizing router "
      "buffers, SIGCOMM 2004");
}
KnownPath::KnownPath(const Config& c, const Spec& s)
    : HandsOver(s, code(BuiltIn::known_path), c.bdp) {}

}  // namespace park::aqm
