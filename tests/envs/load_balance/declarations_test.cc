// A declared size shows in the row that asks, and in its server's work until the job is done.
#include "park/envs/load_balance/declarations.h"

#include <gtest/gtest.h>

#include <vector>

#include "park/core/misreporting_env.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"

namespace park::load_balance {
namespace declarations_test {

constexpr const char* kEnv = "load_balance(servers=2,rates=[1,2],jobs=30,sizes=exponential)";

class DeclaredSizes : public ::testing::Test {
 protected:
  DeclaredSizes() { envs::register_all(registry_); }

  /// Plays the first server for job 0 and the second one for others; the truth beside what is seen.
  struct Rows {
    Batch truth, seen;
    std::vector<double> elapsed_s{};
  };
  Rows rows(double factor) {
    const Spec spec = registry_.spec(kEnv);
    const auto misreport = [&](const Episode&, const Declarations&, const Moment&,
                               std::uint64_t job) -> std::optional<Misreport> {
      if (job != 0) return {};
      return Misreport{.job = 0, .factors = {factor}};
    };
    const auto seen = misreporting(spec, registry_.env_factory(kEnv), misreport)();
    const auto truth = registry_.env_factory(kEnv)();
    Rows all{Batch(spec.observation), Batch(spec.observation)};
    const Episode episode{.inputs = 4};
    truth->reset(episode, all.truth.append());
    seen->reset(episode, all.seen.append());
    Batch action(spec.action);
    action.resize(1);
    for (End end = End::none; end == End::none;) {
      action.row(0).scalar(layout().server) = all.elapsed_s.empty() ? 0 : 1;
      const Outcome a = truth->step(std::as_const(action).row(0), all.truth.append());
      const Outcome b = seen->step(std::as_const(action).row(0), all.seen.append());
      EXPECT_EQ(a, b) << "rewards and times are true";
      all.elapsed_s.push_back(a.elapsed_s);
      end = a.end;
    }
    return all;
  }
  [[nodiscard]] ServersLayout layout() const {
    return bind_layout<ServersLayout>(registry_.spec(kEnv));
  }
  Registry registry_;
};

TEST_F(DeclaredSizes, TheWorkOfItsServerFollowsUntilItIsDone) {
  for (const double factor : {0.5, 1.5}) {
    const Rows all = rows(factor);
    const ServersLayout l = layout();
    const double size = static_cast<double>(all.truth.row(0).scalar(l.size));
    EXPECT_NEAR(all.seen.row(0).scalar(l.size), factor * size, 1e-3);
    double now_s = 0;
    std::size_t served = 0, after = 0;
    for (std::size_t r = 1; r + 1 < all.truth.rows(); ++r) {
      now_s += all.elapsed_s[r - 1];
      const ConstRow seen = all.seen.row(r), truth = all.truth.row(r);
      EXPECT_EQ(seen.scalar(l.size), truth.scalar(l.size));
      EXPECT_EQ(seen[l.work][1], truth[l.work][1]) << "the other server";
      // Its service began at once, at one unit of work per second.
      const double left = now_s < size ? std::max(factor * size - now_s, 0.0) : 0;
      EXPECT_NEAR(seen[l.work][0], left, 1e-3);
      EXPECT_NEAR(seen[l.drain_s][0], left, 1e-3);
      (now_s < size ? served : after) += 1;
    }
    EXPECT_GT(served, 0u);
    EXPECT_GT(after, 0u);
  }
}

TEST_F(DeclaredSizes, ABenefitIsMinusTheTimeToItsEnd) {
  const Rows all = rows(1);
  const ServersLayout l = layout();
  const auto declarations = registry_.env_factory(kEnv)()->declarations();
  Batch action(registry_.spec(kEnv).action);
  action.resize(1);
  action.row(0).scalar(l.server) = 1;
  const double size = static_cast<double>(all.truth.row(0).scalar(l.size));
  EXPECT_NEAR(declarations->benefit({all.truth.row(0), 0}, 0, std::as_const(action).row(0)),
              -size / 2, 1e-3);
  EXPECT_EQ(declarations->jobs(), 30u);
  EXPECT_TRUE(declarations->complaint({all.truth.row(0), 0}, {0, {}, Restructuring{}}, 0.2));
}

}  // namespace declarations_test
}  // namespace park::load_balance
