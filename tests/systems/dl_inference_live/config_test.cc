// The texts of dl_inference_live: what they mean and what is refused.
#include "systems/dl_inference_live/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "park/envs/envs.h"
#include "systems/dl_inference_live/profile.h"
#include "systems/systems.h"
#include "tests/kit/scratch_folder.h"

namespace park::inference {
namespace {

using test::error_of;
using testing::HasSubstr;

std::string refusal(const std::string& fields) {
  return error_of(
      [&] { static_cast<void>(read_live_config("dl_inference_live(" + fields + ")")); });
}

TEST(LiveConfig, NamesApplicationsByModel) {
  const LiveConfig c = read_live_config(
      "dl_inference_live(models=[model(kind=lstm),model(kind=file,file=/there/net.pt,"
      "shape=[-1,3,8]),model(kind=delay,name=slow,max_batch=3)])");
  EXPECT_EQ(c.models[0].app_name(), "lstm");
  EXPECT_EQ(c.models[0].most_batch(), 64);
  EXPECT_EQ(c.models[1].app_name(), "net");
  EXPECT_EQ(c.models[1].sample_size(), 24u);
  EXPECT_EQ(c.models[2].app_name(), "slow");
  EXPECT_EQ(c.models[2].most_batch(), 3);
}

TEST(LiveConfig, RefusesWhatCannotBeServed) {
  EXPECT_THAT(refusal("models=[model(),model()]"), HasSubstr("two models named 'mlp'"));
  EXPECT_THAT(refusal("models=[]"), HasSubstr("models has 0 models"));
  EXPECT_THAT(refusal("models=[model(kind=file,file=a.pt)]"), HasSubstr("no batch dimension"));
  EXPECT_THAT(refusal("models=[model(kind=file,file=a.pt,shape=[3,32])]"),
              HasSubstr("shape of 'a' has no batch dimension"));
  EXPECT_THAT(refusal("models=[model(kind=file,file=a.pt,shape=[-1,0])]"), HasSubstr("below 1"));
  EXPECT_THAT(refusal("models=[model(kind=file,file=a.pt,shape=[-1,100000,100000])]"),
              HasSubstr("more than 4194304 numbers"));
  EXPECT_THAT(refusal("models=[model(kind=file)]"), HasSubstr("file must not be empty"));
  EXPECT_THAT(refusal("models=[model(file=a.pt)]"), HasSubstr("only where kind = file"));
  EXPECT_THAT(refusal("models=[model(kind=delay,a_s=0,b_s=0)]"), HasSubstr("at least 1e-6"));
  EXPECT_THAT(refusal("models=[model(name=\"a,b\")]"), HasSubstr("without comma"));
  EXPECT_THAT(refusal("weights=[1,2]"), HasSubstr("weights has 2 values"));
  EXPECT_THAT(refusal("duration_s=inf"), HasSubstr("at most 86400"));
  EXPECT_THAT(refusal("arrivals=trace"), HasSubstr("trace must not be empty"));
  EXPECT_THAT(refusal("apps=mild"), HasSubstr("unknown field 'apps'"));
}

TEST(LiveConfig, ATableMustBeOneOfItsModels) {
  const LiveConfig c =
      read_live_config("dl_inference_live(models=[model(kind=delay,max_batch=4)])");
  const auto refused = [&](const std::string& lines) {
    const auto table = dl_inference::LatencyTable::parse("app,batch,latency_s\n" + lines, "t");
    return error_of([&] { static_cast<void>(c.applications(table, "t")); });
  };
  EXPECT_EQ(refused("delay,1,0.1\ndelay,8,0.2\n"), "no error");
  EXPECT_THAT(refused("delay,1,0.1\n"), HasSubstr("ends at batch 1"));
  EXPECT_THAT(refused("other,1,0.1\nother,8,0.2\n"), HasSubstr("'other' in the place"));
  EXPECT_THAT(refused("delay,1,0.1\ndelay,8,0.2\nb,1,1\n"), HasSubstr("2 applications for 1"));
  const auto apps =
      c.applications(dl_inference::LatencyTable::parse(delay_table_text(c), "own"), "own");
  EXPECT_EQ(apps[0].max_batch(), 4u);
  EXPECT_DOUBLE_EQ(apps[0].latency_s[3], 0.005 + 3 * 0.0005);
}

TEST(LiveSpec, IsTheTwinOfDlInferenceAndKeepsItsPromises) {
  Registry registry;
  envs::register_all(registry);
  systems::register_all(registry);
  const Spec live = registry.spec(kLiveName), simulated = registry.spec("dl_inference");
  EXPECT_EQ(layout_hash(live), layout_hash(simulated));
  EXPECT_EQ(simulated.traits.twin, kLiveName);
  EXPECT_EQ(registry.policies_for(live), registry.policies_for(simulated));
  for (const Metric& metric : simulated.metrics)
    EXPECT_EQ(live.metrics[live.metric(metric.name)].unit, metric.unit) << metric.name;
}

}  // namespace
}  // namespace park::inference
