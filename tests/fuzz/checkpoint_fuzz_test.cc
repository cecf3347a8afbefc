// Damaged checkpoints: weights and manifests.
#include <gtest/gtest.h>

#include <cstring>

#include "park/runs/manifest.h"
#include "park/runs/tensor_file.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/tally.h"

namespace park::test {
namespace {

using runs::Manifest;
using runs::TensorFile;
using runs::TensorViews;

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

std::string weights() {
  std::vector<float> a(12, 0.25f), b(3, 1);
  std::vector<std::int64_t> steps{17};
  std::vector<std::uint8_t> flags{1, 0, 1};
  return runs::tensor_file_bytes({{"net.0.weight", DType::f32, {3, 4}, bytes_of(a)},
                                  {"net.0.bias", DType::f32, {3}, bytes_of(b)},
                                  {"steps", DType::i64, {1}, bytes_of(steps)},
                                  {"flags", DType::u8, {3}, bytes_of(flags)}});
}

/// Every byte of every array may be read, and what was read can be written and read again.
void read_weights(const std::string& bytes) {
  const runs::TensorFile file({bytes.begin(), bytes.end()}, "w");
  std::uint64_t sum = 0;
  for (const auto& t : file.tensors())
    for (const std::byte b : t.bytes) sum += static_cast<std::uint64_t>(b);
  const std::string again = runs::tensor_file_bytes(file.tensors());
  const runs::TensorFile second({again.begin(), again.end()}, "again");
  for (const auto& t : second.tensors())
    for (const std::byte b : t.bytes) sum -= static_cast<std::uint64_t>(b);
  EXPECT_EQ(sum, 0u);
}

std::string manifest() {
  runs::Manifest m;
  m.command = {"park", "train", "--out \"x\""};
  m.settings = {.env = "dag_scheduling(executors=50)",
                .algorithm = "ppo(epochs=2)",
                .baseline = "value",
                .network = "park",
                .init = ""};
  m.layout_hash = "0123456789abcdef";
  m.layout = {"leaf stage.tasks f32 [stages]", "head stage i32 [] index of stages"};
  m.metric = "avg_jct_s";
  m.progress = {.iteration = 12, .decisions = 1000, .part = 0.5, .cpu_s = 7.5};
  m.validations = {{.at = m.progress, .mean = 60, .sd = 3},
                   {.at = m.progress, .mean = 50, .sd = 2}};
  m.data = {{"data/x.park", 100, "00000000"}};
  return runs::manifest_text(m);
}

void read_manifest(const std::string& text) {
  const runs::Manifest m = runs::parse_manifest(text, "m");
  (void)m.best();
  const std::string written = runs::manifest_text(m);
  EXPECT_EQ(runs::manifest_text(runs::parse_manifest(written, "again")), written);
}

TEST(CheckpointFuzz, Weights) {
  const std::string whole = weights(), donor = manifest();
  read_weights(whole);
  Mutator mutate(31);
  Tally tally;
  for (int i = 0; i < kMutations; ++i)
    tally.run(i, [&, damaged = mutate(whole, donor)] { read_weights(damaged); });
  tally.expect_both(120);
}

/// Headers of every kind in front of the same data: the mutations above mostly break the length.
TEST(CheckpointFuzz, Headers) {
  const std::string whole = weights();
  std::uint64_t length = 0;
  std::memcpy(&length, whole.data(), 8);
  const std::string header = whole.substr(8, length), data = whole.substr(8 + length);
  Mutator mutate(32);
  Tally tally;
  for (int i = 0; i < kMutations; ++i) {
    const std::string damaged = mutate(header, manifest());
    std::string bytes(8, '\0');
    const std::uint64_t n = damaged.size();
    std::memcpy(bytes.data(), &n, 8);
    tally.run(i, [&] { read_weights(bytes + damaged + data); });
  }
  tally.expect_both(120);
}

TEST(CheckpointFuzz, Manifests) {
  const std::string whole = manifest(), donor = weights();
  read_manifest(whole);
  Mutator mutate(33);
  Tally tally;
  for (int i = 0; i < kMutations; ++i)
    tally.run(i, [&, damaged = mutate(whole, donor)] { read_manifest(damaged); });
  tally.expect_both(120);
}

}  // namespace
}  // namespace park::test
