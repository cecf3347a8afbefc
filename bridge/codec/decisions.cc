// Decisions as messages. The asked and the ended are written column by column, and a column of
// zeros is left out. What follows from earlier messages is not sent: the reader counts contexts and
// sequences per slot and takes new episodes from lists. A message is checked whole, and a failed
// one is undone. Streams on the server write, clients read; policies the other way round.
#include "bridge/codec/decisions.h"

#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/wire_bytes.h"

namespace park::bridge {
namespace {

[[noreturn]] void malformed(const std::string& what) { throw Failed(Code::MALFORMED, what); }

/// Writes a column value by value; one that is zero everywhere stays empty. `init(bytes)` makes it.
template <class T, class Items, class Init, class Get>
void put(const Items& items, Init init, Get get) {
  bool any = false;
  for (const auto& item : items) {
    const T value = get(item), zero{};
    // By its bytes: -0.0 is not zero here.
    any = any || std::memcmp(&value, &zero, sizeof value) != 0;  // NOLINT
  }
  if (!any) return;
  auto to = init(data_size(items.size() * sizeof(T), "rows"));
  std::size_t at = 0;
  for (const auto& item : items) {
    const T value = get(item);
    std::memcpy(to.begin() + at, &value, sizeof value);
    at += sizeof value;
  }
}

/// A column of n values of a message.
template <class T>
class Column {
 public:
  Column(capnp::Data::Reader data, std::size_t n, const char* name) : data_(data) {
    if (data.size() != 0 && data.size() != n * sizeof(T))
      malformed(std::string(name) + ": " + std::to_string(data.size()) + " bytes for " +
                std::to_string(n) + " rows");
  }
  T operator[](std::size_t i) const {
    T value{};
    if (data_.size() != 0) std::memcpy(&value, data_.begin() + i * sizeof value, sizeof value);
    return value;
  }

 private:
  capnp::Data::Reader data_;
};

Outcome outcome(double reward, double elapsed_s, std::uint8_t applied, std::uint32_t skipped) {
  if (!std::isfinite(reward)) malformed("reward: is not a number");
  if (!(elapsed_s >= 0) || std::isinf(elapsed_s)) malformed("elapsedS: is not a time");
  if (applied > static_cast<std::uint8_t>(Applied::fallback))
    malformed("applied: " + std::to_string(applied) + ", allowed are 0 to 2");
  Outcome o{.reward = reward, .elapsed_s = elapsed_s};
  o.applied = static_cast<Applied>(applied);
  o.skipped = skipped;
  return o;
}

void write_asked(const Decisions& d, wire::Decisions::Builder to) {
  const auto& asked = d.asked;
  put<std::uint32_t>(
      asked, [&](auto n) { return to.initSlot(n); }, [](const Ask& a) { return a.slot; });
  put<std::uint64_t>(
      asked, [&](auto n) { return to.initContext(n); }, [](const Ask& a) { return a.context; });
  put<std::uint64_t>(
      asked, [&](auto n) { return to.initSequence(n); }, [](const Ask& a) { return a.sequence; });
  put<double>(
      asked, [&](auto n) { return to.initReward(n); },
      [](const Ask& a) { return a.since_last.reward; });
  put<double>(
      asked, [&](auto n) { return to.initElapsedS(n); },
      [](const Ask& a) { return a.since_last.elapsed_s; });
  put<std::uint8_t>(
      asked, [&](auto n) { return to.initApplied(n); },
      [](const Ask& a) { return static_cast<std::uint8_t>(a.since_last.applied); });
  put<std::uint32_t>(
      asked, [&](auto n) { return to.initSkipped(n); },
      [](const Ask& a) { return a.since_last.skipped; });
}

void write_ended(const Decisions& d, wire::Decisions::Builder to) {
  const auto& ended = d.ended;
  put<std::uint32_t>(
      ended, [&](auto n) { return to.initEndedSlot(n); }, [](const Ended& e) { return e.slot; });
  put<std::uint64_t>(
      ended, [&](auto n) { return to.initEndedContext(n); },
      [](const Ended& e) { return e.context; });
  put<std::uint64_t>(
      ended, [&](auto n) { return to.initEndedDecisions(n); },
      [](const Ended& e) { return e.decisions; });
  put<std::uint64_t>(
      ended, [&](auto n) { return to.initEndedEvents(n); },
      [](const Ended& e) { return e.events; });
  put<double>(
      ended, [&](auto n) { return to.initEndedReward(n); },
      [](const Ended& e) { return e.last.reward; });
  put<double>(
      ended, [&](auto n) { return to.initEndedElapsedS(n); },
      [](const Ended& e) { return e.last.elapsed_s; });
  put<std::uint8_t>(
      ended, [&](auto n) { return to.initEndedApplied(n); },
      [](const Ended& e) { return static_cast<std::uint8_t>(e.last.applied); });
  put<std::uint32_t>(
      ended, [&](auto n) { return to.initEndedSkipped(n); },
      [](const Ended& e) { return e.last.skipped; });
  put<std::uint8_t>(
      ended, [&](auto n) { return to.initTruncated(n); },
      [](const Ended& e) { return static_cast<std::uint8_t>(e.last.end == End::truncated); });
}

/// The episodes of the items that `chosen` picks, in their order.
template <class Items, class Chosen, class Init>
void write_episodes(const Items& items, Chosen chosen, Init init) {
  std::uint32_t n = 0;
  for (const auto& item : items) n += chosen(item) ? 1 : 0;
  if (n == 0) return;
  auto to = init(n);
  n = 0;
  for (const auto& item : items)
    if (chosen(item)) write(item.episode, to[n++]);
}

/// Hands out the episodes of a list one by one.
class EpisodeList {
 public:
  EpisodeList(capnp::List<wire::Episode>::Reader list, const char* name)
      : list_(list), name_(name) {}
  Episode next() {
    if (at_ == list_.size()) malformed(std::string(name_) + ": too few episodes");
    return read(list_[at_++]);
  }
  void finish() const {
    if (at_ != list_.size()) malformed(std::string(name_) + ": too many episodes");
  }

 private:
  capnp::List<wire::Episode>::Reader list_;
  const char* name_;
  std::uint32_t at_ = 0;
};

}  // namespace

void write(const Episode& e, wire::Episode::Builder to) {
  to.setId(e.id);
  to.setInputs(e.inputs);
  to.setDynamics(e.dynamics);
  to.setHorizonS(e.horizon_s);
}

Episode read(wire::Episode::Reader from) {
  if (!(from.getHorizonS() > 0)) malformed("horizonS: is not a time above 0");
  return {.id = from.getId(),
          .inputs = from.getInputs(),
          .dynamics = from.getDynamics(),
          .horizon_s = from.getHorizonS()};
}

void write(const Decisions& d, wire::Decisions::Builder to) {
  to.setAsked(static_cast<std::uint32_t>(d.asked.size()));
  write(d.observation, to.initObservation());
  write_asked(d, to);
  write_episodes(
      d.asked, [](const Ask& a) { return a.sequence == 0; },
      [&](auto n) { return to.initBegun(n); });
  to.setEnded(static_cast<std::uint32_t>(d.ended.size()));
  to.setDone(d.done);
  if (d.ended.empty()) return;
  write(d.final_observation, to.initFinalObservation());
  write_ended(d, to);
  write_episodes(
      d.ended, [](const Ended& e) { return e.decisions == 0; },
      [&](auto n) { return to.initEndedUnseen(n); });
  auto metrics = to.initMetrics(data_size(d.metrics.size() * sizeof(double), "metrics"));
  if (!d.metrics.empty()) std::memcpy(metrics.begin(), d.metrics.data(), metrics.size());
}

DecisionsReader::DecisionsReader(const Spec& spec, std::size_t most_slots)
    : metrics_(spec.metrics.size()), slots_(most_slots) {
  for (const Leaf& head : spec.action.leaves) action_bytes_ += head.bytes();
}

void DecisionsReader::read(wire::Decisions::Reader from, Decisions& into) {
  into.clear();
  changed_.clear();
  ++messages_;
  try {
    if (from.getEnded() > 0) read_ended(from, into);
    read_asked(from, into);
  } catch (...) {
    undo();
    throw;
  }
  into.done = from.getDone();
}

void DecisionsReader::undo() {
  for (; !changed_.empty(); changed_.pop_back())
    slots_[changed_.back().first] = changed_.back().second;
}

DecisionsReader::Slot& DecisionsReader::slot_of(std::uint32_t number) {
  if (number >= slots_.size())
    throw Failed(Code::TOO_MUCH, "slot: " + std::to_string(number) + ", there are " +
                                     std::to_string(slots_.size()));
  changed_.emplace_back(number, slots_[number]);
  return slots_[number];
}

void DecisionsReader::read_asked(wire::Decisions::Reader from, Decisions& into) {
  const std::size_t n = from.getAsked();
  bridge::read(from.getObservation(), slots_.size(), into.observation);
  check_values(into.observation);
  if (into.observation.rows() != n) malformed("asked: is not the number of observations");
  if (product_or_most(n, action_bytes_) > kMostRowBytes)
    throw Failed(Code::TOO_MUCH, "asked: the actions of " + std::to_string(n) + " rows take " +
                                     std::to_string(product_or_most(n, action_bytes_)) +
                                     " bytes, at most " + std::to_string(kMostRowBytes) +
                                     " are allowed");
  const Column<std::uint32_t> slot(from.getSlot(), n, "slot"),
      skipped(from.getSkipped(), n, "skipped");
  const Column<std::uint64_t> context(from.getContext(), n, "context"),
      sequence(from.getSequence(), n, "sequence");
  const Column<double> reward(from.getReward(), n, "reward"),
      elapsed_s(from.getElapsedS(), n, "elapsedS");
  const Column<std::uint8_t> applied(from.getApplied(), n, "applied");
  EpisodeList begun(from.getBegun(), "begun");
  for (std::size_t i = 0; i < n; ++i) {
    Slot& s = slot_of(slot[i]);
    if (s.message == messages_) malformed("slot: " + std::to_string(slot[i]) + " is asked twice");
    if (sequence[i] == 0) {
      s = {.open = true, .context = context[i], .episode = begun.next()};
    } else if (!s.open || s.context != context[i] || s.sequence + 1 != sequence[i]) {
      malformed("context: row " + std::to_string(i) + " does not follow what slot " +
                std::to_string(slot[i]) + " had before");
    }
    s.sequence = sequence[i];
    s.message = messages_;
    into.asked.push_back({slot[i], context[i], sequence[i], s.episode,
                          outcome(reward[i], elapsed_s[i], applied[i], skipped[i])});
  }
  begun.finish();
}

void DecisionsReader::read_ended(wire::Decisions::Reader from, Decisions& into) {
  const std::size_t m = from.getEnded();
  bridge::read(from.getFinalObservation(), slots_.size(), into.final_observation);
  check_values(into.final_observation);
  if (into.final_observation.rows() != m) malformed("ended: is not the number of observations");
  const Column<std::uint32_t> slot(from.getEndedSlot(), m, "endedSlot"),
      skipped(from.getEndedSkipped(), m, "endedSkipped");
  const Column<std::uint64_t> context(from.getEndedContext(), m, "endedContext"),
      decisions(from.getEndedDecisions(), m, "endedDecisions"),
      events(from.getEndedEvents(), m, "endedEvents");
  const Column<double> reward(from.getEndedReward(), m, "endedReward"),
      elapsed_s(from.getEndedElapsedS(), m, "endedElapsedS"),
      metrics(from.getMetrics(), m * metrics_, "metrics");
  const Column<std::uint8_t> applied(from.getEndedApplied(), m, "endedApplied"),
      truncated(from.getTruncated(), m, "truncated");
  EpisodeList unseen(from.getEndedUnseen(), "endedUnseen");
  for (std::size_t i = 0; i < m; ++i) {
    Slot& s = slot_of(slot[i]);
    const bool seen = decisions[i] > 0;
    if (seen != s.open || (seen && (s.context != context[i] || s.sequence + 1 != decisions[i])))
      malformed("endedContext: row " + std::to_string(i) + " is not the context of slot " +
                std::to_string(slot[i]));
    Ended e{slot[i],
            context[i],
            decisions[i],
            events[i],
            seen ? s.episode : unseen.next(),
            outcome(reward[i], elapsed_s[i], applied[i], skipped[i])};
    e.last.end = truncated[i] != 0 ? End::truncated : End::terminated;
    into.ended.push_back(e);
    s = {};
  }
  unseen.finish();
  for (std::size_t i = 0; i < m * metrics_; ++i) into.metrics.push_back(metrics[i]);
}

}  // namespace park::bridge
