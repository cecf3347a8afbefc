#include "systems/dl_inference_live/decision_link.h"

#include <algorithm>
#include <chrono>

#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"

namespace park::inference {
namespace {

using bridge::Code;
using bridge::Failed;

constexpr std::uint32_t kPolicy = 1;  // the number of the only one
constexpr std::size_t kMostSlots = 16;
// The server has a deadline of its own, which is shorter.
constexpr std::chrono::seconds kLongest{60};

}  // namespace

void DecisionLink::begin(const Episode& episode, Deadline at) {
  const std::lock_guard lock(mutex_);
  context_ = decider_.open(episode);
  begin_ = at;
}

Outcome DecisionLink::owed(double now_s) {
  const double until_s = std::max(now_s, told_s_);
  const Outcome o{.reward = 0.0 - ledger_.take_cost(until_s), .elapsed_s = until_s - told_s_};
  told_s_ = until_s;
  return o;
}

void DecisionLink::decide(const Outcome& of_server, ConstRow observation, Row action) {
  const std::lock_guard lock(mutex_);
  if (!begin_) throw Failed(Code::OUT_OF_ORDER, "ask: the episode has not begun");
  Outcome since = owed(std::chrono::duration<double>(Clock::now() - *begin_).count());
  since.applied = of_server.applied;
  since.skipped = of_server.skipped;
  if (decider_.decide(context_, since, observation, action, Clock::now() + kLongest) ==
      Applied::fallback)
    throw Failed(Code::LATE, "ask: the policy has not answered");
}

void DecisionLink::close(double time_s, End end, ConstRow final_observation,
                         std::span<const double> metrics) {
  const std::lock_guard lock(mutex_);
  Outcome last = owed(time_s);
  last.end = end;
  decider_.close(context_, last, final_observation, metrics);
}

DecisionService::DecisionService(DecisionLink& link, const Spec& spec)
    : link_(link),
      spec_(spec),
      space_(spec_),
      reader_(spec_, kMostSlots),
      question_(spec_),
      actions_(spec_.action) {}

void DecisionService::handle(bridge::wire::Envelope::Reader request,
                             bridge::wire::Envelope::Builder reply) {
  if (request.isOpenPolicy()) {
    if (layout_hash(bridge::read(request.getOpenPolicy().getSpec())) != layout_hash(spec_))
      throw Failed(Code::INVALID_CONFIG, "spec: is that of another system");
    auto opened = reply.initPolicyOpened();
    opened.setId(kPolicy);
    return opened.setPolicy("episode");
  }
  if (request.isAsk()) {
    auto to = reply.initAnswer();
    to.setId(request.getAsk().getId());
    return answer(request.getAsk().getQuestion(), to.initActions());
  }
  if (request.isClosePolicy()) return reply.initPolicyClosed().setId(kPolicy);
  throw Failed(Code::UNSUPPORTED, "this server answers openPolicy, ask and closePolicy");
}

void DecisionService::answer(bridge::wire::Decisions::Reader from, bridge::wire::Rows::Builder to) {
  reader_.read(from, question_);
  bridge::check_choices(space_, question_.observation, spec_.action);
  actions_.clear();
  actions_.resize(question_.asked.size());
  try {
    for (std::size_t i = 0; i < question_.asked.size(); ++i)
      link_.decide(question_.asked[i].since_last, std::as_const(question_.observation).row(i),
                   actions_.row(i));
  } catch (...) {
    reader_.undo();
    throw;
  }
  bridge::write(actions_, to);
}

}  // namespace park::inference
