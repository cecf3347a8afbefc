// Checkpoints: what they hold, what is refused, and which folder a name stands for.
#include "park/runs/checkpoint.h"

#include <nlohmann/json.hpp>

#include "park/files/durable.h"
#include "tests/runs/fake_module.h"
#include "tests/runs/scratch.h"

namespace park::runs {
namespace checkpoint_test {

namespace fs = std::filesystem;
using test::bytes_of;
using test::error_of;
using test::read_text;
using test::write_text;

class CheckpointTest : public test::Scratch {
 protected:
  CheckpointTest() {
    const Spec spec = registry_.spec("counter");
    manifest_.settings = {.env = "counter(goal=40)",
                          .algorithm = "ppo",
                          .baseline = "value",
                          .network = "mlp(hidden=[32,32])",
                          .seed = 18446744073709551615U,
                          .init = ""};
    manifest_.command = {"park", "train", "a \"b\"\n"};
    manifest_.layout_hash = layout_text(spec);
    manifest_.layout = layout_lines(spec);
    manifest_.metric = "steps";
    manifest_.progress = {.iteration = 7, .decisions = 70, .part = 0.7, .cpu_s = 1.0 / 3};
    manifest_.validations = {{.at = manifest_.progress, .mean = NAN, .sd = 2},
                             {.at = manifest_.progress, .mean = 3, .sd = 2}};
    folder_ /= "c";
    write();
  }
  void write() {
    const TensorViews training{{"steps", DType::i64, {1}, bytes_of(steps_)}};
    write_checkpoint(folder_, manifest_, {{"w", DType::f32, {2}, bytes_of(weights_)}}, &training);
  }
  std::string refusal(Parts parts = Parts::all, Errc code = Errc::bad_file) {
    return error_of(code, [&] { static_cast<void>(read_checkpoint(folder_, parts)); });
  }
  /// Replaces a piece of the manifest.
  void edit(const std::string& from, const std::string& to) {
    std::string text = read_text(folder_ / "manifest.json");
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_text(folder_ / "manifest.json", text.replace(at, from.size(), to));
  }
  [[nodiscard]] std::string file(const char* name) const { return (folder_ / name).string(); }

  Registry registry_ = test::counter_registry();
  Manifest manifest_;
  std::vector<float> weights_ = {1, 2};
  std::vector<std::int64_t> steps_ = {5};
};

TEST_F(CheckpointTest, ReadsBackWhatWasWritten) {
  const Checkpoint read = read_checkpoint(folder_, Parts::all);
  Manifest expected = manifest_;
  expected.files = read.manifest.files;
  EXPECT_EQ(manifest_text(read.manifest), manifest_text(expected));
  EXPECT_EQ(read.manifest.settings.seed, 18446744073709551615U);
  EXPECT_EQ(read.manifest.command, manifest_.command);
  EXPECT_EQ(read.manifest.progress.cpu_s, 1.0 / 3);
  EXPECT_EQ(read.manifest.best(), &read.manifest.validations[1]);
  EXPECT_EQ(read.policy.tensors().at(0).shape, std::vector<std::int64_t>{2});
  EXPECT_EQ(read.training->tensors().at(0).name, "steps");
}

TEST_F(CheckpointTest, AnOlderOneIsReplacedWhole) {
  manifest_.progress.iteration = 8;
  weights_ = {3, 4};
  write();
  EXPECT_EQ(read_checkpoint(folder_, Parts::all).manifest.progress.iteration, 8u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.parent_path()), {}), 1);
}

TEST_F(CheckpointTest, ACrashBetweenTwoRenamesIsMadeUpFor) {
  fs::rename(folder_, folder_.string() + ".old");
  fs::create_directories(folder_.string() + ".part");
  files::recover_folder(folder_);
  EXPECT_EQ(read_checkpoint(folder_, Parts::all).manifest.progress.iteration, 7u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.parent_path()), {}), 1);
}

TEST_F(CheckpointTest, RefusesFilesThatAreNotItsOwn) {
  const std::string policy = read_text(folder_ / "policy.safetensors");
  write_text(folder_ / "policy.safetensors", policy.substr(0, policy.size() - 1));
  EXPECT_EQ(refusal(), file("policy.safetensors") + ": has " + std::to_string(policy.size() - 1) +
                           " bytes, its manifest says " + std::to_string(policy.size()));
  std::string other = policy;
  other.back() = static_cast<char>(other.back() ^ 1);
  write_text(folder_ / "policy.safetensors", other);
  EXPECT_EQ(refusal(),
            file("policy.safetensors") + ": is not what its manifest says: another checksum");
  fs::remove(folder_ / "policy.safetensors");
  EXPECT_EQ(refusal(Parts::policy, Errc::io),
            file("policy.safetensors") + ": No such file or directory");
}

TEST_F(CheckpointTest, ActingNeedsNoStateOfTraining) {
  fs::remove(folder_ / "training.safetensors");
  EXPECT_EQ(read_checkpoint(folder_, Parts::policy).manifest.progress.iteration, 7u);
  EXPECT_NE(refusal(Parts::all, Errc::io), "");
  write_checkpoint(folder_, manifest_, {{"w", DType::f32, {2}, bytes_of(weights_)}}, nullptr);
  EXPECT_EQ(refusal(),
            file("training.safetensors") + ": is not part of the checkpoint, says its manifest");
}

TEST_F(CheckpointTest, RefusesManifestsInOneLine) {
  const std::string name = file("manifest.json");
  const std::string whole = read_text(name);
  const auto with = [&](const std::string& from, const std::string& to) {
    write_text(name, whole);
    edit(from, to);
    return refusal();
  };
  EXPECT_EQ(with("\"version\": 1", "\"version\": 2"),
            name + ": is of version 2; this park reads version 1 and older");
  EXPECT_EQ(with("park.checkpoint", "park.results"),
            name + ": its schema is neither park.run nor park.checkpoint");
  EXPECT_EQ(with("park.checkpoint", "park.run"), name + ": is no checkpoint but a run");
  EXPECT_EQ(with("\"metric\": ", "\"metrik\": "), name + ": has no metric");
  EXPECT_EQ(with("\"metric\": \"steps\"", "\"metric\": 5"), name + ": metric: expected a string");
  EXPECT_EQ(with("\"iteration\": 7", "\"iteration\": -7"),
            name + ": progress: iteration: expected a whole number");
  EXPECT_EQ(with("\"parameters\": 0,", "\"parameters\": 0, \"parameters\": 1,"),
            name + ": parameters comes twice");
  EXPECT_EQ(with("\"part\": 0.7", "\"part\": 1.7"),
            name + ": part, cpu_s or wall_s is out of its range");
  EXPECT_EQ(with("counter(goal=40)", "counter(goal"),
            name + ": settings: 'counter(goal': expected '=' at position 13");
  for (std::size_t n = 0; n + 2 < whole.size(); n += 37) {
    write_text(name, whole.substr(0, n));
    EXPECT_TRUE(refusal().starts_with(name + ": ")) << n;
  }
  write_text(name, whole);
  edit("\"metric\": ", "\"later\": [{}, 1], \"metric\": ");  // of a later version's writer
  EXPECT_EQ(read_checkpoint(folder_, Parts::all).manifest.metric, "steps");
  edit("\"network_version\": 1,", "");  // of an earlier version's writer
  EXPECT_EQ(read_checkpoint(folder_, Parts::all).manifest.network_version, 1u);
}

TEST_F(CheckpointTest, LayoutDecidesAndTheLineNamesTheDifference) {
  check_layout(manifest_, registry_.spec("counter(goal=500)"), "c");
  check_layout(manifest_, registry_.spec("counter_twin"), "c");
  manifest_.settings.env = "elsewhere(endpoint=x)";  // trained on by another name
  EXPECT_FALSE(fits(manifest_, registry_.spec("counter")));
  manifest_.env_name = "counter";
  EXPECT_TRUE(fits(manifest_, registry_.spec("counter")));
  EXPECT_EQ(error_of(Errc::invalid_config,
                     [&] { check_layout(manifest_, registry_.spec("counter(most=5)"), "c"); }),
            "c: another layout of counter: it has head amount i32 [] of 3 values, the environment "
            "has head amount i32 [] of 5 values");
  Spec other = registry_.spec("counter");
  other.name = "other";
  other.traits.twin.clear();
  EXPECT_EQ(error_of(Errc::invalid_config, [&] { check_layout(manifest_, other, "c"); }),
            "c: was trained on counter and does not understand other");
}

TEST_F(CheckpointTest, WeightsOfAnotherVersionOfTheNetworkAreRefused) {
  manifest_.settings.network = "mlp(hidden1=32)";
  check_network(manifest_, 1, "c");
  EXPECT_EQ(error_of(Errc::invalid_config, [&] { check_network(manifest_, 2, "c"); }),
            "c: its network mlp(hidden1=32) is of version 1, this park's of version 2");
}

TEST(PresentNetwork, HasTheNameOfToday) {
  const test::FakeModule module;
  EXPECT_EQ(present_network(module, "sham"), "fake");
  EXPECT_EQ(present_network(module, "sham(size=8)"), "fake(size=8)");
  EXPECT_EQ(present_network(module, "fake(size=8)"), "fake(size=8)");
  EXPECT_EQ(present_network(module, "unknown"), "unknown");
}

TEST_F(CheckpointTest, AFolderStandsForItsPolicy) {
  EXPECT_EQ(find_checkpoint(folder_.string()), folder_);
  EXPECT_EQ(find_checkpoint("no/such/folder"), std::nullopt);
  EXPECT_EQ(find_checkpoint("weighted_fair"), std::nullopt);
  const fs::path run = folder_.parent_path();
  EXPECT_EQ(error_of(Errc::bad_file, [&] { static_cast<void>(find_checkpoint(run.string())); }),
            run.string() + ": holds no manifest.json, so it is no checkpoint");
  manifest_.kind = Manifest::Kind::run;
  write_text(run / "manifest.json", manifest_text(manifest_));
  EXPECT_EQ(error_of(Errc::bad_file, [&] { static_cast<void>(find_checkpoint(run.string())); }),
            run.string() + ": the run has no checkpoint yet");
  fs::copy(folder_, run / "latest");
  EXPECT_EQ(find_checkpoint(run.string()), run / "latest");
  fs::copy(folder_, run / "best");
  EXPECT_EQ(find_checkpoint(run.string()), run / "best");
  fs::remove(run / "manifest.json");  // only checkpoints were brought along
  EXPECT_EQ(find_checkpoint(run.string()), run / "best");
  fs::remove(run / "best" / "policy.safetensors");
  EXPECT_EQ(find_checkpoint(run.string()), run / "latest");
}

TEST_F(CheckpointTest, BundledOnesHaveNames) {
  const fs::path data = folder_.parent_path() / "data";
  fs::create_directories(data / "checkpoints");
  fs::copy(folder_, data / "checkpoints" / "counter-small");
  const char* const before = std::getenv("PARK_DATA");
  const std::string restored = before == nullptr ? "" : before;
  setenv("PARK_DATA", data.c_str(), 1);
  EXPECT_EQ(find_checkpoint("counter-small"), data / "checkpoints" / "counter-small");
  EXPECT_EQ(find_checkpoint("counter-large"), std::nullopt);
  if (before == nullptr)
    unsetenv("PARK_DATA");
  else
    setenv("PARK_DATA", restored.c_str(), 1);
}

TEST_F(CheckpointTest, WrongFieldsOfAPolicyTextAreNamed) {
  Registry registry = test::counter_registry();
  add_checkpoint_policies(registry);
  const std::string path = folder_.string();
  EXPECT_EQ(registry.canonical_policy(path + "(sample=true)"), path + "(sample=true)");
  EXPECT_EQ(registry.policy_fields(path).at(0).name, "sample");
  EXPECT_EQ(error_of(Errc::invalid_config,
                     [&] {
                       static_cast<void>(
                           registry.policy(path + "(smaple=true)", registry.spec("counter")));
                     }),
            "unknown field 'smaple'; did you mean 'sample'?");
}

}  // namespace checkpoint_test
}  // namespace park::runs
