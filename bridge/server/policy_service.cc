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

constexpr std::uint64_t kAround = 4096;  // the envelope, and the pointers to columns

/// How many rows of a record with all its elements a message of so many bytes has room for.
std::size_t rows_within(std::uint64_t bytes, const Record& record) {
  std::uint64_t row = 1;
  for (const Leaf& leaf : record.leaves) row += leaf.width() * size_of(leaf.dtype);
  return (bytes - std::min(bytes, kAround)) / row;
}

/// Networks need some memory for each value that they score, more than the reply has.
std::size_t scores_within(std::uint64_t bytes) {
  constexpr std::uint64_t kPerValue = 64;
  return (bytes - std::min(bytes, kAround)) / kPerValue;
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
        most_rows_(rows_within(options.most_bytes, spec_.action)),
        most_scores_(scores_within(options.most_bytes)) {}

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
  void scores(wire::AskScores::Reader from, wire::Scores::Builder to) {
    const std::size_t head = from.getHead();
    if (head >= space_.heads() || space_.continuous(head))
      throw Failed(Code::MALFORMED,
                   "head: " + std::to_string(head) + " is no discrete leaf of the action");
    Batch observation(spec_.observation), chosen(spec_.action);
    read(from.getObservation(), most_rows_, observation);
    check_values(observation);
    check_choices(space_, observation, spec_.action);
    read(from.getActions(), observation.rows(), chosen);
    const std::size_t values = check_chosen(head, observation, chosen);
    Candidates candidates;
    std::vector<float> found;
    to.setGiven(policy_->scores(observation, head, chosen, candidates, found));
    if (!to.getGiven()) return;
    if (found.size() != values)
      throw Failed(Code::INTERNAL, "the policy scores " + std::to_string(found.size()) +
                                       " values of " + std::to_string(values));
    to.setScores(capnp::Data::Reader(reinterpret_cast<const kj::byte*>(found.data()),
                                     found.size() * sizeof(float)));
  }
  [[nodiscard]] bool may_wait() const noexcept { return policy_->may_wait(); }

 private:
  /// How many legal values the head has in all rows. Throws where an earlier choice is not legal,
  /// and where the values alone would make the reply too large.
  [[nodiscard]] std::size_t check_chosen(std::size_t head, const Batch& observation,
                                         const Batch& chosen) const {
    if (chosen.rows() != observation.rows())
      throw Failed(Code::MALFORMED, "actions: " + std::to_string(chosen.rows()) + " rows for " +
                                        std::to_string(observation.rows()) + " observations");
    std::size_t values = 0, widest = 0;
    for (std::size_t r = 0; r < observation.rows(); ++r) {
      const ConstRow seen = observation.row(r), action = chosen.row(r);
      for (std::size_t h = 0; h < head; ++h)
        if (!space_.legal(h, seen, action))
          throw Failed(Code::ILLEGAL_ACTION, spec_.action.leaves[h].name + ": the choice in row " +
                                                 std::to_string(r) + " is not legal");
      const ActionSpace::Choice choice = space_.choice(head, seen, action);
      widest += static_cast<std::size_t>(choice.high - choice.low) + 1;
      if (widest > most_scores_)
        throw Failed(Code::TOO_MUCH, "head: " + spec_.action.leaves[head].name + " has more than " +
                                         std::to_string(most_scores_) + " values in these rows");
      for (std::int64_t v = choice.low; v <= choice.high; ++v) values += choice.contains(v) ? 1 : 0;
    }
    return values;
  }
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
  std::size_t most_rows_, most_scores_;
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
  if (request.isAskScores()) {
    const auto from = request.getAskScores();
    auto to = reply.initScores();
    to.setId(from.getId());
    return policy(from.getId()).scores(from, to);
  }
  if (request.isClosePolicy()) {
    const std::uint32_t id = request.getClosePolicy().getId();
    static_cast<void>(policy(id));
    policies_.erase(id);
    return reply.initPolicyClosed().setId(id);
  }
  throw Failed(Code::UNSUPPORTED,
               "this server has policies; it answers openPolicy, ask, askScores and closePolicy");
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
  Spec spec = read(from.getSpec());
  if (!options_.trusted) spec = registry_.admitted(std::move(spec), options_.access);
  policies_[next_] = std::make_unique<Asked>(registry_, name, std::move(spec), options_);
  opened_ = next_;
  to.setId(next_++);
  to.setPolicy(registry_.canonical_policy(name));
}

std::string PolicyService::chosen(std::string name) const {
  const std::string& own = options_.policy;
  const auto asked = [&] {
    return options_.trusted ? registry_.canonical_policy(name)
                            : registry_.canonical_policy(name, options_.access);
  };
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
