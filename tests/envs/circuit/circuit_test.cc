// Figures of known designs, scores, rewards and what configurations are refused. The figures are those
// that an independent netlist gave in ngspice 39.
#include "park/envs/circuit/circuit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "park/envs/circuit/simulator.h"
#include "tests/kit/estimates.h"

namespace park::test {
namespace circuit_test {

using circuit::Conditions;
using circuit::Figures;
using circuit::Requirements;
using circuit::Simulated;
using circuit::Topology;

constexpr double kDeadlineS = 60;

Simulated published(const Topology& t, const Conditions& c = {}) {
  circuit::Simulator simulator(t, kDeadlineS);
  Simulated result;
  simulator.run(t.sizes(t.published()), c, result);
  return result;
}

TEST(Transimpedance, ThePublishedDesignHasItsFigures) {
  const Simulated s = published(circuit::transimpedance());
  ASSERT_EQ(s.failure, circuit::Failure::none);
  EXPECT_NEAR(s.reading.figures[circuit::gain], 20236, 20.2);
  EXPECT_NEAR(s.reading.figures[circuit::power], 1.3694, 0.00137);
  EXPECT_NEAR(s.reading.figures[circuit::bandwidth], 87.2, 0.87);
  EXPECT_NEAR(s.reading.figures[circuit::area], 211.2, 1e-9);
}

TEST(OpAmp, TheFirstDesignHasItsFigures) {
  const Simulated s = published(circuit::op_amp());
  ASSERT_EQ(s.failure, circuit::Failure::none);
  EXPECT_NEAR(s.reading.figures[circuit::gain], 75.0, 0.3);
  EXPECT_NEAR(s.reading.figures[circuit::bandwidth], 32.7, 0.65);
  EXPECT_NEAR(s.reading.figures[circuit::phase_margin], 55, 1);
  EXPECT_NEAR(s.reading.figures[circuit::power], 0.218, 0.002);
}

TEST(Transimpedance, MoreLoadIsSlowerAndCornersDiffer) {
  const Topology& t = circuit::transimpedance();
  const double nominal = published(t).reading.figures[circuit::bandwidth];
  EXPECT_LT(published(t, {.load = 2}).reading.figures[circuit::bandwidth], nominal);
  const double slow =
      published(t, {.corner = circuit::Corner::slow}).reading.figures[circuit::power];
  const double fast =
      published(t, {.corner = circuit::Corner::fast}).reading.figures[circuit::power];
  EXPECT_LT(slow, fast);
}

TEST(Parameters, ValuesAndPositionsAreInverse) {
  for (const Topology* t : {&circuit::transimpedance(), &circuit::op_amp()})
    for (const circuit::Parameter& p : t->parameters) {
      EXPECT_EQ(p.value(p.position(p.published)), p.published) << p.name;
      EXPECT_EQ(p.value(static_cast<double>(static_cast<float>(p.position(p.published)))),
                p.published)
          << p.name;
      EXPECT_EQ(p.value(0), p.low);
      EXPECT_EQ(p.value(1), p.high);
    }
}

TEST(Score, IsMeritWhereMetAndViolationsElsewhere) {
  const Topology& t = circuit::transimpedance();
  const Requirements required{20000, 80, 0, 3, 0};
  EXPECT_NEAR(circuit::score_of(t, required, {20236, 87, 0, 1.3694, 211.2}), 2, 1e-12);
  EXPECT_NEAR(circuit::score_of(t, required, {20236, 87, 0, 1.3694 / 2, 211.2 / 4}), 6, 1e-12);
  EXPECT_NEAR(circuit::score_of(t, required, {10000, 60, 0, 6, 1}), -0.5 - 0.25 - 1, 1e-12);
  // Nothing is worse than one requirement after the other missed by all of it.
  EXPECT_GT(circuit::score_of(t, {1e9, 1e9, 1e9, 1e-9, 1e-9}, {0, 0, 0, 1e9, 1e9}),
            circuit::kFailureScore);
}

TEST(Netlist, NumbersThatAreNoneAreNotWritten) {
  const Topology& t = circuit::transimpedance();
  circuit::NetlistWriter writer(t);
  std::string request;
  circuit::Sizes sizes = t.sizes(t.published());
  EXPECT_TRUE(writer.write(sizes, {}, request));
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), kInf, 0.0, -1.0}) {
    circuit::Sizes bad = sizes;
    bad[3] = wrong;
    EXPECT_FALSE(writer.write(bad, {}, request)) << wrong;
  }
  EXPECT_FALSE(writer.write(sizes, {.temperature_c = kInf}, request));
  // No card is for a transistor of that length.
  const Topology& other = circuit::op_amp();
  circuit::Sizes long_ones = other.sizes(other.published());
  long_ones[5] = 5;
  EXPECT_FALSE(circuit::NetlistWriter(other).write(long_ones, {}, request));
}

TEST(Rewards, AddUpToTheGainInScore) {
  const std::string env = "circuit(start=centre,specification=published,stop=false,simulations=5)";
  const RandomEpisodes source(phase_rng(1, Phase::evaluate), {.count = 3});
  const auto stream = registry().stream(env, source, {.slots = 3});
  const auto policy = registry().policy("random", stream->spec());
  const auto score = Batch(stream->spec().observation).field<double>("score");
  std::vector<double> first(3), sum(3);
  play(*stream, *policy, Rng(1), [&](const Decisions& d, const Batch&) {
    for (std::size_t i = 0; i < d.asked.size(); ++i) {
      const auto k = d.asked[i].episode.id;
      if (d.asked[i].sequence == 0) first[k] = d.observation.row(i).scalar(score);
      sum[k] += d.asked[i].since_last.reward;
    }
    for (std::size_t i = 0; i < d.ended.size(); ++i) {
      const auto k = d.ended[i].episode.id;
      sum[k] += d.ended[i].last.reward;
      EXPECT_NEAR(sum[k], d.final_observation.row(i).scalar(score) - first[k], 1e-12);
    }
  });
}

TEST(Human, ReachesThePublishedDesignFromTheMiddle) {
  const std::string fields = "start=centre,specification=published,conditions=nominal,stop=false";
  for (const char* action : {"step", "absolute"}) {
    const auto figures = play_episodes("circuit(" + fields + ",action=" + action + ")", "human", 1,
                                       [](const Decisions&, const Batch&) {});
    EXPECT_NEAR(figures.at("score").at(0), 2, 1e-3) << action;
    EXPECT_NEAR(figures.at("gain_ohm").at(0), 20236, 20.2) << action;
  }
}

TEST(Config, WrongFieldsAreRefusedByName) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"start=custom,sizes=[12,2,3.2,4,2.8,5.8,44.4,10.2,2,nan]", "sizes[9] = "},
      {"start=custom,sizes=[-1,2,3.2,4,2.8,5.8,44.4,10.2,2,291]", "sizes[0] = -1"},
      {"start=custom,sizes=[12,2,3.2,4,2.8,5.8,44.4,10.2,2,500]",
       "sizes[9] = 500: rb of tia is allowed from 100 to 400 kOhm"},
      {"start=custom,sizes=[12]", "sizes has 1 values; allowed are 10"},
      {"sizes=[12,2,3.2,4,2.8,5.8,44.4,10.2,2,291]", "sizes is allowed only where start = custom"},
      {"specification=custom,requirements=[0,0,0,0,0]", "requirements = [0,0,0,0,0]"},
      {"specification=custom,requirements=[1,1,60,1,1]", "requirements[2] = 60"},
      {"specification=custom,requirements=[1,1,0,-3,1]", "requirements[3] = -3"},
      {"relax_low=0.3,relax_high=0.1", "relax_low = 0.3 is above relax_high = 0.1"},
      {"circuit=ladder", "circuit = ladder"},
      {"deadline_s=0", "deadline_s = 0"}};
  for (const auto& [fields, expected] : cases) try {
      static_cast<void>(registry().env("circuit(" + fields + ")"));
      ADD_FAILURE() << fields << " is accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::invalid_config) << fields;
      EXPECT_NE(std::string(e.what()).find(expected), std::string::npos) << e.what();
    }
}

TEST(Policies, OptimisersNeedPositions) {
  const Spec spec = registry().spec("circuit");
  for (const char* policy : {"cma_es", "differential_evolution"}) try {
      static_cast<void>(registry().policy(policy, spec));
      ADD_FAILURE() << policy;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::unavailable);
    }
}

TEST(Wires, JoinDevicesThatShareANet) {
  circuit::Circuit env(parse_config<circuit::CircuitConfig>(parse_text("circuit(simulations=1)")));
  const Spec spec = circuit::Circuit::spec({});
  Batch rows(spec.observation);
  env.reset({}, rows.append());
  const auto from = rows.row(0)[rows.field<std::int32_t>("wire.from")];
  const auto to = rows.row(0)[rows.field<std::int32_t>("wire.to")];
  EXPECT_GT(from.size(), 30u);
  for (std::size_t i = 0; i < from.size(); ++i) EXPECT_LT(from[i], to[i]);
}

}  // namespace circuit_test
}  // namespace park::test
