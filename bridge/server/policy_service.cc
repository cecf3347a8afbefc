// The policies of one session. Each Asked has a policy with the spec of its client, the last question
// and the memory of the answer. Opening decides which policy the client may have; an ask reads the
// question, begins contexts, and writes the actions. The dispatcher calls handle, one request at a
// time.
#include "bridge/server/policy_service.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/short_text.h"
#include "bridge/codec/spec.h"

namespace park::bridge {
namespace {

/// How many rows of a record with all its elements a message of so many bytes has room for.
std::size_t rows_within(std::uint64_t bytes, const Record& record) {
  constexpr std::uint64_t kAround = 4096;  // the envelope, and the pointers to columns
  std::uint64_t row = 1;
  for (const Leaf& leaf : record.leaves) row += leaf.width() * size_of(leaf.dtype);
  return (bytes - std::min(bytes, kAround)) / row;
}

}  // namespace

/// A policy and what it was asked last.
class PolicyService::Asked {
 public:
  Asked(const Registry& registry, const std::string& text, Spec spec,
        const PolicyServiceOptions& options)
      : spec_(std::move(spec)),
        space_(spec_),
        policy_(registry.policy(text, spec_)),
        reader_(spec_, options.most_slots),
        question_(spec_),
        actions_(spec_.action),
        most_rows_(rows_within(options.most_bytes, spec_.action)) {}

  void answer(wire::Ask::Reader from, wire::Rows::Builder to) {
    reader_.read(from.getQuestion(), question_);
    try {
      check_answer();
      check_choices(space_, question_.observation, spec_.action);
      start(from.getChance());
      actions_.clear();
      actions_.resize(question_.asked.size());
      if (!question_.asked.empty()) policy_->act(question_, actions_);
    } catch (...) {
      reader_.undo();
      throw;
    }
    write(actions_, to);
  }
  [[nodiscard]] bool may_wait() const noexcept { return policy_->may_wait(); }

 private:
  /// Before the policy does anything.
  void check_answer() const {
    if (question_.asked.size() > most_rows_)
      throw Failed(Code::TOO_MUCH, "asked: the answer to " +
                                       std::to_string(question_.asked.size()) +
                                       " rows is too large, at most " + std::to_string(most_rows_) +
                                       " are allowed");
  }
  void start(capnp::Data::Reader chance) {
    std::size_t begun = 0;
    for (const Ask& a : question_.asked) begun += a.sequence == 0 ? 1 : 0;
    if (chance.size() != begun * sizeof(std::uint64_t))
      throw Failed(Code::MALFORMED, "chance: " + std::to_string(chance.size()) + " bytes for " +
                                        std::to_string(begun) + " contexts that begin");
    const auto* at = chance.begin();
    for (const Ask& a : question_.asked) {
      if (a.sequence != 0) continue;
      Rng::State state;
      std::memcpy(&state.key, at, sizeof state.key);
      at += sizeof state.key;
      Rng rng;
      rng.restore(state);
      policy_->start(a.slot, a.episode, rng);
    }
  }

  Spec spec_;
  ActionSpace space_;
  std::unique_ptr<Policy> policy_;
  DecisionsReader reader_;
  Decisions question_;
  Batch actions_;
  std::size_t most_rows_;
};

PolicyService::PolicyService(const Registry& registry, PolicyServiceOptions options)
    : registry_(registry), options_(std::move(options)) {}
PolicyService::~PolicyService() = default;

void PolicyService::handle(wire::Envelope::Reader request, wire::Envelope::Builder reply) {
  opened_ = 0;
  if (request.isOpenPolicy()) return open(request.getOpenPolicy(), reply.initPolicyOpened());
  if (request.isAsk()) {
    const auto from = request.getAsk();
    auto to = reply.initAnswer();
    to.setId(from.getId());
    return policy(from.getId()).answer(from, to.initActions());
  }
  if (request.isClosePolicy()) {
    const std::uint32_t id = request.getClosePolicy().getId();
    static_cast<void>(policy(id));
    policies_.erase(id);
    return reply.initPolicyClosed().setId(id);
  }
  throw Failed(Code::UNSUPPORTED,
               "this server has policies; it answers openPolicy, ask and closePolicy");
}

std::string PolicyService::retract() {
  return policies_.erase(opened_) > 0 ? "; no policy is open" : "";
}

bool PolicyService::may_wait() const {
  return std::ranges::any_of(policies_, [](const auto& p) { return p.second->may_wait(); });
}

void PolicyService::open(wire::OpenPolicy::Reader from, wire::PolicyOpened::Builder to) {
  const std::string name = chosen(asked_text(from.getPolicy(), "policy"));
  constexpr std::size_t kMostPolicies = 64;
  if (policies_.size() >= kMostPolicies)
    throw Failed(Code::TOO_MUCH, "policy: a session has at most 64");
  Spec spec = registry_.admitted(read(from.getSpec()), options_.access);
  policies_[next_] = std::make_unique<Asked>(registry_, name, std::move(spec), options_);
  opened_ = next_;
  to.setId(next_++);
  to.setPolicy(registry_.canonical_policy(name));
}

std::string PolicyService::chosen(std::string name) const {
  const std::string& own = options_.policy;
  const auto asked = [&] { return registry_.canonical_policy(name, options_.access); };
  if (own.empty()) {
    if (name.empty()) throw Failed(Code::INVALID_CONFIG, "policy: is required");
    static_cast<void>(asked());
    return name;
  }
  if (!name.empty() && name != own && asked() != registry_.canonical_policy(own))
    throw Failed(Code::NOT_ALLOWED, "policy: this server has " + own + " alone");
  return own;
}

PolicyService::Asked& PolicyService::policy(std::uint32_t id) {
  const auto found = policies_.find(id);
  if (found == policies_.end())
    throw Failed(Code::UNKNOWN_NAME, "policy: there is no number " + std::to_string(id));
  return *found->second;
}

}  // namespace park::bridge
