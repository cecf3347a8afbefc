// Lists of parts: their order, their names of today and of before, and what the build has found.
#include "agents/kit/parts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agents/algorithm/algorithms.h"
#include "agents/baseline/baselines.h"
#include "agents/net/networks.h"

namespace park::agents {
namespace parts_test {

struct Wheel {
  PartText about{};
};

Wheel wheel(std::string name, int place, std::vector<std::string> former_names = {}) {
  Wheel w;
  w.about.info.name = std::move(name);
  w.about.info.former_names = std::move(former_names);
  w.about.place = place;
  return w;
}

template <class P>
std::vector<std::string> names(const Parts<P>& all) {
  std::vector<std::string> list;
  for (const runs::PartInfo& info : all.infos()) list.push_back(info.name);
  return list;
}

std::string error_of(Errc code, const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "";
}

class Wheels : public ::testing::Test {
 protected:
  Parts<Wheel> wheels_{"wheel", [](Parts<Wheel>& all) {
                         all.add(wheel("spoked", 20));
                         all.add(wheel("solid", 20));
                         all.add(wheel("stone", 10, {"rock", "boulder"}));
                       }};
};

TEST_F(Wheels, StandByPlaceAndName) {
  EXPECT_EQ(names(wheels_), (std::vector<std::string>{"stone", "solid", "spoked"}));
  EXPECT_EQ(wheels_.find("solid").about.place, 20);
}

TEST_F(Wheels, AFormerNameIsRefusedWithTheOneOfToday) {
  for (const std::string name : {"rock", "boulder"})
    EXPECT_EQ(error_of(Errc::unknown_name, [&] { static_cast<void>(wheels_.find(name)); }),
              "wheel '" + name + "' is called 'stone'");
  EXPECT_NE(error_of(Errc::unknown_name, [&] { static_cast<void>(wheels_.find("spokes")); })
                .find("did you mean 'spoked'"),
            std::string::npos);
}

TEST_F(Wheels, ANameIsTakenOnce) {
  EXPECT_EQ(error_of(Errc::invalid_config, [&] { wheels_.add(wheel("stone", 1)); }),
            "wheel 'stone' is registered twice");
  EXPECT_EQ(error_of(Errc::invalid_config, [&] { wheels_.add(wheel("rock", 1)); }),
            "wheel 'rock' is registered twice");
  EXPECT_EQ(error_of(Errc::invalid_config, [&] { wheels_.add(wheel("new", 1, {"solid"})); }),
            "wheel 'solid' is registered twice");
  EXPECT_EQ(wheels_.all().size(), 3u);
}

/// What every part of the build has to say, whichever parts there are.
template <class P>
void expect_whole(const Parts<P>& all) {
  EXPECT_FALSE(all.all().empty());
  for (const P& part : all.all()) {
    SCOPED_TRACE(part.about.info.name);
    EXPECT_FALSE(part.about.info.summary.empty());
    EXPECT_EQ(part.about.canonical(parse_named(part.about.info.name)), part.about.info.name);
    EXPECT_NE(part.make, nullptr);
  }
}

TEST(PartsOfTheBuild, TellWhatTheyAre) {
  expect_whole(networks());
  expect_whole(baselines());
  expect_whole(algorithms());
  for (const NetworkPart& part : networks().all()) EXPECT_FALSE(part.environments.empty());
  for (const AlgorithmPart& part : algorithms().all())
    EXPECT_EQ(baselines().find(part.baseline).about.info.name, part.baseline);
}

}  // namespace parts_test
}  // namespace park::agents
