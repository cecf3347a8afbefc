// CartPole of Gymnasium as a plug-in, for a comparison of speeds: the equations and constants of Barto,
// Sutton, Anderson 1983 as gymnasium/envs/classic_control/cartpole.py has them (Euler, 0.02 s, force 10 N).
// An episode ends when the cart or the pole leaves its range, or after 500 steps.
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "park/core/layout.h"
#include "park/core/registry.h"
#include "park/plugin/cpp.h"

namespace {

constexpr double kStep = 0.02, kForce = 10, kGravity = 9.8, kCart = 1, kPole = 0.1,
                 kHalfLength = 0.5;
constexpr double kMostX = 2.4, kMostAngle = 12 * 2 * std::numbers::pi / 360;
constexpr int kSteps = 500;

struct NoConfig {
  bool operator==(const NoConfig&) const = default;
  static void fields(auto&, auto&&) {}
};

struct CartPoleLayout : park::Layout {
  park::LeafOf<float> x{
      observation, "x", {.low = -1e9, .high = 1e9, .unit = "m", .doc = "of the cart"}};
  park::LeafOf<float> speed{
      observation, "speed", {.low = -1e9, .high = 1e9, .unit = "m/s", .doc = "of x"}};
  park::LeafOf<float> angle{
      observation, "angle", {.low = -1e9, .high = 1e9, .unit = "rad", .doc = "of the pole"}};
  park::LeafOf<float> turn{
      observation, "turn", {.low = -1e9, .high = 1e9, .unit = "rad/s", .doc = "of the angle"}};
  park::LeafOf<std::int32_t> push{
      action, "push", {.low = 0, .high = 1, .doc = "0: left, 1: right"}};
  park::MetricOf length{
      metrics, "length", {.unit = "steps", .lower_is_better = false, .doc = "of the episode"}};
};

class CartPole final : public park::Env {
 public:
  using Config = NoConfig;
  static park::Spec spec(const Config&) {
    return CartPoleLayout().spec({.name = "cart_pole",
                                  .summary = "keep a pole upright on a cart",
                                  .reference = "Barto, Sutton, Anderson 1983"});
  }
  explicit CartPole(const Config&) {}
  void reset(const park::Episode& episode, park::Row observation) override {
    const park::Rng inputs(episode.inputs);
    horizon_s_ = episode.horizon_s;
    steps_ = 0;
    double* const state[] = {&x_, &speed_, &angle_, &turn_};
    for (std::uint64_t i = 0; i < 4; ++i) *state[i] = inputs.split(i).uniform() * 0.1 - 0.05;
    show(observation);
  }
  park::Outcome step(park::ConstRow action, park::Row observation) override {
    const double left_s = horizon_s_ - steps_ * kStep;
    if (left_s <= kStep) {
      show(observation);
      return {0, left_s, park::End::truncated};
    }
    move(action.scalar(layout_.push) == 1 ? kForce : -kForce);
    ++steps_;
    show(observation);
    const bool fallen = std::abs(x_) > kMostX || std::abs(angle_) > kMostAngle;
    return {1, kStep, fallen || steps_ == kSteps ? park::End::terminated : park::End::none};
  }
  void metrics(std::span<double> out) const override { out[layout_.length] = steps_; }

 private:
  void move(double force) {
    const double c = std::cos(angle_), s = std::sin(angle_), total = kCart + kPole;
    const double part = (force + kPole * kHalfLength * turn_ * turn_ * s) / total;
    const double bend =
        (kGravity * s - c * part) / (kHalfLength * (4.0 / 3.0 - kPole * c * c / total));
    const double push = part - kPole * kHalfLength * bend * c / total;
    x_ += kStep * speed_;
    speed_ += kStep * push;
    angle_ += kStep * turn_;
    turn_ += kStep * bend;
  }
  void show(park::Row observation) const {
    observation.scalar(layout_.x) = static_cast<float>(x_);
    observation.scalar(layout_.speed) = static_cast<float>(speed_);
    observation.scalar(layout_.angle) = static_cast<float>(angle_);
    observation.scalar(layout_.turn) = static_cast<float>(turn_);
  }

  CartPoleLayout layout_;
  double x_ = 0, speed_ = 0, angle_ = 0, turn_ = 0, horizon_s_ = 0;
  int steps_ = 0;
};

}  // namespace

PARK_PLUGIN(CartPole);
