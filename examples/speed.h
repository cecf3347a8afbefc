// An environment of one's own: the speed of a server is chosen for each job, and speed costs energy
// (Yao, Demers, Shenker, FOCS 1995). Every policy, trainer and benchmark that fits can use it.
// custom_env.cc links it into a program, plugins/cpp/speed.cc makes a plug-in of it.
#pragma once

#include <algorithm>

#include "park/core/layout.h"
#include "park/core/registry.h"

struct SpeedConfig {
  double interval_s = 1;
  bool operator==(const SpeedConfig&) const = default;
  static void fields(auto& self, auto&& visit) {
    park::FieldDoc doc{.doc = "mean time between jobs", .unit = "s", .min = 1e-3, .max = 1e3};
    visit("interval_s", self.interval_s, doc);
  }
};

// What it shows, takes and reports. Each member declares itself and is then the handle for rows.
struct SpeedLayout : park::Layout {
  park::LeafOf<float> wait_s{observation, "wait_s", {.high = 1e9, .unit = "s", .doc = "its wait"}};
  park::LeafOf<float> work_s{observation, "work_s", {.high = 1e9, .unit = "s", .doc = "its work"}};
  park::LeafOf<std::int32_t> speed{action, "speed", {.low = 1, .high = 4, .doc = "for it"}};
  park::MetricOf cost_s{metrics, "cost_s", {.unit = "s", .doc = "mean of wait, service, energy"}};
};

class Speed final : public park::Env {
 public:
  using Config = SpeedConfig;
  static park::Spec spec(const Config&) {
    return SpeedLayout().spec({.name = "speed", .summary = "of a server", .reference = "Yao 1995"});
  }
  explicit Speed(const Config& config) : interval_s_(config.interval_s) {}
  void reset(const park::Episode& episode, park::Row observation) override {
    inputs_ = park::Rng(episode.inputs);
    horizon_s_ = episode.horizon_s;
    jobs_ = now_s_ = free_s_ = cost_ = 0;
    if (events_ != nullptr) events_->begin(episode);
    arrive(observation);
  }
  park::Outcome step(park::ConstRow action, park::Row observation) override {
    const double asked_s = now_s_, speed = action.scalar(layout_.speed);
    free_s_ = std::max(free_s_, now_s_) + work_s_ / speed;
    const double cost = free_s_ - now_s_ + work_s_ * speed * speed / 4;
    cost_ += cost;
    const park::End end = arrive(observation);
    return {-cost, now_s_ - asked_s, end};
  }
  void metrics(std::span<double> out) const override { out[layout_.cost_s] = cost_ / jobs_; }
  void events(park::EventSink* to) override { events_ = to; }

 private:
  // A job's chance is keyed by its number, so it is the same job whatever was done before.
  park::End arrive(park::Row observation) {
    park::Rng draw = inputs_.split(static_cast<std::uint64_t>(jobs_));
    if (jobs_ > 0) now_s_ = std::min(now_s_ + draw.exponential(interval_s_), horizon_s_);
    work_s_ = draw.exponential(1);
    observation.scalar(layout_.wait_s) = static_cast<float>(std::max(0.0, free_s_ - now_s_));
    observation.scalar(layout_.work_s) = static_cast<float>(work_s_);
    if (now_s_ >= horizon_s_) return park::End::truncated;
    if (jobs_ == 1000) return park::End::terminated;
    ++jobs_;
    const park::EventArg work{"work_s", work_s_};
    if (events_ != nullptr) events_->point("server", now_s_, "arrival", {&work, 1});
    return park::End::none;
  }
  SpeedLayout layout_;
  double interval_s_, horizon_s_ = 0, jobs_ = 0, now_s_ = 0, free_s_ = 0, work_s_ = 0, cost_ = 0;
  park::Rng inputs_;
  park::EventSink* events_ = nullptr;
};
