#include "bridge/client/remote_policy.h"

#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"

namespace park::bridge {
namespace {

/// Throws Failed{malformed} at another size, and at NaN or +inf.
void read_scores(capnp::Data::Reader from, std::size_t wanted, std::vector<float>& to) {
  if (from.size() != wanted * sizeof(float))
    throw Failed(Code::MALFORMED, "scores: " + std::to_string(from.size()) + " bytes, " +
                                      std::to_string(wanted) + " values have " +
                                      std::to_string(wanted * sizeof(float)));
  to.resize(wanted);
  if (wanted > 0) std::memcpy(to.data(), from.begin(), from.size());
  for (const float score : to)
    if (!(score < std::numeric_limits<float>::infinity()))
      throw Failed(Code::MALFORMED, "scores: not below infinity");
}

}  // namespace

PolicyInfo RemotePolicy::info() {
  return {.name = "remote", .summary = "a policy that a server elsewhere has"};
}

RemotePolicy::RemotePolicy(const RemotePolicyConfig& config, const Spec& spec)
    : RemotePolicy(std::make_unique<Connection>(connect_options(config)), config.policy, spec) {}

RemotePolicy::RemotePolicy(std::unique_ptr<Connection> connection, const std::string& policy,
                           const Spec& spec)
    : connection_(std::move(connection)), heads_(spec) {
  call(
      [&](wire::Envelope::Builder e) {
        auto open = e.initOpenPolicy();
        open.setPolicy(policy);
        write(spec, open.initSpec());
      },
      [&](wire::Envelope::Reader reply) {
        if (!reply.isPolicyOpened()) throw Failed(Code::MALFORMED, "openPolicy: another reply");
        id_ = reply.getPolicyOpened().getId();
        most_slots_ = connection_->session().limits().most_slots;
      });
}

RemotePolicy::~RemotePolicy() = default;

template <class Build, class Read>
void RemotePolicy::call(Build&& build, Read&& read) {
  try {
    decoding([&] { read(connection_->session().call(connection_->deadline(), build)); });
  } catch (const Failed& failed) {
    throw error_of(failed, connection_->options().address.endpoint);
  }
}

void RemotePolicy::start(std::uint32_t slot, const Episode&, Rng rng) {
  if (slot >= chance_.size()) chance_.resize(slot + 1);
  chance_[slot] = rng.state().key;
}

void RemotePolicy::act(const Decisions& d, Batch& actions) {
  call(
      [&](wire::Envelope::Builder e) {
        auto ask = e.initAsk();
        ask.setId(id_);
        write(d, ask.initQuestion());
        std::uint32_t begun = 0;
        for (const Ask& a : d.asked) begun += a.sequence == 0 ? 1 : 0;
        auto* to = ask.initChance(begun * static_cast<std::uint32_t>(sizeof chance_[0])).begin();
        for (const Ask& a : d.asked) {
          if (a.sequence != 0) continue;
          std::memcpy(to, &chance_[a.slot], sizeof chance_[0]);
          to += sizeof chance_[0];
        }
      },
      [&](wire::Envelope::Reader reply) {
        if (!reply.isAnswer()) throw Failed(Code::MALFORMED, "ask: another reply");
        read(reply.getAnswer().getActions(), d.asked.size(), actions);
        if (actions.rows() != d.asked.size())
          throw Failed(Code::MALFORMED, "answer: " + std::to_string(actions.rows()) + " rows, " +
                                            std::to_string(d.asked.size()) + " were asked");
      });
}

bool RemotePolicy::scores(const Batch& observation, std::size_t head, const Batch& actions,
                          Candidates& candidates, std::vector<float>& scores) {
  constexpr std::uint16_t kSinceMinor = 1;
  if (heads_[head].kind == HeadKind::continuous || connection_->session().minor() < kSinceMinor)
    return false;
  heads_.candidates(head, observation, actions, candidates);
  bool given = false;
  call(
      [&](wire::Envelope::Builder e) {
        auto ask = e.initAskScores();
        ask.setId(id_);
        write(observation, ask.initObservation());
        ask.setHead(static_cast<std::uint16_t>(head));
        write(actions, ask.initActions());
      },
      [&](wire::Envelope::Reader reply) {
        if (!reply.isScores()) throw Failed(Code::MALFORMED, "askScores: another reply");
        given = reply.getScores().getGiven();
        if (given) read_scores(reply.getScores().getScores(), candidates.size(), scores);
      });
  return given;
}

std::uint32_t RemotePolicy::most_slots() const noexcept { return most_slots_; }

}  // namespace park::bridge
