// A candidate of C++: compiled to a static program behind the judge's prelude. Source could read files
// of this machine while it is compiled: by #include, .incbin of an assembler's text, names of sections.
// So nothing of it is preprocessed (GCC's -fpreprocessed), and the words that reach the assembler are
// refused. The program starts under the rules of confine.h, with no environment variable.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <sstream>
#include <vector>

#include "park/core/error.h"
#include "park/core/text.h"
#include "park/exchange/limited_child.h"
#include "park/files/descriptor.h"
#include "park/files/new_file.h"
#include "park/files/read.h"
#include "park/judge/candidate.h"
#include "park/judge/runners.h"

namespace park::judge {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kCompileTime{60};
constexpr std::uint64_t kMostProgram = std::uint64_t{64} << 20;
constexpr const char* kCompilerMemory = "--as=4294967296";

/// Headers that every candidate has; a candidate may also say so.
const std::set<std::string>& headers() {
  static const std::set<std::string> all{
      "algorithm",   "array",   "bit",           "bitset",        "cmath",      "compare",
      "cstdint",     "cstddef", "cstring",       "deque",         "functional", "limits",
      "map",         "memory",  "numbers",       "numeric",       "optional",   "queue",
      "random",      "ranges",  "set",           "span",          "stdexcept",  "string",
      "string_view", "tuple",   "unordered_map", "unordered_set", "utility",    "variant",
      "vector",      "unistd.h"};
  return all;
}

/// A folder that goes with this object.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "park-judge-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw Error(Errc::io, pattern + ": " + files::last_error().message());
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The first word of a source that is not allowed; "": none.
std::string forbidden_word(const std::string& text) {
  static const std::set<std::string> all{"asm",           "__asm", "__asm__", "__attribute",
                                         "__attribute__", "gnu",   "__gnu__", "_Pragma"};
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_of_name(text[end])) ++end;
    if (all.contains(text.substr(at, end - at))) return text.substr(at, end - at);
    at = std::max(end, at + 1);
  }
  return "";
}

/// A line that includes one of the headers, or the judge's.
bool is_known_include(const std::string& line) {
  std::string word;
  for (const char c : line)
    if (std::isspace(static_cast<unsigned char>(c)) == 0) word += c;
  if (word == "#include\"park/candidate.h\"") return true;
  constexpr std::string_view kBegin = "#include<";
  return word.starts_with(kBegin) && word.ends_with('>') &&
         headers().contains(word.substr(kBegin.size(), word.size() - kBegin.size() - 1));
}

/// The source without its includes, which the prelude has. Throws Refused.
std::string admitted(const CandidateFile& file) {
  if (const std::string word = forbidden_word(file.text); !word.empty())
    throw Refused("a candidate may not say '" + word + "'");
  std::string all, line;
  std::istringstream lines(file.text);
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const auto first = line.find_first_not_of(" \t\r\f\v");
    const std::string_view rest =
        first == std::string::npos ? std::string_view{} : std::string_view(line).substr(first);
    const bool directive = rest.starts_with('#') || rest.starts_with("%:");
    if (directive && !is_known_include(line))
      throw Refused("line " + std::to_string(number) +
                    ": no directive but #include of a standard header that is provided, such as "
                    "<vector>; constants are constexpr");
    all += (directive ? "" : line) + '\n';
  }
  return all;
}

char type_of(DType type) {
  switch (type) {
    case DType::u8:
      return 'b';
    case DType::i32:
      return 'i';
    case DType::i64:
      return 'l';
    case DType::f32:
      return 'f';
    default:
      return 'd';
  }
}

std::string quoted(const std::string& name) { return '"' + name + '"'; }

template <class List>
std::ptrdiff_t place(const List& all, const std::string& name) {
  const auto found = std::ranges::find_if(all, [&](const auto& one) { return one.name == name; });
  return found == all.end() ? -1 : found - all.begin();
}

std::string head_text(const Spec& spec, const Leaf& head) {
  const auto& leaves = spec.observation.leaves;
  const bool real = head.dtype == DType::f32;
  std::string follow;
  for (std::size_t i = 0; i < 8; ++i)
    follow += (i == 0 ? "" : ",") +
              std::to_string(i + 1 < head.given.size() ? place(leaves, head.given[i + 1]) : -1);
  const auto number = [](double v) { return std::to_string(static_cast<std::int64_t>(v)); };
  return "HeadInfo{" + quoted(head.name) + ',' + (real ? "true" : "false") + ',' +
         std::to_string(head.width()) + ',' +
         (real ? "0,0" : number(head.low) + ',' + number(head.high)) + ',' +
         std::to_string(place(spec.observation.groups, head.index_of)) + ',' +
         std::to_string(place(leaves, "mask." + head.name)) + ',' +
         std::to_string(place(leaves, head.name + ".min")) + ',' +
         std::to_string(place(leaves, head.name + ".max")) + ',' +
         std::to_string(head.given.empty() ? -1 : place(spec.action.leaves, head.given[0])) + ",{" +
         follow + "}}";
}

/// The prelude of an environment, before it is preprocessed.
std::string prelude(const Spec& spec) {
  std::string text, heads, leaves, groups;
  for (const std::string& header : headers()) text += "#include <" + header + ">\n";
  for (const Leaf& head : spec.action.leaves) heads += head_text(spec, head) + ",\n";
  for (const Leaf& leaf : spec.observation.leaves)
    leaves += "LeafInfo{" + quoted(leaf.name) + ",'" + type_of(leaf.dtype) + "'," +
              std::to_string(leaf.width()) + ',' +
              std::to_string(place(spec.observation.groups, leaf.group)) + "},\n";
  for (const Group& group : spec.observation.groups)
    groups += "GroupInfo{" + quoted(group.name) + "},\n";
  const auto table = [](const char* type, const char* name, std::size_t n,
                        const std::string& items) {
    return "inline constexpr std::array<" + std::string(type) + ',' + std::to_string(n) + "> " +
           name + "{" + items + "};\n";
  };
  const std::string tables = "struct GroupInfo { const char* name; };\n" +
                             table("GroupInfo", "groups", spec.observation.groups.size(), groups) +
                             table("LeafInfo", "leaves", spec.observation.leaves.size(), leaves) +
                             table("HeadInfo", "heads", spec.action.leaves.size(), heads);
  std::string body(runner_prelude());
  constexpr std::string_view kTables = "PARK_JUDGE_TABLES";
  body.replace(body.find(kTables), kTables.size(), tables);
  return text + body;
}

/// Runs the compiler under limits; its complaint, "" where there is none.
std::string run_compiler(std::vector<std::string> words) {
  std::vector<std::string> all{"prlimit", kCompilerMemory};
  std::ranges::move(words, std::back_inserter(all));
  const exchange::ChildEnd end =
      exchange::run_limited(all, {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C"},
                            {.deadline = std::chrono::steady_clock::now() + kCompileTime,
                             .most_file_bytes = kMostProgram});
  if (end.late) return "it takes longer than 60 s to compile";
  if (end.status == 0) return "";
  return end.output.empty() ? "the compiler ended with status " + std::to_string(end.status)
                            : end.output;
}

/// The line of a text that contains a word; "": none does.
std::string line_with(const std::string& text, const std::string& word) {
  const auto at = text.find(word);
  if (at == std::string::npos) return "";
  const auto begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

/// The first error of a compiler in one line, with the candidate's line that it comes from.
std::string first_error(const std::string& output) {
  const std::string error = line_with(output, "error"), place = line_with(output, "candidate.cc:");
  const std::string both = error.empty()                     ? output
                           : place.empty() || place == error ? error
                                                             : place + ' ' + error;
  return printable(both.substr(0, kMostComplaint));
}

class CppCandidate final : public Candidate {
 public:
  CppCandidate(const CandidateFile& file, const Contract& contract, const std::string& compiler) {
    const std::string source = admitted(file);
    files::write_file(scratch_ / "prelude.cc", prelude(contract.shown()));
    if (const std::string wrong = run_compiler({compiler, "-std=c++20", "-E", "-P", "-o",
                                                scratch_ / "prelude.ii", scratch_ / "prelude.cc"});
        !wrong.empty())
      throw Error(Errc::unavailable,
                  compiler + ": cannot compile candidates: " + first_error(wrong));
    const std::string all = "# 1 \"prelude\"\n" +
                            files::read_whole(scratch_ / "prelude.ii", kMostProgram) +
                            "\n# 1 \"candidate.cc\"\n" + source;
    files::write_file(scratch_ / "candidate.ii", all);
    if (const std::string wrong =
            run_compiler({compiler, "-std=c++20", "-O2", "-w", "-fpreprocessed", "-static", "-s",
                          "-fmax-errors=1", "-fno-diagnostics-show-caret", "-o",
                          scratch_ / "candidate", scratch_ / "candidate.ii"});
        !wrong.empty())
      throw Refused(first_error(wrong));
  }

  std::unique_ptr<Process> start(const Limits& limits) const override {
    const process::SyscallRules rules = confining_rules(kProgram);
    const files::Descriptor program(scratch_ / "candidate", O_RDONLY | O_CLOEXEC);
    if (!program.open()) throw Error(Errc::io, "a candidate's program is gone");
    std::string name = "candidate";
    char* const words[]{name.data(), nullptr};
    char* const environment[]{nullptr};
    const auto become = [&] {
      if (chdir("/") != 0) return;
      confine_here(rules, limits, true);
      syscall(SYS_execveat, kProgram, "", words, environment, AT_EMPTY_PATH);
    };
    return std::make_unique<Process>(become, program.get(), "", limits);
  }

 private:
  Scratch scratch_;
};

}  // namespace

std::unique_ptr<Candidate> prepare_cpp(const CandidateFile& file, const Contract& contract,
                                       const Tools& tools) {
  return std::make_unique<CppCandidate>(file, contract, tools.compiler);
}

}  // namespace park::judge
