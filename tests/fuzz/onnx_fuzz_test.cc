// Damaged models of the format ONNX.
#include <gtest/gtest.h>

#include "park/runs/onnx_file.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/tally.h"
#include "tests/kit/onnx_bytes.h"

namespace park::test {
namespace {

std::string model() {
  return OnnxBytes()
      .input("x", {-1, 3})
      .constant("w", {3, 2}, {1, 2, 3, 4, 5, 6})
      .list("shape", {-1, 2})
      .node("Gemm", {"x", "w"}, {"h"}, {OnnxBytes::real("alpha", 0.5f)})
      .node("Reshape", {"h", "shape"}, {"y"}, {OnnxBytes::integer("allowzero", 0)})
      .node("ReduceSum", {"y"}, {"z"}, {OnnxBytes::integers("axes", {0, 1})})
      .output("z")
      .bytes();
}

/// Every byte of every constant may be read.
void read(const std::string& bytes) {
  const runs::OnnxFile file = runs::parse_onnx(bytes, "f");
  for (const runs::OnnxTensor& t : file.constants) {
    std::size_t size = size_of(t.type);
    for (const std::int64_t d : t.shape) size *= static_cast<std::size_t>(d);
    EXPECT_EQ(t.bytes.size(), size);
  }
}

TEST(OnnxFuzz, Models) {
  const std::string whole = model();
  read(whole);
  Mutator mutate(34);
  Tally tally;
  for (int i = 0; i < kMutations; ++i)
    tally.run(i, [&, damaged = mutate(whole, whole)] { read(damaged); });
  tally.expect_both(120);
}

}  // namespace
}  // namespace park::test
