// The models of LibTorch: fixed weights, batches equal to single samples, and files of users.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>

#include <cmath>
#include <string>
#include <vector>

#include "systems/dl_inference_live/model.h"
#include "tests/kit/scratch_folder.h"

namespace park::inference {
namespace {

using test::error_of;
using testing::HasSubstr;

std::vector<float> result_of(Model& model, std::size_t batch, const std::vector<float>& in) {
  std::vector<float> out(batch * model.outputs());
  model.run(batch, in, out);
  return out;
}

TEST(InferenceModels, HaveFixedWeightsAndBatchesThatAreTheirSamples) {
  for (const char* kind : {"mlp", "cnn", "lstm", "transformer"}) {
    const auto model = make_model({.kind = kind}), again = make_model({.kind = kind});
    std::vector<float> in(3 * model->inputs());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::sin(static_cast<float>(i));
    const std::vector<float> three = result_of(*model, 3, in);
    EXPECT_EQ(three, result_of(*again, 3, in)) << kind;
    const auto begin = in.begin() + static_cast<std::ptrdiff_t>(model->inputs());
    const std::vector<float> second(begin, begin + static_cast<std::ptrdiff_t>(model->inputs()));
    const std::vector<float> one = result_of(*model, 1, second);
    EXPECT_EQ(one.size(), 10u);
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_NEAR(one[i], three[one.size() + i], 1e-4) << kind;
      EXPECT_TRUE(std::isfinite(one[i]));
    }
    EXPECT_NE(std::vector<float>(three.begin(), three.begin() + 10), one) << kind;
  }
}

/// A module of TorchScript in a file.
class ModelFile {
 public:
  explicit ModelFile(const std::string& body) {
    torch::jit::Module module("m");
    module.define("def forward(self, x):\n    " + body + "\n");
    module.save(path_);
  }
  [[nodiscard]] ModelConfig config(std::vector<std::int64_t> shape) const {
    return {.kind = "file", .name = "mine", .file = path_, .shape = std::move(shape)};
  }

 private:
  test::ScratchFolder folder_{"models"};
  std::string path_ = folder_.file("mine.pt");
};

TEST(InferenceModels, RunsAFileOfTheUsers) {
  const auto model = make_model(ModelFile("return x.sum(2) * 2").config({-1, 2, 3}));
  EXPECT_EQ(model->inputs(), 6u);
  EXPECT_EQ(model->outputs(), 2u);
  EXPECT_EQ(result_of(*model, 2, {1, 2, 3, 4, 5, 6, 0, 0, 0, 1, 1, 1}),
            (std::vector<float>{12, 30, 0, 6}));
}

TEST(InferenceModels, RefusesFilesThatCannotBeServed) {
  const auto refusal = [](const ModelConfig& c) {
    return error_of([&] { static_cast<void>(make_model(c)); });
  };
  EXPECT_THAT(refusal(ModelFile("return x.view(7)").config({-1, 2})),
              HasSubstr("model 'mine' fails at batch 1"));
  EXPECT_THAT(refusal(ModelFile("return x.sum()").config({-1, 2})),
              HasSubstr("no batch dimension"));
  EXPECT_THAT(refusal(ModelFile("return x.view(1, 2)").config({-1, 2})),
              HasSubstr("model 'mine' fails at batch 2"));
  EXPECT_THAT(refusal(ModelFile("return (x, x)").config({-1, 2})), HasSubstr("fails at batch 1"));
  EXPECT_THAT(refusal({.kind = "file", .name = "gone", .file = "/nowhere/a.pt", .shape = {-1, 1}}),
              HasSubstr("model 'gone' cannot be loaded"));
  const test::ScratchFolder folder("models");
  test::write_text(folder.file("junk.pt"), "this is no archive");
  const std::string junk =
      refusal({.kind = "file", .name = "junk", .file = folder.file("junk.pt"), .shape = {-1, 1}});
  EXPECT_THAT(junk, HasSubstr("model 'junk' cannot be loaded"));
  EXPECT_EQ(junk.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace park::inference
