#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/events.h"

namespace park::check {

/// Keeps the exogenous inputs that an environment reports: points "arrival".
class ArrivalLog final : public EventSink {
 public:
  struct Arrival {
    double time_s = 0;
    std::string lane;
    std::vector<std::pair<std::string, double>> args;
    bool operator==(const Arrival&) const = default;
  };

  void begin(const Episode&) override {}
  void span(std::string_view, double, double, std::string_view,
            std::span<const EventArg>) override {}
  void lane(std::string_view) override {}
  void job(std::uint64_t, std::string_view, std::span<const EventStage>) override {}
  void value(std::string_view, std::string_view, double, double) override {}
  void point(std::string_view lane, double time_s, std::string_view what,
             std::span<const EventArg> args) override {
    if (what != "arrival") return;
    Arrival& a = all_.emplace_back();
    a.time_s = time_s;
    a.lane = lane;
    for (const EventArg& arg : args) a.args.emplace_back(arg.name, arg.value);
  }

  [[nodiscard]] const std::vector<Arrival>& all() const noexcept { return all_; }

 private:
  std::vector<Arrival> all_;
};

}  // namespace park::check
