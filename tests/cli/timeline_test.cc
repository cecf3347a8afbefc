// The forms of a timeline, from what a sink was told.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/web/page.h"
#include "cli/web/timeline_file.h"

namespace park::cli {
namespace timeline_test {

using Json = nlohmann::json;

/// Two jobs on two lanes, a move, a queue and a series.
Timeline sample() {
  Timeline timeline;
  timeline.begin({.id = 0});
  timeline.lane("executor 9");
  const std::uint16_t parent = 0;
  const EventArg tasks{"tasks", 2};
  const std::array<EventStage, 2> stages{{{{}, {&tasks, 1}}, {{&parent, 1}, {&tasks, 1}}}};
  timeline.job(4, "q<4>", stages);
  const std::array<EventArg, 3> args{{{"job", 4}, {"stage", 1}, {"wave", 2, "rest"}}};
  const EventArg job{"job", 4}, target{"to_job", 4};
  timeline.point("arrivals", 0.5, "arrival", {&job, 1});
  timeline.span("executor 10", 0.5, 1.25, "moving", {&target, 1});
  timeline.span("executor 10", 1.25, 3, "q<4>/1", args);
  timeline.value("", "jobs in system", 0.5, 1);
  timeline.value("executor 10", "waiting", 1, 3);
  timeline.value("", "jobs in system", 3, 0);
  return timeline;
}

TimelineFile sample_file() {
  return {.env = "env(a=1)",
          .seed = 9,
          .metrics = {{"delay_s", "s", true, "a delay"}, {"gain", "1", false, "a gain"}},
          .policies = {{.policy = "one",
                        .timeline = sample(),
                        .metrics = {1.5, NAN},
                        .means = {2, 3},
                        .episodes = 7}}};
}

TEST(TimelineFile, FormsByName) {
  EXPECT_EQ(timeline_form("a.html"), TimelineForm::page);
  EXPECT_EQ(timeline_form("a.json"), TimelineForm::json);
  EXPECT_EQ(timeline_form("b/a.trace.json"), TimelineForm::chrome);
  for (const char* other : {"", "a", "a.htm", "a.json.gz", "html"})
    EXPECT_EQ(timeline_form(other), std::nullopt) << other;
}

TEST(TimelineFile, ColumnsOfTheJson) {
  const Json file = Json::parse(timeline_json(sample_file()));
  EXPECT_EQ(file.at("schema"), "park.timeline");
  EXPECT_EQ(file.at("version"), 2);
  EXPECT_EQ(file.at("env"), "env(a=1)");
  EXPECT_EQ(file.at("seed"), 9);
  EXPECT_EQ(file.at("metrics")[1].at("better"), "higher");
  const Json& one = file.at("timelines").at(0);
  EXPECT_EQ(one.at("end_s"), 3);
  EXPECT_EQ(one.at("episodes"), 7);
  EXPECT_EQ(one.at("metrics"), Json({{"delay_s", 1.5}, {"gain", nullptr}}));
  EXPECT_EQ(one.at("lanes"), Json({"executor 9", "arrivals", "executor 10"}));
  EXPECT_EQ(one.at("whats"), Json({"arrival", "moving", "q<4>/1"}));
  EXPECT_EQ(one.at("spans"), Json({{"lane", {2, 2}},
                                   {"what", {1, 2}},
                                   {"start_s", {0.5, 1.25}},
                                   {"end_s", {1.25, 3}},
                                   {"args",
                                    {{"to_job", {4, nullptr}},
                                     {"job", {nullptr, 4}},
                                     {"stage", {nullptr, 1}},
                                     {"wave", {nullptr, 2}}}}}));
  EXPECT_EQ(one.at("points").at("time_s"), Json({0.5}));
  EXPECT_EQ(one.at("labels"), Json({{"wave", {{{"value", 2}, {"label", "rest"}}}}}));
  EXPECT_EQ(one.at("jobs"), Json::parse(R"([{"job": 4, "name": "q<4>", "stages": [
                {"parents": [], "tasks": 2}, {"parents": [0], "tasks": 2}]}])"));
  ASSERT_EQ(one.at("series").size(), 2u);
  EXPECT_EQ(one["series"][0], Json::parse(R"({"lane": "", "name": "jobs in system",
                                              "time_s": [0.5, 3], "value": [1, 0]})"));
  EXPECT_EQ(one["series"][1].at("lane"), "executor 10");
  EXPECT_EQ(one.at("explained"), Json::array());
}

/// The first decision is taken when the first job arrives, at 0.5.
TEST(TimelineFile, ExplanationsHaveTheTimesOfTheEpisode) {
  TimelineFile file = sample_file();
  trees::HeadReason head{.name = "a", .candidates = {3, 5, 7}, .chosen = 1, .scores = {1, 3, 2}};
  head.references = {{"jobs", {0, 1, 1}}};
  file.policies[0].explained.push_back({.decision = 4, .time_s = 1.25});
  file.policies[0].explained[0].explanation = {.decisions = 9, .learnt = 2, .heads = {head}};
  const Json one = Json::parse(timeline_json(file)).at("timelines").at(0).at("explained").at(0);
  EXPECT_EQ(one.at("decision"), 4);
  EXPECT_EQ(one.at("decisions"), 9);
  EXPECT_EQ(one.at("time_s"), 1.75);
  const Json& candidates = one.at("heads").at(0).at("candidates");
  ASSERT_EQ(candidates.size(), 3u);
  EXPECT_EQ(candidates[0].at("value"), 5) << "the chosen one comes first";
  EXPECT_EQ(candidates[1].at("value"), 7);
  EXPECT_EQ(candidates[2].at("refers_to"), Json({{"jobs", 0}}));
}

/// What the form of trace events requires of each kind of event that is written.
void check_event(const Json& event) {
  SCOPED_TRACE(event.dump());
  const std::string phase = event.at("ph");
  ASSERT_TRUE(std::set<std::string>({"M", "X", "i", "C"}).contains(phase));
  EXPECT_TRUE(event.at("name").is_string());
  EXPECT_TRUE(event.at("pid").is_number_integer());
  EXPECT_TRUE(event.at("tid").is_number_integer());
  EXPECT_TRUE(event.at("ts").is_number());
  EXPECT_TRUE(event.at("args").is_object());
  if (phase == "X") {
    EXPECT_GE(event.at("dur").get<double>(), 0);
  }
  if (phase == "i") {
    EXPECT_TRUE(std::set<std::string>({"g", "p", "t"}).contains(event.at("s")));
  }
  if (phase == "C") {
    EXPECT_FALSE(event.at("args").empty());
    for (const Json& value : event["args"]) EXPECT_TRUE(value.is_number());
  }
  if (phase == "M") {
    const std::string name = event["name"];
    ASSERT_TRUE(std::set<std::string>(
                    {"process_name", "process_sort_index", "thread_name", "thread_sort_index"})
                    .contains(name));
    const bool sorts = name.ends_with("sort_index");
    EXPECT_TRUE(sorts ? event["args"].at("sort_index").is_number_integer()
                      : event["args"].at("name").is_string());
  }
}

TEST(TimelineFile, TraceEvents) {
  TimelineFile file = sample_file();
  file.policies.push_back(file.policies[0]);
  const Json trace = Json::parse(timeline_chrome(file));
  EXPECT_EQ(trace.at("displayTimeUnit"), "ms");
  std::map<std::string, std::vector<Json>> events;
  for (const Json& event : trace.at("traceEvents")) {
    check_event(event);
    events[event["ph"]].push_back(event);
  }
  ASSERT_EQ(events["X"].size(), 4u);
  EXPECT_EQ(events["X"][1], Json::parse(R"({"ph": "X", "name": "q<4>/1", "pid": 1, "tid": 3,
      "ts": 1250000, "dur": 1750000, "cat": "span",
      "args": {"job": 4, "stage": 1, "wave": "rest"}})"));
  EXPECT_EQ(events["X"][3].at("pid"), 2);
  EXPECT_EQ(events["i"].size(), 2u);
  ASSERT_EQ(events["C"].size(), 6u);
  EXPECT_EQ(events["C"][2].at("name"), "executor 10: waiting");
  EXPECT_EQ(events["M"].size(), 16u);
}

TEST(Page, DataCannotEndItsElement) {
  const std::string html = timeline_page(sample_file());
  EXPECT_EQ(html.find("q<4>"), std::string::npos);
  const std::string begin = "id=\"data\">";
  const std::size_t at = html.find(begin) + begin.size();
  const Json data = Json::parse(html.substr(at, html.find("</script>", at) - at));
  EXPECT_EQ(data, Json::parse(timeline_json(sample_file())));
  const std::string titled = page({.title = "a<b&c",
                                   .body = "",
                                   .scripts = {"x()\n//# sourceMappingURL=x.map"},
                                   .data = "{}\n"});
  EXPECT_NE(titled.find("<title>a&lt;b&amp;c</title>"), std::string::npos);
  EXPECT_NE(titled.find("<script>\nx()\n</script>"), std::string::npos);
}

}  // namespace timeline_test
}  // namespace park::cli
