// Episodes on their way to a server. A Slot keeps those that it was given and has not begun, at
// most two. What the server delivers is taken in its order: the ended, then the asked that begin.
// Each beginning takes the oldest of its slot, each end gives it one more. A remote stream calls
// first before it opens, and take for every message after that.
#include "bridge/client/given_episodes.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "bridge/codec/failure.h"

namespace park::bridge {
namespace {

[[noreturn]] void untrue(const std::string& what) { throw Failed(Code::MALFORMED, what); }

std::string slot_text(std::uint32_t slot) { return "slot " + std::to_string(slot); }

}  // namespace

GivenEpisodes::GivenEpisodes(const EpisodeSource& source, std::uint32_t slots)
    : source_(source), slots_(slots) {
  for (std::uint32_t s = 0; s < slots; ++s) slots_[s].next = s;
}

GivenEpisodes::Numbered GivenEpisodes::first() {
  Numbered all;
  for (int round = 0; round < 2; ++round)
    for (Slot& slot : slots_) give(slot, all);
  return all;
}

void GivenEpisodes::in_any_order() {
  in_order_ = false;
  for (Slot& slot : slots_) {
    all_.insert(all_.end(), slot.given.begin(), slot.given.end());
    slot.given.clear();
  }
}

void GivenEpisodes::give(Slot& slot, Numbered& to) {
  const std::uint64_t number = slot.next;
  slot.next += slots_.size();
  const auto episode = source_.at(number);
  if (!episode) return;
  to.emplace_back(number, *episode);
  (in_order_ ? slot.given : all_).emplace_back(number, *episode);
}

void GivenEpisodes::take(const Decisions& d, const std::vector<Metric>& metrics, Numbered& coming) {
  if (!d.done && d.asked.empty() && d.ended.empty())
    untrue("asked: nothing is asked and nothing has ended, but the stream is not done");
  for (std::size_t i = 0; i < d.ended.size(); ++i) {
    end(d, i, metrics);
    give(slots_[d.ended[i].slot], coming);
  }
  for (const Ask& ask : d.asked)
    if (ask.sequence == 0) begin(ask.slot, ask.context, ask.episode);
  if (d.done) check_done(d);
}

void GivenEpisodes::begin(std::uint32_t number, std::uint64_t context, const Episode& episode) {
  Slot& slot = slots_[number];
  const std::string what = "begun: " + slot_text(number);
  if (!in_order_) {
    if (std::ranges::find(all_, episode, &Numbered::value_type::second) == all_.end())
      untrue(what + " begins an episode that was not given");
    return;
  }
  if (slot.playing)
    untrue(what + " begins an episode before episode " + std::to_string(slot.id) + " has ended");
  if (slot.given.empty()) untrue(what + " begins an episode that was not given");
  if (const Episode& given = slot.given.front().second; given != episode)
    untrue(what + " begins another episode than " + std::to_string(given.id) + ", the one given");
  if (context != episode.id)
    untrue("context: " + std::to_string(context) + " in " + slot_text(number) +
           " is not the id of its episode, " + std::to_string(episode.id));
  slot.given.erase(slot.given.begin());
  slot.playing = true;
  slot.id = episode.id;
}

void GivenEpisodes::end(const Decisions& d, std::size_t i, const std::vector<Metric>& metrics) {
  const Ended& ended = d.ended[i];
  const auto values = d.metrics_of(i);
  const bool cut_off = ended.last.end == End::truncated;
  for (std::size_t m = 0; m < values.size(); ++m)
    if (!std::isfinite(values[m]) && !(cut_off && std::isnan(values[m])))
      untrue("metrics: " + metrics[m].name + " of episode " + std::to_string(ended.episode.id) +
             " is not a finite number");
  if (ended.decisions == 0) begin(ended.slot, ended.context, ended.episode);
  slots_[ended.slot].playing = false;
  ++ended_;
}

void GivenEpisodes::check_done(const Decisions& d) const {
  if (!d.asked.empty()) untrue("done: is set, but rows are asked");
  if (!in_order_ && ended_ < all_.size())
    untrue("done: " + std::to_string(ended_) + " episodes have ended, " +
           std::to_string(all_.size()) + " were given");
  for (std::uint32_t s = 0; s < slots_.size(); ++s)
    if (const Slot& slot = slots_[s]; slot.playing || !slot.given.empty())
      untrue("done: " + slot_text(s) + " has not ended episode " +
             std::to_string(slot.playing ? slot.id : slot.given.front().second.id));
}

}  // namespace park::bridge
