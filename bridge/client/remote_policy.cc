#include "bridge/client/remote_policy.h"

#include <cstring>
#include <utility>

#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"

namespace park::bridge {

PolicyInfo RemotePolicy::info() {
  return {.name = "remote", .summary = "a policy that a server elsewhere has"};
}

RemotePolicy::RemotePolicy(const RemotePolicyConfig& config, const Spec& spec)
    : RemotePolicy(std::make_unique<Connection>(connect_options(config)), config.policy, spec) {}

RemotePolicy::RemotePolicy(std::unique_ptr<Connection> connection, const std::string& policy,
                           const Spec& spec)
    : connection_(std::move(connection)) {
  try {
    decoding([&] {
      const auto reply =
          connection_->session().call(connection_->deadline(), [&](wire::Envelope::Builder e) {
            auto open = e.initOpenPolicy();
            open.setPolicy(policy);
            write(spec, open.initSpec());
          });
      if (!reply.isPolicyOpened()) throw Failed(Code::MALFORMED, "openPolicy: another reply");
      id_ = reply.getPolicyOpened().getId();
      most_slots_ = connection_->session().limits().most_slots;
    });
  } catch (const Failed& failed) {
    throw error_of(failed, connection_->options().address.endpoint);
  }
}

RemotePolicy::~RemotePolicy() = default;

void RemotePolicy::start(std::uint32_t slot, const Episode&, Rng rng) {
  if (slot >= chance_.size()) chance_.resize(slot + 1);
  chance_[slot] = rng.state().key;
}

void RemotePolicy::act(const Decisions& d, Batch& actions) {
  try {
    decoding([&] {
      const auto reply =
          connection_->session().call(connection_->deadline(), [&](wire::Envelope::Builder e) {
            auto ask = e.initAsk();
            ask.setId(id_);
            write(d, ask.initQuestion());
            std::uint32_t begun = 0;
            for (const Ask& a : d.asked) begun += a.sequence == 0 ? 1 : 0;
            auto* to =
                ask.initChance(begun * static_cast<std::uint32_t>(sizeof chance_[0])).begin();
            for (const Ask& a : d.asked) {
              if (a.sequence != 0) continue;
              std::memcpy(to, &chance_[a.slot], sizeof chance_[0]);
              to += sizeof chance_[0];
            }
          });
      if (!reply.isAnswer()) throw Failed(Code::MALFORMED, "ask: another reply");
      read(reply.getAnswer().getActions(), d.asked.size(), actions);
      if (actions.rows() != d.asked.size())
        throw Failed(Code::MALFORMED, "answer: " + std::to_string(actions.rows()) + " rows, " +
                                          std::to_string(d.asked.size()) + " were asked");
    });
  } catch (const Failed& failed) {
    throw error_of(failed, connection_->options().address.endpoint);
  }
}

std::uint32_t RemotePolicy::most_slots() const noexcept { return most_slots_; }

}  // namespace park::bridge
