// The configuration of dl_inference_live: the models of the server, and the fields of dl_inference
// that mean the same here (arrivals, rates, weights, deadlines). The registry parses it, and so do the
// commands of `park infer`; the server process is started with its canonical text.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "park/core/config.h"
#include "park/envs/dl_inference/application.h"
#include "park/envs/dl_inference/arrival_process.h"
#include "park/envs/dl_inference/config.h"

namespace park::inference {

using dl_inference::Application;
using dl_inference::ArrivalProcess;
using dl_inference::LatencyTable;

inline constexpr const char* kLiveName = "dl_inference_live";

/// A model that the server has. The built-in ones have weights of a fixed seed.
struct ModelConfig {
  static constexpr std::string_view kName = "model";
  std::string kind = "mlp";
  std::string name{};
  std::string file{};
  std::vector<std::int64_t> shape{};
  std::int32_t max_batch = 0;
  double a_s = 0.005, b_s = 0.0005;

  bool operator==(const ModelConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("kind", c.kind,
          FieldDoc{.doc = "mlp: 256-1024-1024-10. cnn: residual, 7 convolutions on 3x32x32. lstm: "
                          "32 steps of 64, 128 hidden. transformer: 2 layers of 128 on 64 steps. "
                          "file: TorchScript. delay: none, a batch sleeps a_s + b_s k",
                   .choices = "mlp|cnn|lstm|transformer|file|delay"});
    visit("name", c.name,
          FieldDoc{.doc = "of the application; empty: its kind, or the file without folder and "
                          "extension",
                   .names = Names::nothing});
    visit("file", c.file,
          FieldDoc{.doc = "TorchScript for kind=file; loading a file runs what is in it",
                   .names = Names::file});
    visit("shape", c.shape,
          FieldDoc{.doc = "of the input of kind=file: -1 for the batch, then the dimensions of a "
                          "sample",
                   .min = -1,
                   .max = 1'000'000});
    visit("max_batch", c.max_batch,
          FieldDoc{.doc = "most requests of a batch; 0: 64 of mlp and lstm, 16 of the others",
                   .min = 0,
                   .max = dl_inference::kMaxBatch});
    visit("a_s", c.a_s,
          FieldDoc{.doc = "kind=delay: time of a batch that does not depend on its size",
                   .unit = "s",
                   .min = 0,
                   .max = 10});
    visit("b_s", c.b_s,
          FieldDoc{.doc = "kind=delay: time of a batch per request; a_s + b_s is at least 1e-6",
                   .unit = "s",
                   .min = 0,
                   .max = 10});
  }
  static void check(const ModelConfig&, Violations&);

  /// Its name as an application.
  [[nodiscard]] std::string app_name() const;
  [[nodiscard]] std::int32_t most_batch() const;
  /// Numbers of one sample of kind=file.
  [[nodiscard]] std::size_t sample_size() const;
};

/// A server process with models, and the requests that an episode sends to it.
struct LiveConfig {
  std::vector<ModelConfig> models{
      {.kind = "mlp"}, {.kind = "cnn"}, {.kind = "lstm"}, {.kind = "transformer"}};
  std::string table{};
  std::int32_t queue = 1000;
  double decision_s = 0.02;
  double drain_s = 10;
  dl_inference::DlInferenceConfig inputs{.load = 0.3, .duration_s = 5};

  bool operator==(const LiveConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("models", c.models,
          FieldDoc{.doc = "the applications: a list of 1 to 64 models of different names"});
    visit("table", c.table,
          FieldDoc{.doc = "file of latencies that policies see, as `park infer profile` writes it; "
                          "empty: measured when the server starts",
                   .names = Names::file});
    visit("queue", c.queue,
          FieldDoc{.doc = "most requests in the server; one that comes on top is rejected",
                   .unit = "requests",
                   .min = 1,
                   .max = 1'000'000});
    visit("decision_s", c.decision_s,
          FieldDoc{.doc = "longest wait for a decision; then the server takes max_slowdown's",
                   .unit = "s",
                   .min = 1e-4,
                   .max = 60});
    visit("drain_s", c.drain_s,
          FieldDoc{.doc = "longest wait for answers after the last arrival of an episode",
                   .unit = "s",
                   .min = 0.001,
                   .max = 3600});
    dl_inference::DlInferenceConfig::fields(
        c.inputs, [&](std::string_view name, auto& field, const FieldDoc& doc) {
          if (std::ranges::find(kInputs, name) != kInputs.end()) visit(name, field, doc);
        });
  }
  static void check(const LiveConfig&, Violations&);

  /// The fields of dl_inference that this configuration has too.
  static constexpr std::array<std::string_view, 16> kInputs{
      "weights",      "shares",        "rates",       "load",           "arrivals", "burst_share",
      "burst_factor", "burst_cycle_s", "burst_times", "burst_together", "trace",    "trace_start",
      "duration_s",   "wait_max_s",    "deadline",    "drop_cost"};

  /// The configuration of dl_inference on a table of these models' latencies.
  [[nodiscard]] dl_inference::DlInferenceConfig simulated(const std::string& table_file) const;
  /// The applications of a table, in the order of the models, without rates. `name` stands for the
  /// table in messages. Throws Error{bad_file} where it is one of other models.
  [[nodiscard]] std::vector<dl_inference::Application> applications(
      const dl_inference::LatencyTable&, const std::string& name) const;
  /// Those of a file. Throws what LatencyTable::open throws, too.
  [[nodiscard]] std::vector<dl_inference::Application> applications(
      const std::string& table_file) const;
};

/// The configuration of a text; its name is checked. Throws Error{unknown_name} and what
/// parse_config throws.
[[nodiscard]] LiveConfig read_live_config(std::string_view text);

}  // namespace park::inference
