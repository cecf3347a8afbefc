// `park train` from the outside: its files, Ctrl-C and --resume, policies by path, bad input.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "park/runs/checkpoint.h"
#include "tests/kit/onnx_bytes.h"
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace train_command_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

constexpr const char* kEnv = "dag_scheduling(executors=6,jobs=3)";

/// A small training into a folder.
Arguments train(const std::string& out, const Arguments& more) {
  Arguments all{
      "train", kEnv,    "--algo", "reinforce(sequences=2,rollouts=2)", "--validation-episodes",
      "5",     "--out", out};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Json json_of(Arguments arguments) {
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  const Finished park = run_park(arguments);
  EXPECT_EQ(park.code, 0) << park.err;
  EXPECT_EQ(park.err, "");
  return Json::parse(park.out);
}

/// Exit code 2, nothing on stdout, and one line on stderr that contains these texts.
void expect_bad(const Arguments& arguments, const Arguments& texts, int code = 2) {
  const Finished park = run_park(arguments);
  SCOPED_TRACE(testing::PrintToString(arguments) + '\n' + park.err);
  EXPECT_EQ(park.code, code);
  EXPECT_EQ(park.out, "");
  EXPECT_EQ(std::ranges::count(park.err, '\n'), 1);
  EXPECT_TRUE(park.err.starts_with("error: "));
  for (const std::string& text : texts) EXPECT_NE(park.err.find(text), std::string::npos) << text;
}

/// What a clock has no part in.
std::vector<Json> metrics(const std::string& run) {
  std::vector<Json> lines;
  std::istringstream text(read_text(run + "/metrics.jsonl"));
  for (std::string line; std::getline(text, line);) {
    lines.push_back(Json::parse(line));
    for (const char* time : {"cpu_s", "wall_s", "play_s", "decisions_per_s"})
      lines.back().erase(time);
  }
  return lines;
}

void expect_same(const std::string& a, const std::string& b) {
  EXPECT_EQ(metrics(a), metrics(b));
  for (const char* file :
       {"/latest/policy.safetensors", "/latest/training.safetensors", "/best/policy.safetensors"})
    EXPECT_TRUE(read_text(a + file) == read_text(b + file)) << file;
}

TEST(Train, LeavesAPolicyThatPlaysOnAnyCluster) {
  const std::string run = scratch_path("run");
  const Json json = json_of(train(run, {"--iterations", "3", "--validate-every", "50%"}));
  EXPECT_EQ(json.at("iteration"), 3);
  EXPECT_EQ(json.at("finished"), true);
  EXPECT_EQ(json.at("metric"), "avg_jct_s");
  EXPECT_EQ(json.at("validations").size(), 3u);
  EXPECT_GT(json.at("parameters"), 1000);
  const Json manifest = Json::parse(read_text(run + "/best/manifest.json"));
  EXPECT_EQ(manifest.at("schema"), "park.checkpoint");
  EXPECT_EQ(manifest.at("settings").at("env"), kEnv);
  EXPECT_TRUE(manifest.at("data").at(0).at("path").get<std::string>().ends_with("tpch.park"));
  EXPECT_NE(manifest.at("host").at("libtorch"), "");

  const std::string both = "fair," + run + "," + run + "(sample=true)";
  const Json played =
      json_of({"run", "dag_scheduling(executors=4,jobs=3)", "--policy", both, "--episodes", "4"});
  const Json& results = played.at("results");
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[1].at("policy"), run);
  EXPECT_EQ(results[2].at("policy"), run + "(sample=true)");
  EXPECT_NE(results[1].at("per_episode"), results[2].at("per_episode"));
  const Json again = json_of(
      {"run", "dag_scheduling(executors=4,jobs=3)", "--policy", run + "/best", "--episodes", "4"});
  EXPECT_EQ(again.at("results")[0].at("per_episode"), results[1].at("per_episode"));
}

/// What chose the best policy can be played again, and others beside it.
TEST(Train, ItsValidationIsWhatRunPlaysInThatPhase) {
  const std::string run = scratch_path("run");
  static_cast<void>(json_of(train(run, {"--iterations", "2", "--seed", "4"})));
  const Json manifest = Json::parse(read_text(run + "/best/manifest.json"));
  const Json played = json_of({"run", kEnv, "--policy", run + ",fair", "--phase", "validate",
                               "--seed", "4", "--episodes", "5"});
  const double mean = manifest.at("validations").back().at("mean");
  EXPECT_NEAR(played.at("results")[0].at("metrics").at("avg_jct_s").at("mean"), mean, 1e-12 * mean);
}

/// Trains until Ctrl-C after the first iterations.
void stop_early(const std::string& folder, const Arguments& length,
                const std::string& iterations = "1 iteration") {
  Subprocess park(train(folder, length));
  ASSERT_TRUE(park.wait_for_error_text("validation after " + iterations));
  park.signal(SIGINT);
  const Finished end = park.finish();
  EXPECT_EQ(end.code, 130) << end.err;
  EXPECT_NE(end.err.find("go on with: park train --out " + folder + " --resume"), std::string::npos)
      << end.err;
}

TEST(Train, AfterCtrlCItGoesOnToTheSameEnd) {
  const std::string whole = scratch_path("whole"), stopped = scratch_path("stopped");
  const Arguments length{"--iterations", "12"};
  static_cast<void>(json_of(train(whole, length)));
  stop_early(stopped, length);
  EXPECT_LT(Json::parse(read_text(stopped + "/manifest.json"))["progress"]["iteration"], 12);
  const Json json = json_of({"train", "--out", stopped, "--resume"});
  EXPECT_EQ(json.at("iteration"), 12);
  expect_same(whole, stopped);
}

TEST(TrainLong, WithMisreportingUsersItGoesOnToTheSameEndToo) {
  const std::string whole = scratch_path("whole"), stopped = scratch_path("stopped"),
                    honest = scratch_path("honest");
  Arguments length{"--iterations", "6"};
  static_cast<void>(json_of(train(honest, length)));
  length.insert(length.end(), {"--adversarial", "0.5"});
  static_cast<void>(json_of(train(whole, length)));
  const std::string weights = "/latest/policy.safetensors";
  EXPECT_FALSE(read_text(whole + weights) == read_text(honest + weights));
  stop_early(stopped, length);
  EXPECT_EQ(Json::parse(read_text(stopped + "/manifest.json"))["settings"]["adversarial"], 0.5);
  expect_bad({"train", "--out", stopped, "--resume", "--adversarial", "0.1"},
             {"--resume: adversarial: the run has 0.5, which cannot become 0.1"});
  static_cast<void>(json_of({"train", "--out", stopped, "--resume"}));
  expect_same(whole, stopped);
}

TEST(TrainLong, ImitatingItGoesOnToTheSameEndToo) {
  const std::string whole = scratch_path("whole");
  const Arguments length{"--iterations",         "10", "--imitate", "fair",
                         "--imitate-iterations", "5",  "--replay",  "0.25"};
  const Json json = json_of(train(whole, length));
  EXPECT_EQ(json.at("iteration"), 10);
  EXPECT_EQ(json.at("imitations"), 5);
  EXPECT_EQ(json.at("phase"), "rewards");
  EXPECT_GT(json.at("imitation_loss"), 0);
  std::string phases;
  for (const Json& line : metrics(whole))
    if (line.at("type") == "iteration") {
      phases += line.at("phase") == "imitation" ? 'i' : 'r';
      EXPECT_GT(line.at("imitation_loss"), 0);
      EXPECT_EQ(line.contains("agreement.stage"), phases.back() == 'i');
      if (line.contains("agreement.stage")) {
        EXPECT_GE(line.at("agreement.stage"), 0);
        EXPECT_LE(line.at("agreement.stage"), 1);
      }
    }
  EXPECT_EQ(phases, "iiiiirrrrr");
  for (const char* point : {"1 iteration", "6 iterations"}) {
    SCOPED_TRACE(point);
    const std::string stopped = scratch_path(std::string("after_") + point[0]);
    stop_early(stopped, length, point);
    const Json manifest = Json::parse(read_text(stopped + "/manifest.json"));
    EXPECT_LT(manifest["progress"]["iteration"], 10);
    EXPECT_EQ(manifest["settings"]["imitate"], "fair");
    static_cast<void>(json_of({"train", "--out", stopped, "--resume"}));
    expect_same(whole, stopped);
  }
  expect_bad({"train", "--out", whole, "--resume", "--replay", "0.5"},
             {"--resume: replay: the run has 0.25, which cannot become 0.5"});
}

/// A run is a policy, so it may teach; the run that learns from it keeps to its file.
TEST(Train, ATeacherMayBeARun) {
  const std::string teacher = scratch_path("teacher"), run = scratch_path("run");
  static_cast<void>(json_of(train(teacher, {"--iterations", "1"})));
  const Json json =
      json_of(train(run, {"--iterations", "1", "--imitate", teacher, "--imitate-iterations", "1"}));
  EXPECT_EQ(json.at("imitations"), 1);
  runs::Checkpoint best = runs::read_checkpoint(teacher + "/best", runs::Parts::policy);
  best.policy.tensors()[0].bytes[0] ^= std::byte{1};
  runs::write_checkpoint(teacher + "/best", best.manifest, best.policy.tensors(), nullptr);
  const Finished park = run_park({"train", "--out", run, "--resume", "--iterations", "2"});
  EXPECT_EQ(park.code, 2);
  for (const char* file : {"manifest.json", "policy.safetensors"})
    EXPECT_NE(park.err.find(std::string("--resume: imitate, explore: ") + file +
                            " is not the file that the run began with"),
              std::string::npos)
        << park.err;
}

TEST(Train, KilledItGoesOnFromItsLastCheckpoint) {
  const std::string whole = scratch_path("whole"), killed = scratch_path("killed");
  const Arguments length{"--iterations", "12", "--validate-every", "25%"};
  static_cast<void>(json_of(train(whole, length)));
  Subprocess park(train(killed, length));
  ASSERT_TRUE(park.wait_for_error_text("validation after 3 iterations"));
  while (metrics(killed).back().at("iteration") < 4) usleep(1000);
  park.signal(SIGKILL);
  EXPECT_EQ(park.finish().code, -SIGKILL);
  static_cast<void>(json_of({"train", "--out", killed, "--resume"}));
  expect_same(whole, killed);
}

/// Networks of other programs play by their path or by the name of their format; the places of their
/// numbers are told, and what is wrong with them.
TEST(NetworkFiles, ArePoliciesByPath) {
  constexpr const char* kServers = "load_balance(servers=3)";
  const Json places = json_of({"describe", kServers}).at("network_file");
  std::int64_t inputs = 0;
  for (const Json& place : places.at("inputs")) {
    EXPECT_EQ(place.at("from"), inputs);
    inputs += place.at("count").get<std::int64_t>();
  }
  EXPECT_EQ(places.at("outputs"), (Json{{{"name", "server"}, {"from", 0}, {"count", 3}}}));
  EXPECT_TRUE(json_of({"describe", kEnv}).at("network_file").is_null());
  const auto write = [](const std::string& name, std::int64_t width) {
    const std::string path = scratch_path(name);
    const auto n = static_cast<std::size_t>(width);
    std::ofstream(path, std::ios::binary)
        << test::OnnxBytes()
               .input("x", {-1, width})
               .constant("w", {width, 3}, std::vector<float>(3 * n))
               .constant("b", {3}, {0, 2, 1})
               .node("Gemm", {"x", "w", "b"}, {"y"})
               .output("y")
               .bytes();
    return path;
  };
  const std::string file = write("always_second.onnx", inputs);
  const std::string named = "onnx(file=\"" + file + "\")";
  const Json results =
      json_of({"run", kServers, "--policy", file + ',' + named, "--episodes", "2"});
  ASSERT_EQ(results.at("results").size(), 2u);
  EXPECT_EQ(results.at("results")[0].at("metrics"), results.at("results")[1].at("metrics"));
  const Arguments run{"run", kServers, "--episodes", "1", "--policy"};
  const auto with = [&](const std::string& policy) {
    Arguments all = run;
    all.push_back(policy);
    return all;
  };
  expect_bad(with(write("wide.onnx", inputs + 1)),
             {"wide.onnx: input 'x' takes " + std::to_string(inputs + 1) +
              " numbers; allowed are " + std::to_string(inputs)});
  expect_bad(with("missing.onnx"), {"missing.onnx: there is no such file of a network"});
  expect_bad(with("torchscript"), {"file: is required"});
  expect_bad(with(file + "(sampel=true)"), {"sampel", "sample"});
}

/// What would not go with the default baseline goes with the one that was given.
TEST(Train, PartsAreJudgedTogether) {
  const Json json =
      json_of({"train", kEnv, "--algo", "reinforce(sequences=1,rollouts=1)", "--baseline", "none",
               "--iterations", "1", "--validation-episodes", "2", "--out", scratch_path("run")});
  EXPECT_EQ(json.at("baseline"), "none");
}

TEST(Train, ABudgetCountsCpuTime) {
  const std::string run = scratch_path("run");
  // The start alone takes 1.7 s with sanitizers, and twice as much on a busy machine.
  const Json json = json_of(train(run, {"--budget", "5s", "--validate-every", "100%"}));
  EXPECT_GE(json.at("cpu_s"), 5.0);
  EXPECT_LT(json.at("cpu_s"), 20.0);
  const auto lines = metrics(run);
  EXPECT_GT(lines.back().at("iteration"), 1);
}

TEST(Train, TimeOnTheClockEndsIt) {
  const std::string run = scratch_path("run");
  const Json json = json_of(train(run, {"--wall", "1s", "--validate-every", "100%"}));
  EXPECT_GE(json.at("wall_s"), 1.0);
  EXPECT_GE(json.at("iteration"), 1);
  const Json manifest = Json::parse(read_text(run + "/manifest.json"));
  EXPECT_EQ(manifest.at("settings").at("wall_s"), 1.0);
  EXPECT_EQ(manifest.at("settings").at("budget_s"), 0.0);
}

/// Weights that overflow: the first loss is not a number.
TEST(Train, WhatIsNotFiniteStopsIt) {
  const std::string run = scratch_path("run"), huge = scratch_path("huge");
  static_cast<void>(json_of(train(run, {"--iterations", "1"})));
  const runs::Checkpoint best = runs::read_checkpoint(run + "/best", runs::Parts::policy);
  for (const runs::TensorView& t : best.policy.tensors())
    for (std::size_t i = 0; i < t.bytes.size() / 4; ++i)
      reinterpret_cast<float*>(t.bytes.data())[i] = i % 2 == 0 ? 3e38f : -3e38f;
  runs::write_checkpoint(huge, best.manifest, best.policy.tensors(), nullptr);
  const std::string out = scratch_path("out");
  const Finished park = run_park(train(out, {"--iterations", "2", "--init", huge, "--quiet"}));
  EXPECT_EQ(park.code, 1) << park.err;
  EXPECT_EQ(park.out, "");
  EXPECT_EQ(std::ranges::count(park.err, '\n'), 1) << park.err;
  EXPECT_TRUE(park.err.starts_with("error: iteration 0: ")) << park.err;
  EXPECT_NE(park.err.find("failed_batch.safetensors"), std::string::npos) << park.err;
  EXPECT_TRUE(fs::exists(out + "/failed_batch.safetensors"));
}

TEST(Train, HelpListsWhatThereIs) {
  const Finished park = run_park({"train", "--help"});
  EXPECT_EQ(park.code, 0) << park.err;
  for (const char* text : {"algorithms:", "reinforce", "a2c", "ppo", "rollouts", "baselines:",
                           "sequence_mean", "value", "networks:", "hidden1", "example:"})
    EXPECT_NE(park.out.find(text), std::string::npos) << text;
  std::istringstream lines(park.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110u) << line;
}

TEST(Train, RefusesBadOptionsInOneLine) {
  const std::string out = scratch_path("run");
  expect_bad({"train", "--out", out}, {"ENV: is required"});
  expect_bad({"train", kEnv}, {"--out: is required"});
  expect_bad(train(out + "/no/run", {}), {"--out: ", "there is no folder " + out + "/no"});
  expect_bad(train(out, {"--budget", "30"}), {"--budget: \"30\" is not a time such as 90s"});
  expect_bad(train(out, {"--budget", "-3m"}), {"--budget: "});
  expect_bad(train(out, {"--wall", "soon"}), {"--wall: \"soon\" is not a time such as 90s"});
  expect_bad(train(out, {"--iterations", "0"}), {"--iterations: ", "from 1 to "});
  expect_bad(train(out, {"--validate-every", "5"}), {"--validate-every: \"5\"", "5%"});
  expect_bad(train(out, {"--validate-every", "200%"}), {"at most 100%"});
  expect_bad(train(out, {"--device", "gpu"}), {"--device: \"gpu\" is not cpu or cuda"});
  expect_bad(train(out, {"--device", "cuda"}), {"--device: cuda is not available", "cpu"});
  EXPECT_EQ(run_park({"train", "--help"}).out.find("cuda"), std::string::npos);  // nor promised
  expect_bad(train(out, {"--init", "no/such"}), {"--init: no/such: there is no such checkpoint"});
  expect_bad(train(out, {"--resume", "--overwrite"}), {"--overwrite"});
  expect_bad(train(out, {"--resume"}), {"--resume: ", "there is no such run"});
  expect_bad({"train", kEnv, "--algo", "ppo(epoch=2)", "--out", out}, {"--algo: ", "epoch"});
  expect_bad({"train", kEnv, "--algo", "pqo", "--out", out}, {"--algo: ", "did you mean 'ppo'"});
  expect_bad(train(out, {"--baseline", "mean"}), {"--baseline: "});
  expect_bad({"train", kEnv, "--algo", "reinforce(rollouts=1)", "--baseline", "meta", "--out", out},
             {"--baseline: rollouts: "});
  expect_bad(train(out, {"--net", "cluster_features(hidden1=0)"}), {"--net: hidden1 = 0"});
  expect_bad(train(out, {"--net", "park(memory=8)"}),
             {"--net: network 'park' is called 'cluster_features'"});
  expect_bad({"train", "dag_scheduling(executors=0)", "--out", out}, {"ENV: executors = 0"});
  for (const char* share : {"1.5", "-0.1", "nan", "x"})
    expect_bad(train(out, {"--adversarial", share}), {"--adversarial: ", "from 0 to 1"});
  EXPECT_FALSE(fs::exists(out));
}

TEST(Train, RefusesBadGuidanceInOneLine) {
  const std::string out = scratch_path("run");
  const auto guided = [&](const Arguments& more) {
    Arguments all{"--imitate", "fair", "--imitate-iterations", "2"};
    all.insert(all.end(), more.begin(), more.end());
    return train(out, all);
  };
  expect_bad(train(out, {"--imitate", "fair"}), {"--imitate: needs --imitate-iterations"});
  for (const Arguments& alone : {Arguments{"--imitate-iterations", "2"},
                                 {"--replay", "0.1"},
                                 {"--imitate-along", "teacher"}})
    expect_bad(train(out, alone), {alone[0] + ": needs a teacher; give --imitate"});
  expect_bad(train(out, {"--explore-share", "0.1"}), {"--explore-share: needs --explore"});
  for (const char* number : {"0", "-1", "x"})
    expect_bad(train(out, {"--imitate", "fair", "--imitate-iterations", number}),
               {"--imitate-iterations: ", "from 1 to "});
  expect_bad(guided({"--iterations", "1"}),
             {"--imitate-iterations: 2 is more than --iterations, 1"});
  expect_bad(guided({"--imitate-along", "both"}), {"--imitate-along: \"both\" is not learner or "});
  for (const char* share : {"1.5", "-0.1", "nan", "x"})
    expect_bad(guided({"--replay", share}), {"--replay: ", "from 0 to 1"});
  const auto teacher = [&](const std::string& name) {
    return train(out, {"--imitate", name, "--imitate-iterations", "2"});
  };
  expect_bad(teacher("fiar"), {"--imitate: no policy 'fiar'; did you mean 'fair'?"});
  expect_bad(teacher("least_work"), {"--imitate: "});
  expect_bad(teacher("fair(x=1)"), {"--imitate: "});
  expect_bad(teacher("fair,fifo"), {"--imitate: teachers: 2, environments: 1; allowed "});
  expect_bad(teacher("fair,,"), {"--imitate: "});
  expect_bad(teacher("tree(file=no/such)"), {"--imitate: no/such: "});
  expect_bad(train(out, {"--explore", "no/such"}), {"--explore: no/such: "});
  expect_bad(train(out, {"--explore", "README.md"}), {"--explore: "});
  EXPECT_FALSE(fs::exists(out));
}

/// The bundled weights are those of an earlier version's name for the network.
TEST(Train, BeginsWithWeightsOfTheSameNetworkAlone) {
  const std::string out = scratch_path("run"), network = "cluster_features(hidden1=64,hidden2=32";
  const std::string others = ": its network is " + network + ",memory=8), that of the training is ";
  const auto begun = [&](const std::string& net) {
    return train(out, {"--init", "dag_scheduling-batch-bundled", "--net", net, "--iterations", "1",
                       "--overwrite", "--quiet"});
  };
  expect_bad(begun("scorer"), {"--init: ", others + "scorer"});
  expect_bad(begun("cluster_features(hidden1=8)"),
             {"--init: ", others + "cluster_features(hidden1=8): stage."});
  EXPECT_FALSE(fs::exists(out));
  const Finished same = run_park(begun(network + ",memory=8)"));
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.err, "");
  const Finished fields = run_park(begun(network + ",memory=8,measured=true)"));
  EXPECT_EQ(fields.code, 0) << fields.err;
  EXPECT_TRUE(fields.err.starts_with("warning: --init: ")) << fields.err;
}

TEST(Train, RefusesAnInstructionSetThatIsNotThere) {
  const std::string out = scratch_path("run");
  setenv("PARK_INSTRUCTION_SET", "mmx", 1);
  expect_bad(train(out, {"--iterations", "1"}), {"instruction set 'mmx': this processor has "});
  unsetenv("PARK_INSTRUCTION_SET");
  EXPECT_FALSE(fs::exists(out));
}

TEST(Train, ReplacesNothingUnasked) {
  const std::string run = scratch_path("run");
  const Arguments once = train(run, {"--iterations", "1"});
  static_cast<void>(json_of(once));
  const std::string before = read_text(run + "/metrics.jsonl");
  expect_bad(once, {"--out: " + run + " exists", "--resume", "--overwrite"});
  expect_bad({"train", "--out", run, "--resume", "--seed", "2"},
             {"--resume: seed: the run has 1, which cannot become 2"});
  expect_bad({"train", "--out", run, "--resume", "--net", "cluster_features(hidden1=8)"},
             {"--resume: network: the run has cluster_features, which cannot become "
              "cluster_features(hidden1=8)"});
  EXPECT_EQ(read_text(run + "/metrics.jsonl"), before);
  static_cast<void>(json_of(train(run, {"--iterations", "2", "--overwrite"})));
  EXPECT_NE(read_text(run + "/metrics.jsonl"), before);
  const std::string folder = scratch_path("folder");
  fs::create_directories(folder + "/thesis");
  expect_bad(train(folder, {"--overwrite"}), {"is not the folder of a run"});
}

/// The same checkpoint as an earlier version wrote it, which knew the network by another name.
void rename_network(const fs::path& checkpoint) {
  runs::Checkpoint c = runs::read_checkpoint(checkpoint, runs::Parts::all);
  ASSERT_EQ(c.manifest.settings.network, "cluster_features(hidden1=8)");
  c.manifest.settings.network = "park(hidden1=8)";
  const runs::TensorViews training = c.training->tensors();
  runs::write_checkpoint(checkpoint, c.manifest, c.policy.tensors(), &training);
}

TEST(TrainLong, ARunWhoseNetworkHadAnotherNameIsPlayedAndGoesOn) {
  const std::string today = scratch_path("today"), old = scratch_path("old");
  static_cast<void>(
      json_of(train(today, {"--iterations", "2", "--net", "cluster_features(hidden1=8)"})));
  fs::copy(today, old, fs::copy_options::recursive);
  rename_network(old + "/latest");
  const auto played = [](const std::string& policy) {
    return json_of({"run", kEnv, "--policy", policy + "/latest", "--episodes", "3"})
        .at("results")[0]
        .at("per_episode");
  };
  EXPECT_EQ(played(old), played(today));
  for (const std::string& run : {today, old}) {
    const Json resumed = json_of({"train", "--out", run, "--resume", "--iterations", "3"});
    EXPECT_EQ(resumed.at("iteration"), 3);
    EXPECT_EQ(resumed.at("network"), "cluster_features(hidden1=8)");
  }
  for (const char* file : {"/latest/policy.safetensors", "/latest/training.safetensors"})
    EXPECT_TRUE(read_text(old + file) == read_text(today + file)) << file;
}

TEST(CheckpointPolicy, IsRefusedInOneLine) {
  const std::string run = scratch_path("run"), copy = scratch_path("copy");
  static_cast<void>(json_of(train(run, {"--iterations", "1"})));
  const auto play = [](const std::string& env, const std::string& policy) {
    return Arguments{"run", env, "--policy", policy, "--episodes", "1"};
  };
  expect_bad(play("load_balance", run), {"--policy: ", "was trained on dag_scheduling"});
  expect_bad(play("dag_scheduling(classes=[class(share=0.5,cpus=1,memory=1),"
                  "class(share=0.5,cpus=2,memory=1)])",
                  run),
             {"--policy: ", "another layout of dag_scheduling: it has "});
  expect_bad(play(kEnv, run + "(sampel=true)"), {"--policy: ", "sampel"});
  expect_bad({"tune", kEnv, "--policy", run}, {"--policy: " + run + " has no field to tune"});
  fs::copy(run + "/best", copy);
  fs::resize_file(copy + "/policy.safetensors", 100);
  expect_bad(play(kEnv, copy), {"policy.safetensors: has 100 bytes, its manifest says "});
  fs::remove(copy + "/policy.safetensors");
  expect_bad(play(kEnv, copy), {"policy.safetensors: No such file"});
  fs::remove(copy + "/manifest.json");
  expect_bad(play(kEnv, copy), {copy + ": holds no manifest.json"});
}

/// What was learned of two classes of executors serves other numbers of them; a network of outputs
/// for each does not.
TEST(CheckpointPolicy, PlaysOtherNumbersOfClasses) {
  const std::string run = scratch_path("run"), fixed = scratch_path("fixed");
  const auto classes = [](int n) {
    std::string text = "dag_scheduling(executors=12,jobs=2,classes=[";
    for (int c = 0; c < n; ++c)
      text += (c > 0 ? ",class(share=" : "class(share=") + std::to_string(1.0 / n) + ",memory=1)";
    return text + "])";
  };
  const auto trained = [&](const std::string& out, const char* network) {
    return json_of({"train", classes(2), "--algo", "reinforce(sequences=1,rollouts=2)", "--net",
                    network, "--iterations", "1", "--validation-episodes", "2", "--out", out});
  };
  static_cast<void>(trained(run, "cluster_features"));
  static_cast<void>(trained(fixed, "decima"));
  for (const int n : {1, 4}) {
    const Arguments play{"run", classes(n), "--policy", run, "--episodes", "1"};
    EXPECT_EQ(run_park(play).code, 0) << n;
  }
  expect_bad({"run", classes(4), "--policy", fixed, "--episodes", "1"}, {"another layout"});
}

/// The shapes decide, whatever the manifest says of the network.
TEST(CheckpointPolicy, WeightsOfAnotherNetworkAreRefused) {
  const std::string run = scratch_path("run"), other = scratch_path("other");
  static_cast<void>(json_of(train(run, {"--iterations", "1"})));
  runs::Checkpoint best = runs::read_checkpoint(run + "/best", runs::Parts::policy);
  best.manifest.settings.network = "cluster_features(hidden1=8)";
  runs::write_checkpoint(other, best.manifest, best.policy.tensors(), nullptr);
  expect_bad({"run", kEnv, "--policy", other, "--episodes", "1"},
             {"policy.safetensors: ", " is f32 [", "the network has f32 ["});
}

/// The file of the BLAS that programs load, links followed; nothing where there is none.
fs::path blas_file() {
  void* const library = dlopen("libblas.so.3", RTLD_LAZY);
  Dl_info about{};
  if (library == nullptr || dladdr(dlsym(library, "sgemm_"), &about) == 0) return {};
  return fs::canonical(about.dli_fname);
}

/// Small and large clusters in one training: returns are those of the heuristic, times what the
/// learner takes longer, in each of them. The first iteration imitates that heuristic, which plays.
TEST(Train, LearnsOnAMixture) {
  const std::string out = scratch_path("mixture");
  const Arguments more{"--iterations", "3", "--validate-every", "50%"};
  const auto mixed = [&](const std::string& folder, const Arguments& last) {
    Arguments all{"train",
                  "--env",
                  "dag_scheduling(executors=4,jobs=3)*2",
                  "--env",
                  "dag_scheduling(executors=9,jobs=5,arrival=poisson,interval_s=400)",
                  "--scale-by",
                  "fair",
                  "--imitate",
                  "fair",
                  "--imitate-iterations",
                  "1",
                  "--algo",
                  "reinforce(sequences=4,rollouts=2)",
                  "--net",
                  "cluster_features(unit=task,memory=2,keys=true)",
                  "--validation-episodes",
                  "6",
                  "--out",
                  folder};
    all.insert(all.end(), last.begin(), last.end());
    return all;
  };
  const Json json = json_of(mixed(out, more));
  EXPECT_EQ(json.at("metric"), "avg_jct_s / fair");
  EXPECT_EQ(json.at("env"), "dag_scheduling(executors=4,jobs=3)");
  EXPECT_GT(json.at("best").at("mean"), 0.3);
  EXPECT_LT(json.at("best").at("mean"), 4);
  for (const Json& line : metrics(out)) {
    if (line.at("type") != "iteration") continue;
    EXPECT_EQ(line.at("episodes"), 8);
    EXPECT_LT(line.at("mean_reward"), -0.3);
    EXPECT_GT(line.at("mean_reward"), -6);
    if (line.at("iteration") == 0) {
      EXPECT_NEAR(line.at("mean_reward"), -1, 1e-9);
    }
  }
  for (const char* env : {"dag_scheduling(executors=20,jobs=4)",
                          "dag_scheduling(executors=3,jobs=2,moving_delay_s=0)"})
    EXPECT_EQ(run_park({"run", env, "--policy", out, "--episodes", "1"}).code, 0) << env;
  // One that was cut off goes on to the same bytes.
  const std::string resumed = scratch_path("resumed");
  (void)json_of(mixed(resumed, {"--iterations", "1", "--validate-every", "50%"}));
  (void)json_of({"train", "--out", resumed, "--resume", "--iterations", "3"});
  EXPECT_TRUE(read_text(out + "/latest/policy.safetensors") ==
              read_text(resumed + "/latest/policy.safetensors"));
}

TEST(Train, RefusesWrongMixturesInOneLine) {
  const std::string out = scratch_path("run");
  const auto mixed = [&](const std::string& second, const Arguments& more) {
    Arguments all{"train", "--env", kEnv, "--env", second, "--out", out, "--iterations", "1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Arguments fair{"--scale-by", "fair"};
  expect_bad(mixed(kEnv, {"--scale-by", "nobody"}), {"--scale-by: no policy 'nobody'"});
  expect_bad(mixed("load_balance", fair), {"--env: load_balance has another layout than"});
  expect_bad(mixed("dag_scheduling(classes=[class(share=0.5),class(share=0.5)])", fair),
             {"has another layout than"});
  expect_bad(mixed("dag_scheduling(objective=makespan)", fair), {"makespan_s", "than"});
  expect_bad(mixed("dag_scheduling*0", fair), {"--env: \"0\" is not a weight above 0"});
  expect_bad(
      mixed(kEnv, {"--scale-by", "fair", "--imitate", "nobody", "--imitate-iterations", "1"}),
      {"--imitate: no policy 'nobody'"});
  expect_bad({"train", kEnv, "--env", kEnv, "--out", out}, {"ENV: does not go with --env"});
  expect_bad(train(out, {"--scale-by", "fair"}), {"--scale-by: needs several --env"});
}

/// A BLAS is known by its folder, and a copy of any is in a folder that names none.
TEST(Train, ASlowBlasIsTold) {
  const fs::path file = blas_file();
  if (file.empty()) GTEST_SKIP() << "there is no libblas.so.3";
  const std::string folder = scratch_path("blas");
  fs::create_directories(folder);
  fs::copy(file, folder + "/libblas.so.3");
  setenv("LD_LIBRARY_PATH", folder.c_str(), 1);
  const Finished park = run_park(train(scratch_path("run"), {"--iterations", "1"}));
  unsetenv("LD_LIBRARY_PATH");
  EXPECT_EQ(park.code, 0) << park.err;
  EXPECT_NE(park.err.find("warning: LibTorch computes with the reference BLAS"), std::string::npos);
  EXPECT_NE(park.err.find("libopenblas0-pthread"), std::string::npos) << park.err;
}

}  // namespace train_command_test
}  // namespace park::cli
