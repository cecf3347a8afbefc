// Models of the format ONNX: what is read of them, and each refusal.
#include "park/runs/onnx_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "tests/kit/onnx_bytes.h"
#include "tests/runs/scratch.h"

namespace park::runs {
namespace onnx_file_test {

using test::error_of;
using test::OnnxBytes;

/// y = x w + b of three inputs and two outputs.
OnnxBytes linear() {
  return OnnxBytes()
      .input("x", {-1, 3})
      .constant("w", {3, 2}, {1, 2, 3, 4, 5, 6})
      .constant("b", {2}, {-1, 1})
      .node("Gemm", {"x", "w", "b"}, {"y"}, {OnnxBytes::real("alpha", 0.5f)})
      .output("y");
}

std::string problem(const std::string& bytes) {
  return error_of(Errc::bad_file, [&] { static_cast<void>(parse_onnx(bytes, "f.onnx")); });
}

TEST(OnnxFile, HasNodesConstantsInputsAndOutputs) {
  const OnnxFile f = parse_onnx(linear().bytes(), "f.onnx");
  EXPECT_EQ(f.opset, 17);
  ASSERT_EQ(f.nodes.size(), 1u);
  EXPECT_EQ(f.nodes[0].op, "Gemm");
  EXPECT_EQ(f.nodes[0].inputs, (std::vector<std::string>{"x", "w", "b"}));
  EXPECT_EQ(f.nodes[0].attributes.at("alpha").number, 0.5f);
  ASSERT_EQ(f.constants.size(), 2u);
  EXPECT_EQ(f.constants[0].shape, (std::vector<std::int64_t>{3, 2}));
  float last = 0;
  std::memcpy(&last, f.constants[0].bytes.data() + 20, sizeof last);
  EXPECT_EQ(last, 6);
  ASSERT_EQ(f.inputs.size(), 1u);
  EXPECT_EQ(f.inputs[0].shape, (std::vector<std::int64_t>{-1, 3}));
  EXPECT_EQ(f.outputs.at(0).name, "y");
  EXPECT_FALSE(f.outputs.at(0).has_shape);
}

/// Writers of the format before its version 4 list constants among the inputs, too.
TEST(OnnxFile, ConstantsAreNoInputs) {
  OnnxBytes model = linear();
  model.input("w", {3, 2});
  EXPECT_EQ(parse_onnx(model.bytes(), "f.onnx").inputs.size(), 1u);
}

TEST(OnnxFile, NumbersMayBeInFieldsOfTheirType) {
  const auto with = [](const std::string& tensor) {
    OnnxBytes model = linear();
    model.more(OnnxBytes::text(5, tensor));
    return parse_onnx(model.bytes(), "f.onnx").constants.back();
  };
  const std::string head = OnnxBytes::text(8, "t") + OnnxBytes::number(1, 2);
  const OnnxTensor packed =
      with(head + OnnxBytes::number(2, 7) +
           OnnxBytes::text(7, OnnxBytes::varint(5) + OnnxBytes::varint(std::uint64_t(-1))));
  std::int64_t whole[2];
  std::memcpy(whole, packed.bytes.data(), sizeof whole);
  EXPECT_EQ(whole[0], 5);
  EXPECT_EQ(whole[1], -1);
  const OnnxTensor single =
      with(head + OnnxBytes::number(2, 9) + OnnxBytes::number(5, 1) + OnnxBytes::number(5, 0));
  EXPECT_EQ(single.type, OnnxType::boolean);
  EXPECT_EQ(single.bytes, (std::vector<std::byte>{std::byte{1}, std::byte{0}}));
  const OnnxTensor reals = with(head + OnnxBytes::number(2, 1) +
                                OnnxBytes::text(4, OnnxBytes::raw(std::vector<float>{1.5f, -2})));
  float real[2];
  std::memcpy(real, reals.bytes.data(), sizeof real);
  EXPECT_EQ(real[1], -2);
}

TEST(OnnxFile, WhatCannotBeComputedIsRefusedByName) {
  const auto with = [](const std::string& graph) {
    OnnxBytes model = linear();
    model.more(graph);
    return problem(model.bytes());
  };
  const std::string tensor = OnnxBytes::text(8, "t") + OnnxBytes::number(1, 2);
  EXPECT_EQ(problem(""), "f.onnx: is no model of the format ONNX");
  EXPECT_EQ(problem("plain text"), "f.onnx: is cut off, or no model of the format ONNX");
  EXPECT_EQ(problem("\x1b"), "f.onnx: is no message of Protocol Buffers");
  EXPECT_EQ(
      with(OnnxBytes::text(5, tensor + OnnxBytes::number(2, 10))),
      "f.onnx: tensor 't': type 10; allowed are 1 (float), 2 (uint8), 6 (int32), 7 (int64), 9 "
      "(bool) and 11 (double)");
  EXPECT_EQ(with(OnnxBytes::text(5, tensor + OnnxBytes::number(2, 1) + OnnxBytes::number(14, 1))),
            "f.onnx: has weights in another file; write it with all of its weights inside");
  EXPECT_EQ(with(OnnxBytes::text(5, tensor + OnnxBytes::number(2, 1))),
            "f.onnx: tensor 't': its numbers are cut off");
  EXPECT_EQ(with(OnnxBytes::text(
                1, OnnxBytes::text(4, "If") + OnnxBytes::text(5, OnnxBytes::text(6, "")))),
            "f.onnx: operator If: has a graph inside");
  EXPECT_EQ(
      with(OnnxBytes::text(1, OnnxBytes::text(4, "Gelu") + OnnxBytes::text(7, "com.microsoft"))),
      "f.onnx: an operator is of the domain 'com.microsoft'; allowed is ai.onnx");
  EXPECT_EQ(problem(linear().bytes() + OnnxBytes::text(25, "")),
            "f.onnx: has functions; write it with standard operators alone");
  const std::string whole = linear().bytes();
  EXPECT_NE(problem(whole.substr(0, whole.size() / 2)).find("is cut off"), std::string::npos);
}

}  // namespace onnx_file_test
}  // namespace park::runs
