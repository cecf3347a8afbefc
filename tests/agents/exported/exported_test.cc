// Networks in files of other programs: they decide as the network that they were written from, each
// way to name inputs and outputs, masks and bounds, and every refusal.
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agents/exported/exported_policy.h"
#include "agents/kit/network_policy.h"
#include "agents/kit/optimiser.h"
#include "agents/net/networks.h"
#include "park/core/error.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/agents/kit/gradient.h"
#include "tests/kit/onnx_bytes.h"
#include "tests/kit/scratch_folder.h"

namespace park::agents {
namespace exported_test {

using park::test::OnnxBytes;
using test::numbers;
using Names = std::vector<std::string>;

/// Two dials and a flag; a mode of 1 to 3, of which some are allowed, and a push of two numbers.
Spec panel() {
  Spec s{.name = "panel", .summary = "dials", .reference = "none"};
  s.observation.leaves = {
      {.name = "dial.speed", .shape = {2}, .low = -9, .high = 9, .doc = "x"},
      {.name = "info.label", .dtype = DType::i64, .low = 0, .high = 9, .doc = "x"},
      {.name = "lamp", .dtype = DType::i32, .low = 0, .high = 7, .unit = "category", .doc = "x"},
      {.name = "mask.mode", .dtype = DType::u8, .shape = {3}, .low = 0, .high = 1, .doc = "x"}};
  s.action.leaves = {{.name = "mode", .dtype = DType::i32, .low = 1, .high = 3, .doc = "x"},
                     {.name = "push", .shape = {2}, .low = -1, .high = 1, .doc = "x"}};
  s.metrics = {{"steps", "1", true, "x"}};
  return s;
}
constexpr std::int64_t kNumbers = 6, kOutputs = 5;

struct PanelRow {
  float speed[2];
  std::int32_t lamp;
  std::uint8_t mask[3];
};

Decisions asked(const Spec& spec, const std::vector<PanelRow>& rows) {
  Decisions d(spec);
  const auto speed = d.observation.field<float>("dial.speed");
  const auto lamp = d.observation.field<std::int32_t>("lamp");
  const auto mask = d.observation.field<std::uint8_t>("mask.mode");
  for (const PanelRow& from : rows) {
    const Row row = d.observation.append();
    std::copy_n(from.speed, 2, row[speed].begin());
    std::copy_n(from.mask, 3, row[mask].begin());
    row.scalar(lamp) = from.lamp;
    const auto slot = static_cast<std::uint32_t>(d.asked.size());
    d.asked.emplace_back().slot = slot;
  }
  return d;
}
const std::vector<PanelRow> kRows = {
    {{1, -2}, 3, {1, 1, 1}}, {{-4, 0.5f}, 0, {1, 0, 1}}, {{8, 8}, 7, {0, 1, 0}}};

class ExportedPolicies : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) {
    const std::string path = folder_.file(name);
    park::test::write_text(path, bytes);
    return path;
  }
  /// A TorchScript file of a program and its parameters.
  std::string script(const std::string& forward,
                     const std::map<std::string, at::Tensor>& parameters = {}) {
    torch::jit::Module module("exported");
    for (const auto& [name, t] : parameters) module.register_parameter(name, t, false);
    module.define(forward);
    const std::string path = folder_.file("f.pt");
    module.save(path);
    return path;
  }
  static std::unique_ptr<ExportedPolicy> open(const std::string& file, const Spec& spec,
                                              bool sample = false) {
    auto network = file.ends_with(".onnx") ? open_onnx(file) : open_torchscript(file);
    return std::make_unique<ExportedPolicy>(spec, std::move(network), sample, "F");
  }
  static std::string refusal(const std::string& file, const Spec& spec, bool sample = false) {
    try {
      static_cast<void>(open(file, spec, sample));
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      return error.what();
    }
    return "";
  }
  /// What a policy does on kRows.
  Batch acted(Policy& policy) const {
    const Decisions d = asked(spec_, kRows);
    Batch actions(spec_.action);
    actions.resize(kRows.size());
    policy.act(d, actions);
    return actions;
  }
  /// What comes of a product with the row's numbers, in plain f64: the reference.
  static double reference(const PanelRow& row, const at::Tensor& w, std::int64_t output) {
    const float all[kNumbers] = {row.speed[0],
                                 row.speed[1],
                                 static_cast<float>(row.lamp),
                                 static_cast<float>(row.mask[0]),
                                 static_cast<float>(row.mask[1]),
                                 static_cast<float>(row.mask[2])};
    double sum = 0;
    for (std::int64_t i = 0; i < kNumbers; ++i)
      sum += static_cast<double>(all[i]) * w[i][output].item<double>();
    return sum;
  }
  /// The best allowed mode by w, and pushes within their bounds.
  void expect_product(const Batch& actions, const at::Tensor& w) const {
    const Heads heads(spec_);
    for (std::size_t r = 0; r < kRows.size(); ++r) {
      std::int64_t best = -1;
      for (std::int64_t m = 0; m < 3; ++m)
        if (kRows[r].mask[m] != 0 &&
            (best < 0 || reference(kRows[r], w, m) > reference(kRows[r], w, best)))
          best = m;
      EXPECT_EQ(heads.get(actions.row(r), 0), best + 1) << r;
      for (std::int64_t k = 0; k < 2; ++k)
        EXPECT_NEAR(heads.real(actions.row(r), 1)[static_cast<std::size_t>(k)],
                    std::clamp(reference(kRows[r], w, 3 + k), -1.0, 1.0), 1e-5);
    }
  }

  park::test::ScratchFolder folder_{"exported"};
  Spec spec_ = panel();
};

TEST_F(ExportedPolicies, TakeAllNumbersInTheOrderOfTheLeaves) {
  const at::Tensor w = numbers({kNumbers, kOutputs}, 3);
  const auto values = std::vector<float>(w.data_ptr<float>(), w.data_ptr<float>() + w.numel());
  const std::string onnx = write("f.onnx", OnnxBytes()
                                               .input("observation", {-1, kNumbers})
                                               .constant("w", {kNumbers, kOutputs}, values)
                                               .node("MatMul", {"observation", "w"}, {"y"})
                                               .output("y")
                                               .bytes());
  const std::string pt = script("def forward(self, x):\n  return x @ self.w\n", {{"w", w}});
  for (const std::string& file : {onnx, pt}) expect_product(acted(*open(file, spec_)), w);
}

/// An input per leaf, in any order and of its own type; an output per head, beside one of something
/// else; one row at a time.
TEST_F(ExportedPolicies, TakeLeavesAndGiveHeadsByName) {
  const at::Tensor w = numbers({kNumbers, kOutputs}, 4);
  const auto part = [&](std::int64_t from, std::int64_t to, std::int64_t a, std::int64_t b) {
    const at::Tensor t = w.slice(0, from, to).slice(1, a, b).contiguous();
    return std::vector<float>(t.data_ptr<float>(), t.data_ptr<float>() + t.numel());
  };
  OnnxBytes model;
  model.input("mask.mode", {1, 3}, 2)
      .input("lamp", {1, 1}, 7)
      .input("dial_speed", {1, 2})
      .node("Cast", {"mask.mode"}, {"m"}, {OnnxBytes::integer("to", 1)})
      .node("Cast", {"lamp"}, {"l"}, {OnnxBytes::integer("to", 1)})
      .node("Concat", {"dial_speed", "l", "m"}, {"x"}, {OnnxBytes::integer("axis", 1)})
      .constant("w_mode", {kNumbers, 3}, part(0, kNumbers, 0, 3))
      .constant("w_push", {kNumbers, 2}, part(0, kNumbers, 3, 5))
      .node("Gemm", {"x", "w_push"}, {"push"})
      .node("Gemm", {"x", "w_mode"}, {"mode"})
      .output("x")
      .output("push")
      .output("mode");
  expect_product(acted(*open(write("f.onnx", model.bytes()), spec_)), w);
  const std::string pt = script(
      "def forward(self, lamp, dial_speed, mask_mode):\n"
      "  y = torch.cat([dial_speed, lamp, mask_mode], 1) @ self.w\n"
      "  return {'value': y[:, :1], 'push': y[:, 3:], 'mode': y[:, :3]}\n",
      {{"w", w}});
  expect_product(acted(*open(pt, spec_)), w);
  const std::string tuple = script(
      "def forward(self, x):\n"
      "  y = x @ self.w\n"
      "  return y[:, :3], y[:, 3:]\n",
      {{"w", w}});
  expect_product(acted(*open(tuple, spec_)), w);
}

TEST_F(ExportedPolicies, TellTheirScores) {
  const at::Tensor w = numbers({kNumbers, kOutputs}, 5);
  const auto policy =
      open(script("def forward(self, x):\n  return x @ self.w\n", {{"w", w}}), spec_);
  const Decisions d = asked(spec_, kRows);
  Batch actions(spec_.action);
  actions.resize(kRows.size());
  Candidates c;
  std::vector<float> scores;
  ASSERT_TRUE(policy->scores(d.observation, 0, actions, c, scores));
  EXPECT_EQ(c.value, (std::vector<std::int32_t>{1, 2, 3, 1, 3, 2}));
  EXPECT_NEAR(scores[4], reference(kRows[1], w, 2), 1e-5);
  EXPECT_FALSE(policy->scores(d.observation, 1, actions, c, scores));
}

/// Draws follow the probabilities and the run's own chance.
TEST_F(ExportedPolicies, DrawWhereAskedTo) {
  Spec spec = panel();
  spec.action.leaves.pop_back();
  const auto policy = open(script("def forward(self, x):\n  return torch.tensor([[0.0, 0.6931, "
                                  "-1e9]]).repeat(x.size(0), 1)\n"),
                           spec, true);
  const Decisions d = asked(spec, {{{0, 0}, 0, {1, 1, 1}}});
  const Heads heads(spec);
  int seconds = 0;
  for (std::uint64_t i = 0; i < 900; ++i) {
    policy->start(0, {}, Rng(i));
    Batch actions(spec.action);
    actions.resize(1);
    policy->act(d, actions);
    const std::int32_t mode = heads.get(actions.row(0), 0);
    EXPECT_LT(mode, 3);
    seconds += mode == 2 ? 1 : 0;
  }
  EXPECT_NEAR(seconds, 600, 70);
}

TEST_F(ExportedPolicies, WhatDoesNotFitIsToldAtOnce) {
  const auto onnx = [&](const OnnxBytes& model) {
    return refusal(write("f.onnx", model.bytes()), spec_);
  };
  const auto identity = [](const std::string& name, const OnnxBytes::Shape& shape) {
    return OnnxBytes().input(name, shape).node("Identity", {name}, {"y"}).output("y");
  };
  EXPECT_EQ(onnx(identity("x", {-1, 7})),
            "F: input 'x' takes 7 numbers; allowed are 6, as park describe lists them for panel");
  EXPECT_EQ(onnx(identity("x", {4, 6})), "F: input 'x' takes 4 rows; allowed are any number, or 1");
  EXPECT_EQ(onnx(identity("x", {-1, 6})),
            "F: its output has the shape [2, 6] for 2 rows; allowed is [2, 5]");
  EXPECT_EQ(
      onnx(identity("x", {-1, 6}).input("z", {-1, 1})),
      "F: input 'x' is no leaf of panel; allowed are dial.speed, lamp, mask.mode (dots may be "
      "_), or one input for all of them");
  const std::string three = "f.onnx: input 'x' has 3 dimensions; allowed are 2, rows and numbers";
  EXPECT_TRUE(onnx(identity("x", {-1, 6, 1})).ends_with(three));
  EXPECT_EQ(
      refusal(script("def forward(self, x):\n  return x, x, x\n"), spec_),
      "F: has 3 outputs; allowed are one for all heads, one for each in the order mode, push, "
      "or their names");
  EXPECT_EQ(refusal(script("def forward(self, x):\n  return x[:, :5]\n"), spec_, true),
            "F: sample: head push is continuous, and the file tells no deviation of it; allowed is "
            "false");
  const std::string wrong = refusal(
      script("def forward(self, x):\n  return x @ self.w\n", {{"w", at::zeros({4, 5})}}), spec_);
  EXPECT_NE(wrong.find("forward fails: "), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("(with inputs [2, 6] for panel)"), std::string::npos) << wrong;
  EXPECT_NE(refusal(script("def forward(self, x: int):\n  return x\n"), spec_)
                .find("argument 'x' of forward is int; allowed is Tensor"),
            std::string::npos);
  EXPECT_NE(refusal(write("f.pt", "no archive"), spec_).find("is no TorchScript archive"),
            std::string::npos);
  Spec ragged = panel();
  ragged.observation.groups = {{"jobs", 9}};
  EXPECT_EQ(
      refusal(script("def forward(self, x):\n  return x[:, :5]\n"), ragged),
      "F: is for layouts of fixed size; panel has the group jobs, of which rows have different "
      "numbers");
}

TEST_F(ExportedPolicies, OperatorsThatAreNotComputedAreNamed) {
  const auto with = [&](const std::string& op, const std::vector<std::string>& attributes = {},
                        std::int64_t opset = 17) {
    return refusal(write("f.onnx", OnnxBytes(opset)
                                       .input("x", {-1, 6})
                                       .node(op, {"x"}, {"y"}, attributes)
                                       .output("y")
                                       .bytes()),
                   spec_);
  };
  EXPECT_NE(with("LSTM").find("f.onnx: operator LSTM is not computed here; allowed are Abs, Add, "),
            std::string::npos);
  EXPECT_NE(with("Relu", {OnnxBytes::integer("turbo", 1)})
                .find("operator Relu: attribute 'turbo' is not known here"),
            std::string::npos);
  EXPECT_NE(with("Gemm").find("operator Gemm: has 1 inputs; allowed are 2 to 3"),
            std::string::npos);
  EXPECT_NE(with("Relu", {}, 9).find("of version 9 (opset); allowed are 13 to 23"),
            std::string::npos);
  EXPECT_NE(
      with("Cast", {OnnxBytes::integer("to", 10)}).find("operator Cast: to: type 10; allowed"),
      std::string::npos);
  const std::string later = refusal(
      write("f.onnx",
            OnnxBytes().input("x", {-1, 6}).node("Add", {"x", "late"}, {"y"}).output("y").bytes()),
      spec_);
  EXPECT_NE(later.find("operator Add takes the value 'late', which nothing before it makes"),
            std::string::npos);
}

/// What is no number is no decision.
TEST_F(ExportedPolicies, NumbersThatAreNoneAreRefused) {
  const auto message = [&](const std::string& forward) -> std::string {
    const auto policy = open(script(forward), spec_);
    try {
      static_cast<void>(acted(*policy));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::not_finite);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("def forward(self, x):\n  return x[:, :5] / 0 * 0\n"),
            "F: its output for head mode is no finite number");
  EXPECT_EQ(message("def forward(self, x):\n  return x[:, :5] * 0 - float('inf')\n"),
            "F: it takes no legal value of head mode");
  EXPECT_EQ(message("def forward(self, x):\n"
                    "  return torch.cat([x[:, :3], x[:, :2] * 0 + float('nan')], 1)\n"),
            "F: its output for head push is no finite number");
}

/// A perceptron of Park as a program of another one: its inputs are numbers and their logarithms.
class OfNetwork : public ExportedPolicies {
 protected:
  OfNetwork() {
    envs::register_all(registry_);
    spec_ = registry_.spec(kEnv);
    net_ = make_network("mlp(hidden1=12,hidden2=8)", spec_, Role::policy, Rng(3));
    const c10::NoGradGuard off;
    for (const auto& [name, t] : state_of(*net_)) {
      if (name.ends_with("w3")) at::Tensor(t).mul_(30);  // scores that differ
      if (name.starts_with("head_")) numbers_[name.substr(name.rfind('.') + 1)] = t;
    }
  }
  [[nodiscard]] std::vector<float> values(const std::string& name) const {
    const at::Tensor t = numbers_.at(name).detach().contiguous();
    return {t.data_ptr<float>(), t.data_ptr<float>() + t.numel()};
  }
  [[nodiscard]] OnnxBytes::Shape shape(const std::string& name) const {
    return numbers_.at(name).sizes().vec();
  }

  [[nodiscard]] std::string as_onnx() {
    OnnxBytes model(15);
    model.input("x", {-1, width()});
    Names parts;
    std::int64_t at = 0;
    for (const Leaf& leaf : spec_.observation.leaves) {
      const std::string n = std::to_string(parts.size());
      const auto end = at + static_cast<std::int64_t>(leaf.width());
      model.list("from" + n, {at}).list("to" + n, {end}).list("along" + n, {1});
      model.node("Slice", {"x", "from" + n, "to" + n, "along" + n}, {"v" + n});
      model.node("Abs", {"v" + n}, {"a" + n}).node("Sign", {"v" + n}, {"s" + n});
      model.constant("one" + n, {1}, {1}).node("Add", {"a" + n, "one" + n}, {"p" + n});
      model.node("Log", {"p" + n}, {"g" + n}).node("Mul", {"s" + n, "g" + n}, {"l" + n});
      parts.insert(parts.end(), {"v" + n, "l" + n});
      at = end;
    }
    model.node("Concat", parts, {"all"}, {OnnxBytes::integer("axis", 1)});
    model.constant("low", {}, {-10}).constant("high", {}, {10});
    model.node("Clip", {"all", "low", "high"}, {"h0"});
    for (const std::string k : {"1", "2", "3"}) {
      model.constant("w" + k, shape("w" + k), values("w" + k));
      model.constant("b" + k, shape("b" + k), values("b" + k));
      const std::string from = k == "1" ? "h0" : k == "2" ? "h1" : "h2";
      model.node("Gemm", {from, "w" + k, "b" + k}, {"z" + k});
      if (k != "3") model.node("LeakyRelu", {"z" + k}, {"h" + k}, {OnnxBytes::real("alpha", 0.1f)});
    }
    return write("f.onnx", model.output("z3").bytes());
  }

  [[nodiscard]] std::string as_script() {
    std::string text = "def forward(self, x):\n  parts = []\n";
    std::int64_t at = 0;
    for (const Leaf& leaf : spec_.observation.leaves) {
      const auto end = at + static_cast<std::int64_t>(leaf.width());
      text += "  v = x[:, " + std::to_string(at) + ":" + std::to_string(end) + "]\n" +
              "  parts.append(v)\n  parts.append(torch.sign(v) * torch.log1p(torch.abs(v)))\n";
      at = end;
    }
    text += "  h = torch.clamp(torch.cat(parts, 1), -10, 10)\n";
    for (const std::string k : {"1", "2"})
      text += "  h = h @ self.w" + k + " + self.b" + k + "\n  h = torch.where(h > 0, h, 0.1 * h)\n";
    return script(text + "  return h @ self.w3 + self.b3\n", numbers_);
  }
  [[nodiscard]] std::int64_t width() const {
    std::size_t n = 0;
    for (const Leaf& leaf : spec_.observation.leaves) n += leaf.width();
    return static_cast<std::int64_t>(n);
  }

  static constexpr const char* kEnv = "load_balance(servers=4,jobs=150)";
  Registry registry_;
  std::shared_ptr<Network> net_;
  std::map<std::string, at::Tensor> numbers_;
};

TEST_F(OfNetwork, DecidesAsTheNetworkItself) {
  for (const Leaf& leaf : spec_.observation.leaves) ASSERT_EQ(leaf.dtype, DType::f32);
  NetworkPolicy own(spec_, net_, false);
  const RandomEpisodes episodes(Rng(5), {.count = 4});
  for (const std::string& file : {as_onnx(), as_script()}) {
    const auto theirs = open(file, spec_);
    const auto stream = registry_.stream(kEnv, episodes, {.slots = 4});
    std::size_t decisions = 0;
    std::map<std::int32_t, int> chosen;
    play(*stream, *theirs, Rng(6), [&](const Decisions& d, const Batch& actions) {
      Batch expected(spec_.action);
      expected.resize(d.asked.size());
      own.act(d, expected);
      const Heads heads(spec_);
      for (std::size_t r = 0; r < d.asked.size(); ++r, ++decisions) {
        EXPECT_EQ(heads.get(actions.row(r), 0), heads.get(expected.row(r), 0)) << file;
        ++chosen[heads.get(actions.row(r), 0)];
      }
    });
    EXPECT_EQ(decisions, 600u);
    EXPECT_GT(chosen.size(), 1u) << "a network that always says the same shows nothing";
  }
}

}  // namespace exported_test
}  // namespace park::agents
