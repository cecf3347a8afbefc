#include "systems/dl_inference_live/config.h"

#include <cmath>
#include <filesystem>
#include <set>

#include "park/core/error.h"
#include "park/core/text.h"

namespace park::inference {
namespace {

constexpr std::size_t kMostName = 64;           // bytes
constexpr std::size_t kMostSample = 1U << 22U;  // numbers of one sample
constexpr double kMostDurationS = 86'400;

void check_shape(const ModelConfig& c, Violations& bad) {
  const std::string shape = "shape of '" + c.app_name() + "'";
  if (c.shape.empty() || c.shape.front() != -1)
    return bad.add(shape + " has no batch dimension; allowed is -1 in front, such as [-1,3,32,32]");
  std::size_t size = 1;
  for (std::size_t i = 1; i < c.shape.size(); ++i) {
    if (c.shape[i] < 1) return bad.add(shape + " has a dimension below 1 after the first");
    size = product_or_most(size, static_cast<std::size_t>(c.shape[i]));
  }
  if (size > kMostSample) bad.add(shape + " has more than 4194304 numbers");
}

}  // namespace

void ModelConfig::check(const ModelConfig& c, Violations& bad) {
  if (c.kind == "file" && c.file.empty()) bad.add("file must not be empty where kind = file");
  if (c.kind != "file" && !c.file.empty()) bad.add("file is allowed only where kind = file");
  if (c.kind != "file" && !c.shape.empty()) bad.add("shape is allowed only where kind = file");
  if (c.kind == "file" && !c.file.empty()) check_shape(c, bad);
  if (c.kind == "delay" && c.a_s + c.b_s < dl_inference::kMinLatencyS)
    bad.add("a_s = " + number_text(c.a_s) + " and b_s = " + number_text(c.b_s) +
            " must add up to at least 1e-6");
  const std::string name = c.app_name();
  if (name.empty() || name.size() > kMostName || name.find_first_of(",\"\r\n") != name.npos)
    bad.add("name must have 1 to 64 bytes without comma, quote and line end");
}

std::string ModelConfig::app_name() const {
  if (!name.empty()) return name;
  return kind == "file" ? std::filesystem::path(file).stem().string() : kind;
}

std::int32_t ModelConfig::most_batch() const {
  if (max_batch > 0) return max_batch;
  return kind == "mlp" || kind == "lstm" ? 64 : 16;
}

std::size_t ModelConfig::sample_size() const {
  std::size_t size = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) size *= static_cast<std::size_t>(shape[i]);
  return size;
}

void LiveConfig::check(const LiveConfig& c, Violations& bad) {
  if (c.models.empty() || c.models.size() > static_cast<std::size_t>(dl_inference::kMaxApps))
    bad.add("models has " + std::to_string(c.models.size()) + " models; allowed are 1 to 64");
  std::set<std::string> names;
  for (const ModelConfig& model : c.models)
    if (!names.insert(model.app_name()).second)
      bad.add("models has two models named '" + model.app_name() + "'");
  const std::array<std::pair<const char*, std::size_t>, 2> lists{
      {{"weights", c.inputs.weights.size()}, {"shares", c.inputs.shares.size()}}};
  for (const auto& [field, values] : lists)
    if (values > 0 && values != c.models.size())
      bad.add(std::string(field) + " has " + std::to_string(values) +
              " values; allowed are none or one for each of the " +
              std::to_string(c.models.size()) + " models");
  if (c.inputs.duration_s > kMostDurationS)
    bad.add("duration_s = " + number_text(c.inputs.duration_s) + " must be at most 86400");
  dl_inference::DlInferenceConfig::check(c.simulated("a table"), bad);
}

dl_inference::DlInferenceConfig LiveConfig::simulated(const std::string& table_file) const {
  dl_inference::DlInferenceConfig config = inputs;
  config.apps = "table";
  config.table = table_file;
  return config;
}

std::vector<dl_inference::Application> LiveConfig::applications(
    const std::string& table_file) const {
  return applications(*dl_inference::LatencyTable::open(table_file), table_file);
}

std::vector<dl_inference::Application> LiveConfig::applications(
    const dl_inference::LatencyTable& measured, const std::string& name) const {
  std::vector<dl_inference::Application> all = measured.apps();
  const auto refuse = [&](const std::string& what) {
    throw Error(Errc::bad_file, name + ": " + what);
  };
  if (all.size() != models.size())
    refuse("has " + std::to_string(all.size()) + " applications for " +
           std::to_string(models.size()) + " models");
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name != models[i].app_name())
      refuse("has '" + all[i].name + "' in the place of the model '" + models[i].app_name() + "'");
    const auto most = static_cast<std::size_t>(models[i].most_batch());
    if (all[i].max_batch() < most)
      refuse("'" + all[i].name + "' ends at batch " + std::to_string(all[i].max_batch()) +
             ", the model's largest is " + std::to_string(most));
    all[i].latency_s.resize(most + 1);
    if (!inputs.weights.empty()) all[i].weight = inputs.weights[i];
    all[i].deadline_s = inputs.deadline * all[i].single_s();
  }
  return all;
}

LiveConfig read_live_config(std::string_view text) {
  const Value value = parse_named(text);
  if (value.text != kLiveName) fail_unknown("environment", value.text, {kLiveName});
  return parse_config<LiveConfig>(value);
}

}  // namespace park::inference
