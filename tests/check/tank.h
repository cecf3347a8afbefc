#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "park/core/config.h"
#include "park/core/env.h"
#include "park/core/rng.h"

namespace park::test {

struct TankConfig {
  bool overflows = false, opens_late = false;
  bool operator==(const TankConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("overflows", self.overflows, FieldDoc{.doc = "fault: the level leaves its bounds"});
    visit("opens_late", self.opens_late, FieldDoc{.doc = "fault: the horizon is not looked at"});
  }
};

/// An environment as an author outside of this project writes it: rain falls into a tank each
/// second, and a decision opens a valve. The fields break it as an author may do by mistake.
class Tank final : public Env {
 public:
  static constexpr std::string_view kName = "tank";
  using Config = TankConfig;
  static Spec spec(const Config&) {
    Spec s{.name = std::string(kName), .summary = "keep a tank half full", .reference = "a test"};
    s.observation.leaves = {{.name = "level", .low = 0, .high = kHigh, .doc = "litres in it"}};
    s.action.leaves = {
        {.name = "valve", .dtype = DType::i32, .low = 0, .high = 3, .doc = "litres to let out"}};
    s.metrics = {{"mean_level", "1", true, "over the seconds of the episode"}};
    return s;
  }
  explicit Tank(const Config& c)
      : config_(c),
        level_(Batch(spec(c).observation).field<float>("level")),
        valve_(Batch(spec(c).action).field<std::int32_t>("valve")) {}

  void reset(const Episode& e, Row row) override {
    episode_ = e;
    second_ = 0;
    litres_ = kHigh / 2;
    sum_ = now_s_ = 0;
    row.scalar(level_) = static_cast<float>(litres_);
  }

  Outcome step(ConstRow action, Row row) override {
    const double before_s = now_s_;
    Outcome o{.reward = -litres_};
    sum_ += litres_;
    if (!config_.opens_late && now_s_ + 1 >= episode_.horizon_s) {
      now_s_ = episode_.horizon_s;
      o.end = End::truncated;
    } else {
      now_s_ += 1;
      rain();
      litres_ -= action.scalar(valve_);
      if (!config_.overflows) litres_ = std::clamp(litres_, 0.0, kHigh);
      if (second_ == 60) o.end = End::terminated;
    }
    o.elapsed_s = now_s_ - before_s;
    row.scalar(level_) = static_cast<float>(litres_);
    return o;
  }

  void metrics(std::span<double> m) const override { m[0] = sum_ / std::max(1, second_); }
  void events(EventSink* sink) override { sink_ = sink; }

 private:
  static constexpr double kHigh = 10;

  void rain() {
    Rng draw = Rng(episode_.inputs).split(static_cast<std::uint64_t>(second_++));
    const double litres = draw.uniform(0, 4);
    litres_ += litres;
    const EventArg amount{"litres", litres};
    if (sink_ != nullptr) sink_->point("sky", now_s_, "arrival", {&amount, 1});
  }

  Config config_;
  Field<float> level_;
  Field<std::int32_t> valve_;
  Episode episode_;
  std::int32_t second_ = 0;
  double litres_ = 0, sum_ = 0, now_s_ = 0;
  EventSink* sink_ = nullptr;
};

}  // namespace park::test
