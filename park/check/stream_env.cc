#include "park/check/stream_env.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace park::check {

std::optional<Episode> StreamEnv::OneEpisode::at(std::uint64_t k) const {
  if (k > 0) return {};
  return episode;
}

StreamEnv::StreamEnv(const Registry& registry, std::string text, const Spec& spec)
    : registry_(registry),
      text_(std::move(text)),
      action_(spec.action),
      metrics_(spec.metrics.size()) {}

void StreamEnv::reset(const Episode& e, Row observation) {
  stream_.reset();
  source_.episode = e;
  stream_ = registry_.stream(text_, source_);
  const Decisions& d = stream_->recv();
  if (d.asked.size() != 1 || !d.ended.empty())
    throw std::runtime_error("an episode does not begin with one decision");
  observation.assign(d.observation.row(0));
}

Outcome StreamEnv::step(ConstRow action, Row observation) {
  action_.clear();
  action_.append(action.batch(), action.index());
  stream_->send(action_);
  const Decisions& d = stream_->recv();
  if (d.asked.size() + d.ended.size() != 1)
    throw std::runtime_error("a decision is followed neither by one more nor by the end");
  if (d.ended.empty()) {
    observation.assign(d.observation.row(0));
    return d.asked[0].since_last;
  }
  observation.assign(d.final_observation.row(0));
  std::ranges::copy(d.metrics, metrics_.begin());
  return d.ended[0].last;
}

void StreamEnv::metrics(std::span<double> to) const { std::ranges::copy(metrics_, to.begin()); }

}  // namespace park::check
