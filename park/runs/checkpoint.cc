// Folders of checkpoints. Writing makes the bytes of all files first and replaces the folder as a
// whole; reading takes the manifest, then the tensor files that it lists with their checksums, and
// tries again where a training replaced the folder meanwhile. A name stands for a folder, or for
// one of the checkpoints that come with Park. The training loop writes and resumes here; the
// registry's loader makes policies from here.
#include "park/runs/checkpoint.h"

#include <algorithm>
#include <utility>

#include "park/core/data_path.h"
#include "park/core/error.h"
#include "park/files/durable.h"
#include "park/files/read.h"
#include "park/runs/data_files.h"
#include "park/runs/module.h"
#include "park/runs/network_file.h"

namespace park::runs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifestFile = "manifest.json";
constexpr const char* kPolicyFile = "policy.safetensors";
constexpr const char* kTrainingFile = "training.safetensors";
constexpr std::uint64_t kMostManifest = std::uint64_t{64} << 20;
constexpr std::uint64_t kMostTensors = std::uint64_t{4} << 30;
constexpr int kTries = 3;

Manifest read_manifest(const fs::path& folder) {
  const fs::path path = folder / kManifestFile;
  const std::string text = files::read_whole(path, kMostManifest);
  return parse_manifest(text, path.string());
}

TensorFile read_tensors(const fs::path& folder, const Manifest& manifest, const char* name) {
  const fs::path path = folder / name;
  const auto refuse = [&](const std::string& what) {
    throw Error(Errc::bad_file, path.string() + ": " + what);
  };
  const auto about = std::ranges::find(manifest.files, name, &DataFile::path);
  if (about == manifest.files.end()) refuse("is not part of the checkpoint, says its manifest");
  const std::string bytes = files::read_whole(path, kMostTensors);
  if (bytes.size() != about->bytes)
    refuse("has " + std::to_string(bytes.size()) + " bytes, its manifest says " +
           std::to_string(about->bytes));
  if (!same_bytes(describe_bytes(name, bytes), *about))
    refuse("is not what its manifest says: another checksum");
  return {{bytes.begin(), bytes.end()}, path.string()};
}

Checkpoint read_once(const fs::path& folder, Parts parts) {
  Manifest manifest = read_manifest(folder);
  if (manifest.kind != Manifest::Kind::checkpoint)
    throw Error(Errc::bad_file, (folder / kManifestFile).string() + ": is no checkpoint but a run");
  TensorFile policy = read_tensors(folder, manifest, kPolicyFile);
  Checkpoint all{folder.string(), std::move(manifest), std::move(policy), {}};
  if (parts == Parts::all) all.training = read_tensors(folder, all.manifest, kTrainingFile);
  return all;
}

/// Where the checkpoints lie that come with Park; without its data there are none.
fs::path bundled_folder() {
  try {
    return data_dir() / "checkpoints";
  } catch (const Error&) {
    return {};
  }
}

std::optional<fs::path> bundled(std::string_view name) {
  if (name.find('/') != std::string_view::npos || name.starts_with('.')) return {};
  fs::path folder = bundled_folder() / name;
  std::error_code ignored;
  if (!fs::exists(folder / kManifestFile, ignored)) return {};
  return folder;
}

struct PolicyConfig {
  bool sample = false;
  bool operator==(const PolicyConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("sample", self.sample, FieldDoc{.doc = "draws actions instead of taking the likeliest"});
  }
};

/// The bundled checkpoints that play in the environment.
std::vector<PolicyInfo> bundled_policies(const Spec& spec) {
  std::vector<PolicyInfo> all;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(bundled_folder(), none)) {
    if (!fs::exists(entry.path() / kManifestFile)) continue;
    const Manifest manifest = read_manifest(entry.path());
    if (!fits(manifest, spec)) continue;
    const TrainSettings& s = manifest.settings;
    all.push_back({.name = entry.path().filename().string(),
                   .summary = "network " + parse_named(s.network).text + ", trained by " +
                              parse_named(s.algorithm).text + " on " + s.env});
  }
  std::ranges::sort(all, {}, &PolicyInfo::name);
  return all;
}

/// Throws Error{bad_file} as find_checkpoint.
std::vector<fs::path> files_of(const Value& text) {
  const std::optional<fs::path> folder = find_checkpoint(text.text);
  if (!folder) return {};
  return {*folder / kManifestFile, *folder / kPolicyFile};
}

}  // namespace

void write_checkpoint(const fs::path& folder, Manifest manifest, const TensorViews& policy,
                      const TensorViews* training) {
  files::NamedBytes files{{kPolicyFile, tensor_file_bytes(policy)}};
  if (training != nullptr) files.emplace_back(kTrainingFile, tensor_file_bytes(*training));
  manifest.kind = Manifest::Kind::checkpoint;
  manifest.files.clear();
  for (const auto& [name, bytes] : files) manifest.files.push_back(describe_bytes(name, bytes));
  files.emplace_back(kManifestFile, manifest_text(manifest));
  files::write_durable_folder(folder, files);
}

Checkpoint read_checkpoint(const fs::path& folder, Parts parts) {
  // A training that writes a newer one meanwhile may take a file away between two reads.
  for (int attempt = 1;; ++attempt) try {
      return read_once(folder, parts);
    } catch (const Error&) {
      if (attempt == kTries) throw;
    }
}

std::optional<fs::path> find_checkpoint(std::string_view name) {
  const fs::path given(name);
  std::error_code ignored;
  if (!fs::is_directory(given, ignored)) return bundled(name);
  const bool told = fs::exists(given / kManifestFile, ignored);
  if (told && read_manifest(given).kind == Manifest::Kind::checkpoint) return given;
  for (const char* of_run : {"best", "latest"})
    if (fs::exists(given / of_run / kPolicyFile, ignored)) return given / of_run;
  throw Error(Errc::bad_file,
              given.string() + (told ? ": the run has no checkpoint yet"
                                     : ": holds no manifest.json, so it is no checkpoint"));
}

std::unique_ptr<Policy> checkpoint_policy(const Value& text, const Spec& spec) {
  const std::optional<fs::path> folder = find_checkpoint(text.text);
  if (!folder) return nullptr;
  const auto config = parse_config<PolicyConfig>(text);
  const Checkpoint checkpoint = read_checkpoint(*folder, Parts::policy);
  check_layout(checkpoint.manifest, spec, checkpoint.folder);
  Module& module = load_module();
  const std::string network = present_network(module, checkpoint.manifest.settings.network);
  check_network(checkpoint.manifest, network_version(module, network), checkpoint.folder);
  return module.policy(network, spec, checkpoint.policy.tensors(), config.sample,
                       (*folder / kPolicyFile).string());
}

void add_checkpoint_policies(Registry& registry) {
  registry.add_policy_loader(
      {.takes = [](const std::string& name) { return find_checkpoint(name).has_value(); },
       .fields = &field_infos<PolicyConfig>,
       .make = &checkpoint_policy,
       .bundled =
           [](const std::string& name) {
             std::error_code ignored;  // a folder of the same name comes first
             return !fs::is_directory(name, ignored) && bundled(name).has_value();
           },
       .files = &files_of,
       .listed = &bundled_policies});
  add_network_file_policies(registry);
}

}  // namespace park::runs
