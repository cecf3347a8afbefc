// A candidate of Python: an interpreter that reads the runner as a word of its command, the rest
// over the socket. Modules that a candidate may want are loaded before the rules hold, since it opens
// no file afterwards.
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "park/core/error.h"
#include "park/core/json_writer.h"
#include "park/judge/candidate.h"
#include "park/judge/runners.h"

namespace park::judge {
namespace {

const std::vector<std::string>& modules() {
  static const std::vector<std::string> all{
      "abc",         "array",   "bisect", "cmath",     "collections", "copy",
      "dataclasses", "decimal", "enum",   "fractions", "functools",   "heapq",
      "itertools",   "json",    "math",   "operator",  "random",      "re",
      "statistics",  "string",  "struct", "time",      "typing",      "warnings"};
  return all;
}

const char* format_of(DType type) {
  switch (type) {
    case DType::u8:
      return "B";
    case DType::i32:
      return "i";
    case DType::i64:
      return "q";
    case DType::f32:
      return "f";
    default:
      return "d";
  }
}

std::int64_t group_place(const Record& record, const std::string& name) {
  for (std::size_t g = 0; g < record.groups.size(); ++g)
    if (record.groups[g].name == name) return static_cast<std::int64_t>(g);
  return -1;
}

/// How a leaf about a head lies: "", per "row", or per element of a "group".
const char* place_of(const Spec& spec, const std::string& leaf) {
  const Leaf* const found = spec.observation.find(leaf);
  return found == nullptr ? "" : found->group.empty() ? "row" : "group";
}

void write_head(JsonWriter& json, const Spec& spec, const Leaf& head) {
  json.begin_object(JsonWriter::Layout::line).member("name", head.name);
  json.member("real", head.dtype == DType::f32).member("width", std::uint64_t{head.width()});
  const bool whole = head.dtype == DType::i32;
  json.member("low", whole ? static_cast<std::int64_t>(head.low) : 0);
  json.member("high", whole ? static_cast<std::int64_t>(head.high) : 0);
  json.member("index_of", head.index_of).member("mask", place_of(spec, "mask." + head.name));
  json.member("range", place_of(spec, head.name + ".min"));
  json.key("given").values(head.given).end_object();
}

std::string hello(const CandidateFile& file, const Contract& contract, const Limits& limits) {
  const Spec& spec = contract.shown();
  const process::SyscallRules rules = confining_rules(-1);
  std::string hex;
  constexpr const char* kDigits = "0123456789abcdef";
  const auto* bytes = reinterpret_cast<const unsigned char*>(rules.data());
  for (std::size_t i = 0; i < rules.size() * sizeof(sock_filter); ++i)
    hex += {kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15]};
  std::vector<std::string> wanted = modules();
  if (file.text.find("numpy") != std::string::npos) wanted.emplace_back("numpy");
  JsonWriter json;
  json.begin_object().member("source", file.text).member("rules", hex);
  json.key("modules").values(wanted);
  json.member("memory_bytes", limits.memory_bytes);
  json.member("cpu_s", static_cast<std::uint64_t>(std::ceil(limits.time_s + 2 * limits.answer_s)));
  json.key("spec").begin_object().member("answer_bytes", std::uint64_t{contract.answer_bytes()});
  std::vector<std::string> groups;
  for (const Group& group : spec.observation.groups) groups.push_back(group.name);
  json.key("groups").values(groups).key("leaves").begin_array();
  for (const Leaf& leaf : spec.observation.leaves) {
    json.begin_object(JsonWriter::Layout::line).member("name", leaf.name);
    json.member("format", format_of(leaf.dtype)).member("bytes", std::uint64_t{leaf.bytes()});
    json.member("width", std::uint64_t{leaf.width()});
    json.member("group", group_place(spec.observation, leaf.group)).end_object();
  }
  json.end_array().key("heads").begin_array();
  for (const Leaf& head : spec.action.leaves) write_head(json, spec, head);
  return json.end_array().end_object().end_object().take();
}

/// The path of a program. An interpreter finds its modules from its own path, and has no PATH here.
/// Throws Error{unavailable}.
std::string path_of(const std::string& program) {
  if (program.find('/') != std::string::npos) return std::filesystem::absolute(program).string();
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path file = std::filesystem::absolute(folder) / program;
    if (access(file.c_str(), X_OK) == 0) return file.string();
  }
  throw Error(Errc::unavailable, program + " is not found; PARK_PYTHON names an interpreter");
}

class PythonCandidate final : public Candidate {
 public:
  PythonCandidate(const CandidateFile& file, const Contract& contract, const std::string& python)
      : file_(file), contract_(contract), python_(path_of(python)) {}

  std::unique_ptr<Process> start(const Limits& limits) const override {
    std::string program(runner_py());
    // The first entry of the path is the working folder; a fixed seed of hashes repeats itself.
    std::vector<std::string> words{python_, "-s", "-B", "-c", program};
    std::vector<std::string> environment{"PYTHONHASHSEED=0", "PYTHONUTF8=1",
                                         "OPENBLAS_NUM_THREADS=1"};
    std::vector<char*> argv, env;
    for (std::string& word : words) argv.push_back(word.data());
    for (std::string& text : environment) env.push_back(text.data());
    argv.push_back(nullptr), env.push_back(nullptr);
    const auto become = [&] {
      if (chdir("/") == 0) execve(argv[0], argv.data(), env.data());
    };
    return std::make_unique<Process>(become, -1, hello(file_, contract_, limits), limits);
  }

 private:
  CandidateFile file_;
  const Contract& contract_;
  std::string python_;
};

}  // namespace

std::unique_ptr<Candidate> prepare_python(const CandidateFile& file, const Contract& contract,
                                          const Tools& tools) {
  return std::make_unique<PythonCandidate>(file, contract, tools.python);
}

}  // namespace park::judge
