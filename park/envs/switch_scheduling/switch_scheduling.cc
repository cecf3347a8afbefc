// The environment: arrivals, VOQs and a crossbar. A slot begins with its arrivals (begin_slot), and
// the row shows the queues then. step adds a pair to the crossbar, or a whole matching; where no
// more can follow, end_slot sends the cells and goes on to the next slot with a cell. Features are
// computed once per slot; within a slot only the mask changes. Pool calls it.
#include "park/envs/switch_scheduling/switch_scheduling.h"

#include <algorithm>

namespace park::switch_scheduling {

Spec SwitchScheduling::spec(const Config& c) {
  const Spec about{
      .name = kSwitchSchedulingName,
      .summary = "match inputs and outputs of a crossbar switch in every slot",
      .reference =
          "Mao et al., Park: An Open Platform for Learning-Augmented Computer Systems, NeurIPS "
          "2019; McKeown, Mekkittikul, Anantharam, Walrand, Achieving 100% throughput in an "
          "input-queued switch, IEEE Transactions on Communications 47(8), 1999",
      .traits = {.cloneable = true}};
  return c.action == "pairs" ? PairLayout(c).spec(about) : WeightLayout(c).spec(about);
}

SwitchScheduling::SwitchScheduling(const Config& c)
    : ports_(static_cast<std::size_t>(c.ports)),
      slots_(c.arrival_slots),
      idle_(c.idle),
      drain_(c.drain),
      slot_s_(c.slot_s),
      arrivals_(c),
      voqs_(ports_),
      crossbar_(ports_),
      features_(ports_, ports_ * ports_ + (c.action == "pairs" ? 1 : 0)),
      figures_(ports_),
      matrix_(ports_ * ports_),
      timeline_(ports_, c.slot_s) {
  if (c.action == "pairs")
    pairs_.emplace(c);
  else
    weights_.emplace(c);
}

void SwitchScheduling::reset(const Episode& e, Row observation) {
  arrivals_.draw_from(e.inputs);
  horizon_s_ = e.horizon_s;
  now_s_ = 0;
  slot_ = drawn_ = 0;
  voqs_.clear();
  features_.clear();
  figures_.clear();
  if (timeline_) timeline_.begin();
  begin_slot();
  features_.begin_slot(voqs_, slot_);
  observe(observation);
}

void SwitchScheduling::begin_slot() {
  crossbar_.clear();
  if (arriving()) arrive();
  if (timeline_) timeline_.present(slot_, voqs_.total());
}

void SwitchScheduling::arrive() {
  for (const std::uint32_t voq : arrivals_.draw(slot_)) {
    const std::size_t input = voq / ports_, output = voq % ports_;
    if (timeline_) timeline_.arrival(slot_, figures_.arrived(), input, output);
    voqs_.push(voq, {slot_, figures_.arrived()});
    figures_.arrive(output);
    features_.arrive(input, output);
  }
  if (arrivals_.begins_phase(slot_)) features_.set_rates(arrivals_.rates());
  ++drawn_;
}

Outcome SwitchScheduling::step(ConstRow action, Row observation) {
  if (weights_) {
    take_weights(action[weights_->weight]);
    return end_slot(observation);
  }
  const auto chosen = static_cast<std::size_t>(action.scalar(pairs_->pair));
  const bool done = chosen == ports_ * ports_;
  if (!done) add_pair(chosen);
  if (done || crossbar_.maximal(voqs_)) return end_slot(observation);
  observe(observation);
  return {};
}

void SwitchScheduling::add_pair(std::size_t voq) { crossbar_.add(voq / ports_, voq % ports_); }

void SwitchScheduling::take_weights(std::span<const float> weights) {
  for (std::size_t v = 0; v < matrix_.size(); ++v) matrix_[v] = voqs_.size(v) ? weights[v] : 0.0f;
  const std::span<const std::int32_t> outputs = assignment_.solve(matrix_, ports_);
  for (std::size_t i = 0; i < ports_; ++i)
    if (outputs[i] >= 0) crossbar_.add(i, static_cast<std::size_t>(outputs[i]));
  if (!may_idle()) complete_matching();
}

/// Pairs of weight 0 that can be added, from the first input and its first output on.
void SwitchScheduling::complete_matching() {
  for (std::size_t v = 0; v < matrix_.size() && !crossbar_.maximal(voqs_); ++v) {
    const bool free = (crossbar_.free_inputs() >> (v / ports_) & 1) != 0 &&
                      (crossbar_.free_outputs() >> (v % ports_) & 1) != 0;
    if (free && voqs_.size(v) > 0) add_pair(v);
  }
}

/// Goes on to the next slot with a cell, or to the end.
Outcome SwitchScheduling::end_slot(Row observation) {
  const double before_s = now_s_;
  Outcome o;
  while (pass_slot(o) && voqs_.total() == 0) continue;
  o.elapsed_s = now_s_ - before_s;
  if (o.end != End::none) crossbar_.clear();
  features_.begin_slot(voqs_, slot_);
  observe(observation);
  return o;
}

/// This slot passes, and the next one begins. False: the episode ends with it, or within it.
bool SwitchScheduling::pass_slot(Outcome& o) {
  const std::uint64_t cells = voqs_.total();
  const double end_s = static_cast<double>(slot_ + 1) * slot_s_;
  if (end_s > horizon_s_) {
    const double part = std::clamp((horizon_s_ - now_s_) / slot_s_, 0.0, 1.0);
    figures_.pass(cells, part);
    o.reward -= part * static_cast<double>(cells);
    now_s_ = horizon_s_;
    o.end = End::truncated;
    return false;
  }
  figures_.pass(cells, 1);
  if (cells > 0) figures_.end_slot(crossbar_.maximal(voqs_));
  send();
  o.reward -= static_cast<double>(cells);
  ++slot_;
  now_s_ = end_s;
  if (!arriving() && (!drain_ || voqs_.total() == 0))
    o.end = End::terminated;
  else if (now_s_ >= horizon_s_)
    o.end = End::truncated;
  if (o.end == End::none) begin_slot();
  return o.end == End::none;
}

void SwitchScheduling::send() {
  for (const Crossbar::Pair& pair : crossbar_.pairs()) {
    const std::size_t voq = pair.input * ports_ + pair.output;
    const Voqs::Cell cell = voqs_.pop(voq);
    figures_.send(slot_ + 1 - cell.slot);
    features_.send(voq, slot_);
    if (timeline_) timeline_.sent(slot_, cell, pair);
  }
}

void SwitchScheduling::observe(Row row) const {
  const SwitchLayout& l = layout();
  row.resize(l.voqs, static_cast<std::size_t>(l.elements));
  features_.write(l, row);
  row.scalar(l.cells) = static_cast<float>(voqs_.total());
  row.scalar(l.matched) = static_cast<float>(crossbar_.pairs().size());
  if (pairs_) write_mask(row);
}

void SwitchScheduling::write_mask(Row row) const {
  const std::span<std::uint8_t> mask = row[pairs_->mask], done = row[pairs_->done];
  std::ranges::fill(done, std::uint8_t{0});
  done.back() = 1;
  std::size_t v = 0;
  bool any = false;
  for (std::size_t i = 0; i < ports_; ++i) {
    const bool free = (crossbar_.free_inputs() >> i & 1) != 0;
    const std::uint64_t open = free ? voqs_.wanted(i) & crossbar_.free_outputs() : 0;
    any = any || open != 0;
    for (std::size_t j = 0; j < ports_; ++j, ++v)
      mask[v] = static_cast<std::uint8_t>(open >> j & 1);
  }
  mask[v] = may_idle() || !any ? 1 : 0;
}

void SwitchScheduling::metrics(std::span<double> out) const {
  const SwitchLayout& l = layout();
  const double port_slots = figures_.slots() * static_cast<double>(ports_);
  out[l.mean_delay_slots] = figures_.mean_delay_slots();
  out[l.p50_delay_slots] = figures_.percentile(50);
  out[l.p99_delay_slots] = figures_.percentile(99);
  out[l.mean_delay_s] = figures_.mean_delay_slots() * slot_s_;
  out[l.output_queued_delay_slots] = figures_.output_queued_delay_slots();
  out[l.throughput] = static_cast<double>(figures_.sent()) / port_slots;
  out[l.offered_load] = static_cast<double>(figures_.arrived()) /
                        (static_cast<double>(drawn_) * static_cast<double>(ports_));
  out[l.mean_cells] = figures_.mean_cells();
  out[l.most_cells] = figures_.most_cells();
  out[l.maximal_share] = figures_.maximal_share();
  out[l.cells_left] = static_cast<double>(voqs_.total());
}

std::unique_ptr<Env> SwitchScheduling::clone() const {
  auto copy = std::make_unique<SwitchScheduling>(*this);
  copy->timeline_.set(nullptr);
  return copy;
}

std::unique_ptr<Env> SwitchScheduling::clone_with_future(std::uint64_t seed) const {
  auto copy = std::make_unique<SwitchScheduling>(*this);
  copy->timeline_.set(nullptr);
  copy->arrivals_.draw_from(seed);
  return copy;
}

}  // namespace park::switch_scheduling
