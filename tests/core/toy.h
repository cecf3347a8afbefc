#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "park/core/env.h"
#include "park/core/rng.h"

namespace park::test {

/// A small ragged environment with a conditional range: boxes arrive, the action picks one and
/// takes 1 .. its content out of it. Ends when all inputs are taken; time advances by the amount.
class Boxes final : public Env {
 public:
  static Spec spec() {
    Spec s{.name = "boxes", .summary = "take from boxes", .reference = "none"};
    s.observation.groups = {{"boxes", 16}};
    s.observation.leaves = {
        {.name = "box.content",
         .dtype = DType::i32,
         .low = 0,
         .high = 9,
         .doc = "left",
         .group = "boxes"},
        {.name = "mask.box",
         .dtype = DType::u8,
         .low = 0,
         .high = 1,
         .doc = "not empty",
         .group = "boxes"},
        {.name = "amount.min",
         .dtype = DType::i32,
         .low = 0,
         .high = 9,
         .doc = "least",
         .group = "boxes"},
        {.name = "amount.max",
         .dtype = DType::i32,
         .low = 0,
         .high = 9,
         .doc = "most",
         .group = "boxes"},
        {.name = "time", .dtype = DType::f64, .low = 0, .high = 1e6, .unit = "s", .doc = "clock"}};
    s.action.leaves = {{.name = "box",
                        .dtype = DType::i32,
                        .low = 0,
                        .high = 15,
                        .doc = "which",
                        .index_of = "boxes"},
                       {.name = "amount",
                        .dtype = DType::i32,
                        .low = 1,
                        .high = 9,
                        .doc = "how much",
                        .given = {"box"}}};
    s.metrics = {{"moves", "1", true, "decisions"}};
    return s;
  }
  /// Throws in the given step of the given episode.
  struct Fault {
    std::uint64_t episode = 0;
    int step = 0;
  };
  explicit Boxes(std::optional<Fault> fault = {}) : fault_(fault) {
    const Batch o(spec().observation), a(spec().action);
    content_ = o.field<std::int32_t>("box.content");
    mask_ = o.field<std::uint8_t>("mask.box");
    min_ = o.field<std::int32_t>("amount.min");
    max_ = o.field<std::int32_t>("amount.max");
    time_ = o.field<double>("time");
    boxes_ = o.group("boxes");
    box_ = a.field<std::int32_t>("box");
    amount_ = a.field<std::int32_t>("amount");
  }
  void reset(const Episode& e, Row obs) override {
    episode_ = e;
    Rng inputs(e.inputs);
    count_ = 1 + inputs.below(8);
    left_ = 0;
    clock_ = moves_ = 0;
    for (std::size_t i = 0; i < count_; ++i)
      left_ += content_of_[i] = 1 + static_cast<std::int32_t>(inputs.below(9));
    write(obs);
  }
  Outcome step(ConstRow act, Row obs) override {
    ++moves_;
    if (fault_ && fault_->episode == episode_.id && fault_->step == moves_)
      throw Error(Errc::unavailable, "a box fell");
    const auto box = static_cast<std::size_t>(act.scalar(box_));
    const std::int32_t n = act.scalar(amount_);
    content_of_[box] -= n;
    left_ -= n;
    const double u = Rng(episode_.dynamics).split(static_cast<std::uint64_t>(moves_)).uniform();
    clock_ += n;
    write(obs);
    return {-n * u, static_cast<double>(n), left_ == 0 ? End::terminated : End::none};
  }
  void metrics(std::span<double> m) const override { m[0] = moves_; }
  [[nodiscard]] std::uint64_t event_count() const noexcept override {
    return static_cast<std::uint64_t>(moves_);
  }

 private:
  void write(Row obs) const {
    obs.resize(boxes_, count_);
    for (std::size_t i = 0; i < count_; ++i) {
      obs[content_][i] = content_of_[i];
      obs[mask_][i] = content_of_[i] > 0;
      obs[min_][i] = content_of_[i] > 0;
      obs[max_][i] = content_of_[i];
    }
    obs.scalar(time_) = clock_;
  }

  std::optional<Fault> fault_;
  Episode episode_;
  std::int32_t content_of_[16] = {}, left_ = 0;
  int moves_ = 0;
  std::size_t count_ = 0;
  double clock_ = 0;
  Field<std::int32_t> content_, min_, max_, box_, amount_;
  Field<std::uint8_t> mask_;
  Field<double> time_;
  GroupId boxes_;
};

}  // namespace park::test
