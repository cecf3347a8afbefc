#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/config.h"
#include "park/core/env.h"
#include "park/core/futures.h"
#include "park/core/rng.h"
#include "park/core/space.h"

namespace park::test {

struct Clerk {
  static constexpr std::string_view kName = "clerk";
  double rate = 1;
  bool operator==(const Clerk&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("rate", self.rate, FieldDoc{.doc = "speed", .unit = "1/s", .min = 0.1, .max = 10});
  }
};

struct ToyShopConfig {
  std::int32_t customers = 12;
  double interval_s = 1;
  std::string mood = "calm";
  std::vector<Clerk> staff = {{}};
  std::string fault = "none";
  bool operator==(const ToyShopConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("customers", self.customers, FieldDoc{.doc = "of an episode", .min = 1, .max = 20000});
    visit("interval_s", self.interval_s,
          FieldDoc{.doc = "mean between arrivals", .unit = "s", .min = 0.01, .max = 100});
    visit("mood", self.mood, FieldDoc{.doc = "busy: everybody wants more", .choices = "calm|busy"});
    visit("staff", self.staff, FieldDoc{.doc = "who serves, all at once"});
    visit("fault", self.fault, FieldDoc{.doc = "what is wrong with this environment"});
  }
};

/// A small environment with every feature of a space. It has ragged groups that refer to each
/// other, an index head, a range and a mask that depend on it, and a continuous head. Customers
/// arrive; a decision serves one of them: takes an amount of what is left, at a desk that his kind
/// may use. Ends when everybody has left.
///
/// The field `fault` breaks it in one way, so that the conformance tests can show that they notice.
class ToyShop : public Env, public Futures {
 public:
  static constexpr std::string_view kName = "toy_shop";
  using Config = ToyShopConfig;
  static Spec spec(const Config&);
  explicit ToyShop(const Config&);

  void reset(const Episode&, Row) override;
  Outcome step(ConstRow action, Row) override;
  void metrics(std::span<double>) const override;
  void events(EventSink* sink) override {
    if (sink != nullptr || !is("still_reports")) sink_ = sink;
  }
  /// Counted for its fault alone: records of the shop have no events.
  [[nodiscard]] std::uint64_t event_count() const noexcept override {
    return is("old_events") || is("counts_anew") ? event_count_ : 0;
  }
  [[nodiscard]] std::unique_ptr<Env> clone() const override;
  [[nodiscard]] std::unique_ptr<Env> clone_with_future(std::uint64_t seed) const override;

 private:
  struct Customer {
    double arrival_s = 0;
    std::int32_t number = 0, left = 0, kind = 0, visits = 0;
  };

  [[nodiscard]] bool is(std::string_view fault) const noexcept { return config_.fault == fault; }
  [[nodiscard]] Rng draw_of(std::uint64_t customer) const;
  [[nodiscard]] std::int32_t wanted(Rng& draw) const;
  void let_in();
  void follow_fault(std::int32_t place, std::int32_t amount);
  void report_service(double start_s) const;
  [[nodiscard]] double service_s(const Customer&, std::int32_t amount, double speed) const;
  void write(Row);
  void write_customers(Row) const;
  void write_kinds(Row) const;
  void spoil(Row) const;

  Config config_;
  std::uint64_t made_;  // environments before this one
  double rate_ = 0;
  Episode episode_;
  double now_s_ = 0, next_s_ = 0;
  std::int32_t arrived_ = 0, decisions_ = 0;
  std::uint64_t gaps_drawn_ = 0;
  std::vector<Customer> present_;
  std::vector<double> log_;
  std::int32_t total_decisions_ = 0, served_first_ = 0;
  std::uint64_t event_count_ = 0;
  mutable std::int32_t looks_ = 0;
  bool ended_ = true, left_behind_ = false;
  std::shared_ptr<double> pace_ = std::make_shared<double>(1);
  EventSink* sink_ = nullptr;

  Field<double> time_;
  Field<float> wait_, weight_, speed_;
  Field<std::int32_t> left_, kind_, min_, max_, visits_, customer_, amount_, desk_;
  Field<std::uint8_t> mask_customer_, mask_desk_;
  GroupId customers_, kinds_;
};

/// A fault of ToyShop, the property that must notice it, and what is wrong.
struct Fault {
  std::string_view name, property, says;
};
[[nodiscard]] const std::vector<Fault>& faults();

/// An environment whose list of fields is wrong: no documentation, a default outside its range, a
/// range that grows whenever somebody looks.
class ToySloppy final : public Env {
 public:
  static constexpr std::string_view kName = "toy_sloppy";
  struct Config {
    double ratio = 5;
    std::int32_t steps = 1;
    inline static std::atomic<std::int32_t> widest = 9;
    bool operator==(const Config&) const = default;
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
      visit("ratio", self.ratio, FieldDoc{.doc = "", .min = 0, .max = 1});
      visit("steps", self.steps, FieldDoc{.doc = "any", .min = 1, .max = 1.0 * ++widest});
    }
  };
  static Spec spec(const Config&);
  explicit ToySloppy(const Config&) {}
  void reset(const Episode&, Row) override {}
  Outcome step(ConstRow, Row) override { return {.end = End::terminated}; }
  void metrics(std::span<double>) const override {}
};

}  // namespace park::test
