// Every operator against the reference evaluator of ONNX, whose results record_onnx.py has recorded.
#include "agents/exported/onnx_operators.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "agents/exported/exported_network.h"
#include "tests/kit/scratch_folder.h"

namespace park::agents {
namespace onnx_operators_test {

struct Case {
  std::string name, model;
  at::Tensor input;
  std::vector<at::Tensor> outputs;
};

std::string from_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

/// Dimensions, their lengths, then the numbers.
at::Tensor tensor_of(std::istream& line) {
  std::size_t dimensions = 0;
  line >> dimensions;
  std::vector<std::int64_t> shape(dimensions);
  for (std::int64_t& n : shape) line >> n;
  at::Tensor t = at::empty(shape);
  for (std::int64_t i = 0; i < t.numel(); ++i) line >> t.data_ptr<float>()[i];
  EXPECT_FALSE(line.fail());
  return t;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  std::ifstream file(PARK_SOURCE_DIR "/tests/agents/exported/data/operators.txt");
  for (std::string text; std::getline(file, text);) {
    std::istringstream line(text);
    std::string kind, rest;
    line >> kind;
    if (kind == "case") line >> all.emplace_back().name;
    if (kind == "model") {
      line >> rest;
      all.back().model = from_hex(rest);
    }
    if (kind == "input") all.back().input = tensor_of(line);
    if (kind == "output") all.back().outputs.push_back(tensor_of(line));
  }
  return all;
}

TEST(OnnxOperators, AgreeWithTheReference) {
  const park::test::ScratchFolder folder("onnx");
  const std::vector<Case> all = cases();
  EXPECT_GT(all.size(), 80u);
  std::set<std::string> seen;
  for (const Case& c : all) {
    SCOPED_TRACE(c.name);
    for (const runs::OnnxNode& node : runs::parse_onnx(c.model, c.name).nodes) seen.insert(node.op);
    const std::string path = folder.file("case.onnx");
    park::test::write_text(path, c.model);
    const ExportedOutputs out = open_onnx(path)->run({c.input});
    ASSERT_EQ(out.tensors.size(), c.outputs.size());
    for (std::size_t i = 0; i < out.tensors.size(); ++i) {
      ASSERT_EQ(out.tensors[i].sizes(), c.outputs[i].sizes());
      EXPECT_TRUE(at::allclose(out.tensors[i], c.outputs[i], 1e-5, 1e-6)) << out.tensors[i];
    }
  }
  for (const auto& [name, op] : onnx_operators())
    EXPECT_TRUE(seen.contains(name) || name == "Constant") << name << " has no case";
}

}  // namespace onnx_operators_test
}  // namespace park::agents
