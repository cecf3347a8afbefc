// Starts python -m park_sdk.plugin_server with a socket as its standard input. The process announces
// what it serves in one line over that socket, and ends when the other side is closed. Its output
// goes into a pipe, whose last line explains an end or a silence. A PythonPlugin has one; the channels of its streams and policies look whether it is still there.
#include "systems/python_plugin/server_process.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "park/core/error.h"
#include "park/core/text.h"
#include "park/files/json_fields.h"
#include "systems/python_plugin/interpreter.h"

namespace park::python_plugin {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kPause{20};
constexpr milliseconds kLastOutput{200};  // after the end, for what is still in the pipe
constexpr milliseconds kOrderlyEnd{1'500};
constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr int kNotFound = 127;  // exit status: no such program
constexpr int kSignalled = 128;

/// Lines are written at once, so that the last one is there when the process ends.
std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at) all.emplace_back(*at);
  all.emplace_back("PYTHONUNBUFFERED=1");
  return all;
}

Errc code_of(const std::string& name) {
  if (name == "unknown_name") return Errc::unknown_name;
  if (name == "invalid_config") return Errc::invalid_config;
  return name == "invalid_space" ? Errc::invalid_space : Errc::unavailable;
}

Names names_of(const std::string& word) {
  if (word == "nothing") return Names::nothing;
  if (word == "file") return Names::file;
  return word == "endpoint" ? Names::endpoint : Names::undeclared;
}

/// A bound; null is an infinite one.
void take_bound(files::JsonFields& from, const char* key, double& bound) {
  double told = bound;
  from.take(key, told);
  if (!std::isnan(told)) bound = told;
}

FieldInfo field_of(const files::Json& json, Violations& wrong) {
  FieldInfo f;
  std::string names;
  files::JsonFields from(json, "field", wrong);
  from.take("name", f.name);
  from.take("type", f.type);
  from.take("default", f.default_text);
  from.take("doc", f.doc);
  from.take("unit", f.unit);
  take_bound(from, "min", f.min);
  take_bound(from, "max", f.max);
  from.take("open_min", f.open_min);
  from.take("open_max", f.open_max);
  from.take("choices", f.choices);
  from.take("tune", f.tune);
  from.take("names", names);
  from.finish();
  f.names = f.type.ends_with("text") && f.choices.empty() ? names_of(names) : Names::nothing;
  return f;
}

Served served_of(const std::string& text, const std::string& line) {
  const files::Json json = files::parse_document(line, text, "park.python_plugin", 1);
  Served served;
  Violations wrong;
  std::string schema, error, code;
  std::uint64_t version = 0;
  files::JsonFields from(json, text, wrong);
  from.take("schema", schema);
  from.take("version", version);
  from.optional().take("error", error);
  from.take("code", code);
  if (!error.empty()) throw Error(code_of(code), printable(error, "\n"));
  from.take("environments", served.environments);
  from.optional(false).take("kind", served.kind);
  from.take("endpoint", served.endpoint);
  from.take("folder", served.folder);
  from.take("name", served.name);
  from.take("class_version", served.version);
  from.take("summary", served.summary);
  from.take("reference", served.reference);
  for (const files::Json& field : from.array("fields"))
    served.fields.push_back(field_of(field, wrong));
  from.finish();
  wrong.throw_if_any(Errc::unavailable);
  return served;
}

}  // namespace

ServerProcess::ServerProcess(std::string text, milliseconds start) : text_(std::move(text)) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(Errc::io, std::string("no socket for its process: ") + std::strerror(errno));
  link_ = ends[0];
  try {
    const std::vector<std::string> words{interpreter(), "-m", "park_sdk.plugin_server", text_};
    child_ = std::make_unique<process::Child>(words, environment(), output_.path(), ends[1]);
    output_.release_writer();
    close(std::exchange(ends[1], -1));
    served_ = served_of(text_, announcement(start));
  } catch (...) {
    if (ends[1] >= 0) close(ends[1]);
    end();
    throw;
  }
}

ServerProcess::~ServerProcess() {
  end();
  child_.reset();
  std::error_code gone_already;
  if (!served_.folder.empty()) std::filesystem::remove_all(served_.folder, gone_already);
}

void ServerProcess::end() noexcept {
  close(std::exchange(link_, -1));
  const auto until = steady_clock::now() + kOrderlyEnd;
  while (child_ && !child_->status() && steady_clock::now() < until)
    std::this_thread::sleep_for(kPause);
}

std::string ServerProcess::announcement(milliseconds start) {
  const auto until = steady_clock::now() + start;
  std::string line;
  for (std::array<char, 4096> bytes{}; !line.ends_with('\n');) {
    pollfd waiting{.fd = link_, .events = POLLIN, .revents = 0};
    const bool there = poll(&waiting, 1, static_cast<int>(kPause.count())) > 0;
    const ssize_t n = there ? read(link_, bytes.data(), bytes.size()) : -1;
    if (n > 0) line.append(bytes.data(), static_cast<std::size_t>(n));
    if (n == 0 || line.size() > kLongestLine) {
      std::optional<std::string> how;
      while (!(how = ended()) && steady_clock::now() < until) std::this_thread::sleep_for(kPause);
      throw Error(Errc::unavailable, how ? *how : "its process says nothing" + last_words());
    }
    if (steady_clock::now() > until)
      throw Error(Errc::unavailable, "is not ready within " +
                                         number_text(std::chrono::duration<double>(start).count()) +
                                         " s" + last_words());
  }
  return line;
}

std::optional<std::string> ServerProcess::ended() {
  const std::lock_guard lock(mutex_);
  const std::optional<int> status = child_->status();
  if (!status) return {};
  const std::string line = output_.last_line(kLastOutput);
  if (*status == kNotFound && line.empty())
    return interpreter() + " cannot be started; PARK_PYTHON names an interpreter";
  if (line.find("No module named 'park_sdk'") != std::string::npos)
    return interpreter() + " has no park_sdk (docs/python.md); PARK_PYTHON names an interpreter";
  const std::string how = *status > kSignalled
                              ? "was ended by signal " + std::to_string(*status - kSignalled)
                              : "ended with status " + std::to_string(*status);
  return "its process " + how + (line.empty() ? "" : "; the last line of its output: " + line);
}

std::string ServerProcess::last_words() const {
  const std::string line = output_.last_line();
  return line.empty() ? "" : "; the last line of its output: " + line;
}

}  // namespace park::python_plugin
