// The smallest environments for tests of core: a counter, as a simulator and as a running system.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "park/core/as_system.h"
#include "park/core/config.h"
#include "park/core/env.h"
#include "park/core/registry.h"
#include "park/core/rng.h"

namespace park::test {

/// A counter that a decision raises by 1 .. `most`; ends at `goal` or at the horizon. `drift`
/// changes one result, as a later version of the code might.
class CounterEnv : public Env {
 public:
  static constexpr std::string_view kName = "counter";
  struct Config {
    std::int32_t goal = 10, most = 3;
    double horizon_s = kInf;
    double drift = 0;
    bool operator==(const Config&) const = default;
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
      visit("goal", self.goal, FieldDoc{.doc = "end", .min = 1, .max = 1000});
      visit("most", self.most, FieldDoc{.doc = "largest step", .min = 1, .max = 9, .tune = "1|2"});
      visit("horizon_s", self.horizon_s, FieldDoc{.doc = "mean", .unit = "s", .min = 0});
      visit("drift", self.drift, FieldDoc{.doc = "added to the reward"});
    }
  };
  static Spec spec(const Config& c) {
    Spec s{.name = std::string(kName), .summary = "counts", .reference = "none", .version = 4};
    s.observation.groups = {{"past", 1000}};
    s.observation.leaves = {
        {.name = "count", .dtype = DType::i64, .low = 0, .high = 2000, .doc = "so far"},
        {.name = "noise", .dtype = DType::f32, .shape = {2}, .low = 0, .high = 1, .doc = "random"},
        {.name = "past.amount",
         .dtype = DType::i32,
         .low = 0,
         .high = 9,
         .doc = "decisions",
         .group = "past"}};
    s.action.leaves = {{.name = "amount",
                        .dtype = DType::i32,
                        .low = 1,
                        .high = static_cast<double>(c.most),
                        .doc = "step"}};
    s.metrics = {{"steps", "1", true, "decisions"}, {"time_s", "s", true, "clock"}};
    s.traits.twin = "counter_twin";
    return s;
  }
  explicit CounterEnv(const Config& c) : config_(c) {
    const Batch o(spec(c).observation), a(spec(c).action);
    count_ = o.field<std::int64_t>("count");
    noise_ = o.field<float>("noise");
    past_ = o.field<std::int32_t>("past.amount");
    group_ = o.group("past");
    amount_ = a.field<std::int32_t>("amount");
  }
  void reset(const Episode& e, Row row) override {
    episode_ = e;
    amounts_.clear();
    total_ = 0;
    time_s_ = 0;
    write(row);
  }
  Outcome step(ConstRow action, Row row) override {
    const std::int32_t n = action.scalar(amount_);
    total_ += n;
    amounts_.push_back(n);
    const double elapsed_s = Rng(episode_.dynamics).split(amounts_.size()).exponential(n);
    time_s_ += elapsed_s;
    write(row);
    const End end = total_ >= config_.goal          ? End::terminated
                    : time_s_ >= episode_.horizon_s ? End::truncated
                                                    : End::none;
    return {.reward = -elapsed_s + config_.drift, .elapsed_s = elapsed_s, .end = end};
  }
  void metrics(std::span<double> m) const override {
    m[0] = static_cast<double>(amounts_.size());
    m[1] = time_s_;
  }

 private:
  void write(Row row) const {
    row.scalar(count_) = total_;
    for (std::size_t i = 0; i < 2; ++i)
      row[noise_][i] =
          static_cast<float>(Rng(episode_.inputs).split(amounts_.size() * 2 + i).uniform());
    row.resize(group_, amounts_.size());
    for (std::size_t i = 0; i < amounts_.size(); ++i) row[past_][i] = amounts_[i];
  }

  Config config_;
  Episode episode_;
  std::int64_t total_ = 0;
  double time_s_ = 0;
  std::vector<std::int32_t> amounts_;
  Field<std::int64_t> count_;
  Field<float> noise_;
  Field<std::int32_t> past_, amount_;
  GroupId group_;
};

/// The counter as a running system.
class CounterSystem final : public SystemEnv {
 public:
  static constexpr std::string_view kName = "counter_twin";
  using Config = CounterEnv::Config;
  static Spec spec(const Config& c) {
    Spec s = CounterEnv::spec(c);
    s.name = kName;
    s.traits.system = true;
    s.traits.replayable = false;
    s.traits.twin = std::string(CounterEnv::kName);
    return s;
  }
  explicit CounterSystem(const Config& c) : system_(spec(c), std::make_unique<CounterEnv>(c)) {}
  void run(Episodes& e, Decider& d, std::stop_token s) override { system_.run(e, d, s); }

 private:
  AsSystem system_;
};

/// Always the same amount.
class Constant final : public Policy {
 public:
  struct Config {
    std::int32_t amount = 2;
    bool operator==(const Config&) const = default;
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
      visit("amount", self.amount, FieldDoc{.doc = "step", .min = 1, .max = 9});
    }
  };
  static PolicyInfo info() {
    return {.name = "constant",
            .summary = "same step",
            .reference = "none",
            .environments = {"counter"}};
  }
  Constant(const Config& c, const Spec& s)
      : config_(c), amount_(Batch(s.action).field<std::int32_t>("amount")) {}
  void act(const Decisions&, Batch& actions) override {
    for (std::size_t i = 0; i < actions.rows(); ++i)
      actions.row(i).scalar(amount_) = config_.amount;
  }

 private:
  Config config_;
  Field<std::int32_t> amount_;
};

inline Registry counter_registry() {
  Registry r;
  r.add_env<CounterEnv>();
  r.add_system<CounterSystem>();
  r.add_policy<Constant>();
  r.add_policy({.name = "random", .summary = "any", .reference = "none"},
               [](const Spec& s) { return std::make_unique<RandomPolicy>(s); });
  return r;
}

}  // namespace park::test
