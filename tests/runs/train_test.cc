// The run of a training: its files, its end, and that stopping leaves no trace in the result.
#include "park/runs/train.h"

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "park/runs/checkpoint.h"
#include "park/runs/mixture.h"
#include "tests/kit/toy_shop.h"
#include "tests/runs/fake_module.h"
#include "tests/runs/scratch.h"

namespace park::runs {
namespace train_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using test::error_of;
using test::read_text;

/// Stops after some iterations, or fails as a killed process would: without a last checkpoint.
class Watcher final : public TrainWatcher {
 public:
  std::uint64_t stop_after = 1000, die_after = 1000;
  bool stop_at_once = false;
  std::vector<std::string> warnings;
  std::function<void()> on_stop = [] {};  ///< called by validations for each episode

  bool stop() override {
    on_stop();
    return stop_at_once;
  }
  void on_iteration(const Manifest& m, const IterationReport&, double) override {
    if (m.progress.iteration == die_after) throw std::runtime_error("killed");
    stop_at_once = m.progress.iteration >= stop_after;
  }
  void warn(const std::string& line) override { warnings.push_back(line); }
};

class TrainTest : public test::Scratch {
 protected:
  TrainPlan plan(const std::string& name) {
    TrainPlan p;
    p.folder = folder_ / name;
    p.settings.env = "counter(goal=40)";
    p.settings.algorithm = p.settings.baseline = p.settings.network = "fake";
    p.settings.iterations = 10;
    p.settings.validate_every = 0.2;
    p.settings.validation_episodes = 20;
    p.settings.seed = 3;
    p.cpu_s = [this] { return cpu_s_ += 0.125; };
    return p;
  }
  TrainOutcome run(const TrainPlan& p) { return train(registry_, module_, p, watcher_); }
  std::string failure(Errc code, const TrainPlan& p) {
    return error_of(code, [&] { static_cast<void>(run(p)); });
  }

  /// The lines of metrics.jsonl without what a clock tells.
  static std::vector<Json> metrics(const TrainPlan& p) {
    std::vector<Json> lines;
    std::istringstream text(read_text(p.folder / "metrics.jsonl"));
    for (std::string line; std::getline(text, line);) {
      lines.push_back(Json::parse(line));
      for (const char* time : {"cpu_s", "wall_s", "play_s", "decisions_per_s"})
        lines.back().erase(time);
    }
    return lines;
  }
  static std::string weights(const fs::path& checkpoint) {
    return read_text(checkpoint / "policy.safetensors") +
           (fs::exists(checkpoint / "training.safetensors")
                ? read_text(checkpoint / "training.safetensors")
                : "");
  }
  void expect_same(const TrainPlan& a, const TrainPlan& b) {
    EXPECT_EQ(metrics(a), metrics(b));
    for (const char* part : {"latest", "best"})
      EXPECT_EQ(weights(a.folder / part), weights(b.folder / part)) << part;
    const Manifest best_a = read_checkpoint(a.folder / "best", Parts::policy).manifest;
    const Manifest best_b = read_checkpoint(b.folder / "best", Parts::policy).manifest;
    EXPECT_EQ(best_a.progress.iteration, best_b.progress.iteration);
  }

  Registry registry_ = test::counter_registry();
  test::FakeModule module_;
  Watcher watcher_;
  double cpu_s_ = 0;
};

TEST_F(TrainTest, LeavesTheFilesOfARun) {
  TrainPlan p = plan("run");
  p.settings.keep_every = 5;
  p.command = {"park", "train"};
  const TrainOutcome outcome = run(p);
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.manifest.progress.iteration, 10u);
  EXPECT_EQ(outcome.manifest.progress.decisions, 100u);
  EXPECT_EQ(outcome.manifest.parameters, 2u);
  EXPECT_EQ(outcome.manifest.metric, "steps");
  EXPECT_EQ(outcome.manifest.validations.size(), 6u);  // at 0, 20, ... 100 %
  for (const char* kept : {"000000", "000005", "000010"})
    EXPECT_TRUE(fs::exists(p.folder / "checkpoints" / kept / "policy.safetensors")) << kept;
  const Json manifest = Json::parse(read_text(p.folder / "manifest.json"));
  EXPECT_EQ(manifest["schema"], "park.run");
  EXPECT_EQ(manifest["command"], (Json{"park", "train"}));
  EXPECT_EQ(manifest["settings"]["env"], "counter(goal=40)");
  EXPECT_EQ(manifest["env_name"], "counter");
  EXPECT_EQ(manifest["env_version"], 4);
  EXPECT_EQ(metrics(p).size(), 16u);
  EXPECT_GT(fs::file_size(p.folder / "tensorboard" / "events.out.tfevents.park"), 0u);
}

TEST_F(TrainTest, MetricsTellThePartAndTheFigures) {
  const TrainPlan p = plan("run");
  static_cast<void>(run(p));
  const std::vector<Json> lines = metrics(p);
  EXPECT_EQ(lines[0]["type"], "validation");
  EXPECT_EQ(lines[0]["iteration"], 0);
  EXPECT_EQ(lines[1]["type"], "iteration");
  EXPECT_EQ(lines[1]["part"], 0);
  EXPECT_EQ(lines[2]["iteration"], 1);
  EXPECT_EQ(lines[2]["part"], 0.1);
  EXPECT_EQ(lines[2]["total_decisions"], 20);
  EXPECT_TRUE(lines[2].contains("entropy"));
  EXPECT_EQ(lines[3]["type"], "validation");
  EXPECT_EQ(lines[3]["iteration"], 2);
  EXPECT_EQ(lines[3]["metric"], "steps");
}

TEST_F(TrainTest, IterationsThatImitateAreCounted) {
  TrainPlan p = plan("run");
  p.settings.guidance = {.imitate = "constant", .imitate_iterations = 4};
  watcher_.stop_after = 3;
  const Manifest early = run(p).manifest;
  EXPECT_EQ(early.progress.imitations, 3u);
  EXPECT_DOUBLE_EQ(early.imitation_loss, 1.0 / 3);
  watcher_ = {};
  p.resume = true;
  const Manifest m = run(p).manifest;
  EXPECT_EQ(m.progress.iteration, 10u);
  EXPECT_EQ(m.progress.imitations, 4u);
  EXPECT_DOUBLE_EQ(m.imitation_loss, 0.25) << "of the newest one that imitated";
  EXPECT_EQ(m.validations[1].at.imitations, 2u);
  for (const Json& line : metrics(p)) {
    if (line["type"] != "iteration") continue;
    const bool imitated = line["iteration"] < 4;
    EXPECT_EQ(line["phase"], imitated ? "imitation" : "rewards");
    EXPECT_EQ(line.contains("imitation_loss"), imitated);
  }
  const Json manifest = Json::parse(read_text(p.folder / "manifest.json"));
  EXPECT_EQ(manifest["settings"]["imitate_iterations"], 4);
  EXPECT_EQ(manifest["progress"]["imitations"], 4);
}

/// A policy `of_file` that comes from this file.
void add_policy_of(Registry& registry, const fs::path& file) {
  registry.add_policy_loader(
      {.takes = [](const std::string& name) { return name == "of_file"; },
       .fields = [] { return std::vector<FieldInfo>(); },
       .make = [](const Value&, const Spec& spec) -> std::unique_ptr<Policy> {
         return std::make_unique<RandomPolicy>(spec);
       },
       .files = [file](const Value&) { return std::vector<fs::path>{file}; }});
}

/// The files of a teacher belong to the run as those of its environment do.
TEST_F(TrainTest, ATeacherWhoseFileChangedIsRefused) {
  const fs::path file = folder_ / "teacher.txt";
  test::write_text(file, "one");
  add_policy_of(registry_, file);
  TrainPlan p = plan("run");
  p.settings.guidance = {.imitate = "of_file", .imitate_iterations = 4};
  const Manifest m = run(p).manifest;
  ASSERT_EQ(m.data.size(), 1u);
  EXPECT_EQ(m.data[0].path, "teacher.txt");
  p.resume = true;
  p.settings.iterations = 12;
  test::write_text(file, "two");
  EXPECT_EQ(failure(Errc::invalid_config, p),
            "imitate, explore: teacher.txt is not the file that the run began with");
  test::write_text(file, "one");
  EXPECT_TRUE(run(p).finished);
}

/// And so do those of the policy that scales a mixture, but for runs that did not list them.
TEST_F(TrainTest, AScaleWhoseFileChangedIsRefused) {
  const fs::path file = folder_ / "scale.txt";
  test::write_text(file, "one");
  add_policy_of(registry_, file);
  TrainPlan p = plan("run");
  p.settings.mixture = {.parts = mixture_text({{"counter(goal=40)", 1}, {"counter(goal=80)", 1}}),
                        .scale_by = "of_file"};
  Manifest m = run(p).manifest;
  ASSERT_EQ(m.data.size(), 1u);
  EXPECT_EQ(m.data[0].path, "scale.txt");
  test::write_text(file, "two");
  EXPECT_EQ(error_of(Errc::invalid_config, [&] { check_resume(m, p.settings, registry_); }),
            "scale_by: scale.txt is not the file that the run began with");
  m.data.clear();
  check_resume(m, p.settings, registry_);
}

/// A counter whose first metric is always 0, as a share of missed deadlines may be.
class Faultless final : public test::CounterEnv {
 public:
  static constexpr std::string_view kName = "faultless";
  using Config = test::CounterEnv::Config;
  static Spec spec(const Config& c) {
    Spec s = test::CounterEnv::spec(c);
    s.name = kName;
    return s;
  }
  using test::CounterEnv::CounterEnv;
  void metrics(std::span<double> m) const override { std::ranges::fill(m, 0); }
};

TEST_F(TrainTest, AScaleOfZeroDividesNothing) {
  registry_.add_env<Faultless>();
  TrainPlan p = plan("run");
  p.settings.env = "faultless(goal=40)";
  p.settings.mixture = {
      .parts = mixture_text({{"faultless(goal=40)", 1}, {"faultless(goal=80)", 1}}),
      .scale_by = "random"};
  const Manifest m = run(p).manifest;
  for (const ValidationPoint& v : m.validations) EXPECT_EQ(v.mean, 0);
  EXPECT_TRUE(fs::exists(p.folder / "best" / "policy.safetensors"));
}

TEST_F(TrainTest, TheBestByValidationIsKept) {
  const TrainPlan p = plan("run");
  const Manifest m = run(p).manifest;
  ASSERT_NE(m.best(), nullptr);
  for (const ValidationPoint& v : m.validations) EXPECT_GE(v.mean, m.best()->mean);
  EXPECT_LT(m.best()->mean, m.validations.front().mean);
  const Checkpoint best = read_checkpoint(p.folder / "best", Parts::policy);
  EXPECT_EQ(best.manifest.progress.iteration, m.best()->at.iteration);
  EXPECT_FALSE(fs::exists(p.folder / "best" / "training.safetensors"));
}

TEST_F(TrainTest, ValidatesOnAnotherEnvironment) {
  TrainPlan p = plan("run");
  p.settings.validate_on = "counter(goal=400)";
  const Manifest m = run(p).manifest;
  EXPECT_GT(m.validations.front().mean, 100);  // steps of at most 3
  TrainPlan resumed = p;
  resumed.resume = true;
  resumed.settings.validate_on = "";
  EXPECT_NE(
      failure(Errc::invalid_config, resumed).find("validate_on: the run has counter(goal=400)"),
      std::string::npos);
  TrainPlan other = plan("other");
  other.settings.validate_on = "toy_shop";
  registry_.add_env<park::test::ToyShop>();
  EXPECT_NE(failure(Errc::invalid_config, other).find("validate_on: toy_shop has another layout"),
            std::string::npos);
}

TEST_F(TrainTest, StoppedAnywhereItGoesOnToTheSameEnd) {
  const TrainPlan whole = plan("whole");
  static_cast<void>(run(whole));
  for (std::uint64_t stop = 1; stop < 10; ++stop) {
    SCOPED_TRACE(stop);
    TrainPlan p = plan("stopped_" + std::to_string(stop));
    watcher_.stop_after = stop;
    const TrainOutcome stopped = run(p);
    EXPECT_FALSE(stopped.finished);
    EXPECT_EQ(stopped.manifest.progress.iteration, stop);
    watcher_ = {};
    p.resume = true;
    EXPECT_TRUE(run(p).finished);
    expect_same(whole, p);
  }
}

TEST_F(TrainTest, KilledAnywhereItGoesOnFromTheLastCheckpoint) {
  const TrainPlan whole = plan("whole");
  static_cast<void>(run(whole));
  for (std::uint64_t die = 1; die <= 10; ++die) {
    SCOPED_TRACE(die);
    TrainPlan p = plan("killed_" + std::to_string(die));
    watcher_.die_after = die;
    EXPECT_THROW(static_cast<void>(run(p)), std::runtime_error);
    watcher_ = {};
    p.resume = true;
    EXPECT_LT(resumable(p.folder).progress.iteration, die);
    EXPECT_TRUE(run(p).finished);
    expect_same(whole, p);
  }
}

TEST_F(TrainTest, AValidationThatWasStoppedIsMadeUpFor) {
  const TrainPlan whole = plan("whole");
  static_cast<void>(run(whole));
  TrainPlan p = plan("run");
  watcher_.stop_after = 10;  // the last iteration is done, its validation is not
  EXPECT_FALSE(run(p).finished);
  watcher_ = {};
  p.resume = true;
  EXPECT_TRUE(run(p).finished);
  expect_same(whole, p);
}

TEST_F(TrainTest, ACheckpointAloneIsEnoughToGoOn) {
  const TrainPlan whole = plan("whole");
  static_cast<void>(run(whole));
  TrainPlan half = plan("half");
  watcher_.stop_after = 5;
  static_cast<void>(run(half));
  TrainPlan moved = plan("moved");
  fs::create_directories(moved.folder);
  for (const char* part : {"latest", "best"})
    fs::copy(half.folder / part, moved.folder / part, fs::copy_options::recursive);
  moved.resume = true;
  watcher_ = {};
  EXPECT_TRUE(run(moved).finished);
  EXPECT_EQ(watcher_.warnings.size(), 2u);  // metrics and curves begin anew
  for (const char* part : {"latest", "best"})
    EXPECT_EQ(weights(whole.folder / part), weights(moved.folder / part)) << part;
  std::vector<Json> rest = metrics(whole);
  rest.erase(rest.begin(), rest.end() - static_cast<std::ptrdiff_t>(metrics(moved).size()));
  EXPECT_EQ(metrics(moved), rest);
  std::ofstream(half.folder / "metrics.jsonl", std::ios::trunc).flush();
  half.resume = true;
  EXPECT_NE(failure(Errc::bad_file, half).find("metrics.jsonl"), std::string::npos);
}

TEST_F(TrainTest, AFinishedRunMayBeExtended) {
  TrainPlan p = plan("run");
  p.command = {"park", "train", "counter"};
  static_cast<void>(run(p));
  p.resume = true;
  p.settings.iterations = 20;
  p.command = {"park", "train", "--resume"};
  const TrainOutcome outcome = run(p);
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.manifest.progress.iteration, 20u);
  EXPECT_EQ(outcome.manifest.validations.size(), 9u);  // at 60, 80, 100 % of the longer one
  const Json manifest = Json::parse(read_text(p.folder / "manifest.json"));
  EXPECT_EQ(manifest["command"], (Json{"park", "train", "counter"}));  // that it began with
  EXPECT_EQ(manifest["settings"]["iterations"], 20);
}

/// By CPU time: the clock of the test goes on by 1/8 s whenever it is looked at.
TEST_F(TrainTest, ABudgetEndsItAndCountsWhatWasUsedBefore) {
  TrainPlan p = plan("run");
  p.settings.iterations = 0;
  p.settings.budget_s = 5;
  watcher_.stop_after = 4;
  const TrainOutcome stopped = run(p);
  EXPECT_FALSE(stopped.finished);
  const double used_s = stopped.manifest.progress.cpu_s;
  EXPECT_LT(used_s, 5);
  watcher_ = {};
  cpu_s_ = 0;  // another process
  p.resume = true;
  const TrainOutcome outcome = run(p);
  EXPECT_TRUE(outcome.finished);
  EXPECT_GE(outcome.manifest.progress.cpu_s, 5);
  EXPECT_LT(outcome.manifest.progress.cpu_s, 5.5);
  EXPECT_DOUBLE_EQ(outcome.manifest.progress.cpu_s, used_s + cpu_s_);
  EXPECT_EQ(outcome.manifest.progress.part, 1);
  double last = -1;
  for (const Json& line : metrics(p)) {
    if (line["type"] != "iteration") continue;
    EXPECT_GT(line["part"], last);
    EXPECT_LT(line["part"], 1);
    last = line["part"];
  }
}

/// By the clock on the wall, which goes on by a second between two looks; hardly any CPU time is used.
TEST_F(TrainTest, TimeOnTheClockEndsItAndCountsWhatPassedBefore) {
  TrainPlan p = plan("run");
  double clock_s = 1000;
  p.cpu_s = [] { return 0.001; };
  p.clock_s = [&] { return clock_s += 1; };
  p.settings.iterations = 0;
  p.settings.budget_s = 50;
  p.settings.wall_s = 60;
  watcher_.stop_after = 4;
  const TrainOutcome stopped = run(p);
  EXPECT_FALSE(stopped.finished);
  const double used_s = stopped.manifest.progress.wall_s;
  EXPECT_GT(used_s, 4);
  EXPECT_LT(used_s, 60);
  EXPECT_DOUBLE_EQ(stopped.manifest.progress.part, used_s / 60) << "of the limit that is nearer";
  watcher_ = {};
  clock_s = 0;  // another process
  p.resume = true;
  const TrainOutcome outcome = run(p);
  EXPECT_TRUE(outcome.finished);
  EXPECT_GE(outcome.manifest.progress.wall_s, 60);
  EXPECT_LT(outcome.manifest.progress.wall_s, 75);
  EXPECT_LT(outcome.manifest.progress.wall_s, used_s + clock_s);
  EXPECT_EQ(outcome.manifest.progress.part, 1);
  const Json manifest = Json::parse(read_text(p.folder / "manifest.json"));
  EXPECT_EQ(manifest["settings"]["wall_s"], 60);
  p.settings.wall_s = 90;  // the end of a run may change
  EXPECT_GE(run(p).manifest.progress.wall_s, 90);
}

/// An iteration has ten decisions.
TEST_F(TrainTest, ABudgetOfDecisionsEndsItAndGivesTheSameBitsAfterAStop) {
  TrainPlan whole = plan("whole"), stopped = plan("stopped");
  for (TrainPlan* p : {&whole, &stopped}) {
    p->settings.iterations = 0;
    p->settings.decisions = 95;
  }
  const TrainOutcome outcome = run(whole);
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.manifest.progress.decisions, 100u);  // that of the iteration that reaches it
  EXPECT_EQ(metrics(whole)[2]["part"], 10 / 95.0);
  watcher_.stop_after = 4;
  EXPECT_FALSE(run(stopped).finished);
  watcher_ = {};
  stopped.resume = true;
  EXPECT_TRUE(run(stopped).finished);
  expect_same(whole, stopped);
}

/// Times that are limited too end it, but have no say in schedules.
TEST_F(TrainTest, ABudgetOfDecisionsGivesTheSameBitsWhateverTheClockSays) {
  TrainPlan slow = plan("slow"), fast = plan("fast");
  for (TrainPlan* p : {&slow, &fast}) {
    p->settings.iterations = 0;
    p->settings.decisions = 95;
    p->settings.budget_s = 1000;
    p->settings.wall_s = 1000;
  }
  slow.clock_s = [s = 0.0]() mutable { return std::exchange(s, 500); };  // half of it at once
  EXPECT_TRUE(run(slow).finished);
  EXPECT_TRUE(run(fast).finished);
  expect_same(slow, fast);
  TrainPlan brief = plan("brief");
  brief.settings = slow.settings;
  brief.settings.wall_s = 5;
  brief.clock_s = [s = 0.0]() mutable { return s += 1; };
  const TrainOutcome ended = run(brief);
  EXPECT_TRUE(ended.finished);
  EXPECT_LT(ended.manifest.progress.decisions, 60u);
}

TEST_F(TrainTest, ValidationsThatTakeMostOfTheTimeAreToldOnce) {
  double clock_s = 0;
  TrainPlan p = plan("run");
  p.clock_s = [&] { return clock_s += 5; };
  static_cast<void>(run(p));
  EXPECT_EQ(watcher_.warnings, std::vector<std::string>());
  watcher_.on_stop = [&] { clock_s += 1; };
  TrainPlan q = plan("slow");
  q.clock_s = [&] { return clock_s += 0.01; };
  static_cast<void>(run(q));
  ASSERT_EQ(watcher_.warnings.size(), 1u);
  EXPECT_NE(watcher_.warnings[0].find("--validation-episodes"), std::string::npos);
}

TEST_F(TrainTest, TheFirstLimitEndsIt) {
  TrainPlan p = plan("run");
  p.settings.iterations = 3;
  p.settings.wall_s = 1e6;
  EXPECT_EQ(run(p).manifest.progress.iteration, 3u);
  TrainPlan q = plan("brief");
  q.clock_s = [s = 0.0]() mutable { return s += 1; };
  q.settings.iterations = 1000;
  q.settings.wall_s = 5;
  EXPECT_LT(run(q).manifest.progress.iteration, 6u);
}

TEST_F(TrainTest, WhatIsNotFiniteStopsItAndItsBatchIsSaved) {
  module_.fails_at = 3;
  const TrainPlan p = plan("run");
  const std::string batch = (p.folder / "failed_batch.safetensors").string();
  EXPECT_EQ(failure(Errc::not_finite, p),
            "iteration 3: the gradient is not a finite number; its batch is in " + batch +
                ", the last checkpoint is of iteration 2");
  const std::string bytes = read_text(batch);
  const TensorFile file({bytes.begin(), bytes.end()}, batch);
  EXPECT_EQ(file.tensors().at(0).name, "noise");
}

TEST_F(TrainTest, GoesOnOnlyWithTheSameSettings) {
  TrainPlan p = plan("run");
  static_cast<void>(run(p));
  p.resume = true;
  const auto refused = [&](auto&& change) {
    TrainPlan other = p;
    change(other.settings);
    return failure(Errc::invalid_config, other);
  };
  EXPECT_EQ(refused([](TrainSettings& s) { s.seed = 4; }),
            "seed: the run has 3, which cannot become 4");
  EXPECT_EQ(refused([](TrainSettings& s) { s.env = "counter(goal=41)"; }),
            "env: the run has counter(goal=40), which cannot become counter(goal=41)");
  EXPECT_EQ(refused([](TrainSettings& s) { s.validate_every = 0.1; }),
            "validate_every: the run has 0.2, which cannot become 0.1");
  EXPECT_EQ(refused([](TrainSettings& s) { s.init = "x"; }),
            "init: the run has nothing, which cannot become x");
}

TEST_F(TrainTest, WeightsOfAnotherVersionOfTheNetworkAreRefused) {
  TrainPlan p = plan("run");
  static_cast<void>(run(p));
  module_.version = 2;
  p.resume = true;
  p.settings.iterations = 12;
  EXPECT_EQ(failure(Errc::invalid_config, p),
            "the run: its network fake is of version 1, this park's of version 2");
  TrainPlan other = plan("other");
  other.settings.init = (p.folder / "best").string();
  EXPECT_EQ(failure(Errc::invalid_config, other),
            "--init: " + other.settings.init +
                ": its network fake is of version 1, this park's of version 2");
}

/// Fields may change what weights mean and not their shapes.
TEST_F(TrainTest, WeightsOfAnotherNetworkAreRefusedAndThoseOfOtherFieldsTold) {
  TrainPlan first = plan("first");
  first.settings.network = "sham";  // as earlier versions called it
  static_cast<void>(run(first));
  const std::string folder = (first.folder / "best").string();
  TrainPlan same = plan("same"), fields = plan("fields"), other = plan("other");
  for (TrainPlan* p : {&same, &fields, &other}) p->settings.init = folder;
  static_cast<void>(run(same));
  EXPECT_TRUE(watcher_.warnings.empty());
  fields.settings.network = "fake(sums=true)";
  static_cast<void>(run(fields));
  EXPECT_EQ(watcher_.warnings,
            std::vector<std::string>{"--init: " + folder +
                                     ": its network is fake, that of the training is "
                                     "fake(sums=true); the same weights may mean something else "
                                     "there"});
  other.settings.network = "another";
  EXPECT_EQ(failure(Errc::invalid_config, other),
            "--init: " + folder + ": its network is fake, that of the training is another");
}

TEST_F(TrainTest, AnotherMachineIsAllowedAndTold) {
  TrainPlan p = plan("run");
  p.host.processor = "one";
  static_cast<void>(run(p));
  EXPECT_TRUE(watcher_.warnings.empty());
  p.resume = true;
  p.host.processor = "another";
  static_cast<void>(run(p));
  EXPECT_EQ(watcher_.warnings.size(), 1u);
}

TEST_F(TrainTest, BeginsWithTheWeightsOfACheckpoint) {
  const TrainPlan first = plan("first");
  const Manifest before = run(first).manifest;
  TrainPlan p = plan("second");
  p.settings.init = first.folder.string();
  p.settings.keep_every = 100;
  const Manifest m = run(p).manifest;
  ASSERT_EQ(m.init.size(), 1u);
  EXPECT_EQ(m.init[0].iteration, before.best()->at.iteration);
  EXPECT_EQ(read_text(p.folder / "checkpoints/000000/policy.safetensors"),
            read_text(first.folder / "best/policy.safetensors"));
}

/// The earlier run goes only when the new one has all that it begins with.
TEST_F(TrainTest, ARefusedRunLeavesEverythingAsItWas) {
  const TrainPlan p = plan("run");
  static_cast<void>(run(p));
  const std::string before = read_text(p.folder / "metrics.jsonl");
  TrainPlan again = p, other = plan("other");
  again.overwrite = true;
  module_.refusal = "algorithm fake: does not play this";
  for (const TrainPlan& refused : {again, other})
    EXPECT_EQ(failure(Errc::invalid_config, refused), module_.refusal);
  module_.refusal.clear();
  module_.version = 2;
  again.settings.init = other.settings.init = p.folder.string();
  for (const TrainPlan& refused : {again, other})
    EXPECT_NE(failure(Errc::invalid_config, refused).find("its network fake is of version 1"),
              std::string::npos);
  EXPECT_EQ(read_text(p.folder / "metrics.jsonl"), before);
  EXPECT_TRUE(fs::exists(p.folder / "best" / "policy.safetensors"));
  EXPECT_FALSE(fs::exists(other.folder));
}

/// The weights of the run that is replaced.
TEST_F(TrainTest, ARunMayBeginWithWhatItReplaces) {
  TrainPlan p = plan("run");
  const Manifest before = run(p).manifest;
  const std::string best = read_text(p.folder / "best/policy.safetensors");
  p.overwrite = true;
  p.settings.init = p.folder.string();
  p.settings.keep_every = 100;
  const Manifest m = run(p).manifest;
  ASSERT_EQ(m.init.size(), 1u);
  EXPECT_EQ(m.init[0].iteration, before.best()->at.iteration);
  EXPECT_EQ(read_text(p.folder / "checkpoints/000000/policy.safetensors"), best);
}

TEST_F(TrainTest, OneProcessAtATime) {
  const TrainPlan p = plan("run");
  class Second final : public TrainWatcher {
   public:
    std::function<void()> call;
    void on_iteration(const Manifest& m, const IterationReport&, double) override {
      if (m.progress.iteration == 1) call();
    }
  } watcher;
  watcher.call = [&] {
    TrainPlan again = p;
    again.overwrite = true;
    EXPECT_EQ(failure(Errc::unavailable, again),
              p.folder.string() + ": another process trains in it");
  };
  EXPECT_TRUE(train(registry_, module_, p, watcher).finished);
}

TEST_F(TrainTest, NewRunsReplaceNothingUnasked) {
  const TrainPlan p = plan("run");
  static_cast<void>(run(p));
  const std::string name = p.folder.string();
  EXPECT_EQ(error_of(Errc::io, [&] { check_new_run(p.folder, false); }),
            name + " exists; give --resume to go on with it, or --overwrite to replace it");
  check_new_run(p.folder, true);
  check_new_run(folder_ / "other", false);
  EXPECT_EQ(
      error_of(Errc::io, [&] { check_new_run(folder_ / "no" / "run", false); }),
      (folder_ / "no" / "run").string() + ": there is no folder " + (folder_ / "no").string());
  fs::create_directories(folder_ / "empty");
  check_new_run(folder_ / "empty", false);
  fs::create_directories(folder_ / "mine" / "thesis");
  EXPECT_EQ(
      error_of(Errc::io, [&] { check_new_run(folder_ / "mine", true); }),
      (folder_ / "mine").string() + " exists and is not the folder of a run; choose another one");
  test::write_text(p.folder / "notes.txt", "mine");
  test::write_text(p.folder / "failed_batch.safetensors", "old");
  TrainPlan again = p;
  again.overwrite = true;
  EXPECT_EQ(run(again).manifest.progress.iteration, 10u);
  EXPECT_EQ(metrics(p).size(), 16u);
  EXPECT_TRUE(fs::exists(p.folder / "notes.txt"));
  EXPECT_FALSE(fs::exists(p.folder / "failed_batch.safetensors"));
  EXPECT_EQ(error_of(Errc::io, [&] { static_cast<void>(resumable(folder_ / "no")); }),
            (folder_ / "no").string() + ": there is no such run to go on with");
}

}  // namespace train_test
}  // namespace park::runs
