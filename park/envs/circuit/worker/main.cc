// The program of a simulator process. It loads ngspice, says on its socket whether that worked, and
// then answers requests until the socket closes. ngspice keeps one circuit and all its state in
// global variables, so each request loads a circuit, analyses it and removes it again. Its return
// codes say nothing: a run failed where it printed an error, or where a value is missing or is not
// finite. Spice below is one run; CallBacks collects what ngspice prints. The environment starts
// this program from its own library (image.cc) and speaks spice_message.h with it.
#include <dlfcn.h>
#include <ngspice/sharedspice.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <clocale>
#include <cmath>
#include <string>
#include <vector>

#include "park/envs/circuit/spice_message.h"

namespace park::circuit {
namespace {

bool read_all(void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t n = read(kSpiceSocket, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

void write_all(const void* from, std::size_t bytes) {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t n = write(kSpiceSocket, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(1);  // nobody listens any more
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
}

void answer(SpiceStatus status, const std::vector<double>& values, const std::string& text) {
  const ReplyHead head{status, static_cast<std::uint32_t>(values.size()),
                       static_cast<std::uint32_t>(text.size())};
  write_all(&head, sizeof head);
  write_all(values.data(), values.size() * sizeof(double));
  write_all(text.data(), text.size());
}

/// The first error that ngspice printed since the last circuit.
std::string complaint;

int on_text(char* text, int, void*) {
  const std::string line(text);
  for (const char* sign : {"aborted", "singular", "Error", "error"})
    if (complaint.empty() && line.find(sign) != std::string::npos) complaint = line;
  return 0;
}

int on_exit(int, bool, bool, int, void*) {
  answer(SpiceStatus::quit, {}, complaint.empty() ? "ngspice ends the process" : complaint);
  _exit(3);
}

/// The functions of the library.
struct Library {
  decltype(&ngSpice_Init) init = nullptr;
  decltype(&ngSpice_Circ) circuit = nullptr;
  decltype(&ngSpice_Command) command = nullptr;
  decltype(&ngGet_Vec_Info) vector = nullptr;

  /// Loads it; returns what is wrong, or "".
  std::string load() {
    void* handle = dlopen("libngspice.so.0", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return dlerror();
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
      return function != nullptr;
    };
    if (!find(init, "ngSpice_Init") || !find(circuit, "ngSpice_Circ") ||
        !find(command, "ngSpice_Command") || !find(vector, "ngGet_Vec_Info"))
      return "libngspice.so.0 lacks a function of version 39";
    init(&on_text, nullptr, &on_exit, nullptr, nullptr, nullptr, nullptr);
    // The library starts two threads by itself, which wait for each other all the time.
    run("set num_threads=1");
    return "";
  }
  void run(const std::string& text) const {
    std::string copy = text;
    command(copy.data());
  }
};

using Lines = std::vector<std::string>;

/// The sections of a request, each as lines.
std::array<Lines, 4> sections_of(const std::string& text) {
  std::array<Lines, 4> all;
  std::size_t section = 0, begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool end = i == text.size();
    if (!end && text[i] != '\n' && text[i] != kSection) continue;
    if (i > begin) all[section].push_back(text.substr(begin, i - begin));
    if (!end && text[i] == kSection && section + 1 < all.size()) ++section;
    begin = i + 1;
  }
  return all;
}

/// One run of one circuit.
class Spice {
 public:
  explicit Spice(const Library& library) : library_(library) { complaint.clear(); }

  void simulate(std::array<Lines, 4> request) {
    load(request[0]);
    if (complaint.empty()) library_.run("op");
    for (const std::string& name : request[1])
      if (complaint.empty()) read_real(name);
    if (!request[2].empty() && complaint.empty()) {
      library_.run("ac " + request[2].front());
      read_frequencies();
      for (const std::string& name : request[3]) read_complex(name);
    }
    const std::string first = complaint;
    library_.run("destroy all");
    library_.run("remcirc");
    if (!first.empty()) return answer(SpiceStatus::refused, {}, first);
    if (!missing_.empty()) return answer(SpiceStatus::incomplete, {}, missing_);
    answer(SpiceStatus::ok, values_, "");
  }

 private:
  void load(Lines& netlist) {
    std::vector<char*> lines;
    for (std::string& line : netlist) lines.push_back(line.data());
    lines.push_back(nullptr);
    library_.circuit(lines.data());
  }

  /// The vector of a name, or nullptr where it is missing.
  pvector_info find(const std::string& name) {
    std::string copy = name;
    const pvector_info v = library_.vector(copy.data());
    if (v == nullptr || v->v_length < 1) {
      missing_ = name + " is missing";
      return nullptr;
    }
    return v;
  }
  void add(double value, const std::string& name) {
    if (!std::isfinite(value)) missing_ = name + " is not finite";
    values_.push_back(value);
  }
  void read_real(const std::string& name) {
    const pvector_info v = find(name);
    if (v == nullptr) return;
    if (v->v_realdata == nullptr)
      missing_ = name + " is missing";
    else
      add(v->v_realdata[0], name);
  }
  void read_frequencies() {
    const pvector_info v = find("frequency");
    points_ = v == nullptr || v->v_compdata == nullptr ? 0 : v->v_length;
    if (points_ == 0) missing_ = "frequency is missing";
    values_.push_back(points_);
    for (int i = 0; i < points_; ++i) values_.push_back(v->v_compdata[i].cx_real);
  }
  void read_complex(const std::string& name) {
    const pvector_info v = find(name);
    if (v == nullptr || v->v_compdata == nullptr || v->v_length != points_) {
      missing_ = name + " is missing";
      return;
    }
    for (int i = 0; i < points_; ++i) {
      add(v->v_compdata[i].cx_real, name);
      add(v->v_compdata[i].cx_imag, name);
    }
  }

  const Library& library_;
  std::vector<double> values_{};
  std::string missing_{};
  int points_ = 0;
};

int serve() {
  Library library;
  if (const std::string problem = library.load(); !problem.empty()) {
    answer(SpiceStatus::refused, {}, problem);
    return 1;
  }
  answer(SpiceStatus::ok, {}, "");
  RequestHead head;
  std::string text;
  while (read_all(&head, sizeof head) && head.bytes <= kMostRequestBytes) {
    text.resize(head.bytes);
    if (!read_all(text.data(), text.size())) return 0;
    alarm(head.limit_s);  // nobody may be left to end this process
    Spice(library).simulate(sections_of(text));
    alarm(0);
  }
  return 0;
}

}  // namespace
}  // namespace park::circuit

int main() {
  std::setlocale(LC_ALL, "C");
  // ngspice reads .spiceinit of the working directory.
  if (chdir("/") != 0) return 1;
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  return park::circuit::serve();
}
