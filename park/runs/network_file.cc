#include "park/runs/network_file.h"

#include <filesystem>

#include "park/core/error.h"
#include "park/runs/module.h"

namespace park::runs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSample = "draws discrete choices instead of taking the likeliest";

/// Fields of a path.
struct PathConfig {
  bool sample = false;
  bool operator==(const PathConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("sample", self.sample, FieldDoc{.doc = kSample});
  }
};

/// Fields of the name of a format.
struct FileConfig {
  std::string file;
  bool sample = false;
  bool operator==(const FileConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("file", self.file,
          FieldDoc{.doc = "a network that another program has written", .names = Names::file});
    visit("sample", self.sample, FieldDoc{.doc = kSample});
  }
};

/// A checkpoint's folder may have any name.
bool is_path_with(const std::string& name, const char* ending) {
  std::error_code ignored;
  return fs::path(name).extension() == ending && !fs::is_directory(name, ignored);
}

/// A format as policies name it.
struct FormatName {
  NetworkFormat format;
  const char *name, *ending;
};
constexpr FormatName kTorchscript{NetworkFormat::torchscript, "torchscript", ".pt"},
    kOnnx{NetworkFormat::onnx, "onnx", ".onnx"};

void add_format(Registry& registry, const FormatName& named) {
  const auto is_name = [named](const std::string& text) { return text == named.name; };
  registry.add_policy_loader({.takes = is_name,
                              .fields = &field_infos<FileConfig>,
                              .make =
                                  [named](const Value& text, const Spec& spec) {
                                    const auto config = parse_config<FileConfig>(text);
                                    return network_file_policy(named.format, config.file,
                                                               config.sample, spec);
                                  },
                              .bundled = is_name,
                              .files = [](const Value& text) -> std::vector<fs::path> {
                                return {parse_config<FileConfig>(text).file};
                              }});
  registry.add_policy_loader(
      {.takes = [named](const std::string& text) { return is_path_with(text, named.ending); },
       .fields = &field_infos<PathConfig>,
       .make =
           [named](const Value& text, const Spec& spec) {
             const auto config = parse_config<PathConfig>(text);
             return network_file_policy(named.format, text.text, config.sample, spec);
           },
       .files = [](const Value& text) -> std::vector<fs::path> { return {text.text}; }});
}

}  // namespace

std::unique_ptr<Policy> network_file_policy(NetworkFormat format, const std::string& file,
                                            bool sample, const Spec& spec) {
  std::error_code ignored;
  if (file.empty()) throw Error(Errc::invalid_config, "file: is required, the path of a network");
  if (!fs::is_regular_file(file, ignored))
    throw Error(Errc::io, file + ": there is no such file of a network");
  return load_module().network_file(format, file, sample, spec);
}

void add_network_file_policies(Registry& registry) {
  add_format(registry, kTorchscript);
  add_format(registry, kOnnx);
}

bool is_torchscript(const std::string& name) {
  return name == kTorchscript.name || is_path_with(name, kTorchscript.ending);
}

}  // namespace park::runs
