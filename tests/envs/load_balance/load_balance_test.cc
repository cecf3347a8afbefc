// load_balance against hand-made episodes, and against a plain simulation that keeps every job.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "park/core/events.h"
#include "park/core/rng.h"
#include "tests/envs/load_balance/player.h"
#include "tests/kit/temporary_file.h"

namespace park::test {
namespace load_balance_test {

/// Keeps what a timeline would show.
class Log final : public EventSink {
 public:
  struct Span {
    std::string lane;
    double start_s, end_s;
    std::string what;
    std::map<std::string, double> args;
  };
  struct Point {
    double time_s, size;
  };
  struct Completion {
    double time_s, job, response_s;
    bool operator==(const Completion&) const = default;
  };
  using Values = std::vector<std::pair<double, double>>;

  void begin(const Episode&) override {}
  void lane(std::string_view name) override { lanes.emplace_back(name); }
  void job(std::uint64_t, std::string_view, std::span<const EventStage>) override {
    ADD_FAILURE() << "these jobs have no stages";
  }
  void span(std::string_view lane, double start_s, double end_s, std::string_view what,
            std::span<const EventArg> args) override {
    spans.push_back({std::string(lane), start_s, end_s, std::string(what), {}});
    for (const EventArg& a : args) spans.back().args.emplace(a.name, a.value);
  }
  void point(std::string_view lane, double time_s, std::string_view what,
             std::span<const EventArg> args) override {
    EXPECT_EQ(lane, "arrivals");
    ASSERT_EQ(args.size(), 2u);
    EXPECT_EQ(args[0].name, "job");
    if (what == "completion") {
      EXPECT_EQ(args[1].name, "response_s");
      completions.push_back({time_s, args[0].value, args[1].value});
      return;
    }
    EXPECT_EQ(what, "arrival");
    EXPECT_EQ(args[0].value, static_cast<double>(arrivals.size()));
    EXPECT_EQ(args[1].name, "size");
    arrivals.push_back({time_s, args[1].value});
  }
  void value(std::string_view lane, std::string_view series, double time_s, double v) override {
    series_[{std::string(lane), std::string(series)}].emplace_back(time_s, v);
  }
  [[nodiscard]] Values values(const std::string& lane, const std::string& series) const {
    return series_.at({lane, series});
  }

  std::vector<std::string> lanes;
  std::vector<Span> spans;
  std::vector<Point> arrivals;
  std::vector<Completion> completions;

 private:
  std::map<std::pair<std::string, std::string>, Values> series_;
};

/// A job of the plain simulation.
struct Served {
  std::size_t server;
  double arrival_s, start_s, done_s, size;
};

/// Serves the arrivals one by one with nothing but the definition.
std::vector<Served> serve(const std::vector<Log::Point>& arrivals, const std::vector<double>& rates,
                          const std::function<int(std::size_t)>& policy) {
  std::vector<double> free_s(rates.size(), 0.0);
  std::vector<Served> jobs;
  for (std::size_t k = 0; k < arrivals.size(); ++k) {
    const auto s = static_cast<std::size_t>(policy(k));
    const double start = std::max(free_s[s], arrivals[k].time_s);
    free_s[s] = start + arrivals[k].size / rates[s];
    jobs.push_back({s, arrivals[k].time_s, start, free_s[s], arrivals[k].size});
  }
  return jobs;
}

/// The time that the jobs are in the system between two times, summed over them.
double job_seconds(const std::vector<Served>& jobs, double from_s, double to_s) {
  double sum = 0;
  for (const Served& j : jobs)
    sum += std::max(0.0, std::min(j.done_s, to_s) - std::max(j.arrival_s, from_s));
  return sum;
}

double percentile(std::vector<double> values, double percent) {
  std::ranges::sort(values);
  const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(rank) - 1];
}

/// The server that decision k gets, as good as random.
int scattered(std::size_t k, std::size_t servers) {
  return static_cast<int>(Rng(5).split(k).below(servers));
}

const char* const kJobs = "gap_s,size\n7,4\n1,4\n2,2\n5,10\n1,1\n";  // arrivals at 0, 1, 3, 8, 9

std::string recorded(const TemporaryFile& file, const std::string& more) {
  return "load_balance(sizes=recorded,arrivals=recorded,recording_start=first,recording=\"" +
         file.path() + "\"," + more + ")";
}

TEST(LoadBalance, FollowsAnEpisodeByHand) {
  const TemporaryFile file(kJobs);
  LoadBalancePlayer p(recorded(file, "servers=2,rates=[1,2],jobs=5"));
  p.reset({});
  ServersSeen seen = p.seen();
  EXPECT_EQ(seen.rate, (std::vector<double>{1, 2}));
  EXPECT_EQ(seen.jobs, (std::vector<double>{0, 0}));
  EXPECT_EQ(seen.work, (std::vector<double>{0, 0}));
  EXPECT_EQ(seen.drain_s, (std::vector<double>{0, 0}));
  EXPECT_EQ(seen.size, 4);
  EXPECT_EQ(seen.since_last_arrival_s, 7);

  // Job 0 on server 0 until 4. Job 1 arrives at 1.
  Outcome o = p.step(0);
  EXPECT_EQ(o.reward, -1);
  EXPECT_EQ(o.elapsed_s, 1);
  EXPECT_EQ(o.end, End::none);
  seen = p.seen();
  EXPECT_EQ(seen.jobs, (std::vector<double>{1, 0}));
  EXPECT_EQ(seen.work, (std::vector<double>{3, 0}));
  EXPECT_EQ(seen.drain_s, (std::vector<double>{3, 0}));
  EXPECT_EQ(seen.size, 4);
  EXPECT_EQ(seen.since_last_arrival_s, 1);

  // Job 1 on server 1 from 1 to 3: it is gone before job 2 asks at 3.
  o = p.step(1);
  EXPECT_EQ(o.reward, -4);
  seen = p.seen();
  EXPECT_EQ(seen.jobs, (std::vector<double>{1, 0}));
  EXPECT_EQ(seen.work, (std::vector<double>{1, 0}));
  EXPECT_EQ(seen.size, 2);

  // Job 2 behind job 0, from 4 to 6. Job 3 asks at 8, when all is done.
  o = p.step(0);
  EXPECT_EQ(o.reward, -(1 + 3));
  EXPECT_EQ(o.elapsed_s, 5);
  EXPECT_EQ(p.seen().jobs, (std::vector<double>{0, 0}));

  // Job 3 on server 1 from 8 to 13, job 4 behind it from 13 to 13.5.
  o = p.step(1);
  EXPECT_EQ(o.reward, -1);
  EXPECT_EQ(p.seen().work, (std::vector<double>{0, 8}));
  EXPECT_EQ(p.seen().drain_s, (std::vector<double>{0, 4}));
  o = p.step(1);
  EXPECT_EQ(o.reward, -(4 + 4.5));
  EXPECT_EQ(o.elapsed_s, 4.5);
  EXPECT_EQ(o.end, End::terminated);
  seen = p.seen();
  EXPECT_EQ(seen.jobs, (std::vector<double>{0, 0}));
  EXPECT_EQ(seen.work, (std::vector<double>{0, 0}));
  EXPECT_EQ(seen.size, 0);
  EXPECT_EQ(seen.since_last_arrival_s, 4.5);

  // Responses 4, 2, 3, 5, 4.5; service on server 1 would take 2, 2, 1, 5, 0.5.
  EXPECT_DOUBLE_EQ(p.metric("avg_response_s"), 18.5 / 5);
  EXPECT_EQ(p.metric("p50_response_s"), 4);
  EXPECT_EQ(p.metric("p95_response_s"), 5);
  EXPECT_EQ(p.metric("p99_response_s"), 5);
  EXPECT_DOUBLE_EQ(p.metric("avg_slowdown"), (2 + 1 + 3 + 1 + 9) / 5.0);
  EXPECT_DOUBLE_EQ(p.metric("avg_jobs_in_system"), 18.5 / 13.5);
  EXPECT_DOUBLE_EQ(p.metric("utilisation"), 21 / (3 * 13.5));
  EXPECT_EQ(p.metric("jobs_done"), 5);
  EXPECT_EQ(p.env.event_count(), 10u);
}

TEST(LoadBalance, HorizonCutsByHand) {
  const TemporaryFile file(kJobs);
  LoadBalancePlayer p(recorded(file, "servers=2,rates=[1,2],jobs=5"));
  // As above up to 8.5: job 3 is in service, job 4 has not come.
  const int servers[] = {0, 1, 0, 1};
  const std::vector<Outcome> all =
      p.play({.horizon_s = 8.5}, [&](std::size_t k) { return servers[k]; });
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all.back().end, End::truncated);
  EXPECT_EQ(all.back().reward, -0.5);
  EXPECT_EQ(all.back().elapsed_s, 0.5);
  EXPECT_EQ(p.seen().jobs, (std::vector<double>{0, 1}));
  EXPECT_EQ(p.seen().work, (std::vector<double>{0, 9}));
  EXPECT_EQ(p.seen().size, 0);
  EXPECT_EQ(p.metric("jobs_done"), 3);
  EXPECT_EQ(p.metric("avg_response_s"), 3);
  EXPECT_DOUBLE_EQ(p.metric("avg_jobs_in_system"), 9.5 / 8.5);
  EXPECT_DOUBLE_EQ(p.metric("utilisation"), 11 / (3 * 8.5));
  EXPECT_EQ(p.env.event_count(), 4u + 3u);
}

TEST(LoadBalance, HorizonWhileTheLastJobsAreServed) {
  const TemporaryFile file(kJobs);
  LoadBalancePlayer p(recorded(file, "servers=2,rates=[1,2],jobs=5"));
  const int servers[] = {0, 1, 0, 1, 1};
  const auto policy = [&](std::size_t k) { return servers[k]; };
  EXPECT_EQ(p.play({.horizon_s = 13.25}, policy).back().end, End::truncated);
  EXPECT_EQ(p.metric("jobs_done"), 4);
  EXPECT_EQ(p.play({.horizon_s = 13.5}, policy).back().end, End::terminated);
  EXPECT_EQ(p.metric("jobs_done"), 5);
}

TEST(LoadBalance, NothingFinishedIsUndefined) {
  const TemporaryFile file(kJobs);
  LoadBalancePlayer p(recorded(file, "servers=1,rates=[1],jobs=5"));
  (void)p.play({.horizon_s = 0.5}, [](std::size_t) { return 0; });
  EXPECT_TRUE(std::isnan(p.metric("avg_response_s")));
  EXPECT_TRUE(std::isnan(p.metric("p99_response_s")));
  EXPECT_TRUE(std::isnan(p.metric("avg_slowdown")));
  EXPECT_EQ(p.metric("jobs_done"), 0);
  EXPECT_EQ(p.metric("utilisation"), 1);
}

struct Setting {
  const char* text;
  double horizon_s;
};
class LoadBalanceOracle : public ::testing::TestWithParam<Setting> {};

TEST_P(LoadBalanceOracle, AgreesWithAPlainSimulation) {
  LoadBalancePlayer p(GetParam().text);
  const std::vector<double> rates = p.config.server_rates();
  Log log;
  p.env.events(&log);
  const auto policy = [&](std::size_t k) { return scattered(k, rates.size()); };
  const Episode episode{.id = 0, .inputs = 11, .horizon_s = GetParam().horizon_s};
  p.reset(episode);
  std::vector<Outcome> outcomes;
  std::vector<ServersSeen> rows{p.seen()};
  do {
    outcomes.push_back(p.step(policy(outcomes.size())));
    rows.push_back(p.seen());
  } while (outcomes.back().end == End::none);

  ASSERT_EQ(log.arrivals.size(), outcomes.size());
  const std::vector<Served> jobs = serve(log.arrivals, rates, policy);
  double now_s = 0;
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    const double until_s = now_s + outcomes[k].elapsed_s;
    const double expected =
        job_seconds({jobs.begin(), jobs.begin() + static_cast<int>(k) + 1}, now_s, until_s);
    ASSERT_NEAR(outcomes[k].reward, -expected, 1e-9 * (1 + expected)) << "decision " << k;
    now_s = until_s;
    for (std::size_t s = 0; s < rates.size(); ++s) {
      double left = 0, present = 0, work = 0;
      for (std::size_t j = 0; j <= k; ++j) {
        if (jobs[j].server != s || jobs[j].done_s <= now_s + 1e-9) continue;
        left = std::max(left, jobs[j].done_s - now_s);
        work += std::min(jobs[j].size, (jobs[j].done_s - now_s) * rates[s]);
        ++present;
      }
      ASSERT_NEAR(rows[k + 1].drain_s[s], left, 1e-6 * (1 + left));
      ASSERT_NEAR(rows[k + 1].work[s], work, 1e-6 * (1 + work));
      ASSERT_EQ(rows[k + 1].jobs[s], present);
    }
  }

  std::vector<double> responses;
  double slowdown = 0;
  for (const Served& j : jobs) {
    if (j.done_s > now_s + 1e-9) continue;
    responses.push_back(j.done_s - j.arrival_s);
    slowdown += responses.back() * std::ranges::max(rates) / j.size;
  }
  const auto done = static_cast<double>(responses.size());
  EXPECT_EQ(p.metric("jobs_done"), done);
  const double mean = std::accumulate(responses.begin(), responses.end(), 0.0) / done;
  EXPECT_NEAR(p.metric("avg_response_s"), mean, 1e-9 * mean);
  EXPECT_NEAR(p.metric("p50_response_s"), percentile(responses, 50), 1e-6);
  EXPECT_NEAR(p.metric("p95_response_s"), percentile(responses, 95), 1e-6);
  EXPECT_NEAR(p.metric("p99_response_s"), percentile(responses, 99), 1e-6);
  EXPECT_NEAR(p.metric("avg_slowdown"), slowdown / done, 1e-9 * slowdown);
  const double in_system = job_seconds(jobs, 0, now_s);
  EXPECT_NEAR(p.metric("avg_jobs_in_system"), in_system / now_s, 1e-9 * in_system / now_s);
  EXPECT_EQ(p.env.event_count(), jobs.size() + responses.size());

  // Little: what the jobs wait is what the rewards add up to, when all of them are completed.
  if (outcomes.back().end != End::terminated) return;
  double reward = 0;
  for (const Outcome& o : outcomes) reward += o.reward;
  EXPECT_NEAR(reward, -mean * done, 1e-9 * mean * done);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, LoadBalanceOracle,
    ::testing::Values(Setting{"load_balance", kInf}, Setting{"load_balance", 20000},
                      Setting{load_balance::kTwoServers, kInf},
                      Setting{"load_balance(servers=1,rates=[6],sizes=exponential)", kInf},
                      Setting{"load_balance(servers=3,rates=[2,1,3],sizes=uniform,jobs=400)", kInf},
                      Setting{"load_balance(servers=40,interval_s=2,sizes=bimodal,jobs=600)", kInf},
                      Setting{"load_balance(servers=4,rates=[0.1,0.1,0.1,0.1])", kInf},
                      Setting{"load_balance(jobs=inf,horizon_s=30000)", kInf},
                      Setting{"load_balance(jobs=1)", kInf}));

TEST(LoadBalance, InfiniteEpisodesEndAtTheirHorizon) {
  LoadBalancePlayer p("load_balance(jobs=inf,horizon_s=5000)");
  const auto duration = [&](const Episode& e) {
    double sum = 0;
    const auto all = p.play(e, [](std::size_t k) { return static_cast<int>(k % 10); });
    EXPECT_EQ(all.back().end, End::truncated);
    for (const Outcome& o : all) sum += o.elapsed_s;
    return sum;
  };
  EXPECT_NEAR(duration({.inputs = 1}), 5000, 1e-9);
  EXPECT_NEAR(duration({.inputs = 1, .horizon_s = 700}), 700, 1e-9);
}

TEST(LoadBalance, TimelineTellsTheEpisode) {
  const TemporaryFile file(kJobs);
  LoadBalancePlayer p(recorded(file, "servers=2,rates=[1,2],jobs=5"));
  Log log;
  p.env.events(&log);
  const int servers[] = {0, 1, 0, 1, 1};
  (void)p.play({.horizon_s = 13.25}, [&](std::size_t k) { return servers[k]; });
  EXPECT_EQ(log.lanes, (std::vector<std::string>{"server 0", "server 1"}));
  ASSERT_EQ(log.spans.size(), 5u);
  EXPECT_EQ(log.spans[2].lane, "server 0");
  EXPECT_EQ(log.spans[2].what, "job 2");
  EXPECT_EQ(log.spans[2].start_s, 4);
  EXPECT_EQ(log.spans[2].end_s, 6);
  EXPECT_EQ(log.spans[2].args.at("wait_s"), 1);
  EXPECT_EQ(log.spans[2].args.at("size"), 2);
  EXPECT_EQ(log.spans[4].lane, "server 1");
  EXPECT_EQ(log.spans[4].end_s, 13.25);  // the horizon
  EXPECT_EQ(log.spans[2].args.at("job"), 2);
  EXPECT_EQ(log.values("", "jobs in system"),
            (Log::Values{{0, 1}, {1, 2}, {3, 1}, {3, 2}, {4, 1}, {6, 0}, {8, 1}, {9, 2}, {13, 1}}));
  EXPECT_EQ(log.values("server 0", "jobs at server"),
            (Log::Values{{0, 1}, {3, 2}, {4, 1}, {6, 0}}));
  EXPECT_EQ(log.values("server 1", "jobs at server"),
            (Log::Values{{1, 1}, {3, 0}, {8, 1}, {9, 2}, {13, 1}}));
  EXPECT_EQ(log.completions,
            (std::vector<Log::Completion>{{3, 1, 2}, {4, 0, 4}, {6, 2, 3}, {13, 3, 5}}));
  EXPECT_EQ(log.values("", "running mean of response time (s)"),
            (Log::Values{{3, 2}, {4, 3}, {6, 3}, {13, 3.5}}));

  p.env.events(nullptr);
  (void)p.play({}, [](std::size_t) { return 0; });
  EXPECT_EQ(log.spans.size(), 5u);
}

TEST(LoadBalance, JobsAreDrawnByNumber) {
  const auto arrivals = [](const char* text, int server) {
    LoadBalancePlayer p(text);
    Log log;
    p.env.events(&log);
    (void)p.play({.inputs = 3}, [&](std::size_t) { return server; });
    return log.arrivals;
  };
  const auto base = arrivals("load_balance", 9);
  const auto other_actions = arrivals("load_balance", 0);
  const auto other_gaps = arrivals("load_balance(interval_s=110)", 9);
  const auto other_sizes = arrivals("load_balance(sizes=uniform)", 9);
  const auto fewer = arrivals("load_balance(jobs=10)", 9);
  for (std::size_t k = 0; k < base.size(); ++k) {
    EXPECT_EQ(other_actions[k].time_s, base[k].time_s);
    EXPECT_EQ(other_actions[k].size, base[k].size);
    EXPECT_EQ(other_gaps[k].size, base[k].size);
    EXPECT_NEAR(other_gaps[k].time_s, 2 * base[k].time_s, 1e-9 * base[k].time_s);
    EXPECT_EQ(other_sizes[k].time_s, base[k].time_s);
  }
  for (std::size_t k = 0; k < fewer.size(); ++k) EXPECT_EQ(fewer[k].size, base[k].size);
}

TEST(LoadBalance, CopiesGoTheirOwnWay) {
  LoadBalancePlayer p("load_balance");
  p.reset({.inputs = 2});
  for (int k = 0; k < 50; ++k) (void)p.step(k % 10);
  const auto copy = p.env.clone();
  Batch row(p.spec.observation), action(p.spec.action);
  action.resize(1);
  for (int k = 0; k < 50; ++k) {
    const Outcome expected = p.step(0);
    row.clear();
    EXPECT_EQ(copy->step(std::as_const(action).row(0), row.append()), expected);
  }
}

/// The gaps and sizes of many jobs.
std::vector<load_balance::Job> sample(const char* text, std::size_t count) {
  load_balance::ArrivalProcess process(
      parse_config<load_balance::LoadBalanceConfig>(parse_text(text)));
  process.reset(1);
  std::vector<load_balance::Job> jobs;
  for (std::size_t k = 0; k < count; ++k) jobs.push_back(process.next());
  return jobs;
}

/// The largest distance between the empirical distribution and F (Kolmogorov and Smirnov).
template <class F>
double distance(std::vector<double> values, F&& f) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = f(values[i]);
    worst = std::max({worst, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return worst;
}

constexpr std::size_t kDraws = 100'000;
const double kRejected = 1.95 / std::sqrt(static_cast<double>(kDraws));  // at 0.1 %

template <class F>
void expect_sizes(const char* text, F&& f) {
  std::vector<double> sizes, gaps_s;
  for (const load_balance::Job& j : sample(text, kDraws)) {
    sizes.push_back(j.size);
    gaps_s.push_back(j.gap_s);
  }
  EXPECT_LT(distance(sizes, f), kRejected) << text;
  EXPECT_LT(distance(gaps_s, [](double x) { return 1 - std::exp(-x / 55); }), kRejected) << text;
}

TEST(LoadBalanceJobs, SizesHaveTheirDistribution) {
  expect_sizes("load_balance", [](double x) { return 1 - std::pow(100 / x, 1.5); });
  expect_sizes("load_balance(sizes=exponential,exponential_mean=20)",
               [](double x) { return 1 - std::exp(-x / 20); });
  expect_sizes("load_balance(sizes=uniform,uniform_low=10,uniform_high=30)",
               [](double x) { return (x - 10) / 20; });
}

TEST(LoadBalanceJobs, BimodalSizes) {
  std::size_t large = 0;
  for (const load_balance::Job& j :
       sample("load_balance(sizes=bimodal,bimodal_large_share=0.2)", kDraws)) {
    EXPECT_TRUE(j.size == 100 || j.size == 2100);
    if (j.size == 2100) ++large;
  }
  EXPECT_NEAR(static_cast<double>(large) / kDraws, 0.2, 3.3 * std::sqrt(0.16 / kDraws));
}

TEST(LoadBalanceJobs, GapsAndSizesAreIndependent) {
  double sum = 0;
  for (const load_balance::Job& j : sample("load_balance(sizes=uniform)", kDraws))
    sum += (j.gap_s / 55 - 1) * (j.size - 300) / (400 / std::sqrt(12.0));
  EXPECT_LT(std::abs(sum / kDraws), 3.3 / std::sqrt(static_cast<double>(kDraws)));
}

/// The lines that a configuration is refused with.
std::string refusal(const std::string& fields) {
  try {
    (void)parse_config<load_balance::LoadBalanceConfig>(parse_text("load_balance(" + fields + ")"));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::invalid_config);
    return e.what();
  }
  return "";
}

TEST(LoadBalanceConfig, RulesBetweenFields) {
  EXPECT_EQ(refusal("jobs=inf"), "horizon_s = inf must be finite where jobs = inf");
  EXPECT_EQ(refusal("jobs=2.5"), "jobs = 2.5 is not a whole number in [1, 1e9], or inf");
  EXPECT_EQ(refusal("jobs=2e9"), "jobs = 2e+09 is not a whole number in [1, 1e9], or inf");
  EXPECT_EQ(refusal("servers=3,rates=[1,2]"),
            "rates has 2 values; allowed are none or one for each of the servers = 3");
  EXPECT_EQ(refusal("rates=[1,0],servers=2"), "rates[1] = 0 is outside [1e-06, 1000000000]");
  EXPECT_EQ(
      refusal("sizes=pareto,pareto_shape=0.5"),
      "pareto_shape = 0.5 is too small: pareto_scale 2^(53 / pareto_shape), the largest size, "
      "exceeds 1e18");
  EXPECT_EQ(refusal("sizes=uniform,uniform_low=600"),
            "uniform_low = 600 exceeds uniform_high = 500");
  EXPECT_EQ(refusal("sizes=bimodal,bimodal_small=3000"),
            "bimodal_small = 3000 exceeds bimodal_large = 2100");
  EXPECT_EQ(refusal("sizes=recorded"), "recording must name a file where sizes = recorded");
  EXPECT_EQ(refusal("recording=x.csv"), "recording is allowed only where sizes = recorded");
  EXPECT_EQ(refusal("arrivals=recorded,jobs=0.5"),
            "jobs = 0.5 is outside [1, inf]\n"
            "arrivals = recorded is allowed only where sizes = recorded");
}

TEST(LoadBalanceConfig, RatesFollowParksRule) {
  const std::vector<double> park = {0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.05};
  EXPECT_EQ(load_balance::LoadBalanceConfig{}.server_rates(), park);
  load_balance::LoadBalanceConfig two;
  two.servers = 2;
  EXPECT_EQ(two.server_rates(), (std::vector<double>{0.15, 0.25}));
}

}  // namespace load_balance_test
}  // namespace park::test
