// Objects: a manifest and a few files. read_object finds out what a path is, lets the reader of that
// kind check it, and takes the bytes. The text of the manifest has the hash of each file, and its own
// hash names the object. FolderStore writes and reads objects; the commands publish and fetch call.
#include "park/exchange/object.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "park/bench/results_json.h"
#include "park/bench/results_parts.h"
#include "park/bench/suite.h"
#include "park/core/error.h"
#include "park/core/json_writer.h"
#include "park/files/json_fields.h"
#include "park/files/read.h"
#include "park/files/sha256.h"
#include "park/files/shown.h"
#include "park/runs/checkpoint.h"
#include "park/runs/data_files.h"

namespace park::exchange {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 64, kMostName = 64;
constexpr std::uint64_t kMostJson = std::uint64_t{1} << 30, kMostTensors = std::uint64_t{4} << 30;
constexpr const char* kResultsFile = "results.json";
constexpr const char* kCheckpointFile = "manifest.json";
constexpr const char* kPolicyFile = "policy.safetensors";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_plain(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void add_file(Object& object, std::string name, std::string bytes) {
  object.manifest.files.push_back(
      {.name = name, .bytes = bytes.size(), .sha256 = files::sha256_text(bytes)});
  object.files.emplace_back(std::move(name), std::move(bytes));
}

/// The last part of a path: of "runs/one/" it is "one".
std::string last_part(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

/// The policy, and what training goes on from where it is there.
Object checkpoint_object(const fs::path& folder) {
  static_cast<void>(runs::read_checkpoint(folder, runs::Parts::policy));
  Object object{.manifest = {.kind = "checkpoint"}, .files = {}};
  const fs::path about = folder / kCheckpointFile;
  std::string text = files::read_whole(about, kMostJson);
  const runs::Manifest manifest = runs::parse_manifest(text, about.string());
  add_file(object, kCheckpointFile, std::move(text));
  for (const runs::DataFile& file : manifest.files) {
    if (file.path != kPolicyFile && !fs::exists(folder / file.path)) continue;
    std::string bytes = files::read_whole(folder / file.path, kMostTensors);
    if (!runs::same_bytes(runs::describe_bytes(file.path, bytes), file))
      throw Error(Errc::bad_file,
                  (folder / file.path).string() + ": is not what its manifest says");
    add_file(object, file.path, std::move(bytes));
  }
  return object;
}

Object suite_object(const std::string& file, std::string text) {
  const bench::Suite suite = bench::parse_suite(text, file);
  Object object{.manifest = {.kind = "suite", .name = suite.name}, .files = {}};
  add_file(object, "suite.json", std::move(text));
  return object;
}

Object results_object(const fs::path& file, std::string text) {
  static_cast<void>(bench::parse_results(text, file.string()));
  Object object{
      .manifest = {.kind = "results", .name = last_part(fs::absolute(file).parent_path())},
      .files = {}};
  add_file(object, kResultsFile, std::move(text));
  return object;
}

/// A file of one of the schemas that can be published.
Object file_object(const fs::path& file) {
  std::string text = files::read_whole(file, kMostJson);
  const auto named = [&](const char* schema) {
    return text.find('"' + std::string(schema) + '"') < 200;  // stands at the beginning
  };
  if (named(bench::kSuiteSchema)) return suite_object(file.string(), std::move(text));
  if (named(bench::kResultsSchema)) return results_object(file, std::move(text));
  throw Error(Errc::bad_file, file.string() + ": is no suite and no results of park bench");
}

Object any_object(const std::string& path) {
  std::error_code none;
  if (fs::is_regular_file(path, none)) return file_object(path);
  if (fs::exists(fs::path(path) / kResultsFile, none))
    return file_object(fs::path(path) / kResultsFile);
  const std::optional<fs::path> folder = runs::find_checkpoint(path);
  if (!folder)
    throw Error(Errc::bad_file,
                path + ": there is no checkpoint, run, suite or results of this name");
  Object object = checkpoint_object(*folder);
  object.manifest.name = last_part(path);
  return object;
}

void check_files(const std::vector<ObjectFile>& files, const std::string& file, Violations& wrong) {
  if (files.empty() || files.size() > kMostFiles)
    wrong.add(file + ".files: must be 1 to " + std::to_string(kMostFiles) + " files");
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string where = file + ".files[" + std::to_string(i) + ']';
    const auto same = [&](const ObjectFile& f) { return f.name == files[i].name; };
    if (!is_name(files[i].name))
      wrong.add(where + ".name: '" + files::shown(files[i].name) + "' is no plain name of a file");
    else if (std::ranges::count_if(files, same) > 1)
      wrong.add(where + ".name: " + files[i].name + " is there twice");
    if (!is_hash(files[i].sha256)) wrong.add(where + ".sha256: must be 64 hexadecimal digits");
  }
}

}  // namespace

std::uint64_t ObjectManifest::bytes() const noexcept {
  std::uint64_t all = 0;
  for (const ObjectFile& file : files)
    all = file.bytes > UINT64_MAX - all ? UINT64_MAX : all + file.bytes;
  return all;
}

bool is_hash(std::string_view text) noexcept {
  return text.size() == kHashDigits &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool is_name(std::string_view text) noexcept {
  if (text.empty() || text.size() > kMostName || !is_plain(text.front())) return false;
  if (is_hash(text) || text == kObjectFile) return false;
  return std::ranges::all_of(
      text, [](char c) { return is_plain(c) || c == '.' || c == '-' || c == '_'; });
}

std::string manifest_text(const ObjectManifest& manifest) {
  JsonWriter json;
  json.begin_object().member("schema", kObjectSchema).member("version", kObjectVersion);
  json.member("kind", manifest.kind).member("name", manifest.name).member("park", manifest.park);
  json.key("files").begin_array();
  for (const ObjectFile& file : manifest.files)
    json.begin_object(JsonWriter::Layout::line)
        .member("name", file.name)
        .member("bytes", file.bytes)
        .member("sha256", file.sha256)
        .end_object();
  return json.end_array().end_object().take();
}

ObjectManifest parse_manifest(std::string_view text, const std::string& file) {
  const files::Json json = files::parse_document(text, file, kObjectSchema, kObjectVersion);
  Violations wrong;
  ObjectManifest manifest;
  files::JsonFields fields(json, file, wrong);
  std::string schema;
  std::uint64_t version = 0;
  fields.take("schema", schema);
  fields.take("version", version);
  fields.take("kind", manifest.kind);
  fields.take("name", manifest.name);
  fields.take("park", manifest.park);
  const files::Json& list = fields.array("files");
  fields.finish();
  for (std::size_t i = 0; i < std::min(list.size(), kMostFiles + 1); ++i) {
    files::JsonFields one(list[i], file + ".files[" + std::to_string(i) + ']', wrong);
    ObjectFile& to = manifest.files.emplace_back();
    one.take("name", to.name);
    one.take("bytes", to.bytes);
    one.take("sha256", to.sha256);
    one.finish();
  }
  const auto& kind = manifest.kind;
  if (kind != "checkpoint" && kind != "suite" && kind != "results")
    wrong.add(file + ".kind: must be checkpoint, suite or results");
  if (!is_name(manifest.name)) wrong.add(file + ".name: is no name of an object");
  if (wrong.empty()) check_files(manifest.files, file, wrong);
  wrong.throw_if_any(Errc::bad_file);
  return manifest;
}

Object read_object(const std::string& path, const std::string& name,
                   const std::string& park_version) {
  Object object = any_object(path);
  if (!name.empty()) object.manifest.name = name;
  object.manifest.park = park_version;
  if (!is_name(object.manifest.name))
    throw Error(Errc::invalid_config,
                "--name: '" + files::shown(object.manifest.name) +
                    "' must be 1 to 64 letters, digits, '.', '-' and '_', and no hash");
  Violations wrong;
  check_files(object.manifest.files, path, wrong);
  wrong.throw_if_any(Errc::bad_file);
  return object;
}

}  // namespace park::exchange
