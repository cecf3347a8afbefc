#pragma once

#include <park/core/config.h>
#include <park/core/layout.h>
#include <park/core/policy.h>
#include <park/core/registry.h>

#include <cstdint>

namespace project::newpolicy {

/// What the policy reads and answers. `park describe load_balance` lists all leaves with their
/// meaning; one that an environment lacks is an error when the policy is made, by name.
struct ServersLayout : park::Layout {
  using Layout::Layout;

  park::Axis servers;
  park::LeafOf<float> rate{
      observation,
      "server.rate",
      {.shape = {servers}, .unit = "work/s", .doc = "work that the server does per second"}};
  park::LeafOf<float> drain_s{
      observation,
      "server.drain_s",
      {.shape = {servers}, .unit = "s", .doc = "time until the server has done the work left"}};
  park::LeafOf<float> size{
      observation, "job.size", {.unit = "work", .doc = "size of the job that asks"}};
  park::LeafOf<std::int32_t> server{
      action,
      "server",
      {.high = static_cast<double>(servers.size) - 1, .doc = "the server that gets the job"}};
};

struct WeightedDelayConfig {
  double weight = 1;

  bool operator==(const WeightedDelayConfig&) const = default;
  /// `park tune` tries the values of `tune`.
  static void fields(auto& self, auto&& visit) {
    visit("weight", self.weight,
          park::FieldDoc{.doc = "of the service time against the wait",
                         .min = 0,
                         .max = 100,
                         .tune = "0:2:0.25"});
  }
};

/// Sends a job to the server with the least wait + weight x service time. With weight = 1 that is
/// the greedy choice; with less, slow servers that stand idle are used more.
class WeightedDelay final : public park::RowPolicy {
 public:
  using Config = WeightedDelayConfig;
  [[nodiscard]] static park::PolicyInfo info();
  WeightedDelay(const Config& config, const park::Spec& spec)
      : weight_(static_cast<float>(config.weight)),
        layout_(park::bind_layout<ServersLayout>(spec)) {}

 private:
  void choose(const park::Ask&, park::ConstRow observation, park::Row action) override;

  float weight_;
  ServersLayout layout_;
};

}  // namespace project::newpolicy
