// A policy behind C calls. Questions become columns: those of slots and numbers are copied, those of
// rows are pointers into the batch, and answers are written straight into the batch of actions. The
// arrays are kept, so nothing is allocated once they are large enough.
#include "park/plugins/policy.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace park::plugins {

PluginPolicy::PluginPolicy(std::shared_ptr<const PolicyKind> kind, const Value& canonical,
                           const Spec& spec)
    : kind_(std::move(kind)), most_slots_(Policy::most_slots()), spec_(spec) {
  plugin::Memory memory;
  error_.expect_ok(kind_->calls.create(to_text(canonical).c_str(), plugin::describe(spec, memory),
                                       &policy_, error_.get()),
                   kind_->who);
  if (kind_->calls.most_slots) most_slots_ = std::max(1u, kind_->calls.most_slots(policy_));
  if (kind_->calls.may_wait) may_wait_ = kind_->calls.may_wait(policy_) != 0;
  questions_.size = sizeof(ParkQuestions);
}

PluginPolicy::~PluginPolicy() { kind_->calls.destroy(policy_); }

void PluginPolicy::start(std::uint32_t slot, const Episode& e, Rng rng) {
  if (kind_->calls.start == nullptr) return;
  const ParkEpisode episode = plugin::to_park(e);
  error_.expect_ok(kind_->calls.start(policy_, slot, &episode, rng.state().key, error_.get()),
                   kind_->who);
}

void PluginPolicy::Columns::resize(std::size_t n) {
  for (auto* numbers : {&context, &count, &events}) numbers->resize(n);
  slot.resize(n);
  if (episode.size() >= n) return;
  episode.resize(n, plugin::sized<ParkEpisode>());
  outcome.resize(n, plugin::sized<ParkOutcome>());
  episodes.clear();
  outcomes.clear();
  for (const ParkEpisode& e : episode) episodes.push_back(&e);
  for (const ParkOutcome& o : outcome) outcomes.push_back(&o);
}

void PluginPolicy::Columns::set(std::size_t i, const Episode& e, const Outcome& o) noexcept {
  episode[i] = plugin::to_park(e);
  outcome[i] = plugin::to_park(o);
}

void PluginPolicy::show(const Decisions& d) {
  asked_.resize(d.asked.size());
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const Ask& ask = d.asked[i];
    asked_.slot[i] = ask.slot;
    asked_.context[i] = ask.context;
    asked_.count[i] = ask.sequence;
    asked_.set(i, ask.episode, ask.since_last);
  }
  ended_.resize(d.ended.size());
  for (std::size_t i = 0; i < d.ended.size(); ++i) {
    const Ended& e = d.ended[i];
    ended_.slot[i] = e.slot;
    ended_.context[i] = e.context;
    ended_.count[i] = e.decisions;
    ended_.events[i] = e.events;
    ended_.set(i, e.episode, e.last);
  }
  ParkQuestions& q = questions_;
  q.count = d.asked.size();
  q.slot = asked_.slot.data();
  q.context = asked_.context.data();
  q.sequence = asked_.count.data();
  q.episode = asked_.episodes.data();
  q.since_last = asked_.outcomes.data();
  q.observation = &rows_.of(d.observation);
  q.ended = d.ended.size();
  q.ended_slot = ended_.slot.data();
  q.ended_context = ended_.context.data();
  q.ended_decisions = ended_.count.data();
  q.ended_events = ended_.events.data();
  q.ended_episode = ended_.episodes.data();
  q.ended_last = ended_.outcomes.data();
  q.final_observation = &final_rows_.of(d.final_observation);
  q.metrics = d.metrics.data();
  q.done = d.done ? 1 : 0;
}

void PluginPolicy::act(const Decisions& d, Batch& actions) {
  show(d);
  actions_.clear();
  for (std::size_t h = 0; h < actions.columns(); ++h)
    actions_.push_back(actions.bytes(h, 0, actions.rows()).data());
  error_.expect_ok(kind_->calls.act(policy_, &questions_, actions_.data(), error_.get()),
                   kind_->who);
}

bool PluginPolicy::scores(const Batch& observation, std::size_t head, const Batch& actions,
                          Candidates& candidates, std::vector<float>& scores) {
  if (kind_->calls.scores == nullptr) return false;
  if (!heads_) heads_.emplace(spec_);
  std::vector<const void*> columns;
  for (std::size_t h = 0; h < actions.columns(); ++h)
    columns.push_back(actions.bytes(h, 0, actions.rows()).data());
  auto theirs = plugin::sized<ParkScores>();
  std::int32_t has = 0;
  error_.expect_ok(kind_->calls.scores(policy_, &rows_.of(observation), head, columns.data(),
                                       &theirs, &has, error_.get()),
                   kind_->who);
  if (has == 0) return false;
  heads_->candidates(head, observation, actions, candidates);
  check_scores(theirs, candidates);
  scores.assign(theirs.score, theirs.score + candidates.size());
  return true;
}

void PluginPolicy::check_scores(const ParkScores& s, const Candidates& legal) const {
  const auto complain = [&](const char* what) {
    throw Error(Errc::invalid_space, kind_->who + ": its scores " + what);
  };
  if (s.offsets == nullptr || !std::equal(legal.offsets.begin(), legal.offsets.end(), s.offsets))
    complain("are not as many in each row as there are legal values");
  if (legal.size() == 0) return;
  if (s.value == nullptr || !std::equal(legal.value.begin(), legal.value.end(), s.value))
    complain("are not of the legal values");
  if (s.score == nullptr ||
      std::any_of(s.score, s.score + legal.size(), [](float x) { return std::isnan(x); }))
    complain("are not numbers");
}

}  // namespace park::plugins
